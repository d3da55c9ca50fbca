//! What a check says, as plain data.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use regex::bytes::Regex;

use super::forbid::Forbidden;
use super::predicate::Predicate;
use super::verdict::Place;

/// One check, read and complete: what to run and what to expect.
#[derive(Debug, Clone)]
pub struct Check {
    /// Unique in its suite.
    pub name: String,
    /// Where it is written.
    pub place: Place,
    /// The program and its arguments.
    pub argv: Vec<Data>,
    /// Below the sandbox, or below the root when the check runs in place.
    pub cwd: String,
    /// Added to the clean base environment.
    pub env: BTreeMap<String, String>,
    /// The folder whose copy the sandbox starts from.
    pub fixture: Option<PathBuf>,
    /// Run in the root itself instead of a sandbox.
    pub in_place: bool,
    /// Files put into the sandbox.
    pub files: Vec<Fixture>,
    /// What the program reads.
    pub stdin: Input,
    /// The conditions without which the check is skipped.
    pub when: When,
    /// How long the program may run.
    pub timeout: Duration,
    /// What the run has to be like.
    pub expect: Expect,
    /// The other form of the program that has to behave the same.
    pub same_as: Option<SameAs>,
}

/// An argument, an input or a file: text in which `{root}` is expanded, or bytes as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// Text.
    Text(String),
    /// Bytes that need not be UTF-8.
    Bytes(Vec<u8>),
}

/// A file in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixture {
    /// Relative to the sandbox.
    pub path: String,
    /// Its content, read when the suite was loaded.
    pub content: Data,
}

/// What the program reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Nothing: the null device.
    Null,
    /// A pipe on which nothing comes and which does not end.
    HeldOpen,
    /// This, and then the end.
    Given(Data),
}

/// Conditions; all of them have to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct When {
    /// Programs to be found in `PATH`.
    pub programs: Vec<String>,
    /// Systems, any of them: `linux`, `macos`, `unix`, …
    pub platforms: Vec<String>,
}

/// What a run has to be like.
#[derive(Debug, Clone)]
pub struct Expect {
    /// How it ends; parity alone does not say.
    pub exit: Option<ExitRule>,
    /// Where that is written.
    pub exit_place: Place,
    /// What it prints.
    pub stdout: Text,
    /// What it reports.
    pub stderr: Text,
    /// What it writes.
    pub files: Vec<FileRule>,
}

/// How a program has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitRule {
    /// With status 0.
    Zero,
    /// With any other status, but by itself: a crash is not an error message.
    Nonzero,
    /// With this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
}

/// What a text has to be like.
#[derive(Debug, Clone)]
pub struct Text {
    /// Where it is written.
    pub place: Place,
    /// Its format.
    pub format: Format,
    /// What holds in it.
    pub predicates: Vec<Predicate>,
    /// What must not be in it.
    pub forbid: Vec<Forbidden>,
    /// Lines that are taken out before the format is judged.
    pub allow: Vec<Regex>,
}

/// The format of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Not judged.
    Any,
    /// No byte.
    Empty,
    /// UTF-8.
    Text,
    /// One JSON value.
    Json,
    /// A JSON value on each line.
    JsonLines,
}

/// What a written file has to be like.
#[derive(Debug, Clone)]
pub struct FileRule {
    /// Where it is written.
    pub place: Place,
    /// Relative to the folder in which the program ran.
    pub path: String,
    /// Whether it is there at all.
    pub exists: bool,
    /// What is in it.
    pub content: Option<Text>,
}

/// The other form of a program.
#[derive(Debug, Clone)]
pub struct SameAs {
    /// Where it is written.
    pub place: Place,
    /// The other program and its arguments.
    pub argv: Vec<Data>,
    /// Added to the check's environment.
    pub env: BTreeMap<String, String>,
    /// Lines taken out of both sides' stderr.
    pub allow_stderr: Vec<Regex>,
    /// What has to be the same.
    pub compare: Vec<Aspect>,
}

/// What parity compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aspect {
    /// The exit status.
    Exit,
    /// Standard output, byte by byte.
    Stdout,
    /// Standard error without the allowed lines.
    Stderr,
    /// The files in the sandbox afterwards.
    Files,
}

impl Data {
    /// As it is written, nothing expanded.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}
