//! A folder with a task in it, and the program that works on it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Longer than anything here takes, even on a busy machine; what takes longer hangs.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// The keys that a machine may have, which must not decide a test.
const KEYS: &[&str] = &[
    "OPENAI_API_KEY",
    "DEEPSEEK_API_KEY",
    "MOONSHOT_API_KEY",
    "ZAI_API_KEY",
    "LLAMA_API_KEY",
    "VLLM_API_KEY",
];

/// A check that looks at `greeting.txt` in the workspace.
pub(crate) const GREETING: &str = r#"
[[check]]
name = "it greets"
argv = ["cat", "{root}/greeting.txt"]
[check.expect]
exit = "zero"
stdout = { format = "text", where = [{ op = "contains", value = "hello" }] }
stderr = "empty"
"#;

/// With the checks.
pub(crate) const CHECKED: &str = "checks = [\"checks.toml\"]";

/// A claim, a repair, and a claim that holds.
pub(crate) const REPAIR: &str = r#"
[[step]]
text = "It says hello already."
[[step]]
expect = { user_contains = "it greets" }
call = [{ tool = "write", arguments = { path = "greeting.txt", text = "hello\n", reason = "asked for" } }]
[[step]]
text = "Now it does."
"#;

/// A folder of its own, with `task/` in it.
pub(crate) struct Scene {
    folder: TempDir,
}

impl Scene {
    /// A task that asks for a greeting, and the script that answers. `rest` goes into the table
    /// `[task]` and may open others.
    pub(crate) fn new(script: &str, rest: &str) -> Self {
        let scene = Self {
            folder: TempDir::new().unwrap(),
        };
        scene.write("task/workspace/greeting.txt", "good day\n");
        scene.write("task/checks.toml", GREETING);
        scene.write("task/script.toml", script);
        let task = "[task]\nname = \"greet\"\ngoal = \"Say hello in greeting.txt.\"\n\
                    script = \"script.toml\"\n";
        scene.write("task/task.toml", &format!("{task}{rest}\n"));
        scene
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// `agent run --task task --dir run --json`, with further arguments.
    pub(crate) fn run(&self, more: &[&str]) -> Run {
        let arguments = ["run", "--task", "task", "--dir", "run", "--json"];
        Run::of(&self.agent(&[&arguments, more].concat()))
    }

    /// The program to its end.
    pub(crate) fn agent(&self, arguments: &[impl AsRef<OsStr>]) -> Output {
        finish(self.spawn(arguments))
    }

    /// The program, started.
    pub(crate) fn spawn(&self, arguments: &[impl AsRef<OsStr>]) -> Child {
        agent(self.folder.path(), arguments).spawn().unwrap()
    }
}

/// The program in a folder, with pipes and no keys.
pub(crate) fn agent(folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agent"));
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for key in KEYS {
        command.env_remove(key);
    }
    command
}

/// Waits for the end, and fails when there is none.
pub(crate) fn finish(child: Child) -> Output {
    let pid = child.id();
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    if let Ok(output) = ended.recv_timeout(PATIENCE) {
        output.unwrap()
    } else {
        signal("KILL", pid);
        panic!("the program does not end");
    }
}

/// Sends a signal.
pub(crate) fn signal(name: &str, pid: u32) {
    let status = Command::new("kill")
        .args([&format!("-{name}"), &pid.to_string()])
        .status();
    assert!(status.unwrap().success());
}

/// Waits until something is so.
pub(crate) fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !so() {
        assert!(Instant::now() < end, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Reads lines until one contains `text`, and gives back the rest.
pub(crate) fn read_until(child: &mut Child, text: &str) -> BufReader<std::process::ChildStdout> {
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        let read = lines.read_line(&mut line).unwrap();
        assert!(read > 0, "it ended before it said {text:?}");
    }
    lines
}

/// The processes whose command line holds `text`.
pub(crate) fn processes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(text) && !line.contains("agent run") {
            found.push(line);
        }
    }
    found
}

