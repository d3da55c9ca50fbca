//! A task: a folder with a goal, a workspace, and the checks that prove the goal.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::provider::ToolChoice;

/// The file that makes a folder a task.
pub const FILE: &str = "task.toml";

/// A task as `task.toml` declares it.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// Its name.
    pub name: String,
    /// What is to be done, in words for the model.
    pub goal: String,
    /// The folder that `workspace`, `script` and `checks` are relative to.
    pub folder: PathBuf,
    /// The files to work on.
    pub workspace: PathBuf,
    /// Whether the workspace itself is worked on; otherwise a copy.
    pub in_place: bool,
    /// Replies of a scripted model.
    pub script: Option<PathBuf>,
    /// The toolchain whose build and tests belong to the proof.
    pub profile: Option<Profile>,
    /// Check files.
    pub checks: Vec<PathBuf>,
    /// The tools that the model is offered; all of them when absent.
    pub tools: Option<Vec<String>>,
    /// What may be spent.
    pub limits: Limits,
    /// How the model is asked.
    pub model: Model,
}

/// How the model is asked; what is absent is the server's to choose.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Model {
    /// `auto`, `none`, `required`, or `{ named = "tool" }`. Under `required` a model can never
    /// claim to be done: it is for models too small to call a tool by themselves.
    pub tool_choice: ToolChoice,
    /// Whether one reply may hold several calls.
    pub parallel_calls: Option<bool>,
    /// The longest reply in tokens.
    pub max_tokens: Option<u32>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Sampling seed.
    pub seed: Option<u64>,
}

/// What may be spent on a task.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Steps of the loop.
    pub max_rounds: u64,
    /// Milliseconds for the whole run.
    pub timeout_ms: u64,
    /// Proofs: how often a claim of success may be put to the checks.
    pub max_proofs: u64,
}

impl Limits {
    /// Time for the whole run.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_rounds: 200,
            timeout_ms: 3_600_000,
            max_proofs: 10,
        }
    }
}

/// A toolchain and what it takes to build and test with it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Rust.
    Cargo,
}

impl Profile {
    /// The commands that must succeed in the workspace, in order.
    pub fn commands(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Cargo => &[
                &["cargo", "build", "--quiet"],
                &["cargo", "test", "--quiet"],
            ],
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    task: Table,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    model: Model,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    name: String,
    goal: String,
    #[serde(default = "here")]
    workspace: PathBuf,
    #[serde(default)]
    in_place: bool,
    script: Option<PathBuf>,
    profile: Option<Profile>,
    #[serde(default)]
    checks: Vec<PathBuf>,
    tools: Option<Vec<String>>,
}

fn one_line(text: &str, error: &toml::de::Error) -> String {
    let start = error.span().map_or(0, |span| span.start);
    let line = text
        .bytes()
        .take(start)
        .filter(|byte| *byte == b'\n')
        .count()
        + 1;
    format!("line {line}: {}", error.message().replace('\n', " "))
}

fn here() -> PathBuf {
    PathBuf::from("workspace")
}

impl Task {
    /// Reads the task in `folder`.
    ///
    /// # Errors
    /// When there is no readable `task.toml`, it is not of the format, or a file that it names is
    /// missing or outside the folder.
    pub fn load(folder: &Path) -> Result<Self, TaskError> {
        let path = folder.join(FILE);
        let text =
            fs::read_to_string(&path).map_err(|error| TaskError::Read(path.clone(), error))?;
        let File {
            task,
            limits,
            model,
        } = toml::from_str(&text)
            .map_err(|error| TaskError::Format(path.clone(), one_line(&text, &error)))?;
        if task.goal.trim().is_empty() {
            return Err(TaskError::Format(path, "`task.goal` is blank".into()));
        }
        let inside = |part: &Path| {
            let safe = part
                .components()
                .all(|one| matches!(one, Component::Normal(_) | Component::CurDir));
            let whole = folder.join(part);
            if safe && whole.exists() {
                Ok(whole)
            } else {
                Err(TaskError::Missing(path.clone(), part.to_owned()))
            }
        };
        Ok(Self {
            name: task.name,
            goal: task.goal.trim().to_owned(),
            folder: folder.to_owned(),
            workspace: inside(&task.workspace)?,
            in_place: task.in_place,
            script: task.script.as_deref().map(inside).transpose()?,
            profile: task.profile,
            checks: task
                .checks
                .iter()
                .map(|file| inside(file))
                .collect::<Result<_, _>>()?,
            tools: task.tools,
            limits,
            model,
        })
    }

    /// A goal in words, for the workspace itself and with nothing that could prove it.
    pub fn of_goal(goal: &str, workspace: &Path) -> Self {
        Self {
            name: "goal".into(),
            goal: goal.trim().to_owned(),
            folder: workspace.to_owned(),
            workspace: workspace.to_owned(),
            in_place: true,
            ..Self::default()
        }
    }

