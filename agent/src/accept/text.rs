use std::ops::Range;

use regex::bytes::Regex;

use super::check::{Format, Text};
use super::forbid::Scope;
use super::json::{Json, Problem, Reading, Value, excerpt};
use super::strict;
use super::verdict::{Code, Flaw, Origin, Place, Reason};

/// Judges a text by everything its rule says, and collects all reasons.
pub(super) fn judge(rule: &Text, bytes: &[u8], origin: &Origin) -> Vec<Reason> {
    let mut judged = Judged::of(origin, bytes);
    let mut reasons = judged.judge_format(rule);
    for predicate in &rule.predicates {
        reasons.extend(predicate.judge(&judged, rule.format));
    }
    reasons.extend(judge_forbidden(rule, &judged));
    reasons
}

/// Judges only what must not be there: what can be said of an unfinished text.
pub(super) fn judge_unfinished(rule: &Text, bytes: &[u8], origin: &Origin) -> Vec<Reason> {
    judge_forbidden(rule, &Judged::of(origin, bytes))
}

/// One reason for each forbidden text and place: a person may forbid what a preset forbids as well.
fn judge_forbidden(rule: &Text, judged: &Judged<'_>) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    for forbidden in &rule.forbid {
        let Some(reason) = forbidden.judge(judged) else {
            continue;
        };
        let same =
            |told: &&mut Reason| (told.byte, &told.expected) == (reason.byte, &reason.expected);
        match reasons.iter_mut().find(same) {
            // What the check says comes after its presets, and its place is the better one.
            Some(told) => *told = reason,
            None => reasons.push(reason),
        }
    }
    reasons
}

/// A text while it is judged, with the JSON values that were found in it.
pub(super) struct Judged<'b> {
    pub(super) origin: &'b Origin,
    pub(super) bytes: &'b [u8],
    pub(super) values: Vec<Json>,
    spans: Vec<Range<usize>>,
}

impl<'b> Judged<'b> {
    /// A text of which nothing is known yet.
    pub(super) fn of(origin: &'b Origin, bytes: &'b [u8]) -> Self {
        Self {
            origin,
            bytes,
            values: Vec::new(),
            spans: Vec::new(),
        }
    }

    fn judge_format(&mut self, rule: &Text) -> Vec<Reason> {
        match rule.format {
            Format::Any => Vec::new(),
            Format::Empty => self.judge_empty(rule),
            Format::Text => self.judge_text(rule),
            Format::Json => self.judge_json(rule),
            Format::JsonLines => self.judge_json_lines(rule),
        }
    }

    fn judge_empty(&self, rule: &Text) -> Vec<Reason> {
        let left =
            lines(self.bytes).filter(|line| !allowed(&rule.allow, &self.bytes[line.clone()]));
        let mut left =
            left.filter(|line| rule.allow.is_empty() || !self.bytes[line.clone()].is_empty());
        let Some(first) = left.next() else {
            return Vec::new();
        };
        let shown = self.line_at(first.start);
        let (flaw, message) = if rule.allow.is_empty() {
            let size = self.bytes.len();
            let message = format!(
                "{} should be empty, but holds {size} bytes: `{shown}`",
                self.origin
            );
            (Flaw::NotEmpty, message)
        } else {
            let more = match left.count() {
                0 => String::new(),
                count => format!(", and {count} more"),
            };
            let message = format!(
                "{} has a line that no `allow` rule covers, at byte {}: `{shown}`{more}",
                self.origin, first.start
            );
            (Flaw::LineNotAllowed, message)
        };
        let mut reason = self.reason_at(self.code(flaw), first.start, message, &rule.place);
        reason.expected = Some("nothing".into());
        reason.actual = Some(shown);
        vec![reason]
    }

    fn judge_text(&mut self, rule: &Text) -> Vec<Reason> {
        if let Err(error) = std::str::from_utf8(self.bytes) {
            let byte = error.valid_up_to();
            let message = format!(
                "{} is not text: byte {byte} (0x{:02x}) is not UTF-8",
                self.origin, self.bytes[byte]
            );
            return vec![self.reason_at(self.code(Flaw::InvalidUtf8), byte, message, &rule.place)];
        }
        let kept = without_lines(self.bytes, &rule.allow);
        let text = String::from_utf8_lossy(&kept).into_owned();
        self.values.push(Json {
            byte: 0,
            value: Value::String(text),
        });
        Vec::new()
    }

    fn judge_json(&mut self, rule: &Text) -> Vec<Reason> {
        // Spaces in place of allowed lines keep every offset true.
        let mut masked = self.bytes.to_vec();
        for line in lines(self.bytes) {
            if allowed(&rule.allow, &self.bytes[line.clone()]) {
                masked[line].fill(b' ');
            }
        }
        let reading = strict::read(&masked);
        let reasons = self.json_reasons(&reading, rule);
        if let Some(value) = reading.value {
            self.spans.push(value.byte..reading.end);
            self.values.push(value);
        }
        reasons
    }

