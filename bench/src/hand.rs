//! The same machine by hand, twice: as a pure function that returns its effect, and in place.

#![allow(
    missing_docs,
    clippy::match_same_arms,
    reason = "the names mean nothing, and every rule has a line"
)]

use crate::world::{Ctx, World, level_is_high, level_is_odd, mark_is_behind};

/// A state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    S0,
    S1,
    S2,
    S3,
    S4,
    S5,
    S6,
    S7,
    S8,
    S9,
    S10,
    S11,
    End,
}

/// An event, for every machine that takes its own type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    E0,
    E1,
    E2,
    E3,
    E4,
    E5,
    E6,
    E7,
    E8,
    E9,
    E10,
    E11,
    E12,
    E13,
    E14,
    G0,
    G1,
    G2,
    G3,
    Set { value: i64 },
    Close,
}

/// An effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Do0,
    Do1,
    Do2,
    Do4,
    Do5,
    Do6,
    Do7,
    Do8,
    Do9,
    Do10,
    Do11,
    Tell0 { value: i64 },
    Tell4 { value: i64 },
    Tell8 { value: i64 },
    Halt,
}

/// Pure: the event is read, the effect is returned, `None` is "not accepted".
///
/// Each user has a copy of its own: what a program calls in one place is inlined there.
#[inline]
pub fn step<const USER: u8>(
    state: State,
    ctx: &mut Ctx,
    event: Event,
) -> Option<(State, Option<Effect>)> {
    Some(match state {
        State::S0 => match event {
            Event::E4 => (State::S11, Some(Effect::Do11)),
            Event::G0 if level_is_odd(ctx) => (State::S2, Some(Effect::Do2)),
            Event::G1 if level_is_high(ctx) => (State::S7, Some(Effect::Do7)),
            Event::Close => (State::End, Some(Effect::Halt)),
            _ => return None,
        },
        State::S1 => match event {
            Event::E14 => (State::S6, Some(Effect::Do6)),
            Event::G1 if level_is_high(ctx) => (State::S0, None),
            Event::G3 if mark_is_behind(ctx) => (State::S6, Some(Effect::Do6)),
            _ => return None,
        },
        State::S2 => match event {
            Event::E3 => (State::S1, Some(Effect::Do1)),
            Event::E8 => (State::S8, Some(Effect::Do8)),
            Event::E9 => (State::S9, Some(Effect::Do9)),
            Event::Set { value } => {
                ctx.level = value;
                (State::S0, Some(Effect::Tell0 { value }))
            }
            _ => return None,
        },
        State::S3 => match event {
            Event::E5 => (State::S9, Some(Effect::Do9)),
            Event::G1 if level_is_high(ctx) => (State::S5, Some(Effect::Do5)),
            Event::G3 if mark_is_behind(ctx) => (State::S5, Some(Effect::Do5)),
            _ => return None,
        },
        State::S4 => match event {
            Event::E2 => (State::S10, Some(Effect::Do10)),
            Event::E4 => (State::S11, Some(Effect::Do11)),
            Event::E14 => (State::S5, Some(Effect::Do5)),
            _ => return None,
        },
        State::S5 => match event {
            Event::E0 => (State::S9, Some(Effect::Do9)),
            Event::E3 => (State::S7, Some(Effect::Do7)),
            Event::E10 => (State::S7, Some(Effect::Do7)),
            _ => return None,
        },
        State::S6 => match event {
            Event::E1 => (State::S3, None),
            Event::G0 if level_is_odd(ctx) => (State::S9, Some(Effect::Do9)),
            Event::G1 if level_is_high(ctx) => (State::S7, Some(Effect::Do7)),
            _ => return None,
        },
        State::S7 => match event {
            Event::E6 => (State::S7, Some(Effect::Do7)),
            Event::E8 => (State::S8, Some(Effect::Tell8 { value: ctx.mark })),
            Event::E13 => (State::S4, Some(Effect::Do4)),
            Event::Set { value } => {
                ctx.mark = value;
                (State::S0, Some(Effect::Tell0 { value }))
            }
            _ => return None,
        },
        State::S8 => match event {
            Event::E0 => (State::S2, Some(Effect::Do2)),
            Event::G0 if level_is_odd(ctx) => (State::S10, Some(Effect::Do10)),
            Event::G2 if !level_is_odd(ctx) => (State::S11, Some(Effect::Do11)),
            Event::Set { value } => {
                ctx.level = value;
                (State::S0, Some(Effect::Tell0 { value }))
            }
            _ => return None,
        },
        State::S9 => match event {
            Event::E6 => (State::S0, Some(Effect::Do0)),
            Event::G0 if level_is_odd(ctx) => (State::S11, Some(Effect::Do11)),
            Event::G2 if !level_is_odd(ctx) => (State::S11, Some(Effect::Do11)),
            _ => return None,
        },
        State::S10 => match event {
            Event::E7 => (State::S5, Some(Effect::Do5)),
            Event::G2 if !level_is_odd(ctx) => (State::S4, Some(Effect::Do4)),
            Event::G3 if mark_is_behind(ctx) => (State::S10, Some(Effect::Do10)),
            Event::Set { value } => {
                ctx.mark = value;
                (State::S8, Some(Effect::Tell8 { value }))
            }
            _ => return None,
        },
        State::S11 => match event {
            Event::E2 => (State::S7, Some(Effect::Do7)),
            Event::E11 => (State::S4, Some(Effect::Tell4 { value: ctx.level })),
            Event::E12 => (State::S4, Some(Effect::Do4)),
            _ => return None,
        },
        State::End => return None,
    })
}

