//! A run that somebody watches over: the real agent with real tools and a scripted model, in parallel
//! with the supervisor.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use agent::policy::Policy;
use agent::provider::{ChatFuture, Message, ModelProvider, Request, Script};
use agent::tools::{Context, ToolSet};
use agent::work::handler::Work;
use agent::work::note::Note;
use agent::work::proof::{Prover, Sealed};
use agent::work::supervised::{self, Voice};
use agent::work::task::Task;
use agent::workspace::Workspace;
use space_core::runtime::{ComposedFinished, ComposedLog, Limits};
use space_out::agent::AgentState;
use space_out::supervised_agent::SupervisedAgentRun;
use space_out::supervisor::SupervisorState;
use tempfile::TempDir;

/// A model that thinks until a person has said something beside the goal.
struct Waits(Script);

impl ModelProvider for Waits {
    fn name(&self) -> &'static str {
        "waits"
    }

    fn chat<'a>(&'a self, request: &'a Request) -> ChatFuture<'a> {
        Box::pin(async move {
            let count = |such: fn(&Message) -> bool| {
                request.messages.iter().filter(|one| such(one)).count()
            };
            let said = count(|one| matches!(one, Message::User { .. }));
            let results = count(|one| matches!(one, Message::Tool { .. }));
            if results > 0 && said < 2 {
                std::future::pending::<()>().await;
            }
            self.0.chat(request).await
        })
    }
}

/// A model that never answers.
struct Silent;

impl ModelProvider for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }

    fn chat<'a>(&'a self, _: &'a Request) -> ChatFuture<'a> {
        Box::pin(std::future::pending())
    }
}

fn script(text: &str) -> Box<dyn ModelProvider> {
    Box::new(Script::parse("supervised", text).unwrap())
}

/// What is said, once, at the first note that is right for it.
type Say = Box<dyn FnOnce(&Voice) + Send>;

/// Which note.
type At = fn(&Note) -> bool;

struct Run {
    finished: ComposedFinished<ComposedLog>,
    ended: SupervisedAgentRun,
    /// How often the model was asked.
    asked: usize,
}

impl Run {
    fn lines(&self) -> &[String] {
        &self.finished.observer.lines
    }

    /// Where a line stands.
    fn place(&self, line: &str) -> usize {
        let found = self.lines().iter().position(|one| one == line);
        found.unwrap_or_else(|| panic!("{line:?} is not in {:#?}", self.lines()))
    }
}

/// Runs a model in `folder`; `say` speaks at the first note that is `at`.
async fn run(folder: &TempDir, provider: Box<dyn ModelProvider>, at: At, say: Say) -> Run {
    let root = folder.path();
    let task = Task::of_goal("Write two files.", root);
    let workspace = Workspace::open(root, &[]).unwrap();
    let path = std::env::var_os("PATH");
    let policy = Policy::builtin(&workspace, path.as_deref());
    let own = root.join(".space");
    let prover = Prover::new(Sealed::of(&task).unwrap(), workspace.clone(), own.clone());
    let tools = ToolSet::new(Context::new(workspace, policy, own));
    let voice: Arc<OnceLock<Voice>> = Arc::default();
    let (to_say, speaker) = (Mutex::new(Some(say)), Arc::clone(&voice));
    let asked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&asked);
    let notes = move |note: &Note| {
        if matches!(note, Note::Asking) {
            *count.lock().unwrap() += 1;
        }
        if at(note)
            && let Some(say) = to_say.lock().unwrap().take()
        {
            say(speaker.get().unwrap());
        }
    };
    let work = Work::new(provider, tools, prover, "Be brief.", Arc::new(notes));
    let (runner, speaks) = supervised::runner(work);
    voice.set(speaks).ok().unwrap();
    let finished = runner
        .limits(Limits::new().rounds(50).clock(Duration::from_mins(1)))
        .observe(ComposedLog::new())
        .run([supervised::goal(&task.goal)])
        .await
        .unwrap();
    let ended = supervised::ended(&finished).unwrap();
    let asked = *asked.lock().unwrap();
    Run {
        finished,
        ended,
        asked,
    }
}

fn called(note: &Note) -> bool {
    matches!(note, Note::Called { .. })
}

const WRITES: &str = r#"
[[step]]
call = [{ tool = "write", arguments = { path = "one.txt", text = "1" } }]
[[step]]
call = [{ tool = "write", arguments = { path = "two.txt", text = "2" } }]
[[step]]
text = "Both are there."
"#;

const PAUSED: &str = "supervisor Running -> Paused";
const RESUMED: &str = "supervisor Paused -> Running";

/// The effects of the agent that started between two lines.
fn starts_between<'a>(run: &'a Run, from: &str, to: &str) -> Vec<&'a String> {
    let between = &run.lines()[run.place(from)..run.place(to)];
    let starts = |line: &&String| line.contains(" #") && line.contains(": agent.");
    let is_outcome = |line: &&String| line.starts_with("outcome");
    between
        .iter()
        .filter(|one| starts(one) && !is_outcome(one))
        .collect()
}

