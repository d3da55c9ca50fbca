//! A person's words and a cancel in mid-flight: the conversation stays one that can be sent, and
//! what was dropped is not run.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};

use agent::policy::Policy;
use agent::provider::{ChatFuture, Message, ModelProvider, Request, Script, pairing};
use agent::tools::{Context, ToolSet};
use agent::work::handler::{Guards, Work};
use agent::work::note::Note;
use agent::work::proof::{Prover, Sealed};
use agent::work::task::Task;
use agent::workspace::Workspace;
use space_core::runtime::{Finished, Handle, Limits, Log, Runner};
use space_out::agent::{Agent, AgentEvent, AgentState};
use tempfile::TempDir;

/// A script whose first answer comes only after it has been asked twice.
struct Slow(Script);

impl ModelProvider for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn chat<'a>(&'a self, request: &'a Request) -> ChatFuture<'a> {
        Box::pin(async move {
            let asked = |message: &&Message| matches!(message, Message::User { .. });
            if request.messages.iter().filter(asked).count() < 2 {
                pairing::check(request)?;
                std::future::pending::<()>().await;
            }
            self.0.chat(request).await
        })
    }
}

type Ended = Finished<Agent, Work, Log>;

/// Runs a scripted model in `folder`, and sends `event` at the first note that is `at`.
async fn run(
    folder: &TempDir,
    provider: Box<dyn ModelProvider>,
    at: fn(&Note) -> bool,
    event: AgentEvent,
) -> Ended {
    let root = folder.path();
    let task = Task::of_goal("Look around.", root);
    let workspace = Workspace::open(root, &[]).unwrap();
    let path = std::env::var_os("PATH");
    let policy = Policy::builtin(&workspace, path.as_deref());
    let own = root.join(".space");
    let prover = Prover::new(Sealed::of(&task).unwrap(), workspace.clone(), own.clone());
    let tools = ToolSet::new(Context::new(workspace, policy, own));
    let handle: Arc<OnceLock<Handle<Agent>>> = Arc::default();
    let (to_send, speaker) = (Mutex::new(Some(event)), handle.clone());
    let notes = move |note: &Note| {
        if at(note)
            && let Some(event) = to_send.lock().unwrap().take()
        {
            speaker.get().unwrap().send(event).unwrap();
        }
    };
    let work = Work::new(provider, tools, prover, "Be brief.", Arc::new(notes));
    let mut runner = Runner::new(Agent, Arc::new(Guards), work)
        .limits(Limits::new().rounds(50))
        .observe(Log::new());
    handle.set(runner.handle()).ok().unwrap();
    let goal = AgentEvent::GoalGiven { goal: task.goal };
    let ended = runner.run(goal).await.unwrap();
    let messages = ended.handler.messages().to_vec();
    pairing::check(&Request {
        messages,
        ..Request::default()
    })
    .unwrap_or_else(|error| panic!("{error}: {:#?}", ended.handler.messages()));
    ended
}

fn script(text: &str) -> Box<dyn ModelProvider> {
    Box::new(Script::parse("steered", text).unwrap())
}

fn steer() -> AgentEvent {
    AgentEvent::Steer {
        message: "Leave it.".into(),
    }
}

const WRITES: &str = r#"
[[step]]
[[step.call]]
tool = "write"
arguments = { path = "one.txt", text = "1" }
[[step.call]]
tool = "write"
arguments = { path = "two.txt", text = "2" }
[[step]]
expect = { user_contains = "Leave it.", results = 2 }
text = "I leave it."
"#;

/// The reply's calls had not started: each is answered with that, and none is run.
#[tokio::test]
async fn a_message_that_overtakes_calls_leaves_them_undone_and_answered() {
    let folder = TempDir::new().unwrap();
    let ended = run(
        &folder,
        script(WRITES),
        |note| matches!(note, Note::Replied { .. }),
        steer(),
    )
    .await;
    assert_eq!(
        ended.state,
        AgentState::Unproved,
        "{:?}",
        ended.handler.reason()
    );
    assert!(!folder.path().join("one.txt").exists());
    let results = ended
        .handler
        .messages()
        .iter()
        .filter_map(|message| match message {
            Message::Tool { call_id, text } if text.starts_with("no result") => Some(call_id),
            _ => None,
        });
    assert_eq!(results.collect::<BTreeSet<_>>().len(), 2);
}

/// The calls had started: they are awaited, and what is said comes after their results.
#[tokio::test]
async fn a_message_during_calls_waits_for_them() {
    let folder = TempDir::new().unwrap();
    let ended = run(
        &folder,
        script(WRITES),
        |note| matches!(note, Note::Called { .. }),
        steer(),
    )
    .await;
    assert_eq!(
        ended.state,
        AgentState::Unproved,
        "{:?}",
        ended.handler.reason()
    );
    assert!(folder.path().join("two.txt").exists());
}

/// The question in flight is dropped, and both messages are in the next one.
#[tokio::test]
async fn a_message_replaces_the_question_in_flight() {
    let folder = TempDir::new().unwrap();
    let answer = "[[step]]\nexpect = { user_contains = \"Leave it.\" }\ntext = \"I leave it.\"";
    let slow = Slow(Script::parse("slow", answer).unwrap());
    let ended = run(
        &folder,
        Box::new(slow),
        |note| matches!(note, Note::Asking),
        steer(),
    )
    .await;
    assert_eq!(
        ended.state,
        AgentState::Unproved,
        "{:?}",
        ended.handler.reason()
    );
    let users = ended
        .handler
        .messages()
        .iter()
        .filter_map(|message| match message {
            Message::User { text } => Some(&**text),
            _ => None,
        });
    assert_eq!(users.collect::<Vec<_>>(), ["Look around.", "Leave it."]);
}

/// A cancel is an end of its own: nothing is asked or run after it.
#[tokio::test]
async fn nothing_happens_after_a_cancel() {
    let cancel = || AgentEvent::Cancel {
        reason: "enough".into(),
    };
    let folder = TempDir::new().unwrap();
    let ended = run(
        &folder,
        script(WRITES),
        |note| matches!(note, Note::Called { .. }),
        cancel(),
    )
    .await;
    assert_eq!(ended.state, AgentState::Cancelled);
    assert_eq!(ended.handler.reason(), Some("enough"));
    assert!(ended.termination.is_completed());

    let folder = TempDir::new().unwrap();
    let slow = Slow(Script::parse("slow", "[[step]]\ntext = \"late\"").unwrap());
    let ended = run(
        &folder,
        Box::new(slow),
        |note| matches!(note, Note::Asking),
        cancel(),
    )
    .await;
    assert_eq!(ended.state, AgentState::Cancelled);
}
