//! `agent accept`, from outside: exit statuses, formats and options.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/scene.rs"]
mod scene;

use std::fs;
use std::process::Output;

use scene::{agent, finish};
use serde_json::Value;
use tempfile::TempDir;

/// Checks of `tool`, a script below the root.
const CHECKS: &str = r#"
[suite]
name = "tool"

[[check]]
name = "it says yes"
argv = ["bin/tool", "yes"]
expect = { exit = "zero", stdout = { format = "text", where = [{ op = "contains", value = "yes" }] } }

[[check]]
name = "it says no"
argv = ["bin/tool", "no"]
expect.exit = 1
"#;

fn folder(tool: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let bin = folder.path().join("project/bin");
    fs::create_dir_all(&bin).unwrap();
    let program = bin.join("tool");
    fs::write(&program, format!("#!/bin/sh\n{tool}\n")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, mode).unwrap();
    fs::write(folder.path().join("checks.toml"), CHECKS).unwrap();
    folder
}

fn accept(folder: &TempDir, arguments: &[&str]) -> Output {
    let arguments = [&["accept"], arguments].concat();
    finish(agent(folder.path(), &arguments).spawn().unwrap())
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

const GOOD: &str = "echo \"$1\"; test \"$1\" = yes";
const ROOT: [&str; 3] = ["checks.toml", "--root", "project"];

#[test]
fn what_passes_is_said_and_ends_with_0() {
    let output = accept(&folder(GOOD), &ROOT);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("it says yes") && said.contains("2 passed"),
        "{said}"
    );
    assert!(!said.contains('\x1b') && output.stderr.is_empty());
}

#[test]
fn what_fails_is_said_with_its_reason_and_ends_with_1() {
    let output = accept(&folder("echo yes"), &ROOT);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("ended with exit status 0, expected exit status 1"),
        "{said}"
    );
    assert!(said.contains("1 passed, 1 failed"), "{said}");
}

#[test]
fn a_suite_that_is_wrong_ends_with_2() {
    let folder = folder(GOOD);
    let wrong = [
        (
            "[[check]]\nname = \"x\"\nargv = [\"true\"]\n",
            "expects nothing",
        ),
        (
            "[[check]]\nname = \"x\"\nargv = \"true\"\nexpect.exit = 0\n",
            "argv",
        ),
        ("", "wrong.toml"),
        ("[[check", "wrong.toml:1"),
    ];
    for (text, said) in wrong {
        fs::write(folder.path().join("wrong.toml"), text).unwrap();
        let output = accept(&folder, &["checks.toml", "wrong.toml", "--root", "project"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(
            stderr.contains(said) && output.stdout.is_empty(),
            "{said}: {stderr}"
        );
    }
    for arguments in [
        &["absent.toml"][..],
        &[],
        &["checks.toml", "--root", "absent"],
        &["checks.toml", "--format", "xml"],
    ] {
        let output = accept(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty());
    }
    // A program that is not there makes a check that could not be carried out.
    let output = accept(&folder, &["checks.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains("bin/tool"));
}

#[test]
fn json_is_one_object_with_everything() {
    for (tool, status, verdict) in [(GOOD, 0, "pass"), ("echo yes", 1, "fail")] {
        let folder = folder(tool);
        let output = accept(&folder, &[&ROOT[..], &["--format", "json"]].concat());
        let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(output.status.code(), Some(status));
        assert_eq!(report["exit_status"], status);
        assert_eq!(
            (&report["schema"], &report["suite"]),
            (&"accept/1".into(), &"tool".into())
        );
        let checks = report["checks"].as_array().unwrap();
        assert_eq!(checks.len(), 2);
        assert_eq!(checks[1]["verdict"], verdict, "{checks:?}");
        assert_eq!(report["summary"]["pass"], 2 - status);
        if verdict == "fail" {
            let reason = &checks[1]["reasons"][0];
            assert_eq!(reason["code"], "exit_mismatch");
            assert!(
                reason["check"]["file"]
                    .as_str()
                    .unwrap()
                    .ends_with("checks.toml")
            );
        }
    }
}

/// Checks run side by side, and are reported in their order whatever their number.
#[test]
fn jobs_do_not_change_the_report() {
    let folder = folder(GOOD);
    let verdicts = |jobs: &str| {
        let output = accept(
            &folder,
            &[&ROOT[..], &["--format", "json", "--jobs", jobs]].concat(),
        );
        let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
        let checks = report["checks"].as_array().unwrap().clone();
        let line = |check: &Value| (check["name"].clone(), check["verdict"].clone());
        checks.iter().map(line).collect::<Vec<_>>()
    };
    let one = verdicts("1");
    assert_eq!(one[0], ("it says yes".into(), "pass".into()));
    assert_eq!(verdicts("8"), one);
    assert_eq!(
        accept(&folder, &["checks.toml", "--jobs", "few"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn output_is_kept_where_it_is_wanted() {
    let folder = folder(GOOD);
    let output = accept(
        &folder,
        &[&ROOT[..], &["--keep", "kept", "--format", "json"]].concat(),
    );
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let path = report["checks"][0]["runs"][0]["stdout"]["path"].as_str();
    let path = path.unwrap_or_else(|| panic!("{:#}", report["checks"][0]));
    assert!(path.contains("kept"), "{path}");
    assert_eq!(fs::read_to_string(path).unwrap(), "yes\n");
    // Without it nothing is left.
    let output = accept(&folder, &[&ROOT[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["kept"], Value::Null);
}
