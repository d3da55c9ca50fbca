//! What a proof looked at, and what it found.

use serde::Serialize;

use crate::accept::check::{Check, Data, ExitRule, Format, Input};
use crate::accept::{Code, Origin, Outcome, Reason, Verdict};
use crate::workspace::Change;

/// Everything that a proof looked at.
#[derive(Debug, Default, Serialize)]
pub struct Delivery {
    /// The toolchain's build and tests.
    pub steps: Vec<Step>,
    /// The task's checks.
    pub checks: Vec<CheckLine>,
    /// What changed in the workspace while it was being proved.
    pub changed: Vec<Change>,
    /// The content of the workspace that was proved.
    pub content: String,
}

/// A command of the profile and what came of it.
#[derive(Debug, Serialize)]
pub struct Step {
    /// The command.
    pub argv: Vec<String>,
    /// Whether it succeeded.
    pub passed: bool,
    /// Why not, with the end of its output.
    pub reason: Option<String>,
}

/// A check and its verdict.
#[derive(Debug, Serialize)]
pub struct CheckLine {
    /// The check's name.
    pub name: String,
    /// What became of it.
    pub verdict: Verdict,
    /// How it uses the program.
    pub modes: Vec<Mode>,
    /// Whether standard output was clean, of the right form and with nothing forbidden in it;
    /// absent when its form was not judged.
    pub stdout: Option<bool>,
    /// Whether standard error was clean; absent when its form was not judged.
    pub stderr: Option<bool>,
    /// What speaks against it.
    pub reasons: Vec<String>,
}

/// A way to use a program that a check takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A file, named on the command line.
    File,
    /// Standard input.
    Stdin,
    /// A run that is meant to fail.
    Failure,
    /// Another way to start the same program, which has to behave the same.
    Wrapper,
}

impl Mode {
    /// All, in the order shown.
    pub const ALL: [Self; 4] = [Self::File, Self::Stdin, Self::Failure, Self::Wrapper];

    /// As people read it.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Stdin => "stdin",
            Self::Failure => "failure",
            Self::Wrapper => "wrapper",
        }
    }

    fn of(self, check: &Check) -> bool {
        match self {
            Self::File => check
                .argv
                .iter()
                .skip(1)
                .any(|word| names_file(check, word)),
            Self::Stdin => matches!(check.stdin, Input::Given(_)),
            Self::Failure => !matches!(
                check.expect.exit,
                None | Some(ExitRule::Zero | ExitRule::Status(0))
            ),
            Self::Wrapper => check.same_as.is_some(),
        }
    }
}

fn names_file(check: &Check, word: &Data) -> bool {
    let Data::Text(word) = word else { return false };
    let word = word.trim_start_matches("./");
    let fixture = check.fixture.as_ref();
    check.files.iter().any(|file| file.path == word)
        || fixture.is_some_and(|folder| !word.is_empty() && folder.join(word).is_file())
}

impl CheckLine {
    /// What became of a check.
    pub fn new(check: &Check, outcome: &Outcome) -> Self {
        // Only what ran and was judged can be called clean.
        let ran = matches!(outcome.verdict, Verdict::Pass | Verdict::Fail);
        let clean = |format: Format, origin: &Origin| {
            // Another content than expected is wrong, and clean all the same.
            let stains = |reason: &Reason| {
                reason.stream.as_ref() == Some(origin)
                    && matches!(reason.code, Code::Text(..) | Code::ForbiddenText)
            };
            (ran && format != Format::Any).then(|| !outcome.reasons.iter().any(stains))
        };
        Self {
            name: check.name.clone(),
            verdict: outcome.verdict,
            modes: Mode::ALL
                .into_iter()
                .filter(|mode| mode.of(check))
                .collect(),
            stdout: clean(check.expect.stdout.format, &Origin::Stdout),
            stderr: clean(check.expect.stderr.format, &Origin::Stderr),
            reasons: outcome
                .reasons
                .iter()
                .map(|reason| reason.message.clone())
                .collect(),
        }
    }

    /// Whether it says anything against the program.
    pub fn speaks_against(&self) -> bool {
        !matches!(self.verdict, Verdict::Pass | Verdict::Skipped)
    }
}

impl Delivery {
    /// Whether everything passed: a skipped check proves nothing, so one alone is no proof.
    pub fn passed(&self) -> bool {
        self.changed.is_empty()
            && self.steps.iter().all(|step| step.passed)
            && !self.checks.iter().any(CheckLine::speaks_against)
            && self.counts().0 > 0
    }

