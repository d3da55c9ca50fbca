//! How runs end.

use std::fmt;
use std::time::Duration;

/// How a run ended. Names are the contract's.
///
/// A run whose future is dropped has no termination: it is told to nobody, and is as if the
/// process had crashed there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Termination {
    /// The machine reached a terminal state, or a `stop` was answered.
    Completed {
        /// Where.
        state: String,
    },
    /// An event that the run cannot go on without was rejected: the one it was started with, or an
    /// outcome.
    Rejected {
        /// The event.
        event: String,
        /// Where.
        state: String,
        /// Why.
        reason: String,
    },
    /// A limit of the run is used up.
    Limit {
        /// Which, and what was used.
        limit: Limit,
        /// Where.
        state: String,
        /// The effect that was dropped in flight, when it was no query: what it did is unknown.
        abandoned: Option<String>,
    },
    /// A feedback loop is used up.
    FeedbackExhausted {
        /// The loop.
        feedback: String,
        /// How often it was gone through.
        rounds: u64,
        /// Which of its limits, and what was used.
        limit: Limit,
    },
    /// The run can go on, but not here and now.
    Suspended {
        /// Where.
        state: String,
        /// The effect that starts, or starts again, on resume.
        effect: Option<String>,
        /// Whether nobody asked for it: the run waits for an external event, and no handle is left
        /// that could send one.
        idle: bool,
    },
    /// The caller ended the run through its handle. A contract's own `Cancel` event completes it.
    Cancelled {
        /// Where.
        state: String,
        /// The effect that did not start, or was dropped in flight.
        effect: Option<String>,
    },
    /// Something happened that the contract has no word for.
    Escape {
        /// Where.
        state: String,
        /// The effect in flight.
        effect: Option<String>,
        /// What happened.
        reason: String,
        /// Whether it was a panic.
        panicked: bool,
    },
    /// Whether an effect was done is unknown.
    InDoubt {
        /// Where.
        state: String,
        /// The effect.
        effect: String,
        /// Which of the run's effects, from 1.
        sequence: u64,
    },
}

impl Termination {
    /// Whether the run ended as its contract means runs to end.
    pub fn is_completed(&self) -> bool {
        matches!(self, Self::Completed { .. })
    }

    /// Whether the run can be taken up again.
    pub fn is_resumable(&self) -> bool {
        match self {
            Self::Limit { .. }
            | Self::Suspended { .. }
            | Self::Escape { .. }
            | Self::InDoubt { .. } => true,
            Self::Completed { .. }
            | Self::Rejected { .. }
            | Self::FeedbackExhausted { .. }
            | Self::Cancelled { .. } => false,
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed { state } => write!(f, "completed in `{state}`"),
            Self::Rejected {
                event,
                state,
                reason,
            } => write!(f, "rejected: `{event}` in `{state}`: {reason}"),
            Self::Limit {
                limit,
                state,
                abandoned,
            } => {
                write!(f, "limit: {limit}, in `{state}`")?;
                match abandoned {
                    Some(effect) => write!(f, "; `{effect}` was dropped, what it did is unknown"),
                    None => Ok(()),
                }
            }
            Self::FeedbackExhausted {
                feedback,
                rounds,
                limit,
            } => write!(
                f,
                "feedback exhausted: `{feedback}` after {rounds} rounds: {limit}"
            ),
            Self::Suspended {
                state,
                effect,
                idle,
            } => {
                write!(f, "suspended in `{state}`")?;
                if let Some(effect) = effect {
                    write!(f, " before `{effect}`")?;
                }
                if *idle {
                    f.write_str(": it waits for an event, and nobody is left to send one")?;
                }
                Ok(())
            }
            Self::Cancelled { state, effect } => {
                write!(f, "cancelled in `{state}`")?;
                match effect {
                    Some(effect) => write!(f, " before `{effect}`"),
                    None => Ok(()),
                }
            }
            Self::Escape {
                state,
                effect,
                reason,
                panicked,
            } => {
                f.write_str(if *panicked { "panic" } else { "escape" })?;
                write!(f, " in `{state}`")?;
                if let Some(effect) = effect {
                    write!(f, " during `{effect}`")?;
                }
                write!(f, ": {reason}")
            }
            Self::InDoubt {
                state,
                effect,
                sequence,
            } => write!(
                f,
                "in doubt in `{state}`: whether `{effect}` (effect {sequence}) was done is unknown"
            ),
        }
    }
}

/// A limit that is used up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Steps.
    Rounds {
        /// What was used.
        used: u64,
        /// What was allowed.
        allowed: u64,
    },
    /// Time.
    Clock {
        /// What was used.
        used: Duration,
        /// What was allowed.
        allowed: Duration,
    },
    /// Tokens.
    Tokens {
        /// What was used.
        used: u64,
        /// What was allowed.
        allowed: u64,
    },
    /// Millionths of the currency unit.
    Cost {
        /// What was used.
        used: u64,
        /// What was allowed.
        allowed: u64,
    },
    /// Starts of an effect.
    Effect {
        /// The effect.
        effect: String,
        /// What was used.
        used: u64,
        /// What was allowed.
        allowed: u64,
    },
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rounds { used, allowed } => write!(f, "{used} of {allowed} rounds used"),
            Self::Clock { used, allowed } => write!(f, "{used:?} of {allowed:?} used"),
            Self::Tokens { used, allowed } => write!(f, "{used} of {allowed} tokens used"),
            Self::Cost { used, allowed } => {
                write!(f, "{used} of {allowed} millionths of cost used")
            }
            Self::Effect {
                effect,
                used,
                allowed,
            } => write!(f, "{used} of {allowed} starts of `{effect}` used"),
        }
    }
}
