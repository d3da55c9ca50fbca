//! Explores the ring families of COMPARE.md: `explore [M6|M7|M8] [dense|hashed|symbolic] [threads]`.
#![allow(clippy::print_stdout, clippy::cast_precision_loss)]

use std::time::Instant;

use space_core::explore::{Engine, Limits, explore_with};

#[path = "../tests/common/nets.rs"]
mod nets;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|one| one == word);
    let threads = words.iter().find_map(|word| word.parse().ok());
    let limits = Limits {
        threads: threads.unwrap_or(Limits::default().threads),
        memory: 6 << 30,
        ..Limits::default()
    };
    let families = [
        ("M6", (6, 12, 5, 3)),
        ("M7", (8, 9, 4, 4)),
        ("M8", (8, 12, 5, 4)),
    ];
    let engines = [
        ("dense", Engine::Dense),
        ("hashed", Engine::Hashed),
        ("symbolic", Engine::Symbolic),
    ];
    for (name, (k, n, h, t)) in families {
        for (how, engine) in engines {
            let all_engines = !engines.iter().any(|(how, _)| has(how));
            let all_families = !families.iter().any(|(name, _)| has(name));
            if !(has(name) || all_families) || !(has(how) || all_engines) {
                continue;
            }
            let net = nets::ring(k, n, h, t);
            let start = Instant::now();
            let found = explore_with(engine, &net, &limits, &mut |_| {});
            let seconds = start.elapsed().as_secs_f64();
            let Ok(Some(report)) = found else {
                println!("{name} {how}: does not fit");
                continue;
            };
            let states = report.states.to_f64();
            let right = report.states.to_string() == nets::ring_states(k, n, h, t).to_string();
            println!(
                "{name} {how} x{}: {} states{}, {} transitions, depth {}, {:.1} % pruned, \
                 {seconds:.3} s, {:.1} M states/s, {:.2} B/state",
                limits.threads,
                report.states,
                if right { "" } else { " (WRONG)" },
                report.transitions.clone().unwrap_or_default(),
                report.depth.unwrap_or(0),
                100.0 * report.pruned(),
                states / seconds / 1e6,
                report.bytes as f64 / states,
            );
        }
    }
}
