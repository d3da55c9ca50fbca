//! A light Hoare triple over random steps.

use std::cell::Cell;

use proptest::prelude::*;

use super::oracle::Oracle;
use super::runs::{Budget, Picker, draws, event};
use crate::machine::{Space, Step};

/// What a precondition sees: a machine, and the event that is about to arrive.
#[derive(Debug)]
pub struct Triple<'a, S: Space> {
    /// The state.
    pub state: S::State,
    /// The context.
    pub ctx: &'a S::Ctx,
    /// The event.
    pub event: &'a S::Event,
}

/// What a postcondition sees: what the step came to, and the context after it.
type After<S> = Step<<S as Space>::State, <S as Space>::Event, <S as Space>::Effect>;

/// `{pre} step {post}`: wherever `pre` holds, `post` holds after the step. Looked at from any
/// state and context, whether a run could come there or not, under guards that answer anything.
///
/// Source: Hoare, *An axiomatic basis for computer programming*, CACM 1969.
///
/// # Panics
/// With the smallest step that breaks it; and when `pre` never held, for then it says nothing.
pub fn check_triple<S: Space>(
    space: &S,
    guards: impl Fn(Oracle) -> Box<S::Guards>,
    pre: impl Fn(&Triple<'_, S>) -> bool,
    post: impl Fn(&Triple<'_, S>, &After<S>, &S::Ctx) -> bool,
) {
    let model = space.model();
    let held = Cell::new(0_u64);
    if !model.events.is_empty() {
        Budget::from_env().check(&draws(), |(seed, run)| {
            let guards = guards(Oracle::new(seed));
            for draw in run {
                let mut picker = Picker::new(draw.values ^ 0x5555);
                let at = picker.below(model.states.len());
                let (Some(state), Ok(ctx)) =
                    (space.state_at(at), space.ctx_from(picker.ctx(model)))
                else {
                    continue;
                };
                let (index, values) = event(model, at, draw);
                let Ok(event) = space.event_from(index, values) else {
                    continue;
                };
                let before = Triple {
                    state,
                    ctx: &ctx,
                    event: &event,
                };
                if !pre(&before) {
                    continue;
                }
                held.set(held.get() + 1);
                let mut after = ctx.clone();
                let step = space.step(state, &mut after, event.clone(), &guards);
                prop_assert!(
                    post(&before, &step, &after),
                    "{{ pre }} step {{ post }} is broken: {state:?} on {event:?} gives {step:?}"
                );
            }
            Ok(())
        });
    }
    assert!(
        held.get() > 0,
        "the precondition never held: the triple says nothing"
    );
}
