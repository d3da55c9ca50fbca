//! `read`: a window of a file with line numbers, or the names in a folder.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::file::{read_text, reason};
use super::registry::{Context, Failure, Tool, ToolResult};
use crate::workspace::Digest;

const LINES: usize = 200;
const MOST_LINES: usize = 500;
const MOST_BYTES: usize = 30_000;
const MOST_NAMES: usize = 300;

/// The arguments of `read`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// A file or folder, named from the workspace's root.
    path: String,
    /// The first line, counted from 1.
    start: Option<usize>,
    /// How many lines, 200 unless given, at most 500.
    lines: Option<usize>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "read",
        "Shows lines of a text file with their numbers (the numbers and the bar are not part of \
         the file), or the names in a folder. Says how to see what follows.",
        |context, arguments| Box::pin(std::future::ready(read(context, &arguments))),
    )
}

fn read(context: &Context, arguments: &Arguments) -> ToolResult {
    let path = &arguments.path;
    let file = match context.workspace.inside(path) {
        Ok(file) => file,
        Err(error) => return ToolResult::failed(Failure::Refused, error.to_string()),
    };
    if file.is_dir() {
        return match list(&file) {
            Ok(text) => ToolResult::observed(format!("{path}:\n{text}")),
            Err(error) => {
                let reason = reason(&error);
                ToolResult::failed(Failure::Failed, format!("cannot list {path}: {reason}"))
            }
        };
    }
    let text = match read_text(&file) {
        Ok(text) => text,
        Err(reason) => {
            return ToolResult::failed(Failure::Failed, format!("cannot read {path}: {reason}"));
        }
    };
    let digest = Digest::of(text.as_bytes());
    context.saw(&file, digest);
    let total = text.lines().count();
    let start = arguments.start.unwrap_or(1).max(1);
    if start > total {
        let text = format!("{path} has {total} lines; there is no line {start}");
        return if total == 0 {
            ToolResult::observed(format!("{path} is empty"))
        } else {
            ToolResult::failed(Failure::Failed, text)
        };
    }
    let count = arguments.lines.unwrap_or(LINES).clamp(1, MOST_LINES);
    let mut shown = String::new();
    let mut end = start - 1;
    for (number, line) in text.lines().enumerate().skip(start - 1).take(count) {
        // The first line is shown whatever its length; the result's cap bounds it.
        if number + 1 > start && shown.len() + line.len() > MOST_BYTES {
            break;
        }
        let _ = writeln!(shown, "{:>5} | {line}", number + 1);
        end = number + 1;
    }
    let more = if end < total {
        format!(": ask with start={}", end + 1)
    } else {
        String::new()
    };
    ToolResult::observed(format!(
        "{path}, lines {start}–{end} of {total}{more} (hash {})\n{shown}",
        digest.short()
    ))
}

fn list(folder: &Path) -> std::io::Result<String> {
    let mut names = fs::read_dir(folder)?
        .map(|entry| {
            let entry = entry?;
            let end = if entry.file_type()?.is_dir() { "/" } else { "" };
            Ok(format!("{}{end}", entry.file_name().to_string_lossy()))
        })
        .collect::<std::io::Result<Vec<_>>>()?;
    names.sort();
    let total = names.len();
    names.truncate(MOST_NAMES);
    let mut text = names.join("\n");
    if total > MOST_NAMES {
        let _ = write!(text, "\n{} more of {total} names", total - MOST_NAMES);
    }
    Ok(if total == 0 {
        "(empty)".to_owned()
    } else {
        text
    })
}
