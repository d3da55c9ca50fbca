//! What a run does, one fact at a time.

use std::time::Duration;

use super::{Termination, Usage};
use crate::graph::{Cell, Model, Rule};
use crate::machine::{Rejection, Semantics, Space};

/// A fact of a run, as it becomes one. Borrowed, so that telling it costs nothing.
///
/// The [`Record::Event`]s alone determine the machine's part of a run: all of
/// [`Record::Stepped`], [`Record::Ignored`] and [`Record::Rejected`] can be computed again from
/// them. Each `Event` is followed by exactly one of the three. The other records say what happened
/// in the world.
///
/// Effects are counted from 1 in the order of their starts: their `sequence`.
#[derive(Debug)]
pub enum Record<'a, S: Space> {
    /// The run begins in a state.
    Started {
        /// Which.
        state: S::State,
    },
    /// An event is about to be stepped.
    Event {
        /// Where it comes from.
        source: Source<'a>,
        /// What happened.
        event: &'a S::Event,
    },
    /// The event was handled.
    Stepped {
        /// The state before.
        from: S::State,
        /// The row of the event.
        event: usize,
        /// The state after.
        to: S::State,
        /// What the rule asks of the world. It has not started.
        effect: Option<&'a S::Effect>,
    },
    /// The event was ignored.
    Ignored {
        /// The state.
        state: S::State,
        /// The row of the event.
        event: usize,
    },
    /// The event was rejected.
    Rejected {
        /// The state.
        state: S::State,
        /// The row of the event.
        event: usize,
        /// Why.
        reason: Rejection,
    },
    /// An effect is about to start.
    Intent {
        /// Which.
        effect: &'a S::Effect,
        /// What it does to the world.
        semantics: Semantics,
        /// Which start it is.
        sequence: u64,
        /// Which attempt, from 1.
        attempt: u32,
    },
    /// An attempt failed, and there will be another.
    Retried {
        /// Which start failed.
        sequence: u64,
        /// Which attempt failed.
        attempt: u32,
        /// Why.
        fault: &'a str,
        /// How long until the next.
        pause: Duration,
    },
    /// A handled external event took the place of an effect.
    Superseded {
        /// Which.
        effect: &'a S::Effect,
        /// Which start was dropped in flight; none when it had not started.
        sequence: Option<u64>,
    },
    /// An external event that the run ended without looking at.
    Unread {
        /// Which.
        event: &'a S::Event,
    },
    /// The run ended. Always the last.
    Ended {
        /// How.
        termination: &'a Termination,
        /// What it used.
        usage: &'a Usage,
    },
}

/// Where an event comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// The run was started with it.
    Start,
    /// A handler answered with it.
    Outcome {
        /// Which start it answers.
        sequence: u64,
    },
    /// A handler's failure became it.
    Sentinel {
        /// Which start failed.
        sequence: u64,
        /// Why.
        fault: &'a str,
    },
    /// An effect took too long, and became it.
    TimedOut {
        /// Which start.
        sequence: u64,
        /// How long it was given.
        after: Duration,
    },
    /// It was sent through a handle.
    External,
    /// A loop feeds it back. It is stepped from where it lands, which is the state that its
    /// [`Record::Stepped`] says, not the one that the run was in.
    LoopBack {
        /// The loop, by row of [`Space::loops`].
        feedback: usize,
        /// Which round of it this is, from 1.
        round: u64,
    },
}

impl<S: Space> Record<'_, S> {
    /// The rule that a step used: of `Stepped`, and of `Rejected` when there was one. Logarithmic
    /// in the state's rules.
    pub fn rule<'m>(&self, space: &'m S) -> Option<&'m Rule> {
        let (state, event) = match self {
            Self::Stepped { from, event, .. } => (*from, *event),
            Self::Rejected { state, event, .. } => (*state, *event),
            _ => return None,
        };
        match space.model().cell(space.state_index(state), event) {
            Cell::Rule(rule) => Some(rule),
            Cell::Ignored | Cell::Empty => None,
        }
    }

    /// The guard that a step asked, and what it answered; none when it asked none.
    pub fn guard_answer(&self, space: &S) -> Option<(usize, bool)> {
        let (guard, negated) = self.rule(space)?.guard?;
        let refused = matches!(
            self,
            Self::Rejected {
                reason: Rejection::GuardRefused { .. },
                ..
            }
        );
        Some((guard, refused == negated))
    }
}

/// The name of an event's row.
pub(super) fn event_name(model: &Model, row: usize) -> &str {
    model.events.get(row).map_or("?", |row| &row.name)
}
