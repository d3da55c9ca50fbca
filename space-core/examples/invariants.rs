//! Judges every pattern on machines of N states and 3 N rules, and prints the time for each N.

#![expect(clippy::disallowed_methods, reason = "an example measures")]
#![allow(clippy::print_stdout)]

use std::fmt::Write;
use std::time::Instant;

use space_core::explore::{Judge, Verdict};

#[path = "../tests/common/mod.rs"]
mod common;

/// A line of states with a branch, a way back and a way out in each; `last` ends it.
fn machine(states: usize) -> String {
    let mut text = String::from("external quit\neffect Halt stop\n");
    for at in 0..states {
        writeln!(text, "effect E{at} query = on{at} back{at}").unwrap_or_default();
    }
    for at in 0..states {
        let next = (at + 1) % states;
        let back = at / 2;
        writeln!(text, "S{at} on{at} S{next} / E{next}").unwrap_or_default();
        writeln!(text, "S{at} back{at} S{back} / E{back}").unwrap_or_default();
        writeln!(text, "S{at} quit End / Halt").unwrap_or_default();
    }
    text
}

fn main() {
    let limits = [1_000, 2_500, 5_000, 10_000];
    for states in limits {
        let model = common::machine(&machine(states));
        let last = states - 1;
        let patterns = [
            "absence of event:on0 after event:quit".to_owned(),
            format!("absence of state:S{last} after event:quit until state:S1"),
            "existence of state:End".to_owned(),
            format!("existence of state:S{last} event:quit"),
            format!(
                "precedence first event:on{} then state:S{last} reset event:back3",
                last - 1
            ),
            format!("precedence first event:back{last} then state:S{last}"),
            "response after event:on0 must event:quit".to_owned(),
            format!("response after event:on0 must state:S{last}"),
            "bounded of event:quit at_most 1".to_owned(),
            format!("bounded of state:S{last} at_most 3"),
            "reachable point state:End".to_owned(),
            format!("reachable point state:S{last}"),
        ];
        let patterns: Vec<_> = patterns.iter().map(|text| common::pattern(text)).collect();
        let start = Instant::now();
        let judge = Judge::new(&model, &[]);
        let verdicts: Vec<_> = patterns.iter().map(|one| judge.verdict(one)).collect();
        let time = start.elapsed();
        let holds = verdicts
            .iter()
            .filter(|one| **one == Verdict::Holds)
            .count();
        let longest = verdicts.iter().map(|one| match one {
            Verdict::Violated(found) => found.run.len(),
            _ => 0,
        });
        println!(
            "{states} states, {} rules, {} invariants ({holds} hold, longest counterexample {}): \
             {:.1} ms",
            model.rules.len(),
            patterns.len(),
            longest.max().unwrap_or(0),
            time.as_secs_f64() * 1e3,
        );
    }
}
