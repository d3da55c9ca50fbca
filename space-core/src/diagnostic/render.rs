//! Findings as text: for people, for programs, for code scanning, for a CI log.
//!
//! All four are deterministic, and name files by the relative paths of their sources.

mod github;
mod human;
mod json;
mod place;
mod sarif;
pub mod trace;

pub use github::github;
pub use human::{Colour, human, lines};
#[cfg(feature = "diff")]
pub(crate) use human::{Said, block, clean};
pub use json::json;
#[cfg(feature = "diff")]
pub(crate) use place::Place;
pub use sarif::sarif;

use super::{Diagnostic, Severity};
use crate::contract::Sources;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Format {
    /// For people, as rustc prints: [`human()`].
    #[default]
    Human,
    /// One JSON object a line: [`json()`].
    Json,
    /// SARIF 2.1.0: [`sarif()`].
    Sarif,
    /// Workflow commands of GitHub Actions: [`github()`].
    GitHub,
}

impl Format {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Human, Self::Json, Self::Sarif, Self::GitHub];

    /// The word of the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::GitHub => "github",
        }
    }

    /// Reads the word of the command line.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == text)
    }
}

/// The findings in a format, without colour, in the order given: [`super::sort`] them first.
pub fn render(format: Format, diagnostics: &[Diagnostic], sources: &Sources) -> String {
    match format {
        Format::Human => human(diagnostics, sources, Colour::Never),
        Format::Json => json(diagnostics, sources),
        Format::Sarif => sarif(diagnostics, sources),
        Format::GitHub => github(diagnostics, sources),
    }
}

/// How many there are of each severity: `2 errors, 1 warning`; empty when there are none.
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    let counts = [Severity::Error, Severity::Warning, Severity::Note].map(|severity| {
        let of = |one: &&Diagnostic| one.severity() == severity;
        (diagnostics.iter().filter(of).count(), severity.name())
    });
    let parts = counts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<_> = parts
        .map(|(count, name)| format!("{count} {name}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    parts.join(", ")
}
