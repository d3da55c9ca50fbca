//! Where a run works, and where it keeps what it did.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Plain;
use agent::work::task::Task;
use agent::workspace::is_content;

/// Our own records, in the folder that the command was called in.
const OWN: &str = ".space";

/// A new folder for what the run keeps. `worked_on` is the folder that the task is about.
///
/// # Errors
/// When it is not new, or lies in what is worked on, where its own records would count as changes.
pub(super) fn run_folder(named: Option<&Path>, worked_on: Option<&Path>) -> Result<PathBuf, Plain> {
    let wanted = std::path::absolute(named.unwrap_or(Path::new(OWN)))?;
    if let Some(root) = worked_on.and_then(|root| root.canonicalize().ok())
        && let Ok(below) = resolved(&wanted).strip_prefix(&root)
        && !below.starts_with(OWN)
    {
        return Err(format!(
            "{} lies in the workspace, whose content the run must not change by itself: name a \
             folder outside of it with --dir",
            wanted.display()
        )
        .into());
    }
    match named {
        Some(_) => new_folder(wanted),
        None => next_folder(&wanted),
    }
}

fn new_folder(dir: PathBuf) -> Result<PathBuf, Plain> {
    let taken = match fs::read_dir(&dir) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => dir.exists(),
    };
    if taken {
        let shown = dir.display();
        return Err(format!("{shown} is not an empty folder: name a new one with --dir").into());
    }
    create(&dir)?;
    Ok(dir)
}

fn next_folder(own: &Path) -> Result<PathBuf, Plain> {
    let runs = own.join("runs");
    create(&runs)?;
    // What is kept here is nobody's source.
    let ignore = own.join(".gitignore");
    if !ignore.exists() {
        fs::write(&ignore, "*\n")
            .map_err(|error| format!("cannot write {}: {error}", ignore.display()))?;
    }
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    // Names sort by time; two runs of one millisecond are told apart by who was first.
    for number in 0_u32.. {
        let dir = runs.join(format!("{}-{number}", now.as_millis()));
        match fs::create_dir(&dir) {
            Ok(()) => return Ok(dir),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(format!("cannot create {}: {error}", dir.display()).into()),
        }
    }
    Err("no folder is free".into())
}

fn create(dir: &Path) -> Result<(), Plain> {
    fs::create_dir_all(dir).map_err(|error| {
        format!(
            "cannot create {}: {error}; name another folder with --dir",
            dir.display()
        )
        .into()
    })
}

/// The path without links in the part of it that exists.
fn resolved(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(parent), Some(name)) => resolved(parent).join(name),
        (Err(_), ..) => path.to_owned(),
    }
}

/// The folder that is worked on: the task's own, or a copy of it in the run's folder.
pub(super) fn workspace(task: &Task, dir: &Path) -> Result<PathBuf, Plain> {
    if task.in_place {
        return Ok(task.workspace.canonicalize()?);
    }
    let copy = dir.join("workspace");
    copy_content(&task.workspace, &copy)
        .map_err(|error| format!("cannot copy {}: {error}", task.workspace.display()))?;
    Ok(copy)
}

/// Copies what belongs to the content, and the history; links are copied as links.
fn copy_content(root: &Path, to: &Path) -> io::Result<()> {
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        fs::create_dir_all(to.join(&folder))?;
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let path = folder.join(entry.file_name());
            if path != Path::new(".git") && !is_content(root, &path, kind.is_dir()) {
                continue;
            }
            let (source, target) = (root.join(&path), to.join(&path));
            if kind.is_symlink() {
                std::os::unix::fs::symlink(fs::read_link(source)?, target)?;
            } else if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                fs::copy(source, target)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_that_holds_the_runs_folder_is_copied_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for file in [
            "src/target/kept.rs",
            "target/debug/x",
            "sub/target/CACHEDIR.TAG",
            ".git/HEAD",
            ".space/runs/1/task/task.toml",
        ] {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), file).unwrap();
        }
        std::os::unix::fs::symlink("../absent", root.join("link")).unwrap();
        let copy = root.join(".space/runs/1/workspace");
        copy_content(root, &copy).unwrap();
        let is_there = |path: &str| copy.join(path).symlink_metadata().is_ok();
        for kept in ["src/target/kept.rs", ".git/HEAD", "link", "sub"] {
            assert!(is_there(kept), "{kept}");
        }
        for left in ["target", "sub/target", ".space"] {
            assert!(!is_there(left), "{left}");
        }
    }

    #[test]
    fn a_folder_in_the_workspace_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let refused = |dir: &str| run_folder(Some(&root.join(dir)), Some(root)).is_err();
        assert!(refused("run") && refused("deep/down/run") && refused("."));
        assert!(!refused(".space/here") && !refused(".space/other"));
    }

    #[test]
    fn a_folder_is_used_once() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("run");
        assert_eq!(run_folder(Some(&dir), None).unwrap(), dir);
        fs::write(dir.join("x"), "").unwrap();
        let taken = run_folder(Some(&dir), None).unwrap_err().to_string();
        assert!(taken.contains("--dir"), "{taken}");
        assert!(run_folder(Some(&dir.join("x")), None).is_err());
    }
}
