//! A composition of generated machines.

use std::fmt;
use std::time::Duration;

use super::limit::exhausted;
use super::{Exhausted, Fed, FeedStep, Moved, ProductState, ProductStep, Tagged};
use crate::contract::Value;
use crate::graph::{Cell, Composed};
use crate::machine::{DecodeError, StateId, Step, Values, fed};

/// Everything that a composition of generated machines is in.
#[derive(Clone, Debug, PartialEq)]
pub struct ComposedState<S, C, E> {
    /// The state of each component.
    pub state: S,
    /// The slots of each component.
    pub ctx: C,
    /// Events that wait to be fed, by bridge; of each bridge at most one, the newest.
    pub waiting: Vec<Fed<E>>,
    /// How often each loop was gone through.
    pub rounds: Vec<u32>,
}

/// What a [`ComposedSpace`] is in.
type Whole<P> = ComposedState<
    <P as ComposedSpace>::State,
    <P as ComposedSpace>::Ctx,
    <P as ComposedSpace>::Event,
>;

/// What a step of a [`ComposedSpace`] came to.
type Came<P> = ProductStep<<P as ComposedSpace>::Event, <P as ComposedSpace>::Effect>;

/// Spaces put together, in generated types. Deterministic and total, like each of them.
///
/// A run is a sequence of [`ComposedSpace::step`]s, and of [`ComposedSpace::feed`]s of what
/// [`ComposedSpace::due`] says: what waits to be fed is fed before anything else, unless what it
/// would interrupt must not be. Components and bridges are named by their rows in
/// [`ComposedSpace::composed`].
pub trait ComposedSpace {
    /// The components' states.
    type State: Copy + Eq + fmt::Debug + Send + Sync + 'static;
    /// The components' context slots.
    type Ctx: Clone + PartialEq + fmt::Debug + Send + Sync + 'static;
    /// An event of one component.
    type Event: Clone + PartialEq + fmt::Debug + Send + Sync + 'static;
    /// An effect of one component.
    type Effect: Clone + PartialEq + fmt::Debug + Send + Sync + 'static;
    /// The components' guards.
    type Guards: ?Sized;

    /// The composition, resolved.
    fn composed(&self) -> &Composed;

    /// Where runs start.
    fn initial(&self) -> Self::State;

    /// The contexts that runs start with.
    fn context(&self) -> Self::Ctx;

    /// The row of a component's state.
    fn state_row(&self, state: Self::State, component: usize) -> usize;

    /// The same states, but one component in the state of this row; `None` when there is no such
    /// row.
    fn with_state(&self, state: Self::State, component: usize, row: usize) -> Option<Self::State>;

    /// The step of the event's own component, and of no other. Its context changes only when the
    /// event is handled.
    fn step_component(
        &self,
        state: Self::State,
        ctx: &mut Self::Ctx,
        event: Self::Event,
        guards: &Self::Guards,
    ) -> Step<Self::State, Self::Event, Self::Effect>;

    /// The component of an event, and its row there.
    fn event_row(&self, event: &Self::Event) -> (usize, usize);

    /// The payload, in the order of its declaration.
    fn event_values(&self, event: &Self::Event) -> Vec<Value>;

    /// The event of a component's row and a payload.
    ///
    /// # Errors
    /// When there is no such row, or the values are not of the declared number and types.
    fn event_from(
        &self,
        component: usize,
        row: usize,
        values: Vec<Value>,
    ) -> Result<Self::Event, DecodeError>;

    /// The component of an effect, and its row there.
    fn effect_row(&self, effect: &Self::Effect) -> (usize, usize);

    /// The arguments, in the order of their declaration.
    fn effect_values(&self, effect: &Self::Effect) -> Vec<Value>;

    /// The slots of a component, in the order of their declaration.
    fn ctx_values(&self, ctx: &Self::Ctx, component: usize) -> Vec<Value>;

    /// The contexts of these slots, by component.
    ///
    /// # Errors
    /// As [`ComposedSpace::event_from`].
    fn ctx_from(&self, slots: Vec<Vec<Value>>) -> Result<Self::Ctx, DecodeError>;

    /// What a guard of the event's component answers, by its row there; `slots` are that component's.
    ///
    /// # Errors
    /// When there is no such row, or the slots are not of the declared number and types.
    fn guard(
        &self,
        guard: usize,
        slots: Vec<Value>,
        event: &Self::Event,
        guards: &Self::Guards,
    ) -> Result<bool, DecodeError>;

    /// An event as the runner and the interpreter name it.
    fn tagged(&self, event: &Self::Event) -> Tagged {
        let (component, index) = self.event_row(event);
        let values = self.event_values(event);
        Tagged {
            component,
            event: Values { index, values },
        }
    }

