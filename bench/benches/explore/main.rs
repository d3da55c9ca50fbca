//! What exploring a product costs, beside stateright and SPIN, and what invariants cost.
//!
//! `cargo bench -p space-bench --bench explore`. Every figure is of a process of its own, for its
//! peak memory; the cases of one size take turns, and the fastest run of each counts. The peers
//! take minutes and more than 10 GB for the largest size: `-- all` runs them there, too. SPIN is
//! asked where there is a `spin` and a C compiler.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a program that prints figures"
)]

mod invariants;
mod peer_spin;
mod peer_stateright;

#[path = "../../../space-core/tests/common/nets.rs"]
mod nets;

use std::process::Command;
use std::time::Instant;

use space_bench::measure::peak_megabytes;
use space_core::explore::{Engine, Limits, explore_with};

/// A ring: components, states of each, `h`, and how many start above it.
#[derive(Clone, Copy)]
struct Ring {
    k: usize,
    n: usize,
    h: usize,
    t: usize,
}

impl Ring {
    const fn new(k: usize, n: usize, h: usize, t: usize) -> Self {
        Self { k, n, h, t }
    }

    fn states(self) -> f64 {
        nets::ring_states(self.k, self.n, self.h, self.t).map_or(f64::INFINITY, |all| all as f64)
    }
}

/// 0.93, 11.2 and 117.6 million reachable states.
const SIZES: [Ring; 3] = [
    Ring::new(6, 12, 5, 3),
    Ring::new(8, 9, 4, 4),
    Ring::new(8, 12, 5, 4),
];

/// Rings beyond memory.
const BEYOND: [Ring; 3] = [
    Ring::new(20, 10, 4, 10),
    Ring::new(40, 10, 4, 20),
    Ring::new(200, 10, 4, 100),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    Space(Engine, usize),
    Stateright,
    Spin,
}

const TOOLS: [(&str, Tool); 6] = [
    ("space, bit set, 1 thread", Tool::Space(Engine::Dense, 1)),
    ("space, bit set, 2 threads", Tool::Space(Engine::Dense, 2)),
    ("space, hash set", Tool::Space(Engine::Hashed, 1)),
    ("space, decision diagram", Tool::Space(Engine::Symbolic, 1)),
    ("stateright 0.31, 2 threads", Tool::Stateright),
    ("SPIN, breadth first", Tool::Spin),
];

impl Tool {
    fn is_peer(self) -> bool {
        !matches!(self, Self::Space(..))
    }

    /// States, seconds and megabytes of one exploration in this process or a child of it.
    fn explore(self, ring: Ring) -> Option<[f64; 3]> {
        let (engine, threads) = match self {
            Self::Stateright => return Some(peer_stateright::explore(ring)),
            Self::Spin => return peer_spin::explore(ring),
            Self::Space(engine, threads) => (engine, threads),
        };
        let net = nets::ring(ring.k, ring.n, ring.h, ring.t);
        let limits = Limits {
            threads,
            memory: 8 << 30,
            ..Limits::default()
        };
        let start = Instant::now();
        let report = explore_with(engine, &net, &limits, &mut |_| {}).ok()??;
        let seconds = start.elapsed().as_secs_f64();
        assert!(report.bound.is_none(), "a bound was reached");
        Some([report.states.to_f64(), seconds, peak_megabytes()])
    }
}

/// One exploration in a process of its own.
fn measured(size: usize, tool: usize) -> Option<[f64; 3]> {
    let this = std::env::current_exe().unwrap();
    let args = ["one".to_owned(), size.to_string(), tool.to_string()];
    let output = Command::new(this).args(args).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut figures = text.split_whitespace().map(|word| word.parse().unwrap());
    Some([figures.next()?, figures.next()?, figures.next()?])
}

/// Runs of each tool: fewer of those that take long.
const ROUNDS: [usize; 3] = [3, 1, 1];

/// Seconds and megabytes of the fastest run of each tool that ran.
fn table(size: usize, all: bool) {
    let ring = SIZES[size];
    let runs = |tool: Tool| all || size < 2 || !tool.is_peer();
    let mut best: [Option<[f64; 2]>; TOOLS.len()] = [None; TOOLS.len()];
    for _ in 0..ROUNDS[size] {
        for (at, (name, tool)) in TOOLS.iter().enumerate() {
            if !runs(*tool) {
                continue;
            }
            let Some([states, seconds, megabytes]) = measured(size, at) else {
                continue;
            };
            // Diagrams count in floating point here.
            let right = (states / ring.states() - 1.0).abs() < 1e-9;
            assert!(right, "{name}: {states} states of {}", ring.states());
            let is_better = |[before, _]: &[f64; 2]| seconds < *before;
            if best[at].as_ref().is_none_or(is_better) {
                best[at] = Some([seconds, megabytes]);
            }
        }
    }
    println!(
        "\n{:.0} reachable states: {} machines of {} states",
        ring.states(),
        ring.k,
        ring.n
    );
    println!(
        "{:<28} {:>10} {:>12} {:>9} {:>10}",
        "", "seconds", "M states/s", "peak MB", "B a state"
    );
    let peers = TOOLS
        .iter()
        .zip(best)
        .filter(|((_, tool), _)| tool.is_peer());
    let peer = peers
        .filter_map(|(_, best)| best)
        .map(|[seconds, _]| seconds)
        .reduce(f64::min);
    for ((name, tool), best) in TOOLS.iter().zip(best) {
        match best {
            Some([seconds, megabytes]) => {
                let rate = ring.states() / seconds / 1e6;
                let bytes = megabytes * 1024.0 * 1024.0 / ring.states();
                let ratio = peer
                    .filter(|_| !tool.is_peer())
                    .map(|peer| format!("  {:.0} x the faster peer", peer / seconds));
                println!(
                    "{name:<28} {seconds:>10.4} {rate:>12.2} {megabytes:>9.0} {bytes:>10.2}{}",
                    ratio.unwrap_or_default()
                );
            }
            None if !runs(*tool) => println!("{name:<28} not run at this size: `-- all`"),
            None => println!("{name:<28} not run: apt-get install spin gcc"),
        }
    }
}

fn beyond() {
    println!("\nBeyond memory, decision diagram");
    for ring in BEYOND {
        let tool = Tool::Space(Engine::Symbolic, 1);
        let runs = (0..5).filter_map(|_| tool.explore(ring));
        let [states, seconds, _] = runs.reduce(|a, b| if b[1] < a[1] { b } else { a }).unwrap();
        println!(
            "{:>4} machines of {} states: {states:.2e} states in {:.2} ms",
            ring.k,
            ring.n,
            seconds * 1e3
        );
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["one", size, tool] => {
            let (size, tool): (usize, usize) = (size.parse().unwrap(), tool.parse().unwrap());
            if let Some([states, seconds, megabytes]) = TOOLS[tool].1.explore(SIZES[size]) {
                println!("{states} {seconds} {megabytes}");
            }
        }
        ["invariants", which, with] => invariants::once(which, *with == "with"),
        words => {
            for size in 0..SIZES.len() {
                table(size, words.contains(&"all"));
            }
            beyond();
            invariants::table();
        }
    }
}
