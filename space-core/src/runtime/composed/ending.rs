//! How a composition's run ends.

use super::drive::{Run, Stop};
use super::{ComposedObserver, ComposedRecord, effect_name};
use crate::machine::{Semantics, Space};
use crate::runtime::inbox::Receiver;
use crate::runtime::{Limit, Termination, Usage};

impl<O: ComposedObserver> Run<O> {
    pub(super) fn stopped(&self, stop: Stop, idle: bool) -> Termination {
        let state = self.product.describe(&self.state);
        let effect = self.first_effect(|_| true);
        match stop {
            Stop::Suspend => Termination::Suspended {
                state,
                effect,
                idle,
            },
            Stop::Cancel => Termination::Cancelled { state, effect },
        }
    }

    pub(super) fn limited(&self, limit: Limit) -> Termination {
        Termination::Limit {
            limit,
            state: self.product.describe(&self.state),
            abandoned: self.flying(|semantics| semantics != Semantics::Query),
        }
    }

    pub(super) fn escape(
        &self,
        effect: Option<String>,
        reason: String,
        panicked: bool,
    ) -> Termination {
        Termination::Escape {
            state: self.product.describe(&self.state),
            effect: effect.or_else(|| self.flying(|_| true)),
            reason,
            panicked,
        }
    }

    /// The first effect in flight of such semantics.
    fn flying(&self, such: impl Fn(Semantics) -> bool) -> Option<String> {
        self.slots.iter().enumerate().find_map(|(at, slot)| {
            let (effect, semantics) = slot.started()?;
            such(semantics).then(|| effect_name(&self.product, at, effect.index))
        })
    }

    /// The first effect that is in flight, or waits.
    fn first_effect(&self, such: impl Fn(Semantics) -> bool) -> Option<String> {
        self.flying(such).or_else(|| {
            self.slots.iter().enumerate().find_map(|(at, slot)| {
                let effect = slot.pending.as_ref()?;
                Some(effect_name(&self.product, at, effect.index))
            })
        })
    }

    pub(super) fn usage(&self) -> Usage {
        let usage = self.plan.usage(self.product.space(0).model());
        Usage {
            effects: self.starts.clone(),
            ..usage
        }
    }

    /// Tells the end.
    pub(super) fn finish(&mut self, termination: &Termination) -> Usage {
        let unread = self.inbox.iter().flat_map(Receiver::close);
        let unread: Vec<_> = self.deferred.drain(..).chain(unread).collect();
        for event in &unread {
            self.tell(&ComposedRecord::Unread { event });
        }
        let usage = self.usage();
        tracing::info!(target: "space::run", %termination, %usage, "ended");
        self.tell(&ComposedRecord::Ended {
            termination,
            usage: &usage,
        });
        usage
    }
}
