//! What a composition's run steps, and in which order.

use std::sync::Arc;

use super::drive::{Run, Turn};
use super::{Cause, ComposedObserver, ComposedRecord};
use crate::compose::{FeedStep, LoopLimit, ProductStep, Tagged};
use crate::machine::{Semantics, Space};
use crate::runtime::{Limit, Termination};

impl<O: ComposedObserver> Run<O> {
    /// Feeds what can be fed, and steps outcomes that waited, until there is neither.
    pub(super) fn settle(&mut self) -> Turn {
        loop {
            let due = self.product.due(&self.state, |at| self.is_busy(at));
            if let Some(bridge) = due {
                // A run that has reached its end is let finish.
                let counts = !self.product.is_last(&self.state, bridge);
                if counts {
                    self.has_rounds()?;
                }
                self.feed(bridge, counts)?;
                continue;
            }
            let free = (0..self.slots.len()).find(|at| {
                let parked = self.slots[*at].parked.as_ref();
                parked.is_some_and(|one| !self.must_wait(&one.event, Some(*at)))
            });
            let Some(parked) = free.and_then(|at| self.slots[at].parked.take()) else {
                return Ok(());
            };
            self.has_rounds()?;
            self.needed(parked.event, &parked.cause)?;
        }
    }

    /// Whether a component has, or is about to have, something in flight that must not be dropped.
    pub(super) fn is_busy(&self, component: usize) -> bool {
        let slot = &self.slots[component];
        let model = self.product.space(component).model();
        let pending = slot
            .pending
            .as_ref()
            .map(|effect| model.effects[effect.index].semantics);
        let droppable = |kind| matches!(kind, Semantics::Query | Semantics::Stop);
        slot.started().is_some_and(|(_, kind)| !droppable(kind))
            || pending.is_some_and(|kind| !droppable(kind))
    }

    /// Whether an event has to wait for what another of its participants is doing. One whose own
    /// outcome is the same sync event is ready for it; one that has not started what it is asked to
    /// do can still be interrupted from outside.
    fn must_wait(&self, event: &Tagged, origin: Option<usize>) -> bool {
        let parts = self.product.participants(&self.state, event);
        parts
            .iter()
            .filter(|(at, _)| Some(*at) != origin)
            .any(|(at, row)| {
                let slot = &self.slots[*at];
                let agrees = slot
                    .parked
                    .as_ref()
                    .is_some_and(|one| one.event.event.index == *row);
                let started = slot
                    .started()
                    .is_some_and(|(_, kind)| kind != Semantics::Query);
                !agrees
                    && if origin.is_some() {
                        self.is_busy(*at)
                    } else {
                        started
                    }
            })
    }

    /// The first external event that nothing keeps waiting: neither what is in flight, nor an
    /// earlier one that would move the same component.
    pub(super) fn ready_external(&mut self) -> Option<Tagged> {
        let mut blocked = vec![false; self.slots.len()];
        for at in 0..self.deferred.len() {
            let event = &self.deferred[at];
            let parts = self.product.participants(&self.state, event);
            let waits = parts.iter().any(|(at, _)| blocked[*at]) || self.must_wait(event, None);
            if !waits {
                return self.deferred.remove(at);
            }
            for (at, _) in parts {
                blocked[at] = true;
            }
        }
        None
    }

    pub(super) fn external(&mut self, event: Tagged) {
        self.tell(&ComposedRecord::Event {
            cause: &Cause::External,
            event: &event,
        });
        self.plan.rounds += 1;
        let product = Arc::clone(&self.product);
        let step = product.step(&mut self.state, event, &self.guards);
        self.stepped(&step, &[]);
    }

    /// Steps an event that the run cannot go on without.
    pub(super) fn needed(&mut self, event: Tagged, cause: &Cause) -> Turn {
        self.tell(&ComposedRecord::Event {
            cause,
            event: &event,
        });
        self.plan.rounds += 1;
        let product = Arc::clone(&self.product);
        let step = product.step(&mut self.state, event, &self.guards);
        self.stepped(&step, &[]);
        let ProductStep::Rejected { event, by, reason } = step else {
            return Ok(());
        };
        let component = &product.composed().components[event.component];
        Err(Box::new(Termination::Rejected {
            event: format!(
                "{}.{}",
                component.name, component.model.events[event.event.index].name
            ),
            state: product.describe(&self.state),
            reason: format!(
                "{}: {}",
                product.composed().components[by].name,
                reason.describe(product.space(by).model())
            ),
        }))
    }

    fn feed(&mut self, bridge: usize, counts: bool) -> Turn {
        let product = Arc::clone(&self.product);
        let elapsed = self.plan.elapsed();
        let row = &product.composed().bridges[bridge];
        let exhausted = product.exhausted(&self.state, bridge, elapsed);
        let waiting = self.state.waiting.iter().find(|fed| fed.bridge == bridge);
        if let Some(fed) = waiting.filter(|_| exhausted.is_none()) {
            let event = Tagged {
                component: row.to,
                event: fed.event.clone(),
            };
            let cause = match row.feedback {
                Some(at) => Cause::LoopBack {
                    bridge,
                    round: self.state.rounds[at] + 1,
                },
                None => Cause::Fed { bridge },
            };
            self.tell(&ComposedRecord::Event {
                cause: &cause,
                event: &event,
            });
        }
        match product.feed(&mut self.state, bridge, elapsed, &self.guards) {
            FeedStep::Stepped {
                restarted, step, ..
            } => {
                self.plan.rounds += u64::from(counts);
                self.stepped(&step, &restarted);
                Ok(())
            }
            FeedStep::Exhausted(exhausted) => {
                self.tell(&ComposedRecord::Exhausted(&exhausted));
                Err(Box::new(Termination::FeedbackExhausted {
                    feedback: exhausted.feedback,
                    rounds: exhausted.rounds.into(),
                    limit: match exhausted.limit {
                        LoopLimit::Rounds { used, allowed } => Limit::Rounds {
                            used: used.into(),
                            allowed: allowed.into(),
                        },
                        LoopLimit::Time { used, allowed } => Limit::Clock { used, allowed },
                    },
                }))
            }
        }
    }

    /// Tells a step, and puts what it asks for in the place of what was asked for before.
    fn stepped(&mut self, step: &ProductStep, restarted: &[usize]) {
        match step {
            ProductStep::Handled(moved) => {
                self.tell(&ComposedRecord::Stepped { moved, restarted });
                tracing::debug!(target: "space::round", round = self.plan.rounds, "handled");
                for component in restarted {
                    self.supersede(*component);
                }
                for one in moved {
                    let slot = &mut self.slots[one.component];
                    // An outcome that is the same sync event has taken part, and is not lost.
                    slot.parked
                        .take_if(|parked| parked.event.event.index == one.event);
                    self.supersede(one.component);
                    self.slots[one.component].pending.clone_from(&one.effect);
                }
            }
            ProductStep::Ignored { event, by } => {
                self.tell(&ComposedRecord::Ignored { event, by: *by });
            }
            ProductStep::Rejected { event, by, reason } => {
                self.tell(&ComposedRecord::Rejected {
                    event,
                    by: *by,
                    reason: *reason,
                });
            }
        }
    }

    fn supersede(&mut self, component: usize) {
        if let Some((effect, sequence)) = self.slots[component].clear() {
            self.tell(&ComposedRecord::Superseded {
                component,
                effect: &effect,
                sequence,
            });
        }
    }

    fn has_rounds(&self) -> Turn {
        if self.plan.are_rounds_used_up() {
            return Err(self.limited(self.plan.rounds_limit()).into());
        }
        Ok(())
    }
}
