//! The loop of a composition's run.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::flight::{Flight, Landed, Parked, Slot};
use super::{Cause, ComposedObserver, ComposedRecord, effect_name, space_of};
use crate::compose::{
    ComposedGuards, FeedStep, LoopLimit, Product, ProductState, ProductStep, Tagged,
};
use crate::machine::{Fault, Semantics, Space, Values};
use crate::runtime::alarm::Alarm;
use crate::runtime::inbox::{Message, Receiver};
use crate::runtime::plan::Plan;
use crate::runtime::race::yield_now_and_then;
use crate::runtime::{Limit, Limits, Termination};

/// Everything of a run.
pub(super) struct Run<O> {
    pub(super) product: Arc<Product>,
    guards: ComposedGuards,
    pub(super) state: ProductState,
    pub(super) observer: O,
    pub(super) inbox: Option<Receiver<Tagged>>,
    pub(super) plan: Plan,
    limits: Limits,
    alarm: Alarm,
    pub(super) slots: Vec<Slot>,
    /// External events that wait for what one of those they move has in flight.
    pub(super) deferred: VecDeque<Tagged>,
    /// How the run is to end once nothing is in flight that must not be dropped.
    stopping: Option<Stop>,
    pub(super) starts: BTreeMap<String, u64>,
}

#[derive(Clone, Copy)]
pub(super) enum Stop {
    Suspend,
    Cancel,
}

/// What was waited for.
enum Woken {
    Landed(usize, Landed),
    Message(Message<Tagged>),
    /// Nothing is in flight, and nobody is left to say anything.
    Alone,
    Due,
}

/// The run goes on, or ends. Boxed: only one of many rounds has an end in it.
type Turn = Result<(), Box<Termination>>;

impl<O: ComposedObserver> Run<O> {
    pub(super) fn new(
        product: Arc<Product>,
        guards: ComposedGuards,
        observer: O,
        inbox: Option<Receiver<Tagged>>,
        plan: Plan,
        limits: Limits,
        slots: Vec<Slot>,
    ) -> Self {
        Self {
            state: product.initial(),
            product,
            guards,
            observer,
            inbox,
            plan,
            limits,
            alarm: Alarm::default(),
            slots,
            deferred: VecDeque::new(),
            stopping: None,
            starts: BTreeMap::new(),
        }
    }

    pub(super) async fn drive(&mut self, starts: Vec<Tagged>) -> Termination {
        self.tell(&ComposedRecord::Started);
        for event in starts {
            if let Err(end) = self.settle() {
                return *end;
            }
            if let Err(end) = self.needed(event, &Cause::Start) {
                return *end;
            }
        }
        loop {
            yield_now_and_then(&self.plan).await;
            let turn = match self.settle() {
                Ok(()) => match self.next() {
                    Ok(true) => continue,
                    Ok(false) => self.wait().await,
                    Err(end) => Err(end),
                },
                Err(end) => Err(end),
            };
            if let Err(end) = turn {
                return *end;
            }
        }
    }

