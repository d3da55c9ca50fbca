//! What invariants add to what a build does with a contract: parse, gates, emitter.

use std::fmt::Write as _;
use std::hint::black_box;
use std::process::Command;
use std::time::Duration;

use space_bench::large::contract;
use space_bench::measure::{cpu, peak_megabytes};
use space_core::contract::FileId;
use space_core::diagnostic::{Code, Diagnostic};
use space_core::emit::{Settings, module};
use space_core::gates;
use space_core::parse::{parse_space_base, parse_space_domain};

const AGENT: [&str; 2] = [
    include_str!("../../../domain/agent_base.toml"),
    include_str!("../../../domain/agent_domain.toml"),
];
const CONTRACTS: [&str; 4] = ["agent", "1250", "5000", "10000"];
const ROUNDS: usize = 3;

/// Twelve promises of a [`contract`] that hold, each of which looks at all of it.
fn promises(states: usize) -> Vec<String> {
    let (last, before) = (states - 1, states - 2);
    vec![
        "absence = { of = \"event:Done0\", after = \"event:Cancel\" }".to_owned(),
        "absence = { of = \"state:S0\", after = \"state:S1\" }".to_owned(),
        format!("absence = {{ of = \"state:S{last}\", until = \"state:S{before}\" }}"),
        "existence = { of = \"state:End\" }".to_owned(),
        format!("existence = {{ of = [\"event:Cancel\", \"state:S{last}\"] }}"),
        "precedence = { first = \"event:Done0\", then = \"state:S1\" }".to_owned(),
        format!("precedence = {{ first = \"state:S{before}\", then = \"state:S{last}\" }}"),
        "response = { after = \"event:Cancel\", must = \"state:End\" }".to_owned(),
        "response = { after = \"state:S1\", must = \"state:End\" }".to_owned(),
        "bounded_existence = { of = \"event:Cancel\", at_most = 1 }".to_owned(),
        format!(
            "bounded_existence = {{ of = \"event:Done{}\", at_most = 8 }}",
            states / 8 - 1
        ),
        "reachable = { point = \"state:End\" }".to_owned(),
    ]
}

/// A contract with its invariants, or without. The agent's are at the end of its file.
fn text(which: &str, with: bool) -> (String, String) {
    let Ok(states) = which.parse() else {
        let [base, domain] = AGENT;
        let end = domain.find("[[invariants]]").filter(|_| !with);
        return (
            base.to_owned(),
            domain[..end.unwrap_or(domain.len())].to_owned(),
        );
    };
    let (base, mut domain) = contract(states);
    for (at, promise) in promises(states).iter().enumerate().filter(|_| with) {
        let _ = write!(domain, "\n[[invariants]]\nname = \"p{at}\"\n{promise}\n");
    }
    (base, domain)
}

/// Prints invariants, CPU milliseconds of the gates and of all, and megabytes.
pub(crate) fn once(which: &str, with: bool) {
    let (base, domain) = text(which, with);
    // The system counts CPU time too coarsely for one pass of a small contract.
    let passes = if which == "agent" { 100 } else { 1 };
    let start = cpu();
    for _ in 0..passes {
        black_box(emitted(&base, &domain));
    }
    let all = cpu().saturating_sub(start);
    let base = parse_space_base(&base, FileId(0)).value;
    let domain = parse_space_domain(&domain, FileId(1)).value;
    let start = cpu();
    for _ in 0..passes {
        black_box(gates::check(&base, &domain));
    }
    let gates = cpu().saturating_sub(start);
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(passes);
    println!(
        "{} {} {} {}",
        domain.invariants.len(),
        milliseconds(gates),
        milliseconds(all),
        peak_megabytes()
    );
}

/// What a build makes of a contract, all of whose promises hold.
fn emitted(base: &str, domain: &str) -> impl Sized {
    let base = parse_space_base(base, FileId(0));
    let domain = parse_space_domain(domain, FileId(1));
    let checked = gates::check(&base.value, &domain.value);
    let holds = |one: &Diagnostic| one.code < Code::VIOLATED;
    assert!(
        checked.diagnostics.iter().all(holds),
        "{:?}",
        checked.diagnostics
    );
    module(&checked.model.unwrap(), &Settings::default())
}

pub(crate) fn table() {
    let mut best = [[[f64::MAX; 4]; 2]; CONTRACTS.len()];
    for _ in 0..ROUNDS {
        for (which, best) in CONTRACTS.iter().zip(&mut best) {
            for (with, best) in ["without", "with"].iter().zip(best) {
                let this = std::env::current_exe().unwrap();
                let args = ["invariants", which, with];
                let output = Command::new(this).args(args).output().unwrap();
                assert!(output.status.success(), "{output:?}");
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                for (figure, best) in text.split_whitespace().zip(best) {
                    *best = best.min(figure.parse().unwrap());
                }
            }
        }
    }
    println!("\nWhat invariants add to parse, gates and emitter, CPU milliseconds");
    println!(
        "{:<14} {:>10} {:>9} {:>9} {:>9} {:>9} {:>7} {:>8}",
        "contract", "invariants", "gates", "with", "all", "with", "adds", "peak MB"
    );
    for (which, [without, with]) in CONTRACTS.iter().zip(best) {
        let name = match which.parse::<usize>() {
            Ok(states) => format!("{states} states"),
            Err(_) => (*which).to_owned(),
        };
        println!(
            "{name:<14} {:>10} {:>9.2} {:>9.2} {:>9.2} {:>9.2} {:>6.0}% {:>8.1}",
            with[0],
            without[1],
            with[1],
            without[2],
            with[2],
            (with[2] / without[2] - 1.0) * 100.0,
            with[3]
        );
    }
}
