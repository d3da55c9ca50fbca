//! Explores the ring families of COMPARE.md and prints states/s and bytes/state:
//! `explore [M6|M7|M8|…] [dense|hashed|symbolic] [threads]`; without words, what is not too large
//! for each engine.

#![expect(clippy::disallowed_methods, reason = "an example measures")]
#![allow(clippy::print_stdout, clippy::cast_precision_loss)]

use std::time::Instant;

use space_core::explore::{Engine, Limits, Natural, explore_with};

#[path = "../tests/common/nets.rs"]
mod nets;

/// Components, states of each, `h`, `t`.
type Ring = (usize, usize, usize, usize);

const FAMILIES: [(&str, Ring); 8] = [
    ("M6", (6, 12, 5, 3)),
    ("M7", (8, 9, 4, 4)),
    ("M8", (8, 12, 5, 4)),
    ("20x10", (20, 10, 4, 10)),
    ("40x10", (40, 10, 4, 20)),
    ("100x10", (100, 10, 4, 50)),
    ("200x10", (200, 10, 4, 100)),
    ("1000x3", (1000, 3, 0, 500)),
];

const ENGINES: [(&str, Engine); 3] = [
    ("dense", Engine::Dense),
    ("hashed", Engine::Hashed),
    ("symbolic", Engine::Symbolic),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|one| one == word);
    let threads = words.iter().find_map(|word| word.parse().ok());
    let limits = Limits {
        threads: threads.unwrap_or(Limits::default().threads),
        memory: 6 << 30,
        ..Limits::default()
    };
    let any_family = !FAMILIES.iter().any(|(name, _)| has(name));
    let any_engine = !ENGINES.iter().any(|(name, _)| has(name));
    for (name, (k, n, h, t)) in FAMILIES {
        for (how, engine) in ENGINES {
            let small = engine == Engine::Symbolic || k < 10;
            if !(has(name) || any_family && small) || !(has(how) || any_engine && small) {
                continue;
            }
            let mut net = nets::ring(k, n, h, t);
            if has("shuffled") {
                net = nets::shuffled(&net, 7);
            }
            let start = Instant::now();
            let found = explore_with(engine, &net, &limits, &mut |_| {});
            let seconds = start.elapsed().as_secs_f64();
            let Ok(Some(report)) = found else {
                println!("{name} {how}: does not fit");
                continue;
            };
            let states = report.states.to_f64();
            let right = match nets::ring_states(k, n, h, t) {
                Some(expected) => report.states.to_string() == expected.to_string(),
                None => true,
            };
            println!(
                "{name} {how} x{}: {states:.3e} states{}, {:.3e} transitions, depth {}, {seconds:.4} s, \
                 {:.1} M states/s, {:.2} B/state, {} bytes",
                limits.threads,
                if right { "" } else { " (WRONG)" },
                report.transitions.as_ref().map_or(0.0, Natural::to_f64),
                report
                    .depth
                    .map_or("unknown".to_owned(), |depth| depth.to_string()),
                states / seconds / 1e6,
                report.bytes as f64 / states,
                report.bytes,
            );
        }
    }
}
