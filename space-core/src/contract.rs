//! The contract as plain data: what the two TOML files say, with the place of every word.
//!
//! Names are not resolved here. A value of this module may be wrong in every way that
//! [`crate::gates`] can name; [`crate::graph::Model`] is the resolved form that passed them.

mod base;
mod composition;
mod domain;
mod hash;
mod names;
mod normal;
mod normal_composition;
mod point;
#[cfg(feature = "runtime")]
mod serde_json;
mod span;
mod types;
mod value;

#[cfg(feature = "runtime")]
pub use self::serde_json::NumberError;
pub use base::{Base, Effect, Event, Field, Guard, Meta, Slot, State};
pub use composition::{
    Bridge, ComposedInvariant, Compositions, Feedback, FieldSlot, Hold, Parallel, Series, qualified,
};
pub use domain::{
    Domain, FromStates, GuardUse, Ignored, Invariant, Pattern, Points, SlotArg, SlotAssign,
    Transition,
};
pub use hash::{Hash, compositions_hash, contract_hash};
pub use names::{
    is_camel, is_keyword, is_snake, lower_snake, respelt_camel, respelt_snake, upper_camel,
};
pub use normal::normalise;
pub use normal_composition::normalise_compositions;
pub use point::{Point, PointKind};
pub use span::{FileId, Source, Sources, Span, Spanned};
pub use types::{Semantics, Type};
pub use value::{Json, Value, ValueError};
