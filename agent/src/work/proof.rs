//! The proof of a task: what must hold before an answer counts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::delivery::{CheckLine, Delivery, Step};
use super::task::{Profile, Task};
use crate::accept::{LoadError, Options, Suite};
use crate::process::{Command, Finished, Status};
use crate::workspace::{Digest, Listing, Workspace};

/// How long a build or a test run may take.
const STEP_TIMEOUT: Duration = Duration::from_mins(10);

/// Characters of a failed step's output that the report carries.
const TAIL: usize = 1_500;

/// The checks of a task, read and sealed before the model is asked anything.
#[derive(Debug)]
pub struct Sealed {
    profile: Option<Profile>,
    suite: Option<Suite>,
    seals: Vec<(PathBuf, Digest)>,
}

/// Proves a workspace with sealed checks.
#[derive(Debug)]
pub struct Prover {
    sealed: Sealed,
    workspace: Workspace,
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

impl Sealed {
    /// Reads and seals the checks of `task`.
    ///
    /// # Errors
    /// When a file cannot be read or a check file is wrong.
    pub fn of(task: &Task) -> Result<Self, SealError> {
        let suite = if task.checks.is_empty() {
            None
        } else {
            Some(Suite::load(&task.checks).map_err(SealError::Suite)?)
        };
        let seal = |path: PathBuf| match seal(&path) {
            Ok(digest) => Ok((path, digest)),
            Err(error) => Err(SealError::Read(path, error)),
        };
        let sealed = task.sealed().chain(fixtures(suite.as_ref()));
        Ok(Self {
            profile: task.profile,
            seals: sealed.map(seal).collect::<Result<_, _>>()?,
            suite,
        })
    }

    /// What the checks are made of. The tools of a run may not write it.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.seals.iter().map(|(path, _)| path.as_path())
    }

    fn broken(&self) -> Option<String> {
        let differs =
            |(path, digest): &&(PathBuf, Digest)| !seal(path).is_ok_and(|now| now == *digest);
        let (path, _) = self.seals.iter().find(differs)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Some(format!("`{name}` is not what it was at the start"))
    }
}

impl Prover {
    /// A prover of `workspace`. `kept` receives the whole output of every proof.
    pub fn new(sealed: Sealed, workspace: Workspace, kept: PathBuf) -> Self {
        Self {
            sealed,
            workspace,
            kept,
            proofs: 0,
        }
    }

    /// Proves the workspace as it is now.
    ///
    /// # Errors
    /// When the workspace cannot be read.
    pub async fn prove(&mut self) -> io::Result<Proof> {
        // Building alone proves nothing about the goal, so a profile without checks is no proof.
        let Some(suite) = &self.sealed.suite else {
            return Ok(Proof::Waived);
        };
        if let Some(error) = self.sealed.broken() {
            return Ok(Proof::Broken(error));
        }
        self.proofs += 1;
        let kept = self.kept.join(format!("proof-{}", self.proofs));
        let before = list(&self.workspace).await?;
        let mut delivery = Delivery {
            content: before.digest().short(),
            ..Delivery::default()
        };
        for argv in self.sealed.profile.map_or(&[][..], Profile::commands) {
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
            let report = suite.run(&options).await?;
            delivery.checks = suite
                .checks()
                .zip(&report.checks)
                .map(|(check, outcome)| CheckLine::new(check, outcome))
                .collect();
        }
        delivery.changed = list(&self.workspace).await?.since(&before);
        // What was proved may have reached for what proves it.
        if let Some(error) = self.sealed.broken() {
            return Ok(Proof::Broken(error));
        }
        Ok(if delivery.passed() {
            Proof::Passed(delivery)
        } else {
            Proof::Failed(delivery)
        })
    }
}

/// The folders that sandboxes start from: the one part of a check that is read when it runs.
fn fixtures(suite: Option<&Suite>) -> impl Iterator<Item = PathBuf> {
    let checks = suite.into_iter().flat_map(Suite::checks);
    checks.filter_map(|check| check.fixture.clone())
}

fn seal(path: &Path) -> io::Result<Digest> {
    if path.is_dir() {
        Workspace::open(path, &[])?.content_hash()
    } else {
        Ok(Digest::of(&fs::read(path)?))
    }
}

/// Lists the workspace off the asynchronous threads.
async fn list(workspace: &Workspace) -> io::Result<Listing> {
    let workspace = workspace.clone();
    tokio::task::spawn_blocking(move || workspace.listing())
        .await
        .map_err(io::Error::other)?
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
