//! `write`: a whole file, new or in place of one.

use schemars::JsonSchema;
use serde::Deserialize;

use super::file::{copied_notice, read_text, reason, replace};
use super::registry::{Context, Failure, Tool, ToolResult};
use crate::workspace::Digest;

/// The arguments of `write`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, named from the workspace's root; folders are made as needed.
    path: String,
    /// The whole content.
    text: String,
    /// Why a file is replaced by a much smaller one, or by one that was not read before.
    reason: Option<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "write",
        "Writes a whole file. To change part of a file use `edit`.",
        |context, arguments| Box::pin(std::future::ready(write(context, &arguments))),
    )
}

fn write(context: &Context, arguments: &Arguments) -> ToolResult {
    let Arguments {
        path,
        text,
        reason: stated,
    } = arguments;
    let failed = |failure, text: String| ToolResult::failed(failure, text);
    let file = match context.workspace.writable(path) {
        Ok(file) => file,
        Err(error) => return failed(Failure::Refused, error.to_string()),
    };
    if let Some(why) = copied_notice(text) {
        return failed(Failure::BadArguments, why);
    }
    let old = if file.exists() {
        match read_text(&file) {
            Ok(old) => Some(old),
            Err(reason) => {
                return failed(Failure::Failed, format!("cannot replace {path}: {reason}"));
            }
        }
    } else {
        None
    };
    let has_reason = stated
        .as_ref()
        .is_some_and(|reason| !reason.trim().is_empty());
    if let Some(old) = &old
        && !has_reason
        && let Some(doubt) = doubt(context, &file, old, text)
    {
        return failed(
            Failure::Refused,
            format!("{path} was not written: {doubt}; if that is right, call again with `reason`"),
        );
    }
    let made = file.parent().map(std::fs::create_dir_all).transpose();
    if let Err(error) = made.and_then(|_| replace(&file, text)) {
        let reason = reason(&error);
        return failed(Failure::Failed, format!("cannot write {path}: {reason}"));
    }
    let digest = Digest::of(text.as_bytes());
    context.saw(&file, digest);
    let lines = text.lines().count();
    let hash = digest.short();
    match old {
        Some(old) if old == *text => {
            ToolResult::observed(format!("{path} had this content already (hash {hash})"))
        }
        Some(_) => ToolResult::changed(format!("{path} replaced: {lines} lines (hash {hash})")),
        None => ToolResult::changed(format!("{path} made: {lines} lines (hash {hash})")),
    }
}

/// Why an overwrite may be a mistake.
fn doubt(context: &Context, file: &std::path::Path, old: &str, new: &str) -> Option<String> {
    /// Below this, a file may shrink as it likes.
    const SMALL: usize = 600;
    if old == new {
        return None;
    }
    match context.seen(file) {
        None => return Some("it exists and you have not read it".to_owned()),
        Some(seen) if seen != Digest::of(old.as_bytes()) => {
            return Some("it changed since you last saw it".to_owned());
        }
        Some(_) => {}
    }
    let shrinks = old.len() >= SMALL && new.len() < old.len() / 3;
    let vanishes = !old.trim().is_empty() && new.trim().is_empty();
    (shrinks || vanishes).then(|| {
        format!(
            "{} bytes would take the place of {}; the text has to be the whole file",
            new.len(),
            old.len()
        )
    })
}
