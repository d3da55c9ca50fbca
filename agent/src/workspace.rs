//! The folder a run works in: which paths are inside, which of them may be written, and what the
//! whole of it hashes to.

mod listing;

use std::io;
use std::path::{Component, Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

pub use listing::{Change, ChangeKind, Listing, is_content};

/// A SHA-256 of file contents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The first 12 hexadecimal digits: enough for a person or a model to compare.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut bytes = [0; 32];
        let digit = |at: usize| {
            text.get(at..=at)
                .and_then(|c| u8::from_str_radix(c, 16).ok())
        };
        for (index, byte) in bytes.iter_mut().enumerate() {
            let (Some(high), Some(low)) = (digit(2 * index), digit(2 * index + 1)) else {
                return Err(D::Error::custom("not a SHA-256 in hexadecimal digits"));
            };
            *byte = high << 4 | low;
        }
        if text.len() == 64 {
            Ok(Self(bytes))
        } else {
            Err(D::Error::custom("not a SHA-256 in hexadecimal digits"))
        }
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Digest({})", self.short())
    }
}

/// What judges the run, what is made and not written, and our own records.
const NOT_WRITABLE: &[&str] = &[".space", "target", "task.toml", "policy.toml"];

/// Folders whose content makes git and cargo run programs, wherever they are.
const STEERING: &[&str] = &[".git", ".cargo"];

/// A folder with a boundary.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    protected: Vec<PathBuf>,
}

impl Workspace {
    /// The existing folder `root`. The paths of `protected`, relative to it, may be read and not
    /// written, in addition to those that never are: `task.toml`, `policy.toml`, `.space`
    /// and `target`, and any `.git` or `.cargo`.
    pub fn open(root: &Path, protected: &[PathBuf]) -> io::Result<Self> {
        let root = root.canonicalize()?;
        if !root.is_dir() {
            return Err(io::Error::from(io::ErrorKind::NotADirectory));
        }
        let known = NOT_WRITABLE.iter().map(PathBuf::from);
        Ok(Self {
            protected: known.chain(protected.iter().cloned()).collect(),
            root,
        })
    }

    /// The folder, without symbolic links in its path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path inside the workspace that `path` names, whether or not something is there.
    ///
    /// Symbolic links are followed: what counts is where a path leads. The answer has none left in
    /// the part that exists.
    pub fn inside(&self, path: &str) -> Result<PathBuf, PathError> {
        let wrong = |reason| PathError {
            path: path.to_owned(),
            reason,
        };
        if path.is_empty() || path.contains('\0') {
            return Err(wrong("it is empty or holds a NUL"));
        }
        let given = Path::new(path);
        if given.components().any(|part| part == Component::ParentDir) {
            return Err(wrong(
                "it has a `..`; name the path from the workspace's root",
            ));
        }
        let real = resolve(&self.root.join(given)).map_err(&wrong)?;
        if real.starts_with(&self.root) {
            Ok(real)
        } else {
            Err(wrong("it is outside the workspace"))
        }
    }

    /// As [`inside`](Self::inside), for a path that is about to be written or removed.
    pub fn writable(&self, path: &str) -> Result<PathBuf, PathError> {
        let real = self.inside(path)?;
        let relative = self.relative(&real);
        let protects = |protected: &PathBuf| {
            begins_with(&relative, protected) || begins_with(protected, &relative)
        };
        let steers = |part: Component<'_>| {
            let name = part.as_os_str();
            STEERING
                .iter()
                .any(|steering| name.eq_ignore_ascii_case(steering))
        };
        if self.protected.iter().any(protects) || relative.components().any(steers) {
            return Err(PathError {
                path: path.to_owned(),
                reason: "it is protected: it judges this run, steers programs, or is made by a build",
            });
        }
        Ok(real)
    }

    /// `path` as seen from the root, for showing.
    pub fn relative(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.root).unwrap_or(path).to_owned()
    }

    /// Everything in the workspace that a person would call its content.
    ///
    /// Reads every file once: linear in the size of the workspace.
    pub fn listing(&self) -> io::Result<Listing> {
        Listing::of(&self.root)
    }

    /// The hash of the workspace's content; see [`Listing`].
    pub fn content_hash(&self) -> io::Result<Digest> {
        Ok(self.listing()?.digest())
    }
}

/// Whether `path` is `base` or below it; letter case is ignored, as some file systems do.
fn begins_with(path: &Path, base: &Path) -> bool {
    let mut parts = path.components();
    base.components().all(|expected| {
        parts
            .next()
            .is_some_and(|part| part.as_os_str().eq_ignore_ascii_case(expected.as_os_str()))
    })
}

