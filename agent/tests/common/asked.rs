//! A repository with something in it, and what `agent ask` says of it.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::scene::{agent, finish};

/// The types of lines.
pub(crate) const TYPES: &[&str] = &[
    "begun",
    "step",
    "ignored",
    "rejected",
    "searched",
    "asking",
    "attempt_failed",
    "replied",
    "judged",
    "exhausted",
    "ended",
];

const FILES: &[(&str, &str)] = &[
    (".gitignore", "*.key\n"),
    ("Cargo.toml", "[package]\nname = \"kettle\"\n"),
    (
        "src/retry.rs",
        "//! Trying again.\n\n/// How long to wait before a retry.\nfn backoff(times: u32) -> u64 {\n    1 << times }\n",
    ),
    (
        "src/paint.rs",
        "/// The colour of the pot.\nfn paint() -> &'static str {\n    \"red\" }\n",
    ),
    (
        "docs/limits.md",
        "# Limits\n\nthe quota of retries is seven\n",
    ),
    ("docs/teapot.md", "# Teapot\nA teapot holds tea.\n"),
];

/// A git repository in a folder of its own.
pub(crate) struct Repository {
    folder: TempDir,
}

impl Repository {
    /// One with several files, committed.
    pub(crate) fn new() -> Self {
        let repository = Self::empty();
        for (path, text) in FILES {
            repository.write(path, text.as_bytes());
        }
        repository.git(&["add", "-A"]);
        let who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        repository.git(&[&who[..], &["commit", "--quiet", "-m", "all"]].concat());
        repository
    }

    /// One with nothing in it.
    pub(crate) fn empty() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("repository")).unwrap();
        let repository = Self { folder };
        repository.git(&["init", "--quiet"]);
        repository
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        let status = git.args(arguments).current_dir(self.root()).status();
        assert!(status.unwrap().success(), "git {arguments:?}");
    }

    pub(crate) fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("repository")
    }

    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// The program, in the repository, to its end.
    pub(crate) fn agent(&self, arguments: &[impl AsRef<OsStr>]) -> Output {
        finish(agent(&self.root(), arguments).spawn().unwrap())
    }

    fn scripted(&self, script: &str, arguments: &[&str], json: &[&str]) -> Output {
        let file = self.folder.path().join("script.toml");
        fs::write(&file, script).unwrap();
        let model = file.to_str().unwrap();
        let provider = ["--provider", "script", "--model", model];
        self.agent(&[&["ask"], arguments, &provider[..], json].concat())
    }

    /// `agent ask --json` with a script.
    pub(crate) fn ask(&self, script: &str, arguments: &[&str]) -> Asked {
        let asked = Asked::of(&self.scripted(script, arguments, &["--json"]));
        asked.check_citations(&self.root());
        asked
    }

    /// What people read.
    pub(crate) fn people(&self, script: &str, arguments: &[&str]) -> String {
        let output = self.scripted(script, arguments, &[]);
        String::from_utf8(output.stdout).unwrap()
    }
}

/// A look-up with `--json` that has ended.
pub(crate) struct Asked {
    pub(crate) status: Option<i32>,
    pub(crate) lines: Vec<Value>,
    pub(crate) stderr: String,
}

impl Asked {
    /// Every line is an object with a type, and the steps are paths through the two machines.
    pub(crate) fn of(output: &Output) -> Self {
        let stdout = String::from_utf8(output.stdout.clone()).unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let read = |line: &str| -> Value {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}\n{stderr}"))
        };
        let asked = Self {
            status: output.status.code(),
            lines: stdout.lines().map(read).collect(),
            stderr,
        };
        asked.check_form();
        asked
    }

    fn check_form(&self) {
        for line in &self.lines {
            let kind = line["type"].as_str().unwrap_or_default();
            assert!(TYPES.contains(&kind), "{line}");
        }
        assert_eq!(self.lines[0]["type"], "begun", "{:?}", self.stderr);
        assert_eq!(self.ended()["status"], self.status.unwrap());
        assert_eq!(self.ended()["answered"], self.status == Some(0));
        let mut states = [
            ("retrieval", "Idle".to_owned()),
            ("reasoning", "Waiting".to_owned()),
        ];
        for (index, step) in self.all("step").into_iter().enumerate() {
            assert_eq!(step["round"], index + 1, "{step}");
            for (component, state) in &mut states {
                let anew = step["restarted"].as_array().unwrap();
                if anew.iter().any(|name| name == component) {
                    "Waiting".clone_into(state);
                }
                if step["component"] == *component {
                    // A loop lands where its event is taken.
                    assert!(step["from"] == **state || !step["loop"].is_null(), "{step}");
                    step["to"].as_str().unwrap().clone_into(state);
                }
            }
        }
        let thoughts = self
            .events()
            .iter()
            .filter(|event| event.starts_with("Think"))
            .count();
        assert_eq!(self.all("judged").len(), thoughts);
    }

    /// Each citation names lines of a file that is there.
    fn check_citations(&self, root: &Path) {
        for citation in self.ended()["citations"].as_array().unwrap() {
            let (path, lines) = citation.as_str().unwrap().rsplit_once(':').unwrap();
            let (first, last) = lines.split_once('-').unwrap();
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            let text = fs::read_to_string(root.join(path)).unwrap();
            assert!(
                1 <= first && first <= last && last <= text.lines().count(),
                "{citation}"
            );
        }
    }

    /// The lines of a type.
    pub(crate) fn all(&self, kind: &str) -> Vec<&Value> {
        let of_kind = |line: &&Value| line["type"] == kind;
        self.lines.iter().filter(of_kind).collect()
    }

    /// The last line.
    pub(crate) fn ended(&self) -> &Value {
        let last = self.lines.last().unwrap();
        assert_eq!(last["type"], "ended", "{last}");
        last
    }

    /// The events, in order.
    pub(crate) fn events(&self) -> Vec<&str> {
        let steps = self.all("step").into_iter();
        steps.map(|step| step["event"].as_str().unwrap()).collect()
    }

    /// What the replies came to.
    pub(crate) fn verdicts(&self) -> Vec<&str> {
        let judged = self.all("judged").into_iter();
        judged.map(|one| one["verdict"].as_str().unwrap()).collect()
    }

    /// The sources of the passages of a search.
    pub(crate) fn sources(&self, search: usize) -> Vec<&str> {
        let searched = self.all("searched")[search];
        let passages = searched["passages"].as_array().unwrap().iter();
        passages.map(|source| source.as_str().unwrap()).collect()
    }
}
