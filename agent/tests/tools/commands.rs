//! Commands and checks, under the policy.

use std::fs;

use agent::tools::{Failure, Outcome};
use serde_json::{Value, json};

use crate::scene::{Scene, is_failure, is_fine, numbered};

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
