//! Each limit, at its boundary.

use std::time::Duration;

use space_core::machine::{EffectCall, Fault, NamedEvent, ValueHandler};
use space_core::runtime::{Limits, Meter, Runner};
use tokio::time::Instant;

use crate::kit::{
    ACTED, AGAIN, ANSWERED, Reply, Script, after, desk, end, event, guards, run, runner,
};

fn straight() -> Script {
    Script::default().on("Ask", [ANSWERED]).on("Act", [ACTED])
}

fn circle() -> Script {
    Script::default().on("Ask", [ANSWERED]).on("Act", [AGAIN])
}

#[tokio::test]
async fn rounds_are_counted_before_the_step() {
    // Three steps, and a stop that needs none.
    let ended = run(runner(straight()).limits(Limits::new().rounds(3))).await;
    assert_eq!(end(&ended), "completed in `Done`");
    let ended = run(runner(straight()).limits(Limits::new().rounds(2))).await;
    assert_eq!(end(&ended), "limit: 2 of 2 rounds used, in `Acting`");
    // The command whose outcome could not be stepped was not started.
    assert_eq!(ended.handler.calls(), ["Ask"]);
    assert_eq!(ended.usage.rounds, 2);
    let ended = run(runner(straight()).limits(Limits::new().rounds(0))).await;
    assert_eq!(end(&ended), "limit: 0 of 0 rounds used, in `Idle`");
    assert_eq!(ended.usage.rounds, 0);
}

#[tokio::test]
async fn a_circle_ends_by_its_rounds() {
    let ended = run(runner(circle()).limits(Limits::new().rounds(1000))).await;
    assert_eq!(end(&ended), "limit: 1000 of 1000 rounds used, in `Acting`");
    assert_eq!(ended.usage.rounds, 1000);
}

#[tokio::test]
async fn ignored_external_events_count_as_rounds() {
    let mut runner = runner(straight()).limits(Limits::new().rounds(3));
    let handle = runner.handle();
    handle.send(event(&desk().space(), "Ping", "")).unwrap();
    let ended = run(runner).await;
    // Start, Ping, Answered: none left for Acted.
    assert_eq!(end(&ended), "limit: 3 of 3 rounds used, in `Acting`");
}

#[tokio::test(start_paused = true)]
async fn the_clock_interrupts_a_query() {
    let begun = Instant::now();
    let script = Script::default().on("Ask", [Reply::Hang]);
    let ended = run(runner(script).limits(Limits::new().clock(Duration::from_mins(1)))).await;
    assert_eq!(end(&ended), "limit: 60s of 60s used, in `Asking`");
    assert_eq!(begun.elapsed(), Duration::from_mins(1));
    assert_eq!(ended.handler.calls(), ["Ask", "Ask dropped"]);
}

#[tokio::test(start_paused = true)]
async fn the_clock_interrupts_a_command_and_says_so() {
    let script = Script::default()
        .on("Ask", [ANSWERED])
        .on("Act", [Reply::Hang]);
    let ended = run(runner(script).limits(Limits::new().clock(Duration::from_mins(1)))).await;
    assert_eq!(
        end(&ended),
        "limit: 60s of 60s used, in `Acting`; `Act` was dropped, what it did is unknown"
    );
}

#[tokio::test(start_paused = true)]
async fn the_clock_lets_what_is_ready_finish() {
    // The last outcome comes in the same instant in which the time is up.
    let script = Script::default()
        .on("Ask", [ANSWERED])
        .on("Act", [after(60, ACTED)]);
    let ended = run(runner(script).limits(Limits::new().clock(Duration::from_mins(1)))).await;
    assert_eq!(end(&ended), "completed in `Done`");
}

#[tokio::test(start_paused = true)]
async fn the_clock_runs_while_the_run_waits() {
    let mut runner = runner(Script::default()).limits(Limits::new().clock(Duration::from_mins(1)));
    let _handle = runner.handle();
    let start = event(&desk().space(), "Ping", "");
    let ended = runner.run(start).await.unwrap();
    assert_eq!(end(&ended), "limit: 60s of 60s used, in `Idle`");
}

