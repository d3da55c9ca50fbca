//! A generated machine against the interpreter of its contract, and against itself.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::oracle::Oracle;
use super::runs::{Budget, draws, event};
use super::strategies;
use super::walker::{Difference, Seen, Walker, fail};
use crate::contract::{Sources, Span, Value};
use crate::diagnostic::Severity;
use crate::diagnostic::render::{Colour, human};
use crate::graph::Model;
use crate::machine::{EffectSpace, Space, Table, Values};
use crate::parse::{parse_space_base, parse_space_domain};

/// The machine of two contract files, interpreted.
///
/// # Panics
/// With the findings, when the contract has errors.
pub fn interpreted(base: &str, domain: &str) -> EffectSpace {
    let mut sources = Sources::default();
    let base_file = sources.add("base.toml", base);
    let domain_file = sources.add("domain.toml", domain);
    let base = parse_space_base(base, base_file);
    let domain = parse_space_domain(domain, domain_file);
    let mut found = base.diagnostics;
    found.extend(domain.diagnostics);
    let failed = found.iter().any(|one| one.severity() == Severity::Error);
    if !failed {
        match EffectSpace::from_contract(&base.value, &domain.value, &[]) {
            Ok(space) => return space,
            Err(findings) => found = findings,
        }
    }
    panic!("{}", human(&found, &sources, Colour::Never));
}

/// The table is the contract, up to prose and places.
///
/// # Panics
/// When it is not.
pub fn same_contract(table: &Table, interpreted: &EffectSpace) {
    assert_eq!(table.model(), bare(interpreted.model()));
}

/// A model without prose and places.
pub(super) fn bare(model: &Model) -> Model {
    let mut model = model.clone();
    model.doc = None;
    model.states.iter_mut().for_each(|row| row.doc = None);
    model.guards.iter_mut().for_each(|row| row.doc = None);
    model.slots.iter_mut().for_each(|row| row.doc = None);
    for row in &mut model.events {
        row.doc = None;
        row.payload.iter_mut().for_each(|field| field.doc = None);
    }
    for row in &mut model.effects {
        row.doc = None;
        row.args.iter_mut().for_each(|arg| arg.doc = None);
    }
    let rules = model.rules.iter_mut();
    rules.for_each(|rule| rule.span = Span::default());
    model
}

/// A typed machine does what the interpreter of its contract does, on random runs under guards
/// that answer anything: the same state, effect, context, reason, and the event handed back.
///
/// # Panics
/// With the smallest run that differs.
pub fn differential<S: Space>(
    typed: &S,
    interpreted: &EffectSpace,
    guards: impl Fn(Oracle) -> Box<S::Guards>,
) {
    let model = interpreted.model();
    if model.events.is_empty() {
        return;
    }
    Budget::from_env().check(&draws(), |(seed, run)| {
        let oracle = Oracle::new(seed);
        let (guards, table) = (guards(oracle), oracle.table(model));
        let mut one = Walker::new(typed, &guards);
        let mut other = Walker::new(interpreted, &table);
        let mut trace = Vec::new();
        for draw in run {
            one.place(model, draw)?;
            other.place(model, draw)?;
            let (index, values) = event(model, other.state(), draw);
            trace.push((other.state(), index));
            let ctx = other.ctx.clone();
            let expected = other.step(index, &values)?;
            let found = one.step(index, &values)?;
            if found != expected {
                let step = Difference {
                    trace: &trace,
                    ctx,
                    values,
                    found,
                    expected,
                };
                return Err(fail(&step.describe(model)));
            }
        }
        Ok(())
    });
}

/// The same inputs give the same result.
///
/// # Panics
/// With the smallest run that does not.
pub fn determinism<S: Space>(space: &S, guards: impl Fn(Oracle) -> Box<S::Guards>) {
    walk(space, guards, |_, before, event, after| {
        let seen = before.clone().step(event.index, &event.values)?;
        prop_assert_eq!(&seen, after);
        Ok(())
    });
}

