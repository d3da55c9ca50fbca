//! Loops around one space.

use std::time::Duration;

use space_core::machine::Semantics::{Query, Stop};
use space_core::runtime::{Limit, Limits, Log, Runner, Termination};

use crate::kit::{Contract, Ended, Reply, Script, after, end, event, guards, lines};

/// Asks; a worse answer is looped back.
fn asking(rounds: u32, millis: u32) -> Contract {
    Contract::new("Idle Asking Done Bad")
        .event("Start", "goal", false)
        .event("Answered", "goal", false)
        .event("Worse", "goal", false)
        .effect("Ask", "goal", Query, "Answered Worse", "")
        .effect("Close", "", Stop, "", "")
        .slot("goal")
        .guard("has_goal")
        .guarded("Idle", "Start", "Asking", "Ask", "has_goal")
        .rule("Asking", "Answered", "Done", "Close")
        .rule("Asking", "Worse", "Bad", "Close")
        .feedback("Bad", "Start", rounds, millis)
}

async fn run(contract: &Contract, replies: impl IntoIterator<Item = Reply>) -> Ended {
    let space = contract.space();
    let start = event(&space, "Start", "tea");
    Runner::new(space, guards(), Script::default().on("Ask", replies))
        .limits(Limits::new().rounds(100))
        .observe(Log::new())
        .run(start)
        .await
        .unwrap()
}

const WORSE: Reply = Reply::Event("Worse", "goal", "more tea");
const BETTER: Reply = Reply::Event("Answered", "goal", "tea");

#[tokio::test]
async fn a_loop_goes_on_instead_of_ending() {
    let ended = run(&asking(3, 0), [WORSE, BETTER]).await;
    assert_eq!(
        lines(&ended)[4..],
        [
            r#"outcome #1: Worse(goal: "more tea")"#,
            "Asking -> Bad, Close",
            r#"loop [from_bad round 1]: Start(goal: "more tea")"#,
            r#"Idle -> Asking, Ask(goal: "more tea")"#,
            "superseded: Close",
            r#"query #2: Ask(goal: "more tea")"#,
            r#"outcome #2: Answered(goal: "tea")"#,
            "Asking -> Done, Close",
            "stop #3: Close",
            "ended: completed in `Done`",
        ]
    );
    assert_eq!(ended.usage.rounds, 4);
}

#[tokio::test]
async fn a_loop_is_used_up_by_its_rounds() {
    let ended = run(&asking(2, 0), [WORSE]).await;
    let expected = Termination::FeedbackExhausted {
        feedback: "from_bad".to_owned(),
        rounds: 2,
        limit: Limit::Rounds {
            used: 2,
            allowed: 2,
        },
    };
    assert_eq!(ended.termination, expected);
    assert_eq!(ended.handler.calls(), ["Ask", "Ask", "Ask"]);
    // What the run is audited with says the same.
    assert_eq!(
        lines(&ended).last().unwrap(),
        "ended: feedback exhausted: `from_bad` after 2 rounds: 2 of 2 rounds used"
    );
}

#[tokio::test(start_paused = true)]
async fn a_loop_is_used_up_by_its_time() {
    let ended = run(&asking(0, 2500), [after(1, WORSE)]).await;
    let Termination::FeedbackExhausted { rounds, limit, .. } = ended.termination else {
        panic!("{}", end(&ended));
    };
    let Limit::Clock { used, allowed } = limit else {
        panic!("{limit}");
    };
    assert_eq!((rounds, allowed), (2, Duration::from_millis(2500)));
    assert!(used >= Duration::from_secs(3));
}

#[tokio::test]
async fn a_loop_that_is_refused_lets_the_run_end() {
    let ended = run(&asking(2, 0), [Reply::Event("Worse", "goal", "")]).await;
    assert_eq!(end(&ended), "completed in `Bad`");
    assert_eq!(
        lines(&ended)[6..],
        [
            r#"loop [from_bad round 1]: Start(goal: "")"#,
            "Start rejected in Idle: guard `has_goal` refused",
            "stop #2: Close",
            "ended: completed in `Bad`",
        ]
    );
}

#[tokio::test]
async fn the_limits_of_the_run_come_before_those_of_its_loops() {
    let space = asking(2, 0).space();
    let start = event(&space, "Start", "tea");
    let ended = Runner::new(space, guards(), Script::default().on("Ask", [WORSE]))
        .limits(Limits::new().rounds(2))
        .observe(Log::new())
        .run(start)
        .await
        .unwrap();
    assert_eq!(end(&ended), "limit: 2 of 2 rounds used, in `Bad`");
}