    /// Feeds what can be fed, and steps outcomes that waited, until there is neither.
    fn settle(&mut self) -> Turn {
        loop {
            let due = self.product.due(&self.state, |at| self.is_busy(at));
            if let Some(bridge) = due {
                self.has_rounds()?;
                self.feed(bridge)?;
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

    /// Ends the run, hears one message, or starts what can start. Whether there may be more to do
    /// before anything is waited for.
    fn next(&mut self) -> Result<bool, Box<Termination>> {
        if self
            .product
            .is_complete(&self.state, |at| self.slots[at].is_idle())
        {
            let state = self.product.describe(&self.state);
            return Err(Box::new(Termination::Completed { state }));
        }
        if let Some(stop) = self.stopping {
            let flying = |slot: &Slot| {
                slot.started()
                    .is_some_and(|(_, kind)| kind != Semantics::Query)
            };
            if !self.slots.iter().any(flying) {
                return Err(self.stopped(stop, false).into());
            }
            return Ok(false);
        }
        let ending = !self.slots.iter().all(Slot::is_idle) && self.only_stops();
        if !ending {
            self.has_budget()?;
        }
        if let Some(event) = self.ready_external() {
            self.external(event);
            return Ok(true);
        }
        if let Some(message) = self.inbox.as_ref().and_then(Receiver::take) {
            self.hear(message);
            return Ok(true);
        }
        for at in 0..self.slots.len() {
            let slot = &mut self.slots[at];
            let free = slot.flight.is_none() && slot.parked.is_none();
            if !free || slot.pending.is_none() || self.product.is_held(&self.state, at) {
                continue;
            }
            if let Some(effect) = self.slots[at].pending.take() {
                self.start(at, effect)?;
            }
        }
        Ok(false)
    }

    /// Whether all that is asked for is to end its component.
    fn only_stops(&self) -> bool {
        self.slots.iter().enumerate().all(|(at, slot)| {
            let model = self.product.space(at).model();
            let flying = slot
                .started()
                .is_none_or(|(_, kind)| kind == Semantics::Stop);
            flying
                && slot
                    .pending
                    .as_ref()
                    .is_none_or(|effect| model.effects[effect.index].semantics == Semantics::Stop)
        })
    }

    fn start(&mut self, component: usize, effect: Values) -> Turn {
        let name = effect_name(&self.product, component, effect.index);
        let used = self.starts.entry(name.clone()).or_default();
        if let Some(allowed) = self.limits.counts.get(&name).filter(|most| *used >= **most) {
            let limit = Limit::Effect {
                effect: name,
                used: *used,
                allowed: *allowed,
            };
            return Err(self.limited(limit).into());
        }
        *used += 1;
        self.plan.sequence += 1;
        let sequence = self.plan.sequence;
        let space = space_of(&self.product, component);
        let semantics = space.model().effects[effect.index].semantics;
        self.tell(&ComposedRecord::Intent {
            component,
            effect: &effect,
            semantics,
            sequence,
        });
        let time = self.limits.times.get(&name).copied();
        self.slots[component].start(space, effect, sequence, time);
        Ok(())
    }

    async fn wait(&mut self) -> Turn {
        let woken = poll_fn(|cx| self.poll(cx)).await;
        match woken {
            Woken::Landed(component, landed) => self.land(component, landed),
            Woken::Message(message) => {
                self.hear(message);
                Ok(())
            }
            Woken::Alone => Err(self.stopped(Stop::Suspend, true).into()),
            Woken::Due => Err(self.limited(self.plan.clock_limit()).into()),
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Woken> {
        let mut flying = false;
        for (at, slot) in self.slots.iter_mut().enumerate() {
            let Some(flight) = &mut slot.flight else {
                continue;
            };
            flying = true;
            if let Poll::Ready(landed) = flight.answer.as_mut().poll(cx) {
                return Poll::Ready(Woken::Landed(at, landed));
            }
        }
        if self.stopping.is_none() {
            let heard = match &self.inbox {
                Some(inbox) => inbox.poll(cx),
                None => Poll::Ready(None),
            };
            match heard {
                Poll::Ready(Some(message)) => return Poll::Ready(Woken::Message(message)),
                Poll::Ready(None) if !flying => return Poll::Ready(Woken::Alone),
                _ => {}
            }
        }
        self.alarm.poll(self.plan.deadline, cx).map(|()| Woken::Due)
    }

    /// Steps what an effect came to, or lets it wait for the other participants of a sync event.
    fn land(&mut self, component: usize, landed: Landed) -> Turn {
        let Some(flight) = self.slots[component].flight.take() else {
            return Ok(());
        };
        let Flight {
            effect,
            semantics,
            sequence,
            ..
        } = flight;
        let stop = semantics == Semantics::Stop;
        let failed = |text: String, cause: Cause| {
            let event = self
                .product
                .space(component)
                .sentinel(&effect, text.clone());
            event
                .map(|event| (event, cause))
                .ok_or(format!("{text}; the effect has no sentinel"))
        };
        let answered = match landed {
            Landed::Answer(None) if stop => return Ok(()),
            Landed::Answer(Some(_)) if stop => Err("a stop was answered with an event".to_owned()),
            Landed::Answer(Some(event)) => Ok((event, Cause::Outcome { sequence })),
            Landed::Answer(None) => Err("the handler answered with no event".to_owned()),
            Landed::Fault(Fault::Escape(reason)) => Err(reason),
            Landed::Fault(Fault::Domain(fault)) => {
                failed(fault.clone(), Cause::Sentinel { sequence, fault })
            }
            Landed::TimedOut(after) => failed(
                format!("timed out after {after:?}"),
                Cause::TimedOut { sequence, after },
            ),
        };
        match answered {
            Err(reason) => {
                let name = effect_name(&self.product, component, effect.index);
                Err(self.escape(Some(name), reason, false).into())
            }
            Ok((event, cause)) => {
                let event = Tagged { component, event };
                self.slots[component].parked = Some(Parked {
                    effect,
                    semantics,
                    sequence,
                    event,
                    cause,
                });
                Ok(())
            }
        }
    }

    /// Whether a component has, or is about to have, something in flight that must not be dropped.
    fn is_busy(&self, component: usize) -> bool {
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

    fn hear(&mut self, message: Message<Tagged>) {
        match message {
            Message::Event(event) => self.deferred.push_back(event),
            Message::Suspend => self.stopping = Some(Stop::Suspend),
            Message::Cancel => self.stopping = Some(Stop::Cancel),
        }
    }

    /// The first external event that nothing keeps waiting: neither what is in flight, nor an
    /// earlier one that would move the same component.
    fn ready_external(&mut self) -> Option<Tagged> {
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

    fn external(&mut self, event: Tagged) {
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
    fn needed(&mut self, event: Tagged, cause: &Cause) -> Turn {
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

    fn feed(&mut self, bridge: usize) -> Turn {
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
                self.plan.rounds += 1;
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

    fn has_budget(&self) -> Turn {
        if self.plan.is_used_up() {
            return Err(self.limited(self.plan.used_up()).into());
        }
        Ok(())
    }

    pub(super) fn tell(&mut self, record: &ComposedRecord<'_>) {
        self.observer.record(&self.product, record);
    }
}
