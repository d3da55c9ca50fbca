//! The contract resolved: names to indices, wildcards to rows, and the algorithms over them.

mod model;

pub use model::{
    ArgSource, Cell, EffectRow, EventRow, GuardRow, Model, Param, Rule, SlotRow, StateRow,
};
