//! `edit`: exact replacements in a file, all or none.
//!
//! Nothing is applied by resemblance. A miss is answered with what the model needs to get it right
//! the next time: where the closest line is, what stands around it, and whether the file is still
//! the one it saw.

use std::fmt::Write as _;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::file::{copied_notice, read_text, reason, replace};
use super::registry::{Context, Failure, Tool, ToolResult};
use crate::workspace::Digest;

/// The arguments of `edit`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, named from the workspace's root.
    path: String,
    /// The replacements, applied one after the other; if one does not fit, none is applied.
    edits: Vec<Edit>,
}

/// One replacement.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// The text to replace, exactly as in the file, with enough lines around it to occur once.
    old: String,
    /// The text to put in its place.
    new: String,
    /// Replace every occurrence.
    all: Option<bool>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "edit",
        "Replaces exact text in a file. All edits of a call are applied, or none.",
        |context, arguments| Box::pin(std::future::ready(edit(context, &arguments))),
    )
}

fn edit(context: &Context, arguments: &Arguments) -> ToolResult {
    let path = &arguments.path;
    let failed = |failure, text: String| ToolResult::failed(failure, text);
    let file = match context.workspace.writable(path) {
        Ok(file) => file,
        Err(error) => return failed(Failure::Refused, error.to_string()),
    };
    if arguments.edits.is_empty() {
        return failed(Failure::BadArguments, "there are no edits".to_owned());
    }
    let before = match read_text(&file) {
        Ok(text) => text,
        Err(reason) => return failed(Failure::Failed, format!("cannot edit {path}: {reason}")),
    };
    let mut text = before.clone();
    let mut places = Vec::new();
    for (index, edit) in arguments.edits.iter().enumerate() {
        match apply(&text, edit) {
            Ok((next, mut lines)) => {
                text = next;
                places.append(&mut lines);
            }
            Err((failure, why)) => {
                let which = if arguments.edits.len() == 1 {
                    "nothing was changed".to_owned()
                } else {
                    format!("edit {} does not fit, so none was applied", index + 1)
                };
                let state = state(context, &file, &before);
                return failed(failure, format!("{path}: {which}: {why}\n{state}"));
            }
        }
    }
    if text == before {
        return failed(
            Failure::BadArguments,
            format!("{path}: the edits together change nothing"),
        );
    }
    if let Err(error) = replace(&file, &text) {
        let reason = reason(&error);
        return failed(Failure::Failed, format!("cannot write {path}: {reason}"));
    }
    let digest = Digest::of(text.as_bytes());
    // Our own change is no surprise to the model.
    context.saw(&file, digest);
    let lines: Vec<_> = places.iter().map(ToString::to_string).collect();
    ToolResult::changed(format!(
        "{path}: replaced at line {}; it has {} lines now (hash {})",
        lines.join(", "),
        text.lines().count(),
        digest.short()
    ))
}

type Fault = (Failure, String);

/// The text after one edit, and the lines where it applied.
fn apply(text: &str, edit: &Edit) -> Result<(String, Vec<usize>), Fault> {
    let old = edit.old.as_str();
    let bad = |why: &str| Err((Failure::BadArguments, why.to_owned()));
    if old.is_empty() {
        return bad("`old` is empty; to make a file use `write`");
    }
    if old == edit.new {
        return bad("`old` and `new` are the same");
    }
    if let Some(why) = copied_notice(&edit.new) {
        return Err((Failure::BadArguments, why));
    }
    let places: Vec<usize> = text
        .match_indices(old)
        .map(|(at, _)| line_of(text, at))
        .collect();
    match places.len() {
        0 => Err((Failure::Failed, miss(text, edit))),
        1 => Ok((text.replacen(old, &edit.new, 1), places)),
        _ if edit.all == Some(true) => Ok((text.replace(old, &edit.new), places)),
        count => {
            let shown: Vec<_> = places.iter().take(10).map(ToString::to_string).collect();
            let more = if count > 10 { ", …" } else { "" };
            Err((
                Failure::Failed,
                format!(
                    "`old` occurs {count} times, at lines {}{more}; add lines around it, or set \
                     `all`",
                    shown.join(", ")
                ),
            ))
        }
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Why `old` is not in the text, and what is.
fn miss(text: &str, edit: &Edit) -> String {
    let mut answer = "`old` does not occur.".to_owned();
    let numbered = |line: &str| {
        let digits = line
            .trim_start()
            .trim_start_matches(|c: char| c.is_ascii_digit());
        digits.len() < line.trim_start().len() && digits.starts_with(" |")
    };
    if edit.old.lines().all(numbered) {
        answer.push_str(" It has the line numbers that `read` shows; leave them out.");
    } else if text.contains("\r\n") && !edit.old.contains("\r\n") && edit.old.contains('\n') {
        answer.push_str(" The file's lines end with \\r\\n.");
    } else if !edit.new.trim().is_empty()
        && let Some((before, _)) = text.split_once(edit.new.as_str())
    {
        let line = line_of(before, before.len());
        let _ = write!(answer, " `new` is already there, at line {line}.");
    }
    let Some(wanted) = edit
        .old
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
    else {
        return answer;
    };
    if let Some((closest, line)) = closest_line(text, wanted) {
        let _ = write!(
            answer,
            " The line closest to its first, {wanted:?}, is line {}: {line:?}. Around it:\n{}",
            closest + 1,
            around(text, closest)
        );
    }
    answer
}

/// The line that resembles `wanted` most, if one does.
fn closest_line<'a>(text: &'a str, wanted: &str) -> Option<(usize, &'a str)> {
    const LEAST: f32 = 0.5;
    /// Comparing is quadratic in the line's length.
    const LONGEST: usize = 300;
    let score = |line: &str| {
        let line = line.trim();
        if line == wanted {
            return 1.0;
        }
        if line.is_empty() || line.len() > LONGEST || wanted.len() > LONGEST {
            return 0.0;
        }
        similar::TextDiff::from_chars(line, wanted).ratio()
    };
    let mut best: Option<(f32, usize, &str)> = None;
    for (index, line) in text.lines().take(20_000).enumerate() {
        let score = score(line);
        if score >= LEAST && best.is_none_or(|(other, ..)| score > other) {
            best = Some((score, index, line));
        }
    }
    best.map(|(_, index, line)| (index, line))
}

/// Eight lines around a line, numbered.
fn around(text: &str, line: usize) -> String {
    let start = line.saturating_sub(3);
    let mut out = String::new();
    for (number, line) in text.lines().enumerate().skip(start).take(8) {
        let _ = writeln!(out, "{:>5} | {line}", number + 1);
    }
    out
}

/// Whether the file is the one that the model saw.
fn state(context: &Context, file: &Path, text: &str) -> String {
    let now = Digest::of(text.as_bytes());
    let seen = match context.seen(file) {
        None => "You have not read this file in this run",
        Some(seen) if seen == now => "The file is as you last saw it",
        Some(_) => "The file changed since you last saw it: read it again",
    };
    format!("{seen} (hash {}).", now.short())
}
