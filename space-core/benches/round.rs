//! What one round of a runner costs with a handler that is always ready.
//!
//! `cargo bench -p space-core --features runtime --bench round`. Times are of this machine and this
//! minute; the columns of instructions and allocations (with valgrind) are not.

#![expect(clippy::disallowed_methods, reason = "a benchmark measures")]
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints figures"
)]

mod ticker;

use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use space_core::contract::{
    Base, Domain, Effect, Event, FromStates, Meta, Semantics, Span, State, Transition,
};
use space_core::machine::{
    Dispatch, EffectCall, EffectSpace, Fault, GuardTable, NamedEvent, Space, Step, ValueHandler,
    Values,
};
use space_core::runtime::{EffectPolicy, Limits, Meter, Observer, Policy, Record, Runner};
use ticker::{Open, Tick, Ticker};

struct Always;

impl Tick for Always {
    async fn tick(&mut self, at: i64) -> Result<i64, Fault> {
        Ok(black_box(at) + 1)
    }
}

impl ValueHandler for Always {
    async fn perform(&mut self, _: EffectCall<'_>) -> Result<Option<NamedEvent>, Fault> {
        Ok(Some(NamedEvent {
            name: "Ticked".to_owned(),
            payload: Vec::new(),
        }))
    }
}

struct Count(u64);

impl<S: Space> Observer<S> for Count {
    fn record(&mut self, _: &S, record: &Record<'_, S>) {
        if let Record::Intent { sequence, .. } = record {
            self.0 += black_box(*sequence);
        }
    }
}

/// Every limit and check, none of them ever reached.
fn everything() -> Limits {
    Limits::new()
        .clock(Duration::from_hours(1))
        .tokens(u64::MAX)
        .cost_micros(u64::MAX)
        .effect("Tick", u64::MAX)
        .effect_time("Tick", Duration::from_hours(1))
}

/// The loop with nothing around it.
async fn bare(rounds: u64) {
    answered(rounds, async |effect| {
        Ticker.dispatch(&mut Always, &effect).await
    })
    .await;
}

/// The same with a handler behind `dyn`, as `async_trait` would make it.
async fn boxed(rounds: u64) {
    type Answer<'a> =
        Pin<Box<dyn Future<Output = Result<Option<ticker::Event>, Fault>> + Send + 'a>>;
    answered(rounds, async |effect| {
        let (mut handler, effect) = (Always, effect);
        let answer: Answer<'_> = Box::pin(Ticker.dispatch(&mut handler, &effect));
        black_box(answer).await
    })
    .await;
}

/// The same with a task a round.
async fn spawned(rounds: u64) {
    answered(rounds, async |effect| {
        let answer = async move { Ticker.dispatch(&mut Always, &effect).await };
        tokio::spawn(answer).await.unwrap()
    })
    .await;
}

async fn answered(
    rounds: u64,
    answer: impl AsyncFn(ticker::Effect) -> Result<Option<ticker::Event>, Fault>,
) {
    let (mut state, mut ctx) = (Ticker.initial(), Ticker.context());
    let mut event = ticker::Event::Start { from: 0 };
    for _ in 0..rounds {
        let Step::Handled {
            state: next,
            effect: Some(effect),
        } = Ticker.step(state, &mut ctx, event, &Open)
        else {
            return;
        };
        state = next;
        event = answer(effect).await.unwrap().unwrap();
    }
    black_box((state, ctx));
}

async fn rounds_only(rounds: u64) {
    let runner = Runner::new(Ticker, Arc::new(Open), Always).limits(Limits::new().rounds(rounds));
    let start = ticker::Event::Start { from: 0 };
    black_box(runner.run(start).await.unwrap().ctx);
}

async fn full(rounds: u64) {
    let policy = EffectPolicy {
        timeout: Some(Duration::from_mins(1)),
        retries: 3,
        ..EffectPolicy::default()
    };
    let mut runner = Runner::new(Ticker, Arc::new(Open), Always)
        .limits(everything().rounds(rounds))
        .policy(Policy::new().effect("Tick", policy))
        .meter(Meter::new())
        .observe(Count(0));
    let handle = runner.handle();
    let start = ticker::Event::Start { from: 0 };
    let ended = runner.run(start).await.unwrap();
    assert_eq!(ended.usage.rounds, rounds);
    black_box((ended.ctx, ended.observer.0));
    drop(handle);
}

async fn interpreted(rounds: u64) {
    let space = interpreted_space();
    let start: Values = space.event("Start", []).unwrap();
    let mut runner = Runner::new(space, Arc::new(GuardTable::default()), Always)
        .limits(everything().rounds(rounds))
        .observe(Count(0));
    let handle = runner.handle();
    let ended = runner.run(start).await.unwrap();
    assert_eq!(ended.usage.rounds, rounds);
    drop(handle);
}