    fn judge_json_lines(&mut self, rule: &Text) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for line in lines(self.bytes) {
            let bytes = &self.bytes[line.clone()];
            if allowed(&rule.allow, bytes) {
                continue;
            }
            if bytes.trim_ascii().is_empty() {
                let message = format!("{} has an empty line at byte {}", self.origin, line.start);
                let code = self.code(Flaw::BlankLine);
                reasons.push(self.reason_at(code, line.start, message, &rule.place));
                continue;
            }
            let reading = strict::read_at(bytes, line.start);
            reasons.extend(self.json_reasons(&reading, rule));
            if let Some(value) = reading.value {
                self.spans.push(value.byte..reading.end);
                self.values.push(value);
            }
        }
        if self.values.is_empty() && reasons.is_empty() {
            let message = format!("{} should hold JSON lines, but is empty", self.origin);
            reasons.push(self.reason_at(self.code(Flaw::Empty), 0, message, &rule.place));
        }
        reasons
    }

    fn json_reasons(&self, reading: &Reading, rule: &Text) -> Vec<Reason> {
        let origin = self.origin;
        let reason = |problem: &Problem| {
            let flaw = Flaw::from(problem.kind);
            let what = &problem.message;
            let message = match flaw {
                Flaw::TrailingBytes => format!("{origin} is valid JSON, but {what}"),
                Flaw::Empty => format!("{origin} should be JSON, but is empty"),
                Flaw::DuplicateKey | Flaw::ByteOrderMark => {
                    format!("{origin} is not strict JSON: {what}")
                }
                _ => format!("{origin} is not JSON: {what}"),
            };
            let byte = problem.byte;
            let mut reason = self.reason_at(self.code(flaw), byte, message, &rule.place);
            reason.expected = Some("one JSON value and nothing else".into());
            reason.actual = Some(self.line_at(byte)).filter(|line| !line.is_empty());
            reason.hint = hint(flaw, origin);
            reason
        };
        reading.problems.iter().map(reason).collect()
    }

    /// What is not part of a JSON value.
    pub(super) fn outside_json(&self) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut at = 0;
        for span in &self.spans {
            parts.push(at..span.start);
            at = span.end;
        }
        parts.push(at..self.bytes.len());
        parts
    }

    pub(super) fn reason_at(
        &self,
        code: Code,
        byte: usize,
        message: String,
        check: &Place,
    ) -> Reason {
        let before = &self.bytes[..byte.min(self.bytes.len())];
        let line_start = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |at| at + 1);
        Reason {
            code,
            message,
            stream: Some(self.origin.clone()),
            byte: Some(byte),
            line: Some(before.split(|&b| b == b'\n').count()),
            column: Some(
                String::from_utf8_lossy(&before[line_start..])
                    .chars()
                    .count()
                    + 1,
            ),
            expected: None,
            actual: None,
            check: check.clone(),
            hint: None,
        }
    }

    /// The text from a byte to the end of its line, shortened and fit to be shown.
    pub(super) fn line_at(&self, byte: usize) -> String {
        const ENOUGH: usize = 400;
        let rest = &self.bytes[byte.min(self.bytes.len())..];
        excerpt(&String::from_utf8_lossy(&rest[..rest.len().min(ENOUGH)]))
    }

    fn code(&self, flaw: Flaw) -> Code {
        Code::Text(self.origin.channel(), flaw)
    }
}

/// Whether a scope can be looked at in a text of that format.
pub(super) fn scope_fits(scope: Scope, format: Format) -> bool {
    scope == Scope::Raw || matches!(format, Format::Json | Format::JsonLines)
}

/// A text without the lines that match.
pub(super) fn without_lines(bytes: &[u8], allow: &[Regex]) -> Vec<u8> {
    let kept = line_ends(bytes).filter(|line| !allowed(allow, &bytes[line.clone()]));
    kept.flat_map(|line| bytes[line].iter().copied()).collect()
}

fn hint(flaw: Flaw, origin: &Origin) -> Option<String> {
    let hint = match (flaw, origin) {
        (Flaw::TrailingBytes | Flaw::NotJson, Origin::Stdout) => {
            "print the JSON alone on stdout; messages and logs belong on stderr"
        }
        (Flaw::Truncated, Origin::Stdout) => {
            "flush stdout before the program ends; a pipe takes 64 KiB at a time"
        }
        (Flaw::NotANumber, _) => "JSON has no NaN and no infinity: write null or leave the key out",
        _ => return None,
    };
    Some(hint.into())
}

fn allowed(allow: &[Regex], line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    allow.iter().any(|rule| rule.is_match(line))
}

/// The lines without their ends; a last line only if it holds something.
fn lines(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    line_ends(bytes).map(|line| {
        let end = line.end - usize::from(bytes[line.clone()].ends_with(b"\n"));
        line.start..end
    })
}

/// The lines with their ends.
fn line_ends(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &bytes[at..];
        if rest.is_empty() {
            return None;
        }
        let length = rest
            .iter()
            .position(|&b| b == b'\n')
            .map_or(rest.len(), |end| end + 1);
        at += length;
        Some(at - length..at)
    })
}