/// The real path of the part that exists, with the rest appended.
fn resolve(path: &Path) -> Result<PathBuf, &'static str> {
    let mut existing = path;
    let mut rest = Vec::new();
    loop {
        match existing.canonicalize() {
            Ok(mut real) => {
                if !rest.is_empty() && !real.is_dir() {
                    return Err("a file stands where a folder is needed");
                }
                real.extend(rest.iter().rev());
                return Ok(real);
            }
            // A link that leads nowhere would be followed when the file is made.
            Err(_) if existing.is_symlink() => {
                return Err("it goes through a broken symbolic link");
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err("a file stands where a folder is needed");
            }
            Err(_) => return Err("it cannot be resolved"),
        }
        let (Some(parent), Some(name)) = (existing.parent(), existing.file_name()) else {
            return Err("it cannot be resolved");
        };
        rest.push(name);
        existing = parent;
    }
}

/// Why a path may not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the path {path:?} cannot be used: {reason}")]
pub struct PathError {
    /// The path as given.
    pub path: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn workspace() -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("work");
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("src/a.rs"), "a").unwrap();
        fs::write(root.join("task.toml"), "").unwrap();
        fs::write(folder.path().join("outside"), "secret").unwrap();
        let protected = [PathBuf::from("checks/a.toml")];
        let workspace = Workspace::open(&root, &protected).unwrap();
        (folder, workspace)
    }

    #[test]
    fn paths_stay_inside() {
        let (folder, workspace) = workspace();
        let root = workspace.root().to_owned();
        symlink("..", root.join("up")).unwrap();
        symlink("../outside", root.join("leak")).unwrap();
        symlink("../new", root.join("dangling")).unwrap();
        symlink("src", root.join("alias")).unwrap();
        let outside = folder.path().join("outside");
        for path in [
            "",
            "..",
            "../outside",
            "src/../../outside",
            "/etc/passwd",
            outside.to_str().unwrap(),
            "up/outside",
            "up/new/deep",
            "leak",
            "dangling",
            "src/a.rs/below",
            "a\0b",
        ] {
            assert!(workspace.inside(path).is_err(), "{path:?}");
        }
        let a = root.join("src/a.rs");
        assert_eq!(workspace.inside("src/a.rs").unwrap(), a);
        assert_eq!(workspace.inside("./src//a.rs").unwrap(), a);
        assert_eq!(workspace.inside("alias/a.rs").unwrap(), a);
        assert_eq!(workspace.inside(a.to_str().unwrap()).unwrap(), a);
        assert_eq!(workspace.inside("new/deep").unwrap(), root.join("new/deep"));
    }

    #[test]
    fn what_judges_the_run_is_not_writable() {
        let (_folder, workspace) = workspace();
        symlink("task.toml", workspace.root().join("innocent")).unwrap();
        for path in [
            "task.toml",
            "TASK.TOML",
            "policy.toml",
            ".git/hooks/pre-commit",
            ".GIT/config",
            "deep/down/.git/config",
            "sub/.cargo/config.toml",
            "target/debug/tool",
            "checks/a.toml",
            "checks",
            ".",
            "innocent",
        ] {
            assert!(workspace.writable(path).is_err(), "{path}");
        }
        for path in ["src/a.rs", "checks/b.toml", "src/task.toml", "tasks.toml"] {
            assert!(workspace.writable(path).is_ok(), "{path}");
        }
    }

    #[test]
    fn a_digest_is_written_in_digits() {
        let digest = Digest::of(b"abc");
        let text = serde_json::to_string(&digest).unwrap();
        assert!(text.starts_with("\"ba7816bf"));
        assert_eq!(serde_json::from_str::<Digest>(&text).unwrap(), digest);
        for wrong in [
            "\"\"",
            "\"ba\"",
            &format!("\"{}\"", "g".repeat(64)),
            &text.replace("ba7", "ba77"),
        ] {
            assert!(serde_json::from_str::<Digest>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_hash_is_of_the_content() {
        let (_folder, workspace) = workspace();
        let root = workspace.root();
        let hash = || workspace.content_hash().unwrap();
        let first = hash();
        for ignored in [".git/x", "target/x", ".space/x"] {
            let path = root.join(ignored);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        fs::write(root.join("src/a.rs"), "a").unwrap();
        assert_eq!(hash(), first);

        fs::write(root.join("src/a.rs"), "b").unwrap();
        let changed = hash();
        assert_ne!(changed, first);
        fs::write(root.join("src/a.rs"), "a").unwrap();
        assert_eq!(hash(), first);

        fs::create_dir(root.join("empty")).unwrap();
        assert_ne!(hash(), first);
        fs::remove_dir(root.join("empty")).unwrap();
        fs::rename(root.join("src/a.rs"), root.join("src/b.rs")).unwrap();
        assert_ne!(hash(), first);
    }
}
