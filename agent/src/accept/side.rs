use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::check::{Check, Data, Input};
use super::execute::{Stage, blocking};
use super::sandbox::{expand, make};
use super::verdict::{Code, Exit, OutputRecord, Place, Reason, RunRecord};
use crate::process::{
    Captured, Command, Finished, Limits, RunError, Status, Stdin, base_environment,
};

/// One finished run with all of its output.
pub(super) struct Side {
    pub(super) record: RunRecord,
    pub(super) status: Status,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    /// The sandbox, `None` for a run in place.
    pub(super) sandbox: Option<PathBuf>,
    pub(super) cwd: PathBuf,
    pub(super) timed_out: bool,
    pub(super) output_exceeded: bool,
    pub(super) held_by_descendant: bool,
    /// Bytes of one stream or file that are judged.
    pub(super) most_output: u64,
}

impl Side {
    /// Whether its output is all that it wanted to print.
    pub(super) fn is_finished(&self) -> bool {
        !self.timed_out && !self.output_exceeded
    }
}

/// Why there is no run to be judged.
pub(super) type NotRun = (Reason, Option<RunRecord>);

/// Runs one form of a program in a folder of its own below the stage.
pub(super) async fn run_side(
    check: &Arc<Check>,
    argv: &[Data],
    env: &BTreeMap<String, String>,
    place: &Place,
    stage: &Arc<Stage>,
    name: &str,
) -> Result<Side, NotRun> {
    let folder = stage.folder.join(format!("{name}.output"));
    let work = if check.in_place {
        stage.root.clone()
    } else {
        stage.folder.join(name)
    };
    let made = {
        let (check, stage, folder, work) =
            (check.clone(), stage.clone(), folder.clone(), work.clone());
        blocking(move || {
            if stage.kept {
                fs::create_dir_all(&folder)?;
            }
            if check.in_place {
                work.join(&check.cwd).read_dir().map(drop)
            } else {
                make(&check, &stage.root, &work)
            }
        })
        .await
    };
    if let Err(error) = made {
        let message = format!("the folder of the check cannot be used: {error}");
        return Err((Reason::plain(Code::SandboxFailed, message, place), None));
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
            output: stage.output,
            ..Limits::default()
        },
        folder: Some(folder),
        overflow_only: !stage.kept,
    };
    let shown: Vec<String> = argv
        .iter()
        .map(|data| String::from_utf8_lossy(data.bytes()).into_owned())
        .collect();
    let finished = command
        .run()
        .await
        .map_err(|error| not_run(&error, shown.clone(), place))?;
    let sandbox = (!check.in_place).then_some(work);
    let stage = stage.clone();
    blocking(move || side(&finished, shown, sandbox, cwd, &stage))
        .await
        .map_err(|error| {
            let message = format!("the output cannot be read back: {error}");
            (Reason::plain(Code::NotStarted, message, place), None)
        })
}

fn side(
    finished: &Finished,
    argv: Vec<String>,
    sandbox: Option<PathBuf>,
    cwd: PathBuf,
    stage: &Stage,
) -> std::io::Result<Side> {
    let (stdout, stderr) = (whole(&finished.stdout)?, whole(&finished.stderr)?);
    let output = |bytes: &[u8], captured: &Captured| OutputRecord {
        bytes: captured.len,
        path: captured
            .file
            .as_ref()
            .filter(|_| stage.kept)
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
        most_output: stage.output,
    })
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
    let mut reason = Reason::plain(code, message, place);
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
