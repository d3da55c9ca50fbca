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
mod place;
mod text;

use super::picture::{Drawing, Node, Picture};
use layers::{Extent, Layers, Link};
use text::{Line, label_lines, width};

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
        let picture = Picture::of(self);
        let sketch = Sketch::of(self, &picture);
        let mut layers = Layers::new(&sketch.boxes, &sketch.links, sketch.initial)?;
        order::order(&mut layers);
        let places = place::place(&layers);
        Some(paint::paint(self, &sketch, &layers, &places))
    }
}

/// What is to be laid out.
struct Sketch<'p> {
    picture: &'p Picture,
    /// Boxes of states, then of the marks that stand for several.
    boxes: Vec<Extent>,
    /// Arrows between boxes; loops on one state are part of its box.
    links: Vec<Link>,
    /// For each arrow of the picture its label, line by line.
    labels: Vec<Vec<Line>>,
    initial: usize,
    states: usize,
}

impl<'p> Sketch<'p> {
    fn of(drawing: &Drawing<'_>, picture: &'p Picture) -> Self {
        let model = drawing.model;
        let labels: Vec<Vec<Line>> = picture
            .edges
            .iter()
            .map(|edge| label_lines(&edge.labels))
            .collect();
        let names = model.states.iter().map(|state| state.name.as_str());
        let names = names.chain(picture.several.iter().map(String::as_str));
        let mut boxes: Vec<Extent> = names.map(Self::extent).collect();
        boxes[model.initial].left += START;
        let states = model.states.len();
        let mut links = Vec::new();
        for (at, (edge, lines)) in picture.edges.iter().zip(&labels).enumerate() {
            let (wide, high) = text::size(lines);
            let from = match edge.from {
                Node::State(state) if state == edge.to => {
                    let room = &mut boxes[state];
                    room.right += LOOP + wide + 6.0;
                    room.height = room.height.max(high);
                    continue;
                }
                Node::State(state) => state,
                Node::Several(nth) => states + nth,
            };
            links.push(Link {
                edge: at,
                from,
                to: edge.to,
                label: Extent {
                    left: wide / 2.0 + 4.0,
                    right: wide / 2.0 + 4.0,
                    height: high,
                },
            });
        }
        Self {
            picture,
            boxes,
            links,
            labels,
            initial: model.initial,
            states,
        }
    }

    fn extent(name: &str) -> Extent {
        let half = half(name);
        Extent {
            left: half,
            right: half,
            height: BOX,
        }
    }
}

/// Half of the width of a box with a name.
fn half(name: &str) -> f64 {
    (width(name, 13.0, false) / 2.0 + 14.0).max(36.0)
}
