//! What an effect in flight is up against: the clock, and the outside.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use tokio::task::yield_now;
use tokio::time::Instant;

use super::inbox::Message;
use super::plan::Plan;
use super::run::{Heard, Run};
use super::{Observer, Termination};
use crate::machine::Space;

/// What is waited for.
pub(super) struct Aloft<'e, E> {
    pub(super) effect: Option<&'e E>,
    pub(super) sequence: Option<u64>,
    /// Whether the outside may come between.
    pub(super) listens: bool,
}

// Not derived: that would ask it of the effect as well.
impl<E> Clone for Aloft<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Aloft<'_, E> {}

/// What time runs out for.
#[derive(Clone, Copy)]
pub(super) enum Due {
    Attempt,
    Whole,
    Run,
}

/// The first of these instants.
pub(super) fn earliest<const N: usize>(
    dues: [(Option<Instant>, Due); N],
) -> Option<(Instant, Due)> {
    dues.into_iter()
        .filter_map(|(at, due)| Some((at?, due)))
        .min_by_key(|(at, _)| *at)
}

/// What came first.
pub(super) enum Raced<T, E> {
    Done(T),
    Due(Due),
    /// An external event was handled.
    Moved(Option<E>),
    End(Box<Termination>),
}

/// A future against the clock and the outside. The future is asked first: what is ready costs
/// neither a look at the clock nor a lock of the inbox.
pub(super) async fn race<S, O, F>(
    space: &S,
    run: &mut Run<S, O>,
    aloft: Aloft<'_, S::Effect>,
    due: impl FnOnce() -> Option<(Instant, Due)>,
    mut future: Pin<&mut F>,
) -> Raced<F::Output, S::Effect>
where
    S: Space,
    O: Observer<S>,
    F: Future,
{
    enum Woken<T, V> {
        Done(T),
        Message(Message<V>),
        Alone,
        Due(Due),
    }
    let mut due = Some(due);
    let mut next_due = None;
    loop {
        let woken = poll_fn(|cx| {
            if let Poll::Ready(done) = future.as_mut().poll(cx) {
                return Poll::Ready(Woken::Done(done));
            }
            if aloft.listens {
                let heard = match &run.inbox {
                    Some(inbox) => inbox.poll(cx),
                    None => Poll::Ready(None),
                };
                match heard {
                    Poll::Ready(Some(message)) => return Poll::Ready(Woken::Message(message)),
                    Poll::Ready(None) if aloft.effect.is_none() => {
                        return Poll::Ready(Woken::Alone);
                    }
                    _ => {}
                }
            }
            if let Some(due) = due.take() {
                next_due = due();
                let run_due = run.plan.deadline.map(|at| (at, Due::Run));
                next_due = match (next_due, run_due) {
                    (Some(one), Some(other)) if other.0 <= one.0 => Some(other),
                    (one, other) => one.or(other),
                };
            }
            let at = next_due.map(|(at, _)| at);
            match run.alarm.poll(at, cx) {
                Poll::Ready(()) => {
                    Poll::Ready(Woken::Due(next_due.map_or(Due::Run, |(_, due)| due)))
                }
                Poll::Pending => Poll::Pending,
            }
        })
        .await;
        match woken {
            Woken::Done(done) => return Raced::Done(done),
            Woken::Due(Due::Run) => {
                let limit = run.plan.clock_limit();
                return Raced::End(run.limited(space, limit).into());
            }
            Woken::Due(due) => return Raced::Due(due),
            Woken::Alone => {
                return Raced::End(Box::new(Termination::Suspended {
                    state: run.state_name(space),
                    effect: None,
                    idle: true,
                }));
            }
            Woken::Message(message) => {
                match run.hear(space, message, aloft.effect, aloft.sequence) {
                    Heard::Handled(next) => return Raced::Moved(next),
                    Heard::Unmoved => {}
                    Heard::End(end) => return Raced::End(end),
                }
                // Only a step has been used. Tokens and cost are of the future, whose answer is
                // worth what it cost, and the clock is asked when the future is.
                if run.plan.are_rounds_used_up() {
                    let limit = run.plan.rounds_limit();
                    return Raced::End(run.limited(space, limit).into());
                }
                yield_now_and_then(&run.plan).await;
            }
        }
    }
}

/// Lets others run every few rounds: handlers that are always ready, or a sender that never stops,
/// would otherwise keep the executor for themselves. Counted here, not by the executor's own
/// budget, which costs as much as the rest of a round.
#[inline]
pub(super) async fn yield_now_and_then(plan: &Plan) {
    if plan.rounds.is_multiple_of(32) {
        yield_now().await;
    }
}
