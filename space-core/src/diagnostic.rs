//! What is wrong with a contract, where, and the way out.

mod codes;
mod nearest;
#[cfg(feature = "parse")]
pub mod render;

pub use codes::{CODES, Code, CodeInfo, explain};
pub(crate) use nearest::Spelling;
pub use nearest::nearest;

use crate::contract::{Sources, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The contract does not build.
    Error,
    /// It builds, and something in it is likely a mistake.
    Warning,
    /// A fact worth knowing.
    Note,
}

impl Severity {
    /// The word that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Its stable code; severity and long text belong to the code.
    pub code: Code,
    /// One sentence that names the value that is wrong.
    pub message: String,
    /// The place.
    pub span: Span,
    /// A few words under the caret; may be empty.
    pub label: String,
    /// Other places that explain it ("first declared here").
    pub related: Vec<Related>,
    /// The way out, where one is clear.
    pub help: Option<String>,
    /// The edit that makes it right, where one is clear.
    pub edit: Option<Edit>,
    /// The run that shows it.
    pub trace: Option<Trace>,
}

/// A second place and what it has to do with the finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The place.
    pub span: Span,
    /// What is there.
    pub message: String,
}

/// A replacement of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// With what.
    pub text: String,
}

/// A run, as a reader follows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The initial state, then one line a step; several where several machines move at once.
    pub lines: Vec<TraceLine>,
    /// Whether no shorter run shows the same.
    pub shortest: bool,
    /// The line at which a cycle begins that the run may repeat; its last line closes it.
    pub repeats: Option<usize>,
}

/// A step of a run: what happened, where that leads, what is asked for next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceLine {
    /// Which machine of a composition it is about; none in a run of one machine.
    pub component: Option<String>,
    /// The event; none in the first line.
    pub event: Option<String>,
    /// The state entered.
    pub state: String,
    /// The effect asked for.
    pub effect: Option<String>,
    /// The rule used.
    pub span: Option<Span>,
    /// Whether it belongs to the step of the line before.
    pub joined: bool,
}

impl Diagnostic {
    /// A finding of this code at this place.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            help: None,
            edit: None,
            trace: None,
        }
    }

    /// With a few words under the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// With a second place.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Related {
            span,
            message: message.into(),
        });
        self
    }

    /// With a way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With the edit that makes it right.
    #[must_use]
    pub fn edit(mut self, span: Span, text: impl Into<String>) -> Self {
        self.edit = Some(Edit {
            span,
            text: text.into(),
        });
        self
    }

    /// With the run that shows it.
    #[must_use]
    pub fn trace(mut self, trace: Trace) -> Self {
        self.trace = Some(trace);
        self
    }

    /// The severity of its code.
    pub fn severity(&self) -> Severity {
        self.code.info().severity
    }
}

/// Puts findings in the order of reports, by path, place, code and message, and drops those that
/// say the same thing of the same place.
pub fn sort(diagnostics: &mut Vec<Diagnostic>, sources: &Sources) {
    let path = |one: &Diagnostic| sources.get(one.span.file).map(|file| file.path.as_str());
    diagnostics.sort_by(|a, b| {
        let key = |one| (path(one), a_place(one));
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    diagnostics.dedup_by(|a, b| a_place(a) == a_place(b) && a.message == b.message);
}

fn a_place(one: &Diagnostic) -> (Span, Code) {
    (one.span, one.code)
}
