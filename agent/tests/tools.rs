//! Each tool, as the model calls it: with what works, and with what has to fail well.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

use std::fs;
use std::ops::RangeInclusive;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use agent::policy::Policy;
use agent::provider::Arguments;
use agent::tools::{Context, Failure, Outcome, ToolResult, ToolSet};
use agent::workspace::Workspace;
use serde_json::{Value, json};

struct Scene {
    _folder: tempfile::TempDir,
    tools: ToolSet,
}

impl Scene {
    fn new(files: &[(&str, &str)]) -> Self {
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

    async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        let Value::Object(object) = arguments else {
            panic!("no object: {arguments}");
        };
        self.tools.call(tool, &Arguments::Object(object)).await
    }

    fn workspace(&self) -> &Workspace {
        &self.tools.context().workspace
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.workspace().root().join(path)).unwrap()
    }

    fn set(&self, path: &str, text: &str) {
        fs::write(self.workspace().root().join(path), text).unwrap();
    }
}

fn numbered(word: &str, numbers: RangeInclusive<usize>) -> String {
    let lines: Vec<_> = numbers.map(|n| format!("{word} {n}\n")).collect();
    lines.concat()
}

#[track_caller]
fn is_failure(result: &ToolResult, failure: Failure, words: &[&str]) {
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
fn is_fine(result: &ToolResult, outcome: Outcome, words: &[&str]) {
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

#[tokio::test]
async fn every_tool_is_offered_with_a_plain_schema() {
    let scene = Scene::new(&[]);
    let specs = scene.tools.specs();
    let names: Vec<_> = specs.iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(names, ["read", "edit", "write", "run", "accept"]);
    for spec in specs {
        let text = spec.parameters.to_string();
        assert_eq!(spec.parameters["type"], "object");
        assert_eq!(spec.parameters["additionalProperties"], false);
        for noise in ["$ref", "$schema", "\"null\"", "format", "title"] {
            assert!(!text.contains(noise), "{}: {noise} in {text}", spec.name);
        }
    }
}

#[tokio::test]
async fn wrong_arguments_are_answered_with_what_is_right() {
    let scene = Scene::new(&[]);
    let unknown = scene.call("delete", json!({})).await;
    is_failure(
        &unknown,
        Failure::BadArguments,
        &["read, edit, write, run, accept"],
    );
    let missing = scene.call("read", json!({ "file": "a" })).await;
    is_failure(
        &missing,
        Failure::BadArguments,
        &["`file`", "path: string, start?: integer, lines?: integer"],
    );
    let kind = scene.call("run", json!({ "argv": "cargo test" })).await;
    is_failure(&kind, Failure::BadArguments, &["argv: [string]"]);
    let broken = Arguments::Malformed {
        text: "{".to_owned(),
        reason: "EOF".to_owned(),
    };
    let broken = scene.tools.call("read", &broken).await;
    is_failure(&broken, Failure::BadArguments, &["EOF", "path: string"]);
}

#[tokio::test]
async fn no_tool_leaves_the_workspace() {
    let scene = Scene::new(&[("a.txt", "a\n"), ("task.toml", "goal = 1\n")]);
    let root = scene.workspace().root().to_owned();
    symlink("../outside.txt", root.join("leak")).unwrap();
    symlink("..", root.join("up")).unwrap();
    for path in [
        "../outside.txt",
        "leak",
        "up/outside.txt",
        "/etc/passwd",
        "up/new.txt",
    ] {
        is_failure(
            &scene.call("read", json!({ "path": path })).await,
            Failure::Refused,
            &[path],
        );
        let write = json!({ "path": path, "text": "x", "reason": "because" });
        is_failure(&scene.call("write", write).await, Failure::Refused, &[path]);
        let edit = json!({ "path": path, "edits": [{ "old": "private", "new": "x" }] });
        is_failure(&scene.call("edit", edit).await, Failure::Refused, &[path]);
    }
    for path in [
        "task.toml",
        ".git/config",
        ".cargo/config.toml",
        "target/debug/x",
        "policy.toml",
    ] {
        let write = json!({ "path": path, "text": "x", "reason": "because" });
        is_failure(
            &scene.call("write", write).await,
            Failure::Refused,
            &["protected"],
        );
    }
    is_fine(
        &scene.call("read", json!({ "path": "task.toml" })).await,
        Outcome::Observed,
        &["goal"],
    );
    let cwd = json!({ "argv": ["pwd"], "cwd": "up" });
    is_failure(
        &scene.call("run", cwd).await,
        Failure::Refused,
        &["outside"],
    );
    assert_eq!(
        fs::read_to_string(root.join("../outside.txt")).unwrap(),
        "private"
    );
}

#[tokio::test]
async fn reading_says_what_follows() {
    let long: String = numbered("line", 1..=1_312);
    let scene = Scene::new(&[("long.txt", &long), ("empty.txt", ""), ("dir/x", "")]);
    scene.set("binary", "");
    fs::write(scene.workspace().root().join("binary"), [b'a', 0xff]).unwrap();
    let read = |arguments: Value| scene.call("read", arguments);
    let first = read(json!({ "path": "long.txt" })).await;
    is_fine(
        &first,
        Outcome::Observed,
        &[
            "lines 1–200 of 1312: ask with start=201",
            "\n  200 | line 200\n",
        ],
    );
    assert!(!first.text.contains("line 201\n"));
    let last = read(json!({ "path": "long.txt", "start": 1_300, "lines": 50 })).await;
    is_fine(
        &last,
        Outcome::Observed,
        &["lines 1300–1312 of 1312 (hash", " 1312 | line 1312\n"],
    );
    is_fine(
        &read(json!({ "path": "empty.txt" })).await,
        Outcome::Observed,
        &["is empty"],
    );
    is_fine(
        &read(json!({ "path": "." })).await,
        Outcome::Observed,
        &["dir/\n", "long.txt"],
    );
    is_failure(
        &read(json!({ "path": "long.txt", "start": 2_000 })).await,
        Failure::Failed,
        &["1312 lines"],
    );
    is_failure(
        &read(json!({ "path": "no.txt" })).await,
        Failure::Failed,
        &["does not exist"],
    );
    is_failure(
        &read(json!({ "path": "binary" })).await,
        Failure::Failed,
        &["not UTF-8", "byte 1"],
    );
}

const SOURCE: &str =
    "fn main() {\n    let name = \"ada\";\n    greet(name);\n    greet(name);\n}\n";

#[tokio::test]
async fn edits_are_exact_and_together() {
    let scene = Scene::new(&[("a.rs", SOURCE)]);
    let file = scene.workspace().root().join("a.rs");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let edits = json!([
        { "old": "\"ada\"", "new": "\"eve\"" },
        { "old": "greet(name)", "new": "meet(name)", "all": true },
    ]);
    let result = scene
        .call("edit", json!({ "path": "a.rs", "edits": edits }))
        .await;
    is_fine(&result, Outcome::Changed, &["line 2, 3, 4", "5 lines"]);
    assert_eq!(
        scene.text("a.rs"),
        SOURCE.replace("ada", "eve").replace("greet", "meet")
    );
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o755
    );

    // One that does not fit keeps the others from being applied.
    let before = scene.text("a.rs");
    let edits = json!([{ "old": "eve", "new": "bob" }, { "old": "nowhere", "new": "x" }]);
    let result = scene
        .call("edit", json!({ "path": "a.rs", "edits": edits }))
        .await;
    is_failure(
        &result,
        Failure::Failed,
        &["edit 2 does not fit, so none was applied"],
    );
    assert_eq!(scene.text("a.rs"), before);
}

#[tokio::test]
async fn a_miss_says_what_is_there() {
    let scene = Scene::new(&[("a.rs", SOURCE), ("dos.txt", "a\r\nb\r\n")]);
    let edit = async |path: &str, old: &str, new: &str| {
        let edits = json!([{ "old": old, "new": new }]);
        scene
            .call("edit", json!({ "path": path, "edits": edits }))
            .await
    };
    let unread = edit("a.rs", "let name = \"bob\";", "x").await;
    is_failure(
        &unread,
        Failure::Failed,
        &[
            "line 2",
            "    2 |     let name = \"ada\";",
            "You have not read this file",
            "hash ",
        ],
    );
    scene.call("read", json!({ "path": "a.rs" })).await;
    is_failure(
        &edit("a.rs", "gone", "x").await,
        Failure::Failed,
        &["is as you last saw it"],
    );
    // A change within the same second, of the same length.
    scene.set("a.rs", &SOURCE.replace("ada", "eve"));
    is_failure(
        &edit("a.rs", "let name = \"ada\"", "x").await,
        Failure::Failed,
        &["changed since", "line 2"],
    );
    // The tool's own change is none.
    is_fine(
        &edit("a.rs", "\"eve\"", "\"bob\"").await,
        Outcome::Changed,
        &[],
    );
    is_failure(
        &edit("a.rs", "gone", "x").await,
        Failure::Failed,
        &["is as you last saw it"],
    );

    let twice = edit("a.rs", "greet(name);", "x").await;
    is_failure(
        &twice,
        Failure::Failed,
        &["occurs 2 times, at lines 3, 4", "`all`"],
    );
    let done = edit("a.rs", "\"ada\"", "\"bob\"").await;
    is_failure(
        &done,
        Failure::Failed,
        &["`new` is already there, at line 2"],
    );
    let numbers = edit("a.rs", "    3 |     greet(name);", "x").await;
    is_failure(&numbers, Failure::Failed, &["line numbers"]);
    is_failure(
        &edit("dos.txt", "a\nb", "x").await,
        Failure::Failed,
        &["\\r\\n"],
    );
    is_failure(
        &edit("a.rs", "", "x").await,
        Failure::BadArguments,
        &["empty"],
    );
    is_failure(
        &edit("a.rs", "bob", "bob").await,
        Failure::BadArguments,
        &["the same"],
    );
    is_failure(
        &edit("a.rs", "bob", "⟪omitted: 8 lines⟫").await,
        Failure::BadArguments,
        &["notice"],
    );
}

#[tokio::test]
async fn resemblance_is_not_enough() {
    let source = "fn a() {\n    one();\n}\n";
    let scene = Scene::new(&[("a.rs", source)]);
    for old in [
        "fn a() {\n    two();\n}",
        "fn a() {\n  one();\n}",
        "FN A() {",
        "fn a() {\n\n    one();",
    ] {
        let edits = json!([{ "old": old, "new": "x" }]);
        let result = scene
            .call("edit", json!({ "path": "a.rs", "edits": edits }))
            .await;
        is_failure(&result, Failure::Failed, &["does not occur"]);
        assert_eq!(scene.text("a.rs"), source);
    }
}

#[tokio::test]
async fn overwriting_needs_care() {
    let big = "a line of text\n".repeat(100);
    let scene = Scene::new(&[("big.txt", &big)]);
    let write = async |path: &str, text: &str, reason: Option<&str>| {
        let mut arguments = json!({ "path": path, "text": text });
        if let Some(reason) = reason {
            arguments["reason"] = reason.into();
        }
        scene.call("write", arguments).await
    };
    is_fine(
        &write("new/deep/a.txt", "a\n", None).await,
        Outcome::Changed,
        &["made: 1 lines"],
    );
    is_fine(
        &write("new/deep/a.txt", "a\n", None).await,
        Outcome::Observed,
        &["already"],
    );
    is_fine(
        &write("new/deep/a.txt", "b\n", None).await,
        Outcome::Changed,
        &["replaced"],
    );

    let other = big.replace("line", "row");
    is_failure(
        &write("big.txt", &other, None).await,
        Failure::Refused,
        &["not read it", "`reason`"],
    );
    scene.call("read", json!({ "path": "big.txt" })).await;
    is_failure(
        &write("big.txt", "// rest\n", None).await,
        Failure::Refused,
        &["8 bytes", "1500"],
    );
    is_failure(
        &write("big.txt", "", Some(" ")).await,
        Failure::Refused,
        &["`reason`"],
    );
    scene.set("big.txt", &other);
    is_failure(
        &write("big.txt", &big, None).await,
        Failure::Refused,
        &["changed since"],
    );
    assert_eq!(scene.text("big.txt"), other);
    is_fine(
        &write("big.txt", "small\n", Some("split up")).await,
        Outcome::Changed,
        &[],
    );
    is_failure(
        &write("big.txt", "a\n⟪omitted: 9 lines⟫\n", Some("x")).await,
        Failure::BadArguments,
        &["line 2"],
    );
    is_failure(
        &write("big.txt/below", "x", None).await,
        Failure::Refused,
        &["a file stands"],
    );
    let left = fs::read_dir(scene.workspace().root()).unwrap().count();
    assert_eq!(left, 2, "a temporary file was left behind");
}

#[tokio::test]
async fn commands_go_through_the_policy() {
    let scene = Scene::new(&[("a.txt", "hello\n")]);
    let run = async |argv: &[&str]| scene.call("run", json!({ "argv": argv })).await;
    let cat = run(&["cat", "a.txt"]).await;
    is_fine(
        &cat,
        Outcome::Observed,
        &[
            "exit status 0",
            "stdout, 1 lines:\nhello\n",
            "stderr: empty",
        ],
    );
    assert_eq!(cat.decision.as_ref().unwrap().rule, "looks at files");
    assert_eq!(fs::read_to_string(&cat.output[0]).unwrap(), "hello\n");
    let denied = run(&["sh", "-c", "cat a.txt"]).await;
    is_failure(&denied, Failure::Refused, &["not run, rule \"(wrapper)\""]);
    assert!(denied.decision.is_some());
    let line = run(&["cat a.txt"]).await;
    is_failure(&line, Failure::Refused, &["not a shell line"]);
    is_failure(&run(&[]).await, Failure::Refused, &["no program"]);
    is_failure(
        &run(&["cat", "none.txt"]).await,
        Failure::Failed,
        &["exit status 1", "none.txt"],
    );
    // Through whatever proxy the toolchain is installed with.
    is_fine(
        &run(&["cargo", "--version"]).await,
        Outcome::Observed,
        &["cargo 1."],
    );
    is_fine(&run(&["touch", "b.txt"]).await, Outcome::Changed, &[]);
    is_fine(&run(&["touch", "b.txt"]).await, Outcome::Observed, &[]);
}

#[tokio::test]
async fn output_is_kept_whole_and_shown_short() {
    let long: String = numbered("row", 0..=8_999);
    let scene = Scene::new(&[("long.txt", &long)]);
    let result = scene
        .call("run", json!({ "argv": ["cat", "long.txt"] }))
        .await;
    is_fine(
        &result,
        Outcome::Observed,
        &["120 of 9000 lines (8880 omitted", "row 0\n", "row 8999\n"],
    );
    assert_eq!(fs::read_to_string(&result.output[0]).unwrap(), long);
    assert!(result.omitted_bytes > 50_000);

    let stdin = json!({ "argv": ["cat"], "stdin": "given\n" });
    is_fine(
        &scene.call("run", stdin).await,
        Outcome::Observed,
        &["given"],
    );
    let forever = json!({ "argv": ["tail", "-n", "1", "-"], "timeout_seconds": 1 });
    is_fine(
        &scene.call("run", forever).await,
        Outcome::Observed,
        &["stdout: empty"],
    );
}

#[tokio::test]
async fn a_repository_made_by_the_model_starts_nothing() {
    // A folder that looks like a bare repository needs no `.git` to be taken for one.
    let config = "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = \"touch ../pwned\"\n";
    let scene = Scene::new(&[
        ("sub/HEAD", "ref: refs/heads/main\n"),
        ("sub/config", config),
        ("sub/objects/x", ""),
        ("sub/refs/heads/x", ""),
    ]);
    let status = json!({ "argv": ["git", "status"], "cwd": "sub" });
    let result = scene.call("run", status).await;
    assert_ne!(result.failure, None, "{}", result.text);
    assert!(!scene.workspace().root().join("pwned").exists());
}

#[tokio::test]
async fn a_whole_cargo_round_is_seen_as_what_it_is() {
    let scene = Scene::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
        ),
        (
            "src/main.rs",
            "fn main() {\n    println!(\"{}\", missing);\n}\n",
        ),
    ]);
    let build = || scene.call("run", json!({ "argv": ["cargo", "build", "--offline"] }));
    let failed = build().await;
    assert_eq!(failed.failure, Some(Failure::Failed), "{}", failed.text);
    assert!(failed.text.contains("error[E0425]"), "{}", failed.text);
    let edits = json!([{ "old": "missing", "new": "\"done\"" }]);
    let edit = scene
        .call("edit", json!({ "path": "src/main.rs", "edits": edits }))
        .await;
    is_fine(&edit, Outcome::Changed, &["line 2"]);
    // The lock file was written by the first build; `target` is no content.
    is_fine(&build().await, Outcome::Observed, &["exit status 0"]);
    let run = scene
        .call("run", json!({ "argv": ["target/debug/tiny"] }))
        .await;
    is_fine(&run, Outcome::Observed, &["stdout, 1 lines:\ndone\n"]);
    assert_eq!(run.decision.unwrap().rule, "own binaries");
}

