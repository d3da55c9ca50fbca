//! What a contract adds to the first build of an empty crate, in CPU seconds, beside its peers.
//!
//! `cargo bench -p space-macros --bench cold`, then `-- 9` for nine rounds, `-- units` for the
//! crates one by one. Builds in `<target>/tmp/cold`, wants the registry once for the peers.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints figures"
)]

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Set for the compiler's wrapper, which this program is too: where it notes its figures.
const NOTES: &str = "SPACE_COLD_NOTES";

/// One machine, one crate, and one more rule in its source to edit.
struct Subject {
    name: &'static str,
    dependencies: &'static str,
    source: &'static str,
}

const SUBJECTS: [Subject; 6] = [
    Subject {
        name: "empty",
        dependencies: "",
        source: "// EDIT pub struct Edited;\n",
    },
    Subject {
        name: "hand",
        dependencies: "",
        source: include_str!("machines/hand.rs"),
    },
    Subject {
        name: "space",
        dependencies: "space-core = { path = \"<root>/space-core\" }\n\
                       space-macros = { path = \"<root>/space-macros\" }\n",
        source: include_str!("machines/space.rs"),
    },
    Subject {
        name: "rust-fsm",
        dependencies: "rust-fsm = \"=0.8.0\"\n",
        source: include_str!("machines/rust_fsm.rs"),
    },
    Subject {
        name: "smlang",
        dependencies: "smlang = \"=0.8.0\"\n",
        source: include_str!("machines/smlang.rs"),
    },
    Subject {
        name: "statig",
        dependencies: "statig = \"=0.4.1\"\n",
        source: include_str!("machines/statig.rs"),
    },
];

const BASE: &str = include_str!("../../../domain/retrieval_base.toml");
const DOMAIN: &str = include_str!("../../../domain/retrieval_domain.toml");
const EDIT: &str = "\n# EDIT [[transitions]]\n# EDIT from = \"Failed\"\n# EDIT on = \"Question\"\n\
                    # EDIT to = \"Searching\"\n# EDIT effect = \"Search\"\n\
                    # EDIT args = [\"prompt\", \"notes\"]\n";

/// CPU seconds and seconds on the clock.
#[derive(Clone, Copy)]
struct Cost {
    cpu: f64,
    wall: f64,
}

impl Cost {
    const MOST: Self = Self {
        cpu: f64::INFINITY,
        wall: f64::INFINITY,
    };

    fn least(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.min(other.cpu),
            wall: self.wall.min(other.wall),
        }
    }
}

/// CPU seconds, user and system, of the children waited for, and of theirs.
fn children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit_once(')').unwrap().1;
    let ticks = after_name.split_whitespace().skip(13).take(2);
    ticks
        .map(|ticks| ticks.parse::<f64>().unwrap())
        .sum::<f64>()
        / 100.0
}

fn timed(run: impl FnOnce()) -> Cost {
    let (before, start) = (children(), Instant::now());
    run();
    Cost {
        wall: start.elapsed().as_secs_f64(),
        cpu: children() - before,
    }
}

fn build(folder: &Path, notes: Option<&Path>) {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--offline", "--quiet"]);
    cargo.current_dir(folder);
    cargo.env("CARGO_TARGET_DIR", folder.join("target"));
    // What a registry's crates get, and a path's do not.
    cargo.env("RUSTFLAGS", "--cap-lints=allow");
    if let Some(notes) = notes {
        cargo.env("RUSTC_WRAPPER", env::current_exe().unwrap());
        cargo.env(NOTES, notes);
    }
    assert!(cargo.status().unwrap().success(), "{}", folder.display());
}

impl Subject {
    fn ours(&self) -> bool {
        self.name == "space"
    }

    /// Writes the crate anew, and gets its dependencies.
    fn create(&self, folder: &Path, root: &Path) {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::create_dir_all(folder.join("domain")).unwrap();
        let dependencies = self.dependencies.replace("<root>", root.to_str().unwrap());
        let mut manifest = format!(
            "[package]\nname = \"cold-{}\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\n{dependencies}",
            self.name
        );
        if self.ours() {
            for name in ["space-core", "space-macros"] {
                // What a registry's crates get, and a path's do not.
                let profile = format!("\n[profile.dev.package.{name}]\nincremental = false\n");
                manifest.push_str(&profile);
            }
            // The versions that this repository is tested with.
            fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        }
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        self.write(folder, false);
        let mut cargo = Command::new("cargo");
        cargo.args(["fetch", "--quiet"]).current_dir(folder);
        assert!(cargo.status().unwrap().success(), "{}", self.name);
    }

