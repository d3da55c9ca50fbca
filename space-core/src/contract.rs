//! The contract as plain data: what the two TOML files say, with the place of every word.
//!
//! Names are not resolved here. A value of this module may be wrong in every way that
//! [`crate::gates`] can name; [`crate::graph::Model`] is the resolved form that passed them.

mod base;
mod domain;
mod hash;
mod names;
mod normal;
mod point;
mod span;
mod types;
mod value;

pub use base::{Base, Effect, Event, Field, Guard, Meta, Slot, State};
pub use domain::{
    Domain, FromStates, GuardUse, Ignored, Invariant, Pattern, Points, SlotArg, SlotAssign,
    Transition,
};
pub use hash::{Hash, contract_hash};
pub use names::{is_keyword, lower_snake, upper_camel};
pub use normal::normalise;
pub use point::{Point, PointKind};
pub use span::{FileId, Source, Sources, Span, Spanned};
pub use types::{Semantics, Type};
pub use value::{Json, Value, ValueError};
