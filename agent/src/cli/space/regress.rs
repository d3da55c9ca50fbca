//! `agent space check --write-regressions`: counterexamples as tests.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use space_core::diagnostic::{Code, Severity};
use space_core::explore::{Counterexample, Joint, JointJudge, Judge, Judged, NamedMove, Verdict};
use space_core::gates::{FolderCheck, Triggers, check_with};
use space_core::graph::Model;
use space_core::parse::folder::Folder;

use super::super::Plain;
use super::slashes;

/// Writes a test for each promise that is broken, into a folder of a crate's tests, and says what it
/// did. What is there already is left alone, whatever it says.
pub(super) fn write(
    folder: &Folder,
    checked: &FolderCheck<'_>,
    (contracts, tests): (&Path, &Path),
    say: fn(&str),
) -> Result<(), Plain> {
    let mut all = regressions(folder, checked);
    all.extend(composed_regressions(folder, checked));
    if all.is_empty() {
        return Ok(());
    }
    let place = place(contracts, tests)?;
    std::fs::create_dir_all(tests).map_err(|error| format!("{}: {error}", tests.display()))?;
    for one in all {
        let path = tests.join(one.file());
        let shown = slashes(&path);
        match std::fs::File::create_new(&path) {
            Ok(mut file) => {
                use std::io::Write as _;
                file.write_all(one.text(&place).as_bytes())
                    .map_err(|error| format!("{shown}: {error}"))?;
                say(&format!("wrote {shown}"));
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                say(&format!("{shown} is there already, and left alone"));
            }
            Err(error) => return Err(format!("{shown}: {error}").into()),
        }
    }
    Ok(())
}

/// A broken promise and the run that breaks it.
struct Regression {
    /// Of the space or the composition.
    name: String,
    promise: String,
    /// One line a step.
    run: String,
}

/// One for each broken promise of each space that is sound but for its promises.
fn regressions(folder: &Folder, checked: &FolderCheck<'_>) -> Vec<Regression> {
    let mut all = Vec::new();
    let none = Triggers::default();
    for pair in folder.pairs.iter().filter(|pair| pair.sound) {
        let triggers = checked.triggers.get(&pair.stem).unwrap_or(&none);
        let found = check_with(&pair.base, &pair.domain, triggers).diagnostics;
        let unsound = found
            .iter()
            .any(|one| one.severity() == Severity::Error && one.code < Code::UNREACHABLE);
        let Some(model) = Model::resolve(&pair.base, &pair.domain).filter(|_| !unsound) else {
            continue;
        };
        let judge = Judge::new(&model, &triggers.loopbacks(&model));
        for invariant in &pair.domain.invariants {
            if let Verdict::Violated(found) = judge.verdict(&invariant.pattern.value) {
                all.push(Regression {
                    name: pair.stem.clone(),
                    promise: invariant.name.value.clone(),
                    run: lines(&model, &found),
                });
            }
        }
    }
    all
}

/// One for each broken promise of each composition that is sound but for its promises.
fn composed_regressions(folder: &Folder, checked: &FolderCheck<'_>) -> Vec<Regression> {
    let mut all = Vec::new();
    for composed in &checked.composed {
        let mut judge = JointJudge::new(Arc::new(composed.clone()));
        let rows = folder.compositions.invariants.iter();
        for row in rows.filter(|row| row.composition.value == composed.name) {
            let judged = judge.judge_named(&row.invariant.pattern);
            if let Some(Judged::Known(Verdict::Violated(found), joint)) = judged {
                all.push(Regression {
                    name: composed.name.clone(),
                    promise: row.invariant.name.value.clone(),
                    run: composed_lines(&joint, &found),
                });
            }
        }
    }
    all
}

fn composed_lines(joint: &Joint, found: &Counterexample) -> String {
    let composed = joint.composed();
    let initial = composed.components.iter().map(|one| one.model.initial);
    let initial: Vec<_> = initial.collect();
    let mut text = format!("        {}\n", composed.describe(&initial));
    for step in &found.run {
        let line = match joint.named(*step) {
            NamedMove::Refused { component, event } => format!("{component}.{event} refused"),
            NamedMove::Moved(moved) => {
                let parts = moved.iter().map(|(component, step)| {
                    let effect = step.effect.as_ref();
                    let effect = effect.map_or_else(String::new, |effect| format!(" / {effect}"));
                    format!("{component}.{} -> {}{effect}", step.event, step.state)
                });
                parts.collect::<Vec<_>>().join(" + ")
            }
        };
        let _ = writeln!(text, "        {line}");
    }
    text
}

fn lines(model: &Model, found: &Counterexample) -> String {
    let mut text = format!("        {}\n", model.states[model.initial].name);
    for (at, rule) in found.run.iter().enumerate() {
        if found.repeats == Some(at) {
            text.push_str("        repeat\n");
        }
        let rule = &model.rules[*rule];
        let (event, state) = (&model.events[rule.on].name, &model.states[rule.to].name);
        let _ = write!(text, "        {event} -> {state}");
        if let Some(effect) = rule.effect {
            let _ = write!(text, " / {}", model.effects[effect].name);
        }
        text.push('\n');
    }
    text
}

impl Regression {
    /// The same run has the same name, another one another.
    fn file(&self) -> String {
        let hash = Sha256::digest(format!("{}\n{}\n{}", self.name, self.promise, self.run));
        let short: String = hash.iter().take(4).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        format!("regression_{}_{}_{short}.rs", self.name, self.promise)
    }

    fn text(&self, contracts: &str) -> String {
        let Self { name, promise, run } = self;
        format!(
            "//! A run of `{name}` that broke `{promise}` once. It must be no run any more, or keep the\n\
             //! promise. Written by `agent space check --write-regressions`, and yours from then on; needs\n\
             //! the development dependency `space-core` with the feature `verify`.\n\
             \n\
             use space_core::verify::regression;\n\
             \n\
             #[test]\n\
             fn {promise}_is_kept() {{\n    \
                 regression(\n        \
                     concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{contracts}\"),\n        \
                     \"{name}\",\n        \
                     \"{promise}\",\n        \
                     \"\n{run}        \",\n    \
                 );\n\
             }}\n"
        )
    }
}

/// The contract folder as seen from the crate that the tests are of.
fn place(contracts: &Path, tests: &Path) -> Result<String, Plain> {
    let real = |path: &Path| {
        let real = path.canonicalize();
        real.map_err(|error| format!("{}: {error}", path.display()))
    };
    // The folder itself need not be there yet.
    let there = tests.ancestors().find(|folder| folder.exists());
    let there = there.filter(|folder| !folder.as_os_str().is_empty());
    let (contracts, there) = (real(contracts)?, real(there.unwrap_or(Path::new(".")))?);
    let of = |folder: &&Path| folder.join("Cargo.toml").is_file();
    let krate = there.ancestors().find(of).ok_or_else(|| {
        format!(
            "{} is in no crate: name the folder of a crate's tests, where `cargo test` finds them",
            tests.display()
        )
    })?;
    let shared = krate
        .components()
        .zip(contracts.components())
        .take_while(|(one, other)| one == other)
        .count();
    let up = krate.components().skip(shared).map(|_| "..");
    let mut place: PathBuf = up.collect();
    place.extend(contracts.components().skip(shared));
    Ok(slashes(&place))
}
