//! Handlers that fail, hang or panic.

use std::time::Duration;

use space_core::runtime::{Backoff, EffectPolicy, Limits, Policy};
use tokio::time::Instant;

use crate::kit::{
    ACTED, ANSWERED, Desk, Reply, Script, after, desk, end, event, lines, run, runner,
};

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn steady(timeout: Option<u64>, retries: u32) -> EffectPolicy {
    EffectPolicy {
        timeout: timeout.map(seconds),
        retries,
        backoff: Backoff {
            first: seconds(10),
            longest: seconds(15),
            jitter: 0,
        },
        idempotent: false,
    }
}

fn with(script: Script, effect: &str, policy: EffectPolicy) -> Desk {
    runner(script).policy(Policy::new().effect(effect, policy))
}

#[tokio::test]
async fn a_domain_fault_becomes_the_sentinel() {
    let script = Script::default().on("Ask", [Reply::Domain("no line")]);
    let ended = run(runner(script)).await;
    assert_eq!(end(&ended), "completed in `Done`");
    assert!(lines(&ended).contains(&r#"sentinel #1 [no line]: Failed(error: "no line")"#.into()));
}

#[tokio::test]
async fn a_domain_fault_without_sentinel_escapes() {
    let script = Script::default()
        .on("Ask", [ANSWERED])
        .on("Act", [ACTED])
        .on("Close", [Reply::Domain("jammed")]);
    let ended = run(runner(script)).await;
    assert_eq!(
        end(&ended),
        "escape in `Done` during `Close`: jammed; the effect has no sentinel"
    );
}

#[tokio::test]
async fn escapes_end_the_run() {
    for (reply, expected) in [
        (
            Reply::Escape("disk full"),
            "escape in `Asking` during `Ask`: disk full",
        ),
        (
            Reply::Panic("oh no"),
            "panic in `Asking` during `Ask`: oh no",
        ),
        (
            Reply::Nothing,
            "escape in `Asking` during `Ask`: the handler answered with no event",
        ),
        (
            Reply::Event("Acted", "", ""),
            "escape in `Asking` during `Ask`: `Acted` is none of the returns of `Ask`",
        ),
    ] {
        let ended = run(runner(Script::default().on("Ask", [reply]))).await;
        assert_eq!(end(&ended), expected);
        assert!(ended.termination.is_resumable());
        assert_eq!(lines(&ended).last().unwrap(), &format!("ended: {expected}"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_after_a_wait_is_caught_too() {
    let script = Script::default().on("Ask", [after(1, Reply::Panic("late"))]);
    let ended = run(runner(script)).await;
    assert_eq!(end(&ended), "panic in `Asking` during `Ask`: late");
}

#[tokio::test]
async fn a_panicking_guard_or_observer_ends_the_run() {
    use space_core::machine::{EffectSpace, GuardTable};
    use space_core::runtime::{Observer, Record, Runner};
    struct Fragile;
    impl Observer<EffectSpace> for Fragile {
        fn record(&mut self, _: &EffectSpace, _: &Record<'_, EffectSpace>) {
            panic!("no more paper");
        }
    }
    let guards = GuardTable::default()
        .with("has_goal", |_, _| panic!("who knows"))
        .with("sound", |_, _| true)
        .with("locked", |_, _| true);
    let start = || event(&desk().space(), "Start", "tea");
    let ended = Runner::new(desk().space(), guards.into(), Script::default())
        .limits(Limits::new().rounds(9))
        .run(start())
        .await
        .unwrap();
    assert_eq!(ended.termination.to_string(), "panic in `Idle`: who knows");
    let ended = Runner::new(desk().space(), crate::kit::guards(), Script::default())
        .limits(Limits::new().rounds(9))
        .observe(Fragile)
        .run(start())
        .await
        .unwrap();
    assert_eq!(
        ended.termination.to_string(),
        "panic in `Idle`: no more paper"
    );
}

#[tokio::test(start_paused = true)]
async fn a_time_out_is_a_domain_fault() {
    let begun = Instant::now();
    let script = Script::default().on("Ask", [Reply::Hang]);
    let ended = run(with(script, "Ask", steady(Some(5), 0))).await;
    assert_eq!(end(&ended), "completed in `Done`");
    assert_eq!(begun.elapsed(), seconds(5));
    assert_eq!(ended.handler.calls(), ["Ask", "Ask dropped", "Close"]);
    assert!(
        lines(&ended)
            .contains(&r#"time-out #1 [after 5s]: Failed(error: "timed out after 5s")"#.into())
    );
}

#[tokio::test(start_paused = true)]
async fn a_time_out_without_sentinel_escapes() {
    let script = Script::default()
        .on("Ask", [Reply::Domain("no")])
        .on("Close", [Reply::Hang]);
    let ended = run(with(script, "Close", steady(Some(5), 0))).await;
    assert_eq!(
        end(&ended),
        "escape in `Done` during `Close`: timed out after 5s; the effect has no sentinel"
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_just_in_time_counts() {
    let script = Script::default()
        .on("Ask", [after(5, ANSWERED)])
        .on("Act", [ACTED]);
    let ended = run(with(script, "Ask", steady(Some(5), 0))).await;
    assert_eq!(ended.handler.calls(), ["Ask", "Act", "Close"]);
}

#[tokio::test(start_paused = true)]
async fn a_query_is_tried_again_with_growing_pauses() {
    let begun = Instant::now();
    let script = Script::default()
        .on(
            "Ask",
            [
                Reply::Domain("busy"),
                Reply::Hang,
                Reply::Domain("busy"),
                ANSWERED,
            ],
        )
        .on("Act", [ACTED]);
    let ended = run(with(script, "Ask", steady(Some(3), 3))).await;
    assert_eq!(end(&ended), "completed in `Done`");
    // At once, after 3, at once; pauses of 10, 15, 15.
    assert_eq!(begun.elapsed(), seconds(43));
    assert_eq!(ended.usage.retries, 3);
    assert_eq!(ended.usage.effects["Ask"], 1);
    assert_eq!(ended.usage.rounds, 3);
    assert_eq!(
        lines(&ended)[3..9],
        [
            r#"query #1: Ask(goal: "tea")"#,
            "#1 attempt 1 failed: busy; again in 10s",
            r#"query #1 attempt 2: Ask(goal: "tea")"#,
            "#1 attempt 2 failed: timed out after 3s; again in 15s",
            r#"query #1 attempt 3: Ask(goal: "tea")"#,
            "#1 attempt 3 failed: busy; again in 15s",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn retries_end_and_the_last_fault_counts() {
    let script = Script::default().on("Ask", [Reply::Domain("one"), Reply::Domain("two")]);
    let ended = run(with(script, "Ask", steady(None, 1))).await;
    assert_eq!(ended.handler.calls(), ["Ask", "Ask", "Close"]);
    assert!(lines(&ended).contains(&r#"sentinel #1 [two]: Failed(error: "two")"#.into()));
}

#[tokio::test(start_paused = true)]
async fn escapes_are_not_retried() {
    let script = Script::default().on("Ask", [Reply::Escape("broken")]);
    let ended = run(with(script, "Ask", steady(None, 5))).await;
    assert_eq!(ended.handler.calls(), ["Ask"]);
}

#[tokio::test(start_paused = true)]
async fn the_time_of_an_effect_covers_its_retries() {
    for reply in [Reply::Domain("busy"), Reply::Hang] {
        let begun = Instant::now();
        let script = Script::default().on("Ask", [reply]);
        let ended = run(with(script, "Ask", steady(Some(3), 100))
            .limits(Limits::new().rounds(9).effect_time("Ask", seconds(60))))
        .await;
        assert_eq!(begun.elapsed(), seconds(60));
        assert!(
            lines(&ended)
                .iter()
                .any(|line| line.contains("time-out #1 [after 60s]"))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_idempotent_command_is_tried_again() {
    let script = Script::default()
        .on("Ask", [ANSWERED])
        .on("Act", [Reply::Domain("busy"), ACTED]);
    let policy = EffectPolicy {
        idempotent: true,
        ..steady(None, 1)
    };
    let ended = run(with(script, "Act", policy)).await;
    assert_eq!(ended.handler.calls(), ["Ask", "Act", "Act", "Close"]);
}
