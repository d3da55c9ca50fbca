//! What the searches ask of a graph of configurations, be it of one machine or of several.

use super::configurations::{Configuration, Configurations, Pending};
use super::observer::{Labels, Roles};

/// Configurations and the steps between them. Runs begin in [`START`](super::START).
pub(super) trait Runs {
    /// How many configurations there are.
    fn len(&self) -> usize;

    /// How many steps there are. A step has one target; it may have several sources.
    fn steps(&self) -> usize;

    /// The steps out of a configuration.
    fn moves(&self, node: usize) -> impl Iterator<Item = usize>;

    /// Where a step leads.
    fn target(&self, step: usize) -> usize;

    /// The configurations that a step may be made from.
    fn sources(&self, step: usize) -> impl Iterator<Item = usize>;

    /// Whether a run is complete there.
    fn complete(&self, node: usize) -> bool;

    /// Whether nothing more is asked of a run there: it is complete, or was ended.
    fn over(&self, node: usize) -> bool;
}

/// The positions of one pattern that the letters of a graph fill.
pub(super) trait Letters {
    /// The letter of the start.
    fn first(&self) -> Roles;

    /// The letters of a step: its event, the state that it enters, the effect that it asks for.
    fn step(&self, step: usize) -> [Roles; 3];

    /// What is true for as long as a run is in a configuration: its state and what it asked for.
    fn standing(&self, node: usize) -> Roles;

    /// Every letter that is declared, whether it occurs or not.
    fn all(&self) -> impl Iterator<Item = Roles>;
}

impl Runs for Configurations<'_> {
    fn len(&self) -> usize {
        Configurations::len(self)
    }

    fn steps(&self) -> usize {
        self.model.rules.len()
    }

    fn moves(&self, node: usize) -> impl Iterator<Item = usize> {
        Configurations::moves(self, node)
    }

    fn target(&self, step: usize) -> usize {
        Configurations::into(self, step)
    }

    fn sources(&self, step: usize) -> impl Iterator<Item = usize> {
        Configurations::sources(self, step)
    }

    fn complete(&self, node: usize) -> bool {
        Configurations::complete(self, node)
    }

    fn over(&self, node: usize) -> bool {
        self.complete(node) || self.model.states[self.node(node).state].terminal
    }
}

/// The letters of one machine.
pub(super) struct Marked<'a, 'm> {
    pub(super) graph: &'a Configurations<'m>,
    pub(super) labels: Labels,
}

impl Letters for Marked<'_, '_> {
    fn first(&self) -> Roles {
        self.labels.states[self.graph.model.initial]
    }

    fn step(&self, step: usize) -> [Roles; 3] {
        let rule = &self.graph.model.rules[step];
        [
            self.labels.events[rule.on],
            self.labels.states[rule.to],
            rule.effect.map_or(0, |effect| self.labels.effects[effect]),
        ]
    }

    fn standing(&self, node: usize) -> Roles {
        let Configuration { state, pending } = self.graph.node(node);
        let asked = match pending {
            Pending::Effect(effect) => self.labels.effects[effect],
            Pending::Start | Pending::Nothing => 0,
        };
        self.labels.states[state] | asked
    }

    fn all(&self) -> impl Iterator<Item = Roles> {
        self.labels.all()
    }
}
