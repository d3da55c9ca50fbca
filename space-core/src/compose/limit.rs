//! When a loop is used up.

use std::fmt;
use std::time::Duration;

use crate::graph::LoopRow;

/// A loop that is used up: what a run that ends so is audited with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// The loop.
    pub feedback: String,
    /// How often it was gone through.
    pub rounds: u32,
    /// Which of its limits.
    pub limit: LoopLimit,
}

/// A limit of a loop, and what was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopLimit {
    /// How often it may be gone through.
    Rounds {
        /// What was used.
        used: u32,
        /// What was allowed.
        allowed: u32,
    },
    /// How long after the start of the run it may be gone through.
    Time {
        /// What was used.
        used: Duration,
        /// What was allowed.
        allowed: Duration,
    },
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` after {} rounds: ", self.feedback, self.rounds)?;
        match self.limit {
            LoopLimit::Rounds { used, allowed } => write!(f, "{used} of {allowed} rounds used"),
            LoopLimit::Time { used, allowed } => write!(f, "{used:?} of {allowed:?} used"),
        }
    }
}

/// The limit of a loop that is used up.
pub(super) fn exhausted(row: &LoopRow, rounds: u32, elapsed: Duration) -> Option<Exhausted> {
    let allowed = Duration::from_millis(row.timeout_ms.into());
    let limit = if row.max_rounds > 0 && rounds >= row.max_rounds {
        LoopLimit::Rounds {
            used: rounds,
            allowed: row.max_rounds,
        }
    } else if row.timeout_ms > 0 && elapsed >= allowed {
        LoopLimit::Time {
            used: elapsed,
            allowed,
        }
    } else {
        return None;
    };
    Some(Exhausted {
        feedback: row.name.clone(),
        rounds,
        limit,
    })
}
