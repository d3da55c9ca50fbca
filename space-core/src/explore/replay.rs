//! Recorded runs, looked at again.

use super::configurations::START;
use super::observer::{Labels, OF, Observer};
use super::runs::{Letters, Marked};
use super::verdict::{Counterexample, Judge, lost};
use crate::contract::Pattern;

/// A step of a recorded run, by name: what it says of a contract outlives changes of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedStep {
    /// The event that was handled.
    pub event: String,
    /// The state that was entered.
    pub state: String,
    /// The effect that was asked for.
    pub effect: Option<String>,
}

impl Judge<'_> {
    /// The rules of a recorded run: indices of [`crate::graph::Model::rules`]. `None` when the run is
    /// none of this model, at some step.
    pub fn replay(&self, steps: &[NamedStep]) -> Option<Vec<usize>> {
        let graph = self.graph();
        let model = graph.model;
        let mut node = START;
        let mut run = Vec::with_capacity(steps.len());
        for step in steps {
            let rule = graph.moves(node).find(|rule| {
                let rule = &model.rules[*rule];
                let effect = rule.effect.map(|effect| &model.effects[effect].name);
                model.events[rule.on].name == step.event
                    && model.states[rule.to].name == step.state
                    && effect == step.effect.as_ref()
            })?;
            run.push(rule);
            node = graph.into(rule);
        }
        Some(run)
    }

    /// Whether a run of the model breaks a pattern, by itself or, where it may repeat its end, by doing
    /// so. A pattern that names what the model does not have is broken by nothing: it has no
    /// meaning, and a gate says so.
    pub fn breaks(&self, pattern: &Pattern, found: &Counterexample) -> bool {
        let graph = self.graph();
        let Ok(labels) = Labels::resolve(graph.model, pattern) else {
            return false;
        };
        let letters = Marked { graph, labels };
        let last = found.run.last().map_or(START, |rule| graph.into(*rule));
        let Some(observer) = Observer::of(pattern) else {
            return matches!(pattern, Pattern::Reachable { .. }) && lost(graph, &letters)[last];
        };
        if self.goes_round(found) && counts_in_round(&letters, pattern, found) {
            return true;
        }
        let steps = found.run.iter().flat_map(|rule| letters.step(*rule));
        let mut state = observer.start();
        for letter in [letters.first()].into_iter().chain(steps) {
            match observer.read(state, letter) {
                Some(next) => state = next,
                None => return true,
            }
        }
        graph.complete(last) && observer.broken_at_end(state)
    }

    /// Whether the part of a run that was recorded as a cycle is one.
    fn goes_round(&self, found: &Counterexample) -> bool {
        let graph = self.graph();
        let Some(from) = found.repeats else {
            return false;
        };
        let start = match from.checked_sub(1) {
            Some(before) => found.run.get(before).map(|rule| graph.into(*rule)),
            None => Some(START),
        };
        let last = found.run.last().map(|rule| graph.into(*rule));
        from < found.run.len() && start == last
    }
}

/// Whether a cycle passes what a pattern bounds: however often it may, the cycle does more often.
fn counts_in_round(letters: &impl Letters, pattern: &Pattern, found: &Counterexample) -> bool {
    let counts = |step: &usize| letters.step(*step).iter().any(|letter| letter & OF != 0);
    let from = found.repeats.unwrap_or_default();
    let bounded = matches!(pattern, Pattern::BoundedExistence { .. });
    bounded && found.run[from..].iter().any(counts)
}
