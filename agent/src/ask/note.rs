//! What a look-up tells while it works, beside the steps of its machines.

use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::provider::{Attempt, Finish, Usage};

/// A fact for the person, or the program, that watches.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Note {
    /// The repository was searched.
    Searched {
        /// What for, in the order of letters.
        terms: Vec<String>,
        /// Sources of the passages, best first.
        passages: Vec<String>,
        /// Files that were read.
        files: usize,
        /// Files that were not: too large, no text, not readable.
        skipped: usize,
        /// Whether there was more to read than is read.
        partial: bool,
        /// How long it took.
        #[serde(rename = "ms", serialize_with = "millis")]
        took: Duration,
    },
    /// The model is being asked.
    Asking,
    /// An attempt to reach the model failed.
    AttemptFailed {
        /// Counted from 1.
        number: u32,
        /// HTTP status, when there was a response.
        status: Option<u16>,
        /// Why.
        error: String,
        /// How many milliseconds until the next attempt; absent when this was the last.
        next_in_ms: Option<u64>,
        /// How long it took.
        #[serde(rename = "ms", serialize_with = "millis")]
        took: Duration,
    },
    /// The model replied.
    Replied {
        /// What it said.
        text: String,
        /// Why it stopped.
        finish: Finish,
        /// Tokens of the exchange.
        usage: Usage,
        /// How long it took.
        #[serde(rename = "ms", serialize_with = "millis")]
        took: Duration,
    },
    /// The reply was judged.
    Judged {
        /// What it came to.
        verdict: Judgement,
        /// Sources that it names and that hold.
        citations: Vec<String>,
        /// Why it is no answer.
        reasons: Vec<String>,
        /// What is looked for next.
        missing: String,
    },
}

/// What a reply came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// An answer with sources that hold.
    Answered,
    /// The model says that it misses something.
    Missing,
    /// An answer whose sources do not hold.
    Refused,
    /// No reply that could be judged.
    Unusable,
}

impl Note {
    /// The note of an attempt, when it failed.
    pub fn of_attempt(attempt: &Attempt) -> Option<Self> {
        Some(Self::AttemptFailed {
            number: attempt.number,
            status: attempt.status,
            error: attempt.error.as_ref()?.to_string(),
            next_in_ms: attempt.next_in.map(whole_millis),
            took: attempt.elapsed,
        })
    }
}

/// Milliseconds, as JSON holds them.
pub fn whole_millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn millis<S: Serializer>(took: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(whole_millis(*took))
}

/// Who is told.
pub type Notes = Arc<dyn Fn(&Note) + Send + Sync>;
