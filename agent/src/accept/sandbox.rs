use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::check::{Check, Data};

/// Makes the folder in which one side of a check runs: the copy of its fixture and its files.
pub(super) fn make(check: &Check, root: &Path, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    if let Some(fixture) = &check.fixture {
        copy(fixture, folder, folder)?;
    }
    for file in &check.files {
        let path = folder.join(&file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, expand(&file.content, root))?;
    }
    fs::create_dir_all(folder.join(&check.cwd))
}

/// The data with `{root}` replaced in text.
pub(super) fn expand(data: &Data, root: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    match data {
        Data::Text(text) => replace(text.as_bytes(), b"{root}", root.as_os_str().as_bytes()),
        Data::Bytes(bytes) => bytes.clone(),
    }
}

/// Every occurrence of `old`, which is not empty, replaced by `new`.
pub(super) fn replace(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(old) {
            replaced.extend_from_slice(new);
            at += old.len();
        } else {
            replaced.push(bytes[at]);
            at += 1;
        }
    }
    replaced
}

/// What stands at a path below a sandbox.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Folder,
    File(PathBuf),
    Link(PathBuf),
}

/// Everything below a folder, by relative path.
pub(super) fn entries(folder: &Path) -> io::Result<BTreeMap<PathBuf, Entry>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(current) = open.pop() {
        for entry in fs::read_dir(current)? {
            let entry = entry?;
            let path = entry.path();
            let kind = entry.file_type()?;
            let what = if kind.is_dir() {
                open.push(path.clone());
                Entry::Folder
            } else if kind.is_symlink() {
                Entry::Link(fs::read_link(&path)?)
            } else {
                Entry::File(path.clone())
            };
            found.insert(path.strip_prefix(folder).unwrap_or(&path).to_owned(), what);
        }
    }
    Ok(found)
}

// `skip` keeps a copy that is made inside its own original from copying itself.
fn copy(from: &Path, to: &Path, skip: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !skip.starts_with(source.canonicalize()?) {
                copy(&source, &target, skip)?;
            }
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&source)?, &target)?;
        } else if kind.is_file() {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}
