//! The loop of a run, and its one effect in flight.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;
use tracing::Instrument as _;

use super::inbox::Receiver;
use super::policy::mix;
use super::race::{Aloft, Due, Raced, earliest, race, yield_now_and_then};
use super::run::{Heard, Run, Turn};
use super::{Observer, Record, Source, Termination};
use crate::machine::{Dispatch, Fault, Semantics, Space};

/// Runs from an event to an end.
///
/// One layer: an effect's handler is called, its answer is stepped, and what the step asks for is
/// the next effect. Nothing is spawned, sent or allocated on the way round.
pub(super) async fn drive<S, H, O>(
    space: &S,
    handler: &mut H,
    run: &mut Run<S, O>,
    start: S::Event,
) -> Termination
where
    S: Dispatch<H>,
    O: Observer<S>,
{
    let state = run.state;
    run.tell(space, &Record::Started { state });
    if run.plan.is_used_up() {
        return run.limited(space, run.plan.used_up());
    }
    let mut waiting = match run.step_needed(space, start, Source::Start) {
        Ok(effect) => effect,
        Err(end) => return *end,
    };
    loop {
        yield_now_and_then(&run.plan).await;
        // Loops come before everything else, the end included.
        if std::mem::take(&mut run.entered)
            && let Some(back) = space.loop_back(run.state, &run.ctx)
        {
            match run.go_round(space, back, waiting.as_ref()) {
                Heard::Handled(next) => {
                    waiting = next;
                    continue;
                }
                Heard::Unmoved => {}
                Heard::End(end) => return *end,
            }
        }
        let ending = run.is_ending(space, waiting.as_ref());
        if !ending {
            if run.plan.is_used_up() {
                return run.limited(space, run.plan.used_up());
            }
            if let Some(message) = run.inbox.as_ref().and_then(Receiver::take) {
                match run.hear(space, message, waiting.as_ref(), None) {
                    Heard::Handled(next) => waiting = next,
                    Heard::Unmoved => {}
                    Heard::End(end) => return *end,
                }
                continue;
            }
        }
        let turn = match waiting.take() {
            Some(effect) => fly(space, handler, run, &effect).await,
            None if ending => return run.completed(space),
            None => idle(space, run).await,
        };
        match turn {
            Ok(next) => waiting = next,
            Err(end) => return *end,
        }
    }
}

/// Waits for the outside.
async fn idle<S: Space, O: Observer<S>>(space: &S, run: &mut Run<S, O>) -> Turn<S::Effect> {
    let aloft = Aloft {
        effect: None,
        sequence: None,
        listens: true,
    };
    let nothing = pin!(pending::<()>());
    match race(space, run, aloft, || None, nothing).await {
        Raced::Moved(next) => Ok(next),
        Raced::End(end) => Err(end),
        // Neither of the two can be: there is nothing to be done or due.
        Raced::Done(()) | Raced::Due(_) => Ok(None),
    }
}

