//! The machine: pure, deterministic, total; no IO, no clock, no randomness, no executor.

mod handler;
mod interpreter;
mod looped;
mod named;
#[cfg(feature = "serde")]
pub mod serde;
mod space;
mod table;
mod typed;

pub use crate::contract::{Hash, Json, Semantics, Type, Value, ValueError};
pub use handler::{Dispatch, Fault};
pub use interpreter::{EffectSpace, GuardTable, NameError, StateId, Values};
pub use looped::LoopBack;
pub use named::{EffectCall, NamedEvent, ValueHandler};
pub use space::{DecodeError, Rejection, Space, Step};
pub use table::{EffectEntry, EventEntry, FieldEntry, RuleEntry, SlotEntry, Table};
pub use typed::{Decoder, Typed};

pub(crate) use looped::fed;
