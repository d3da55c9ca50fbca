//! What one component of a composition can be in.

use crate::contract::Semantics;
use crate::graph::{Composed, Model, Rule};

/// What a component is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalState {
    /// Its state.
    pub state: usize,
    /// The effect that it waits for.
    pub effect: Option<usize>,
    /// The bridges, by row, whose event waits for it.
    pub waiting: Vec<usize>,
}

/// A state and the effect that is pending.
type Configuration = (usize, Option<usize>);

/// The numbering of what a component can be in: a configuration (state and pending effect) and,
/// in the low bits, which of its bridges wait. Number 0 is the start.
#[derive(Clone, Debug)]
pub(super) struct Local {
    configurations: Vec<Configuration>,
    /// The bridges into it, by row, in order: the one that is fed first has the lowest bit.
    pub(super) bridges: Vec<usize>,
    /// Whether a configuration waits for an effect that must not be interrupted.
    busy: Vec<bool>,
    /// Whether a configuration is at its end, or was never started and need not be.
    ended: Vec<bool>,
    terminal: Vec<bool>,
}

/// The most bridges into one component: each doubles its states.
const BRIDGES: usize = 12;
/// The most states of one component.
const STATES: usize = 1 << 16;

impl Local {
    /// `None` when there are too many states.
    pub(super) fn new(composed: &Composed, component: usize) -> Option<Self> {
        let model = &composed.components[component].model;
        let rows = composed.bridges.iter().enumerate();
        let into = rows.filter(|(_, row)| row.to == component);
        let bridges: Vec<_> = into.map(|(at, _)| at).collect();
        let start = (model.initial, None);
        let mut configurations: Vec<_> = model.rules.iter().map(|r| (r.to, r.effect)).collect();
        configurations.push(start);
        configurations.sort_unstable_by_key(|one| (*one != start, *one));
        configurations.dedup();
        if bridges.len() > BRIDGES || configurations.len() << bridges.len() > STATES {
            return None;
        }
        let semantics = |effect: Option<usize>| effect.map(|one| model.effects[one].semantics);
        let harmless = |one: Option<Semantics>| {
            one.is_none_or(|one| matches!(one, Semantics::Query | Semantics::Stop))
        };
        let after = &composed.after[component];
        let unstarted = !after.is_empty() && after.iter().all(|before| *before < component);
        let ended = |(state, effect): &Configuration| {
            let idle = semantics(*effect).is_none_or(|one| one == Semantics::Stop);
            idle && (model.states[*state].terminal || *state == model.initial && unstarted)
        };
        let of =
            |is: &dyn Fn(&Configuration) -> bool| configurations.iter().map(is).collect::<Vec<_>>();
        Some(Self {
            busy: of(&|(_, effect)| !harmless(semantics(*effect))),
            ended: of(&ended),
            terminal: of(&|(state, _)| model.states[*state].terminal),
            configurations,
            bridges,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.configurations.len() << self.bridges.len()
    }

    fn configuration(&self, at: usize) -> usize {
        at >> self.bridges.len()
    }

    /// The bits of the bridges that wait.
    pub(super) fn waiting(&self, at: usize) -> usize {
        at & ((1 << self.bridges.len()) - 1)
    }

    /// The bit of a bridge; 0 when it is not one into this component.
    pub(super) fn bit(&self, bridge: usize) -> usize {
        self.bridges
            .binary_search(&bridge)
            .map_or(0, |bit| 1 << bit)
    }

    /// The bits of the bridges that come before one.
    pub(super) fn before(&self, bridge: usize) -> usize {
        (1 << self.bridges.partition_point(|one| *one < bridge)) - 1
    }

    pub(super) fn state(&self, at: usize) -> LocalState {
        let (state, effect) = self.configurations[self.configuration(at)];
        let waits = |bit: &usize| self.waiting(at) >> bit & 1 == 1;
        let bits = (0..self.bridges.len()).filter(waits);
        LocalState {
            state,
            effect,
            waiting: bits.map(|bit| self.bridges[bit]).collect(),
        }
    }

    /// Where a rule leads, what waits staying as it is.
    pub(super) fn into(&self, at: usize, rule: &Rule) -> usize {
        let to = (rule.to, rule.effect);
        let found = self.configurations[1..].binary_search(&to);
        // Number 0 is not in order.
        let to = found.map_or(0, |found| found + 1);
        to << self.bridges.len() | self.waiting(at)
    }

    /// The start, what waits staying as it is.
    pub(super) fn restarted(&self, at: usize) -> usize {
        self.waiting(at)
    }

    /// Whether it waits for an effect that must not be interrupted.
    pub(super) fn busy(&self, at: usize) -> bool {
        self.busy[self.configuration(at)]
    }

    /// Whether nothing can be fed to it.
    pub(super) fn quiet(&self, at: usize) -> bool {
        self.waiting(at) == 0 || self.busy(at)
    }

    /// Whether nothing moves it by itself any more, when the same is true of all others.
    pub(super) fn ended(&self, at: usize) -> bool {
        self.waiting(at) == 0 && self.ended[self.configuration(at)]
    }

    pub(super) fn terminal(&self, at: usize) -> bool {
        self.terminal[self.configuration(at)]
    }

    /// Whether the answer to the pending effect may be an event.
    pub(super) fn answers(&self, model: &Model, at: usize, event: usize) -> bool {
        let (_, effect) = self.configurations[self.configuration(at)];
        effect.is_some_and(|effect| {
            let returns = model.effects[effect].returns.as_ref();
            returns.is_none_or(|returns| returns.contains(&event))
        })
    }

    /// Whether an event may come whatever is pending: from outside, or to begin a run.
    pub(super) fn comes(
        &self,
        composed: &Composed,
        component: usize,
        at: usize,
        event: usize,
    ) -> bool {
        let model = &composed.components[component].model;
        let (state, effect) = self.configurations[self.configuration(at)];
        let fresh = state == model.initial && effect.is_none();
        model.events[event].external || fresh && composed.after[component].is_empty()
    }
}
