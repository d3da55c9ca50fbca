//! Compositions on the runner: those of the repository, with scripted handlers. Time is paused: no
//! test waits.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

mod retries;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use space_core::compose::{ComposedGuards, Product, Tagged};
use space_core::gates::check_folder;
use space_core::machine::{EffectCall, Fault, GuardTable, NamedEvent, Value, ValueHandler, Values};
use space_core::parse::folder;
use space_core::runtime::{
    ComposedFinished, ComposedHandle, ComposedLog, ComposedRunner, Limit, Limits, SendError,
    Termination,
};

/// A composition of the repository.
fn product(name: &str) -> Arc<Product> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = folder::read(&root, "domain");
    let checked = check_folder(&folder);
    assert!(!checked.failed(), "{:?}", checked.diagnostics);
    let composed = checked.composed.into_iter().find(|one| one.name == name);
    Arc::new(Product::of(Arc::new(composed.unwrap())))
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn texts(list: &[&str]) -> Value {
    Value::List(list.iter().map(|one| text(one)).collect())
}

type Payload = Vec<(&'static str, Value)>;

/// One answer: after so many seconds, this event; none is a stop.
type Reply = (u64, Option<(&'static str, Payload)>);

/// Answers effects in the order of its replies; each must be the one that is named.
#[derive(Clone, Default)]
struct Script {
    replies: Arc<Mutex<VecDeque<(&'static str, Reply)>>>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Script {
    fn on(self, effect: &'static str, seconds: u64, event: &'static str, payload: Payload) -> Self {
        let reply = (effect, (seconds, Some((event, payload))));
        self.replies.lock().unwrap().push_back(reply);
        self
    }

    fn stop(self, effect: &'static str) -> Self {
        self.replies.lock().unwrap().push_back((effect, (0, None)));
        self
    }
}

impl ValueHandler for Script {
    async fn perform(&mut self, effect: EffectCall<'_>) -> Result<Option<NamedEvent>, Fault> {
        let args: Vec<_> = effect
            .args
            .iter()
            .map(|(_, value)| value.to_string())
            .collect();
        let call = format!("{}({})", effect.name, args.join(", "));
        self.calls.lock().unwrap().push(call);
        let next = self.replies.lock().unwrap().pop_front();
        let Some((name, (seconds, answer))) = next else {
            return Err(Fault::escape(format!(
                "`{}` is not in the script",
                effect.name
            )));
        };
        if name != effect.name {
            return Err(Fault::escape(format!(
                "`{name}` expected, `{}` asked",
                effect.name
            )));
        }
        if seconds > 0 {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
        }
        Ok(answer.map(|(name, payload)| NamedEvent {
            name: name.to_owned(),
            payload: payload
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        }))
    }
}

fn guards() -> ComposedGuards {
    let filled = |_: &[Value], event: &Values| event.values.iter().any(|value| *value != text(""));
    ComposedGuards::new()
        .with("agent", GuardTable::default().with("has_goal", filled))
        .with(
            "retrieval",
            GuardTable::default().with("has_question", filled),
        )
        .with(
            "reasoning",
            GuardTable::default().with("has_prompt", |_, _| true),
        )
}

fn question(product: &Product, prompt: &str) -> Tagged {
    let payload = [("prompt", text(prompt)), ("notes", text(""))];
    product.event("retrieval", "Question", payload).unwrap()
}

/// The effects of one component that were asked for.
fn calls(script: &Script) -> Vec<String> {
    script.calls.lock().unwrap().clone()
}

async fn ask(search: Script, think: Script) -> ComposedFinished<ComposedLog> {
    let product = product("ask");
    let start = question(&product, "why?");
    ComposedRunner::new(product, guards())
        .handler("retrieval", search)
        .handler("reasoning", think)
        .limits(Limits::new().rounds(100))
        .observe(ComposedLog::new())
        .run([start])
        .await
        .unwrap()
}

const UNSURE: &str = "ThinkUnsure";

#[tokio::test]
async fn an_unanswered_question_is_looked_up_again_and_answered() {
    let search = Script::default()
        .on(
            "Search",
            0,
            "PassagesFound",
            vec![("passages", texts(&["a"]))],
        )
        .on(
            "Search",
            0,
            "PassagesFound",
            vec![("passages", texts(&["b"]))],
        );
    let think = Script::default()
        .on("Think", 0, UNSURE, vec![("notes", text("look for b"))])
        .on(
            "Think",
            0,
            "ThinkDone",
            vec![("answer", text("so")), ("citations", texts(&["b"]))],
        );
    let ended = ask(search.clone(), think.clone()).await;
    let done = "completed in `retrieval.Found, reasoning.Answered`";
    assert_eq!(ended.termination.to_string(), done);
    assert_eq!(
        calls(&search),
        [r#"Search("why?", "")"#, r#"Search("why?", "look for b")"#]
    );
    assert_eq!(
        calls(&think),
        [r#"Think("why?", ["a"])"#, r#"Think("why?", ["b"])"#]
    );
    assert_eq!(
        ended.observer.lines,
        [
            "started",
            r#"start: retrieval.Question(prompt: "why?", notes: "")"#,
            r#"retrieval Idle -> Searching, retrieval.Search(prompt: "why?", notes: "")"#,
            r#"query #1: retrieval.Search(prompt: "why?", notes: "")"#,
            r#"outcome #1: retrieval.PassagesFound(passages: ["a"])"#,
            "retrieval Searching -> Found",
            r#"fed: reasoning.ContextReady(context: ["a"], prompt: "why?")"#,
            r#"reasoning Waiting -> Thinking, reasoning.Think(prompt: "why?", context: ["a"])"#,
            r#"query #2: reasoning.Think(prompt: "why?", context: ["a"])"#,
            r#"outcome #2: reasoning.ThinkUnsure(notes: "look for b")"#,
            "reasoning Thinking -> Unanswered",
            r#"loop round 1: retrieval.Question(prompt: "why?", notes: "look for b")"#,
            r#"retrieval Idle -> Searching, retrieval.Search(prompt: "why?", notes: "look for b"); reasoning anew"#,
            r#"query #3: retrieval.Search(prompt: "why?", notes: "look for b")"#,
            r#"outcome #3: retrieval.PassagesFound(passages: ["b"])"#,
            "retrieval Searching -> Found",
            r#"fed: reasoning.ContextReady(context: ["b"], prompt: "why?")"#,
            r#"reasoning Waiting -> Thinking, reasoning.Think(prompt: "why?", context: ["b"])"#,
            r#"query #4: reasoning.Think(prompt: "why?", context: ["b"])"#,
            r#"outcome #4: reasoning.ThinkDone(answer: "so", citations: ["b"])"#,
            "reasoning Thinking -> Answered",
            "ended: completed in `retrieval.Found, reasoning.Answered`",
        ]
    );
}

#[tokio::test]
async fn looking_again_is_bounded() {
    let (mut search, mut think) = (Script::default(), Script::default());
    for _ in 0..4 {
        search = search.on(
            "Search",
            0,
            "PassagesFound",
            vec![("passages", texts(&["a"]))],
        );
        think = think.on("Think", 0, UNSURE, vec![("notes", text("more"))]);
    }
    let ended = ask(search, think.clone()).await;
    assert_eq!(
        ended.termination,
        Termination::FeedbackExhausted {
            feedback: "ask".to_owned(),
            rounds: 3,
            limit: Limit::Rounds {
                used: 3,
                allowed: 3
            },
        }
    );
    assert_eq!(calls(&think).len(), 4);
    let lines = &ended.observer.lines;
    assert_eq!(
        lines[lines.len() - 2..],
        [
            "exhausted: `ask` after 3 rounds: 3 of 3 rounds used",
            "ended: feedback exhausted: `ask` after 3 rounds: 3 of 3 rounds used",
        ]
    );
}

#[tokio::test]
async fn where_nothing_is_found_nothing_is_thought() {
    let search = Script::default().on(
        "Search",
        0,
        "NothingMatched",
        vec![("tried", texts(&["x"]))],
    );
    let ended = ask(search, Script::default()).await;
    let done = "completed in `retrieval.NothingFound, reasoning.Waiting`";
    assert_eq!(ended.termination.to_string(), done);
}

#[tokio::test]
async fn what_cannot_be_run_says_all_that_is_wrong() {
    let product = product("ask");
    let start = question(&product, "why?");
    let refused = ComposedRunner::new(product, ComposedGuards::new())
        .handler("retrieval", Script::default())
        .limits(
            Limits::new()
                .effect("Search", 1)
                .effect("retrieval.Search", 1),
        )
        .run([start])
        .await
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a run of `ask` cannot start\n\
         - guard `retrieval.has_question` is not implemented\n\
         - guard `reasoning.has_prompt` is not implemented\n\
         - component `reasoning` has no handler\n\
         - the limits name `Search`, which is no effect of the contract"
    );
}

/// An agent's model: asks for tools, and is then done.
fn agent() -> Script {
    let calls = || Value::Json(space_core::machine::Json::List(Vec::new()));
    Script::default()
        .on("AskModel", 2, "ModelToolCalls", vec![("calls", calls())])
        .on("RunTools", 2, "ToolsChanged", vec![("results", calls())])
        .on("AskNext", 2, "ModelFinal", vec![("answer", text("done"))])
        .on(
            "Prove",
            2,
            "ProofPassed",
            vec![("report", text("all passed"))],
        )
        .stop("Deliver")
}

struct Watched {
    runner: ComposedRunner<ComposedLog>,
    handle: ComposedHandle,
    product: Arc<Product>,
}

fn watched(agent: Script, supervisor: Script) -> Watched {
    let product = product("supervised_agent");
    let mut runner = ComposedRunner::new(Arc::clone(&product), guards())
        .handler("agent", agent)
        .handler("supervisor", supervisor)
        .limits(Limits::new().rounds(100))
        .observe(ComposedLog::new());
    let handle = runner.handle();
    Watched {
        runner,
        handle,
        product,
    }
}

impl Watched {
    /// Runs, and says things after so many milliseconds each.
    async fn run(
        self,
        says: Vec<(u64, &'static str, &'static str, Payload)>,
    ) -> ComposedFinished<ComposedLog> {
        let Self {
            runner,
            handle,
            product,
        } = self;
        let goal = product
            .event("agent", "GoalGiven", [("goal", text("tea"))])
            .unwrap();
        let talk = async {
            for (pause, component, name, payload) in says {
                tokio::time::sleep(Duration::from_millis(pause)).await;
                handle
                    .send(product.event(component, name, payload).unwrap())
                    .unwrap();
            }
            handle
        };
        let (ended, _handle) = tokio::join!(runner.run([goal]), talk);
        ended.unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_agent_is_the_end_of_the_watch() {
    let ended = watched(agent(), Script::default()).run(vec![]).await;
    let done = "completed in `agent.Answered, supervisor.Finished`";
    assert_eq!(ended.termination.to_string(), done);
    let fed = r#"fed: supervisor.RunEnded(outcome: "done")"#;
    assert!(ended.observer.lines.iter().any(|line| line == fed));
    // The agent's own end is not lost by it.
    assert_eq!(ended.usage.effects["agent.Deliver"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_pause_holds_the_next_effect_and_lets_what_flies_come_home() {
    let says = vec![
        (3000, "supervisor", "Pause", vec![]),
        // The tools have come home after 4 s; nothing is asked until now.
        (10_000, "supervisor", "Resume", vec![]),
    ];
    let ended = watched(agent(), Script::default()).run(says).await;
    let lines = &ended.observer.lines;
    let at = lines
        .iter()
        .position(|line| line == "supervisor Running -> Paused")
        .unwrap();
    assert_eq!(
        lines[at + 1..at + 6],
        [
            "outcome #2: agent.ToolsChanged(results: [])",
            "agent Acting -> Thinking, agent.AskNext",
            "external: supervisor.Resume",
            "supervisor Paused -> Running",
            "query #3: agent.AskNext",
        ]
    );
    let done = "completed in `agent.Answered, supervisor.Finished`";
    assert_eq!(ended.termination.to_string(), done);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_both_and_waits_for_a_command() {
    // While the tools run, which are not interrupted.
    let cancel = (
        3000,
        "supervisor",
        "Cancel",
        vec![("reason", text("enough"))],
    );
    let both = agent().stop("Decline");
    // `Decline` is asked for after two replies: what the script holds in between is dropped.
    both.replies
        .lock()
        .unwrap()
        .retain(|(name, _)| !["AskNext", "Prove", "Deliver"].contains(name));
    let ended = watched(both, Script::default().stop("Close"))
        .run(vec![cancel])
        .await;
    let lines = &ended.observer.lines;
    let at = lines
        .iter()
        .position(|line| line.starts_with("external"))
        .unwrap();
    assert_eq!(
        lines[at - 2..],
        [
            "outcome #2: agent.ToolsChanged(results: [])",
            "agent Acting -> Thinking, agent.AskNext",
            r#"external: supervisor.Cancel(reason: "enough")"#,
            r#"agent Thinking -> Cancelled, agent.Decline(reason: "enough"); supervisor Running -> Cancelled, supervisor.Close(reason: "enough")"#,
            "superseded: agent.AskNext",
            r#"stop #3: agent.Decline(reason: "enough")"#,
            r#"stop #4: supervisor.Close(reason: "enough")"#,
            "ended: completed in `agent.Cancelled, supervisor.Cancelled`",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_cancel_reaches_a_paused_agent_and_a_query_in_flight() {
    for pause in [false, true] {
        let agent = Script::default()
            .on("AskModel", 5, "ModelFinal", vec![("answer", text("done"))])
            .stop("Decline");
        let mut says = vec![(1000, "agent", "Cancel", vec![("reason", text("enough"))])];
        if pause {
            says.insert(0, (1000, "supervisor", "Pause", vec![]));
        }
        let ended = watched(agent, Script::default().stop("Close"))
            .run(says)
            .await;
        assert_eq!(
            ended.termination.to_string(),
            "completed in `agent.Cancelled, supervisor.Cancelled`"
        );
        let dropped = r#"superseded #1: agent.AskModel(goal: "tea")"#;
        assert!(ended.observer.lines.iter().any(|line| line == dropped));
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_steers_while_the_supervisor_is_told_so() {
    // The supervisor passes on what a person says: its handler holds a handle of the run itself.
    struct Passing(ComposedHandle, Arc<Product>);
    impl ValueHandler for Passing {
        async fn perform(&mut self, effect: EffectCall<'_>) -> Result<Option<NamedEvent>, Fault> {
            let message = effect.arg("message").cloned().unwrap_or_default();
            let steer = self.1.event("agent", "Steer", [("message", message)]);
            self.0
                .send(steer.map_err(Fault::escape)?)
                .map_err(Fault::domain)?;
            Ok(Some(NamedEvent {
                name: "Delivered".to_owned(),
                payload: Vec::new(),
            }))
        }
    }
    let agent = Script::default()
        .on("AskModel", 5, "ModelFinal", vec![("answer", text("tea"))])
        .on(
            "AskSteered",
            1,
            "ModelFinal",
            vec![("answer", text("coffee"))],
        )
        .on(
            "Prove",
            1,
            "ProofWaived",
            vec![("reason", text("no checks"))],
        )
        .stop("DeliverUnproved");
    let Watched {
        runner,
        handle,
        product,
    } = watched(agent.clone(), Script::default());
    let runner = runner.handler("supervisor", Passing(handle.clone(), Arc::clone(&product)));
    let says = vec![(
        1000,
        "supervisor",
        "Say",
        vec![("message", text("coffee!"))],
    )];
    let ended = Watched {
        runner,
        handle,
        product,
    }
    .run(says)
    .await;
    assert_eq!(
        ended.termination.to_string(),
        "completed in `agent.Unproved, supervisor.Finished`"
    );
    assert_eq!(calls(&agent)[1], r#"AskSteered("coffee!")"#);
}

#[tokio::test(start_paused = true)]
async fn the_outside_can_only_say_external_events_and_can_stop_the_run() {
    let Watched {
        runner,
        handle,
        product,
    } = watched(agent(), Script::default());
    let wrong = product
        .event("agent", "GoalGiven", [("goal", text("tea"))])
        .unwrap();
    assert!(matches!(
        handle.send(wrong),
        Err(SendError::NotExternal { .. })
    ));
    let other = handle.clone();
    let suspend = async move {
        tokio::time::sleep(Duration::from_secs(3)).await;
        other.suspend();
    };
    let goal = product
        .event("agent", "GoalGiven", [("goal", text("tea"))])
        .unwrap();
    let (ended, ()) = tokio::join!(runner.run([goal]), suspend);
    // The tools were awaited.
    assert_eq!(
        ended.unwrap().termination.to_string(),
        "suspended in `agent.Thinking, supervisor.Running` before `agent.AskNext`"
    );
    let event = product.event("supervisor", "Pause", []).unwrap();
    assert!(matches!(handle.send(event), Err(SendError::Ended { .. })));
}

#[tokio::test(start_paused = true)]
async fn limits_faults_and_time_outs_are_those_of_any_run() {
    let run = async |agent: Script, limits: Limits| {
        let Watched {
            runner,
            handle,
            product,
        } = watched(agent, Script::default());
        let goal = product
            .event("agent", "GoalGiven", [("goal", text("tea"))])
            .unwrap();
        let ended = runner.limits(limits).run([goal]).await.unwrap();
        drop(handle);
        ended.termination.to_string()
    };
    let state = |agent: &str| format!("`agent.{agent}, supervisor.Running`");
    assert_eq!(
        run(agent(), Limits::new().rounds(2)).await,
        format!("limit: 2 of 2 rounds used, in {}", state("Acting"))
    );
    assert_eq!(
        run(agent(), Limits::new().clock(Duration::from_secs(3))).await,
        format!(
            "limit: 3s of 3s used, in {}; `agent.RunTools` was dropped, what it did is unknown",
            state("Acting")
        )
    );
    assert_eq!(
        run(agent(), Limits::new().rounds(9).effect("agent.RunTools", 0)).await,
        format!(
            "limit: 0 of 0 starts of `agent.RunTools` used, in {}",
            state("Acting")
        )
    );
    // A time-out is a domain fault: the sentinel.
    let slow = Script::default()
        .on("AskModel", 9, "ModelFinal", vec![("answer", text("late"))])
        .stop("GiveUp");
    assert_eq!(
        run(
            slow,
            Limits::new()
                .rounds(9)
                .effect_time("agent.AskModel", Duration::from_secs(1))
        )
        .await,
        "completed in `agent.Failed, supervisor.Finished`"
    );
    let silent = Script::default();
    assert_eq!(
        run(silent, Limits::new().rounds(9)).await,
        format!(
            "escape in {} during `agent.AskModel`: `AskModel` is not in the script",
            state("Thinking")
        )
    );
}
