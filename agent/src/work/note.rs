//! What a run tells while it works, beside the steps of its machine.

use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::provider::Usage;
use crate::tools::{Failure, Outcome};

/// A fact for the person, or the program, that watches.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Note {
    /// The model is being asked.
    Asking,
    /// The model answered.
    Replied {
        /// What it said.
        text: String,
        /// How many tools it asked for.
        calls: usize,
        /// Tokens of the exchange.
        usage: Usage,
        /// How long it took.
        #[serde(rename = "ms", serialize_with = "millis")]
        took: Duration,
    },
    /// A tool was called.
    Called {
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
    Proved {
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

fn millis<S: Serializer>(took: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(took.as_millis()).unwrap_or(u64::MAX))
}

/// Who is told.
pub type Notes = Arc<dyn Fn(&Note) + Send + Sync>;
