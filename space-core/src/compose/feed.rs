//! What one component of a composition is fed because of another.

use std::time::Duration;

use super::limit::exhausted;
use super::product::index;
use super::{
    ComposedGuards, Exhausted, FeedStep, Moved, Product, ProductState, ProductStep, Tagged,
};
use crate::graph::Cell;
use crate::machine::{Space, StateId, Step};

impl Product {
    /// The bridge whose event is to be fed next, by row: the first one whose target is not `busy`.
    pub fn due(&self, state: &ProductState, busy: impl Fn(usize) -> bool) -> Option<usize> {
        let waiting = state.waiting.iter().map(|fed| fed.bridge);
        waiting
            .into_iter()
            .find(|bridge| !busy(self.composed.bridges[*bridge].to))
    }

    /// Feeds what waits at a bridge. `elapsed` is how long the run has taken so far.
    ///
    /// A `LoopBack` into the component that reached the point, or into one at its end, is stepped
    /// from the source state of the first rule that accepts it; everything else from where the
    /// component is. When it is handled, the components of a series behind the one that is looped
    /// back to start anew. When it is not, nothing changes but that it no longer waits.
    pub fn feed(
        &self,
        state: &mut ProductState,
        bridge: usize,
        elapsed: Duration,
        guards: &ComposedGuards,
    ) -> FeedStep {
        let row = &self.composed.bridges[bridge];
        let looped = row.feedback;
        if let Some(exhausted) = self.exhausted(state, bridge, elapsed) {
            return FeedStep::Exhausted(exhausted);
        }
        let Some(at) = state.waiting.iter().position(|fed| fed.bridge == bridge) else {
            let step = ProductStep::Handled(Vec::new());
            return FeedStep::Stepped {
                bridge,
                round: None,
                restarted: Vec::new(),
                step,
            };
        };
        let event = state.waiting.remove(at).event;
        let was = index(state.states[row.to]);
        let from = StateId::of(self.composed.landing(bridge, was));
        let mut ctx = state.ctx[row.to].clone();
        let guards = guards.of(&self.composed.components[row.to].name);
        let event_row = event.index;
        let tagged = |event| Tagged {
            component: row.to,
            event,
        };
        let step = match self.spaces[row.to].step(from, &mut ctx, event, guards) {
            Step::Handled { state: to, effect } => {
                let restarted = self.restart(state, bridge);
                let one = Moved {
                    component: row.to,
                    from,
                    event: event_row,
                    to,
                    effect,
                };
                let moved = self.commit(state, vec![(one, ctx)]);
                let round = looped.map(|at| {
                    state.rounds[at] = state.rounds[at].saturating_add(1);
                    state.rounds[at]
                });
                let step = ProductStep::Handled(moved);
                return FeedStep::Stepped {
                    bridge,
                    round,
                    restarted,
                    step,
                };
            }
            Step::Ignored { event } => ProductStep::Ignored {
                event: tagged(event),
                by: row.to,
            },
            Step::Rejected { event, reason } => ProductStep::Rejected {
                event: tagged(event),
                by: row.to,
                reason,
            },
        };
        FeedStep::Stepped {
            bridge,
            round: None,
            restarted: Vec::new(),
            step,
        }
    }

    /// Whether what waits at a bridge is all that is left to be stepped: every other component is at
    /// its end, and this takes its target to its own.
    pub fn is_last(&self, state: &ProductState, bridge: usize) -> bool {
        let row = &self.composed.bridges[bridge];
        let at_end = |at: usize| self.composed.is_terminal(at, index(state.states[at]));
        let [fed] = state.waiting.as_slice() else {
            return false;
        };
        let others = (0..self.spaces.len()).all(|at| at == row.to || at_end(at));
        if fed.bridge != bridge || row.feedback.is_some() || at_end(row.to) || !others {
            return false;
        }
        let model = &self.composed.components[row.to].model;
        match model.cell(index(state.states[row.to]), fed.event.index) {
            Cell::Rule(rule) => model.states[rule.to].terminal,
            Cell::Ignored | Cell::Empty => false,
        }
    }

    /// The loop that a bridge is part of, when it is used up. `elapsed` is how long the run has taken
    /// so far.
    pub fn exhausted(
        &self,
        state: &ProductState,
        bridge: usize,
        elapsed: Duration,
    ) -> Option<Exhausted> {
        let at = self.composed.bridges[bridge].feedback?;
        exhausted(&self.composed.loops[at], state.rounds[at], elapsed)
    }

    /// Puts what a `LoopBack` starts anew back to its initial state.
    fn restart(&self, state: &mut ProductState, bridge: usize) -> Vec<usize> {
        let all = 0..self.spaces.len();
        let restarts = |component: &usize| {
            let at = index(state.states[*component]);
            self.composed.restarts(bridge, *component, at)
        };
        let restarted: Vec<_> = all.filter(restarts).collect();
        for component in &restarted {
            state.states[*component] = self.spaces[*component].initial();
        }
        restarted
    }
}
