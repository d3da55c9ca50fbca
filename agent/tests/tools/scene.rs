//! A workspace, and the tools over it.

use std::fs;
use std::ops::RangeInclusive;

use agent::policy::Policy;
use agent::provider::Arguments;
use agent::tools::{Context, Failure, Outcome, ToolResult, ToolSet};
use agent::workspace::Workspace;
use serde_json::Value;

pub(crate) struct Scene {
    _folder: tempfile::TempDir,
    pub(crate) tools: ToolSet,
}

impl Scene {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("work");
        fs::create_dir(&root).unwrap();
        fs::write(folder.path().join("outside.txt"), "private").unwrap();
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let workspace = Workspace::open(&root, &[]).unwrap();
        let path = std::env::var_os("PATH");
        let policy = Policy::builtin(&workspace, path.as_deref());
        let output = folder.path().join("output");
        Self {
            tools: ToolSet::new(Context::new(workspace, policy, output)),
            _folder: folder,
        }
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        let Value::Object(object) = arguments else {
            panic!("no object: {arguments}");
        };
        self.tools.call(tool, &Arguments::Object(object)).await
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.tools.context().workspace
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.workspace().root().join(path)).unwrap()
    }

    pub(crate) fn set(&self, path: &str, text: &str) {
        fs::write(self.workspace().root().join(path), text).unwrap();
    }
}

pub(crate) fn numbered(word: &str, numbers: RangeInclusive<usize>) -> String {
    let lines: Vec<_> = numbers.map(|n| format!("{word} {n}\n")).collect();
    lines.concat()
}

#[track_caller]
pub(crate) fn is_failure(result: &ToolResult, failure: Failure, words: &[&str]) {
    assert_eq!(result.failure, Some(failure), "{}", result.text);
    assert_eq!(result.outcome, Outcome::Observed, "{}", result.text);
    for word in words {
        assert!(
            result.text.contains(word),
            "{word:?} not in {}",
            result.text
        );
    }
}

#[track_caller]
pub(crate) fn is_fine(result: &ToolResult, outcome: Outcome, words: &[&str]) {
    assert_eq!(result.failure, None, "{}", result.text);
    assert_eq!(result.outcome, outcome, "{}", result.text);
    for word in words {
        assert!(
            result.text.contains(word),
            "{word:?} not in {}",
            result.text
        );
    }
}