    /// Unpacks the task that the program carries into `folder`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn unpack_bundled(folder: &Path) -> std::io::Result<()> {
        for (path, text) in BUNDLED {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, text)?;
        }
        Ok(())
    }

    /// The replies that the bundled task's scripted model gives.
    pub fn bundled_script() -> &'static str {
        let script = BUNDLED.iter().find(|(path, _)| *path == "script.toml");
        script.map_or("", |(_, text)| text)
    }

    /// Those of `paths` that lie in the workspace, as seen from its root.
    pub fn in_workspace<'a>(&self, paths: impl IntoIterator<Item = &'a Path>) -> Vec<PathBuf> {
        let Ok(root) = self.workspace.canonicalize() else {
            return Vec::new();
        };
        let below = |path: &Path| {
            let real = path.canonicalize().ok()?;
            Some(real.strip_prefix(&root).ok()?.to_owned())
        };
        paths.into_iter().filter_map(below).collect()
    }

    /// The files that a run must leave as they are: the task and its checks.
    pub fn sealed(&self) -> impl Iterator<Item = PathBuf> {
        let task = self.folder.join(FILE);
        task.is_file()
            .then_some(task)
            .into_iter()
            .chain(self.checks.iter().cloned())
    }
}

/// Why a folder is no task.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The file cannot be read.
    #[error("cannot read {}: {}; a task is a folder with a `task.toml`", .0.display(), .1)]
    Read(PathBuf, #[source] std::io::Error),
    /// The file is not of the format.
    #[error("{} is no task: {}", .0.display(), .1.trim_end())]
    Format(PathBuf, String),
    /// A file that the task names is not there.
    #[error("{} names `{}`, which is not a path inside its folder that exists", .0.display(), .1.display())]
    Missing(PathBuf, PathBuf),
}

macro_rules! bundled {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../tasks/resolve/", $path)))),*]
    };
}

/// The bundled task, file by file.
const BUNDLED: &[(&str, &str)] = bundled![
    "task.toml",
    "checks.toml",
    "script.toml",
    "workspace/.gitignore",
    "workspace/Cargo.lock",
    "workspace/Cargo.toml",
    "workspace/README.md",
    "workspace/src/index.rs",
    "workspace/src/main.rs",
    "workspace/src/solve.rs",
    "workspace/src/version.rs",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(task: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), task).unwrap();
        fs::create_dir(folder.path().join("workspace")).unwrap();
        folder
    }

    #[test]
    fn the_bundled_task_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        Task::unpack_bundled(folder.path()).unwrap();
        let task = Task::load(folder.path()).unwrap();
        assert_eq!(task.name, "resolve");
        assert_eq!(task.sealed().count(), 2);
        // Every file of the folder is carried, so that the program and the repository agree.
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/resolve");
        let mut found = Vec::new();
        let mut open = vec![here.clone()];
        while let Some(dir) = open.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true if path.ends_with("target") => {}
                    true => open.push(path),
                    false => found.push(path.strip_prefix(&here).unwrap().to_owned()),
                }
            }
        }
        found.sort();
        let mut carried: Vec<_> = BUNDLED
            .iter()
            .map(|(path, _)| PathBuf::from(path))
            .collect();
        carried.sort();
        assert_eq!(found, carried);
    }

    #[test]
    fn a_wrong_task_says_what_is_wrong() {
        let error = |text: &str| Task::load(folder(text).path()).unwrap_err().to_string();
        assert!(error("[task]\nname = \"x\"").contains("goal"));
        assert!(error("[task]\nname = \"x\"\ngoal = \" \"").contains("blank"));
        assert!(error("[task]\nname = \"x\"\ngoal = \"g\"\ncheck = []").contains("unknown field"));
        for outside in ["../x", "/etc/hostname", "absent.toml"] {
            let text = format!("[task]\nname = \"x\"\ngoal = \"g\"\nchecks = [\"{outside}\"]");
            assert!(error(&text).contains(outside), "{outside}");
        }
        assert!(matches!(
            Task::load(Path::new("absent")),
            Err(TaskError::Read(..))
        ));
    }

    #[test]
    fn the_model_table() {
        let text = "[task]\nname = \"x\"\ngoal = \"g\"\ntools = [\"read\"]\n\
                    [model]\ntool_choice = \"required\"\nmax_tokens = 9\ntemperature = 0.0";
        let task = Task::load(folder(text).path()).unwrap();
        assert_eq!(task.tools.as_deref(), Some(&["read".to_owned()][..]));
        assert_eq!(task.model.tool_choice, ToolChoice::Required);
        assert_eq!((task.model.max_tokens, task.model.seed), (Some(9), None));
        let error = |text: &str| Task::load(folder(text).path()).unwrap_err().to_string();
        assert!(error("[task]\nname = \"x\"\ngoal = \"g\"\n[model]\ntop = 1").contains("top"));
    }

    #[test]
    fn what_lies_in_the_workspace_is_seen_from_its_root() {
        let folder = folder("[task]\nname = \"x\"\ngoal = \"g\"\nworkspace = \"workspace\"");
        let checks = folder.path().join("workspace/deep/checks.toml");
        fs::create_dir(checks.parent().unwrap()).unwrap();
        fs::write(&checks, "").unwrap();
        let task = Task::load(folder.path()).unwrap();
        let outside = folder.path().join(FILE);
        assert_eq!(
            task.in_workspace([checks.as_path(), &outside]),
            [PathBuf::from("deep/checks.toml")]
        );
        let whole = Task {
            workspace: folder.path().join("."),
            ..task
        };
        assert_eq!(
            whole.in_workspace([outside.as_path()]),
            [PathBuf::from(FILE)]
        );
    }

    #[test]
    fn defaults() {
        let folder = folder("[task]\nname = \"x\"\ngoal = \"g\"");
        let task = Task::load(folder.path()).unwrap();
        assert_eq!(task.limits, Limits::default());
        assert_eq!(task.workspace, folder.path().join("workspace"));
        assert!(task.checks.is_empty() && !task.in_place);
    }
}
