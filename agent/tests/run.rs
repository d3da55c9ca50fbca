//! `agent run`, from outside: the built program on tasks with scripted models.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/scene.rs"]
mod scene;

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use scene::{CHECKED, REPAIR, Run, Scene, agent, finish, read_until};
use tempfile::TempDir;

/// The bundled task, which is real work with cargo.
#[test]
fn the_bundled_task_is_proved() {
    let folder = TempDir::new().unwrap();
    let run = Run::of(&finish(
        agent(folder.path(), &["run", "--json", "--dir", "run"])
            .spawn()
            .unwrap(),
    ));
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert_eq!(run.stderr, "");
    assert_eq!(run.lines[0]["scripted"], true);
    // The first claim comes before anything was done, and is refused.
    assert_eq!(
        run.events()[..3],
        ["GoalGiven", "ModelFinal", "ProofFailed"]
    );
    assert_eq!(run.events().last(), Some(&"ProofPassed"));
    let first = run.all("checked")[0];
    assert_eq!(
        (&first["passed"], &first["checks"]),
        (&false.into(), &5.into())
    );
    // One reason for one text at one place, whoever forbade it.
    let reasons = first["reasons"].as_str().unwrap();
    let times = |text: &str| reasons.matches(text).count();
    assert_eq!(times("forbidden `Failure(` at byte 86\n"), 1, "{reasons}");
    let refused: Vec<_> = run
        .all("called")
        .into_iter()
        .filter(|call| call["failure"] == "refused")
        .collect();
    assert!(
        refused.len() == 1 && refused[0]["rule"] == "(wrapper)",
        "{refused:?}"
    );

    let ended = run.ended();
    assert_eq!(ended["proof"], "proved");
    assert_eq!(ended["changed_since_proof"], false);
    let delivery = &ended["delivery"];
    assert_eq!(delivery["changed"], serde_json::json!([]));
    assert_eq!(delivery["steps"].as_array().unwrap().len(), 2);
    for check in delivery["checks"].as_array().unwrap() {
        assert_eq!(check["verdict"], "pass", "{check}");
        assert_eq!(
            (&check["stdout"], &check["stderr"]),
            (&true.into(), &true.into())
        );
    }

    // The program is what its users wanted.
    let program = folder.path().join("run/workspace/target/debug/resolve");
    let input = "package a 0.3.9\npackage a 0.4.0\napp needs a ^0.3.1\n";
    let file = folder.path().join("deps.txt");
    fs::write(&file, input).unwrap();
    let by_file = Command::new(&program).arg(&file).output().unwrap();
    assert_eq!(by_file.status.code(), Some(0));
    assert_eq!(
        by_file.stdout,
        b"{\"ok\":true,\"chosen\":{\"a\":\"0.3.9\"}}\n"
    );
    assert_eq!(by_file.stderr, b"");
    let mut child = Command::new(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let by_stdin = child.wait_with_output().unwrap();
    assert_eq!(by_stdin.stdout, by_file.stdout);
    let absent = Command::new(&program).arg("absent.txt").output().unwrap();
    assert_eq!((absent.status.code(), &*absent.stdout), (Some(2), &b""[..]));
    assert!(String::from_utf8_lossy(&absent.stderr).contains("absent.txt"));
}

#[test]
fn a_claim_is_no_proof() {
    let scene = Scene::new(REPAIR, CHECKED);
    let run = scene.run(&[]);
    assert_eq!(run.status, Some(0), "{:?}", run.ended());
    assert_eq!(
        run.events(),
        [
            "GoalGiven",
            "ModelFinal",
            "ProofFailed",
            "ModelToolCalls",
            "ToolsChanged",
            "ModelFinal",
            "ProofPassed"
        ]
    );
    assert_eq!(scene.read("run/workspace/greeting.txt"), "hello\n");
    // The task's own workspace is as it was.
    assert_eq!(scene.read("task/workspace/greeting.txt"), "good day\n");
}

#[test]
fn a_model_that_only_claims_meets_a_limit() {
    let claim = "[[step]]\ntext = \"Done.\"\n";
    for (script, limits, more, said) in [
        (
            claim,
            "max_proofs = 2",
            &[][..],
            "2 of 2 starts of `agent.Prove` used",
        ),
        (claim, "max_rounds = 4", &[], "4 of 4 rounds used"),
        (claim, "", &["--max-rounds", "4"], "4 of 4 rounds used"),
    ] {
        let scene = Scene::new(&script.repeat(9), &format!("{CHECKED}\n[limits]\n{limits}"));
        let run = scene.run(more);
        assert_eq!(run.status, Some(3), "{said}");
        assert!(run.termination().contains(said), "{}", run.termination());
        assert_eq!(run.ended()["proof"], "not_proved");
    }
}

#[test]
fn a_run_without_checks_is_unproved() {
    let scene = Scene::new("[[step]]\ntext = \"Done.\"", "");
    let run = scene.run(&[]);
    assert_eq!(run.status, Some(1));
    assert_eq!(run.events().last(), Some(&"ProofWaived"));
    assert_eq!(run.ended()["proof"], "unproved");
    assert!(run.reason().contains("no checks"), "{}", run.reason());
    fs::remove_dir_all(scene.path("run")).unwrap();
    let human = scene.agent(&["run", "--task", "task", "--dir", "run"]);
    assert!(String::from_utf8_lossy(&human.stdout).contains("UNPROVED"));
}

#[test]
fn a_model_that_fails_or_declines_ends_the_run_with_its_reason() {
    for (step, event, said) in [
        (
            "fail = \"the machine is on fire\"",
            "ModelFailed",
            "on fire",
        ),
        (
            "finish = \"refused\"\ntext = \"I would rather not.\"",
            "ModelRefused",
            "rather not",
        ),
        ("finish = \"refused\"", "ModelRefused", "declined"),
        (
            "expect = { tool_contains = \"x\" }\ntext = \"x\"",
            "ModelFailed",
            "script step 1",
        ),
    ] {
        let run = Scene::new(&format!("[[step]]\n{step}"), CHECKED).run(&[]);
        assert_eq!(run.status, Some(1), "{step}");
        assert_eq!(run.events(), ["GoalGiven", event]);
        assert!(run.reason().contains(said), "{}", run.reason());
        assert_eq!(run.ended()["proof"], "not_proved");
    }
}

#[test]
fn what_cannot_start_says_in_one_line_what_to_do() {
    let scene = Scene::new(REPAIR, CHECKED);
    scene.write("full/file", "x");
    scene.write("broken/task.toml", "[task]\nname = 1");
    scene.write("loose.toml", "[[step]]\n");
    scene.write("unscripted/task.toml", "[task]\nname = \"x\"\ngoal = \"g\"");
    fs::create_dir(scene.path("unscripted/workspace")).unwrap();
    for (arguments, said) in [
        (&["--provider", "nobody"][..], "known are openai, deepseek"),
        (&["--provider", "openai"], "OPENAI_API_KEY"),
        (&["--provider", "openai", "--model", "claude"], "gpt-"),
        (&["--provider", "ollama"], "--model"),
        (
            &["--provider", "llama.cpp", "--base-url", "ftp://x"],
            "http",
        ),
        (&["--provider", "script", "--goal", "g"], "--model FILE"),
        (
            &[
                "--provider",
                "script",
                "--goal",
                "g",
                "--model",
                "absent.toml",
            ],
            "absent.toml",
        ),
        (
            &[
                "--provider",
                "script",
                "--goal",
                "g",
                "--model",
                "loose.toml",
            ],
            "step 1",
        ),
        (
            &["--task", "absent"],
            "a task is a folder with a `task.toml`",
        ),
        (&["--task", "broken"], "broken/task.toml"),
        (&["--task", "unscripted"], "--provider"),
        (&["--goal", " \n "], "--goal TEXT"),
        (&["--goal", "g"], "OPENAI_API_KEY"),
        (&["--dir", "full"], "--dir"),
        (&["--dir", "full/file"], "--dir"),
        (&["--goal", "g", "--task", "task"], "cannot be used with"),
        (&["--timeout", "1d"], "no unit of time"),
        (&["--max-rounds", "many"], "--max-rounds"),
        (&["--max-rounds", "0"], "--max-rounds"),
    ] {
        let output = scene.agent(&[&["run"], arguments].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(said), "{arguments:?}: {stderr}");
        assert_eq!(output.stdout, b"", "{arguments:?}");
        let is_ours = stderr.starts_with("agent: ");
        assert!(!is_ours || stderr.lines().count() == 1, "{stderr}");
    }
    // Nothing is left behind by what did not start.
    assert!(!scene.path(".space").exists());
}

#[test]
fn a_task_whose_checks_are_wrong_does_not_start() {
    for (checks, said) in [
        ("[[check]]\nname = \"x\"", "argv"),
        ("", "no"),
        (
            "[[check]]\nname = \"x\"\nargv = [\"cat\"]",
            "expects nothing",
        ),
    ] {
        let scene = Scene::new(REPAIR, CHECKED);
        scene.write("task/checks.toml", checks);
        let output = scene.agent(&["run", "--task", "task", "--dir", "run"]);
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            stderr.contains("checks.toml:") && stderr.contains(said),
            "{stderr}"
        );
        assert!(!scene.path("run").exists());
    }
}

