use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::spawn_blocking;

use super::check::{Check, Data, ExitRule, Expect, FileRule, Input};
use super::parity::compare;
use super::sandbox::{expand, make};
use super::text::{judge, judge_unfinished};
use super::verdict::{
    Code, Exit, Origin, Outcome, OutputRecord, Place, Reason, RunRecord, Verdict,
};
use crate::process::{
    Captured, Command, Finished, Limits, RunError, Status, Stdin, base_environment, find_program,
};

/// What all checks of one run share.
pub(super) struct Stage {
    /// The project, in full.
    pub(super) root: PathBuf,
    /// The folder that takes the sandboxes and the output, in full.
    pub(super) folder: PathBuf,
    /// Whether that folder outlives the run, so that reports may point into it.
    pub(super) kept: bool,
}

/// Bytes of one stream that are judged; a program that prints more is ended.
const MOST_OUTPUT: u64 = 128 << 20;

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
    Outcome {
        name: check.name.clone(),
        check: check.place.clone(),
        verdict: Verdict::of(&reasons),
        reasons,
        runs,
        duration: started.elapsed(),
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
        &format!("{index}/this"),
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

    let folder = format!("{index}/other");
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

/// One finished run with all of its output.
pub(super) struct Side {
    pub(super) record: RunRecord,
    pub(super) status: Status,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    /// The sandbox, `None` for a run in place.
    pub(super) sandbox: Option<PathBuf>,
    cwd: PathBuf,
    timed_out: bool,
    output_exceeded: bool,
    held_by_descendant: bool,
}

impl Side {
    fn is_finished(&self) -> bool {
        !self.timed_out && !self.output_exceeded
    }
}

type NotRun = (Reason, Option<RunRecord>);

async fn run_side(
    check: &Arc<Check>,
    argv: &[Data],
    env: &BTreeMap<String, String>,
    place: &Place,
    stage: &Arc<Stage>,
    name: &str,
) -> Result<Side, NotRun> {
    let folder = stage.folder.join(name);
    let work = if check.in_place {
        stage.root.clone()
    } else {
        folder.join("work")
    };
    let made = {
        let (check, stage, folder, work) =
            (check.clone(), stage.clone(), folder.clone(), work.clone());
        blocking(move || {
            fs::create_dir_all(&folder)?;
            if check.in_place {
                Ok(())
            } else {
                make(&check, &stage.root, &work)
            }
        })
        .await
    };
    if let Err(error) = made {
        let message = format!("the folder of the check cannot be made: {error}");
        return Err((plain(Code::SandboxFailed, message, place), None));
    }
    let cwd = work.join(&check.cwd);
    let command = Command {
        argv: argv
            .iter()
            .enumerate()
            .map(|(index, data)| argument(data, index, &stage.root))
            .collect(),
        cwd: cwd.clone(),
        env: environment(&[&check.env, env], &stage.root),
        stdin: match &check.stdin {
            Input::Null => Stdin::Null,
            Input::HeldOpen => Stdin::HeldOpen,
            Input::Given(data) => Stdin::Bytes(expand(data, &stage.root)),
        },
        timeout: check.timeout,
        limits: Limits {
            memory: 64 << 10,
            output: MOST_OUTPUT,
            ..Limits::default()
        },
        folder: Some(folder),
    };
    let shown: Vec<String> = argv
        .iter()
        .map(|data| String::from_utf8_lossy(data.bytes()).into_owned())
        .collect();
    let started = Instant::now();
    let finished = command
        .run()
        .await
        .map_err(|error| not_run(&error, shown.clone(), place))?;
    let kept = stage.kept;
    let sandbox = (!check.in_place).then_some(work);
    blocking(move || side(&finished, shown, sandbox, cwd, kept))
        .await
        .map_err(|error| {
            let message = format!(
                "the output cannot be read back after {:?}: {error}",
                started.elapsed()
            );
            (plain(Code::NotStarted, message, place), None)
        })
}

fn side(
    finished: &Finished,
    argv: Vec<String>,
    sandbox: Option<PathBuf>,
    cwd: PathBuf,
    kept: bool,
) -> std::io::Result<Side> {
    let (stdout, stderr) = (whole(&finished.stdout)?, whole(&finished.stderr)?);
    let output = |bytes: &[u8], captured: &Captured| OutputRecord {
        bytes: captured.len,
        path: captured
            .file
            .as_ref()
            .filter(|_| kept)
            .map(|path| path.display().to_string()),
        ..shape(bytes)
    };
    let record = RunRecord {
        argv,
        exit: Some(match finished.status {
            Status::Exited(status) => Exit::Status(status),
            Status::Signaled(signal) => Exit::Signal(signal),
        }),
        timed_out: finished.timed_out,
        stdout: output(&stdout, &finished.stdout),
        stderr: output(&stderr, &finished.stderr),
        duration: finished.duration,
    };
    Ok(Side {
        record,
        status: finished.status,
        stdout,
        stderr,
        sandbox,
        cwd,
        timed_out: finished.timed_out,
        output_exceeded: finished.output_exceeded,
        held_by_descendant: finished.held_by_descendant,
    })
}

fn judge_side(check: &Check, side: &Side) -> Vec<Reason> {
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
            .flat_map(|rule| judge_file(rule, &side.cwd)),
    );
    reasons
}

