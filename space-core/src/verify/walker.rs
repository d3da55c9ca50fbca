//! A machine of any kind in the middle of a random run, and what its steps come to.

use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::runs::{Draw, Picker};
use crate::contract::Value;
use crate::graph::Model;
use crate::machine::{Rejection, Space, Step};

/// What a step came to, in terms that every machine of a contract shares.
#[derive(Debug, PartialEq)]
pub(super) struct Seen {
    pub(super) kind: &'static str,
    pub(super) state: usize,
    pub(super) effect: Option<(usize, Vec<Value>)>,
    reason: Option<Rejection>,
    returned: Option<(usize, Vec<Value>)>,
    pub(super) ctx: Vec<Value>,
}

/// A machine in the middle of a run.
pub(super) struct Walker<'a, S: Space> {
    space: &'a S,
    guards: &'a S::Guards,
    state: S::State,
    pub(super) ctx: S::Ctx,
}

impl<S: Space> Clone for Walker<'_, S> {
    fn clone(&self) -> Self {
        Self {
            space: self.space,
            guards: self.guards,
            state: self.state,
            ctx: self.ctx.clone(),
        }
    }
}

impl<'a, S: Space> Walker<'a, S> {
    pub(super) fn new(space: &'a S, guards: &'a S::Guards) -> Self {
        Self {
            space,
            guards,
            state: space.initial(),
            ctx: space.context(),
        }
    }

    pub(super) fn state(&self) -> usize {
        self.space.state_index(self.state)
    }

    /// Before an event: to any state and context, whether a run could come there or not, when the
    /// draw says so; from an end to the start, mostly.
    pub(super) fn place(&mut self, model: &Model, draw: Draw) -> Result<(), TestCaseError> {
        if draw.kind == 0 {
            let mut picker = Picker::new(draw.values ^ 0x5555);
            let state = self.space.state_at(picker.below(model.states.len()));
            self.state = state.ok_or_else(|| fail("a state is missing"))?;
            let ctx = self.space.ctx_from(picker.ctx(model));
            self.ctx = ctx.map_err(|error| fail(&error))?;
        } else if model.states[self.state()].terminal && draw.kind > 2 {
            self.state = self.space.initial();
            self.ctx = self.space.context();
        }
        Ok(())
    }

    pub(super) fn step(&mut self, index: usize, values: &[Value]) -> Result<Seen, TestCaseError> {
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

/// A step at which two machines part.
pub(super) struct Difference<'a> {
    /// States and events up to it, itself included.
    pub(super) trace: &'a [(usize, usize)],
    pub(super) ctx: Vec<Value>,
    pub(super) values: Vec<Value>,
    pub(super) found: Seen,
    pub(super) expected: Seen,
}

impl Difference<'_> {
    pub(super) fn describe(&self, model: &Model) -> String {
        let mut text = String::from("the machines part:\n");
        for (state, event) in self.trace {
            let (state, event) = (&model.states[*state].name, &model.events[*event].name);
            let _ = writeln!(text, "  {state} on {event}");
        }
        let names = |params: &[crate::graph::Param]| {
            let names = params.iter().map(|param| param.name.clone());
            names.collect::<Vec<_>>()
        };
        if let Some((_, event)) = self.trace.last() {
            let fields = names(&model.events[*event].payload);
            let _ = writeln!(text, "  payload {}", named(&fields, &self.values));
        }
        let slots: Vec<_> = model.slots.iter().map(|slot| slot.name.clone()).collect();
        let _ = writeln!(text, "  context {}", named(&slots, &self.ctx));
        for (who, seen) in [("found", &self.found), ("expected", &self.expected)] {
            let state = model.states.get(seen.state);
            let state = state.map_or("?", |row| row.name.as_str());
            let _ = write!(text, "{who}: {} in {state}", seen.kind);
            if let Some(reason) = seen.reason {
                let _ = write!(text, ", {}", reason.describe(model));
            }
            if let Some((effect, values)) = &seen.effect
                && let Some(row) = model.effects.get(*effect)
            {
                let _ = write!(text, ", {} {}", row.name, named(&names(&row.args), values));
            }
            let _ = writeln!(text, "\n  context {}", named(&slots, &seen.ctx));
        }
        text
    }
}

/// `{ name: value, .. }`; huge texts are cut.
fn named(names: &[String], values: &[Value]) -> String {
    let pairs = names.iter().zip(values).map(|(name, value)| {
        let value = value.to_string();
        let short: String = value.chars().take(60).collect();
        let cut = if short.len() < value.len() { ".." } else { "" };
        format!("{name}: {short}{cut}")
    });
    format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
}

pub(super) fn fail(error: &(impl ToString + ?Sized)) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}