    /// Writes the machine, without its last rule or with it.
    fn write(&self, folder: &Path, edited: bool) {
        let rule = |text: &str| {
            if edited {
                text.replace("// EDIT ", "").replace("# EDIT ", "")
            } else {
                text.to_owned()
            }
        };
        fs::write(folder.join("src/lib.rs"), rule(self.source)).unwrap();
        if self.ours() {
            let domain = rule(&[DOMAIN, EDIT].concat());
            fs::write(folder.join("domain/retrieval_base.toml"), BASE).unwrap();
            fs::write(folder.join("domain/retrieval_domain.toml"), domain).unwrap();
        }
    }

    /// A first build, and one after an edit.
    fn measure(&self, folder: &Path) -> (Cost, Cost) {
        let _ = fs::remove_dir_all(folder.join("target"));
        self.write(folder, false);
        let cold = timed(|| build(folder, None));
        self.write(folder, true);
        (cold, timed(|| build(folder, None)))
    }

    /// The crates of a first build, each with its CPU seconds.
    fn units(folder: &Path) -> Vec<(String, f64)> {
        let notes = folder.join("notes");
        let _ = fs::remove_file(&notes);
        let _ = fs::remove_dir_all(folder.join("target"));
        build(folder, Some(&notes));
        let text = fs::read_to_string(notes).unwrap();
        let notes = text.lines().map(|line| line.split_once('\t').unwrap());
        notes
            .map(|(unit, cpu)| (unit.to_owned(), cpu.parse().unwrap()))
            .collect()
    }
}

/// Runs the compiler that the arguments name, and notes what it took.
fn compile(notes: &Path) -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let after = |flag: &str| Some(&args[args.iter().position(|arg| arg == flag)? + 1]);
    let mut compiler = Command::new(&args[0]);
    let status = compiler.args(&args[1..]).status().unwrap();
    if let Some(name) = after("--crate-name").filter(|name| *name != "___") {
        let host = !args.iter().any(|arg| arg.starts_with("debuginfo="));
        let side = if host { "host" } else { "target" };
        let mut file = fs::OpenOptions::new();
        let mut file = file.append(true).create(true).open(notes).unwrap();
        let line = format!("{name} ({side})\t{:.2}\n", children());
        file.write_all(line.as_bytes()).unwrap();
    }
    ExitCode::from(u8::from(!status.success()))
}

fn main() -> ExitCode {
    if let Some(notes) = env::var_os(NOTES) {
        return compile(Path::new(&notes));
    }
    let args: Vec<String> = env::args().skip(1).collect();
    if !args.iter().any(|arg| arg == "--bench") {
        return ExitCode::SUCCESS;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cold");
    let crates = SUBJECTS.each_ref().map(|subject| {
        let folder = folder.join(subject.name);
        subject.create(&folder, root);
        (subject, folder)
    });
    if args.iter().any(|arg| arg == "units") {
        let rounds = crates.iter().map(|(subject, folder)| {
            let mut units = Subject::units(folder);
            for _ in 1..3 {
                for (unit, cpu) in Subject::units(folder) {
                    let known = units.iter_mut().find(|known| known.0 == unit).unwrap();
                    known.1 = known.1.min(cpu);
                }
            }
            (subject.name, units)
        });
        for (name, units) in rounds {
            println!("{name}");
            for (unit, cpu) in units {
                println!("  {unit:<28} {cpu:.2}");
            }
        }
        return ExitCode::SUCCESS;
    }
    let rounds = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(5);
    let mut least = crates.each_ref().map(|_| (Cost::MOST, Cost::MOST));
    for _ in 0..rounds {
        for ((subject, folder), least) in crates.iter().zip(&mut least) {
            let (cold, edit) = subject.measure(folder);
            *least = (least.0.least(cold), least.1.least(edit));
        }
    }
    let added = |index: usize| least[index].0.cpu - least[0].0.cpu;
    let smlang = SUBJECTS.iter().position(|subject| subject.name == "smlang");
    let smlang = added(smlang.unwrap());
    println!("least of {rounds}   cold CPU s   added   of smlang's   cold s   edit CPU s   edit s");
    for (index, (subject, (cold, edit))) in SUBJECTS.iter().zip(&least).enumerate() {
        println!(
            "{:<12} {:>10.2} {:>7.2} {:>11.2} × {:>8.2} {:>12.2} {:>8.2}",
            subject.name,
            cold.cpu,
            added(index),
            added(index) / smlang,
            cold.wall,
            edit.cpu,
            edit.wall,
        );
    }
    ExitCode::SUCCESS
}
