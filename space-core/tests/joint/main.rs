//! The checker of compositions against brute force: every run of bounded length of random small
//! compositions, made by the machine that runs them, judged by the definitions of the patterns.
//!
//! `SPACE_ORACLE=n` looks at n compositions instead of the usual number.

#![expect(
    clippy::disallowed_methods,
    reason = "the number of cases is the environment's to say"
)]
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "a test that stops is a test that fails")]

#[path = "../common/mod.rs"]
mod common;
mod random;
mod runs;

use std::sync::Arc;

use common::pattern;
use random::{Dice, random_composition, random_pattern};
use runs::{Machine, component};
use space_core::contract::Pattern;
use space_core::explore::observer::positions;
use space_core::explore::{JointJudge, Judged, Vacuity, Verdict};
use space_core::graph::PointRow;

const COMPOSITIONS: u64 = 2_000;

#[test]
fn brute_force_agrees() {
    let compositions = std::env::var("SPACE_ORACLE")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(COMPOSITIONS);
    let mut seen = Seen::default();
    for seed in 0..compositions {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (composed, text) = random_composition(&mut dice);
        let composed = Arc::new(composed);
        let machine = Machine::new(Arc::clone(&composed));
        let runs = machine.runs();
        let mut judge = JointJudge::new(Arc::clone(&composed));
        let mut beyond = JointJudge::looking_at(2, Arc::clone(&composed));
        for _ in 0..5 {
            let what = random_pattern(&mut dice, composed.components.len());
            let pattern = pattern(&what);
            let points: Vec<_> = positions(&pattern)
                .into_iter()
                .flat_map(|(points, role)| points.iter().map(move |point| (point, role)))
                .map(|(point, role)| {
                    let at = component(&composed, point);
                    let row = PointRow::of(&composed.components[at].model, point).unwrap();
                    (at, row, role)
                })
                .collect();
            let Judged::Known(verdict, joint) = judge.judge(&pattern, &points) else {
                panic!("seed {seed}: undecided\n{text}\n{what}");
            };
            let depth = runs.last().unwrap().steps.len();
            let broken = runs.iter().find(|run| machine.breaks(run, &pattern));
            let shortest = broken.map(|run| run.steps.len());
            let complaint = || {
                let run = match &verdict {
                    Verdict::Violated(found) => joint.words(&found.run),
                    _ => Vec::new(),
                };
                format!(
                    "seed {seed}, to depth {depth}\n{text}\n{what}\nchecker: {verdict:?} {run:?}\noracle: {:?}",
                    broken.map(|run| &run.steps)
                )
            };
            match &verdict {
                Verdict::Violated(found) => {
                    assert!(found.shortest, "{}", complaint());
                    let expected = (found.run.len() <= depth).then_some(found.run.len());
                    assert_eq!(shortest, expected, "{}", complaint());
                    let replayed = machine.replay(&joint, &found.run);
                    let replayed = replayed.unwrap_or_else(|| panic!("no run: {}", complaint()));
                    assert!(machine.breaks(&replayed, &pattern), "{}", complaint());
                    seen.violated += 1;
                    seen.beyond += u64::from(expected.is_none());
                    seen.long += u64::from(found.run.len() > 2);
                    seen.parts +=
                        u64::from(joint.composed().components.len() < composed.components.len());
                }
                Verdict::Holds => {
                    assert_eq!(shortest, None, "{}", complaint());
                    seen.holds += 1;
                }
                Verdict::Vacuous(_) => {
                    assert_eq!(shortest, None, "{}", complaint());
                    seen.vacuous += 1;
                }
                _ => panic!("{}", complaint()),
            }
            let begins = !matches!(
                pattern,
                Pattern::Existence { .. } | Pattern::Response { .. } | Pattern::Reachable { .. }
            );
            if !begins {
                continue;
            }
            // The same by decision diagrams, which are asked where little is looked at.
            let found = beyond.judge(&pattern, &points);
            let kind = std::mem::discriminant(&verdict);
            match found {
                Judged::Undecided(_) => seen.undecided += 1,
                Judged::Known(Verdict::Violated(found), joint) => {
                    assert_eq!(
                        kind,
                        std::mem::discriminant(&Verdict::Violated(found.clone()))
                    );
                    let replayed = machine.replay(&joint, &found.run);
                    let replayed = replayed.unwrap_or_else(|| panic!("no run: {}", complaint()));
                    assert!(machine.breaks(&replayed, &pattern), "{}", complaint());
                    let Verdict::Violated(shortest) = &verdict else {
                        panic!("{}", complaint());
                    };
                    let (length, least) = (found.run.len(), shortest.run.len());
                    assert!(length >= least, "{}", complaint());
                    assert!(!found.shortest || length == least, "{}", complaint());
                    seen.diagrams += u64::from(least > 1);
                }
                Judged::Known(found, _) => {
                    let alone = verdict == Verdict::Vacuous(Vacuity::Alone);
                    assert!(
                        found == verdict || alone && found == Verdict::Holds,
                        "{found:?} {}",
                        complaint()
                    );
                    seen.diagrams += 1;
                }
            }
        }
        seen.fed += u64::from(runs.iter().any(|run| run.steps.iter().any(|step| step.fed)));
        seen.met += u64::from(
            runs.iter()
                .any(|run| run.steps.iter().any(|step| step.moved.len() > 1)),
        );
        seen.restarted += u64::from(
            runs.iter()
                .any(|run| run.steps.iter().any(|step| !step.restarted.is_empty())),
        );
        seen.complete += u64::from(runs.iter().any(|run| machine.is_complete(&run.at)));
        seen.exhausted += u64::from(runs.iter().any(|run| machine.is_exhausted(&run.at)));
    }
    // The compositions are worth looking at: all that can happen does, and often.
    let cases = compositions * 5;
    assert!(seen.violated > cases / 4, "{seen:?}");
    assert!(seen.holds > cases / 10, "{seen:?}");
    assert!(seen.vacuous > cases / 50, "{seen:?}");
    assert!(seen.long > cases / 25, "{seen:?}");
    assert!(seen.beyond < cases / 20, "{seen:?}");
    assert!(seen.parts > cases / 50, "{seen:?}");
    assert!(seen.diagrams > cases / 4, "{seen:?}");
    assert!(seen.undecided < cases / 100, "{seen:?}");
    assert!(seen.fed > compositions / 10, "{seen:?}");
    assert!(seen.met > compositions / 20, "{seen:?}");
    assert!(seen.restarted > compositions / 50, "{seen:?}");
    assert!(seen.complete > compositions / 10, "{seen:?}");
    assert!(seen.exhausted > compositions / 100, "{seen:?}");
}

#[derive(Debug, Default)]
struct Seen {
    violated: u64,
    holds: u64,
    vacuous: u64,
    long: u64,
    beyond: u64,
    parts: u64,
    fed: u64,
    met: u64,
    restarted: u64,
    complete: u64,
    exhausted: u64,
    diagrams: u64,
    undecided: u64,
}
