//! Reading, editing and writing.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use agent::tools::{Failure, Outcome};
use serde_json::{Value, json};

use crate::scene::{Scene, is_failure, is_fine, numbered};

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
