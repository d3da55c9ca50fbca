use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{self, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use thiserror::Error;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use super::capture::{Captured, Sink};
use super::environment::{base_environment, find_program};
use super::follow::{End, Lost, Pipes, follow};
use super::keeper::Keeper;

/// A program to run, once.
#[derive(Debug, Clone)]
pub struct Command {
    /// The program and its arguments; never a shell string. A bare name is looked up in the
    /// `PATH` of `env`, a name with a slash relative to `cwd`.
    pub argv: Vec<OsString>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The whole environment; see [`base_environment`].
    pub env: BTreeMap<OsString, OsString>,
    /// What the program reads.
    pub stdin: Stdin,
    /// How long the program may run.
    pub timeout: Duration,
    /// The bounds of waiting and keeping.
    pub limits: Limits,
    /// The existing folder that receives the whole output as `stdout` and `stderr`.
    pub folder: Option<PathBuf>,
    /// Write to the folder, which need not exist then, only what does not fit into memory.
    pub overflow_only: bool,
}

/// What a program reads from its standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stdin {
    /// `/dev/null`.
    #[default]
    Null,
    /// A pipe that stays open and silent until the program has ended.
    HeldOpen,
    /// These bytes, then the end. A program that does not read them is fine.
    Bytes(Vec<u8>),
}

/// The bounds of waiting and keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Between TERM and KILL.
    pub grace: Duration,
    /// How long to wait for the end of the output once the program has exited.
    pub drain: Duration,
    /// Bytes of each stream kept in memory.
    pub memory: usize,
    /// Bytes of each stream after which the group is ended.
    pub output: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(2),
            drain: Duration::from_secs(1),
            memory: 4 << 20,
            output: 1 << 30,
        }
    }
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// By itself, with this status.
    Exited(i32),
    /// By this signal.
    Signaled(i32),
}

/// What a run left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How the program ended; after a time-out, how it reacted to being ended.
    pub status: Status,
    /// The time was over before the program was.
    pub timed_out: bool,
    /// A stream grew past [`Limits::output`], so the group was ended.
    pub output_exceeded: bool,
    /// The program had exited, but a descendant of it still held stdout or stderr open when the
    /// drain time was over. It was ended with the group.
    pub held_by_descendant: bool,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// From the start to the end of the output.
    pub duration: Duration,
}

/// Why a program could not be run, or not be followed to its end.
#[derive(Debug, Error)]
pub enum RunError {
    /// There is nothing to run.
    #[error("the argument list is empty: it has to name a program")]
    EmptyArgv,
    /// No executable file of that name.
    #[error("no program `{}` is there to run", program.display())]
    NotFound {
        /// The first argument.
        program: OsString,
    },
    /// The system refused to start it.
    #[error("cannot start `{}`", program.display())]
    Start {
        /// The first argument.
        program: OsString,
        /// What the system said.
        source: io::Error,
    },
    /// The output could not be read or stored.
    #[error("cannot keep the output of `{}`", program.display())]
    Output {
        /// The first argument.
        program: OsString,
        /// What the system said.
        source: io::Error,
    },
    /// The program did not end even after KILL.
    #[error("`{}` does not end, not even after KILL", program.display())]
    Unkillable {
        /// The first argument.
        program: OsString,
    },
}

impl Command {
    /// A command in the base environment with an empty stdin and a minute to run.
    pub fn new(
        argv: impl IntoIterator<Item = impl Into<OsString>>,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: cwd.into(),
            env: base_environment(),
            stdin: Stdin::Null,
            timeout: Duration::from_mins(1),
            limits: Limits::default(),
            folder: None,
            overflow_only: false,
        }
    }

    /// Runs the program to its end, or ends it with everything it started in its process group: at
    /// the time-out, at the output limit, and when the future is dropped. Takes at most the
    /// time-out, the drain time, the grace and a few seconds for the system to deliver a KILL.
    pub async fn run(self) -> Result<Finished, RunError> {
        let program = self.argv.first().ok_or(RunError::EmptyArgv)?.clone();
        let output = |source| RunError::Output {
            program: program.clone(),
            source,
        };
        let mut stdout = self.sink("stdout").map_err(output)?;
        let mut stderr = self.sink("stderr").map_err(output)?;

        let started = Instant::now();
        let (mut keeper, pipes) = self.spawn(&program)?;
        let end = follow(&self, &mut keeper, pipes, &mut stdout, &mut stderr).await;
        let End {
            timed_out,
            output_exceeded,
            held_by_descendant,
        } = match end {
            Ok(end) => end,
            Err(Lost::Output(source)) => return Err(output(source)),
            Err(Lost::Process) => return Err(RunError::Unkillable { program }),
        };
        let duration = started.elapsed();
        let status = keeper.reap().await.map_err(output)?.into();

        Ok(Finished {
            status,
            timed_out,
            output_exceeded,
            held_by_descendant,
            stdout: stdout.into_captured(),
            stderr: stderr.into_captured(),
            duration,
        })
    }

    fn sink(&self, name: &str) -> io::Result<Sink> {
        let sink = Sink::new(self.limits.memory, self.limits.output);
        match &self.folder {
            None => Ok(sink),
            Some(folder) if self.overflow_only => Ok(sink.overflowing_to(folder.join(name))),
            Some(folder) => sink.in_file(folder.join(name)),
        }
    }

    fn spawn(&self, program: &OsStr) -> Result<(Keeper, Pipes), RunError> {
        let start = |source| RunError::Start {
            program: program.to_owned(),
            source,
        };
        let path = self.env.get(OsStr::new("PATH")).map(OsString::as_os_str);
        let file = find_program(program, path, &self.cwd).ok_or_else(|| RunError::NotFound {
            program: program.to_owned(),
        })?;
        let mut child = process::Command::new(file)
            .arg0(program)
            .args(&self.argv[1..])
            .current_dir(&self.cwd)
            .env_clear()
            .envs(&self.env)
            .process_group(0)
            .stdin(if self.stdin == Stdin::Null {
                Stdio::null()
            } else {
                Stdio::piped()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(start)?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let keeper = Keeper::new(child).map_err(start)?;
        let pipes = Pipes {
            stdin: stdin.map(ChildStdin::from_std).transpose().map_err(start)?,
            stdout: stdout
                .map(ChildStdout::from_std)
                .transpose()
                .map_err(start)?,
            stderr: stderr
                .map(ChildStderr::from_std)
                .transpose()
                .map_err(start)?,
        };
        Ok((keeper, pipes))
    }
}

impl From<ExitStatus> for Status {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, signal) => Self::Signaled(signal.unwrap_or_default()),
        }
    }
}
