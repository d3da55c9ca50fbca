//! What the outside may say, in every phase of a run.

use std::sync::Arc;
use std::time::Duration;

use space_core::machine::EffectSpace;
use space_core::runtime::{Backoff, EffectPolicy, Handle, Limits, Log, Policy, Runner, SendError};
use tokio::time::{Instant, sleep};

use crate::kit::{
    ACTED, ANSWERED, Desk, Ended, Reply, Script, after, desk, end, event, lines, run, runner,
};

/// Says things, one a second, to a run that is under way.
async fn said(mut runner: Desk, says: &[&str]) -> Ended {
    let handle = runner.handle();
    let talk = async {
        for say in says {
            sleep(Duration::from_secs(1)).await;
            tell(&handle, say);
        }
        // Lives as long as the run, which would otherwise end when it waits.
        handle
    };
    let (ended, _handle) = tokio::join!(run(runner), talk);
    ended
}

fn tell(handle: &Handle<EffectSpace>, say: &str) {
    match say {
        "suspend" => handle.suspend(),
        "cancel" => handle.cancel(),
        name => handle.send(event(&desk().space(), name, "milk")).unwrap(),
    }
}

/// A run to which things were said before it began.
fn told(script: Script, says: &[&str]) -> Desk {
    let mut runner = runner(script);
    let handle = runner.handle();
    for say in says {
        tell(&handle, say);
    }
    runner
}

/// Asks and acts for ten seconds each.
fn slow() -> Script {
    Script::default()
        .on("Ask", [after(10, ANSWERED)])
        .on("Act", [after(10, ACTED)])
}

#[tokio::test(start_paused = true)]
async fn before_an_effect_starts_a_handled_event_supersedes_it() {
    let ended = run(told(slow(), &["Note"])).await;
    assert_eq!(
        lines(&ended)[1..7],
        [
            r#"start: Start(goal: "tea")"#,
            r#"Idle -> Asking, Ask(goal: "tea")"#,
            r#"external: Note(goal: "milk")"#,
            r#"Asking -> Asking, Ask(goal: "milk")"#,
            r#"superseded: Ask(goal: "tea")"#,
            r#"query #1: Ask(goal: "milk")"#,
        ]
    );
    assert_eq!(ended.handler.calls(), ["Ask", "Act", "Close"]);
}

#[tokio::test(start_paused = true)]
async fn before_an_effect_starts_other_events_leave_it_alone() {
    // Refused by its guard, and ignored.
    let ended = run(told(slow(), &["Knock", "Ping"])).await;
    assert_eq!(
        lines(&ended)[2..8],
        [
            r#"Idle -> Asking, Ask(goal: "tea")"#,
            "external: Knock",
            "Knock rejected in Asking: guard `locked` refused",
            "external: Ping",
            "Ping ignored in Asking",
            r#"query #1: Ask(goal: "tea")"#,
        ]
    );
    assert_eq!(end(&ended), "completed in `Done`");
}

#[tokio::test(start_paused = true)]
async fn a_handled_event_cancels_the_query_in_flight() {
    let begun = Instant::now();
    let ended = said(runner(slow()), &["Note"]).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(21));
    assert_eq!(
        lines(&ended)[3..8],
        [
            r#"query #1: Ask(goal: "tea")"#,
            r#"external: Note(goal: "milk")"#,
            r#"Asking -> Asking, Ask(goal: "milk")"#,
            r#"superseded #1: Ask(goal: "tea")"#,
            r#"query #2: Ask(goal: "milk")"#,
        ]
    );
    let calls = ended.handler.calls();
    assert_eq!(calls, ["Ask", "Ask dropped", "Ask", "Act", "Close"]);
}