    /// What the runner or the interpreter is in, in generated types.
    ///
    /// # Errors
    /// When it is no state of this composition.
    fn decode(&self, state: &ProductState) -> Result<Whole<Self>, DecodeError> {
        let mut whole = self.start();
        for (component, id) in state.states.iter().enumerate() {
            let index = usize::from(id.0);
            let with = self.with_state(whole.state, component, index);
            whole.state = with.ok_or(DecodeError::NoRow { index })?;
        }
        whole.ctx = self.ctx_from(state.ctx.clone())?;
        whole.rounds.clone_from(&state.rounds);
        for fed in &state.waiting {
            let row = self.composed().bridges.get(fed.bridge);
            let row = row.ok_or(DecodeError::NoRow { index: fed.bridge })?;
            let event = self.event_from(row.to, fed.event.index, fed.event.values.clone())?;
            let bridge = fed.bridge;
            whole.waiting.push(Fed { bridge, event });
        }
        Ok(whole)
    }

    /// Everything as it is when a run starts.
    fn start(&self) -> Whole<Self> {
        ComposedState {
            state: self.initial(),
            ctx: self.context(),
            waiting: Vec::new(),
            rounds: vec![0; self.composed().loops.len()],
        }
    }

    /// One step: of the component whose event it is, or, when it is a sync event, of all that
    /// declare it and are not at their end. All of them are asked before one moves; when one of
    /// them does not handle it, none does.
    fn step(
        &self,
        whole: &mut Whole<Self>,
        event: Self::Event,
        guards: &Self::Guards,
    ) -> Came<Self> {
        let parts = self.participants(whole, &event);
        if let [(component, row)] = parts[..]
            && (component, row) == self.event_row(&event)
        {
            let from = StateId::of(self.state_row(whole.state, component));
            return match self.step_component(whole.state, &mut whole.ctx, event, guards) {
                Step::Handled { state, effect } => {
                    whole.state = state;
                    let to = StateId::of(self.state_row(state, component));
                    let moved = vec![Moved {
                        component,
                        from,
                        event: row,
                        to,
                        effect,
                    }];
                    self.fed_by(whole, &moved);
                    ProductStep::Handled(moved)
                }
                Step::Ignored { event } => ProductStep::Ignored {
                    event,
                    by: component,
                },
                Step::Rejected { event, reason } => ProductStep::Rejected {
                    event,
                    by: component,
                    reason,
                },
            };
        }
        // Nothing of the others may have changed when one of them refuses.
        let (mut state, mut ctx) = (whole.state, whole.ctx.clone());
        let mut moved = Vec::with_capacity(parts.len());
        for (component, row) in parts {
            let own = self.event_from(component, row, self.event_values(&event));
            // The gates let only equal payloads be shared.
            let own = own.unwrap_or_else(|_| event.clone());
            let from = StateId::of(self.state_row(state, component));
            match self.step_component(state, &mut ctx, own, guards) {
                Step::Handled {
                    state: next,
                    effect,
                } => {
                    state = next;
                    let to = StateId::of(self.state_row(state, component));
                    moved.push(Moved {
                        component,
                        from,
                        event: row,
                        to,
                        effect,
                    });
                }
                Step::Ignored { .. } => {
                    return ProductStep::Ignored {
                        event,
                        by: component,
                    };
                }
                Step::Rejected { reason, .. } => {
                    return ProductStep::Rejected {
                        event,
                        by: component,
                        reason,
                    };
                }
            }
        }
        (whole.state, whole.ctx) = (state, ctx);
        self.fed_by(whole, &moved);
        ProductStep::Handled(moved)
    }

    /// Who an event moves, and each one's row of it.
    fn participants(&self, whole: &Whole<Self>, event: &Self::Event) -> Vec<(usize, usize)> {
        let own = self.event_row(event);
        let Some(sync) = self.composed().sync_of(own.0, own.1) else {
            return vec![own];
        };
        let live = |(component, _): &&(usize, usize)| {
            let row = self.state_row(whole.state, *component);
            !self.composed().is_terminal(*component, row)
        };
        let parts: Vec<_> = sync.parts.iter().filter(live).copied().collect();
        // When all are at their end, the one that was asked says so.
        if parts.is_empty() { vec![own] } else { parts }
    }

    /// The bridge whose event is to be fed next, by row: the first one whose target is not `busy`.
    fn due(&self, whole: &Whole<Self>, busy: impl Fn(usize) -> bool) -> Option<usize> {
        let bridges = &self.composed().bridges;
        let mut waiting = whole.waiting.iter().map(|fed| fed.bridge);
        waiting.find(|bridge| !busy(bridges[*bridge].to))
    }

    /// The loop that a bridge is part of, when it is used up. `elapsed` is how long the run has taken
    /// so far.
    fn exhausted(
        &self,
        whole: &Whole<Self>,
        bridge: usize,
        elapsed: Duration,
    ) -> Option<Exhausted> {
        let at = self.composed().bridges[bridge].feedback?;
        exhausted(&self.composed().loops[at], whole.rounds[at], elapsed)
    }

