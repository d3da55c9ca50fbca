//! What compositions add to the spaces that they name.

use std::collections::BTreeMap;

use crate::explore::JointJudge;
use crate::gates::Triggers;
use crate::graph::{Composed, PointRow};

/// Adds what a composition says of its components.
///
/// A space that is looped back to from another one runs again from the states it was left in: those
/// that the composition can be in when the `LoopBack` comes, or all its ends when there are too
/// many states to know.
pub(super) fn add(
    composed: &Composed,
    judge: &mut JointJudge,
    all: &mut BTreeMap<String, Triggers>,
) {
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
        if row.feedback.is_none() || row.from == row.to {
            continue;
        }
        let joint = judge.around(&[row.from]);
        let bounded = joint.bound().is_some();
        let triggers = all.entry(to.name.clone()).or_default();
        for (state, row) in to.model.states.iter().enumerate() {
            if row.terminal && (bounded || joint.fed().contains(&(at, state))) {
                triggers.feedback.insert((row.name.clone(), event.clone()));
            }
        }
    }
}
