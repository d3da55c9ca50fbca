//! A generated composition against the interpreter of its contracts.

use std::time::Duration;

use proptest::prelude::*;

use super::differential::bare;
use super::oracle::Oracle;
use super::runs::{Budget, Draw, draws, event};
use super::walker::fail;
use crate::compose::{
    Composed, ComposedGuards, ComposedSpace, FeedStep, Product, ProductState, ProductStep, Tagged,
};
use crate::contract::{Sources, Span};
use crate::diagnostic::Severity;
use crate::diagnostic::render::{Colour, human};
use crate::machine::{Space as _, Values};
use crate::parse::{parse_composition, parse_space_base, parse_space_domain};

/// A composition of contract files, interpreted: pairs of a base and a domain, and the
/// compositions.
///
/// # Panics
/// With the findings, when one of them has errors.
pub fn interpreted_composition(name: &str, pairs: &[(&str, &str)], compositions: &str) -> Product {
    let mut sources = Sources::default();
    let mut found = Vec::new();
    let mut contracts = Vec::new();
    for (base, domain) in pairs {
        let base = parse_space_base(base, sources.add("base.toml", *base));
        let domain = parse_space_domain(domain, sources.add("domain.toml", *domain));
        found.extend(base.diagnostics);
        found.extend(domain.diagnostics);
        contracts.push((base.value, domain.value));
    }
    let file = sources.add("composition.toml", compositions);
    let compositions = parse_composition(compositions, file);
    found.extend(compositions.diagnostics);
    if !found.iter().any(|one| one.severity() == Severity::Error) {
        let contracts: Vec<_> = contracts
            .iter()
            .map(|(base, domain)| (base, domain))
            .collect();
        match Product::from_contracts(name, &contracts, &compositions.value) {
            Ok(product) => return product,
            Err(findings) => found = findings,
        }
    }
    panic!("{}", human(&found, &sources, Colour::Never));
}

/// The data is the contract, up to prose and places.
///
/// # Panics
/// When it is not.
pub fn same_composition<P: ComposedSpace>(typed: &P, interpreted: &Product) {
    let mut expected: Composed = interpreted.composed().clone();
    expected.doc = None;
    expected
        .syncs
        .iter_mut()
        .for_each(|row| row.span = Span::default());
    expected
        .bridges
        .iter_mut()
        .for_each(|row| row.span = Span::default());
    for one in &mut expected.components {
        one.model = bare(&one.model).into();
    }
    assert_eq!(typed.composed(), &expected);
}

/// A typed composition does what the interpreter of its contracts does, on random runs under guards
/// that answer anything: the same moves, effects, reasons, contexts, waiting events and rounds. What the
/// interpreter is in becomes generated types at every step.
///
/// # Panics
/// With the smallest run that differs.
pub fn composed_differential<P: ComposedSpace<Guards: Sized>>(
    typed: &P,
    interpreted: &Product,
    guards: impl Fn(Oracle) -> P::Guards,
) {
    Budget::from_env().check(&draws(), |(seed, run)| {
        let oracle = Oracle::new(seed);
        let own = guards(oracle);
        let mut tables = ComposedGuards::new();
        for one in &interpreted.composed().components {
            tables = tables.with(&one.name, oracle.table(&one.model));
        }
        let mut whole = typed.start();
        let mut state = interpreted.initial();
        let mut trace = Vec::new();
        for draw in run {
            trace.push(interpreted.describe(&state));
            let busy = |component: usize| (draw.values >> (component % 60)).trailing_zeros() >= 3;
            let due = interpreted.due(&state, busy);
            prop_assert_eq!(typed.due(&whole, busy), due, "due, after {:#?}", trace);
            let same = match due {
                Some(bridge) if draw.kind % 4 != 0 => {
                    let elapsed = Duration::from_millis(u64::from(draw.pick));
                    let expected = interpreted.feed(&mut state, bridge, elapsed, &tables);
                    let found = typed.feed(&mut whole, bridge, elapsed, &own);
                    feed_in_rows(typed, found) == expected
                }
                _ => {
                    let tagged = pick(interpreted, &state, draw);
                    let Some(tagged) = tagged else { continue };
                    let (at, row) = (tagged.component, tagged.event.index);
                    let event = typed.event_from(at, row, tagged.event.values.clone());
                    let event = event.map_err(|error| fail(&error))?;
                    prop_assert_eq!(&typed.tagged(&event), &tagged);
                    let expected = interpreted.step(&mut state, tagged, &tables);
                    let found = typed.step(&mut whole, event, &own);
                    step_in_rows(typed, found) == expected
                }
            };
            let idle = |component: usize| !busy(component);
            let (done, expected) = (
                typed.is_complete(&whole, idle),
                interpreted.is_complete(&state, idle),
            );
            prop_assert!(same, "the machines part after {:#?}", trace);
            prop_assert_eq!(done, expected, "completion, after {:#?}", trace);
            for component in 0..interpreted.composed().components.len() {
                prop_assert_eq!(
                    typed.is_held(&whole, component),
                    interpreted.is_held(&state, component)
                );
                let slots = typed.ctx_values(&whole.ctx, component);
                prop_assert_eq!(&slots, &state.ctx[component], "slots, after {:#?}", trace);
            }
            let decoded = typed.decode(&state).map_err(|error| fail(&error))?;
            prop_assert_eq!(&decoded, &whole, "everything, after {:#?}", trace);
        }
        Ok(())
    });
}

/// An event of a random component; mostly one that its state says something to.
fn pick(product: &Product, state: &ProductState, draw: Draw) -> Option<Tagged> {
    let count = product.composed().components.len();
    let component = usize::from(draw.kind / 4 + u8::from(draw.values & 1 == 1)) % count;
    let space = product.space(component);
    let model = space.model();
    if model.events.is_empty() {
        return None;
    }
    let (index, values) = event(model, state.states[component].0.into(), draw);
    Some(Tagged {
        component,
        event: Values { index, values },
    })
}

pub(super) fn step_in_rows<P: ComposedSpace>(
    typed: &P,
    step: ProductStep<P::Event, P::Effect>,
) -> ProductStep {
    let event = |event: P::Event| typed.tagged(&event);
    match step {
        ProductStep::Handled(moved) => {
            let moved = moved.into_iter().map(|one| crate::compose::Moved {
                component: one.component,
                from: one.from,
                event: one.event,
                to: one.to,
                effect: one.effect.map(|effect| Values {
                    index: typed.effect_row(&effect).1,
                    values: typed.effect_values(&effect),
                }),
            });
            ProductStep::Handled(moved.collect())
        }
        ProductStep::Ignored { event: back, by } => ProductStep::Ignored {
            event: event(back),
            by,
        },
        ProductStep::Rejected {
            event: back,
            by,
            reason,
        } => ProductStep::Rejected {
            event: event(back),
            by,
            reason,
        },
    }
}

pub(super) fn feed_in_rows<P: ComposedSpace>(
    typed: &P,
    step: FeedStep<P::Event, P::Effect>,
) -> FeedStep {
    match step {
        FeedStep::Stepped {
            bridge,
            round,
            restarted,
            step,
        } => FeedStep::Stepped {
            bridge,
            round,
            restarted,
            step: step_in_rows(typed, step),
        },
        FeedStep::Exhausted(exhausted) => FeedStep::Exhausted(exhausted),
    }
}
