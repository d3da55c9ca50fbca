//! What is in a workspace: every path that a person would call its content, with a digest.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::Digest;

/// Not part of the content: build products, history, our own records.
const NOT_CONTENT: &[&str] = &[".git", ".space", "target"];

/// The content of a workspace at one time: names, kinds, executable bits and bytes; not times,
/// `.git`, `.space`, or a build's `target` folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    entries: BTreeMap<PathBuf, Digest>,
}

/// A path that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Relative to the workspace.
    pub path: PathBuf,
    /// What happened to it.
    pub kind: ChangeKind,
}

/// What happened to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It was not there.
    Added,
    /// It is not there any more.
    Removed,
    /// It is something else, or holds something else.
    Modified,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Modified => "modified",
        };
        write!(f, "`{}` ({kind})", self.path.display())
    }
}

impl Listing {
    /// Lists `root`. Reads every file once: linear in the size of the workspace.
    pub(super) fn of(root: &Path) -> io::Result<Self> {
        let mut listing = Self::default();
        let mut buffer = vec![0; 64 << 10];
        let mut open = vec![PathBuf::new()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(root.join(&folder))? {
                let path = folder.join(entry?.file_name());
                let real = root.join(&path);
                let meta = fs::symlink_metadata(&real)?;
                if !is_content(root, &path, meta.is_dir()) {
                    continue;
                }
                listing
                    .entries
                    .insert(path.clone(), digest(&real, &meta, &mut buffer)?);
                if meta.is_dir() {
                    open.push(path);
                }
            }
        }
        Ok(listing)
    }

    /// One digest for all of it.
    pub fn digest(&self) -> Digest {
        let mut hash = Sha256::new();
        for (path, digest) in &self.entries {
            let path = path.as_os_str().as_encoded_bytes();
            hash.update((path.len() as u64).to_le_bytes());
            hash.update(path);
            hash.update(digest.0);
        }
        Digest(hash.finalize().into())
    }

    /// What has changed since `before`, by path. A folder that came or went with what is in it is
    /// not named beside it.
    pub fn since(&self, before: &Self) -> Vec<Change> {
        let change = |path: &PathBuf, kind| Change {
            path: path.clone(),
            kind,
        };
        let now = self
            .entries
            .iter()
            .filter_map(|(path, digest)| match before.entries.get(path) {
                None => Some(change(path, ChangeKind::Added)),
                Some(old) if old != digest => Some(change(path, ChangeKind::Modified)),
                Some(_) => None,
            });
        let gone = before
            .entries
            .keys()
            .filter(|&path| !self.entries.contains_key(path))
            .map(|path| change(path, ChangeKind::Removed));
        let mut all: Vec<Change> = now.chain(gone).collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        let holds_next = |index: usize| {
            let next: Option<&Change> = all.get(index + 1);
            next.is_some_and(|next| next.path.starts_with(&all[index].path))
        };
        (0..all.len())
            .filter(|index| !holds_next(*index))
            .map(|index| all[index].clone())
            .collect()
    }
}

/// Whether the path below `root` belongs to the content.
pub fn is_content(root: &Path, path: &Path, is_folder: bool) -> bool {
    if NOT_CONTENT.iter().any(|ignored| path == Path::new(ignored)) {
        return false;
    }
    // Nested packages have targets of their own, which the build marks.
    let marked = || root.join(path).join("CACHEDIR.TAG").is_file();
    !(is_folder && path.ends_with("target") && marked())
}

fn digest(path: &Path, meta: &fs::Metadata, buffer: &mut [u8]) -> io::Result<Digest> {
    let mut hash = Sha256::new();
    if meta.is_symlink() {
        hash.update(b"l");
        hash.update(fs::read_link(path)?.as_os_str().as_encoded_bytes());
    } else if meta.is_dir() {
        hash.update(b"d");
    } else if meta.is_file() {
        hash.update(if is_executable(meta) { b"x" } else { b"f" });
        let mut file = fs::File::open(path)?;
        loop {
            let read = file.read(buffer)?;
            if read == 0 {
                break;
            }
            hash.update(&buffer[..read]);
        }
    } else {
        // A socket or a pipe: reading it would wait.
        hash.update(b"o");
    }
    Ok(Digest(hash.finalize().into()))
}

fn is_executable(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("src/a.rs", "a");
        write("src/b.rs", "b");
        write("old/c.rs", "c");
        let before = Listing::of(root).unwrap();
        assert_eq!(Listing::of(root).unwrap().since(&before), []);

        write("src/a.rs", "other");
        write("new/deep/d.rs", "d");
        write("target/debug/x", "x");
        write("sub/target/y", "y");
        write("sub/target/CACHEDIR.TAG", "");
        fs::remove_dir_all(root.join("old")).unwrap();
        fs::create_dir(root.join("empty")).unwrap();
        let after = Listing::of(root).unwrap();
        let told: Vec<_> = after
            .since(&before)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            told,
            [
                "`empty` (added)",
                "`new/deep/d.rs` (added)",
                "`old/c.rs` (removed)",
                "`src/a.rs` (modified)",
                "`sub` (added)",
            ]
        );
        assert_ne!(after.digest(), before.digest());
    }
}