#[test]
fn a_goal_is_worked_on_in_place_and_unproved() {
    let scene = Scene::new("", "");
    scene.write("here/greeting.txt", "good day\n");
    let script = "[[step]]\ncall = [{ tool = \"read\", arguments = { path = \"greeting.txt\" } }]\n\
                  [[step]]\ncall = [{ tool = \"edit\", arguments = { path = \"greeting.txt\", edits = [{ old = \"good day\", new = \"hello\" }] } }]\n\
                  [[step]]\ntext = \"Done.\"";
    scene.write("script.toml", script);
    let here = scene.path("here");
    let arguments = [
        "run",
        "--goal",
        "greet",
        "--provider",
        "script",
        "--model",
        "../script.toml",
        "--json",
    ];
    let run = Run::of(&finish(agent(&here, &arguments).spawn().unwrap()));
    assert_eq!(run.status, Some(1), "{}", run.ended());
    assert_eq!(run.ended()["proof"], "unproved");
    assert_eq!(scene.read("here/greeting.txt"), "hello\n");
    // Its own records are nobody's source.
    assert_eq!(scene.read("here/.space/.gitignore"), "*\n");
    assert_eq!(fs::read_dir(here.join(".space/runs")).unwrap().count(), 1);

    let inside = [&arguments[..], &["--dir", "records"]].concat();
    let refused = finish(agent(&here, &inside).spawn().unwrap());
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("outside"));
}

