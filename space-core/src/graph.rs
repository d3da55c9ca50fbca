//! The contract resolved: names to indices, wildcards to rows, and the algorithms over them.
//!
//! All algorithms are linear, and none recurses on the depth of its input.

mod composition;
mod model;

#[cfg(feature = "gates")]
mod assign;
#[cfg(feature = "gates")]
mod cycle;
#[cfg(feature = "gates")]
mod digraph;
#[cfg(feature = "gates")]
mod names;
#[cfg(feature = "gates")]
mod reach;
#[cfg(feature = "gates")]
mod resolve;
#[cfg(feature = "gates")]
mod rules;
#[cfg(feature = "gates")]
mod scc;

pub use composition::{
    BridgeRow, Component, Composed, HoldRow, LoopRow, PointRow, SyncRow, landing,
};
pub use model::{
    ArgSource, Cell, EffectRow, EventRow, GuardRow, Model, Param, Rule, SlotRow, StateRow,
};

#[cfg(feature = "gates")]
pub use {
    cycle::cycle,
    digraph::Digraph,
    reach::{reachable, shortest},
    scc::{Components, components},
};

#[cfg(feature = "gates")]
pub(crate) use {
    assign::empty_reads,
    cycle::cycle_in,
    rules::{Edge, Row, Rules, Use},
};
