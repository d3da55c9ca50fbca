//! `agent space …`, called in a folder.

use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::scene::{agent, finish};

/// The command, with products written and not verified.
pub(crate) fn space(folder: &Path, arguments: &[&str]) -> Output {
    with_golden(folder, arguments, "write")
}

pub(crate) fn with_golden(folder: &Path, arguments: &[&str], golden: &str) -> Output {
    let arguments = [&["space"], arguments].concat();
    let mut command = agent(folder, &arguments);
    finish(command.env("SPACE_GOLDEN", golden).spawn().unwrap())
}

/// Standard output of a command that has to succeed.
pub(crate) fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = space(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a command that has to fail with a status, in words and not in a panic.
pub(crate) fn fails(folder: &Path, arguments: &[&str], status: i32) -> String {
    let output = space(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        output.status.code(),
        Some(status),
        "{arguments:?}: {stderr}"
    );
    assert!(!stderr.contains("panicked"), "{stderr}");
    stderr
}

pub(crate) fn folder() -> TempDir {
    TempDir::new().unwrap()
}
