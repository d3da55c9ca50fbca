//! Checks of shell scripts, run and looked at.

use std::path::Path;

use agent::accept::{Options, Outcome, Report, Suite};
use tempfile::TempDir;

pub(crate) async fn run_in(root: &Path, text: &str) -> Report {
    let suite = Suite::parse("checks.toml", text, root)
        .unwrap_or_else(|errors| panic!("{errors:#?} in\n{text}"));
    let options = Options {
        jobs: 2,
        ..Options::new(root)
    };
    suite.run(&options).await.unwrap()
}

pub(crate) async fn run(text: &str) -> Report {
    let root = TempDir::new().unwrap();
    run_in(root.path(), text).await
}

/// A check of a shell script; `rest` is the rest of its table.
pub(crate) fn check(script: &str, rest: &str) -> String {
    let script = serde_json::Value::from(script);
    format!("[[check]]\nname = \"case\"\nargv = [\"sh\", \"-c\", {script}]\n{rest}\n")
}

pub(crate) async fn outcome(script: &str, rest: &str) -> Outcome {
    run(&check(script, rest)).await.checks.remove(0)
}

pub(crate) fn codes(outcome: &Outcome) -> Vec<String> {
    outcome
        .reasons
        .iter()
        .map(|reason| reason.code.name())
        .collect()
}