#[test]
fn a_reader_that_goes_away_ends_nothing() {
    let scene = Scene::new(REPAIR, CHECKED);
    for json in [&["--json"][..], &[]] {
        fs::remove_dir_all(scene.path("run")).ok();
        let mut child = scene.spawn(&[&["run", "--task", "task", "--dir", "run"], json].concat());
        drop(read_until(&mut child, "greet"));
        let output = finish(child);
        assert_eq!(output.status.code(), Some(0));
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
        assert_eq!(scene.read("run/workspace/greeting.txt"), "hello\n");
    }
}

#[test]
fn people_read_a_report_of_what_was_looked_at() {
    let scene = Scene::new(REPAIR, CHECKED);
    let output = scene.agent(&["run", "--task", "task", "--dir", "run"]);
    let text = String::from_utf8(output.stdout).unwrap();
    // No colours and no spinner where there is no terminal.
    assert!(!text.contains('\x1b'), "{text}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains('\x1b'));
    for line in [
        "model     script/script.toml  (scripted: no model is asked)",
        "  1  Thinking   GoalGiven       → AskModel",
        "     + write  greeting.txt",
        "  proof      proved: 1 of 1 checks passed",
        "  checks     pass  it greets",
        "  clean      stdout 1/1   stderr 1/1",
        "  end        completed in `agent.Answered, supervisor.Finished`",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
    // The task has no build, and the check feeds no file and no input.
    for absent in ["  build ", "  modes "] {
        assert!(!text.contains(absent), "{text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
}

#[test]
fn providers_are_listed_and_types_documented() {
    let folder = TempDir::new().unwrap();
    let said = |arguments: &[&str]| {
        let output = finish(agent(folder.path(), arguments).spawn().unwrap());
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let list = said(&["run", "--provider", "help"]);
    assert!(
        list.contains("llama.cpp") && list.contains("script"),
        "{list}"
    );
    let help = said(&["run", "--help"]);
    for kind in [
        "begun",
        "step",
        "attempt_failed",
        "called",
        "checked",
        "ended",
        "tool_choice",
    ] {
        assert!(help.contains(kind), "{kind}");
    }
}

/// The tools that a task does not offer cannot be called.
#[test]
fn a_task_chooses_its_tools() {
    let script = "[[step]]\nexpect = { offers = \"read\" }\ncall = [{ tool = \"run\", arguments = { argv = [\"ls\"] } }]\n\
                  [[step]]\nexpect = { tool_contains = \"the tools are read\" }\ntext = \"Done.\"";
    let run = Scene::new(script, "tools = [\"read\"]").run(&[]);
    assert_eq!(run.events().last(), Some(&"ProofWaived"), "{}", run.ended());
    let scene = Scene::new(script, "tools = [\"telepathy\"]");
    let output = scene.agent(&["run", "--task", "task", "--dir", "run"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("telepathy"));
}
