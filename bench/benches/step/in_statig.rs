//! The machine in statig: a method a state, the effect performed inside.

#![allow(
    clippy::match_same_arms,
    reason = "one arm a row, as a person writes a table down"
)]

use space_bench::hand::Event;
use space_bench::world::{World, level_is_high, level_is_odd, mark_is_behind};
use statig::prelude::*;

#[derive(Default)]
pub(crate) struct Station;

#[state_machine(initial = "State::s0()", state(derive(Debug, PartialEq, Eq)))]
impl Station {
    #[state]
    fn s0(context: &mut World, event: &Event) -> Outcome<State> {
        match event {
            Event::E4 => {
                context.perform(11, 0);
                Transition(State::s11())
            }
            Event::G0 if level_is_odd(&context.ctx) => {
                context.perform(3, 0);
                Transition(State::s2())
            }
            Event::G1 if level_is_high(&context.ctx) => {
                context.perform(7, 0);
                Transition(State::s7())
            }
            Event::Close => {
                context.perform(15, 0);
                Transition(State::end())
            }
            _ => Super,
        }
    }

    #[state]
    fn s1(context: &mut World, event: &Event) -> Outcome<State> {
        match event {
            Event::E14 => {
                context.perform(6, 0);
                Transition(State::s6())
            }
            Event::G1 if level_is_high(&context.ctx) => Transition(State::s0()),
            Event::G3 if mark_is_behind(&context.ctx) => {
                context.perform(6, 0);
                Transition(State::s6())
            }
            _ => Super,
        }
    }

    #[state]
    fn s2(context: &mut World, event: &Event) -> Outcome<State> {
        match event {
            Event::E3 => {
                context.perform(2, 0);
                Transition(State::s1())
            }
            Event::E8 => {
                context.perform(8, 0);
                Transition(State::s8())
            }
            Event::E9 => {
                context.perform(9, 0);
                Transition(State::s9())
            }
            Event::Set { value } => {
                context.ctx.level = *value;
                context.perform(12, *value);
                Transition(State::s0())
            }
            _ => Super,
        }
    }

    #[state]
    fn s3(context: &mut World, event: &Event) -> Outcome<State> {
        match event {
            Event::E5 => {
                context.perform(9, 0);
                Transition(State::s9())
            }
            Event::G1 if level_is_high(&context.ctx) => {
                context.perform(5, 0);
                Transition(State::s5())
            }
            Event::G3 if mark_is_behind(&context.ctx) => {
                context.perform(5, 0);
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[state]
    fn s4(context: &mut World, event: &Event) -> Outcome<State> {
        match event {
            Event::E2 => {
                context.perform(10, 0);
                Transition(State::s10())
            }
            Event::E4 => {
                context.perform(11, 0);
                Transition(State::s11())
            }
            Event::E14 => {
                context.perform(5, 0);
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[state]
    fn s5(context: &mut World, event: &Event) -> Outcome<State> {
        match event {
            Event::E0 => {
                context.perform(9, 0);
                Transition(State::s9())
            }
            Event::E3 => {
                context.perform(7, 0);
                Transition(State::s7())
            }
            Event::E10 => {
                context.perform(7, 0);
                Transition(State::s7())
            }
            _ => Super,
        }
    }

    #[state]
    fn s6(context: &mut World, event: &Event) -> Outcome<State> {
        match event {
            Event::E1 => Transition(State::s3()),
            Event::G0 if level_is_odd(&context.ctx) => {
                context.perform(9, 0);
                Transition(State::s9())
            }
            Event::G1 if level_is_high(&context.ctx) => {
                context.perform(7, 0);
                Transition(State::s7())
            }
            _ => Super,
        }
    }

    #[state]
    fn s7(context: &mut World, event: &Event) -> Outcome<State> {
        match event {
            Event::E6 => {
                context.perform(7, 0);
                Transition(State::s7())
            }
            Event::E8 => {
                context.perform(14, context.ctx.mark);
                Transition(State::s8())
            }
            Event::E13 => {
                context.perform(4, 0);
                Transition(State::s4())
            }
            Event::Set { value } => {
                context.ctx.mark = *value;
                context.perform(12, *value);
                Transition(State::s0())
            }
            _ => Super,
        }
    }

    #[state]
    fn s8(context: &mut World, event: &Event) -> Outcome<State> {
        match event {
            Event::E0 => {
                context.perform(3, 0);
                Transition(State::s2())
            }
            Event::G0 if level_is_odd(&context.ctx) => {
                context.perform(10, 0);
                Transition(State::s10())
            }
            Event::G2 if !level_is_odd(&context.ctx) => {
                context.perform(11, 0);
                Transition(State::s11())
            }
            Event::Set { value } => {
                context.ctx.level = *value;
                context.perform(12, *value);
                Transition(State::s0())
            }
            _ => Super,
        }
    }

    #[state]
    fn s9(context: &mut World, event: &Event) -> Outcome<State> {
        match event {
            Event::E6 => {
                context.perform(1, 0);
                Transition(State::s0())
            }
            Event::G0 if level_is_odd(&context.ctx) => {
                context.perform(11, 0);
                Transition(State::s11())
            }
            Event::G2 if !level_is_odd(&context.ctx) => {
                context.perform(11, 0);
                Transition(State::s11())
            }
            _ => Super,
        }
    }

    #[state]
    fn s10(context: &mut World, event: &Event) -> Outcome<State> {
        match event {
            Event::E7 => {
                context.perform(5, 0);
                Transition(State::s5())
            }
            Event::G2 if !level_is_odd(&context.ctx) => {
                context.perform(4, 0);
                Transition(State::s4())
            }
            Event::G3 if mark_is_behind(&context.ctx) => {
                context.perform(10, 0);
                Transition(State::s10())
            }
            Event::Set { value } => {
                context.ctx.mark = *value;
                context.perform(14, *value);
                Transition(State::s8())
            }
            _ => Super,
        }
    }

    #[state]
    fn s11(context: &mut World, event: &Event) -> Outcome<State> {
        match event {
            Event::E2 => {
                context.perform(7, 0);
                Transition(State::s7())
            }
            Event::E11 => {
                context.perform(13, context.ctx.level);
                Transition(State::s4())
            }
            Event::E12 => {
                context.perform(4, 0);
                Transition(State::s4())
            }
            _ => Super,
        }
    }

    #[state]
    fn end(event: &Event) -> Outcome<State> {
        let _ = event;
        Super
    }
}
