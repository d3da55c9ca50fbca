//! `agent run --listen`, from outside: a person who pauses, speaks, resumes and cancels while a tool is
//! at work.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/scene.rs"]
mod scene;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use scene::{CHECKED, Run, Scene, agent, finish, processes, wait_until};
use serde_json::Value;

/// The first tool call reads a pipe, and so takes as long as the test wants.
const SCRIPT: &str = r#"
[[step]]
call = [{ tool = "run", arguments = { argv = ["cat", "PIPE"] } }]
[[step]]
expect = { user_contains = "hello, not hallo" }
call = [{ tool = "write", arguments = { path = "greeting.txt", text = "hello\n", reason = "asked for" } }]
[[step]]
text = "It says hello."
"#;

struct Talk {
    scene: Scene,
    pipe: String,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    read: String,
}

impl Talk {
    /// A run whose first tool is at work.
    fn new(name: &str, more: &[&str]) -> Self {
        let pipe = format!("pipe-{name}-{}", std::process::id());
        let script = SCRIPT.replace("PIPE", &pipe);
        let scene = Scene::new(&script, &format!("in_place = true\n{CHECKED}"));
        let made = Command::new("mkfifo")
            .arg(scene.path("task/workspace").join(&pipe))
            .status();
        assert!(made.unwrap().success());
        let arguments = ["run", "--task", "task", "--dir", "run", "--listen"];
        let mut child = agent(&scene.path("."), &[&arguments[..], more].concat())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        wait_until("the tool runs", || !processes(&pipe).is_empty());
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            scene,
            pipe,
            child,
            read: String::new(),
        }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Reads up to the first line that says all of `words`.
    fn until(&mut self, words: &[&str]) -> String {
        loop {
            let start = self.read.len();
            let read = self.output.read_line(&mut self.read).unwrap();
            let line = &self.read[start..];
            assert!(read > 0, "it ended without {words:?}:\n{}", self.read);
            if words.iter().all(|word| line.contains(word)) {
                return line.to_owned();
            }
        }
    }

    /// Lets the first tool come to its end.
    fn release(&self) {
        fs::write(self.scene.path("task/workspace").join(&self.pipe), "go\n").unwrap();
    }

    /// The whole output, once the program has ended.
    fn end(mut self) -> (Scene, Output) {
        drop(self.input.take());
        self.output.read_to_string(&mut self.read).unwrap();
        let output = finish(self.child);
        let output = Output {
            stdout: self.read.into_bytes(),
            ..output
        };
        (self.scene, output)
    }
}

#[test]
fn a_person_pauses_speaks_and_resumes() {
    let mut talk = Talk::new("pause", &["--json"]);
    talk.say("/pause");
    talk.until(&["\"supervisor\"", "\"Paused\""]);
    talk.release();
    // What was in flight has come home, and what it asks for waits.
    talk.until(&["\"agent\"", "\"ToolsObserved\""]);
    talk.say("  hello, not hallo ");
    talk.until(&["\"agent\"", "\"Steer\""]);
    talk.say("/resume");
    let (scene, output) = talk.end();
    let run = Run::of(&output);
    assert_eq!(run.status, Some(0), "{}", run.ended());
    assert_eq!(
        run.events(),
        [
            "GoalGiven",
            "ModelToolCalls",
            "ToolsObserved",
            "Steer",
            "ModelToolCalls",
            "ToolsChanged",
            "ModelFinal",
            "ProofPassed"
        ]
    );
    assert_eq!(
        run.events_of("supervisor"),
        ["Pause", "Say", "Delivered", "Resume", "RunEnded"]
    );
    let place = |such: &dyn Fn(&Value) -> bool| run.lines.iter().position(such).unwrap();
    let paused = place(&|line| line["to"] == "Paused");
    let resumed = place(&|line| line["event"] == "Resume");
    let asked = run.lines[paused..resumed].iter();
    assert_eq!(asked.filter(|line| line["type"] == "asking").count(), 0);
    assert_eq!(scene.read("task/workspace/greeting.txt"), "hello\n");
}

#[test]
fn a_person_ends_the_run_and_the_tool_that_is_at_work() {
    let mut talk = Talk::new("cancel", &["--json"]);
    let pipe = talk.pipe.clone();
    talk.say("/cancel it takes too long");
    let (_, output) = talk.end();
    let run = Run::of(&output);
    assert_eq!(run.status, Some(130), "{}", run.ended());
    assert_eq!(
        run.termination(),
        "completed in `agent.Cancelled, supervisor.Cancelled`"
    );
    // One event of both.
    assert_eq!(run.events().last(), Some(&"Cancel"));
    assert_eq!(run.events_of("supervisor"), ["Cancel"]);
    wait_until("its processes are gone", || processes(&pipe).is_empty());
}

#[test]
fn people_see_what_they_may_say_and_what_was_not_understood() {
    let mut talk = Talk::new("human", &[]);
    talk.until(&[
        "say ",
        "a message for the model, /pause, /resume, or /cancel WHY",
    ]);
    talk.say("/stop");
    talk.until(&["`/stop` is not known", "/cancel WHY"]);
    talk.say("/resume");
    talk.until(&["(Running)", "Resume", "ignored"]);
    talk.say("/pause");
    talk.until(&["(Paused)", "Pause"]);
    talk.say("/cancel");
    let (_, output) = talk.end();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("  end        completed in `agent.Cancelled, supervisor.Cancelled`"),
        "{text}"
    );
}

/// Who pipes a file in has nothing more to say at its end, and the run goes on.
#[test]
fn the_end_of_what_is_said_is_no_end_of_the_run() {
    let mut talk = Talk::new("file", &["--json"]);
    talk.say("hello, not hallo");
    drop(talk.input.take());
    talk.until(&["\"supervisor\"", "\"Delivered\""]);
    talk.release();
    let (_, output) = talk.end();
    let run = Run::of(&output);
    assert_eq!(run.status, Some(0), "{}", run.ended());
}
