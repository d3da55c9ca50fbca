//! The collector that every reader writes its findings to.

use std::ops::Range;

use super::Parsed;
use crate::contract::{FileId, Sources, Span};
use crate::diagnostic::{Code, Diagnostic, Severity, sort};

/// How many errors, and how many warnings, of one file are kept; the rest is counted.
const KEPT: usize = 1000;

/// The findings of one file.
pub(super) struct Findings<'s> {
    /// The file's text.
    pub(super) text: &'s str,
    file: FileId,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    more: Option<(Code, Span, usize)>,
    leaf: bool,
    sound: bool,
}

impl<'s> Findings<'s> {
    pub(super) fn new(file: FileId, text: &'s str) -> Self {
        Self {
            text,
            file,
            errors: Vec::new(),
            warnings: Vec::new(),
            more: None,
            leaf: false,
            sound: true,
        }
    }

    /// The place of a byte range.
    pub(super) fn span(&self, range: &Range<usize>) -> Span {
        let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        Span::new(self.file, at(range.start), at(range.end))
    }

    /// What is written at a place.
    pub(super) fn written(&self, span: Span) -> &'s str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// Adds a finding.
    pub(super) fn report(&mut self, finding: Diagnostic) {
        let error = finding.severity() == Severity::Error;
        // Codes of the later groups mark their own holes in the value.
        self.sound &= !error || self.leaf || finding.code >= Code::INITIAL;
        if self.overflows(finding.code, finding.span) {
            return;
        }
        let kept = if error {
            &mut self.errors
        } else {
            &mut self.warnings
        };
        kept.push(finding);
    }

    /// Takes back that the key at a place is unknown, when it is probably one of these: what is said of the
    /// key that is missing says it all. The key that is meant.
    pub(super) fn take_misspelt<'k>(&mut self, place: Span, keys: &[&'k str]) -> Option<&'k str> {
        let at = self.warnings.iter().position(|one| {
            let meant = one.edit.as_ref().map(|edit| edit.text.as_str());
            one.code == Code::UNKNOWN_KEY
                && one.span == place
                && meant.is_some_and(|meant| keys.contains(&meant))
        })?;
        let meant = self.warnings.remove(at).edit?.text;
        keys.iter().copied().find(|key| *key == meant)
    }

    /// Whether a finding can only be counted; it then is. Asked by those that would look long
    /// for words that nobody reads.
    pub(super) fn overflows(&mut self, code: Code, span: Span) -> bool {
        let kept = if code.info().severity == Severity::Error {
            &self.errors
        } else {
            &self.warnings
        };
        let full = kept.len() >= KEPT;
        if full {
            let (.., count) = self.more.get_or_insert((code, span, 0));
            *count += 1;
        }
        full
    }

    /// Reads a part on which nothing else depends: its errors leave the value sound.
    pub(super) fn leaf<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.leaf, true);
        let value = read(self);
        self.leaf = outer;
        value
    }

    /// The value with all findings by place.
    pub(super) fn finish<T>(self, value: T) -> Parsed<T> {
        let mut diagnostics = self.errors;
        diagnostics.extend(self.warnings);
        sort(&mut diagnostics, &Sources::default());
        diagnostics.extend(self.more.map(|(code, span, count)| {
            Diagnostic::new(
                code,
                span,
                format!("and {count} more findings in this file"),
            )
        }));
        Parsed {
            value,
            diagnostics,
            sound: self.sound,
        }
    }
}
