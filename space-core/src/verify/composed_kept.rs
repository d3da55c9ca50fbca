//! Promises of compositions, on random runs.

use std::time::Duration;

use super::composed::{feed_in_rows, step_in_rows};
use super::kept::{At, Kept, Run, Waits, asked, judge, next, word};
use super::oracle::Oracle;
use super::runs::{Budget, Draw, Picker, draws};
use super::walker::fail;
use crate::compose::{ComposedSpace, FeedStep, Moved, ProductStep};
use crate::contract::{Points, Semantics, Sources};
use crate::graph::{Composed, PointRow};
use crate::parse::parse_composition;
use proptest::test_runner::TestCaseError;

/// As [`super::promises`], for what `composition.toml`, whose text is `compositions`, promises of a
/// composition. What bridges feed is fed as the runner feeds it; loops end after their rounds.
///
/// # Panics
/// With the smallest run that breaks a promise.
pub fn composed_promises<P: ComposedSpace<Guards: Sized>>(
    typed: &P,
    compositions: &str,
    guards: impl Fn(Oracle) -> P::Guards,
) {
    let composed = typed.composed();
    let file = Sources::default().add("composition.toml", compositions);
    let rows = parse_composition(compositions, file).value.invariants;
    let own = rows
        .iter()
        .filter(|row| row.composition.value == composed.name);
    let resolve = |points: &Points| {
        let found = points.iter().filter_map(|point| {
            let at = composed.component(point.space.as_deref()?)?;
            Some((at, PointRow::of(&composed.components[at].model, point)?))
        });
        found.collect()
    };
    let promises: Vec<_> = own.map(|row| Kept::of(&row.invariant, &resolve)).collect();
    if promises.is_empty() {
        return;
    }
    Budget::from_env().check(&draws(), |(seed, run)| {
        let guards = guards(Oracle::new(seed));
        let run = random(typed, &guards, &run)?;
        judge(&promises, &run, |(component, row)| {
            let one = &composed.components[component];
            format!("{}.{}", one.name, word(&one.model, row))
        })
    });
}

/// A run made of these draws.
fn random<P: ComposedSpace<Guards: Sized>>(
    typed: &P,
    guards: &P::Guards,
    draws: &[Draw],
) -> Result<Run, TestCaseError> {
    let composed = typed.composed();
    let count = composed.components.len();
    let mut whole = typed.start();
    let mut waits: Vec<Waits> = (0..count)
        .map(|at| {
            if composed.begins(at) {
                Waits::Start
            } else {
                Waits::Nothing
            }
        })
        .collect();
    let mut run = Run::begin(standing(composed, &typed.state_rows(whole.state), &waits));
    for draw in draws {
        let semantics = |at: usize, waits: &[Waits]| match waits[at] {
            Waits::Effect(effect) => Some(composed.components[at].model.effects[effect].semantics),
            Waits::Start | Waits::Nothing => None,
        };
        let busy = |at: usize, waits: &[Waits]| {
            let kept = |one| !matches!(one, Semantics::Query | Semantics::Stop);
            semantics(at, waits).is_some_and(kept)
        };
        let idle = |at: usize| semantics(at, &waits).is_none_or(|one| one == Semantics::Stop);
        let (step, restarted) = match typed.due(&whole, |at| busy(at, &waits)) {
            Some(bridge) => {
                let fed = typed.feed(&mut whole, bridge, Duration::ZERO, guards);
                match feed_in_rows(typed, fed) {
                    FeedStep::Exhausted(_) => return Ok(run),
                    FeedStep::Stepped {
                        step, restarted, ..
                    } => (step, restarted),
                }
            }
            None if typed.is_complete(&whole, idle) => {
                run.complete = true;
                return Ok(run);
            }
            None => {
                let states = typed.state_rows(whole.state);
                let at = usize::from(draw.kind) % count;
                let model = &composed.components[at].model;
                if model.states[states[at]].terminal {
                    continue;
                }
                let Some(event) = next(model, states[at], waits[at], draw.pick) else {
                    continue;
                };
                // A sync event waits for what others must not be interrupted in.
                let sync = composed
                    .sync_of(at, event)
                    .map_or(&[][..], |row| &row.parts);
                let waited = sync.iter().any(|(part, row)| {
                    let agrees = match waits[*part] {
                        Waits::Effect(effect) => composed.components[*part]
                            .model
                            .returns(effect)
                            .contains(row),
                        Waits::Start | Waits::Nothing => false,
                    };
                    *part != at && busy(*part, &waits) && !agrees
                });
                if waited {
                    continue;
                }
                let values = Picker::new(draw.values).row(&model.events[event].payload);
                let external = model.events[event].external;
                let event = typed.event_from(at, event, values);
                let event = event.map_err(|error| fail(&error))?;
                let step = step_in_rows(typed, typed.step(&mut whole, event, guards));
                if matches!(step, ProductStep::Rejected { .. }) && !external {
                    return Ok(run);
                }
                (step, Vec::new())
            }
        };
        if let ProductStep::Handled(moved) = step {
            told(composed, &moved, &restarted, &mut run, &mut waits);
            let mut moment = standing(composed, &typed.state_rows(whole.state), &waits);
            moment.extend(events(&moved));
            run.moment(moment);
        }
    }
    Ok(run)
}

/// The letters of a step, and what each component waits for after it.
fn told(
    composed: &Composed,
    moved: &[Moved],
    restarted: &[usize],
    run: &mut Run,
    waits: &mut [Waits],
) {
    let (mut states, mut effects): (Vec<At>, Vec<At>) = (Vec::new(), Vec::new());
    for at in restarted {
        states.push((*at, PointRow::State(composed.components[*at].model.initial)));
        waits[*at] = Waits::Nothing;
    }
    for one in moved {
        let (at, to) = (one.component, usize::from(one.to.0));
        states.push((at, PointRow::State(to)));
        let effect = one.effect.as_ref().map(|effect| effect.index);
        if let Some(effect) = effect {
            effects.extend(asked(at, &composed.components[at].model, effect));
        }
        waits[at] = effect.map_or(Waits::Nothing, Waits::Effect);
    }
    run.step(events(moved), states, effects);
}

fn events(moved: &[Moved]) -> Vec<At> {
    let rows = moved.iter();
    rows.map(|one| (one.component, PointRow::Event(one.event)))
        .collect()
}

/// What is true while nothing moves: states, and effects that are asked for.
fn standing(composed: &Composed, states: &[usize], waits: &[Waits]) -> Vec<At> {
    let mut points = Vec::new();
    for (at, one) in composed.components.iter().enumerate() {
        points.push((at, PointRow::State(states[at])));
        if let Waits::Effect(effect) = waits[at] {
            points.extend(asked(at, &one.model, effect));
        }
    }
    points
}
