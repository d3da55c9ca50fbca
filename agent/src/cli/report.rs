//! How a run ended: the delivery report for people, and its line of JSON.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use space_core::runtime::{Termination, Usage};

use super::lines::{Paint, cut, grouped, seconds};
use agent::accept::Verdict;
use agent::work::delivery::{Delivery, Mode};

/// How a run ended, for its report.
pub(super) struct Ending<'a> {
    pub(super) proof: Proof,
    pub(super) answer: Option<&'a str>,
    pub(super) reason: Option<&'a str>,
    pub(super) termination: &'a Termination,
    pub(super) usage: &'a Usage,
    pub(super) rounds: u64,
    pub(super) clock: Duration,
    pub(super) delivery: Option<&'a Delivery>,
    pub(super) changed_since_proof: bool,
    pub(super) workspace: &'a Path,
    pub(super) kept: &'a Path,
    pub(super) status: u8,
}

/// What a run's answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// Every check passed after the last change.
    Proved,
    /// There was nothing that could prove it.
    Waived,
    /// It is not proved.
    Missing,
}

impl Proof {
    fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Waived => "unproved",
            Self::Missing => "not_proved",
        }
    }
}

/// The report for people. Only what was looked at is in it.
pub(super) fn human(ending: &Ending<'_>, paint: Paint) -> String {
    let mut out = vec![String::new(), paint.bold("delivery report")];
    let mut row = |name: &str, text: &str| {
        out.push(format!("  {}  {text}", paint.dim(&format!("{name:<9}"))));
    };
    row("proof", &proof(ending, paint));
    if let Some(delivery) = ending.delivery {
        looked_at(delivery, paint, &mut row);
    }
    if let Some(reason) = ending.reason {
        row("reason", &cut(reason));
    }
    if let Some(answer) = ending.answer {
        row("answer", &cut(answer));
    }
    let usage = ending.usage;
    row(
        "budget",
        &format!(
            "{} of {} rounds, {} of {}, {} tokens",
            usage.rounds,
            ending.rounds,
            seconds(usage.elapsed),
            seconds(ending.clock),
            grouped(usage.tokens)
        ),
    );
    row("end", &ending.termination.to_string());
    row("workspace", &ending.workspace.display().to_string());
    row("kept", &ending.kept.display().to_string());
    out.join("\n")
}

fn proof(ending: &Ending<'_>, paint: Paint) -> String {
    let counts = ending.delivery.map(Delivery::counts);
    let text = match (ending.proof, counts) {
        (Proof::Proved, Some((passed, all))) => {
            return paint.good(&format!("proved: {passed} of {all} checks passed"));
        }
        (Proof::Proved, None) => "proved".into(),
        (Proof::Waived, _) => "UNPROVED: nothing checked the answer".into(),
        (Proof::Missing, None) => "NOT PROVED: no proof was completed".into(),
        (Proof::Missing, Some((passed, all))) => {
            let since = if ending.changed_since_proof {
                ", and the workspace has changed since"
            } else {
                ""
            };
            format!("NOT PROVED: {passed} of {all} checks passed{since}")
        }
    };
    paint.bad(&text)
}

fn looked_at(delivery: &Delivery, paint: Paint, row: &mut impl FnMut(&str, &str)) {
    let mark = |passed: bool| {
        if passed {
            paint.good("pass")
        } else {
            paint.bad("FAIL")
        }
    };
    for (index, step) in delivery.steps.iter().enumerate() {
        let name = if index == 0 { "build" } else { "" };
        let argv = cut(&step.argv.join(" "));
        row(name, &format!("{}  {argv}", mark(step.passed)));
    }
    for (index, check) in delivery.checks.iter().enumerate() {
        let verdict = match check.verdict {
            Verdict::Skipped => paint.dim("skip"),
            verdict => mark(verdict == Verdict::Pass),
        };
        let name = if index == 0 { "checks" } else { "" };
        row(name, &format!("{verdict}  {}", cut(&check.name)));
    }
    let share = |name: &str, (good, all): (usize, usize)| {
        if good == all {
            format!("{name} {good}/{all}")
        } else {
            paint.bad(&format!("{name} {good}/{all}"))
        }
    };
    let modes: Vec<_> = Mode::ALL
        .into_iter()
        .filter_map(|mode| Some(share(mode.name(), delivery.of_mode(mode)?)))
        .collect();
    if !modes.is_empty() {
        row("modes", &modes.join("   "));
    }
    let streams = [("stdout", delivery.stdout()), ("stderr", delivery.stderr())];
    let clean: Vec<_> = streams
        .into_iter()
        .filter_map(|(name, judged)| Some(share(name, judged?)))
        .collect();
    if !clean.is_empty() {
        row("clean", &clean.join("   "));
    }
    let content = match delivery.changed.len() {
        0 => delivery.content.clone(),
        count => paint.bad(&format!(
            "{}, {count} paths changed meanwhile",
            delivery.content
        )),
    };
    row("content", &content);
}

/// The last line of `--json`.
pub(super) fn value(ending: &Ending<'_>) -> Value {
    json!({
        "type": "ended",
        "proof": ending.proof.name(),
        "status": ending.status,
        "termination": ending.termination.to_string(),
        "reason": ending.reason,
        "answer": ending.answer,
        "delivery": ending.delivery,
        "changed_since_proof": ending.changed_since_proof,
        "usage": {
            "rounds": ending.usage.rounds,
            "ms": u64::try_from(ending.usage.elapsed.as_millis()).unwrap_or(u64::MAX),
            "tokens": ending.usage.tokens,
            "effects": ending.usage.effects,
        },
        "workspace": ending.workspace.display().to_string(),
        "kept": ending.kept.display().to_string(),
    })
}
