//! Loops around one interpreted space.

use std::sync::Arc;

use super::{LoopBack, Values, fed};
use crate::contract::{Base, Compositions, Feedback, Value};
use crate::diagnostic::Diagnostic;
use crate::gates::{Declared, Triggers, check_compositions};
use crate::graph::{Composed, LoopRow, Model, PointRow};

/// The loops of a space, resolved: a composition of it alone.
#[derive(Clone, Debug)]
pub(super) struct Looped {
    composed: Arc<Composed>,
}

impl Looped {
    /// The loops of a space, what they add to its own gates, and all that the gates of group S04
    /// find. None when there is nothing to resolve.
    pub(super) fn of(
        base: &Base,
        model: Option<&Model>,
        feedbacks: &[Feedback],
    ) -> (Option<Self>, Triggers, Vec<Diagnostic>) {
        let compositions = Compositions {
            feedback: feedbacks.to_vec(),
            ..Compositions::default()
        };
        let declared = Declared {
            name: &base.meta.name.value,
            span: base.span(),
            model: model.cloned().map(Arc::new),
        };
        let mut found = check_compositions(&compositions, &[declared]);
        let triggers = found.triggers.remove(&base.meta.name.value);
        let mut all: Option<Composed> = None;
        for one in found.composed {
            let Some(all) = &mut all else {
                all = Some(one);
                continue;
            };
            let loops = all.loops.len();
            all.loops.extend(one.loops);
            all.bridges.extend(one.bridges.into_iter().map(|mut row| {
                row.feedback = row.feedback.map(|at| at + loops);
                row
            }));
        }
        let looped = all.map(|composed| Self {
            composed: Arc::new(composed),
        });
        (looped, triggers.unwrap_or_default(), found.diagnostics)
    }

    pub(super) fn loops(&self) -> &[LoopRow] {
        &self.composed.loops
    }

    /// What the first loop that a state triggers feeds back, in file order, the state having been
    /// entered.
    pub(super) fn back(&self, state: usize, ctx: &[Value]) -> Option<LoopBack<usize, Values>> {
        let mut rows = self.composed.bridges.iter().enumerate();
        let (bridge, row) = rows.find(|(_, row)| row.points.contains(&PointRow::State(state)))?;
        let model = &self.composed.components[0].model;
        let values = row.payload.iter().map(|(_, slot)| &ctx[*slot]);
        Some(LoopBack {
            feedback: row.feedback?,
            from: self.composed.landing(bridge, state),
            event: Values {
                index: row.event,
                values: fed(&model.events[row.event].payload, values),
            },
        })
    }
}