/// A step says only what the contract declares: states, effects and slots of their types; a
/// terminal state handles nothing; what is handled, a rule answers.
///
/// # Panics
/// With the smallest run that says more.
pub fn closure<S: Space>(space: &S, guards: impl Fn(Oracle) -> Box<S::Guards>) {
    walk(space, guards, |model, before, event, after| {
        prop_assert!(after.state < model.states.len());
        let values = Values {
            index: after.state,
            values: after.ctx.clone(),
        };
        prop_assert!(space.ctx_from(values.values).is_ok());
        if let Some((index, values)) = &after.effect {
            prop_assert!(space.effect_from(*index, values.clone()).is_ok());
        }
        let cell = model.cell(before.state(), event.index);
        let rule = match cell {
            crate::graph::Cell::Rule(rule) => Some(rule),
            _ => None,
        };
        let ignored = cell == crate::graph::Cell::Ignored;
        prop_assert_eq!(after.kind == "ignored", ignored);
        if after.kind == "handled" {
            prop_assert_eq!(rule.map(|rule| rule.to), Some(after.state));
            let effect = after.effect.as_ref().map(|(index, _)| *index);
            prop_assert_eq!(rule.and_then(|rule| rule.effect), effect);
        }
        Ok(())
    });
}

/// Runs a machine, and shows each step: the machine before it, the event, what came of it.
fn walk<S: Space>(
    space: &S,
    guards: impl Fn(Oracle) -> Box<S::Guards>,
    look: impl Fn(&Model, &Walker<'_, S>, &Values, &Seen) -> Result<(), TestCaseError>,
) {
    let model = space.model();
    if model.events.is_empty() {
        return;
    }
    Budget::from_env().check(&draws(), |(seed, run)| {
        let guards = guards(Oracle::new(seed));
        let mut walker = Walker::new(space, &guards);
        for draw in run {
            walker.place(model, draw)?;
            let (index, values) = event(model, walker.state(), draw);
            let before = walker.clone();
            let seen = walker.step(index, &values)?;
            look(model, &before, &Values { index, values }, &seen)?;
        }
        Ok(())
    });
}

/// Events, effects and contexts become values and come back, exactly; extreme ones, too, and
/// through JSON text's data model.
///
/// # Panics
/// With the smallest value that does not come back.
pub fn round_trip<S: Space>(space: &S) {
    let model = space.model();
    let budget = Budget {
        // A value is dearer than an event of a run: it is of any size.
        events: Budget::from_env().events / 16,
        ..Budget::from_env()
    };
    if !model.events.is_empty() {
        budget.check(&strategies::event(model), |(index, values)| {
            let event = space.event_from(index, values.clone());
            let event = event.map_err(|error| fail(&error))?;
            prop_assert_eq!(space.event_index(&event), index);
            came_back(&space.event_values(&event), &values)
        });
    }
    if !model.effects.is_empty() {
        budget.check(&strategies::effect(model), |(index, values)| {
            let effect = space.effect_from(index, values.clone());
            let effect = effect.map_err(|error| fail(&error))?;
            prop_assert_eq!(space.effect_index(&effect), index);
            came_back(&space.effect_values(&effect), &values)
        });
    }
    budget.check(&strategies::ctx(model), |values| {
        let ctx = space.ctx_from(values.clone());
        let ctx = ctx.map_err(|error| fail(&error))?;
        came_back(&space.ctx_values(&ctx), &values)
    });
    assert!(space.event_from(model.events.len(), Vec::new()).is_err());
    assert!(space.effect_from(model.effects.len(), Vec::new()).is_err());
    assert!(space.state_at(model.states.len()).is_none());
    for state in 0..model.states.len() {
        assert_eq!(
            space.state_at(state).map(|at| space.state_index(at)),
            Some(state)
        );
    }
}

/// Compared as text, too: `-0.0` equals `0.0`, but is not the same.
fn came_back(found: &Vec<Value>, expected: &Vec<Value>) -> Result<(), TestCaseError> {
    prop_assert_eq!(found, expected);
    prop_assert!(same_text(found, expected));
    Ok(())
}

fn same_text(one: &impl Debug, other: &impl Debug) -> bool {
    format!("{one:?}") == format!("{other:?}")
}
