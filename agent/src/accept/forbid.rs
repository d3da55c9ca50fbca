//! Texts that must not appear.

use std::sync::{Arc, LazyLock};

use regex::bytes::Regex;

use super::json::{Json, Value};
use super::text::Judged;
use super::verdict::{Code, Place, Reason};

/// A text that must not be there.
#[derive(Debug, Clone)]
pub struct Forbidden {
    shown: String,
    // Shared, so that the caches of its searches are as well.
    regex: Arc<Regex>,
    scope: Scope,
    place: Place,
}

/// Where a forbidden text is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In the bytes as they are.
    Raw,
    /// In what is not part of a JSON value.
    OutsideJson,
    /// In the decoded strings of the JSON values, keys included.
    JsonStrings,
}

/// What a user must never see: failures printed by a runtime, marks of generated code, and escape
/// sequences where no terminal is.
const TRACES: &[&str] = &[
    "Failure(",
    "panicked at",
    "Traceback (most recent call last)",
    "Segmentation fault",
    "core dumped",
    "goroutine 1 [",
    "UnhandledPromiseRejection",
    "    at Object.<anonymous> (",
    "wasm-function[",
    "RuntimeError: unreachable",
    "\u{1b}",
];

static TRACE_RULES: LazyLock<Vec<(String, Arc<Regex>)>> = LazyLock::new(|| {
    let rule = |text: &&str| Some((show(text.as_bytes()), literal(text.as_bytes())?));
    TRACES.iter().filter_map(rule).collect()
});

/// The preset `traces`, as if it were written at `place`.
pub(super) fn traces(place: &Place) -> Vec<Forbidden> {
    let rule = |(shown, regex): &(String, Arc<Regex>)| Forbidden {
        shown: shown.clone(),
        regex: regex.clone(),
        scope: Scope::Raw,
        place: place.clone(),
    };
    TRACE_RULES.iter().map(rule).collect()
}

impl Forbidden {
    /// `None` when the text is empty, or too long to be looked for.
    pub(super) fn new(bytes: &[u8], scope: Scope, place: Place) -> Option<Self> {
        if bytes.is_empty() {
            return None;
        }
        Some(Self {
            shown: show(bytes),
            regex: literal(bytes)?,
            scope,
            place,
        })
    }

    /// One reason for the first place where the text is, if it is anywhere.
    pub(super) fn judge(&self, judged: &Judged<'_>) -> Option<Reason> {
        let bytes = judged.bytes;
        let found: Vec<usize> = match self.scope {
            Scope::Raw => self
                .regex
                .find_iter(bytes)
                .map(|found| found.start())
                .collect(),
            Scope::OutsideJson => judged
                .outside_json()
                .into_iter()
                .flat_map(|part| {
                    let start = part.start;
                    self.regex
                        .find_iter(&bytes[part])
                        .map(move |found| start + found.start())
                })
                .collect(),
            Scope::JsonStrings => {
                let mut found = Vec::new();
                judged
                    .values
                    .iter()
                    .for_each(|value| self.find_in_strings(value, &mut found));
                found
            }
        };
        let first = found.first().copied()?;
        let origin = judged.origin;
        let times = match found.len() {
            1 => String::new(),
            count => format!(" ({count} times in all)"),
        };
        let mut reason = judged.reason_at(
            Code::ForbiddenText,
            first,
            format!(
                "{origin} contains the forbidden `{}` at byte {first}{times}",
                self.shown
            ),
            &self.place,
        );
        reason.expected = Some(format!("no `{}`", self.shown));
        reason.actual = Some(judged.line_at(first));
        Some(reason)
    }

    fn find_in_strings(&self, json: &Json, found: &mut Vec<usize>) {
        match &json.value {
            Value::String(text) if self.regex.is_match(text.as_bytes()) => found.push(json.byte),
            Value::Array(items) => {
                for item in items {
                    self.find_in_strings(item, found);
                }
            }
            Value::Object(members) => {
                for (key, value) in members {
                    if self.regex.is_match(key.as_bytes()) {
                        found.push(value.byte);
                    }
                    self.find_in_strings(value, found);
                }
            }
            _ => {}
        }
    }
}

fn literal(bytes: &[u8]) -> Option<Arc<Regex>> {
    use std::fmt::Write as _;
    let mut pattern = String::from("(?-u)");
    for byte in bytes {
        let _ = write!(pattern, "\\x{byte:02x}");
    }
    Regex::new(&pattern).ok().map(Arc::new)
}

fn show(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => bytes.escape_ascii().to_string(),
    }
}
