use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::json::ProblemKind;

/// What became of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Everything the check expects holds.
    Pass,
    /// Something does not hold.
    Fail,
    /// The check could not be carried out.
    Error,
    /// The program did not end in time.
    Timeout,
    /// The check's condition is not met here. Never counts as passed.
    Skipped,
}

/// The result of one check.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The check's name.
    pub name: String,
    /// Where it is written.
    pub check: Place,
    /// What became of it.
    pub verdict: Verdict,
    /// Everything that speaks against it, in the order of the check file.
    pub reasons: Vec<Reason>,
    /// The run of the program and, for parity, of its other form.
    pub runs: Vec<RunRecord>,
    /// How long the check took altogether.
    #[serde(rename = "ms", serialize_with = "milliseconds")]
    pub duration: Duration,
}

/// A place in a check file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The file as it was named.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
}

/// One thing that speaks against a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Which kind of thing.
    pub code: Code,
    /// One sentence for a person.
    pub message: String,
    /// The stream or file it is about: `stdout`, `stderr`, `file:out.json`.
    pub stream: Option<Origin>,
    /// Offset in that stream.
    pub byte: Option<usize>,
    /// Line in that stream, counted from 1.
    pub line: Option<usize>,
    /// Column in that line, in characters counted from 1.
    pub column: Option<usize>,
    /// What the check expects.
    pub expected: Option<String>,
    /// What was there.
    pub actual: Option<String>,
    /// The line of the check file that expects it.
    pub check: Place,
    /// What usually helps.
    pub hint: Option<String>,
}

impl Reason {
    /// A reason that is about no place in a text.
    pub(super) fn plain(code: Code, message: String, check: &Place) -> Self {
        Self {
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
}

/// Where a judged text came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// A file that the program should have written, relative to its folder.
    File(String),
}

/// The closed list of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// Ended by itself, with another status.
    ExitMismatch,
    /// Ended by a signal that the check does not expect.
    EndedBySignal,
    /// Still running when its time was over.
    TimedOut,
    /// A descendant held the output open after the program had exited.
    PipeHeldByDescendant,
    /// More output than can be judged.
    OutputTooLarge,
    /// No such program.
    ProgramNotFound,
    /// The program could not be started or followed.
    NotStarted,
    /// The check's folder could not be made or is not there.
    SandboxFailed,
    /// The condition of the check is not met here.
    ConditionUnmet,
    /// A text does not have its format.
    Text(Channel, Flaw),
    /// A forbidden text is there.
    ForbiddenText,
    /// A path selects nothing where something has to be.
    PathSelectsNothing,
    /// A path selects several values where one has to be.
    PathSelectsSeveral,
    /// A value is not as expected.
    PredicateFailed,
    /// A file should be there and is not.
    FileMissing,
    /// A file should not be there and is.
    FileUnexpected,
    /// The other form ends differently.
    ParityExit,
    /// The other form prints something else.
    ParityStdout,
    /// The other form reports something else.
    ParityStderr,
    /// The other form leaves other files.
    ParityFiles,
}

/// The kind of text that a format reason is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// A written file.
    File,
}

/// How a text misses its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// Something where nothing should be.
    NotEmpty,
    /// Nothing where something should be.
    Empty,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// A byte order mark before the value.
    ByteOrderMark,
    /// Something follows the value.
    TrailingBytes,
    /// `NaN` or an infinity.
    NotANumber,
    /// A key twice in one object.
    DuplicateKey,
    /// It ends inside a value.
    Truncated,
    /// Nested too deeply.
    TooDeep,
    /// Not JSON at all.
    NotJson,
    /// An empty line between JSON lines.
    BlankLine,
    /// A line that no allow rule covers.
    LineNotAllowed,
}

