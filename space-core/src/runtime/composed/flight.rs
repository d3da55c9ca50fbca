//! What a component has in flight, and who answers it.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout_at};

use super::Cause;
use crate::compose::Tagged;
use crate::machine::{Dispatch, EffectSpace, Fault, Semantics, ValueHandler, Values};
use crate::runtime::plan::Care;
use crate::runtime::race::{Due, earliest};

type Answer<'a> = Pin<Box<dyn Future<Output = Result<Option<Values>, Fault>> + Send + 'a>>;

/// A handler of any component.
pub(super) trait Erased: Send {
    fn answer<'a>(&'a mut self, space: &'a EffectSpace, effect: &'a Values) -> Answer<'a>;

    /// The handler itself.
    fn handler(self: Box<Self>) -> Box<dyn Any + Send>;
}

/// A handler that speaks of events and effects by name.
pub(super) struct Untyped<H>(pub(super) H);

impl<H: ValueHandler + Send + 'static> Erased for Untyped<H> {
    fn answer<'a>(&'a mut self, space: &'a EffectSpace, effect: &'a Values) -> Answer<'a> {
        Box::pin(space.dispatch(&mut self.0, effect))
    }

    fn handler(self: Box<Self>) -> Box<dyn Any + Send> {
        Box::new(self.0)
    }
}

/// A handler of generated types.
pub(super) struct Typed<S, H> {
    pub(super) space: S,
    pub(super) handler: H,
}

impl<S, H> Erased for Typed<S, H>
where
    S: Dispatch<H> + Send + Sync,
    H: Send + 'static,
{
    fn answer<'a>(&'a mut self, _: &'a EffectSpace, effect: &'a Values) -> Answer<'a> {
        let Self { space, handler } = self;
        let space = &*space;
        let typed = space.effect_from(effect.index, effect.values.clone());
        Box::pin(async move {
            let effect = typed.map_err(Fault::escape)?;
            let answer = space.dispatch(handler, &effect).await?;
            Ok(answer.map(|event| Values {
                index: space.event_index(&event),
                values: space.event_values(&event),
            }))
        })
    }

    fn handler(self: Box<Self>) -> Box<dyn Any + Send> {
        Box::new(self.handler)
    }
}

/// Where a handler is while nothing of it is in flight.
pub(super) type Lender = Arc<Mutex<Option<Box<dyn Erased>>>>;

/// A handler in use; goes back when dropped, be it in the middle of an answer.
struct Lent {
    lender: Lender,
    handler: Option<Box<dyn Erased>>,
}

impl Lent {
    fn take(lender: &Lender) -> Self {
        let mut slot = lender.lock().unwrap_or_else(PoisonError::into_inner);
        Self {
            lender: Arc::clone(lender),
            handler: slot.take(),
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut slot = self.lender.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = self.handler.take();
    }
}

/// What an attempt came to.
pub(super) enum Landed {
    Answer(Option<Values>),
    Fault(Fault),
    /// The attempt took too long, or all of them together did.
    TimedOut(Due, Duration),
}

/// A start of an effect, over all its attempts.
pub(super) struct Start {
    pub(super) effect: Values,
    pub(super) semantics: Semantics,
    pub(super) sequence: u64,
    /// Which attempt, from 1.
    pub(super) attempt: u32,
    pub(super) care: Option<Care>,
    /// When all attempts together have taken too long.
    pub(super) whole: Option<Instant>,
}

/// An effect in flight.
pub(super) struct Flight {
    pub(super) start: Start,
    /// What the attempt comes to; none at the end of the pause before the next one.
    pub(super) landing: Pin<Box<dyn Future<Output = Option<Landed>> + Send>>,
}

/// An outcome whose step has to wait for what another participant has in flight.
pub(super) struct Parked {
    pub(super) effect: Values,
    pub(super) semantics: Semantics,
    pub(super) sequence: u64,
    pub(super) event: Tagged,
    pub(super) cause: Cause,
}

/// Everything of a component but its machine.
pub(super) struct Slot {
    lender: Lender,
    /// Asked for, and not started.
    pub(super) pending: Option<Values>,
    pub(super) flight: Option<Flight>,
    pub(super) parked: Option<Parked>,
}

impl Slot {
    pub(super) fn new(lender: Lender) -> Self {
        Self {
            lender,
            pending: None,
            flight: None,
            parked: None,
        }
    }

