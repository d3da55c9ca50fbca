//! The smallest machine that goes on for ever, as it would be generated.

use std::sync::LazyLock;

use space_core::contract::{Semantics, Value};
use space_core::graph::Model;
use space_core::machine::{
    DecodeError, Dispatch, EffectEntry, EventEntry, Fault, FieldEntry, Rejection, RuleEntry,
    SlotEntry, Space, Step, Table,
};

/// `Idle --Start--> Ticking`, `Ticking --Ticked--> Ticking` with `Tick`, and `Halt` from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticker;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Idle,
    Ticking,
    Halted,
}

#[derive(Clone, Debug, PartialEq)]
#[allow(dead_code, reason = "not every program that includes this halts")]
pub(crate) enum Event {
    Start { from: i64 },
    Ticked { to: i64 },
    Halt,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    Tick { at: i64 },
}

/// A contract without guards still has their trait.
pub(crate) trait TickerGuards: Send + Sync {}

pub(crate) struct Open;

impl TickerGuards for Open {}

const RULES: [RuleEntry; 3] = [
    RuleEntry {
        on: 0,
        to: 1,
        guard: 0,
        effect: 1,
        args: 0,
        assigns: 0,
        row: 0,
    },
    RuleEntry {
        on: 1,
        to: 1,
        guard: 0,
        effect: 1,
        args: 0,
        assigns: 0,
        row: 1,
    },
    RuleEntry {
        on: 2,
        to: 2,
        guard: 0,
        effect: 0,
        args: 1,
        assigns: 1,
        row: 2,
    },
];

fn bytes(rules: &[RuleEntry]) -> Vec<u8> {
    let words = rules.iter().flat_map(|rule| rule.words());
    words.flat_map(u16::to_le_bytes).collect()
}

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let starts: Vec<u8> = [0_u32, 1, 3, 3]
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect();
    Table {
        name: "ticker",
        prefix: "Ticker",
        hash: [0; 32],
        states: &["Idle", "Ticking", "Halted"],
        initial: 0,
        events: &[
            EventEntry {
                name: "Start",
                payload: &[FieldEntry("from", "int")],
                external: false,
            },
            EventEntry {
                name: "Ticked",
                payload: &[FieldEntry("to", "int")],
                external: false,
            },
            EventEntry {
                name: "Halt",
                payload: &[],
                external: true,
            },
        ],
        effects: &[EffectEntry {
            name: "Tick",
            args: &[FieldEntry("at", "int")],
            semantics: Semantics::Query,
            returns: Some(&[1]),
            sentinel: None,
        }],
        guards: &[],
        slots: &[SlotEntry {
            name: "at",
            ty: "int",
            default: None,
        }],
        starts: starts.leak(),
        rules: bytes(&RULES).leak(),
        args: &[&[0], &[]],
        assigns: &[&[(0, 0)], &[]],
        ignored: &[],
    }
    .model()
});

impl Space for Ticker {
    type State = State;
    type Event = Event;
    type Effect = Effect;
    type Ctx = Option<i64>;
    type Guards = dyn TickerGuards;

    fn model(&self) -> &Model {
        &MODEL
    }

    fn initial(&self) -> State {
        State::Idle
    }

    fn context(&self) -> Option<i64> {
        None
    }

    #[inline]
    fn step(
        &self,
        state: State,
        ctx: &mut Option<i64>,
        event: Event,
        _: &dyn TickerGuards,
    ) -> Step<State, Event, Effect> {
        let (at, to) = match (state, event) {
            (State::Idle, Event::Start { from: at })
            | (State::Ticking, Event::Ticked { to: at }) => (at, State::Ticking),
            (State::Ticking, Event::Halt) => {
                return Step::Handled {
                    state: State::Halted,
                    effect: None,
                };
            }
            (_, event) => {
                return Step::Rejected {
                    event,
                    reason: Rejection::NoRule,
                };
            }
        };
        *ctx = Some(at);
        Step::Handled {
            state: to,
            effect: Some(Effect::Tick { at }),
        }
    }

    fn state_index(&self, state: State) -> usize {
        state as usize
    }

    fn state_at(&self, index: usize) -> Option<State> {
        [State::Idle, State::Ticking, State::Halted]
            .get(index)
            .copied()
    }

    fn event_index(&self, event: &Event) -> usize {
        match event {
            Event::Start { .. } => 0,
            Event::Ticked { .. } => 1,
            Event::Halt => 2,
        }
    }

    fn event_values(&self, event: &Event) -> Vec<Value> {
        match event {
            Event::Start { from: at } | Event::Ticked { to: at } => vec![Value::Int(*at)],
            Event::Halt => Vec::new(),
        }
    }

    fn event_from(&self, index: usize, _: Vec<Value>) -> Result<Event, DecodeError> {
        Err(DecodeError::NoRow { index })
    }

    fn effect_index(&self, effect: &Effect) -> usize {
        match effect {
            Effect::Tick { .. } => 0,
        }
    }

    fn effect_values(&self, effect: &Effect) -> Vec<Value> {
        let Effect::Tick { at } = effect;
        vec![Value::Int(*at)]
    }

    fn effect_from(&self, index: usize, _: Vec<Value>) -> Result<Effect, DecodeError> {
        Err(DecodeError::NoRow { index })
    }

    fn ctx_values(&self, ctx: &Option<i64>) -> Vec<Value> {
        vec![ctx.map_or(Value::None, Value::Int)]
    }

    fn ctx_from(&self, _: Vec<Value>) -> Result<Option<i64>, DecodeError> {
        Err(DecodeError::NoRow { index: 0 })
    }

    fn sentinel(&self, _: &Effect, _: String) -> Option<Event> {
        None
    }
}

/// Answers ticks.
pub(crate) trait Tick {
    fn tick(&mut self, at: i64) -> impl Future<Output = Result<i64, Fault>> + Send;
}

impl<H: Tick + Send> Dispatch<H> for Ticker {
    async fn dispatch(&self, handler: &mut H, effect: &Effect) -> Result<Option<Event>, Fault> {
        let Effect::Tick { at } = effect;
        let to = handler.tick(*at).await?;
        Ok(Some(Event::Ticked { to }))
    }
}
