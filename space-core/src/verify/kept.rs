//! Promises, on random runs.
//!
//! What a pattern means is written down here once more, as a question to a whole run and not as an
//! automaton that reads it: so these properties do not share a mistake with the model checker.

use std::fmt::Write as _;

use proptest::test_runner::TestCaseError;

use super::oracle::Oracle;
use super::runs::{Budget, Draw, Picker, draws};
use super::walker::Walker;
use crate::contract::{Invariant, Pattern, Points, Semantics, Sources};
use crate::graph::{Cell, Model, PointRow};
use crate::machine::Space;
use crate::parse::parse_space_domain;

/// A machine keeps what its contract promises, on random runs as a runner makes them: the initial
/// state's events, then outcomes of the effect that was asked for, or external events. Guards answer
/// anything. `domain` is the text of the contract's behaviour.
///
/// Whether a point could still be reached (`reachable`) no single run can say.
///
/// # Panics
/// With the smallest run that breaks a promise.
pub fn promises<S: Space>(typed: &S, domain: &str, guards: impl Fn(Oracle) -> Box<S::Guards>) {
    let file = Sources::default().add("domain.toml", domain);
    let invariants = parse_space_domain(domain, file).value.invariants;
    let model = typed.model();
    if invariants.is_empty() || model.events.is_empty() {
        return;
    }
    let resolve = |points: &Points| {
        let points = points.iter();
        let rows = points.filter_map(|point| PointRow::of(model, point));
        rows.map(|row| (0, row)).collect()
    };
    let promises: Vec<_> = invariants
        .iter()
        .map(|one| Kept::of(one, &resolve))
        .collect();
    Budget::from_env().check(&draws(), |(seed, run)| {
        let guards = guards(Oracle::new(seed));
        let run = random(typed, &guards, &run)?;
        judge(&promises, &run, |point| word(model, point.1))
    });
}

/// A run made of these draws.
fn random<S: Space>(typed: &S, guards: &S::Guards, draws: &[Draw]) -> Result<Run, TestCaseError> {
    let model = typed.model();
    let mut walker = Walker::new(typed, guards);
    let mut run = Run::begin(vec![(0, PointRow::State(model.initial))]);
    let mut waits = Waits::Start;
    for draw in draws {
        let state = walker.state();
        if model.states[state].terminal {
            break;
        }
        let Some(event) = next(model, state, waits, draw.pick) else {
            break;
        };
        let values = Picker::new(draw.values).row(&model.events[event].payload);
        let seen = walker.step(event, &values)?;
        if seen.kind == "handled" {
            let effect = seen.effect.map(|(effect, _)| effect);
            run.step(
                vec![(0, PointRow::Event(event))],
                vec![(0, PointRow::State(seen.state))],
                effect.map_or_else(Vec::new, |effect| asked(0, model, effect)),
            );
            waits = effect.map_or(Waits::Nothing, Waits::Effect);
        } else if !model.events[event].external {
            // The run cannot go on without it.
            break;
        }
    }
    run.complete = model.states[walker.state()].terminal;
    Ok(run)
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Waits {
    Start,
    Effect(usize),
    Nothing,
}

/// An event that may come, and that the state says something to.
pub(super) fn next(model: &Model, state: usize, waits: Waits, pick: u16) -> Option<usize> {
    let outcomes = match waits {
        Waits::Effect(effect) if model.effects[effect].semantics == Semantics::Stop => return None,
        Waits::Effect(effect) => model.returns(effect),
        Waits::Start => model.rules_of(state).iter().map(|rule| rule.on).collect(),
        Waits::Nothing => Vec::new(),
    };
    let external = model.events.iter().enumerate();
    let external = external.filter(|(_, row)| row.external).map(|(at, _)| at);
    let all = outcomes.into_iter().chain(external);
    let answered: Vec<_> = all
        .filter(|event| matches!(model.cell(state, *event), Cell::Rule(_)))
        .collect();
    let at = usize::from(pick) % answered.len().max(1);
    answered.get(at).copied()
}

/// A point of a component.
pub(super) type At = (usize, PointRow);

/// The points of an effect that is asked for.
pub(super) fn asked(component: usize, model: &Model, effect: usize) -> Vec<At> {
    let semantics = model.effects[effect].semantics;
    vec![
        (component, PointRow::Effect(effect)),
        (component, PointRow::Semantics(semantics)),
    ]
}

/// A run as the points that it passes: what happens at once is one letter.
pub(super) struct Run {
    letters: Vec<Vec<At>>,
    /// What is true at once, between steps and in each of them.
    moments: Vec<Vec<At>>,
    pub(super) complete: bool,
}

impl Run {
    pub(super) fn begin(initial: Vec<At>) -> Self {
        Self {
            moments: vec![initial.clone()],
            letters: vec![initial],
            complete: false,
        }
    }

    pub(super) fn step(&mut self, events: Vec<At>, states: Vec<At>, effects: Vec<At>) {
        let letters = [events, states, effects];
        self.letters
            .extend(letters.into_iter().filter(|one| !one.is_empty()));
    }

    pub(super) fn moment(&mut self, points: Vec<At>) {
        self.moments.push(points);
    }
}

/// A promise with its points found.
pub(super) struct Kept<'i> {
    invariant: &'i Invariant,
    positions: Vec<Vec<At>>,
}

