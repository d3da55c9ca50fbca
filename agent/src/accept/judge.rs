use std::fs;
use std::path::Path;
use std::time::Duration;

use super::check::{Check, ExitRule, Expect, FileRule, Input};
use super::side::Side;
use super::text::{judge, judge_unfinished};
use super::verdict::{Code, Origin, Place, Reason};
use crate::process::Status;

/// Everything that speaks against a run.
pub(super) fn judge_side(check: &Check, side: &Side) -> Vec<Reason> {
    let expect = &check.expect;
    let mut reasons = process_reasons(side, check.timeout, &check.place);
    if let (Some(reason), Input::HeldOpen, true) =
        (reasons.first_mut(), &check.stdin, side.timed_out)
    {
        reason.hint = Some(
            "stdin is open and silent: a program that waits for it hangs in a pipeline".into(),
        );
    }
    if !side.is_finished() {
        reasons.extend(judge_unfinished(
            &expect.stdout,
            &side.stdout,
            &Origin::Stdout,
        ));
        reasons.extend(judge_unfinished(
            &expect.stderr,
            &side.stderr,
            &Origin::Stderr,
        ));
        return reasons;
    }
    reasons.extend(judge_exit(expect, side.status));
    reasons.extend(judge(&expect.stdout, &side.stdout, &Origin::Stdout));
    reasons.extend(judge(&expect.stderr, &side.stderr, &Origin::Stderr));
    reasons.extend(
        expect
            .files
            .iter()
            .flat_map(|rule| judge_file(rule, &side.cwd, side.most_output)),
    );
    reasons
}

/// What speaks against a run whatever was expected of it.
pub(super) fn process_reasons(side: &Side, timeout: Duration, place: &Place) -> Vec<Reason> {
    let program = side.record.argv.first().map_or("", String::as_str);
    let mut reasons = Vec::new();
    if side.timed_out {
        let message = format!(
            "`{program}` was still running after {} ms, so its group was ended",
            timeout.as_millis()
        );
        reasons.push(Reason::plain(Code::TimedOut, message, place));
    }
    if side.output_exceeded {
        let message = format!(
            "`{program}` printed more than {}, so its group was ended",
            size(side.most_output)
        );
        reasons.push(Reason::plain(Code::OutputTooLarge, message, place));
    }
    if side.held_by_descendant {
        let message = format!(
            "`{program}` ended, but a process that it had started still held its output open"
        );
        let mut reason = Reason::plain(Code::PipeHeldByDescendant, message, place);
        reason.hint =
            Some("wait for the processes you start, or close their stdout and stderr".into());
        reasons.push(reason);
    }
    reasons
}

fn judge_exit(expect: &Expect, status: Status) -> Option<Reason> {
    let (expected, fits) = match (expect.exit?, status) {
        (ExitRule::Zero, status) => ("exit status 0".into(), status == Status::Exited(0)),
        (ExitRule::Nonzero, Status::Exited(code)) => {
            ("an exit status other than 0".into(), code != 0)
        }
        (ExitRule::Nonzero, Status::Signaled(_)) => ("an exit status other than 0".into(), false),
        (ExitRule::Status(code), status) => (
            format!("exit status {code}"),
            status == Status::Exited(code),
        ),
        (ExitRule::Signal(signal), status) => (
            format!("signal {signal}"),
            status == Status::Signaled(signal),
        ),
    };
    if fits {
        return None;
    }
    let (code, actual, verb) = match status {
        Status::Exited(code) => (
            Code::ExitMismatch,
            format!("exit status {code}"),
            "ended with",
        ),
        Status::Signaled(signal) => (
            Code::EndedBySignal,
            format!("signal {signal}"),
            "was ended by",
        ),
    };
    let mut reason = Reason::plain(
        code,
        format!("the program {verb} {actual}, expected {expected}"),
        &expect.exit_place,
    );
    reason.hint = match status {
        Status::Exited(0) => {
            Some("an error has to reach the exit status, through every wrapper".into())
        }
        Status::Exited(101) => Some("101 is the status of a Rust panic".into()),
        _ => None,
    };
    (reason.expected, reason.actual) = (Some(expected), Some(actual));
    Some(reason)
}

fn judge_file(rule: &FileRule, cwd: &Path, most: u64) -> Vec<Reason> {
    let path = cwd.join(&rule.path);
    let origin = Origin::File(rule.path.clone());
    let name = &rule.path;
    let reason = |code, message: String| {
        let mut reason = Reason::plain(code, message, &rule.place);
        reason.stream = Some(origin.clone());
        vec![reason]
    };
    match (path.symlink_metadata().is_ok(), rule.exists) {
        (true, false) => reason(
            Code::FileUnexpected,
            format!("`{name}` should not be there, but is"),
        ),
        (false, true) => reason(
            Code::FileMissing,
            format!("`{name}` should be there, but is not"),
        ),
        (false, false) => Vec::new(),
        (true, true) => match &rule.content {
            None => Vec::new(),
            Some(_) if fs::metadata(&path).is_ok_and(|meta| meta.len() > most) => reason(
                Code::OutputTooLarge,
                format!("`{name}` is larger than {}", size(most)),
            ),
            Some(content) => match fs::read(&path) {
                Ok(bytes) => judge(content, &bytes, &origin),
                Err(error) => reason(
                    Code::FileMissing,
                    format!("`{name}` cannot be read: {error}"),
                ),
            },
        },
    }
}

fn size(bytes: u64) -> String {
    if bytes < 1 << 20 {
        format!("{bytes} bytes")
    } else {
        format!("{} MiB", bytes >> 20)
    }
}