/// In place: the effect is performed inside, and a bit says whether the event was accepted.
#[inline]
pub fn handle(state: &mut State, world: &mut World, event: &Event) -> bool {
    *state = match state {
        State::S0 => match event {
            Event::E4 => {
                world.perform(11, 0);
                State::S11
            }
            Event::G0 if level_is_odd(&world.ctx) => {
                world.perform(3, 0);
                State::S2
            }
            Event::G1 if level_is_high(&world.ctx) => {
                world.perform(7, 0);
                State::S7
            }
            Event::Close => {
                world.perform(15, 0);
                State::End
            }
            _ => return false,
        },
        State::S1 => match event {
            Event::E14 => {
                world.perform(6, 0);
                State::S6
            }
            Event::G1 if level_is_high(&world.ctx) => State::S0,
            Event::G3 if mark_is_behind(&world.ctx) => {
                world.perform(6, 0);
                State::S6
            }
            _ => return false,
        },
        State::S2 => match event {
            Event::E3 => {
                world.perform(2, 0);
                State::S1
            }
            Event::E8 => {
                world.perform(8, 0);
                State::S8
            }
            Event::E9 => {
                world.perform(9, 0);
                State::S9
            }
            Event::Set { value } => {
                world.ctx.level = *value;
                world.perform(12, *value);
                State::S0
            }
            _ => return false,
        },
        State::S3 => match event {
            Event::E5 => {
                world.perform(9, 0);
                State::S9
            }
            Event::G1 if level_is_high(&world.ctx) => {
                world.perform(5, 0);
                State::S5
            }
            Event::G3 if mark_is_behind(&world.ctx) => {
                world.perform(5, 0);
                State::S5
            }
            _ => return false,
        },
        State::S4 => match event {
            Event::E2 => {
                world.perform(10, 0);
                State::S10
            }
            Event::E4 => {
                world.perform(11, 0);
                State::S11
            }
            Event::E14 => {
                world.perform(5, 0);
                State::S5
            }
            _ => return false,
        },
        State::S5 => match event {
            Event::E0 => {
                world.perform(9, 0);
                State::S9
            }
            Event::E3 => {
                world.perform(7, 0);
                State::S7
            }
            Event::E10 => {
                world.perform(7, 0);
                State::S7
            }
            _ => return false,
        },
        State::S6 => match event {
            Event::E1 => State::S3,
            Event::G0 if level_is_odd(&world.ctx) => {
                world.perform(9, 0);
                State::S9
            }
            Event::G1 if level_is_high(&world.ctx) => {
                world.perform(7, 0);
                State::S7
            }
            _ => return false,
        },
        State::S7 => match event {
            Event::E6 => {
                world.perform(7, 0);
                State::S7
            }
            Event::E8 => {
                world.perform(14, world.ctx.mark);
                State::S8
            }
            Event::E13 => {
                world.perform(4, 0);
                State::S4
            }
            Event::Set { value } => {
                world.ctx.mark = *value;
                world.perform(12, *value);
                State::S0
            }
            _ => return false,
        },
        State::S8 => match event {
            Event::E0 => {
                world.perform(3, 0);
                State::S2
            }
            Event::G0 if level_is_odd(&world.ctx) => {
                world.perform(10, 0);
                State::S10
            }
            Event::G2 if !level_is_odd(&world.ctx) => {
                world.perform(11, 0);
                State::S11
            }
            Event::Set { value } => {
                world.ctx.level = *value;
                world.perform(12, *value);
                State::S0
            }
            _ => return false,
        },
        State::S9 => match event {
            Event::E6 => {
                world.perform(1, 0);
                State::S0
            }
            Event::G0 if level_is_odd(&world.ctx) => {
                world.perform(11, 0);
                State::S11
            }
            Event::G2 if !level_is_odd(&world.ctx) => {
                world.perform(11, 0);
                State::S11
            }
            _ => return false,
        },
        State::S10 => match event {
            Event::E7 => {
                world.perform(5, 0);
                State::S5
            }
            Event::G2 if !level_is_odd(&world.ctx) => {
                world.perform(4, 0);
                State::S4
            }
            Event::G3 if mark_is_behind(&world.ctx) => {
                world.perform(10, 0);
                State::S10
            }
            Event::Set { value } => {
                world.ctx.mark = *value;
                world.perform(14, *value);
                State::S8
            }
            _ => return false,
        },
        State::S11 => match event {
            Event::E2 => {
                world.perform(7, 0);
                State::S7
            }
            Event::E11 => {
                world.perform(13, world.ctx.level);
                State::S4
            }
            Event::E12 => {
                world.perform(4, 0);
                State::S4
            }
            _ => return false,
        },
        State::End => return false,
    };
    true
}
