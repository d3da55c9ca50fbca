//! The contract resolved: names to indices, wildcards to rows, and the algorithms over them.
//!
//! All algorithms are linear, and none recurses on the depth of its input.

mod assign;
mod composition;
mod cycle;
mod digraph;
mod model;
mod names;
mod reach;
mod rules;
mod scc;

pub use composition::{
    BridgeRow, Component, Composed, HoldRow, LoopRow, PointRow, SyncRow, landing,
};
pub use cycle::cycle;
pub use digraph::Digraph;
pub use model::{
    ArgSource, Cell, EffectRow, EventRow, GuardRow, Model, Param, Rule, SlotRow, StateRow,
};
pub use reach::{reachable, shortest};
pub use scc::{Components, components};

pub(crate) use assign::empty_reads;
pub(crate) use cycle::cycle_in;
pub(crate) use rules::{Edge, Row, Rules, Use};
