//! How the gates' time grows with the size of a contract: doubling the states about doubles it.
//!
//! `cargo run --release -p space-core --features parse --example gates_scale`

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use space_core::contract::FileId;
use space_core::gates;
use space_core::graph::Model;
use space_core::parse::{parse_space_base, parse_space_domain};

#[allow(clippy::print_stdout)]
fn main() {
    println!(
        "{:>7} {:>7} {:>9} {:>9} {:>9}",
        "states", "rules", "parse ms", "gates ms", "KB text"
    );
    for states in [1_250, 2_500, 5_000, 10_000, 20_000] {
        let (base, domain) = contract(states);
        let mut best = [Duration::MAX; 2];
        let mut model: Option<Model> = None;
        for _ in 0..5 {
            let start = cpu();
            let parsed = (
                parse_space_base(&base, FileId(0)),
                parse_space_domain(&domain, FileId(1)),
            );
            best[0] = best[0].min(cpu().saturating_sub(start));
            let start = cpu();
            let checked = gates::check(&parsed.0.value, &parsed.1.value);
            best[1] = best[1].min(cpu().saturating_sub(start));
            model = black_box(checked).model;
        }
        let rules = model.map_or(0, |model| model.rules.len());
        let [parse, gates] = best.map(|time| time.as_secs_f64() * 1e3);
        let text = (base.len() + domain.len()) / 1024;
        println!("{states:>7} {rules:>7} {parse:>9.1} {gates:>9.1} {text:>9}");
    }
}

/// The time that this process has run: other processes are no matter. Zero where the system does
/// not say.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos = stat.split(' ').next().and_then(|text| text.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// A contract of `states` states with three rules each: on to the next state, the same again, and a
/// wildcard that ends the run. Every eighth of them has its own events, effect and slot; every second
/// rule reads a slot that the one before wrote.
fn contract(states: usize) -> (String, String) {
    let kinds = states / 8;
    let mut base = "[meta]\nname = \"large\"\n".to_owned();
    let mut domain = base.clone();
    for at in 0..states {
        let initial = if at == 0 { "is_initial = true\n" } else { "" };
        let _ = write!(base, "\n[[states]]\nname = \"S{at}\"\n{initial}");
    }
    for kind in 0..kinds {
        let _ = write!(
            base,
            "\n[[events]]\nname = \"Done{kind}\"\npayload = [\"x\"]\n\
             \n[[events]]\nname = \"Failed{kind}\"\npayload = [\"x\"]\n\
             \n[[effects]]\nname = \"Do{kind}\"\nargs = [\"x\"]\nsemantics = \"query\"\n\
             returns = [\"Done{kind}\", \"Failed{kind}\"]\nsentinel = \"Failed{kind}\"\n\
             \n[[ctx]]\nname = \"v{kind}\"\n"
        );
    }
    base.push_str(
        "\n[[states]]\nname = \"End\"\n\n[[events]]\nname = \"Cancel\"\nexternal = true\n",
    );
    for at in 0..states {
        let (kind, next) = (at % kinds, (at + 1) % kinds);
        let onward = if at + 1 == states {
            "to = \"End\"\n".to_owned()
        } else {
            let source = match at.checked_sub(1).filter(|_| at % 2 == 1) {
                Some(before) => {
                    let slot = before % kinds;
                    format!("args_from = [{{ arg = \"x\", slot = \"v{slot}\" }}]")
                }
                None => "args = [\"x\"]".to_owned(),
            };
            format!("to = \"S{}\"\neffect = \"Do{next}\"\n{source}\n", at + 1)
        };
        let _ = write!(
            domain,
            "\n[[transitions]]\nfrom = \"S{at}\"\non = \"Done{kind}\"\n{onward}\
             assign_from = [{{ slot = \"v{kind}\", from_field = \"x\" }}]\n\
             \n[[transitions]]\nfrom = \"S{at}\"\non = \"Failed{kind}\"\nto = \"S{at}\"\n\
             effect = \"Do{kind}\"\nargs = [\"x\"]\n"
        );
    }
    domain.push_str("\n[[transitions]]\nfrom = \"*\"\non = \"Cancel\"\nto = \"End\"\n");
    (base, domain)
}
