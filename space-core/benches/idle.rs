//! What 10,000 runs cost that all wait for an outcome, or for the outside.
//!
//! `cargo bench -p space-core --features runtime --bench idle`.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints figures"
)]

#[path = "ticker.rs"]
mod ticker;

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use space_core::machine::Fault;
use space_core::runtime::{EffectPolicy, Limits, Policy, Runner};
use ticker::{Event, Tick, Ticker};

const RUNS: u64 = 10_000;

struct Never;

impl Tick for Never {
    async fn tick(&mut self, _: i64) -> Result<i64, Fault> {
        pending().await
    }
}

/// Bytes of this process that are in memory.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kilobytes.parse::<u64>().unwrap() * 1024
}

fn measure(name: &str, clock: Option<Duration>, start: impl Fn() -> Event) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let guards = Arc::new(());
    runtime.block_on(async {
        let mut tasks = Vec::with_capacity(usize::try_from(RUNS).unwrap());
        let mut handles = Vec::with_capacity(usize::try_from(RUNS).unwrap());
        let before = resident();
        let mut size = 0;
        for _ in 0..RUNS {
            let mut limits = Limits::new().rounds(100);
            if let Some(clock) = clock {
                limits = limits.clock(clock);
            }
            let policy = EffectPolicy {
                timeout: clock,
                ..EffectPolicy::default()
            };
            let mut runner = Runner::new(Ticker, Arc::clone(&guards), Never)
                .limits(limits)
                .policy(Policy::new().effect("Tick", policy));
            handles.push(runner.handle());
            let run = runner.run(start());
            size = std::mem::size_of_val(&run);
            tasks.push(tokio::spawn(run));
        }
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        let used = resident() - before;
        println!(
            "{name:32} {:>6} bytes/run, of which the future {size}",
            used / RUNS
        );
        for handle in &handles {
            handle.suspend();
        }
        for task in tasks {
            assert!(task.await.unwrap().unwrap().termination.is_resumable());
        }
    });
}

fn main() {
    println!("{RUNS} idle runs, each a task with a handle");
    let hour = Some(Duration::from_hours(1));
    let flying = || Event::Start { from: 0 };
    measure("in flight, no time limits", None, flying);
    measure("in flight, clock and time-out", hour, flying);
}
