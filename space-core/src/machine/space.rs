//! The trait of every machine, generated or interpreted.

use std::fmt;

use crate::contract::{Value, ValueError};
use crate::graph::{LoopRow, Model};

/// A pure Mealy machine with a context: `State × Event → State × Effect`.
///
/// Every method is deterministic and total. Indices are rows of the contract's tables, in file
/// order; they and [`Value`]s are how tools that know no type of the space speak of it.
pub trait Space {
    /// A state; small and copied.
    type State: Copy + Eq + fmt::Debug + Send + Sync + 'static;
    /// An event with its payload.
    type Event: Clone + PartialEq + fmt::Debug + Send + Sync + 'static;
    /// An effect with its arguments.
    type Effect: Clone + PartialEq + fmt::Debug + Send + Sync + 'static;
    /// The context slots.
    type Ctx: Clone + PartialEq + fmt::Debug + Send + Sync + 'static;
    /// The guards' implementation, usually a `dyn` trait.
    type Guards: ?Sized;

    /// The contract, resolved.
    fn model(&self) -> &Model;

    /// Where runs start.
    fn initial(&self) -> Self::State;

    /// The context that runs start with.
    fn context(&self) -> Self::Ctx;

    /// One step. The context changes only when the event is handled.
    fn step(
        &self,
        state: Self::State,
        ctx: &mut Self::Ctx,
        event: Self::Event,
        guards: &Self::Guards,
    ) -> Step<Self::State, Self::Event, Self::Effect>;

    /// Guards that rules name and `guards` does not implement. Generated code cannot lack one.
    fn missing_guards(&self, guards: &Self::Guards) -> Vec<String> {
        let _ = guards;
        Vec::new()
    }

    /// The row of a state.
    fn state_index(&self, state: Self::State) -> usize;

    /// The state of a row.
    fn state_at(&self, index: usize) -> Option<Self::State>;

    /// The row of an event.
    fn event_index(&self, event: &Self::Event) -> usize;

    /// The payload, in the order of its declaration.
    fn event_values(&self, event: &Self::Event) -> Vec<Value>;

    /// The event of a row and a payload.
    ///
    /// # Errors
    /// When there is no such row, or the values are not of the declared number and types.
    fn event_from(&self, index: usize, values: Vec<Value>) -> Result<Self::Event, DecodeError>;

    /// The row of an effect.
    fn effect_index(&self, effect: &Self::Effect) -> usize;

    /// The arguments, in the order of their declaration.
    fn effect_values(&self, effect: &Self::Effect) -> Vec<Value>;

    /// The effect of a row and its arguments.
    ///
    /// # Errors
    /// As [`Space::event_from`].
    fn effect_from(&self, index: usize, values: Vec<Value>) -> Result<Self::Effect, DecodeError>;

    /// The slots, in the order of their declaration; [`Value::None`] is an empty one.
    fn ctx_values(&self, ctx: &Self::Ctx) -> Vec<Value>;

    /// The context of these slots.
    ///
    /// # Errors
    /// As [`Space::event_from`].
    fn ctx_from(&self, values: Vec<Value>) -> Result<Self::Ctx, DecodeError>;

    /// The loops around this space alone. Those of compositions are the compositions'.
    fn loops(&self) -> &[LoopRow] {
        &[]
    }

    /// What is fed back when a state has just been entered: the run then goes on with it, even
    /// from a terminal state.
    fn loop_back(
        &self,
        state: Self::State,
        ctx: &Self::Ctx,
    ) -> Option<LoopBack<Self::State, Self::Event>> {
        let _ = (state, ctx);
        None
    }

    /// The event that a failure of this effect's handler becomes, when the contract names one.
    fn sentinel(&self, effect: &Self::Effect, error: String) -> Option<Self::Event>;
}

/// What a step came to. There is no fourth outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a step that is not looked at may have been rejected"]
pub enum Step<S, V, E> {
    /// A rule answered the event.
    Handled {
        /// The next state.
        state: S,
        /// What the rule asks of the world.
        effect: Option<E>,
    },
    /// The contract deliberately ignores the event here. Nothing changed.
    Ignored {
        /// The event, handed back.
        event: V,
    },
    /// Nothing answers the event here. Nothing changed.
    Rejected {
        /// The event, handed back.
        event: V,
        /// Why.
        reason: Rejection,
    },
}

impl<S, V, E> Step<S, V, E> {
    /// A rule answered the event.
    #[inline]
    pub const fn handled(state: S, effect: Option<E>) -> Self {
        Self::Handled { state, effect }
    }

    /// The contract deliberately ignores the event.
    #[inline]
    pub const fn ignored(event: V) -> Self {
        Self::Ignored { event }
    }

    /// No rule answers the event.
    #[inline]
    pub const fn no_rule(event: V) -> Self {
        Self::rejected(event, Rejection::NoRule)
    }

    /// The rule's guard refused.
    #[inline]
    pub const fn refused(event: V, guard: u16) -> Self {
        Self::rejected(event, Rejection::GuardRefused { guard })
    }

    /// The rule reads a slot that is empty.
    #[inline]
    pub const fn empty_slot(event: V, slot: u16) -> Self {
        Self::rejected(event, Rejection::EmptySlot { slot })
    }

    #[inline]
    const fn rejected(event: V, reason: Rejection) -> Self {
        Self::Rejected { event, reason }
    }
}

/// Why a step was rejected. Indices are rows of the contract's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rejection {
    /// The state has no rule for the event.
    NoRule,
    /// The rule's guard refused.
    GuardRefused {
        /// The guard.
        guard: u16,
    },
    /// The rule reads a slot that is empty.
    EmptySlot {
        /// The slot.
        slot: u16,
    },
}

impl Rejection {
    /// The reason in words, with names from the contract.
    pub fn describe(self, model: &Model) -> String {
        let name = |name: Option<&String>| name.map_or("?", String::as_str).to_owned();
        match self {
            Self::NoRule => "no rule".to_owned(),
            Self::GuardRefused { guard } => {
                let row = model.guards.get(usize::from(guard));
                format!("guard `{}` refused", name(row.map(|row| &row.name)))
            }
            Self::EmptySlot { slot } => {
                let row = model.slots.get(usize::from(slot));
                format!("slot `{}` is empty", name(row.map(|row| &row.name)))
            }
        }
    }
}

/// Values that are no event, effect or context of a space.
#[derive(Clone, Debug, PartialEq)]
pub enum DecodeError {
    /// The table has no such row.
    NoRow {
        /// What was asked for.
        index: usize,
    },
    /// The number of values differs from the declaration.
    Count {
        /// How many are declared.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A value is not of its declared type.
    Type {
        /// Which field, from 0.
        field: usize,
        /// What is wrong with it.
        error: ValueError,
    },
}

impl DecodeError {
    /// A value that is not of its declared type.
    pub fn wrong(field: usize, expected: &crate::contract::Type, found: &Value) -> Self {
        Self::Type {
            field,
            error: ValueError {
                expected: expected.clone(),
                found: found.to_string(),
            },
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRow { index } => write!(f, "there is no row {index}"),
            Self::Count { expected, found } => {
                write!(f, "expected {expected} values, found {found}")
            }
            Self::Type { field, error } => write!(f, "value {field}: {error}"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// An event that a loop feeds back into its space.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopBack<S, V> {
    /// The loop, by row of [`Space::loops`](Space::loops).
    pub feedback: usize,
    /// The state that it is stepped from.
    pub from: S,
    /// The event.
    pub event: V,
}
