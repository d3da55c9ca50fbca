//! Reachable states of compositions and nets, against SPIN and the literature.
//!
//! `counts.txt` of a machine has a line for each model: `NET STATES OPTIONS FILE`. The numbers were
//! found with SPIN 6.5.2 by the command that [`spin`] runs, and are found again where there is a
//! `spin` and a C compiler.

use std::fs;
use std::path::Path;
use std::process::Command;

use space_core::explore::{Engine, Limits, Net, explore_with};
use space_core::gates;
use space_core::parse::folder;

use super::{machines, nets};

#[test]
#[expect(clippy::print_stderr, reason = "what was not looked at is said")]
fn states_are_as_many_as_spin_finds() {
    let mut again = 0;
    let mut compared = 0;
    for machine in machines() {
        let Ok(text) = fs::read_to_string(machine.join("counts.txt")) else {
            continue;
        };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, states, options @ .., file] = words.as_slice() else {
                panic!("{line}");
            };
            let states: u64 = states.parse().unwrap();
            count(&net(&machine, name), states, line);
            compared += 1;
            if let Some(found) = spin(&machine.join(file), options) {
                assert_eq!(found, states, "SPIN of {line}");
                again += 1;
            }
        }
    }
    assert!(compared >= 10, "{compared}");
    if again == 0 {
        eprintln!(
            "{compared} counts compared with recorded ones; SPIN did not run: apt-get install spin gcc"
        );
    }
}

/// Gray and Lamport's specification is a customary example of model checkers; these are the numbers
/// of states that the examples of TLC and stateright give for it.
#[test]
fn states_are_as_many_as_the_literature_has() {
    for (managers, states) in [(3, 288), (5, 8832)] {
        count(&nets::messages(managers), states, "two-phase commit");
    }
}

#[test]
fn only_a_circle_of_left_hands_gets_stuck() {
    for n in 3..=6 {
        for (turned, stuck) in [(false, "1"), (true, "0")] {
            let net = nets::philosophers(n, turned);
            let report = explore_with(Engine::Dense, &net, &Limits::default(), &mut |_| {});
            let report = report.unwrap().unwrap();
            assert_eq!(report.deadlocks.to_string(), stuck, "{n} {turned}");
        }
    }
}

/// Every engine counts so many states.
fn count(net: &Net, states: u64, what: &str) {
    for engine in [Engine::Dense, Engine::Hashed, Engine::Symbolic] {
        let report = explore_with(engine, net, &Limits::default(), &mut |_| {}).unwrap();
        let Some(report) = report else {
            assert_eq!(engine, Engine::Dense, "{what}");
            continue;
        };
        assert_eq!(report.bound, None);
        assert_eq!(report.states.to_u64(), Some(states), "{what} {engine:?}");
    }
}

/// `composition:NAME` of the folder, `left:N`, `turned:N` or `messages:N`.
fn net(machine: &Path, name: &str) -> Net {
    let (kind, which) = name.split_once(':').unwrap();
    let size = || which.parse().unwrap();
    match kind {
        "left" => nets::philosophers(size(), false),
        "turned" => nets::philosophers(size(), true),
        "messages" => nets::messages(size()),
        _ => {
            let folder = folder::read(machine, ".");
            let checked = gates::check_folder(&folder);
            let composed = checked.composed.iter().find(|one| one.name == which);
            nets::of(composed.unwrap())
        }
    }
}

/// The states that SPIN stores of a model, where there is one.
///
/// `spin -a OPTIONS FILE && cc -O0 -DNOREDUCE -o pan pan.c && ./pan -E -m1000000`: without partial
/// order reduction, and past deadlocks.
fn spin(file: &Path, options: &[&str]) -> Option<u64> {
    let dir = tempfile::tempdir().unwrap();
    let run = |program: &str, args: &[&str]| {
        let output = Command::new(program)
            .args(args)
            .current_dir(&dir)
            .output()
            .ok()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{program} {args:?}: {said}");
        Some(said)
    };
    run("cc", &["--version"])?;
    run("spin", &["-V"])?;
    let file = file.to_str().unwrap();
    run("spin", &[&["-a"], options, &[file]].concat())?;
    run("cc", &["-O0", "-w", "-DNOREDUCE", "-o", "pan", "pan.c"])?;
    let said = run("./pan", &["-E", "-m1000000"])?;
    assert!(said.contains("errors: 0"), "{said}");
    let (before, _) = said.split_once(" states, stored").unwrap();
    before.split_whitespace().last()?.parse().ok()
}
