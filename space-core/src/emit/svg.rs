//! The machine as an SVG: layers from top to bottom, labels in layers of their own.
//!
//! Layered drawing after Sugiyama, Tagawa and Toda (*Methods for visual understanding of hierarchical
//! system structures*, IEEE SMC 1981). An arrow's label takes part as a box that the arrow passes,
//! so that neither text nor arrows meet other text.

mod layers;
mod legend;
mod markup;
mod order;
mod paint;
mod panel;
mod place;
mod text;
mod together;

use super::picture::Drawing;
use panel::Panel;
use text::width;

/// The most states that are drawn: beyond, nobody reads it.
pub const MOST_STATES: usize = 120;

/// Height of a state's box.
const BOX: f64 = 30.0;
/// Room to the left of the initial state for the mark of the start.
const START: f64 = 30.0;
/// How far a loop on one state reaches to its right.
const LOOP: f64 = 26.0;

impl Drawing<'_> {
    /// An SVG of its own size, with fonts that every system has something like. `None` when the
    /// machine is too large for a picture: more than [`MOST_STATES`] states, or too many arrows
    /// over too many layers.
    pub fn svg(&self) -> Option<String> {
        if self.model.states.len() > MOST_STATES {
            return None;
        }
        let view = self.view();
        let panel = Panel::new(&view, &[])?;
        Some(paint::alone(self, &panel))
    }
}

/// Half of the width of a box with a name.
fn half(name: &str) -> f64 {
    (width(name, 13.0, false) / 2.0 + 14.0).max(36.0)
}