fn interpreted_space() -> EffectSpace {
    let meta = Meta {
        name: "ticker".into(),
        ..Meta::default()
    };
    let state = |name: &str| State {
        name: name.into(),
        is_initial: (name == "Idle").then(|| true.into()),
        ..State::default()
    };
    let event = |name: &str, external: bool| Event {
        name: name.into(),
        external: Some(external.into()),
        ..Event::default()
    };
    let rule = |from: &str, on: &str, to: &str, effect: Option<&str>| Transition {
        from: FromStates::States(vec![from.into()]).into(),
        on: on.into(),
        to: to.into(),
        guard: None,
        effect: effect.map(Into::into),
        args: Vec::new(),
        args_from: Vec::new(),
        assign: Vec::new(),
        assign_from: Vec::new(),
        doc: None,
        span: Span::default(),
    };
    let base = Base {
        meta: meta.clone(),
        states: ["Idle", "Ticking", "Halted"].map(state).into(),
        events: vec![
            event("Start", false),
            event("Ticked", false),
            event("Halt", true),
        ],
        effects: vec![Effect {
            name: "Tick".into(),
            doc: None,
            args: Vec::new(),
            semantics: Some(Semantics::Query).into(),
            returns: Some(vec!["Ticked".into()].into()),
            sentinel: None,
        }],
        ..Base::default()
    };
    let domain = Domain {
        meta,
        transitions: vec![
            rule("Idle", "Start", "Ticking", Some("Tick")),
            rule("Idle", "Halt", "Halted", None),
            rule("Ticking", "Ticked", "Ticking", Some("Tick")),
            rule("Ticking", "Halt", "Halted", None),
        ],
        ..Domain::default()
    };
    EffectSpace::from_contract(&base, &domain, &[]).unwrap()
}

const NAMES: [&str; 6] = [
    "bare",
    "boxed",
    "spawned",
    "rounds-only",
    "full",
    "interpreted",
];

fn play(name: &str, rounds: u64) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    match name {
        "bare" => runtime.block_on(bare(rounds)),
        "boxed" => runtime.block_on(boxed(rounds)),
        "spawned" => runtime.block_on(spawned(rounds)),
        "rounds-only" => runtime.block_on(rounds_only(rounds)),
        "full" => runtime.block_on(full(rounds)),
        _ => runtime.block_on(interpreted(rounds)),
    }
}

const CALLGRIND: [&str; 2] = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];

/// What valgrind counts in one round: the difference of two runs, so that start-up does not count.
fn counted(tool: &[&str], marker: &str, name: &str) -> Option<f64> {
    let count = |rounds: u64| -> Option<f64> {
        let output = Command::new("valgrind")
            .args(tool)
            .arg(std::env::current_exe().ok()?)
            .args([name, &rounds.to_string()])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = text.lines().find(|line| line.contains(marker))?;
        let (_, rest) = line.split_once(marker)?;
        let digits: String = rest
            .trim_start()
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == ',')
            .filter(char::is_ascii_digit)
            .collect();
        digits.parse().ok()
    };
    Some((count(30_000)? - count(10_000)?) / 20_000.0)
}

fn main() {
    let args: Vec<_> = std::env::args().skip(1).collect();
    if let [name, rounds] = &args[..]
        && let Ok(rounds) = rounds.parse()
    {
        return play(name, rounds);
    }
    // Interleaved, so that a busy machine is busy for all of them.
    let rounds: u32 = 300_000;
    let mut times = [const { Vec::new() }; NAMES.len()];
    for _ in 0..9 {
        for (name, times) in NAMES.iter().zip(&mut times) {
            let begun = Instant::now();
            play(name, rounds.into());
            times.push(begun.elapsed() / (rounds / 1000));
        }
    }
    println!(
        "{:12} {:>9} {:>13} {:>13}",
        "", "ns/round", "instr/round", "allocs/round"
    );
    for (name, times) in NAMES.iter().zip(&times) {
        // The fastest: whatever else the machine does only adds. Of a thousand rounds.
        let fastest = times.iter().min().map_or(0, Duration::as_nanos);
        let whole = fastest / 1000;
        let tenths = fastest / 100 % 10;
        let time = format!("{whole}.{tenths}");
        let shown =
            |count: Option<f64>| count.map_or("-".to_owned(), |count| format!("{count:.1}"));
        let instructions = counted(&CALLGRIND, "Collected :", name);
        let allocations = counted(&["--tool=memcheck"], "total heap usage:", name);
        println!(
            "{name:12} {time:>9} {:>13} {:>13}",
            shown(instructions),
            shown(allocations)
        );
    }
}