#[tokio::test(start_paused = true)]
async fn other_events_cost_the_query_in_flight_nothing() {
    let begun = Instant::now();
    let ended = said(runner(slow()), &["Ping", "Knock", "Ping"]).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(20));
    assert_eq!(ended.handler.calls(), ["Ask", "Act", "Close"]);
    assert_eq!(ended.usage.effects["Ask"], 1);
    assert_eq!(
        lines(&ended)[3..11],
        [
            r#"query #1: Ask(goal: "tea")"#,
            "external: Ping",
            "Ping ignored in Asking",
            "external: Knock",
            "Knock rejected in Asking: guard `locked` refused",
            "external: Ping",
            "Ping ignored in Asking",
            r#"outcome #1: Answered(text: "yes")"#,
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_command_in_flight_is_awaited_and_its_outcome_stepped_first() {
    let again = Reply::Event("Again", "", "");
    let script = Script::default()
        .on("Ask", [ANSWERED])
        .on("Act", [after(10, again), ACTED]);
    let ended = said(runner(script), &["Ping", "Note"]).await;
    assert_eq!(
        lines(&ended)[6..15],
        [
            r#"command #2: Act(text: "yes")"#,
            "outcome #2: Again",
            r#"Acting -> Asking, Ask(goal: "tea")"#,
            "external: Ping",
            "Ping ignored in Asking",
            r#"external: Note(goal: "milk")"#,
            r#"Asking -> Asking, Ask(goal: "milk")"#,
            r#"superseded: Ask(goal: "tea")"#,
            r#"query #3: Ask(goal: "milk")"#,
        ]
    );
    assert!(!ended.handler.calls().contains(&"Act dropped".into()));
}

#[tokio::test(start_paused = true)]
async fn an_event_that_comes_too_late_is_told_as_unread() {
    let script = Script::default()
        .on("Ask", [ANSWERED])
        .on("Act", [after(10, ACTED)]);
    let ended = said(runner(script), &["Note", "Cancel"]).await;
    // `Acted` leads to the end, which listens to nobody.
    let lines = lines(&ended);
    assert_eq!(
        lines[lines.len() - 4..],
        [
            "stop #3: Close",
            r#"unread: Note(goal: "milk")"#,
            "unread: Cancel",
            "ended: completed in `Done`",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_interrupts_a_stop() {
    for say in ["Note", "suspend", "cancel"] {
        let close = after(10, Reply::Nothing);
        let script = Script::default()
            .on("Ask", [Reply::Domain("no")])
            .on("Close", [close]);
        let ended = said(runner(script), &[say]).await;
        assert_eq!(end(&ended), "completed in `Done`");
        assert_eq!(ended.handler.calls(), ["Ask", "Close"]);
    }
}

#[tokio::test(start_paused = true)]
async fn several_events_are_handled_in_the_order_they_were_sent() {
    let ended = run(told(
        slow(),
        &["Pause", "Resume", "Pause", "Cancel", "Note"],
    ))
    .await;
    assert_eq!(end(&ended), "completed in `Cancelled`");
    assert_eq!(
        lines(&ended)[3..],
        [
            "external: Pause",
            "Asking -> Waiting",
            r#"superseded: Ask(goal: "tea")"#,
            "external: Resume",
            r#"Waiting -> Asking, Ask(goal: "tea")"#,
            "external: Pause",
            "Asking -> Waiting",
            r#"superseded: Ask(goal: "tea")"#,
            "external: Cancel",
            "Waiting -> Cancelled, Close",
            "stop #1: Close",
            r#"unread: Note(goal: "milk")"#,
            "ended: completed in `Cancelled`",
        ]
    );
    assert_eq!(ended.handler.calls(), ["Close"]);
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_waits_until_it_is_moved() {
    let ended = said(runner(slow()), &["Pause", "Ping", "Knock", "Resume"]).await;
    assert_eq!(end(&ended), "completed in `Done`");
    let calls = ended.handler.calls();
    assert_eq!(calls, ["Ask", "Ask dropped", "Ask", "Act", "Close"]);
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_whose_last_handle_goes_is_suspended() {
    let mut runner = runner(slow());
    let handle = runner.handle();
    let other = handle.clone();
    let talk = async {
        sleep(Duration::from_secs(1)).await;
        tell(&handle, "Pause");
        drop(handle);
        sleep(Duration::from_secs(1)).await;
        drop(other);
    };
    let begun = Instant::now();
    let (ended, ()) = tokio::join!(run(runner), talk);
    assert_eq!(begun.elapsed(), Duration::from_secs(2));
    assert_eq!(
        end(&ended),
        "suspended in `Waiting`: it waits for an event, and nobody is left to send one"
    );
}

#[tokio::test(start_paused = true)]
async fn suspend_drops_a_query_and_says_that_it_is_to_be_run_again() {
    let begun = Instant::now();
    let ended = said(runner(slow()), &["suspend"]).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(1));
    assert_eq!(end(&ended), "suspended in `Asking` before `Ask`");
    assert_eq!(ended.handler.calls(), ["Ask", "Ask dropped"]);
    assert!(ended.termination.is_resumable());
}

#[tokio::test(start_paused = true)]
async fn suspend_awaits_a_command() {
    let script = Script::default()
        .on("Ask", [ANSWERED])
        .on("Act", [after(10, Reply::Event("Again", "", ""))]);
    let begun = Instant::now();
    let ended = said(runner(script), &["suspend"]).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(10));
    assert_eq!(end(&ended), "suspended in `Asking` before `Ask`");
    assert_eq!(ended.handler.calls(), ["Ask", "Act"]);
}

#[tokio::test(start_paused = true)]
async fn suspend_comes_after_what_was_sent_before_it() {
    let ended = run(told(slow(), &["Note", "suspend", "Ping"])).await;
    assert_eq!(
        lines(&ended)[3..],
        [
            r#"external: Note(goal: "milk")"#,
            r#"Asking -> Asking, Ask(goal: "milk")"#,
            r#"superseded: Ask(goal: "tea")"#,
            "unread: Ping",
            "ended: suspended in `Asking` before `Ask`",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn cancel_ends_what_the_contract_cannot() {
    let ended = said(runner(slow()), &["cancel"]).await;
    assert_eq!(end(&ended), "cancelled in `Asking` before `Ask`");
    assert!(!ended.termination.is_resumable());
    // The contract's own event ends by the contract's rules.
    let ended = said(runner(slow()), &["Cancel"]).await;
    assert_eq!(end(&ended), "completed in `Cancelled`");
    let calls = ended.handler.calls();
    assert_eq!(calls, ["Ask", "Ask dropped", "Close"]);
}

#[tokio::test(start_paused = true)]
async fn events_are_heard_between_the_attempts_of_a_query() {
    let script = Script::default()
        .on("Ask", [Reply::Domain("busy"), after(10, ANSWERED)])
        .on("Act", [after(10, ACTED)]);
    let minute = Duration::from_mins(1);
    let policy = EffectPolicy {
        retries: 9,
        backoff: Backoff {
            first: minute,
            longest: minute,
            jitter: 0,
        },
        ..EffectPolicy::default()
    };
    let policy = Policy::new().effect("Ask", policy);
    let begun = Instant::now();
    let ended = said(runner(script).policy(policy), &["Ping", "Note"]).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(22));
    assert_eq!(
        lines(&ended)[4..10],
        [
            "#1 attempt 1 failed: busy; again in 60s",
            "external: Ping",
            "Ping ignored in Asking",
            r#"external: Note(goal: "milk")"#,
            r#"Asking -> Asking, Ask(goal: "milk")"#,
            r#"superseded #1: Ask(goal: "tea")"#,
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_rounds_of_a_query_in_flight_can_be_used_up() {
    let runner = runner(slow()).limits(Limits::new().rounds(3));
    let ended = said(runner, &["Ping", "Ping"]).await;
    assert_eq!(end(&ended), "limit: 3 of 3 rounds used, in `Asking`");
    assert_eq!(ended.handler.calls(), ["Ask", "Ask dropped"]);
}

#[tokio::test]
async fn only_external_events_may_be_sent() {
    let mut runner = runner(slow());
    let handle = runner.handle();
    let answered = event(&desk().space(), "Answered", "forged");
    let error = handle.send(answered.clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`Answered` is not an external event of the contract"
    );
    assert!(matches!(error, SendError::NotExternal { event, .. } if event == answered));
}

#[tokio::test]
async fn the_inbox_is_bounded() {
    let mut runner = runner(slow());
    let handle = runner.handle();
    let ping = || event(&desk().space(), "Ping", "");
    for _ in 0..Handle::<EffectSpace>::CAPACITY {
        handle.send(ping()).unwrap();
    }
    assert_eq!(handle.send(ping()), Err(SendError::Full { event: ping() }));
    // Stopping is possible even then, and the run goes away with its runner.
    handle.suspend();
    drop(runner);
    assert_eq!(handle.send(ping()), Err(SendError::Ended { event: ping() }));
}

#[tokio::test(flavor = "current_thread")]
async fn runs_can_be_spawned() {
    let mut runner = runner(Script::default().on("Ask", [Reply::Hang]));
    let handle = runner.handle();
    let task = tokio::spawn(run(runner));
    tokio::task::yield_now().await;
    tell(&handle, "Cancel");
    assert_eq!(end(&task.await.unwrap()), "completed in `Cancelled`");
}

#[tokio::test]
async fn dropping_the_last_handle_wakes_a_run_that_waits() {
    let mut runner = runner(Script::default());
    let handle = runner.handle();
    let task = tokio::spawn(runner.run(event(&desk().space(), "Ping", "")));
    tokio::task::yield_now().await;
    drop(handle);
    let ended = task.await.unwrap().unwrap();
    assert!(end(&ended).starts_with("suspended in `Idle`"));
}

#[tokio::test(start_paused = true)]
async fn an_effect_that_gave_way_is_not_blamed_later() {
    use space_core::machine::GuardTable;
    let guards = GuardTable::default()
        .with("has_goal", |_, _| true)
        .with("sound", |_, _| true)
        .with("locked", |_, _| panic!("who knows"));
    let mut runner = Runner::new(desk().space(), Arc::new(guards), slow())
        .limits(Limits::new().rounds(9))
        .observe(Log::new());
    let handle = runner.handle();
    let start = event(&desk().space(), "Start", "tea");
    let talk = async {
        sleep(Duration::from_secs(1)).await;
        tell(&handle, "Pause");
        tell(&handle, "Knock");
    };
    let (ended, ()) = tokio::join!(runner.run(start), talk);
    assert_eq!(end(&ended.unwrap()), "panic in `Waiting`: who knows");
}
