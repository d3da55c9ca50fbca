//! What the two forms of a step cost to compile and to run, by the number of states.
//!
//! `cargo bench -p space-bench --bench forms`. Machines of three rules a state are emitted as a
//! nested match and as a table and compiled by `rustc -O`; both leave the same hash of effects.
//! `Form::CROSSOVER` is read off here. CPU seconds and memory are the compiler's; an event is run
//! with its driver, whose random number and event look-up cost the same in both.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints figures"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use space_bench::large::{groups, stepped};
use space_bench::measure::{instructions_of, shown, spent};
use space_core::contract::FileId;
use space_core::emit::{Form, Settings, module};
use space_core::gates;
use space_core::parse::{parse_space_base, parse_space_domain};

/// States, and the forms to measure: the match is superlinear to compile.
const SIZES: [(usize, &[Form]); 7] = [
    (10, &BOTH),
    (100, &BOTH),
    (300, &BOTH),
    (500, &BOTH),
    (1_000, &BOTH),
    (5_000, &[Form::Table]),
    (20_000, &[Form::Table]),
];
const BOTH: [Form; 2] = [Form::Match, Form::Table];
const EVENTS: u32 = 2_000_000;
const ROUNDS: usize = 2;

struct Case {
    states: usize,
    form: Form,
    folder: PathBuf,
    compiled: (Duration, f64),
    nanos: f64,
    trace: String,
}

/// The library, compiled once as a consumer's would be.
fn library(target: &Path) -> [String; 4] {
    let status = Command::new(env!("CARGO"))
        .args([
            "build",
            "--quiet",
            "--release",
            "-p",
            "space-core",
            "--manifest-path",
        ])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        .status();
    assert!(status.unwrap().success());
    let release = target.join("release");
    [
        "--extern".to_owned(),
        format!(
            "space_core={}",
            release.join("libspace_core.rlib").display()
        ),
        "-L".to_owned(),
        format!("dependency={}", release.join("deps").display()),
    ]
}

fn emitted(states: usize, form: Form, folder: PathBuf) -> Case {
    let (base, domain) = stepped(states);
    let base = parse_space_base(&base, FileId(0));
    let domain = parse_space_domain(&domain, FileId(1));
    let checked = gates::check(&base.value, &domain.value);
    let findings = format!("{:?}", checked.diagnostics.first());
    let model = checked.model.unwrap_or_else(|| panic!("{findings}"));
    let settings = Settings {
        derives: vec!["::core::marker::Copy".to_owned()],
        form,
        // A trait of thousands of async methods is quadratic to compile, and no part of a form.
        handler: false,
        ..Settings::default()
    };
    let text = module(&model, &settings).to_string();
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("machine.rs"), text).unwrap();
    std::fs::write(folder.join("main.rs"), include_str!("driver.rs")).unwrap();
    Case {
        states,
        form,
        folder,
        compiled: (Duration::MAX, f64::MAX),
        nanos: f64::MAX,
        trace: String::new(),
    }
}

impl Case {
    fn compile(&mut self, library: &[String]) {
        let mut rustc = Command::new("rustc");
        rustc
            .args(["--edition", "2024", "-O", "-o"])
            .arg(self.folder.join("main"))
            .arg(self.folder.join("main.rs"))
            .args(library);
        let (time, memory) = spent(&mut rustc);
        self.compiled.0 = self.compiled.0.min(time);
        self.compiled.1 = self.compiled.1.min(memory);
    }

    fn program(&self, events: u32) -> Command {
        let mut program = Command::new(self.folder.join("main"));
        program.args([events.to_string(), groups(self.states).to_string()]);
        program
    }

    fn run(&mut self) {
        let output = self.program(EVENTS).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (nanos, trace) = text.trim().split_once(' ').unwrap();
        let nanos: f64 = nanos.parse().unwrap();
        self.nanos = self.nanos.min(nanos / f64::from(EVENTS));
        trace.clone_into(&mut self.trace);
    }

    /// Instructions for one event, driver and all.
    fn instructions(&self) -> Option<f64> {
        let count = |events| instructions_of(&self.program(events));
        Some((count(150_000)? - count(50_000)?) / 100_000.0)
    }
}

fn main() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("forms");
    let library = library(&folder);
    let mut cases = Vec::new();
    for (states, forms) in SIZES {
        for form in forms {
            let folder = folder.join(format!("{states}-{form:?}"));
            cases.push(emitted(states, *form, folder));
        }
    }
    for _ in 0..ROUNDS {
        for case in &mut cases {
            case.compile(&library);
        }
    }
    for _ in 0..3 * ROUNDS {
        for case in &mut cases {
            case.run();
        }
    }
    for pair in cases.windows(2) {
        assert!(
            pair[0].states != pair[1].states || pair[0].trace == pair[1].trace,
            "the forms of {} states differ",
            pair[0].states
        );
    }
    println!(
        "{:>7} {:8} {:>14} {:>9} {:>9} {:>12}",
        "states", "form", "rustc -O CPU s", "peak MB", "ns/event", "instr/event"
    );
    for case in &cases {
        let (time, memory) = case.compiled;
        println!(
            "{:>7} {:8} {:>14.2} {memory:>9.0} {:>9.1} {:>12}",
            case.states,
            format!("{:?}", case.form),
            time.as_secs_f64(),
            case.nanos,
            shown(case.instructions())
        );
    }
}