    /// The handler, back; nothing of it is in flight any more.
    pub(super) fn handler(mut self) -> Option<Box<dyn Any + Send>> {
        self.clear();
        let mut lent = self.lender.lock().unwrap_or_else(PoisonError::into_inner);
        Some(lent.take()?.handler())
    }

    /// Whether nothing is asked for.
    pub(super) fn is_idle(&self) -> bool {
        self.pending.is_none() && self.flight.is_none() && self.parked.is_none()
    }

    /// What has started and not been stepped.
    pub(super) fn started(&self) -> Option<(&Values, Semantics)> {
        let flight = self.flight.as_ref().map(|one| &one.start);
        let flight = flight.map(|one| (&one.effect, one.semantics));
        flight.or_else(|| self.parked.as_ref().map(|one| (&one.effect, one.semantics)))
    }

    /// Drops whatever is asked for, and says what it was.
    pub(super) fn clear(&mut self) -> Option<(Values, Option<u64>)> {
        let flight = self
            .flight
            .take()
            .map(|one| (one.start.effect, Some(one.start.sequence)));
        let parked = self
            .parked
            .take()
            .map(|one| (one.effect, Some(one.sequence)));
        let pending = self.pending.take().map(|effect| (effect, None));
        flight.or(parked).or(pending)
    }

    /// Starts an attempt.
    pub(super) fn fly(&mut self, space: EffectSpace, start: Start) {
        let lender = Arc::clone(&self.lender);
        let asked = start.effect.clone();
        let time = start.care.as_ref().and_then(|care| care.attempt_time);
        let whole = start.care.as_ref().and_then(|care| care.whole_time);
        let due = earliest([
            (start.whole, Due::Whole),
            (
                time.and_then(|time| Instant::now().checked_add(time)),
                Due::Attempt,
            ),
        ]);
        let landing = async move {
            let mut lent = Lent::take(&lender);
            let Some(handler) = &mut lent.handler else {
                let fault = Fault::escape("the component has no handler");
                return Some(Landed::Fault(fault));
            };
            let answer = handler.answer(&space, &asked);
            let answered = match due {
                Some((at, due)) => {
                    let Ok(answered) = timeout_at(at, answer).await else {
                        let given = if matches!(due, Due::Whole) {
                            whole
                        } else {
                            time
                        };
                        return Some(Landed::TimedOut(due, given.unwrap_or_default()));
                    };
                    answered
                }
                None => answer.await,
            };
            Some(match answered {
                Ok(event) => Landed::Answer(event),
                Err(fault) => Landed::Fault(fault),
            })
        };
        self.flight = Some(Flight {
            start,
            landing: Box::pin(landing),
        });
    }

    /// Waits before another attempt.
    pub(super) fn rest(&mut self, start: Start, pause: Duration) {
        let whole = start.care.as_ref().and_then(|care| care.whole_time);
        let due = earliest([
            (start.whole, Due::Whole),
            (Instant::now().checked_add(pause), Due::Attempt),
        ]);
        let landing = async move {
            let Some((at, due)) = due else {
                // Beyond what the clock can say.
                return std::future::pending().await;
            };
            sleep_until(at).await;
            let over = matches!(due, Due::Whole);
            over.then(|| Landed::TimedOut(due, whole.unwrap_or_default()))
        };
        self.flight = Some(Flight {
            start,
            landing: Box::pin(landing),
        });
    }
}
