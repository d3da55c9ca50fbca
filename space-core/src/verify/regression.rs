//! Runs that broke a promise once.

mod composed;

use std::path::Path;

use crate::contract::Invariant;
use crate::diagnostic::render::{Colour, human, trace as render};
use crate::explore::{Counterexample, Judge, NamedStep, trace};
use crate::gates::{Triggers, check_folder};
use crate::graph::Model;
use crate::parse::folder::{self, Folder, Pair};

/// Replays a run that broke a promise of a space: the contract must no longer allow it, or it must
/// keep the promise now.
///
/// `name` is that of a space or of a composition; `contracts` is the contract folder, `run` one line a
/// step as `agent space check --write-regressions` writes it: the initial state, then
/// `Event -> State` or `Event -> State / Effect`; a line `repeat` stands before the first step of a
/// cycle. In a composition every event has its space before it, initial states are
/// `space.State, space.State`, what several do at once is joined by ` + `, and what a bridge feeds in vain
/// is `space.Event refused`. Names are
/// looked up in the contract as it is: a run whose words are gone is no run any more. Promises are
/// taken as the contract now words them, so that a promise may be made weaker on purpose.
///
/// # Panics
/// When the run is allowed and breaks the promise, with the run; when the contract cannot be read;
/// when it has no such space or promise any more, for then the test has nothing to say and should
/// go, too; when `run` cannot be read.
pub fn regression(contracts: impl AsRef<Path>, name: &str, promise: &str, run: &str) {
    if let Err(failure) = judge(contracts.as_ref(), name, promise, run) {
        panic!("{failure}");
    }
}

fn judge(contracts: &Path, name: &str, promise: &str, run: &str) -> Result<(), String> {
    let folder = folder::read(contracts, "");
    if composed::is_declared(&folder, name) {
        return composed::judge(&folder, name, promise, run);
    }
    let pair = folder.pairs.iter().find(|pair| pair.stem == name);
    let pair = pair.ok_or_else(|| {
        let dir = contracts.display();
        format!("there is no `{name}` in {dir} any more: remove this test with it")
    })?;
    let recorded = Recorded::read(run)?;
    let invariant = invariant(pair, promise)?;
    let model = Model::resolve(&pair.base, &pair.domain)
        .filter(|_| pair.sound)
        .ok_or_else(|| findings(&folder))?;
    let checked = check_folder(&folder);
    let none = Triggers::default();
    let triggers = checked.triggers.get(name).unwrap_or(&none);
    let judge = Judge::new(&model, &triggers.loopbacks(&model));
    if model.states[model.initial].name != recorded.initial {
        return Ok(());
    }
    let Some(rules) = judge.replay(&recorded.steps) else {
        return Ok(());
    };
    let found = Counterexample {
        run: rules,
        shortest: false,
        repeats: recorded.repeats,
    };
    if !judge.breaks(&invariant.pattern.value, &found) {
        return Ok(());
    }
    let run = render::human(&trace(&model, &found), &folder.sources);
    Err(format!(
        "`{promise}` of `{name}` is broken again by a recorded {run}"
    ))
}

fn invariant<'f>(pair: &'f Pair, promise: &str) -> Result<&'f Invariant, String> {
    let mut all = pair.domain.invariants.iter();
    let found = all.find(|one| one.name.value == promise);
    found.ok_or_else(|| not_promised(&pair.stem, promise))
}

fn not_promised(name: &str, promise: &str) -> String {
    format!(
        "`{name}` does not promise `{promise}` any more: remove this test with it, or name the promise \
         that took its place"
    )
}

fn findings(folder: &Folder) -> String {
    let checked = check_folder(folder);
    let found = human(&checked.diagnostics, &folder.sources, Colour::Never);
    format!("the contract cannot be read:\n{found}")
}

/// A run as it was written down.
#[derive(Debug, PartialEq, Eq)]
struct Recorded {
    initial: String,
    steps: Vec<NamedStep>,
    repeats: Option<usize>,
}

impl Recorded {
    fn read(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut recorded = Self {
            initial: lines.next().ok_or("the run has no line")?.to_owned(),
            steps: Vec::new(),
            repeats: None,
        };
        for line in lines {
            if line == "repeat" {
                recorded.repeats = Some(recorded.steps.len());
                continue;
            }
            recorded.steps.push(step(line)?);
        }
        Ok(recorded)
    }
}

/// Reads `Event -> State` or `Event -> State / Effect`.
fn step(text: &str) -> Result<NamedStep, String> {
    let (event, rest) = text.split_once(" -> ").ok_or_else(|| {
        format!("`{text}` is no step: write `Event -> State` or `Event -> State / Effect`")
    })?;
    let (state, effect) = match rest.split_once(" / ") {
        Some((state, effect)) => (state, Some(effect.to_owned())),
        None => (rest, None),
    };
    Ok(NamedStep {
        event: event.to_owned(),
        state: state.to_owned(),
        effect,
    })
}
