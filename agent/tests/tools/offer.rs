//! What is offered, and what is refused whatever the tool.

use std::fs;
use std::os::unix::fs::symlink;

use agent::provider::Arguments;
use agent::tools::{Failure, Outcome};
use serde_json::json;

use crate::scene::{Scene, is_failure, is_fine};

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
