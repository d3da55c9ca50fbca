//! What compositions add to the spaces that they name.

use std::collections::BTreeMap;

use super::reach::{Reach, Watch};
use crate::gates::Triggers;
use crate::graph::{Composed, PointRow};

/// Adds what a composition says of its components.
///
/// A space that is looped back to from another one runs again from the states it was left in: those
/// that the composition can be in when the `LoopBack` comes, or all its ends when there are too
/// many states to know.
pub(super) fn add(composed: &Composed, all: &mut BTreeMap<String, Triggers>) {
    let crosses = |at: &usize| {
        let row = &composed.bridges[*at];
        row.feedback.is_some() && row.from != row.to
    };
    let reach = (0..composed.bridges.len())
        .any(|at| crosses(&at))
        .then(|| Reach::of(composed, &Watch::default()));
    for (at, row) in composed.bridges.iter().enumerate() {
        let (from, to) = (&composed.components[row.from], &composed.components[row.to]);
        let event = &to.model.events[row.event].name;
        for point in &row.points {
            let PointRow::State(state) = *point else {
                continue;
            };
            let state = from.model.states[state].name.clone();
            let triggers = all.entry(from.name.clone()).or_default();
            if row.feedback.is_some() && row.from == row.to {
                triggers.feedback.insert((state, event.clone()));
            } else {
                triggers.series.insert(state);
            }
        }
        let Some(reach) = reach.as_ref().filter(|_| crosses(&at)) else {
            continue;
        };
        let triggers = all.entry(to.name.clone()).or_default();
        for (state, row) in to.model.states.iter().enumerate() {
            if row.terminal && (reach.bounded || reach.fed.contains(&(at, state))) {
                triggers.feedback.insert((row.name.clone(), event.clone()));
            }
        }
    }
}