/// Starts an effect, and steps what comes of it.
async fn fly<S, H, O>(
    space: &S,
    handler: &mut H,
    run: &mut Run<S, O>,
    effect: &S::Effect,
) -> Turn<S::Effect>
where
    S: Dispatch<H>,
    O: Observer<S>,
{
    let row = space.effect_index(effect);
    let Some(sequence) = run.plan.start(row) else {
        let limit = run.plan.starts_limit(row, space.model());
        return Err(run.limited(space, limit).into());
    };
    run.flight = Some(row);
    let plan = &run.plan.effects[row];
    let semantics = plan.semantics;
    let (attempt_time, whole_time) = match &plan.care {
        Some(care) => (care.attempt_time, care.whole_time),
        None => (None, None),
    };
    let aloft = Aloft {
        effect: Some(effect),
        sequence: Some(sequence),
        // Anything but a query is awaited, and what is said meanwhile waits for its outcome.
        listens: semantics == Semantics::Query,
    };
    let mut whole = None;
    let mut attempt = 1;
    let failure = loop {
        let intent = Record::Intent {
            effect,
            semantics,
            sequence,
            attempt,
        };
        run.tell(space, &intent);
        let span = tracing::debug_span!(
            target: "space::effect",
            "effect",
            name = space.model().effects[row].name,
            sequence,
            attempt
        );
        // Asked only when there is something to wait for.
        let due = || {
            let now = Instant::now();
            whole = whole.or_else(|| now.checked_add(whole_time?));
            earliest([
                (whole, Due::Whole),
                (
                    attempt_time.and_then(|time| now.checked_add(time)),
                    Due::Attempt,
                ),
            ])
        };
        let raced = {
            // Dropped before anything else happens: an attempt that took too long ends here.
            let mut answer = pin!(space.dispatch(handler, effect).instrument(span));
            // What costs most is to be ready to wait. Handlers that are ready do not pay for it.
            match poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await {
                Poll::Ready(done) => Raced::Done(done),
                Poll::Pending => race(space, run, aloft, due, answer).await,
            }
        };
        let failure = match raced {
            Raced::Done(Ok(answer)) => {
                return land(space, run, semantics, sequence, answer);
            }
            Raced::Done(Err(Fault::Escape(reason))) => {
                return Err(run.escape(space, reason, false).into());
            }
            Raced::Done(Err(Fault::Domain(text))) => Failure::Fault(text),
            Raced::Due(Due::Whole) => break Failure::TimedOut(whole_time.unwrap_or_default()),
            Raced::Due(_) => Failure::TimedOut(attempt_time.unwrap_or_default()),
            Raced::Moved(next) => return Ok(next),
            Raced::End(end) => return Err(end),
        };
        let care = run.plan.effects[row].care.as_deref();
        let Some(care) = care.filter(|care| attempt <= care.retries) else {
            break failure;
        };
        let pause = care.backoff.pause(attempt, mix(run.plan.seed ^ sequence));
        let fault = failure.to_string();
        let told = Record::Retried {
            sequence,
            attempt,
            fault: &fault,
            pause,
        };
        run.tell(space, &told);
        run.plan.retries += 1;
        let due = || {
            let now = Instant::now();
            whole = whole.or_else(|| now.checked_add(whole_time?));
            earliest([(whole, Due::Whole), (now.checked_add(pause), Due::Attempt)])
        };
        match race(space, run, aloft, due, pin!(pending::<()>())).await {
            Raced::Due(Due::Whole) => break Failure::TimedOut(whole_time.unwrap_or_default()),
            Raced::Due(_) | Raced::Done(()) => attempt += 1,
            Raced::Moved(next) => return Ok(next),
            Raced::End(end) => return Err(end),
        }
    };
    fail(space, run, effect, sequence, &failure)
}

/// Steps a handler's answer.
#[inline]
fn land<S: Space, O: Observer<S>>(
    space: &S,
    run: &mut Run<S, O>,
    semantics: Semantics,
    sequence: u64,
    answer: Option<S::Event>,
) -> Turn<S::Effect> {
    match (answer, semantics) {
        (Some(event), Semantics::Stop) => {
            let event = &space.model().events[space.event_index(&event)].name;
            let reason = format!("a stop was answered with `{event}`");
            Err(run.escape(space, reason, false).into())
        }
        (Some(event), _) => {
            run.flight = None;
            run.step_needed(space, event, Source::Outcome { sequence })
        }
        (None, Semantics::Stop) => {
            run.flight = None;
            Err(run.completed(space).into())
        }
        (None, _) => {
            let reason = "the handler answered with no event".to_owned();
            Err(run.escape(space, reason, false).into())
        }
    }
}

/// Steps what a failure becomes.
fn fail<S: Space, O: Observer<S>>(
    space: &S,
    run: &mut Run<S, O>,
    effect: &S::Effect,
    sequence: u64,
    failure: &Failure,
) -> Turn<S::Effect> {
    let text = failure.to_string();
    let Some(event) = space.sentinel(effect, text.clone()) else {
        let reason = format!("{text}; the effect has no sentinel");
        return Err(run.escape(space, reason, false).into());
    };
    run.flight = None;
    let source = match failure {
        Failure::Fault(_) => Source::Sentinel {
            sequence,
            fault: &text,
        },
        Failure::TimedOut(after) => Source::TimedOut {
            sequence,
            after: *after,
        },
    };
    run.step_needed(space, event, source)
}

/// A domain fault.
enum Failure {
    Fault(String),
    TimedOut(Duration),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fault(text) => f.write_str(text),
            Self::TimedOut(after) => write!(f, "timed out after {after:?}"),
        }
    }
}
