//! What parse, gates and emitter cost as a contract grows: doubling the states about doubles it.
//!
//! `cargo bench -p space-bench --bench scale`. Every size is a process of its own; CPU time is that
//! process's, so that others are no matter.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints figures"
)]

use std::hint::black_box;
use std::process::Command;

use space_bench::large::contract;
use space_bench::measure::{cpu, peak_megabytes};
use space_core::contract::FileId;
use space_core::emit::{Settings, module};
use space_core::gates;
use space_core::parse::{parse_space_base, parse_space_domain};

const SIZES: [usize; 5] = [1_250, 2_500, 5_000, 10_000, 20_000];
const ROUNDS: usize = 5;

/// CPU milliseconds of one pass: parse, gates with the resolved model, emitter. Then megabytes.
fn once(states: usize) -> [f64; 4] {
    let (base, domain) = contract(states);
    let start = cpu();
    let base = parse_space_base(&base, FileId(0));
    let domain = parse_space_domain(&domain, FileId(1));
    let parsed = cpu();
    let model = gates::check(&base.value, &domain.value).model.unwrap();
    let checked = cpu();
    let tokens = module(&model, &Settings::default());
    let emitted = cpu();
    black_box(tokens);
    [
        parsed.saturating_sub(start).as_secs_f64() * 1e3,
        checked.saturating_sub(parsed).as_secs_f64() * 1e3,
        emitted.saturating_sub(checked).as_secs_f64() * 1e3,
        peak_megabytes(),
    ]
}

/// The least of some runs, each in a process of its own.
fn measured(states: usize, best: &mut [f64; 4]) {
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this).arg(states.to_string()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for (figure, best) in text.split_whitespace().zip(best) {
        *best = best.min(figure.parse().unwrap());
    }
}

fn main() {
    let mut args = std::env::args().filter_map(|arg| arg.parse().ok());
    if let Some(states) = args.next() {
        let [parse, gates, emit, memory] = once(states);
        println!("{parse} {gates} {emit} {memory}");
        return;
    }
    let mut best = [[f64::MAX; 4]; SIZES.len()];
    for _ in 0..ROUNDS {
        for (states, best) in SIZES.iter().zip(&mut best) {
            measured(*states, best);
        }
    }
    println!(
        "{:>7} {:>7} {:>10} {:>9} {:>9} {:>9} {:>7} {:>8}",
        "states", "rules", "parse ms", "gates ms", "emit ms", "CPU ms", "factor", "peak MB"
    );
    let mut before = None;
    for (states, [parse, gates, emit, memory]) in SIZES.iter().zip(best) {
        let all = parse + gates + emit;
        let factor = before.map_or_else(|| "-".to_owned(), |one: f64| format!("{:.2}", all / one));
        println!(
            "{states:>7} {:>7} {parse:>10.1} {gates:>9.1} {emit:>9.1} {all:>9.1} {factor:>7} {memory:>8.1}",
            states * 3
        );
        before = Some(all);
    }
}
