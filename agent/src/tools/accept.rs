//! `accept`: checks of a program's outer contract, for the model's own use. What it says is help
//! and never proof: the model wrote, or could have written, the checks.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::file::read_text;
use super::registry::{Context, Failure, Outcome, Tool, ToolResult};
use super::run::{content, environment};
use crate::accept::check::Data;
use crate::accept::{Options, Suite};
use crate::policy::{Command, Verdict};
use crate::process::find_program;

/// The arguments of `accept`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// A check file, named from the workspace's root.
    file: Option<String>,
    /// Checks as the text of a check file (TOML): `[[check]]` with `name`, `argv` and
    /// `check.expect`.
    checks: Option<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "accept",
        "Runs checks of a program's exit status, output and files, from a file or from a text, \
         and reports every difference. Use it before you finish; the task's own checks decide.",
        |context, arguments| Box::pin(accept(context, arguments)),
    )
}

async fn accept(context: &Context, arguments: Arguments) -> ToolResult {
    let root = context.workspace.root();
    let read = match (&arguments.file, &arguments.checks) {
        (Some(file), None) => load_file(context, file),
        (None, Some(text)) => parse("checks", text, root),
        _ => Err((
            Failure::BadArguments,
            "give either `file` or `checks`".to_owned(),
        )),
    };
    let permitted = read.and_then(|suite| match refusal(context, &suite) {
        Some(text) => Err((Failure::Refused, text)),
        None => Ok(suite),
    });
    let suite = match permitted {
        Ok(suite) => suite,
        Err((failure, text)) => return ToolResult::failed(failure, text),
    };
    let before = content(context).await;
    let report = suite.run(&Options::new(root)).await;
    let outcome = if before.is_some() && content(context).await == before {
        Outcome::Observed
    } else {
        Outcome::Changed
    };
    match report {
        Ok(report) => ToolResult {
            outcome,
            failure: (report.exit_status() != 0).then_some(Failure::Failed),
            ..ToolResult::observed(report.human())
        },
        Err(error) => ToolResult {
            outcome,
            ..ToolResult::failed(
                Failure::Failed,
                format!("the checks could not be run: {error}"),
            )
        },
    }
}

type Fault = (Failure, String);

fn load_file(context: &Context, file: &str) -> Result<Suite, Fault> {
    let path = context
        .workspace
        .inside(file)
        .map_err(|error| (Failure::Refused, error.to_string()))?;
    let text = read_text(&path)
        .map_err(|reason| (Failure::Failed, format!("cannot read {file}: {reason}")))?;
    parse(file, &text, path.parent().unwrap_or(&path))
}

fn parse(name: &str, text: &str, folder: &Path) -> Result<Suite, Fault> {
    Suite::parse(name, text, folder).map_err(|errors| {
        let lines: Vec<_> = errors.iter().map(ToString::to_string).collect();
        (Failure::BadArguments, lines.join("\n"))
    })
}

/// Why the suite's commands may not run: a check runs programs as `run` does, so the same policy
/// holds.
fn refusal(context: &Context, suite: &Suite) -> Option<String> {
    suite.checks().find_map(|check| {
        let parity = check.same_as.as_ref();
        let sides = std::iter::once((&check.argv, &check.env))
            .chain(parity.map(|other| (&other.argv, &other.env)));
        sides
            .into_iter()
            .find_map(|(argv, env)| {
                let steers = env.keys().find(|name| steers_programs(name));
                match steers {
                    Some(name) => Some(format!("it sets {name}, which can change what runs")),
                    None => refuse(context, argv),
                }
            })
            .map(|why| format!("check {:?} was not run, nor any other: {why}", check.name))
    })
}

fn refuse(context: &Context, argv: &[Data]) -> Option<String> {
    let root = context.workspace.root();
    let shown = root.to_string_lossy();
    let words: Vec<String> = argv
        .iter()
        .map(|word| match word {
            Data::Text(text) => text.replace("{root}", &shown),
            Data::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        })
        .collect();
    // Outside `run` and its settings, a made-up repository in the sandbox could start programs.
    let program = words.first().map(Path::new).and_then(Path::file_name);
    if program.is_some_and(|name| name == "git") {
        return Some("checks are about what you made; look at git with `run`".to_owned());
    }
    let command = Command {
        argv: &words,
        cwd: root,
        kind: None,
        reason: None,
    };
    let decision = context
        .policy
        .decide(&command, &context.workspace)
        .unattended();
    if decision.verdict != Verdict::Allow {
        return Some(format!("rule {:?}: {}", decision.rule, decision.reason));
    }
    // The engine looks the program up once more, on a `PATH` that the policy may have narrowed.
    let env = environment();
    let path = env.get(std::ffi::OsStr::new("PATH")).map(|path| &**path);
    let found = find_program(words.first()?.as_ref(), path, root)?.canonicalize();
    let judged = decision.program?.canonicalize();
    match (found, judged) {
        (Ok(found), Ok(judged)) if found == judged => None,
        _ => Some("another program of that name would run".to_owned()),
    }
}

/// Whether an environment variable makes programs run other programs or load other code.
fn steers_programs(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "PATH", "HOME", "ENV", "SHELL", "IFS", "PAGER", "EDITOR", "VISUAL", "BROWSER", "TMPDIR",
    ];
    const BEGINNINGS: &[&str] = &[
        "LD_", "DYLD_", "CARGO", "RUST", "GIT_", "BASH_", "XDG_", "RIPGREP_", "GREP_", "NODE_",
        "NPM_", "PYTHON", "PERL", "RUBY", "GCONV_", "MAKE", "CC", "CXX", "GLIBC_", "MALLOC_",
    ];
    const HARMLESS: &[&str] = &["RUST_LOG", "RUST_BACKTRACE", "CARGO_TERM_COLOR"];
    let name = name.to_ascii_uppercase();
    !HARMLESS.contains(&name.as_str())
        && (NAMES.contains(&name.as_str())
            || BEGINNINGS.iter().any(|start| name.starts_with(start)))
}
