//! A composition resolved: what the gates of compositions let through.

use std::sync::Arc;

use super::{Model, Rule};
#[cfg(feature = "gates")]
use crate::contract::{Point, PointKind};
use crate::contract::{Semantics, Span};

/// A composition with every name resolved to an index, and every composition that it names taken
/// apart into spaces.
///
/// Its states are tuples of its components' states. Only those that are reached are ever made.
#[derive(Clone, Debug, PartialEq)]
pub struct Composed {
    /// The composition's name, `lower_snake`.
    pub name: String,
    /// What it is for.
    pub doc: Option<String>,
    /// The spaces, in the order in which they are named.
    pub components: Vec<Component>,
    /// Events that move several components at once.
    pub syncs: Vec<SyncRow>,
    /// What is fed from one component into another, loops included; in file order, those of named
    /// compositions first.
    pub bridges: Vec<BridgeRow>,
    /// Loops.
    pub loops: Vec<LoopRow>,
    /// What keeps effects from starting.
    pub holds: Vec<HoldRow>,
    /// For each component those that run before it in a series: while it has not started, it is at
    /// its end when they are.
    pub after: Vec<Vec<usize>>,
}

/// A component of a composition.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The space's name, unique in the composition.
    pub name: String,
    /// The space.
    pub model: Arc<Model>,
}

/// An event that moves several components at once, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncRow {
    /// Its name.
    pub name: String,
    /// Components and their rows of the event, by component; at least two. A component that has
    /// reached its end no longer takes part.
    pub parts: Vec<(usize, usize)>,
    /// Where it is named.
    pub span: Span,
}

/// A point of one component, and the event that a component is fed for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BridgeRow {
    /// The component that reaches a point.
    pub from: usize,
    /// The points, any of them.
    pub points: Vec<PointRow>,
    /// The component that is fed.
    pub to: usize,
    /// The event.
    pub event: usize,
    /// Component and slot that each payload field is read from, in the order of the payload.
    pub payload: Vec<(usize, usize)>,
    /// The loop that it is a `LoopBack` of.
    pub feedback: Option<usize>,
    /// Components that start anew with a `LoopBack`, when they are at their end or at the point:
    /// those that a series feeds from the one that is looped back to.
    pub restarts: Vec<usize>,
    /// Where it is written.
    pub span: Span,
}

/// A point of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointRow {
    /// A state is entered.
    State(usize),
    /// An event is handled.
    Event(usize),
    /// An effect is asked for.
    Effect(usize),
    /// An effect of these semantics is asked for.
    Semantics(Semantics),
}

#[cfg(feature = "gates")]
impl PointRow {
    /// The row of a point's name in a model; which space the point names is not looked at.
    pub fn of(model: &Model, point: &Point) -> Option<Self> {
        match point.kind {
            PointKind::State => model.state(&point.name).map(Self::State),
            PointKind::Event => model.event(&point.name).map(Self::Event),
            PointKind::Effect => model.effect(&point.name).map(Self::Effect),
            PointKind::Semantics => Semantics::parse(&point.name).map(Self::Semantics),
        }
    }
}

/// A loop and its limits, 0 being none; not both are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopRow {
    /// Its name.
    pub name: String,
    /// How often it may be gone through.
    pub max_rounds: u32,
    /// How many milliseconds after the start of the run it may be gone through.
    pub timeout_ms: u32,
}

/// While a component is in a state, another's next effect does not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldRow {
    /// The component whose state it is.
    pub by: usize,
    /// The state.
    pub state: usize,
    /// The component whose effects wait.
    pub held: usize,
}

impl Composed {
    /// Index of a component.
    pub fn component(&self, name: &str) -> Option<usize> {
        self.components.iter().position(|one| one.name == name)
    }

    /// The sync that a component's event is part of.
    pub fn sync_of(&self, component: usize, event: usize) -> Option<&SyncRow> {
        let part = (component, event);
        self.syncs.iter().find(|row| row.parts.contains(&part))
    }

    /// Whether runs of a component end in a state.
    pub fn is_terminal(&self, component: usize, state: usize) -> bool {
        self.components[component].model.states[state].terminal
    }

    /// The bridges, by row, whose point a component's rule reaches.
    pub fn reached<'a>(
        &'a self,
        component: usize,
        rule: &'a Rule,
    ) -> impl Iterator<Item = usize> + 'a {
        let model = &self.components[component].model;
        let holds = move |point: &PointRow| match *point {
            PointRow::State(state) => rule.to == state,
            PointRow::Event(event) => rule.on == event,
            PointRow::Effect(effect) => rule.effect == Some(effect),
            PointRow::Semantics(semantics) => rule
                .effect
                .is_some_and(|effect| model.effects[effect].semantics == semantics),
        };
        let rows = self.bridges.iter().enumerate();
        rows.filter(move |(_, row)| row.from == component && row.points.iter().any(holds))
            .map(|(at, _)| at)
    }

    /// The state from which a bridge's event is stepped, when its component is in `state`.
    ///
    /// A `LoopBack` into the component that reached the point, or into one at its end, lands in the
    /// source state of the first rule that accepts the event, in file order; in the initial state
    /// when none does. Everything else is an event like any other, stepped where the component is.
    pub fn landing(&self, bridge: usize, state: usize) -> usize {
        let row = &self.bridges[bridge];
        let lands = row.from == row.to || self.is_terminal(row.to, state);
        if row.feedback.is_none() || !lands {
            return state;
        }
        landing(&self.components[row.to].model, row.event)
    }

    /// Whether a component starts anew with a `LoopBack`, being in `state`.
    pub fn restarts(&self, bridge: usize, component: usize, state: usize) -> bool {
        let row = &self.bridges[bridge];
        let at_point = row.from == component && row.points.contains(&PointRow::State(state));
        row.restarts.contains(&component) && (at_point || self.is_terminal(component, state))
    }

    /// Whether a component waits at the start for an event that comes only then: one that nothing asks for
    /// and that is not external. Who is started by another waits for it.
    pub fn begins(&self, component: usize) -> bool {
        let model = &self.components[component].model;
        let mut first = model.rules_of(model.initial).iter();
        self.after[component].is_empty() && first.any(|rule| !model.events[rule.on].external)
    }

    /// Whether nothing moves any more by itself: each component is at its end, or was never started
    /// and those that would have started it are. `idle` says of a component that it has neither an
    /// effect nor an event waiting.
    pub fn is_complete(&self, states: &[usize], idle: impl Fn(usize) -> bool) -> bool {
        // In the order of components, which is that of a series: who is waited for comes first, and
        // has been found at its end when one that waits is looked at.
        states.iter().enumerate().all(|(at, state)| {
            let unstarted =
                || *state == self.components[at].model.initial && !self.after[at].is_empty();
            idle(at) && (self.is_terminal(at, *state) || unstarted())
        })
    }

    /// A product state in words.
    pub fn describe(&self, states: &[usize]) -> String {
        let parts = self.components.iter().zip(states);
        let parts =
            parts.map(|(one, state)| format!("{}.{}", one.name, one.model.states[*state].name));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// The source state of the first rule that accepts an event, in file order; the initial state when
/// none does.
pub fn landing(model: &Model, event: usize) -> usize {
    let accepts = model.rules.iter().filter(|rule| rule.on == event);
    let first = accepts.min_by_key(|rule| (rule.row, rule.from));
    first.map_or(model.initial, |rule| rule.from)
}
