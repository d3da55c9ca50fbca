//! What one component of a composition can be in.

use crate::contract::Semantics;
use crate::graph::{Composed, Model, PointRow, Rule};

/// What a component is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalState {
    /// Its state.
    pub state: usize,
    /// Whether it waits for the event that begins its run.
    pub fresh: bool,
    /// The effect that it waits for.
    pub effect: Option<usize>,
    /// The bridges, by row, whose event waits for it.
    pub waiting: Vec<usize>,
}

/// A state and the effect that is pending.
type Configuration = (usize, Option<usize>);

/// The numbering of what a component can be in: a configuration (state and pending effect) and,
/// in the low bits, which of its bridges wait. Number 0 is the start; who came back to the initial
/// state of a component that begins by itself has a number of its own.
#[derive(Clone, Debug)]
pub(super) struct Local {
    configurations: Vec<Configuration>,
    start: Configuration,
    /// Whether its runs are begun by an event that comes only at the start.
    begins: bool,
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
        let begins = composed.begins(component);
        let mut configurations: Vec<_> = model.rules.iter().map(|r| (r.to, r.effect)).collect();
        if composed
            .bridges
            .iter()
            .any(|row| row.restarts.contains(&component))
        {
            configurations.push(start);
        }
        configurations.retain(|one| begins || *one != start);
        configurations.sort_unstable();
        configurations.dedup();
        configurations.insert(0, start);
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
            start,
            begins,
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
            fresh: self.fresh(at),
            effect,
            waiting: bits.map(|bit| self.bridges[bit]).collect(),
        }
    }

    /// The numbers of which a point is true: none for an event.
    pub(super) fn standing(&self, model: &Model, point: PointRow) -> Vec<usize> {
        let holds = |at: &usize| {
            let (state, effect) = self.configurations[self.configuration(*at)];
            match point {
                PointRow::State(one) => state == one,
                PointRow::Effect(one) => effect == Some(one),
                PointRow::Semantics(one) => {
                    effect.is_some_and(|effect| model.effects[effect].semantics == one)
                }
                PointRow::Event(_) => false,
            }
        };
        (0..self.len()).filter(holds).collect()
    }

    /// Where a rule leads, what waits staying as it is.
    pub(super) fn into(&self, at: usize, rule: &Rule) -> usize {
        self.place((rule.to, rule.effect)) << self.bridges.len() | self.waiting(at)
    }

    /// Put back to where it starts, what waits staying as it is.
    pub(super) fn restarted(&self, at: usize) -> usize {
        self.place(self.start) << self.bridges.len() | self.waiting(at)
    }

    fn place(&self, one: Configuration) -> usize {
        // Number 0 is not in order.
        let found = self.configurations[1..].binary_search(&one);
        found.map_or(0, |found| found + 1)
    }

    /// Whether it waits for the event that begins its run.
    pub(super) fn fresh(&self, at: usize) -> bool {
        self.begins && self.configuration(at) == 0
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
    pub(super) fn comes(&self, model: &Model, at: usize, event: usize) -> bool {
        model.events[event].external || self.fresh(at)
    }
}
