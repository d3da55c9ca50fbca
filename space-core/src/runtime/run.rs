//! The state of a run, and the moves that need no handler.

use std::sync::Arc;
use std::time::Duration;

use super::alarm::Alarm;
use super::inbox::{Message, Receiver};
use super::plan::Plan;
use super::record::event_name;
use super::{Limit, Observer, Record, Source, Termination, Usage};
use crate::graph::LoopRow;
use crate::machine::{LoopBack, Rejection, Semantics, Space, Step};

/// Everything of a run but its space and its handler, which an effect in flight borrows.
pub(super) struct Run<S: Space, O> {
    pub(super) guards: Arc<S::Guards>,
    pub(super) state: S::State,
    pub(super) ctx: S::Ctx,
    pub(super) observer: O,
    pub(super) inbox: Option<Receiver<S::Event>>,
    pub(super) plan: Plan,
    pub(super) alarm: Alarm,
    /// The row of the effect in flight.
    pub(super) flight: Option<usize>,
    /// Whether a state was entered that nobody has asked for loops yet.
    pub(super) entered: bool,
    /// How often each loop was gone through.
    pub(super) loops: Vec<u64>,
}

/// What a step came to.
pub(super) enum Moved<E> {
    Handled(Option<E>),
    Ignored,
    Rejected { event: usize, reason: Rejection },
}

/// The next effect, or the end. Boxed: every round hands this through several hands, and only one
/// has an end in it.
pub(super) type Turn<E> = Result<Option<E>, Box<Termination>>;

/// What a message came to.
pub(super) enum Heard<E> {
    Handled(Option<E>),
    /// Ignored or rejected: the run goes on as if nothing had been said.
    Unmoved,
    End(Box<Termination>),
}

impl<S: Space, O: Observer<S>> Run<S, O> {
    #[inline]
    pub(super) fn tell(&mut self, space: &S, record: &Record<'_, S>) {
        self.observer.record(space, record);
    }

    /// Steps an event. Whether a round is left has been asked before.
    #[inline]
    pub(super) fn step(
        &mut self,
        space: &S,
        event: S::Event,
        source: Source<'_>,
    ) -> Moved<S::Effect> {
        let row = space.event_index(&event);
        let from = self.state;
        let told = Record::Event {
            source,
            event: &event,
        };
        self.observer.record(space, &told);
        self.plan.rounds += 1;
        match space.step(from, &mut self.ctx, event, &self.guards) {
            Step::Handled { state: to, effect } => {
                self.state = to;
                self.entered = true;
                let told = Record::Stepped {
                    from,
                    event: row,
                    to,
                    effect: effect.as_ref(),
                };
                self.observer.record(space, &told);
                tracing::debug!(
                    target: "space::round",
                    round = self.plan.rounds,
                    event = event_name(space.model(), row),
                    ?from,
                    ?to,
                    "handled"
                );
                Moved::Handled(effect)
            }
            Step::Ignored { .. } => {
                let told = Record::Ignored {
                    state: from,
                    event: row,
                };
                self.observer.record(space, &told);
                tracing::debug!(
                    target: "space::round",
                    round = self.plan.rounds,
                    event = event_name(space.model(), row),
                    ?from,
                    "ignored"
                );
                Moved::Ignored
            }
            Step::Rejected { reason, .. } => {
                let told = Record::Rejected {
                    state: from,
                    event: row,
                    reason,
                };
                self.observer.record(space, &told);
                tracing::debug!(
                    target: "space::round",
                    round = self.plan.rounds,
                    event = event_name(space.model(), row),
                    ?from,
                    ?reason,
                    "rejected"
                );
                Moved::Rejected { event: row, reason }
            }
        }
    }

    /// Steps an event that the run cannot go on without.
    #[inline]
    pub(super) fn step_needed(
        &mut self,
        space: &S,
        event: S::Event,
        source: Source<'_>,
    ) -> Turn<S::Effect> {
        match self.step(space, event, source) {
            Moved::Handled(effect) => Ok(effect),
            // Nothing moved and nothing is in flight: only the outside can move it now.
            Moved::Ignored => Ok(None),
            Moved::Rejected { event, reason } => Err(Box::new(Termination::Rejected {
                event: event_name(space.model(), event).to_owned(),
                state: self.state_name(space),
                reason: reason.describe(space.model()),
            })),
        }
    }

