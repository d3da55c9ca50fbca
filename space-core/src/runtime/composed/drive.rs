//! The loop of a composition's run.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;

use super::flight::{Flight, Landed, Parked, Slot, Start};
use super::{Cause, ComposedObserver, ComposedRecord, effect_name, space_of};
use crate::compose::{ComposedGuards, Product, ProductState, Tagged};
use crate::machine::{Fault, Semantics, Space, Values};
use crate::runtime::alarm::Alarm;
use crate::runtime::inbox::{Message, Receiver};
use crate::runtime::plan::{Care, Plan};
use crate::runtime::policy::mix;
use crate::runtime::race::{Due, yield_now_and_then};
use crate::runtime::{Limit, Limits, Policy, Termination};

/// Everything of a run.
pub(super) struct Run<O> {
    pub(super) product: Arc<Product>,
    pub(super) guards: ComposedGuards,
    pub(super) state: ProductState,
    pub(super) observer: O,
    pub(super) inbox: Option<Receiver<Tagged>>,
    pub(super) plan: Plan,
    limits: Limits,
    policy: Policy,
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
    /// An attempt came home; none at the end of the pause before the next one.
    Landed(usize, Option<Landed>),
    Message(Message<Tagged>),
    /// Nothing is in flight, and nobody is left to say anything.
    Alone,
    Due,
}

/// The run goes on, or ends. Boxed: only one of many rounds has an end in it.
pub(super) type Turn = Result<(), Box<Termination>>;

impl<O: ComposedObserver> Run<O> {
    pub(super) fn new(
        product: Arc<Product>,
        guards: ComposedGuards,
        observer: O,
        inbox: Option<Receiver<Tagged>>,
        plan: Plan,
        (limits, policy): (Limits, Policy),
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
            policy,
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
        let care = Care::of(&name, &self.limits, &self.policy);
        let whole = care.as_ref().and_then(|care| care.whole_time);
        let start = Start {
            semantics: self.product.space(component).model().effects[effect.index].semantics,
            effect,
            sequence: self.plan.sequence,
            attempt: 1,
            whole: whole.and_then(|time| Instant::now().checked_add(time)),
            care,
        };
        self.attempt(component, start);
        Ok(())
    }

    fn attempt(&mut self, component: usize, start: Start) {
        self.tell(&ComposedRecord::Intent {
            component,
            effect: &start.effect,
            semantics: start.semantics,
            sequence: start.sequence,
            attempt: start.attempt,
        });
        let space = space_of(&self.product, component);
        self.slots[component].fly(space, start);
    }

    /// Another attempt, when a failure is worth one; otherwise the start, back.
    fn again(&mut self, component: usize, start: Start, landed: &Landed) -> Option<Start> {
        let fault = match landed {
            Landed::Fault(Fault::Domain(text)) => text.clone(),
            Landed::TimedOut(Due::Attempt, after) => timed_out(*after),
            _ => return Some(start),
        };
        let pause = match &start.care {
            Some(care) if start.attempt <= care.retries => care
                .backoff
                .pause(start.attempt, mix(self.plan.seed ^ start.sequence)),
            _ => return Some(start),
        };
        self.tell(&ComposedRecord::Retried {
            component,
            sequence: start.sequence,
            attempt: start.attempt,
            fault: &fault,
            pause,
        });
        self.plan.retries += 1;
        let start = Start {
            attempt: start.attempt + 1,
            ..start
        };
        self.slots[component].rest(start, pause);
        None
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
            if let Poll::Ready(landed) = flight.landing.as_mut().poll(cx) {
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
    fn land(&mut self, component: usize, landed: Option<Landed>) -> Turn {
        let Some(Flight { start, .. }) = self.slots[component].flight.take() else {
            return Ok(());
        };
        let Some(landed) = landed else {
            self.attempt(component, start);
            return Ok(());
        };
        let Some(start) = self.again(component, start, &landed) else {
            return Ok(());
        };
        let Start {
            effect,
            semantics,
            sequence,
            ..
        } = start;
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
            Landed::TimedOut(_, after) => {
                failed(timed_out(after), Cause::TimedOut { sequence, after })
            }
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

    fn hear(&mut self, message: Message<Tagged>) {
        match message {
            Message::Event(event) => self.deferred.push_back(event),
            Message::Suspend => self.stopping = Some(Stop::Suspend),
            Message::Cancel => self.stopping = Some(Stop::Cancel),
        }
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

fn timed_out(after: Duration) -> String {
    format!("timed out after {after:?}")
}
