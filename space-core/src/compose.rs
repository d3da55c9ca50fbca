//! Spaces put together: parallel, series, feedback.
//!
//! [`ComposedSpace`] is a composition of generated machines, `Product` one straight from contracts.
//! Both are pure, like the machines that they are made of, and held equal by generated tests.
//! Running the effects of several machines at once is the runtime's.

mod limit;
mod state;
mod typed;

#[cfg(feature = "interpreter")]
mod feed;
#[cfg(feature = "interpreter")]
mod guards;
#[cfg(feature = "interpreter")]
mod product;

pub use crate::graph::Composed;
pub use limit::{Exhausted, LoopLimit};
pub use state::{Fed, FeedStep, Moved, ProductState, ProductStep, Tagged};
pub use typed::{ComposedSpace, ComposedState};

#[cfg(feature = "interpreter")]
pub use {guards::ComposedGuards, product::Product};
