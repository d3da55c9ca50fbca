//! What a run tells while it works, beside the steps of its machine.

use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::provider::{Attempt, Finish, ToolCall, Usage};
use crate::tools::{Failure, Outcome};

/// A fact for the person, or the program, that watches.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Note {
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
        /// How long until the next attempt; absent when this was the last.
        #[serde(rename = "next_in_ms", serialize_with = "maybe_millis")]
        next_in: Option<Duration>,
        /// How long it took.
        #[serde(rename = "ms", serialize_with = "millis")]
        took: Duration,
    },
    /// The model answered.
    Replied {
        /// What it said.
        text: String,
        /// Why it stopped.
        finish: Finish,
        /// The tools it asked for. Of a reply that was cut off there are none.
        calls: Vec<Asked>,
        /// Tokens of the exchange.
        usage: Usage,
        /// How long it took.
        #[serde(rename = "ms", serialize_with = "millis")]
        took: Duration,
    },
    /// A tool was called: one for each call that the model asked for and that started.
    Called {
        /// The call's id.
        id: String,
        /// The tool.
        tool: String,
        /// Its arguments, in one line.
        arguments: String,
        /// Whether the workspace is what it was.
        outcome: Outcome,
        /// Why it did not do what was asked.
        failure: Option<Failure>,
        /// The policy's rule that decided.
        rule: Option<String>,
        /// The first line of what the model was shown.
        shown: String,
        /// How long it took.
        #[serde(rename = "ms", serialize_with = "millis")]
        took: Duration,
    },
    /// The checks are running.
    Proving,
    /// The checks ran.
    Checked {
        /// Whether all passed.
        passed: bool,
        /// Checks that passed.
        checks_passed: usize,
        /// All checks.
        checks: usize,
        /// Why it is no proof, one reason a line.
        reasons: String,
        /// How long it took.
        #[serde(rename = "ms", serialize_with = "millis")]
        took: Duration,
    },
}

/// A call that the model asked for.
#[derive(Clone, Debug, Serialize)]
pub struct Asked {
    /// Its id.
    pub id: String,
    /// The tool.
    pub tool: String,
}

impl Asked {
    pub(super) fn of(call: &ToolCall) -> Self {
        Self {
            id: call.id.clone(),
            tool: call.name.clone(),
        }
    }
}

impl Note {
    /// The note of an attempt, when it failed.
    pub fn of_attempt(attempt: &Attempt) -> Option<Self> {
        Some(Self::AttemptFailed {
            number: attempt.number,
            status: attempt.status,
            error: attempt.error.as_ref()?.to_string(),
            next_in: attempt.next_in,
            took: attempt.elapsed,
        })
    }
}

fn millis<S: Serializer>(took: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(took.as_millis()).unwrap_or(u64::MAX))
}

#[allow(clippy::ref_option, reason = "serde asks for it")]
fn maybe_millis<S: Serializer>(took: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    match took {
        Some(took) => millis(took, serializer),
        None => serializer.serialize_none(),
    }
}

/// Who is told.
pub type Notes = Arc<dyn Fn(&Note) + Send + Sync>;
