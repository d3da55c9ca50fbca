//! What 10,000 runs take that all wait.
//!
//! `cargo bench -p space-core --features runtime --bench idle`.

#![expect(clippy::disallowed_methods, reason = "a benchmark measures")]
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints figures"
)]

mod ticker;

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use space_core::machine::Fault;
use space_core::runtime::{EffectPolicy, Limits, Policy, Runner};
use ticker::{Event, Open, Tick, Ticker, TickerGuards};

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

fn measure(name: &str, clock: Option<Duration>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let guards: Arc<dyn TickerGuards> = Arc::new(Open);
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
            let run = runner.run(Event::Start { from: 0 });
            size = std::mem::size_of_val(&run);
            tasks.push(tokio::spawn(run));
        }
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        let used = resident() - before;
        println!(
            "{name:20} {:>6} bytes/run, of which the future {size}",
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
    let hour = Some(Duration::from_hours(1));
    let args: Vec<_> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("free") => measure("no time limits", None),
        Some("timed") => measure("clock and time-out", hour),
        _ => {
            println!("{RUNS} runs with an effect in flight, each a task with a handle");
            // Each in a process of its own, whose memory nobody has used before.
            for case in ["free", "timed"] {
                let this = std::env::current_exe().unwrap();
                let status = std::process::Command::new(this).arg(case).status();
                assert!(status.unwrap().success());
            }
        }
    }
}