    /// Feeds what waits at a bridge. `elapsed` is how long the run has taken so far.
    ///
    /// A `LoopBack` lands where [`Composed::landing`] says, and starts anew what a series has behind
    /// the component that is looped back to. When the event is not handled, nothing changes but that
    /// it no longer waits.
    fn feed(
        &self,
        whole: &mut Whole<Self>,
        bridge: usize,
        elapsed: Duration,
        guards: &Self::Guards,
    ) -> FeedStep<Self::Event, Self::Effect> {
        if let Some(exhausted) = self.exhausted(whole, bridge, elapsed) {
            return FeedStep::Exhausted(exhausted);
        }
        let row = &self.composed().bridges[bridge];
        let mut came = (None, Vec::new(), ProductStep::Handled(Vec::new()));
        if let Some(at) = whole.waiting.iter().position(|fed| fed.bridge == bridge) {
            let event = whole.waiting.remove(at).event;
            let was = self.state_row(whole.state, row.to);
            let landing = self.composed().landing(bridge, was);
            let landed = self.with_state(whole.state, row.to, landing);
            let landed = landed.unwrap_or(whole.state);
            came.2 = match self.step_component(landed, &mut whole.ctx, event, guards) {
                Step::Handled { state, effect } => {
                    came.1 = self.restart(whole, bridge);
                    let to = self.state_row(state, row.to);
                    let next = self.with_state(whole.state, row.to, to);
                    whole.state = next.unwrap_or(state);
                    let moved = vec![Moved {
                        component: row.to,
                        from: StateId::of(landing),
                        event: row.event,
                        to: StateId::of(to),
                        effect,
                    }];
                    self.fed_by(whole, &moved);
                    came.0 = row.feedback.map(|at| {
                        whole.rounds[at] = whole.rounds[at].saturating_add(1);
                        whole.rounds[at]
                    });
                    ProductStep::Handled(moved)
                }
                Step::Ignored { event } => ProductStep::Ignored { event, by: row.to },
                Step::Rejected { event, reason } => ProductStep::Rejected {
                    event,
                    by: row.to,
                    reason,
                },
            };
        }
        let (round, restarted, step) = came;
        FeedStep::Stepped {
            bridge,
            round,
            restarted,
            step,
        }
    }

    /// Whether a component's next effect has to wait: another one is in a state that holds it.
    fn is_held(&self, whole: &Whole<Self>, component: usize) -> bool {
        let holds = self.composed().holds.iter();
        let mut holds = holds.filter(|hold| hold.held == component);
        holds.any(|hold| self.state_row(whole.state, hold.by) == hold.state)
    }

    /// Whether nothing moves any more by itself. `idle` says of a component that it has no effect.
    fn is_complete(&self, whole: &Whole<Self>, idle: impl Fn(usize) -> bool) -> bool {
        whole.waiting.is_empty()
            && self
                .composed()
                .is_complete(&self.state_rows(whole.state), idle)
    }

    /// The states in words: `retrieval.Found, reasoning.Answered`.
    fn describe(&self, state: Self::State) -> String {
        self.composed().describe(&self.state_rows(state))
    }

    /// The row of each component's state.
    fn state_rows(&self, state: Self::State) -> Vec<usize> {
        let components = 0..self.composed().components.len();
        components.map(|at| self.state_row(state, at)).collect()
    }

    /// Lets the events wait that components are to be fed for what others did.
    #[doc(hidden)]
    fn fed_by(&self, whole: &mut Whole<Self>, moved: &[Moved<Self::Effect>]) {
        let composed = self.composed();
        for one in moved {
            let model = &composed.components[one.component].model;
            let Cell::Rule(rule) = model.cell(one.from.0.into(), one.event) else {
                continue;
            };
            for bridge in composed.reached(one.component, rule) {
                let row = &composed.bridges[bridge];
                let fields = &composed.components[row.to].model.events[row.event].payload;
                let slot = |(component, slot): &(usize, usize)| {
                    self.ctx_values(&whole.ctx, *component).swap_remove(*slot)
                };
                let slots: Vec<_> = row.payload.iter().map(slot).collect();
                let values = fed(fields, slots.iter());
                // The gates let only slots be fed that fit.
                let Ok(event) = self.event_from(row.to, row.event, values) else {
                    continue;
                };
                let fed = Fed { bridge, event };
                match whole
                    .waiting
                    .binary_search_by_key(&bridge, |fed| fed.bridge)
                {
                    Ok(at) => whole.waiting[at] = fed,
                    Err(at) => whole.waiting.insert(at, fed),
                }
            }
        }
    }

    /// Puts what a `LoopBack` starts anew back to its initial state.
    #[doc(hidden)]
    fn restart(&self, whole: &mut Whole<Self>, bridge: usize) -> Vec<usize> {
        let composed = self.composed();
        let restarts = |component: &usize| {
            let row = self.state_row(whole.state, *component);
            composed.restarts(bridge, *component, row)
        };
        let restarted: Vec<_> = (0..composed.components.len()).filter(restarts).collect();
        for component in &restarted {
            let initial = composed.components[*component].model.initial;
            let state = self.with_state(whole.state, *component, initial);
            whole.state = state.unwrap_or(whole.state);
        }
        restarted
    }
}