#[tokio::test]
async fn the_clock_stops_handlers_that_are_always_ready() {
    let clock = Duration::from_millis(20);
    let ended = run(runner(circle()).limits(Limits::new().clock(clock))).await;
    assert!(end(&ended).starts_with("limit: "), "{}", end(&ended));
    assert!(ended.usage.rounds > 2);
}

#[tokio::test]
async fn handlers_that_are_always_ready_leave_room_for_others() {
    let mut runner = runner(circle()).limits(Limits::new().clock(Duration::from_hours(1)));
    let handle = runner.handle();
    // One thread: this is polled only if the run yields.
    let other = tokio::spawn(async move { handle.cancel() });
    let ended = run(runner).await;
    other.await.unwrap();
    assert!(end(&ended).starts_with("cancelled in"), "{}", end(&ended));
}

#[tokio::test]
async fn an_effect_starts_at_most_so_often() {
    let limits = |most| Limits::new().rounds(100).effect("Act", most);
    let ended = run(runner(circle()).limits(limits(3))).await;
    assert_eq!(
        end(&ended),
        "limit: 3 of 3 starts of `Act` used, in `Acting`"
    );
    assert_eq!(ended.usage.effects["Act"], 3);
    let ended = run(runner(straight()).limits(limits(1))).await;
    assert_eq!(end(&ended), "completed in `Done`");
    let ended = run(runner(straight()).limits(limits(0))).await;
    assert_eq!(
        end(&ended),
        "limit: 0 of 0 starts of `Act` used, in `Acting`"
    );
    assert_eq!(ended.handler.calls(), ["Ask"]);
}

/// Uses 10 tokens and 7 millionths a call.
struct Costly {
    script: Script,
    meter: Meter,
}

impl ValueHandler for Costly {
    async fn perform(&mut self, effect: EffectCall<'_>) -> Result<Option<NamedEvent>, Fault> {
        self.meter.add_tokens(10);
        self.meter.add_cost_micros(7);
        self.script.perform(effect).await
    }
}

async fn costly(script: Script, limits: Limits) -> (String, u64, u64) {
    let meter = Meter::new();
    let handler = Costly {
        script,
        meter: meter.clone(),
    };
    let start = event(&desk().space(), "Start", "tea");
    let ended = Runner::new(desk().space(), guards(), handler)
        .limits(limits.rounds(100))
        .meter(meter)
        .run(start)
        .await
        .unwrap();
    let usage = ended.usage;
    (
        ended.termination.to_string(),
        usage.tokens,
        usage.cost_micros,
    )
}

#[tokio::test]
async fn tokens_and_cost_end_the_run_before_the_next_effect() {
    let tokens = |most| costly(circle(), Limits::new().tokens(most));
    let said = |text: &str, tokens, cost| (text.to_owned(), tokens, cost);
    let spent = "limit: 30 of 30 tokens used, in `Acting`";
    assert_eq!(tokens(30).await, said(spent, 30, 21));
    let overspent = "limit: 30 of 29 tokens used, in `Acting`";
    assert_eq!(tokens(29).await, said(overspent, 30, 21));
    let spared = "limit: 40 of 31 tokens used, in `Asking`";
    assert_eq!(tokens(31).await, said(spared, 40, 28));
    let cost = costly(circle(), Limits::new().cost_micros(14)).await;
    let spent = "limit: 14 of 14 millionths of cost used, in `Asking`";
    assert_eq!(cost, said(spent, 20, 14));
}

#[tokio::test]
async fn what_has_been_paid_for_is_used() {
    // The second call spends the last token, its outcome completes the run, and the stop is run.
    let ended = costly(straight(), Limits::new().tokens(20)).await;
    assert_eq!(ended, ("completed in `Done`".to_owned(), 30, 21));
}

#[test]
fn a_meter_does_not_overflow() {
    let meter = Meter::new();
    meter.add_tokens(u64::MAX);
    meter.clone().add_tokens(1);
    assert_eq!(meter.tokens(), u64::MAX);
}

#[tokio::test]
async fn the_longest_times_are_no_limit() {
    let limits = Limits::new()
        .clock(Duration::MAX)
        .effect_time("Ask", Duration::MAX);
    let ended = run(runner(straight()).limits(limits)).await;
    assert_eq!(end(&ended), "completed in `Done`");
}
