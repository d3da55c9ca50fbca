//! The machine: pure, deterministic, total; no IO, no clock, no randomness, no executor.

mod handler;
mod rows;
mod space;
mod table;
mod typed;

#[cfg(feature = "interpreter")]
mod interpreter;
#[cfg(feature = "interpreter")]
mod looped;
#[cfg(feature = "interpreter")]
mod named;
#[cfg(feature = "serde")]
pub mod serde;

pub use crate::contract::{Hash, Json, Semantics, Type, Value, ValueError};
pub use handler::{Dispatch, Fault};
pub use rows::{StateId, Values};
pub use space::{DecodeError, LoopBack, Rejection, Space, Step};
pub use table::{EffectEntry, EventEntry, FieldEntry, RuleEntry, SlotEntry, Table};
pub use typed::{Decoder, Typed};

#[cfg(feature = "interpreter")]
pub use {
    interpreter::{EffectSpace, GuardTable, NameError},
    named::{EffectCall, NamedEvent, ValueHandler},
};

pub(crate) use rows::fed;