/// A run with `--json` that has ended.
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) lines: Vec<Value>,
    pub(crate) stderr: String,
}

impl Run {
    /// Every line is an object with a type, and the steps are a path through the machine.
    pub(crate) fn of(output: &Output) -> Self {
        let stdout = String::from_utf8(output.stdout.clone()).unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let read = |line: &str| -> Value {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}\n{stderr}"))
        };
        let run = Self {
            status: output.status.code(),
            lines: stdout.lines().map(read).collect(),
            stderr,
        };
        run.check_form();
        run
    }

    fn check_form(&self) {
        const TYPES: &[&str] = &[
            "begun",
            "step",
            "ignored",
            "rejected",
            "unheard",
            "asking",
            "attempt_failed",
            "replied",
            "called",
            "proving",
            "checked",
            "ended",
        ];
        for line in &self.lines {
            let kind = line["type"].as_str().unwrap_or_default();
            assert!(TYPES.contains(&kind), "{line}");
        }
        assert_eq!(self.lines[0]["type"], "begun", "{:?}", self.stderr);
        assert_eq!(self.ended()["status"], self.status.unwrap());
        let mut states = BTreeMap::from([("agent", "Idle"), ("supervisor", "Running")]);
        let mut round = 0;
        for line in &self.lines {
            if !["step", "ignored", "rejected"].contains(&line["type"].as_str().unwrap()) {
                continue;
            }
            // A round is what happens; the components that it moves have a line each, and what the
            // end of the agent's run means for the supervisor is none.
            let now = line["round"].as_u64().unwrap();
            assert!(now == round || now == round + 1, "{line} after {round}");
            round = now;
            let state = states.get_mut(line["component"].as_str().unwrap()).unwrap();
            let from = line.get("from").unwrap_or(&line["state"]);
            assert_eq!(from, *state, "{line}");
            *state = line["to"].as_str().unwrap_or(state);
        }
        assert_eq!(self.ended()["usage"]["rounds"], round);
        self.check_pairs();
    }

    /// Every call that was asked for has one result, in the order asked, unless the run ended first.
    fn check_pairs(&self) {
        let mut open: Vec<String> = Vec::new();
        for line in &self.lines {
            match line["type"].as_str().unwrap() {
                "replied" => {
                    assert!(open.is_empty(), "{open:?} before {line}");
                    let calls = line["calls"].as_array().unwrap();
                    let id = |call: &Value| call["id"].as_str().unwrap().to_owned();
                    open = calls.iter().map(id).collect();
                    assert_eq!(open.is_empty(), line["finish"] != "tool_use", "{line}");
                }
                "called" => {
                    assert!(!open.is_empty(), "nobody asked for {line}");
                    assert_eq!(line["id"], *open.remove(0), "{line}");
                }
                _ => {}
            }
        }
    }

    /// The lines of a type.
    pub(crate) fn all(&self, kind: &str) -> Vec<&Value> {
        let of_kind = |line: &&Value| line["type"] == kind;
        self.lines.iter().filter(of_kind).collect()
    }

    /// The last line.
    pub(crate) fn ended(&self) -> &Value {
        let last = self.lines.last().unwrap();
        assert_eq!(last["type"], "ended", "{last}");
        last
    }

    /// The events that the agent handled, in order.
    pub(crate) fn events(&self) -> Vec<&str> {
        self.events_of("agent")
    }

    /// The events that a component handled, in order.
    pub(crate) fn events_of(&self, component: &str) -> Vec<&str> {
        let steps = self.all("step").into_iter();
        let steps = steps.filter(|step| step["component"] == component);
        steps.map(|step| step["event"].as_str().unwrap()).collect()
    }

    /// Why it ended.
    pub(crate) fn reason(&self) -> &str {
        self.ended()["reason"].as_str().unwrap_or_default()
    }

    /// How it ended.
    pub(crate) fn termination(&self) -> &str {
        self.ended()["termination"].as_str().unwrap()
    }
}
