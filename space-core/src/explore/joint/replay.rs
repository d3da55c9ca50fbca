//! Recorded runs of compositions, looked at again.

use std::collections::HashSet;
use std::sync::Arc;

use super::super::replay::NamedStep;
use super::super::verdict::Counterexample;
use super::graph::Joint;
use super::judge::{broken, points};
use super::layout::Layout;
use super::moves::{JointStep, Moves, Table};
use crate::contract::Pattern;
use crate::graph::Composed;

/// A step of a recorded run of a composition, by name: what it says outlives changes of the contracts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedMove {
    /// These components moved, each with what it did.
    Moved(Vec<(String, NamedStep)>),
    /// What a bridge fed to a component was refused.
    Refused {
        /// The component.
        component: String,
        /// The event.
        event: String,
    },
}

impl Joint {
    /// A step by name.
    pub fn named(&self, step: usize) -> NamedMove {
        named(self.composed(), self.step_of(step))
    }

    /// The configurations of a recorded run, and the steps between them. `None` when it is no run of
    /// the composition, at some step.
    pub fn replay(composed: &Arc<Composed>, steps: &[NamedMove]) -> Option<Self> {
        let layout = Layout::new(composed, true);
        let table = Table::new(composed);
        let mut now = layout.start(composed);
        let mut passed = HashSet::new();
        for step in steps {
            let found = Moves::of(composed, &layout, &table, &now, false).found;
            let mut found = found.into_iter();
            now = found.find(|(_, move_)| named(composed, move_) == *step)?.0;
            passed.insert(now.cells.clone());
        }
        Some(Self::of_these(Arc::clone(composed), |row| {
            passed.contains(row)
        }))
    }

    /// A run among these that breaks a pattern; `None` as well for one that is about what could still be
    /// reached, or that names what the composition does not have.
    pub fn breaks(&self, pattern: &Pattern) -> Option<Counterexample> {
        if matches!(pattern, Pattern::Reachable { .. }) {
            return None;
        }
        broken(self, pattern, &points(self.composed(), pattern)?)
    }
}

fn named(composed: &Composed, step: &JointStep) -> NamedMove {
    if let (true, Some(bridge)) = (step.moved.is_empty(), step.fed) {
        let row = &composed.bridges[bridge];
        let one = &composed.components[row.to];
        return NamedMove::Refused {
            component: one.name.clone(),
            event: one.model.events[row.event].name.clone(),
        };
    }
    let moved = step.moved.iter().map(|(component, rule)| {
        let one = &composed.components[*component];
        let rule = &one.model.rules[*rule];
        let effect = rule.effect.map(|at| one.model.effects[at].name.clone());
        let step = NamedStep {
            event: one.model.events[rule.on].name.clone(),
            state: one.model.states[rule.to].name.clone(),
            effect,
        };
        (one.name.clone(), step)
    });
    NamedMove::Moved(moved.collect())
}
