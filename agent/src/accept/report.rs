use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;

use super::verdict::{Outcome, OutputRecord, Reason, RunRecord, Verdict};

/// What became of a suite.
#[derive(Debug, Clone)]
pub struct Report {
    /// The suite's name.
    pub suite: Option<String>,
    /// Every check, in the order of the files.
    pub checks: Vec<Outcome>,
    /// The folder with the sandboxes and the whole output, when they are kept.
    pub kept: Option<PathBuf>,
}

/// How many checks came to which verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Passed.
    pub pass: usize,
    /// Failed.
    pub fail: usize,
    /// Could not be carried out.
    pub error: usize,
    /// Did not end in time.
    pub timeout: usize,
    /// Did not apply here.
    pub skipped: usize,
}

impl Report {
    /// 0 when something passed and nothing else happened but skips; 1 when something failed, or
    /// nothing was proved because everything was skipped; 2 when a check could not be carried out.
    pub fn exit_status(&self) -> u8 {
        let summary = self.summary();
        if summary.error > 0 {
            2
        } else {
            u8::from(summary.fail > 0 || summary.timeout > 0 || summary.pass == 0)
        }
    }

    /// The verdicts, counted.
    pub fn summary(&self) -> Summary {
        let count = |verdict| {
            self.checks
                .iter()
                .filter(|check| check.verdict == verdict)
                .count()
        };
        Summary {
            pass: count(Verdict::Pass),
            fail: count(Verdict::Fail),
            error: count(Verdict::Error),
            timeout: count(Verdict::Timeout),
            skipped: count(Verdict::Skipped),
        }
    }

    /// The report for a program: one JSON object, `schema` says which version.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "schema": "accept/1",
            "suite": self.suite,
            "summary": self.summary(),
            "exit_status": self.exit_status(),
            "kept": self.kept,
            "checks": self.checks,
        })
    }

    /// The report for a person: a line for each check, and under those that did not pass all of
    /// their reasons, the command and what it printed.
    pub fn human(&self) -> String {
        let mut text = String::new();
        if let Some(suite) = &self.suite {
            let _ = writeln!(text, "{suite}");
        }
        for check in &self.checks {
            write_outcome(&mut text, check);
        }
        let _ = writeln!(text, "{}", self.summary_line());
        if let Some(kept) = &self.kept {
            let _ = writeln!(text, "kept in {}", kept.display());
        }
        text
    }

    fn summary_line(&self) -> String {
        let Summary {
            pass,
            fail,
            error,
            timeout,
            skipped,
        } = self.summary();
        let counts = [
            (pass, "passed"),
            (fail, "failed"),
            (timeout, "timed out"),
            (error, "could not be carried out"),
            (skipped, "skipped"),
        ];
        let parts: Vec<String> = counts
            .into_iter()
            .filter(|(count, word)| *count > 0 || *word == "passed")
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let nothing = if pass + fail + error + timeout == 0 {
            ": nothing was proved"
        } else {
            ""
        };
        format!("{}{nothing}", parts.join(", "))
    }
}

fn write_outcome(text: &mut String, check: &Outcome) {
    let word = match check.verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "FAIL",
        Verdict::Error => "ERROR",
        Verdict::Timeout => "TIMEOUT",
        Verdict::Skipped => "skip",
    };
    let _ = writeln!(
        text,
        "{word:<8}{}  ({} ms)",
        check.name,
        check.duration.as_millis()
    );
    for reason in &check.reasons {
        write_reason(text, reason);
    }
    if matches!(check.verdict, Verdict::Pass | Verdict::Skipped) {
        return;
    }
    for run in &check.runs {
        write_run(text, run);
    }
}

fn write_reason(text: &mut String, reason: &Reason) {
    let place = match (reason.line, reason.column) {
        (Some(line), Some(column)) if line > 1 => format!(" (line {line}, column {column})"),
        _ => String::new(),
    };
    let _ = writeln!(text, "  - {}{place}", reason.message);
    let _ = writeln!(text, "    {} [{}]", reason.check, reason.code.name());
    if let Some(hint) = &reason.hint {
        let _ = writeln!(text, "    hint: {hint}");
    }
}

fn write_run(text: &mut String, run: &RunRecord) {
    let argv: Vec<String> = run.argv.iter().map(|argument| quoted(argument)).collect();
    let end = match (run.timed_out, run.exit) {
        (true, _) => "ended at the time-out".to_owned(),
        (false, Some(exit)) => exit.to_string(),
        (false, None) => "not started".to_owned(),
    };
    let _ = writeln!(
        text,
        "    $ {}   → {end}, {} ms",
        argv.join(" "),
        run.duration.as_millis()
    );
    for (name, output) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
        write_output(text, name, output);
    }
}

fn write_output(text: &mut String, name: &str, output: &OutputRecord) {
    if output.bytes == 0 {
        let _ = writeln!(text, "    {name}: empty");
        return;
    }
    let _ = writeln!(text, "    {name}, {} bytes:", output.bytes);
    let half = output.shown.len() / 2;
    for (index, line) in output.shown.iter().enumerate() {
        if output.omitted_lines > 0 && index == half {
            let _ = writeln!(text, "      … {} lines more …", output.omitted_lines);
        }
        let _ = writeln!(text, "      {line}");
    }
    if let Some(path) = &output.path {
        let _ = writeln!(text, "      whole: {path}");
    }
}

fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}
