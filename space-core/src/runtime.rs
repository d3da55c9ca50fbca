//! The runner: where effects happen.
//!
//! The machine says what happens next, a handler does it, and the runner is the loop between the
//! two: one layer, one effect in flight, answered with exactly one event. It bounds the loop
//! ([`Limits`]), shields it from handlers that fail or hang ([`Policy`]), lets the outside in
//! ([`Handle`]), tells everything it does ([`Observer`]) and says how the run ended
//! ([`Termination`]).

mod alarm;
mod composed;
mod flight;
mod inbox;
mod limits;
mod log;
mod observer;
mod plan;
mod policy;
mod race;
mod record;
mod refusal;
mod run;
mod runner;
mod termination;

pub use crate::machine::Fault;
pub use composed::{
    Cause, ComposedFinished, ComposedHandle, ComposedLog, ComposedObserver, ComposedRecord,
    ComposedRunner,
};
pub use inbox::{Handle, SendError};
pub use limits::{Limits, Meter, Usage};
pub use log::{Entry, Log, Named};
pub use observer::Observer;
pub use policy::{Backoff, EffectPolicy, Policy};
pub use record::{Record, Source};
pub use refusal::{Refusal, Refused};
pub use runner::{Finished, Runner};
pub use termination::{Limit, Termination};
