//! States and events as rows of their tables.

use crate::contract::{Type, Value};
use crate::graph::Param;

/// A state of an interpreted machine: the row of `[[states]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u16);

/// An event or effect of an interpreted machine: its row, and its values in declared order.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// The row of the declaration table.
    pub index: usize,
    /// One value a field.
    pub values: Vec<Value>,
}

impl StateId {
    /// The state of a row. The gates refuse longer tables than it can count.
    pub(crate) fn of(row: usize) -> Self {
        Self(u16::try_from(row).unwrap_or(u16::MAX))
    }
}

/// A payload that is fed from slots. An empty slot gives none, and the empty text where the field
/// must have one.
pub(crate) fn fed<'v>(fields: &[Param], slots: impl Iterator<Item = &'v Value>) -> Vec<Value> {
    let value = |(field, value): (&Param, &Value)| match value {
        Value::None if field.ty == Type::Text => Value::Text(String::new()),
        value => value.clone(),
    };
    fields.iter().zip(slots).map(value).collect()
}
