//! What a composition adds to a space.

use std::collections::BTreeSet;

use crate::graph::{Edge, Model, Rules};

/// What compositions add to a space: events that come because a state was entered. A space that no
/// composition names has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triggers {
    /// States at which a series goes on, by name.
    pub series: BTreeSet<String>,
    /// States that a feedback loop answers, by name, and the event that it answers with.
    pub feedback: BTreeSet<(String, String)>,
}

impl Triggers {
    /// The trigger states and events of feedback loops; what is not declared is left out.
    pub fn loopbacks(&self, model: &Model) -> Vec<(usize, usize)> {
        let loops = self.feedback.iter();
        loops
            .filter_map(|(state, event)| Some((model.state(state)?, model.event(event)?)))
            .collect()
    }
}

/// Triggers, resolved.
#[derive(Debug, Default)]
pub(super) struct Jumps {
    states: BTreeSet<usize>,
    /// A trigger state, and the rule that the `LoopBack` takes from there.
    pub(super) loops: Vec<(usize, Edge)>,
}

impl Jumps {
    /// What is not declared is left out: the gates of compositions report it.
    pub(super) fn of(rules: &Rules<'_>, triggers: &Triggers) -> Self {
        let state = |name: &String| rules.names.states.get(name.as_str()).copied();
        let mut jumps = Self {
            states: triggers.series.iter().filter_map(state).collect(),
            loops: Vec::new(),
        };
        for (from, event) in &triggers.feedback {
            let Some(from) = state(from) else { continue };
            jumps.states.insert(from);
            // It lands in the source state of the first rule that accepts the event.
            let event = rules.names.events.get(event.as_str());
            let accepts = rules.edges.iter().filter(|edge| Some(&edge.on) == event);
            if let Some(edge) = accepts.min_by_key(|edge| (edge.row, edge.from)) {
                jumps.loops.push((from, *edge));
            }
        }
        jumps
    }

    pub(super) fn is_trigger(&self, state: usize) -> bool {
        self.states.contains(&state)
    }
}