impl<'i> Kept<'i> {
    pub(super) fn of(invariant: &'i Invariant, resolve: &dyn Fn(&Points) -> Vec<At>) -> Self {
        let positions = match &invariant.pattern.value {
            Pattern::Absence { of, after, until } => vec![of, after, until],
            Pattern::Precedence { first, then, reset } => vec![first, then, reset],
            Pattern::Response { after, must } => vec![after, must],
            Pattern::Existence { of } | Pattern::BoundedExistence { of, .. } => vec![of],
            Pattern::Exclusion { points } => vec![points],
            Pattern::Reachable { .. } => Vec::new(),
        };
        Self {
            invariant,
            positions: positions.into_iter().map(resolve).collect(),
        }
    }

    /// Whether a run keeps it.
    fn holds(&self, run: &Run) -> bool {
        let fills = |position: usize, letter: usize| {
            let points = &self.positions[position];
            run.letters[letter]
                .iter()
                .any(|point| points.contains(point))
        };
        let all = 0..run.letters.len();
        match &self.invariant.pattern.value {
            Pattern::Absence { after, .. } => {
                let open = |at: usize, from: usize| !(from..=at).any(|one| fills(2, one));
                !all.clone().filter(|at| fills(0, *at)).any(|at| {
                    (after.is_empty() && open(at, 0))
                        || (0..at).any(|from| fills(1, from) && open(at, from + 1))
                })
            }
            Pattern::Precedence { .. } => all.clone().filter(|at| fills(1, *at)).all(|at| {
                let since = |from: usize| !(from + 1..at).any(|one| fills(2, one));
                (0..=at).any(|from| fills(0, from) && since(from))
            }),
            Pattern::Response { .. } => {
                let answered = |at: usize| all.clone().skip(at).any(|one| fills(1, one));
                !run.complete || all.clone().filter(|at| fills(0, *at)).all(answered)
            }
            Pattern::Existence { .. } => !run.complete || all.clone().any(|at| fills(0, at)),
            Pattern::BoundedExistence { at_most, .. } => {
                let times = all.filter(|at| fills(0, *at)).count();
                times <= usize::try_from(at_most.value).unwrap_or(usize::MAX)
            }
            Pattern::Exclusion { .. } => !run.moments.iter().any(|moment| {
                let points = &self.positions[0];
                let mut met: Vec<_> = moment.iter().filter(|one| points.contains(one)).collect();
                met.sort_unstable_by_key(|one| format!("{one:?}"));
                met.dedup();
                met.len() > 1
            }),
            Pattern::Reachable { .. } => true,
        }
    }
}

/// Fails with the first promise that a run breaks.
pub(super) fn judge(
    promises: &[Kept<'_>],
    run: &Run,
    word: impl Fn(At) -> String,
) -> Result<(), TestCaseError> {
    let Some(broken) = promises.iter().find(|one| !one.holds(run)) else {
        return Ok(());
    };
    let mut text = format!("`{}` is broken by this run:\n", broken.invariant.name.value);
    for letter in &run.letters {
        let words: Vec<_> = letter.iter().map(|point| word(*point)).collect();
        let _ = writeln!(text, "  {}", words.join(", "));
    }
    Err(TestCaseError::fail(text))
}

/// A point as contracts write it.
pub(super) fn word(model: &Model, row: PointRow) -> String {
    match row {
        PointRow::State(at) => format!("state:{}", model.states[at].name),
        PointRow::Event(at) => format!("event:{}", model.events[at].name),
        PointRow::Effect(at) => format!("effect:{}", model.effects[at].name),
        PointRow::Semantics(semantics) => format!("semantics:{semantics}"),
    }
}
