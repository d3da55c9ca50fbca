//! The text of one file, without waiting for ever or reading without end.

#![expect(clippy::disallowed_methods, reason = "the room that reads contracts")]

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use crate::parse::MAX_BYTES;

/// The text of a file, or the text before the fault and what the fault is.
pub(super) fn read_text(path: &Path) -> Result<String, (String, String)> {
    let fault = |message: String| (String::new(), message);
    let failed = |error: io::Error| fault(format!("cannot read the file: {}", said(&error)));
    // Asked before opening: opening a pipe without a writer waits for ever.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(fault("not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    let file = File::open(path).map_err(failed)?;
    file.take(limit).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > MAX_BYTES {
        return Err(fault(format!(
            "the file is larger than {} MiB",
            MAX_BYTES >> 20
        )));
    }
    let nul = bytes.iter().position(|byte| *byte == 0);
    let (at, what) = match (std::str::from_utf8(&bytes), nul) {
        (Ok(_), None) => return Ok(String::from_utf8(bytes).unwrap_or_default()),
        (Err(error), Some(at)) if error.valid_up_to() < at => (error.valid_up_to(), "not UTF-8"),
        (_, Some(at)) => (at, "binary: it has a NUL byte"),
        (Err(error), None) => (error.valid_up_to(), "not UTF-8"),
    };
    bytes.truncate(at);
    let before = String::from_utf8(bytes).unwrap_or_default();
    Err((before, format!("the file is {what}")))
}

/// What the system says, without its own name for the path.
pub(super) fn said(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
