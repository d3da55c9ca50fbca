//! Spaces put together, straight from their contracts: parallel, series, feedback.
//!
//! The interpreter form of a composition: pure, like the machines that it is made of. Running the
//! effects of several machines at once is the runtime's.

mod feed;
mod guards;
mod product;
mod state;

pub use crate::graph::Composed;
pub use guards::ComposedGuards;
pub use product::Product;
pub use state::{Exhausted, Fed, FeedStep, LoopLimit, Moved, ProductState, ProductStep, Tagged};
