//! A folder as it was at a revision of its git repository.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use super::super::super::Plain;

/// The files of a folder at a revision, in a temporary folder.
pub(super) struct Revision {
    pub(super) dir: tempfile::TempDir,
    /// What goes before their names, as git writes it: `HEAD:domain/`.
    pub(super) shown: String,
}

impl Revision {
    /// Reads the files that lie directly in `folder`.
    pub(super) fn of(name: &str, folder: &Path) -> Result<Self, Plain> {
        if name.is_empty() {
            return Err("`git:` names no revision; write `git:HEAD`".into());
        }
        let inside = git(folder, &["rev-parse", "--show-prefix"])?;
        if !inside.good {
            let folder = folder.display();
            return Err(format!("{folder} is in no git repository: {}", inside.complaint).into());
        }
        let commit = format!("{name}^{{commit}}");
        let commit = git(
            folder,
            &[
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &commit,
            ],
        )?;
        if !commit.good {
            return Err(format!("there is no revision `{name}` in this repository").into());
        }
        let commit = commit.text();
        let prefix = inside.text();
        let tree = format!("{}:{}", commit.trim(), prefix.trim_end());
        let list = git(folder, &["ls-tree", "-z", "--full-tree", &tree])?;
        if !list.good {
            let prefix = prefix.trim();
            return Err(format!("revision `{name}` has no folder `{prefix}`").into());
        }
        let dir = tempfile::tempdir()?;
        for entry in list.text().split('\0') {
            // `<mode> <type> <object>\t<name>`
            let Some((about, file)) = entry.split_once('\t') else {
                continue;
            };
            let mut about = about.split(' ').skip(1);
            let (Some("blob"), Some(object)) = (about.next(), about.next()) else {
                continue;
            };
            if Path::new(file).extension().is_none_or(|ext| ext != "toml") {
                continue;
            }
            let blob = git(folder, &["cat-file", "blob", object])?;
            if !blob.good {
                return Err(format!("cannot read {name}:{file}: {}", blob.complaint).into());
            }
            fs::write(dir.path().join(file), blob.bytes)?;
        }
        let shown = format!("{name}:{}", prefix.trim_end());
        Ok(Self { dir, shown })
    }
}

struct Said {
    good: bool,
    bytes: Vec<u8>,
    complaint: String,
}

impl Said {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

fn git(folder: &Path, args: &[&str]) -> Result<Said, Plain> {
    let run = Command::new("git")
        .args(args)
        .current_dir(folder)
        .env("LC_ALL", "C")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .output();
    let output = run.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "`git:` needs git, which is not installed".to_owned(),
        _ => format!("cannot run git: {error}"),
    })?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    Ok(Said {
        good: output.status.success(),
        bytes: output.stdout,
        complaint: complaint.lines().next().unwrap_or_default().to_owned(),
    })
}