const CHECKS: &str = r#"
[[check]]
name = "cat shows the file"
argv = ["cat", "a.txt"]
files = { "a.txt" = "hello\n" }
[check.expect]
exit = "zero"
stdout.where = [{ op = "eq", value = "hello\n" }]
stdout.format = "text"
stderr = "empty"
"#;

#[tokio::test]
async fn checks_run_under_the_same_policy() {
    let scene = Scene::new(&[("checks.toml", CHECKS)]);
    let accept = async |arguments: Value| scene.call("accept", arguments).await;
    let inline = accept(json!({ "checks": CHECKS })).await;
    is_fine(&inline, Outcome::Observed, &["1 passed"]);
    let file = accept(json!({ "file": "checks.toml" })).await;
    is_fine(&file, Outcome::Observed, &["1 passed"]);
    let wrong =
        accept(json!({ "checks": CHECKS.replace("value = \"hello", "value = \"bye") })).await;
    is_failure(&wrong, Failure::Failed, &["1 failed"]);

    let empty = accept(json!({ "checks": "" })).await;
    is_failure(&empty, Failure::BadArguments, &["check"]);
    is_failure(&accept(json!({})).await, Failure::BadArguments, &["either"]);
    is_failure(
        &accept(json!({ "file": "../x" })).await,
        Failure::Refused,
        &[".."],
    );

    let shell = CHECKS.replace("[\"cat\", \"a.txt\"]", "[\"sh\", \"-c\", \"cat a.txt\"]");
    is_failure(
        &accept(json!({ "checks": shell })).await,
        Failure::Refused,
        &["(wrapper)"],
    );
    let outside = CHECKS.replace("[\"cat\", \"a.txt\"]", "[\"cat\", \"/etc/passwd\"]");
    is_failure(
        &accept(json!({ "checks": outside })).await,
        Failure::Refused,
        &["(no rule)"],
    );
    let git = CHECKS.replace("[\"cat\", \"a.txt\"]", "[\"git\", \"status\"]");
    is_failure(
        &accept(json!({ "checks": git })).await,
        Failure::Refused,
        &["git"],
    );
    let path = CHECKS.replace(
        "[check.expect]",
        "env = { PATH = \"{root}\" }\n[check.expect]",
    );
    is_failure(
        &accept(json!({ "checks": path })).await,
        Failure::Refused,
        &["PATH"],
    );
    let parity = format!("{CHECKS}[check.same_as]\nargv = [\"python3\", \"x.py\"]\n");
    is_failure(
        &accept(json!({ "checks": parity })).await,
        Failure::Refused,
        &["(wrapper)"],
    );
}
