//! Guards of several machines.

use std::collections::BTreeMap;

use crate::machine::GuardTable;

/// The guards of each component of a composition. Components have guards of their own: two of one
/// name need not be one.
#[derive(Debug, Default)]
pub struct ComposedGuards {
    tables: BTreeMap<String, GuardTable>,
    none: GuardTable,
}

impl ComposedGuards {
    /// No guards.
    pub fn new() -> Self {
        Self::default()
    }

    /// With the guards of one more component; the last of one name counts.
    #[must_use]
    pub fn with(mut self, component: impl Into<String>, guards: GuardTable) -> Self {
        self.tables.insert(component.into(), guards);
        self
    }

    /// The guards of a component.
    pub fn of(&self, component: &str) -> &GuardTable {
        self.tables.get(component).unwrap_or(&self.none)
    }
}
