//! Reading and replacing a text file, as the tools need it.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::shape::NOTICE;

/// A larger file is no text a model can work on.
pub(super) const LARGEST_FILE: u64 = 16 << 20;

/// The text in `path`; a reason in words when there is none.
pub(super) fn read_text(path: &Path) -> Result<String, String> {
    let meta = fs::metadata(path).map_err(|error| reason(&error))?;
    if meta.is_dir() {
        return Err("it is a folder".to_owned());
    }
    if !meta.is_file() {
        return Err("it is no regular file".to_owned());
    }
    if meta.len() > LARGEST_FILE {
        return Err(format!("it has {} bytes, too many to read", meta.len()));
    }
    let bytes = fs::read(path).map_err(|error| reason(&error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("it is not UTF-8 text: byte {at} is wrong")
    })
}

/// Puts `text` into `path` in one step: another reader sees the old file or the new one. Keeps the
/// permissions of a file that is there.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mode = match fs::metadata(path) {
        Ok(meta) if meta.is_file() => Some(meta.permissions()),
        Ok(_) => return Err(io::Error::other("it is no regular file")),
        Err(_) => None,
    };
    let mut file = tempfile::Builder::new()
        .prefix(".space-")
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Some(mode) = mode {
        file.as_file().set_permissions(mode)?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Why text from a model must not be written, if it was copied from a shortened view.
pub(super) fn copied_notice(text: &str) -> Option<String> {
    let (before, _) = text.split_once(NOTICE)?;
    let line = before.matches('\n').count() + 1;
    Some(format!(
        "line {line} of the text is a notice that lines were left out of what you were shown; \
         write the lines themselves"
    ))
}

/// A system error without its number.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "the system does not permit it".to_owned(),
        _ => error.to_string(),
    }
}
