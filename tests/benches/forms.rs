//! What the two forms of a step cost to compile and to run, by the number of states.
//!
//! ```text
//! cargo bench -p space-tests --bench forms [-- 100 300 1000]
//! ```
//!
//! Prints CPU seconds of `rustc` for the space's crate (debug, release), its share without the
//! step, and nanoseconds a step on a stream that the machine accepts. Ratios count; the machine
//! is shared.

#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use space_core::contract::{Hash, Semantics, Span, Type};
use space_core::emit::{Form, Settings, module};
use space_core::graph::{
    ArgSource, EffectRow, EventRow, GuardRow, Model, Param, Rule, SlotRow, StateRow,
};

fn main() {
    let sizes: Vec<usize> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let sizes = if sizes.is_empty() {
        vec![30, 100, 200, 300, 500, 1000]
    } else {
        sizes
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("forms");
    fs::create_dir_all(folder.join("src/bin")).expect("a writable target folder");
    project(&folder);
    println!("| states | form | debug CPU s | release CPU s | ns/step |\n|---|---|---|---|---|");
    for size in sizes {
        for form in [Form::Match, Form::Table] {
            measure(&folder, size, form);
        }
    }
}

fn project(folder: &Path) {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../space-core");
    let manifest = format!(
        "[package]\nname = \"forms\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nspace-core = {{ path = \"{}\", default-features = false }}\n\n\
         [profile.dev]\nincremental = false\n",
        core.display()
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
}

fn measure(folder: &Path, size: usize, form: Form) {
    let settings = Settings {
        form,
        handler: false,
        ..Settings::default()
    };
    let name = format!(
        "{}{size}",
        if form == Form::Match {
            "match"
        } else {
            "table"
        }
    );
    let source = format!(
        "mod m {{ {} }}\n{}",
        module(&model(size), &settings),
        DRIVER.replace("STEPS", "5_000_000")
    );
    let path = folder.join(format!("src/bin/{name}.rs"));
    fs::write(&path, source).expect("a source file");
    let mut row = format!("| {size} | {} |", &name[..5]);
    for profile in ["dev", "release"] {
        let build = format!("cargo build -q --offline --profile {profile} --bin {name}");
        // Once with the dependencies, then the crate alone.
        run(folder, &build);
        fs::File::options()
            .append(true)
            .open(&path)
            .and_then(|file| file.set_modified(std::time::SystemTime::now()))
            .expect("a source file");
        let _ = write!(row, " {:.2} |", cpu(folder, &build));
    }
    let ns = run(
        folder,
        &format!("cargo run -q --offline --release --bin {name}"),
    );
    println!("{row} {} |", ns.trim());
    fs::remove_file(path).expect("a source file");
}

fn run(folder: &Path, command: &str) -> String {
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("a shell");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {error}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// CPU seconds of a command and what it starts, by the shell's `times`.
fn cpu(folder: &Path, command: &str) -> f64 {
    let text = run(folder, &format!("{command}; times"));
    let last = text.lines().last().unwrap_or_default();
    let seconds = |part: &str| {
        let (minutes, seconds) = part.trim_end_matches('s').split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    last.split_whitespace().filter_map(seconds).sum()
}

const DRIVER: &str = r#"
use m::{WideCtx, WideEvent, WideGuards, WideState, step};
use space_core::machine::{Space, Step};

struct Yes;
impl WideGuards for Yes {
    fn allowed(&self, ctx: &WideCtx, _event: &WideEvent) -> bool { ctx.count >= 0 }
}

fn main() {
    let space = m::Wide;
    let (mut state, mut ctx, mut sum) = (WideState::all()[0], WideCtx::default(), 0_usize);
    let model = space.model();
    // A walk that is always answered, made beforehand.
    let mut walk = Vec::with_capacity(4096);
    let (mut at, mut seed) = (0, 1_u64);
    for _ in 0..4096 {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let rules = model.rules_of(at);
        let rule = &rules[(seed >> 33) as usize % rules.len()];
        walk.push(rule.on);
        at = rule.to;
    }
    let events: Vec<_> = (0..model.events.len()).map(|at| {
        let payload = &model.events[at].payload;
        space.event_from(at, vec![space_core::machine::Value::Int(7); payload.len()]).unwrap()
    }).collect();
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = std::time::Instant::now();
        for round in 0..STEPS / 4096 {
            if round % 1 == 0 { state = WideState::all()[0]; }
            for on in &walk {
                match step(state, &mut ctx, events[*on].clone(), &Yes) {
                    Step::Handled { state: to, effect } => {
                        state = to;
                        sum += usize::from(effect.is_some());
                    }
                    _ => panic!(),
                }
            }
        }
        best = best.min(start.elapsed().as_nanos() as f64 / STEPS as f64);
    }
    std::hint::black_box(sum);
    println!("{best:.1}");
}
"#;

/// `size` states with three rules each, a tenth of them guarded, and one event with a payload.
fn model(size: usize) -> Model {
    let (events, effects) = ((size / 10).max(10), (size / 4).max(4));
    let int = |name: &str| Param {
        name: name.to_owned(),
        ty: Type::Int,
        doc: None,
    };
    let mut seed = 0x1234_5678_u64;
    let mut below = |end: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(seed >> 33).unwrap_or(0) % end
    };
    let mut rules = Vec::new();
    for from in 0..size {
        let mut ons: Vec<usize> = Vec::new();
        while ons.len() < 3 {
            let on = below(events);
            if !ons.contains(&on) {
                ons.push(on);
            }
        }
        ons.sort_unstable();
        for on in ons {
            let effect = (below(2) == 0).then(|| below(effects));
            rules.push(Rule {
                from,
                on,
                to: below(size),
                guard: (below(10) == 0).then_some((0, false)),
                // Effect 0 has an argument, which only the event with a payload can give.
                effect: effect.filter(|effect| *effect != 0 || on == 0),
                args: match effect {
                    Some(0) if on == 0 => vec![ArgSource::Field(0)],
                    _ => Vec::new(),
                },
                assigns: if on == 0 { vec![(0, 0)] } else { Vec::new() },
                row: rules.len(),
                span: Span::default(),
            });
        }
    }
    Model {
        name: "wide".to_owned(),
        prefix: "Wide".to_owned(),
        hash: Hash([0; 32]),
        doc: None,
        states: (0..size)
            .map(|at| StateRow {
                name: format!("State{at}"),
                doc: None,
                terminal: false,
            })
            .collect(),
        initial: 0,
        events: (0..events)
            .map(|at| EventRow {
                name: format!("Event{at}"),
                doc: None,
                payload: if at == 0 {
                    vec![int("count")]
                } else {
                    Vec::new()
                },
                external: false,
            })
            .collect(),
        effects: (0..effects)
            .map(|at| EffectRow {
                name: format!("Effect{at}"),
                doc: None,
                args: if at == 0 {
                    vec![int("count")]
                } else {
                    Vec::new()
                },
                semantics: Semantics::Command,
                returns: None,
                sentinel: None,
            })
            .collect(),
        guards: vec![GuardRow {
            name: "allowed".to_owned(),
            doc: None,
        }],
        slots: vec![SlotRow {
            name: "count".to_owned(),
            doc: None,
            ty: Type::Int,
            default: Some(space_core::contract::Value::Int(0)),
        }],
        starts: (0..=size).map(|state| 3 * state).collect(),
        rules,
        ignored: vec![Vec::new(); size],
    }
}
