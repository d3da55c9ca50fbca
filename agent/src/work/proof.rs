//! The proof of a task: what must hold before an answer counts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::task::{Profile, Task};
use crate::accept::{LoadError, Options, Report, Suite, Verdict};
use crate::process::{Command, Finished, Status};
use crate::workspace::{Digest, Workspace};

/// How long a build or a test run may take.
const STEP_TIMEOUT: Duration = Duration::from_secs(600);

/// Characters of a failed step's output that the report carries.
const TAIL: usize = 1_500;

/// The checks of a task, read and sealed before the model is asked anything.
#[derive(Debug)]
pub struct Prover {
    workspace: Workspace,
    profile: Option<Profile>,
    suite: Option<Suite>,
    seals: Vec<(PathBuf, Digest)>,
    kept: PathBuf,
    proofs: usize,
}

/// What a proof came to.
#[derive(Debug)]
pub enum Proof {
    /// Everything passed.
    Passed(Delivery),
    /// Something did not pass.
    Failed(Delivery),
    /// There is nothing to check.
    Waived,
    /// The checks could not be judged.
    Broken(String),
}

/// Everything that a proof looked at.
#[derive(Debug, Default, Serialize)]
pub struct Delivery {
    /// The toolchain's build and tests.
    pub steps: Vec<Step>,
    /// The task's checks.
    pub checks: Vec<CheckLine>,
    /// Whether the workspace is as it was before the proof.
    pub unchanged: bool,
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
    /// What speaks against it.
    pub reasons: Vec<String>,
}

/// Why a task's checks cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// A file cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// The checks themselves are wrong.
    #[error("the task's checks are wrong:\n{}", lines(.0))]
    Suite(Vec<LoadError>),
}

fn lines(errors: &[LoadError]) -> String {
    errors
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

impl Prover {
    /// Reads and seals the checks of `task`. `kept` receives the whole output of every proof.
    ///
    /// # Errors
    /// When a file cannot be read or a check file is wrong.
    pub fn new(task: &Task, workspace: Workspace, kept: PathBuf) -> Result<Self, SealError> {
        let seal = |path: PathBuf| match fs::read(&path) {
            Ok(bytes) => Ok((path, Digest::of(&bytes))),
            Err(error) => Err(SealError::Read(path, error)),
        };
        let seals = task.sealed().map(seal).collect::<Result<_, _>>()?;
        let suite = match task.checks.is_empty() {
            true => None,
            false => Some(Suite::load(&task.checks).map_err(SealError::Suite)?),
        };
        Ok(Self {
            workspace,
            profile: task.profile,
            suite,
            seals,
            kept,
            proofs: 0,
        })
    }

    /// Proves the workspace as it is now.
    ///
    /// # Errors
    /// When the workspace cannot be read.
    pub async fn prove(&mut self) -> io::Result<Proof> {
        // Building alone proves nothing about the goal, so a profile without checks is no proof.
        let Some(suite) = &self.suite else {
            return Ok(Proof::Waived);
        };
        if let Some(path) = self.seals.iter().find_map(broken) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            return Ok(Proof::Broken(format!(
                "`{name}` is not what it was at the start"
            )));
        }
        self.proofs += 1;
        let kept = self.kept.join(format!("proof-{}", self.proofs));
        let before = self.workspace.content_hash()?;
        let mut delivery = Delivery {
            content: before.short(),
            ..Delivery::default()
        };
        for argv in self.profile.map_or(&[][..], Profile::commands) {
            delivery
                .steps
                .push(step(argv, self.workspace.root(), &kept).await?);
        }
        // Checks of a program that does not build would fail for a reason that is already told.
        if delivery.steps.iter().all(|step| step.passed) {
            let root = self.workspace.root();
            let keep = Some(kept.join("checks"));
            let options = Options {
                keep,
                ..Options::new(root)
            };
            delivery.checks = check_lines(&suite.run(&options).await?);
        }
        delivery.unchanged = self.workspace.content_hash()? == before;
        Ok(match delivery.passed() {
            true => Proof::Passed(delivery),
            false => Proof::Failed(delivery),
        })
    }
}

fn broken((path, seal): &(PathBuf, Digest)) -> Option<&PathBuf> {
    let same = fs::read(path).is_ok_and(|bytes| Digest::of(&bytes) == *seal);
    (!same).then_some(path)
}

async fn step(argv: &[&str], root: &Path, kept: &Path) -> io::Result<Step> {
    let folder = kept.join(argv[..2.min(argv.len())].join("-"));
    fs::create_dir_all(&folder)?;
    let mut command = Command::new(argv, root);
    command.timeout = STEP_TIMEOUT;
    // Where the checks expect the program, whatever the caller's environment says.
    command
        .env
        .insert("CARGO_TARGET_DIR".into(), root.join("target").into());
    command.folder = Some(folder);
    let reason = match command.run().await {
        Ok(finished) => reason(&finished),
        Err(error) => Some(error.to_string()),
    };
    let argv = argv.iter().map(ToString::to_string).collect();
    Ok(Step {
        argv,
        passed: reason.is_none(),
        reason,
    })
}

fn reason(finished: &Finished) -> Option<String> {
    let ended = match finished.status {
        _ if finished.timed_out => format!("did not end within {} s", STEP_TIMEOUT.as_secs()),
        Status::Exited(0) => return None,
        Status::Exited(status) => format!("ended with status {status}"),
        Status::Signaled(signal) => format!("was ended by signal {signal}"),
    };
    let output = [&finished.stdout, &finished.stderr]
        .map(|stream| String::from_utf8_lossy(&stream.head).trim().to_owned())
        .join("\n");
    let output = output.trim();
    let skip = output.chars().count().saturating_sub(TAIL);
    let tail: String = output.chars().skip(skip).collect();
    Some(format!("{ended}\n{tail}"))
}

fn check_lines(report: &Report) -> Vec<CheckLine> {
    let line = |check: &crate::accept::Outcome| CheckLine {
        name: check.name.clone(),
        verdict: check.verdict,
        reasons: check
            .reasons
            .iter()
            .map(|reason| reason.message.clone())
            .collect(),
    };
    report.checks.iter().map(line).collect()
}

impl Delivery {
    /// Whether everything passed: a skipped check proves nothing, so one alone is no proof.
    pub fn passed(&self) -> bool {
        let failed = |check: &CheckLine| !matches!(check.verdict, Verdict::Pass | Verdict::Skipped);
        self.unchanged
            && self.steps.iter().all(|step| step.passed)
            && !self.checks.iter().any(failed)
            && self
                .checks
                .iter()
                .any(|check| check.verdict == Verdict::Pass)
    }

    /// Checks that passed, and all of them.
    pub fn counts(&self) -> (usize, usize) {
        let passed = self
            .checks
            .iter()
            .filter(|check| check.verdict == Verdict::Pass)
            .count();
        (passed, self.checks.len())
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
        if !self.unchanged {
            out.push("the workspace changed while it was being proved".into());
        }
        out.join("\n")
    }
}
