//! `agent run`, from outside: what a run is shielded from, by whom it is stopped, and what is left
//! then.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/scene.rs"]
mod scene;

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use scene::{CHECKED, REPAIR, Run, Scene, finish, processes, signal, wait_until};

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
        run.termination().contains("`agent.RunTools`"),
        "{}",
        run.termination()
    );
    wait_until("its processes are gone", || processes(&pipe).is_empty());
}
