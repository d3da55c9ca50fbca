use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use tokio::task::spawn_blocking;

use super::check::Check;
use super::judge::{judge_side, process_reasons};
use super::parity::compare;
use super::side::run_side;
use super::verdict::{Code, Outcome, Reason, RunRecord, Verdict};
use crate::process::find_program;

/// What all checks of one run share.
pub(super) struct Stage {
    /// The project, in full.
    pub(super) root: PathBuf,
    /// The folder that takes the sandboxes and the output, in full.
    pub(super) folder: PathBuf,
    /// Whether that folder outlives the run, so that reports may point into it.
    pub(super) kept: bool,
    /// Bytes of one stream or file that are judged.
    pub(super) output: u64,
}

/// Carries out one check.
pub(super) async fn execute(check: Arc<Check>, index: usize, stage: Arc<Stage>) -> Outcome {
    let started = Instant::now();
    let mut runs = Vec::new();
    let mut reasons = match unmet(&check) {
        Some(reason) => vec![reason],
        None => carry_out(&check, index, &stage, &mut runs).await,
    };
    // The same thing found in two ways is still one thing.
    let mut seen: Vec<Reason> = Vec::new();
    reasons.retain(|reason| {
        let new = !seen.contains(reason);
        seen.push(reason.clone());
        new
    });
    let duration = started.elapsed();
    if !stage.kept {
        blocking(move || remove_folders(&stage, index)).await;
    }
    Outcome {
        name: check.name.clone(),
        check: check.place.clone(),
        verdict: Verdict::of(&reasons),
        reasons,
        runs,
        duration,
    }
}

// At once, so that a long suite does not fill the disk. What cannot be removed changes no verdict.
fn remove_folders(stage: &Stage, index: usize) {
    for name in ["this", "this.output", "other", "other.output"] {
        let _ = std::fs::remove_dir_all(stage.folder.join(format!("{index}-{name}")));
    }
}

async fn carry_out(
    check: &Arc<Check>,
    index: usize,
    stage: &Arc<Stage>,
    runs: &mut Vec<RunRecord>,
) -> Vec<Reason> {
    let place = &check.place;
    let side = match run_side(
        check,
        &check.argv,
        &BTreeMap::new(),
        place,
        stage,
        &format!("{index}-this"),
    )
    .await
    {
        Ok(side) => side,
        Err((reason, record)) => {
            runs.extend(record);
            return vec![reason];
        }
    };
    runs.push(side.record.clone());
    let side = Arc::new(side);
    let (judged_check, judged_side) = (check.clone(), side.clone());
    let mut reasons = blocking(move || judge_side(&judged_check, &judged_side)).await;
    let Some(same_as) = check.same_as.as_ref().filter(|_| side.is_finished()) else {
        return reasons;
    };

    let folder = format!("{index}-other");
    let other = match run_side(
        check,
        &same_as.argv,
        &same_as.env,
        &same_as.place,
        stage,
        &folder,
    )
    .await
    {
        Ok(other) => other,
        Err((reason, record)) => {
            runs.extend(record);
            reasons.push(reason);
            return reasons;
        }
    };
    runs.push(other.record.clone());
    let faults = process_reasons(&other, check.timeout, &same_as.place);
    reasons.extend(faults);
    if other.is_finished() {
        let check = check.clone();
        reasons.extend(blocking(move || compare(&check, &side, &other)).await);
    }
    reasons
}

fn unmet(check: &Check) -> Option<Reason> {
    let path = std::env::var_os("PATH");
    let missing = |program: &&String| {
        find_program(
            OsStr::new(program.as_str()),
            path.as_deref(),
            Path::new("/"),
        )
        .is_none()
    };
    let when = &check.when;
    let message = if let Some(program) = when.programs.iter().find(missing) {
        format!("skipped: `{program}` is not in PATH")
    } else {
        let here = [std::env::consts::OS, std::env::consts::FAMILY];
        if when.platforms.is_empty()
            || when
                .platforms
                .iter()
                .any(|wanted| here.contains(&wanted.as_str()))
        {
            return None;
        }
        format!(
            "skipped: this is {}, not {}",
            here[0],
            when.platforms.join(" or ")
        )
    };
    Some(Reason::plain(Code::ConditionUnmet, message, &check.place))
}

pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Only when the runtime is going down, and this task with it.
            Err(_) => std::future::pending().await,
        },
    }
}
