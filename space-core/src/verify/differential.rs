//! A generated machine against the interpreter of its contract, and against itself.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::oracle::Oracle;
use super::runs::{Budget, Draw, Picker, draws, event};
use super::strategies;
use crate::contract::{Sources, Span, Value};
use crate::diagnostic::Severity;
use crate::diagnostic::render::{Colour, human};
use crate::graph::Model;
use crate::machine::{EffectSpace, Space, Step, Table, Values};
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
        match EffectSpace::from_contract(&base.value, &domain.value) {
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
fn bare(model: &Model) -> Model {
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

/// What a step came to, in terms that every machine of a contract shares.
#[derive(Debug, PartialEq)]
struct Seen {
    kind: &'static str,
    state: usize,
    effect: Option<(usize, Vec<Value>)>,
    reason: Option<crate::machine::Rejection>,
    returned: Option<(usize, Vec<Value>)>,
    ctx: Vec<Value>,
}

/// A machine in the middle of a run.
struct Walker<'a, S: Space> {
    space: &'a S,
    guards: &'a S::Guards,
    state: S::State,
    ctx: S::Ctx,
}

impl<'a, S: Space> Walker<'a, S> {
    fn new(space: &'a S, guards: &'a S::Guards) -> Self {
        Self {
            space,
            guards,
            state: space.initial(),
            ctx: space.context(),
        }
    }

    fn state(&self) -> usize {
        self.space.state_index(self.state)
    }

    /// To any state and context, whether a run could come there or not.
    fn jump(&mut self, state: usize, ctx: Vec<Value>) -> Result<(), TestCaseError> {
        let at = self.space.state_at(state);
        self.state = at.ok_or_else(|| fail(&format!("there is no state {state}")))?;
        self.ctx = self.space.ctx_from(ctx).map_err(|error| fail(&error))?;
        Ok(())
    }

    fn restart(&mut self) {
        self.state = self.space.initial();
        self.ctx = self.space.context();
    }

    fn step(&mut self, index: usize, values: &[Value]) -> Result<Seen, TestCaseError> {
        let space = self.space;
        let event = space.event_from(index, values.to_vec());
        let event = event.map_err(|error| fail(&error))?;
        let values = |event: S::Event| (space.event_index(&event), space.event_values(&event));
        let before = self.ctx.clone();
        let step = space.step(self.state, &mut self.ctx, event, self.guards);
        let mut seen = Seen {
            kind: "handled",
            state: self.state(),
            effect: None,
            reason: None,
            returned: None,
            ctx: space.ctx_values(&self.ctx),
        };
        match step {
            Step::Handled { state, effect } => {
                self.state = state;
                seen.state = space.state_index(state);
                seen.effect = effect
                    .map(|effect| (space.effect_index(&effect), space.effect_values(&effect)));
            }
            Step::Ignored { event } => {
                seen.kind = "ignored";
                seen.returned = Some(values(event));
            }
            Step::Rejected { event, reason } => {
                seen.kind = "rejected";
                seen.reason = Some(reason);
                seen.returned = Some(values(event));
            }
        }
        prop_assert!(
            seen.kind == "handled" || self.ctx == before,
            "the context changed although the event was {}",
            seen.kind
        );
        Ok(seen)
    }
}

fn fail(error: &(impl ToString + ?Sized)) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

/// Where a draw jumps to, when it does.
fn jump(model: &Model, draw: Draw) -> Option<(usize, Vec<Value>)> {
    (draw.kind == 0).then(|| {
        let mut picker = Picker::new(draw.values ^ 0x5555);
        (picker.below(model.states.len()), picker.ctx(model))
    })
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
        for draw in run {
            if let Some((state, ctx)) = jump(model, draw) {
                one.jump(state, ctx.clone())?;
                other.jump(state, ctx)?;
            } else if model.states[other.state()].terminal && draw.kind > 2 {
                one.restart();
                other.restart();
            }
            let (index, values) = event(model, other.state(), draw);
            let expected = other.step(index, &values)?;
            let found = one.step(index, &values)?;
            prop_assert_eq!(found, expected, "event {}", &model.events[index].name);
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
        let mut again = Walker {
            space: before.space,
            guards: before.guards,
            state: before.state,
            ctx: before.ctx.clone(),
        };
        let seen = again.step(event.index, &event.values)?;
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
            if let Some((state, ctx)) = jump(model, draw) {
                walker.jump(state, ctx)?;
            } else if model.states[walker.state()].terminal && draw.kind > 2 {
                walker.restart();
            }
            let (index, values) = event(model, walker.state(), draw);
            let before = Walker {
                space,
                guards: walker.guards,
                state: walker.state,
                ctx: walker.ctx.clone(),
            };
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