impl Code {
    /// The name in reports: `exit_mismatch`, `stdout_trailing_bytes`.
    pub fn name(self) -> String {
        match self {
            Self::Text(channel, flaw) => format!("{}_{}", channel.name(), flaw.name()),
            Self::ExitMismatch => "exit_mismatch".into(),
            Self::EndedBySignal => "ended_by_signal".into(),
            Self::TimedOut => "timed_out".into(),
            Self::PipeHeldByDescendant => "pipe_held_by_descendant".into(),
            Self::OutputTooLarge => "output_too_large".into(),
            Self::ProgramNotFound => "program_not_found".into(),
            Self::NotStarted => "not_started".into(),
            Self::SandboxFailed => "sandbox_failed".into(),
            Self::ConditionUnmet => "condition_unmet".into(),
            Self::ForbiddenText => "forbidden_text".into(),
            Self::PathSelectsNothing => "path_selects_nothing".into(),
            Self::PathSelectsSeveral => "path_selects_several".into(),
            Self::PredicateFailed => "predicate_failed".into(),
            Self::FileMissing => "file_missing".into(),
            Self::FileUnexpected => "file_unexpected".into(),
            Self::ParityExit => "parity_exit".into(),
            Self::ParityStdout => "parity_stdout".into(),
            Self::ParityStderr => "parity_stderr".into(),
            Self::ParityFiles => "parity_files".into(),
        }
    }

    /// The verdict that this reason alone leads to.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::ProgramNotFound | Self::NotStarted | Self::SandboxFailed => Verdict::Error,
            Self::TimedOut => Verdict::Timeout,
            Self::ConditionUnmet => Verdict::Skipped,
            _ => Verdict::Fail,
        }
    }
}

impl Channel {
    fn name(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::File => "file",
        }
    }
}

impl Flaw {
    fn name(self) -> &'static str {
        match self {
            Self::NotEmpty => "not_empty",
            Self::Empty => "empty",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::ByteOrderMark => "byte_order_mark",
            Self::TrailingBytes => "trailing_bytes",
            Self::NotANumber => "not_a_number",
            Self::DuplicateKey => "duplicate_key",
            Self::Truncated => "truncated",
            Self::TooDeep => "too_deep",
            Self::NotJson => "not_json",
            Self::BlankLine => "blank_line",
            Self::LineNotAllowed => "line_not_allowed",
        }
    }
}

impl From<ProblemKind> for Flaw {
    fn from(kind: ProblemKind) -> Self {
        match kind {
            ProblemKind::ByteOrderMark => Self::ByteOrderMark,
            ProblemKind::InvalidUtf8 => Self::InvalidUtf8,
            ProblemKind::TrailingBytes => Self::TrailingBytes,
            ProblemKind::NotANumber => Self::NotANumber,
            ProblemKind::DuplicateKey => Self::DuplicateKey,
            ProblemKind::Truncated => Self::Truncated,
            ProblemKind::NoValue => Self::Empty,
            ProblemKind::TooDeep => Self::TooDeep,
            ProblemKind::Syntax => Self::NotJson,
        }
    }
}

impl Verdict {
    /// The verdict of all reasons together: the one that leaves the most unknown.
    pub(super) fn of(reasons: &[Reason]) -> Self {
        let verdicts: Vec<Self> = reasons.iter().map(|reason| reason.code.verdict()).collect();
        [Self::Error, Self::Timeout, Self::Fail, Self::Skipped]
            .into_iter()
            .find(|verdict| verdicts.contains(verdict))
            .unwrap_or(Self::Pass)
    }
}

impl Origin {
    /// The channel that its reasons are named after.
    pub fn channel(&self) -> Channel {
        match self {
            Self::Stdout => Channel::Stdout,
            Self::Stderr => Channel::Stderr,
            Self::File(_) => Channel::File,
        }
    }
}

/// One run of a program, as the report shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunRecord {
    /// The arguments, lossy where they are not UTF-8.
    pub argv: Vec<String>,
    /// The status, `None` when it could not be started.
    pub exit: Option<Exit>,
    /// Whether its time was over before it was.
    pub timed_out: bool,
    /// What it printed.
    pub stdout: OutputRecord,
    /// What it reported.
    pub stderr: OutputRecord,
    /// How long it ran.
    #[serde(rename = "ms", serialize_with = "milliseconds")]
    pub duration: Duration,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// By itself.
    Status(i32),
    /// By a signal.
    Signal(i32),
}

/// One stream of a run, shaped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OutputRecord {
    /// All of it.
    pub bytes: u64,
    /// Its first lines and, when there is more, its last ones.
    pub shown: Vec<String>,
    /// Lines between them that are not shown.
    pub omitted_lines: usize,
    /// The file that holds the whole, when the run's folder is kept.
    pub path: Option<String>,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "exit {status}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdout => f.write_str("stdout"),
            Self::Stderr => f.write_str("stderr"),
            Self::File(path) => f.write_str(path),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::File(path) => serializer.serialize_str(&format!("file:{path}")),
            stream => serializer.collect_str(stream),
        }
    }
}

fn milliseconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
