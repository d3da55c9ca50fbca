//! Guards of several machines.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ComposedSpace;
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

    /// The guards of a composition in generated types.
    pub fn typed<P>(space: P, guards: P::Guards) -> Self
    where
        P: ComposedSpace<Guards: Sized + Send + Sync> + Copy + Send + Sync + 'static,
        P::Guards: 'static,
    {
        let guards = Arc::new(guards);
        let mut all = Self::new();
        for (component, one) in space.composed().components.iter().enumerate() {
            let mut table = GuardTable::default();
            for (row, guard) in one.model.guards.iter().enumerate() {
                let guards = Arc::clone(&guards);
                table = table.with(&guard.name, move |slots, event| {
                    let event = space.event_from(component, event.index, event.values.clone());
                    // What the interpreter is in is of the declared types.
                    event.is_ok_and(|event| {
                        let answer = space.guard(row, slots.to_vec(), &event, &guards);
                        answer.unwrap_or(false)
                    })
                });
            }
            all = all.with(&one.name, table);
        }
        all
    }

    /// The guards of a component.
    pub fn of(&self, component: &str) -> &GuardTable {
        self.tables.get(component).unwrap_or(&self.none)
    }
}