    /// Checks that passed, and all of them.
    pub fn counts(&self) -> (usize, usize) {
        let passed = |check: &&CheckLine| check.verdict == Verdict::Pass;
        (self.checks.iter().filter(passed).count(), self.checks.len())
    }

    /// Checks of a mode that passed, and all that ran; nothing when none did.
    pub fn of_mode(&self, mode: Mode) -> Option<(usize, usize)> {
        let of_mode = |check: &CheckLine| {
            let ran = check.modes.contains(&mode) && check.verdict != Verdict::Skipped;
            ran.then_some(check.verdict == Verdict::Pass)
        };
        share(self.checks.iter().filter_map(of_mode))
    }

    /// Checks that found standard output clean, and all that looked.
    pub fn stdout(&self) -> Option<(usize, usize)> {
        share(self.checks.iter().filter_map(|check| check.stdout))
    }

    /// Checks that found standard error clean, and all that looked.
    pub fn stderr(&self) -> Option<(usize, usize)> {
        share(self.checks.iter().filter_map(|check| check.stderr))
    }

    /// What speaks against it, compact enough for a model.
    pub fn reasons(&self) -> String {
        let mut out = Vec::new();
        for step in self.steps.iter().filter(|step| !step.passed) {
            let reason = step.reason.as_deref().unwrap_or_default();
            out.push(format!("`{}` {reason}", step.argv.join(" ")));
        }
        for check in self
            .checks
            .iter()
            .filter(|check| check.verdict != Verdict::Pass)
        {
            out.push(format!("check \"{}\":", check.name));
            out.extend(check.reasons.iter().map(|reason| format!("  - {reason}")));
        }
        if !self.changed.is_empty() {
            out.push(format!(
                "the workspace changed while it was being proved: {}",
                some(&self.changed)
            ));
        }
        out.join("\n")
    }
}

/// How many are true, and how many there are; nothing when there are none.
fn share(all: impl Iterator<Item = bool>) -> Option<(usize, usize)> {
    let (good, all) = all.fold((0, 0), |(good, all), one| {
        (good + usize::from(one), all + 1)
    });
    (all > 0).then_some((good, all))
}

/// The first changes, and how many more there are.
fn some(changes: &[Change]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<_> = changes
        .iter()
        .take(SHOWN)
        .map(ToString::to_string)
        .collect();
    let more = match changes.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(", ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::ChangeKind;

    fn line(verdict: Verdict, modes: &[Mode], stdout: Option<bool>) -> CheckLine {
        CheckLine {
            name: "case".into(),
            verdict,
            modes: modes.to_vec(),
            stdout,
            stderr: None,
            reasons: vec!["it differs".into()],
        }
    }

    #[test]
    fn only_a_check_that_passed_is_a_proof() {
        let with = |checks| Delivery {
            checks,
            ..Delivery::default()
        };
        assert!(!with(vec![]).passed());
        assert!(!with(vec![line(Verdict::Skipped, &[], None)]).passed());
        assert!(with(vec![line(Verdict::Pass, &[], None)]).passed());
        for verdict in [Verdict::Fail, Verdict::Error, Verdict::Timeout] {
            let delivery = with(vec![
                line(Verdict::Pass, &[], None),
                line(verdict, &[], None),
            ]);
            assert!(!delivery.passed());
            assert_eq!(delivery.reasons(), "check \"case\":\n  - it differs");
        }
    }

    #[test]
    fn what_was_not_looked_at_is_not_counted() {
        let delivery = Delivery {
            checks: vec![
                line(Verdict::Pass, &[Mode::File], Some(true)),
                line(Verdict::Fail, &[Mode::File, Mode::Failure], Some(false)),
                line(Verdict::Skipped, &[Mode::Stdin], None),
            ],
            ..Delivery::default()
        };
        assert_eq!(delivery.of_mode(Mode::File), Some((1, 2)));
        assert_eq!(delivery.of_mode(Mode::Failure), Some((0, 1)));
        assert_eq!(delivery.of_mode(Mode::Stdin), None);
        assert_eq!((delivery.stdout(), delivery.stderr()), (Some((1, 2)), None));
    }

    #[test]
    fn a_workspace_that_moved_is_no_proof_and_its_files_are_named() {
        let change = |index| Change {
            path: format!("f{index}").into(),
            kind: ChangeKind::Added,
        };
        let delivery = Delivery {
            checks: vec![line(Verdict::Pass, &[], None)],
            changed: (0..10).map(change).collect(),
            ..Delivery::default()
        };
        assert!(!delivery.passed());
        let reasons = delivery.reasons();
        assert!(
            reasons.contains("`f0` (added)") && reasons.ends_with("`f7` (added) and 2 more"),
            "{reasons}"
        );
    }
}
