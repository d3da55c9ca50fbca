//! One change.

use super::{Classes, RuleId, Run};
use crate::contract::Span;
use crate::diagnostic::Related;

/// A change between two versions of a contract.
///
/// Places point into one [`crate::contract::Sources`] that holds the files of both versions.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule that found it; classes and purpose belong to the rule.
    pub rule: RuleId,
    /// One sentence that names what changed.
    pub message: String,
    /// The place in the new version; of what is gone, the space's name.
    pub span: Span,
    /// A few words under the caret; may be empty.
    pub label: String,
    /// The place in the old version, and others that explain it.
    pub related: Vec<Related>,
    /// The way out.
    pub help: Option<String>,
    /// The shortest run of the old machine that the new one does not replay.
    pub run: Option<Run>,
}

impl Finding {
    pub(super) fn new(rule: RuleId, span: Span, message: impl Into<String>) -> Self {
        Self {
            rule,
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            help: None,
            run: None,
        }
    }

    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub(super) fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Related {
            span,
            message: message.into(),
        });
        self
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// What it breaks.
    pub fn classes(&self) -> Classes {
        self.rule.info().classes
    }
}