#[tokio::test]
async fn a_watched_run_ends_as_any_other() {
    let folder = TempDir::new().unwrap();
    let run = run(&folder, script(WRITES), |_| false, Box::new(|_| ())).await;
    assert_eq!(
        run.ended.state.agent,
        AgentState::Unproved,
        "{:#?}",
        run.lines()
    );
    assert_eq!(run.ended.state.supervisor, SupervisorState::Finished);
    assert_eq!(
        run.ended.ctx.agent.answer.as_deref(),
        Some("Both are there.")
    );
    assert_eq!(run.asked, 3);
    assert!(folder.path().join("two.txt").exists());
}

/// What is in flight comes home, and nothing starts until the run is told to go on.
#[tokio::test]
async fn a_pause_holds_the_next_effect() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().to_owned();
    let say = move |voice: &Voice| {
        voice.pause().unwrap();
        let voice = voice.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(300)).await;
            assert!(root.join("one.txt").exists() && !root.join("two.txt").exists());
            voice.resume().unwrap();
        });
    };
    let run = run(&folder, script(WRITES), called, Box::new(say)).await;
    assert_eq!(
        run.ended.state.agent,
        AgentState::Unproved,
        "{:#?}",
        run.lines()
    );
    assert_eq!(starts_between(&run, PAUSED, RESUMED), Vec::<&String>::new());
    // Then it is as if nothing had been.
    assert!(folder.path().join("two.txt").exists());
    assert_eq!(run.asked, 3);
}

/// The script fails unless the message stands in the conversation.
#[tokio::test]
async fn a_message_reaches_the_conversation() {
    let steered = r#"
[[step]]
call = [{ tool = "write", arguments = { path = "one.txt", text = "1" } }]
[[step]]
expect = { user_contains = "Leave the second.", tool_contains = "one.txt" }
text = "One is there."
"#;
    let folder = TempDir::new().unwrap();
    let say = |voice: &Voice| voice.say("Leave the second.").unwrap();
    let provider = Box::new(Waits(Script::parse("steered", steered).unwrap()));
    let run = run(&folder, provider, called, Box::new(say)).await;
    assert_eq!(
        run.ended.state.agent,
        AgentState::Unproved,
        "{:#?}",
        run.lines()
    );
    assert_eq!(run.ended.ctx.agent.answer.as_deref(), Some("One is there."));
    run.place("supervisor Running -> Running, supervisor.Deliver(message: \"Leave the second.\")");
    // The model was being asked when it came: that question is dropped, and asked anew with it.
    run.place("superseded #3: agent.AskNext");
    assert_eq!(run.asked, 3);
}

/// A message that is said to a paused run waits with it.
#[tokio::test]
async fn a_paused_run_hears_and_waits() {
    let steered = r#"
[[step]]
call = [{ tool = "write", arguments = { path = "one.txt", text = "1" } }]
[[step]]
expect = { user_contains = "Leave the second." }
text = "One is there."
"#;
    let folder = TempDir::new().unwrap();
    let say = |voice: &Voice| {
        voice.pause().unwrap();
        voice.say("Leave the second.").unwrap();
        let voice = voice.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(300)).await;
            voice.resume().unwrap();
        });
    };
    let run = run(&folder, script(steered), called, Box::new(say)).await;
    assert_eq!(
        run.ended.ctx.agent.answer.as_deref(),
        Some("One is there."),
        "{:#?}",
        run.lines()
    );
    assert_eq!(starts_between(&run, PAUSED, RESUMED), Vec::<&String>::new());
    let steer = "external: agent.Steer(message: \"Leave the second.\")";
    assert!(run.place(PAUSED) < run.place(steer) && run.place(steer) < run.place(RESUMED));
    assert_eq!(run.asked, 2);
}

/// A cancel is one event of both: what is asked is dropped, what is paused does not go on, and the
/// tool that is at work is awaited.
#[tokio::test]
async fn a_cancel_ends_both() {
    let cancel = |voice: &Voice| voice.cancel("enough").unwrap();
    let paused = move |voice: &Voice| {
        voice.pause().unwrap();
        cancel(voice);
    };
    let asking = |note: &Note| matches!(note, Note::Asking);
    let cases: [(Box<dyn ModelProvider>, At, Say); 3] = [
        (Box::new(Silent), asking, Box::new(cancel)),
        (script(WRITES), called, Box::new(cancel)),
        (script(WRITES), called, Box::new(paused)),
    ];
    for (provider, at, say) in cases {
        let folder = TempDir::new().unwrap();
        let run = run(&folder, provider, at, say).await;
        let end = "completed in `agent.Cancelled, supervisor.Cancelled`";
        assert_eq!(
            run.finished.termination.to_string(),
            end,
            "{:#?}",
            run.lines()
        );
        assert_eq!(run.asked, 1);
        assert!(!folder.path().join("two.txt").exists());
        let last = run.lines().iter().filter(|line| line.starts_with("stop #"));
        assert_eq!(last.count(), 2, "{:#?}", run.lines());
    }
}

/// Who speaks to a run that is over is told so.
#[tokio::test]
async fn a_run_that_is_over_hears_nothing() {
    let folder = TempDir::new().unwrap();
    let kept: Arc<OnceLock<Voice>> = Arc::default();
    let keep = Arc::clone(&kept);
    let say = move |voice: &Voice| keep.set(voice.clone()).ok().unwrap();
    run(&folder, script(WRITES), called, Box::new(say)).await;
    let error = kept.get().unwrap().pause().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the run does not hear `Pause`"),
        "{error}"
    );
}