    /// Feeds back what a loop says of a state that has just been entered. `effect` is what waits: a
    /// `stop`, if anything.
    pub(super) fn go_round(
        &mut self,
        space: &S,
        back: LoopBack<S::State, S::Event>,
        effect: Option<&S::Effect>,
    ) -> Heard<S::Effect> {
        if self.plan.is_used_up() {
            return Heard::End(self.limited(space, self.plan.used_up()).into());
        }
        let at = back.feedback;
        let row = &space.loops()[at];
        self.loops.resize(space.loops().len(), 0);
        if let Some(limit) = exhausted(row, self.loops[at], self.plan.elapsed()) {
            return Heard::End(Box::new(Termination::FeedbackExhausted {
                feedback: row.name.clone(),
                rounds: self.loops[at],
                limit,
            }));
        }
        let was = std::mem::replace(&mut self.state, back.from);
        let round = self.loops[at] + 1;
        let source = Source::LoopBack {
            feedback: at,
            round,
        };
        match self.step(space, back.event, source) {
            Moved::Handled(next) => {
                self.loops[at] = round;
                if let Some(effect) = effect {
                    let sequence = None;
                    self.tell(space, &Record::Superseded { effect, sequence });
                }
                Heard::Handled(next)
            }
            // It was only looked at from there.
            Moved::Ignored | Moved::Rejected { .. } => {
                self.state = was;
                Heard::Unmoved
            }
        }
    }

    /// Does what a handle says. `effect` is what waits or is in flight, with its sequence number
    /// when it is.
    ///
    /// With a query in flight the event is stepped beside it: a step that does not handle an event
    /// changes nothing, so the query need only be dropped once the event has been handled, and one
    /// that is ignored or rejected costs it nothing.
    pub(super) fn hear(
        &mut self,
        space: &S,
        message: Message<S::Event>,
        effect: Option<&S::Effect>,
        sequence: Option<u64>,
    ) -> Heard<S::Effect> {
        let name = |effect: &S::Effect| {
            let row = space.effect_index(effect);
            space.model().effects[row].name.clone()
        };
        match message {
            Message::Event(event) => match self.step(space, event, Source::External) {
                Moved::Handled(next) => {
                    self.flight = None;
                    if let Some(effect) = effect {
                        self.tell(space, &Record::Superseded { effect, sequence });
                    }
                    Heard::Handled(next)
                }
                Moved::Ignored | Moved::Rejected { .. } => Heard::Unmoved,
            },
            Message::Suspend => Heard::End(Box::new(Termination::Suspended {
                state: self.state_name(space),
                effect: effect.map(name),
                idle: false,
            })),
            Message::Cancel => Heard::End(Box::new(Termination::Cancelled {
                state: self.state_name(space),
                effect: effect.map(name),
            })),
        }
    }

    /// Whether the run is at its end, with nothing left but a `stop`: it no longer listens, and no
    /// limit keeps it from finishing.
    #[inline]
    pub(super) fn is_ending(&self, space: &S, effect: Option<&S::Effect>) -> bool {
        match effect {
            Some(effect) => {
                self.plan.effects[space.effect_index(effect)].semantics == Semantics::Stop
            }
            None => space.model().states[space.state_index(self.state)].terminal,
        }
    }

    pub(super) fn state_name(&self, space: &S) -> String {
        space.model().states[space.state_index(self.state)]
            .name
            .clone()
    }

    /// The effect in flight.
    pub(super) fn flight_name(&self, space: &S) -> Option<String> {
        let row = self.flight?;
        Some(space.model().effects[row].name.clone())
    }

    pub(super) fn completed(&self, space: &S) -> Termination {
        Termination::Completed {
            state: self.state_name(space),
        }
    }

    pub(super) fn limited(&self, space: &S, limit: Limit) -> Termination {
        let unknown = self
            .flight
            .filter(|row| self.plan.effects[*row].semantics != Semantics::Query);
        Termination::Limit {
            limit,
            state: self.state_name(space),
            abandoned: unknown.and(self.flight_name(space)),
        }
    }

    pub(super) fn escape(&self, space: &S, reason: String, panicked: bool) -> Termination {
        Termination::Escape {
            state: self.state_name(space),
            effect: self.flight_name(space),
            reason,
            panicked,
        }
    }

    /// Tells the end.
    pub(super) fn finish(&mut self, space: &S, termination: &Termination) -> Usage {
        for event in self.inbox.iter().flat_map(Receiver::close) {
            self.observer
                .record(space, &Record::Unread { event: &event });
        }
        let usage = self.plan.usage(space.model());
        tracing::info!(target: "space::run", %termination, %usage, "ended");
        let told = Record::Ended {
            termination,
            usage: &usage,
        };
        self.observer.record(space, &told);
        usage
    }
}

/// The limit of a loop that is used up.
fn exhausted(row: &LoopRow, rounds: u64, elapsed: Duration) -> Option<Limit> {
    let allowed = Duration::from_millis(row.timeout_ms.into());
    if row.max_rounds > 0 && rounds >= row.max_rounds.into() {
        return Some(Limit::Rounds {
            used: rounds,
            allowed: row.max_rounds.into(),
        });
    }
    (row.timeout_ms > 0 && elapsed >= allowed).then_some(Limit::Clock {
        used: elapsed,
        allowed,
    })
}
