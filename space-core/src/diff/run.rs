//! A run of the old machine, and what the new one makes of it.

use std::fmt;

use crate::contract::Span;

/// A run of the old machine beside its replay on the new one, which differs in the last step.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The initial states of the old machine and of the new.
    pub start: (String, String),
    /// The steps; none when the initial states already differ.
    pub steps: Vec<RunStep>,
}

/// An event, and what both machines do with it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunStep {
    /// The event's name.
    pub event: String,
    /// The guard that the old machine asked, and its answer.
    pub guard: Option<(String, bool)>,
    /// What the old machine does.
    pub old: Outcome,
    /// What the new machine does.
    pub new: Outcome,
    /// The old machine's rule.
    pub old_place: Option<Span>,
    /// The new machine's rule.
    pub new_place: Option<Span>,
}

/// What a machine does with an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It takes a rule.
    Handled {
        /// The state entered.
        state: String,
        /// The effect asked for, with where its arguments come from.
        effect: Option<String>,
    },
    /// It does nothing, deliberately.
    Ignored,
    /// It refuses.
    Rejected {
        /// Why.
        reason: String,
    },
    /// It has no such event.
    Unreadable,
}

impl Outcome {
    /// The word of reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Handled { .. } => "handled",
            Self::Ignored => "ignored",
            Self::Rejected { .. } => "rejected",
            Self::Unreadable => "unreadable",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Handled {
                state,
                effect: Some(effect),
            } => write!(f, "-> {state} / {effect}"),
            Self::Handled { state, .. } => write!(f, "-> {state}"),
            Self::Rejected { reason } => write!(f, "rejected: {reason}"),
            Self::Ignored | Self::Unreadable => f.write_str(self.name()),
        }
    }
}
