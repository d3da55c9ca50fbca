//! The text of a repository: the files that are searched, in a fixed order.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::WalkBuilder;

/// Larger files are data or generated.
const FILE_BYTES: u64 = 1 << 20;

/// What is read at most; what follows in the order of paths is not looked at.
const ALL_BYTES: u64 = 256 << 20;

/// What was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Walked {
    /// Files that were read.
    pub(super) files: usize,
    /// Files that were not: too large, not text, not readable, or with a name that no citation could
    /// spell.
    pub(super) skipped: usize,
    /// Whether there was more than is read, or somebody asked to stop.
    pub(super) partial: bool,
}

/// Tells the path and the text of every file below `root`, in the order of paths.
///
/// Files that `.gitignore` or `.ignore` name, hidden ones, and what symbolic links lead to are not
/// looked at: what is not meant to be published may be there. Settings of this machine, such as a
/// global list of ignored files, play no part.
pub(super) fn walk(
    root: &Path,
    stop: &AtomicBool,
    mut told: impl FnMut(&str, &str),
) -> io::Result<Walked> {
    // The walker would take a file for a repository of one.
    std::fs::read_dir(root)?;
    let walker = WalkBuilder::new(root)
        .require_git(false)
        .git_global(false)
        .follow_links(false)
        .sort_by_file_path(Path::cmp)
        .build();
    let mut walked = Walked::default();
    let mut left = ALL_BYTES;
    for entry in walker {
        if stop.load(Ordering::Relaxed) {
            walked.partial = true;
            break;
        }
        let Ok(entry) = entry else {
            walked.skipped += 1;
            continue;
        };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let text = read(entry.path());
        let (Some(path), Ok(Some(text))) = (name(root, entry.path()), text) else {
            walked.skipped += 1;
            continue;
        };
        let Some(rest) = left.checked_sub(text.len() as u64) else {
            walked.partial = true;
            break;
        };
        left = rest;
        walked.files += 1;
        told(&path, &text);
    }
    Ok(walked)
}

/// The text of a file; none when it is too large or no text.
pub(super) fn read(path: &Path) -> io::Result<Option<String>> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() > FILE_BYTES {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.by_ref().take(FILE_BYTES).read_to_end(&mut bytes)?;
    if bytes.contains(&0) {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The path as it is cited.
fn name(root: &Path, path: &Path) -> Option<String> {
    let parts = path.strip_prefix(root).ok()?.components();
    let parts: Option<Vec<_>> = parts.map(|part| part.as_os_str().to_str()).collect();
    let name = parts?.join("/");
    (!name.contains(char::is_control)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_text_and_not_ignored_is_read_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |path: &str, text: &[u8]| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("b.txt", b"b");
        write("a/z.txt", b"z");
        write("a.txt", b"a");
        write(".gitignore", b"target/\n*.log\n");
        write("target/x.txt", b"x");
        write("run.log", b"x");
        write(".env", b"KEY=1");
        write("image.bin", b"P\0x");
        write("huge.txt", "x".repeat((1 << 20) + 1).as_bytes());
        write("latin.txt", b"caf\xe9");
        write("two\nlines.txt", b"x");
        symlink("/etc/hostname", root.join("link.txt")).unwrap();

        let mut seen = Vec::new();
        let go_on = AtomicBool::new(false);
        let walked = walk(root, &go_on, |path, _| seen.push(path.to_owned())).unwrap();
        assert_eq!(seen, ["a/z.txt", "a.txt", "b.txt", "latin.txt"]);
        let expected = Walked {
            files: 4,
            skipped: 3,
            partial: false,
        };
        assert_eq!(walked, expected);

        let stopped = walk(root, &AtomicBool::new(true), |_, _| panic!("it goes on")).unwrap();
        assert!(stopped.partial);
        assert!(walk(&root.join("absent"), &go_on, |_, _| ()).is_err());
        assert!(walk(&root.join("a.txt"), &go_on, |_, _| ()).is_err());
    }
}
