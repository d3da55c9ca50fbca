//! What a composition is in, and what its steps come to.

use super::Exhausted;
use crate::contract::Value;
use crate::machine::{Rejection, StateId, Values};

/// Everything that a composition is in: its machines' states and slots, the events that wait to be
/// fed, and how often each loop was gone through.
#[derive(Clone, Debug, PartialEq)]
pub struct ProductState {
    /// The state of each component.
    pub states: Vec<StateId>,
    /// The slots of each component.
    pub ctx: Vec<Vec<Value>>,
    /// Events that wait, by bridge; of each bridge at most one, the newest.
    pub waiting: Vec<Fed>,
    /// How often each loop was gone through.
    pub rounds: Vec<u32>,
}

/// An event of one component.
#[derive(Clone, Debug, PartialEq)]
pub struct Tagged {
    /// The component.
    pub component: usize,
    /// Its event.
    pub event: Values,
}

/// An event that a bridge feeds, its payload as the slots were when the point was reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Fed<V = Values> {
    /// The bridge, by row.
    pub bridge: usize,
    /// The event, of the bridge's target.
    pub event: V,
}

/// What one component did.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved<F = Values> {
    /// Which.
    pub component: usize,
    /// Where it was; of a `LoopBack` where it landed.
    pub from: StateId,
    /// The event that it handled, by row.
    pub event: usize,
    /// Where it is.
    pub to: StateId,
    /// What it asks of the world, in the place of anything that it asked for before.
    pub effect: Option<F>,
}

/// What a step of a composition came to.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a step that is not looked at may have been rejected"]
pub enum ProductStep<V = Tagged, F = Values> {
    /// These components moved: one, or for a sync event all that take part.
    Handled(Vec<Moved<F>>),
    /// A component deliberately ignores the event. Nothing changed.
    Ignored {
        /// The event, handed back.
        event: V,
        /// Who ignores it.
        by: usize,
    },
    /// A component does not take the event. Nothing changed.
    Rejected {
        /// The event, handed back.
        event: V,
        /// Who does not take it.
        by: usize,
        /// Why.
        reason: Rejection,
    },
}

/// What feeding an event that waited came to.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a loop may be used up"]
pub enum FeedStep<V = Tagged, F = Values> {
    /// It was stepped; it no longer waits.
    Stepped {
        /// The bridge, by row.
        bridge: usize,
        /// Which round of its loop this is, when it was handled.
        round: Option<u32>,
        /// Components that were put back to their initial states, their slots as they are. Nothing
        /// that they asked for before counts.
        restarted: Vec<usize>,
        /// What it came to.
        step: ProductStep<V, F>,
    },
    /// It was not stepped: its loop is used up. The run is over.
    Exhausted(Exhausted),
}
