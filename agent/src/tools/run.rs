//! `run`: a command, if the policy permits it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::registry::{Context, Failure, Outcome, Tool, ToolResult};
use super::shape::{Cap, shape};
use crate::policy::{self, Verdict};
use crate::process::{Captured, Command, Finished, Limits, Status, Stdin};
use crate::workspace::Digest;

const SECONDS: u64 = 120;
const MOST_SECONDS: u64 = 1_800;

/// The arguments of `run`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The program and its arguments, each an item of its own. There is no shell: no pipes, no
    /// `&&`, no variables.
    argv: Vec<String>,
    /// The folder to run in, named from the workspace's root.
    cwd: Option<String>,
    /// What the program reads from its standard input.
    stdin: Option<String>,
    /// When to end it, 120 unless given.
    timeout_seconds: Option<u64>,
    /// For commands that change expectations, such as snapshots: what kind of change it is.
    kind: Option<String>,
    /// For commands that need one: why it is right.
    reason: Option<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "run",
        "Runs a command in the workspace and shows its exit status and output, shortened when it \
         is long. Only permitted commands run; a refusal names the rule.",
        |context, arguments| Box::pin(run(context, arguments)),
    )
}

async fn run(context: &Context, arguments: Arguments) -> ToolResult {
    let workspace = &context.workspace;
    let refused = |text: String| ToolResult::failed(Failure::Refused, text);
    let cwd = match workspace.inside(arguments.cwd.as_deref().unwrap_or(".")) {
        Ok(cwd) if cwd.is_dir() => cwd,
        Ok(_) => {
            return ToolResult::failed(Failure::BadArguments, "`cwd` is no folder");
        }
        Err(error) => return refused(error.to_string()),
    };
    let decision = context
        .policy
        .decide(
            &policy::Command {
                argv: &arguments.argv,
                cwd: &cwd,
                kind: arguments.kind.as_deref(),
                reason: arguments.reason.as_deref(),
            },
            workspace,
        )
        .unattended();
    let (Verdict::Allow, Some(program)) = (decision.verdict, decision.program.clone()) else {
        let text = format!("not run, rule {:?}: {}", decision.rule, decision.reason);
        return ToolResult {
            decision: Some(decision),
            ..refused(text)
        };
    };
    let failed = |text: String| ToolResult {
        decision: Some(decision.clone()),
        ..ToolResult::failed(Failure::Failed, text)
    };

    let folder = context
        .output
        .join(format!("command-{}", context.next_command()));
    if let Err(error) = std::fs::create_dir_all(&folder) {
        return failed(format!("not run: no folder for its output: {error}"));
    }
    let Some(before) = content(context).await else {
        return failed("not run: the workspace cannot be read".to_owned());
    };
    let rest = arguments.argv.iter().skip(1).map(OsString::from);
    let seconds = arguments
        .timeout_seconds
        .unwrap_or(SECONDS)
        .clamp(1, MOST_SECONDS);
    let command = Command {
        env: environment(),
        stdin: arguments
            .stdin
            .map_or(Stdin::Null, |text| Stdin::Bytes(text.into_bytes())),
        timeout: Duration::from_secs(seconds),
        limits: Limits {
            memory: 32 << 20,
            output: 32 << 20,
            ..Limits::default()
        },
        folder: Some(folder),
        ..Command::new(std::iter::once(program.into_os_string()).chain(rest), cwd)
    };
    let finished = command.run().await;
    let outcome = match content(context).await {
        Some(after) if after == before => Outcome::Observed,
        // What cannot be compared counts as changed: a proof has to be made again.
        _ => Outcome::Changed,
    };
    match finished {
        Ok(finished) => ToolResult {
            decision: Some(decision),
            outcome,
            ..report(&finished, seconds)
        },
        Err(error) => ToolResult {
            outcome,
            ..failed(format!("it could not be run: {error}"))
        },
    }
}

/// The workspace's content hash, taken off the asynchronous threads.
pub(super) async fn content(context: &Context) -> Option<Digest> {
    let workspace = context.workspace.clone();
    tokio::task::spawn_blocking(move || workspace.content_hash().ok())
        .await
        .ok()
        .flatten()
}

/// The base environment, with everything turned off that would page, colour or ask, and for git
/// what a repository made by the model could use to start programs.
pub(super) fn environment() -> BTreeMap<OsString, OsString> {
    let quiet = [
        ("CARGO_TERM_COLOR", "never"),
        ("CARGO_TERM_PROGRESS_WHEN", "never"),
        ("NO_COLOR", "1"),
        ("TERM", "dumb"),
        ("PAGER", "cat"),
        ("GIT_PAGER", "cat"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_CONFIG_COUNT", "3"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", "false"),
        ("GIT_CONFIG_KEY_1", "safe.bareRepository"),
        ("GIT_CONFIG_VALUE_1", "explicit"),
        ("GIT_CONFIG_KEY_2", "core.hooksPath"),
        ("GIT_CONFIG_VALUE_2", "/dev/null"),
    ];
    let mut env = crate::process::base_environment();
    env.extend(quiet.map(|(name, value)| (name.into(), value.into())));
    env
}

fn report(finished: &Finished, seconds: u64) -> ToolResult {
    let mut text = String::new();
    let failure = if finished.timed_out {
        let _ = write!(text, "ended after {seconds} s: it took too long");
        Some(Failure::Ended)
    } else if finished.output_exceeded {
        text.push_str("ended: it wrote too much");
        Some(Failure::Ended)
    } else {
        let spent = finished.duration.as_secs_f64();
        match finished.status {
            Status::Exited(status) => {
                let _ = write!(text, "exit status {status} after {spent:.1} s");
                (status != 0).then_some(Failure::Failed)
            }
            Status::Signaled(signal) => {
                let _ = write!(text, "ended by signal {signal} after {spent:.1} s");
                Some(Failure::Failed)
            }
        }
    };
    if finished.held_by_descendant {
        text.push_str("; a process it started still held its output and was ended");
    }
    text.push('\n');
    let mut omitted_bytes = 0;
    let mut output = Vec::new();
    for (name, stream) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
        omitted_bytes += show(&mut text, name, stream);
        output.extend(stream.file.clone());
    }
    ToolResult {
        failure,
        omitted_bytes,
        output,
        ..ToolResult::observed(text)
    }
}

/// Adds a stream to the report; answers how many bytes were left out.
fn show(text: &mut String, name: &str, stream: &Captured) -> usize {
    if stream.len == 0 {
        let _ = writeln!(text, "{name}: empty");
        return 0;
    }
    let said = String::from_utf8_lossy(&stream.head);
    let shaped = shape(&said, Cap::STREAM);
    let total = shaped.shown_lines + shaped.omitted_lines;
    if shaped.omitted_bytes == 0 {
        let _ = writeln!(text, "{name}, {total} lines:");
    } else {
        let _ = writeln!(
            text,
            "{name}, {} of {total} lines ({} omitted; {} bytes in all):",
            shaped.shown_lines, shaped.omitted_lines, stream.len
        );
    }
    text.push_str(&shaped.text);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let unread = usize::try_from(stream.len).unwrap_or(usize::MAX) - stream.head.len();
    shaped.omitted_bytes + unread
}
