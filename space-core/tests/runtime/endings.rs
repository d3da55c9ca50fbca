//! Each way a run can end.

use std::time::Duration;

use space_core::runtime::{Limit, Limits, Log, Runner, Termination};

use crate::kit::{ACTED, ANSWERED, Reply, Script, desk, end, event, guards, lines, run, runner};

#[tokio::test]
async fn a_straight_run_completes_and_tells_all_of_it() {
    let script = Script::default().on("Ask", [ANSWERED]).on("Act", [ACTED]);
    let ended = run(runner(script)).await;
    assert_eq!(end(&ended), "completed in `Done`");
    assert_eq!(
        lines(&ended),
        [
            "started in Idle",
            r#"start: Start(goal: "tea")"#,
            r#"Idle -> Asking, Ask(goal: "tea")"#,
            r#"query #1: Ask(goal: "tea")"#,
            r#"outcome #1: Answered(text: "yes")"#,
            r#"Asking -> Acting, Act(text: "yes")"#,
            r#"command #2: Act(text: "yes")"#,
            "outcome #2: Acted",
            "Acting -> Done, Close",
            "stop #3: Close",
            "ended: completed in `Done`",
        ]
    );
    assert_eq!(ended.usage.rounds, 3);
    let counts: Vec<_> = ended.usage.effects.into_iter().collect();
    let one = |name: &str| (name.to_owned(), 1);
    assert_eq!(counts, [one("Act"), one("Ask"), one("Close")]);
    assert_eq!(ended.handler.calls(), ["Ask", "Act", "Close"]);
}

#[tokio::test]
async fn a_terminal_state_without_effect_completes() {
    let contract = crate::kit::Contract::new("Here There")
        .event("Go", "", false)
        .rule("Here", "Go", "There", "");
    let space = contract.space();
    let start = event(&space, "Go", "");
    let ended = Runner::new(space, guards(), Script::default())
        .run(start)
        .await
        .unwrap();
    assert_eq!(ended.termination.to_string(), "completed in `There`");
}

#[tokio::test]
async fn a_rejected_start_ends_the_run() {
    let start = event(&desk().space(), "Start", "");
    let ended = runner(Script::default()).run(start).await.unwrap();
    assert_eq!(
        end(&ended),
        "rejected: `Start` in `Idle`: guard `has_goal` refused"
    );
    assert!(ended.handler.calls().is_empty());
}

#[tokio::test]
async fn a_rejected_outcome_ends_the_run() {
    let script = Script::default().on("Ask", [Reply::Event("Answered", "text", "")]);
    let ended = run(runner(script)).await;
    assert_eq!(
        end(&ended),
        "rejected: `Answered` in `Asking`: guard `sound` refused"
    );
    assert!(!ended.termination.is_resumable());
}

#[tokio::test]
async fn guard_answers_are_in_the_record() {
    use space_core::runtime::Entry;
    let script = Script::default().on("Ask", [Reply::Event("Answered", "text", "")]);
    let ended = run(runner(script)).await;
    let answers: Vec<_> = ended
        .observer
        .entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Stepped { guard, .. } | Entry::Rejected { guard, .. } => guard.clone(),
            _ => None,
        })
        .collect();
    assert_eq!(
        answers,
        [("has_goal".to_owned(), true), ("sound".to_owned(), false)]
    );
}

#[tokio::test]
async fn a_run_that_nobody_can_move_is_suspended() {
    // An ignored start leaves the run waiting, and there is no handle.
    let start = event(&desk().space(), "Ping", "");
    let ended = runner(Script::default()).run(start).await.unwrap();
    assert_eq!(
        end(&ended),
        "suspended in `Idle`: it waits for an event, and nobody is left to send one"
    );
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_tells_nothing_more() {
    let mut log = Log::new();
    let script = Script::default().on("Ask", [Reply::Hang]);
    let calls = script.clone();
    let mut runner = Runner::new(desk().space(), guards(), script)
        .limits(Limits::new().rounds(9))
        .observe(&mut log);
    let handle = runner.handle();
    let start = event(&desk().space(), "Start", "tea");
    let late = tokio::time::timeout(Duration::from_secs(1), runner.run(start)).await;
    assert!(late.is_err());
    assert_eq!(calls.calls(), ["Ask", "Ask dropped"]);
    assert_eq!(log.lines().last().unwrap(), r#"query #1: Ask(goal: "tea")"#);
    let sent = handle.send(event(&desk().space(), "Ping", ""));
    assert_eq!(sent.unwrap_err().to_string(), "the run has ended");
}

#[test]
fn every_field_is_printed() {
    let state = || "Acting".to_owned();
    let limit = Limit::Clock {
        used: Duration::from_secs(61),
        allowed: Duration::from_mins(1),
    };
    let shown = |termination: Termination| termination.to_string();
    assert_eq!(
        shown(Termination::Limit {
            limit: limit.clone(),
            state: state(),
            abandoned: Some("Act".to_owned()),
        }),
        "limit: 61s of 60s used, in `Acting`; `Act` was dropped, what it did is unknown"
    );
    assert_eq!(
        shown(Termination::FeedbackExhausted {
            feedback: "ask_again".to_owned(),
            rounds: 3,
            limit,
        }),
        "feedback exhausted: `ask_again` after 3 rounds: 61s of 60s used"
    );
    assert_eq!(
        shown(Termination::InDoubt {
            state: state(),
            effect: "Act".to_owned(),
            sequence: 2,
        }),
        "in doubt in `Acting`: whether `Act` (effect 2) was done is unknown"
    );
    assert_eq!(
        shown(Termination::Suspended {
            state: state(),
            effect: Some("Act".to_owned()),
            idle: false,
        }),
        "suspended in `Acting` before `Act`"
    );
    let cost = Limit::Cost {
        used: 3,
        allowed: 2,
    };
    assert_eq!(cost.to_string(), "3 of 2 millionths of cost used");
}