fn process_reasons(side: &Side, timeout: Duration, place: &Place) -> Vec<Reason> {
    let program = side.record.argv.first().map_or("", String::as_str);
    let mut reasons = Vec::new();
    if side.timed_out {
        let message = format!(
            "`{program}` was still running after {} ms, so its group was ended",
            timeout.as_millis()
        );
        reasons.push(plain(Code::TimedOut, message, place));
    }
    if side.output_exceeded {
        let message = format!(
            "`{program}` printed more than {} MiB, so its group was ended",
            MOST_OUTPUT >> 20
        );
        reasons.push(plain(Code::OutputTooLarge, message, place));
    }
    if side.held_by_descendant {
        let message = format!(
            "`{program}` ended, but a process that it had started still held its output open"
        );
        let mut reason = plain(Code::PipeHeldByDescendant, message, place);
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
    let mut reason = plain(
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

fn judge_file(rule: &FileRule, cwd: &Path) -> Vec<Reason> {
    let path = cwd.join(&rule.path);
    let origin = Origin::File(rule.path.clone());
    let name = &rule.path;
    let reason = |code, message: String| {
        let mut reason = plain(code, message, &rule.place);
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
            Some(_) if fs::metadata(&path).is_ok_and(|meta| meta.len() > MOST_OUTPUT) => reason(
                Code::OutputTooLarge,
                format!("`{name}` is larger than {} MiB", MOST_OUTPUT >> 20),
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
    Some(plain(Code::ConditionUnmet, message, &check.place))
}

fn argument(data: &Data, index: usize, root: &Path) -> OsString {
    let argument = OsString::from_vec(expand(data, root));
    // The program is the project's; its other arguments are relative to where it runs.
    if index == 0 && argument.as_bytes().contains(&b'/') {
        return root.join(argument).into_os_string();
    }
    argument
}

fn environment(added: &[&BTreeMap<String, String>], root: &Path) -> BTreeMap<OsString, OsString> {
    let mut env = base_environment();
    // Outside the copy, or every check would build everything anew.
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), |dir| root.join(dir));
    env.insert("CARGO_TARGET_DIR".into(), target.into());
    for (name, value) in added.iter().flat_map(|env| env.iter()) {
        let value = expand(&Data::Text(value.clone()), root);
        env.insert(name.into(), OsString::from_vec(value));
    }
    env
}

fn not_run(error: &RunError, argv: Vec<String>, place: &Place) -> NotRun {
    let code = match error {
        RunError::NotFound { .. } => Code::ProgramNotFound,
        _ => Code::NotStarted,
    };
    let program = argv.first().map_or("", String::as_str);
    let message = match std::error::Error::source(error) {
        _ if code == Code::ProgramNotFound => format!("there is no program `{program}` to run"),
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    };
    let mut reason = plain(code, message, place);
    if code == Code::ProgramNotFound && program.contains('/') {
        reason.hint =
            Some("a program with a slash is looked up from the root: has it been built?".into());
    }
    let record = RunRecord {
        argv,
        exit: None,
        timed_out: false,
        stdout: OutputRecord::default(),
        stderr: OutputRecord::default(),
        duration: Duration::ZERO,
    };
    (reason, Some(record))
}

pub(super) fn plain(code: Code, message: String, check: &Place) -> Reason {
    Reason {
        code,
        message,
        stream: None,
        byte: None,
        line: None,
        column: None,
        expected: None,
        actual: None,
        check: check.clone(),
        hint: None,
    }
}

fn whole(captured: &Captured) -> std::io::Result<Vec<u8>> {
    match &captured.file {
        Some(file) if !captured.is_whole() => fs::read(file),
        _ => Ok(captured.head.clone()),
    }
}

/// The first and the last lines, the rest counted.
fn shape(bytes: &[u8]) -> OutputRecord {
    const EDGE: usize = 8;
    const WIDTH: usize = 200;
    let total = bytes
        .strip_suffix(b"\n")
        .unwrap_or(bytes)
        .split(|&b| b == b'\n')
        .count();
    let total = if bytes.is_empty() { 0 } else { total };
    let show = |line: &[u8]| {
        let shown: String = String::from_utf8_lossy(&line[..line.len().min(4 * WIDTH)])
            .chars()
            .take(WIDTH)
            .flat_map(|c| {
                if c.is_control() && c != '\t' {
                    c.escape_default().collect()
                } else {
                    vec![c]
                }
            })
            .collect();
        if line.len() > shown.len() {
            shown + "…"
        } else {
            shown
        }
    };
    let omitted_lines = total.saturating_sub(2 * EDGE);
    let lines = bytes
        .strip_suffix(b"\n")
        .unwrap_or(bytes)
        .split(|&b| b == b'\n')
        .take(total)
        .enumerate();
    let edges =
        lines.filter(|(index, _)| omitted_lines == 0 || *index < EDGE || *index >= total - EDGE);
    OutputRecord {
        shown: edges.map(|(_, line)| show(line)).collect(),
        omitted_lines,
        ..OutputRecord::default()
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Only when the runtime is going down, and this task with it.
            Err(_) => std::future::pending().await,
        },
    }
}
