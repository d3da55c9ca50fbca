//! The contract as plain data: what the two TOML files say, with the place of every word.
//!
//! Names are not resolved here. A value of this module may be wrong in every way that
//! [`crate::gates`] can name; [`crate::graph::Model`] is the resolved form that passed them.

mod hash;
mod span;
mod types;
mod value;

#[cfg(feature = "gates")]
mod base;
#[cfg(feature = "gates")]
mod composition;
#[cfg(feature = "gates")]
mod domain;
#[cfg(feature = "gates")]
mod names;
#[cfg(feature = "gates")]
mod normal;
#[cfg(feature = "gates")]
mod normal_composition;
#[cfg(feature = "gates")]
mod point;
#[cfg(feature = "runtime")]
mod serde_json;

pub use hash::Hash;
pub use span::{FileId, Source, Sources, Span, Spanned};
pub use types::{Semantics, Type};
pub use value::{Json, Value, ValueError};

#[cfg(feature = "runtime")]
pub use self::serde_json::NumberError;
#[cfg(feature = "gates")]
pub use {
    base::{Base, Effect, Event, Field, Guard, Meta, Slot, State},
    composition::{
        Bridge, ComposedInvariant, Compositions, Feedback, FieldSlot, Hold, Parallel, Series,
        qualified,
    },
    domain::{
        Domain, FromStates, GuardUse, Ignored, Invariant, Pattern, Points, SlotArg, SlotAssign,
        Transition,
    },
    names::{
        is_camel, is_keyword, is_snake, lower_snake, respelt_camel, respelt_snake, upper_camel,
    },
    normal::{compositions_hash, contract_hash, normalise},
    normal_composition::normalise_compositions,
    point::{Point, PointKind},
};
