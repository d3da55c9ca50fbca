//! `agent run`, from outside: the built program on tasks with scripted models.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

#[path = "common/scene.rs"]
mod scene;

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use scene::{Run, Scene, agent, finish, processes, read_until, signal, wait_until};
use tempfile::TempDir;

const CHECKED: &str = "checks = [\"checks.toml\"]";

/// A claim, a repair, and a claim that holds.
const REPAIR: &str = r#"
[[step]]
text = "It says hello already."
[[step]]
expect = { user_contains = "it greets" }
call = [{ tool = "write", arguments = { path = "greeting.txt", text = "hello\n", reason = "asked for" } }]
[[step]]
text = "Now it does."
"#;

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
    let looks = "[[step]]\ncall = [{ tool = \"read\", arguments = { path = \"greeting.txt\" } }]\n";
    for (script, limits, more, said) in [
        (
            claim,
            "max_proofs = 2",
            &[][..],
            "2 of 2 starts of `Prove` used",
        ),
        (claim, "max_rounds = 4", &[], "4 of 4 rounds used"),
        (claim, "", &["--max-rounds", "4"], "4 of 4 rounds used"),
        (looks, "", &["--max-rounds", "0"], "0 of 0 rounds used"),
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

/// What judges the run is out of reach, and so is what runs other programs; the run goes on.
#[test]
fn what_is_not_permitted_is_refused_and_the_run_goes_on() {
    let write = |path: &str| {
        format!(
            "[[step.call]]\ntool = \"write\"\narguments = {{ path = \"{path}\", text = \"hello\", reason = \"r\" }}\n"
        )
    };
    let run_argv =
        |argv: &str| format!("[[step.call]]\ntool = \"run\"\narguments = {{ argv = [{argv}] }}\n");
    let edit = "[[step.call]]\ntool = \"edit\"\narguments = { path = \"judge/checks.toml\", edits = [{ old = \"hello\", new = \"good\" }] }\n";
    let script = [
        "[[step]]\n",
        edit,
        &write("judge/checks.toml"),
        &write("judge/fixture/x"),
        &write("task.toml"),
        &write("../outside.txt"),
        &write("/tmp/outside-of-the-workspace.txt"),
        &write(".git/config"),
        &run_argv("\"sh\", \"-c\", \"echo hello > greeting.txt\""),
        &run_argv("\"env\", \"cat\", \"greeting.txt\""),
        &run_argv("\"bin/tig\", \"status\""),
        &run_argv("\"cat\", \"/etc/passwd\""),
        "[[step]]\nexpect = { results = 11, tool_contains = \"not run\" }\n",
        &write("greeting.txt"),
        "[[step]]\ntext = \"Done.\"\n",
    ]
    .concat();
    // The whole task folder is the workspace, worked on in place.
    let scene = Scene::new(
        &script,
        "workspace = \".\"\nin_place = true\nchecks = [\"judge/checks.toml\"]",
    );
    scene.write("task/greeting.txt", "good day\n");
    let check = format!("{}\n", scene::GREETING)
        .replace("[check.expect]", "fixture = \"fixture\"\n[check.expect]");
    scene.write("task/judge/checks.toml", &check);
    scene.write("task/judge/fixture/x", "x");
    fs::create_dir(scene.path("task/bin")).unwrap();
    fs::copy("/bin/cat", scene.path("task/bin/tig")).unwrap();

    let run = scene.run(&[]);
    assert_eq!(run.status, Some(0), "{}", run.ended());
    let called = run.all("called");
    assert_eq!(called.len(), 12);
    for call in &called[..11] {
        assert_eq!(call["failure"], "refused", "{call}");
        assert_eq!(call["outcome"], "observed", "{call}");
    }
    assert_eq!(scene.read("task/judge/checks.toml"), check);
    assert_eq!(scene.read("task/judge/fixture/x"), "x");
    assert!(!scene.path("outside.txt").exists());
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
fn nothing_of_a_cut_off_reply_is_executed() {
    let write = "call = [{ tool = \"write\", arguments = { path = \"half.txt\", text = \"x\" } }]";
    let script = format!(
        "[[step]]\nfinish = \"cut_off\"\n{write}\n[[step]]\nexpect = {{ user_contains = \"cut off\" }}\n\
         text = \"Shorter.\"\nfinish = \"cut_off\"\n{REPAIR}"
    );
    let scene = Scene::new(&script, CHECKED);
    let run = scene.run(&[]);
    assert_eq!(run.status, Some(0), "{}", run.ended());
    assert_eq!(
        run.events()[..4],
        ["GoalGiven", "ModelCutOff", "ModelCutOff", "ModelFinal"]
    );
    assert!(!scene.path("run/workspace/half.txt").exists());
}

#[test]
fn a_loop_that_goes_in_circles_is_ended() {
    let call = |tool: &str, arguments: &str| {
        format!("[[step]]\ncall = [{{ tool = \"{tool}\", arguments = {{ {arguments} }} }}]\n")
    };
    let read = call("read", "path = \"greeting.txt\"");
    // Its result tells how long it took, which is never the same.
    let run = call("run", "argv = [\"cat\", \"greeting.txt\"]");
    for (script, calls, said) in [
        (read.repeat(9), 3, "3 times"),
        (run.repeat(9), 3, "3 times"),
        (format!("{read}{run}").repeat(5), 6, "alternate"),
    ] {
        let run = Scene::new(&script, CHECKED).run(&[]);
        assert_eq!(run.status, Some(1));
        assert_eq!(run.events().last(), Some(&"ToolsStuck"));
        assert!(run.reason().contains(said), "{}", run.reason());
        assert_eq!(run.all("called").len(), calls);
    }
}

/// Blocks in `cat`, until the test writes to the pipe or ends it.
const BLOCKS: &str = r#"
[[step]]
[[step.call]]
tool = "run"
arguments = { argv = ["cat", "PIPE"] }
[[step.call]]
tool = "read"
arguments = { path = "greeting.txt" }
[[step]]
text = "Done."
[[step]]
text = "Done."
"#;

/// A task whose first tool call reads from a pipe of that name.
fn blocked(pipe: &str) -> Scene {
    let script = BLOCKS.replace("PIPE", pipe);
    let scene = Scene::new(&script, &format!("in_place = true\n{CHECKED}"));
    let made = Command::new("mkfifo")
        .arg(scene.path("task/workspace").join(pipe))
        .status();
    assert!(made.unwrap().success());
    scene
}

#[test]
fn a_sealed_check_that_was_touched_proves_nothing() {
    let pipe = format!("pipe-sealed-{}", std::process::id());
    for touched in ["task/checks.toml", "task/task.toml"] {
        let scene = blocked(&pipe);
        let child = scene.spawn(&["run", "--task", "task", "--dir", "run", "--json"]);
        wait_until("the tool runs", || !processes(&pipe).is_empty());
        let text = scene.read(touched).replace("hello", "good");
        scene.write(touched, &text);
        fs::write(scene.path("task/workspace").join(&pipe), "go\n").unwrap();
        let run = Run::of(&finish(child));
        assert_eq!(run.status, Some(1), "{}", run.ended());
        assert_eq!(run.events().last(), Some(&"ProofBroken"));
        let name = touched.trim_start_matches("task/");
        assert!(run.reason().contains(name), "{}", run.reason());
    }
}

#[test]
fn a_workspace_that_changes_while_it_is_proved_is_not_proved() {
    let scene = Scene::new(
        &"[[step]]\ntext = \"Done.\"\n".repeat(3),
        &format!("{CHECKED}\n[limits]\nmax_proofs = 1"),
    );
    scene.write(
        "task/checks.toml",
        "[[check]]\nname = \"it logs\"\nargv = [\"sh\", \"-c\", \"echo x >> {root}/greeting.txt; mkdir -p {root}/logs; echo x > {root}/logs/new.txt\"]\n\
         expect.exit = \"zero\"\n",
    );
    let run = scene.run(&[]);
    assert_eq!(run.status, Some(3));
    let checked = run.all("checked")[0];
    assert_eq!(
        (&checked["passed"], &checked["checks_passed"]),
        (&false.into(), &1.into())
    );
    let reasons = checked["reasons"].as_str().unwrap();
    assert!(
        reasons.ends_with("proved: `greeting.txt` (modified), `logs/new.txt` (added)"),
        "{reasons}"
    );
    assert_eq!(
        run.ended()["delivery"]["changed"][0]["path"],
        "greeting.txt"
    );
}

/// A signal ends the run at once, whatever it is at, and leaves no process behind.
#[test]
fn an_interrupt_ends_the_run_and_what_it_started() {
    let id = std::process::id();
    let (pipe, nap) = (format!("pipe-interrupt-{id}"), format!("600.00{id}"));
    let proving = Scene::new("[[step]]\ntext = \"Done.\"", CHECKED);
    let check = format!(
        "[[check]]\nname = \"it waits\"\nargv = [\"sh\", \"-c\", \"sleep {nap}; true\"]\ntimeout_ms = 600000\nexpect.exit = 0\n"
    );
    proving.write("task/checks.toml", &check);
    for (scene, marker, name) in [(blocked(&pipe), &pipe, "INT"), (proving, &nap, "TERM")] {
        let child = scene.spawn(&["run", "--task", "task", "--dir", "run", "--json"]);
        let pid = child.id();
        wait_until("something runs", || !processes(marker).is_empty());
        let asked = Instant::now();
        signal(name, pid);
        let run = Run::of(&finish(child));
        assert!(
            asked.elapsed() < Duration::from_secs(10),
            "{:?}",
            asked.elapsed()
        );
        assert_eq!(run.status, Some(130));
        assert!(
            run.termination().starts_with("suspended"),
            "{}",
            run.termination()
        );
        wait_until("its processes are gone", || processes(marker).is_empty());
        for call in run.all("called") {
            assert_eq!(call["failure"], "ended", "{call}");
        }
    }
}

#[test]
fn time_runs_out() {
    let pipe = format!("pipe-timeout-{}", std::process::id());
    let scene = blocked(&pipe);
    let run = scene.run(&["--timeout", "1s"]);
    assert_eq!(run.status, Some(3), "{}", run.ended());
    // What was in flight was no query, so it is named.
    assert!(
        run.termination().contains("`RunTools`"),
        "{}",
        run.termination()
    );
    wait_until("its processes are gone", || processes(&pipe).is_empty());
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
        "  end        completed in `Answered`",
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
