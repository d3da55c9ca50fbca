//! The machine in rust-fsm. It knows neither guards nor payloads: a caller's wrapper adds both.

use rust_fsm::*;
use space_bench::hand::Event;
use space_bench::world::{World, level_is_high, level_is_odd, mark_is_behind};

state_machine! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) fsm(S0)

    S0 => {
        E4 => S11 [Do11],
        G0 => S2 [Do2],
        G1 => S7 [Do7],
        Close => End [Halt]
    },
    S1 => {
        E14 => S6 [Do6],
        G1 => S0,
        G3 => S6 [Do6]
    },
    S2 => {
        E3 => S1 [Do1],
        E8 => S8 [Do8],
        E9 => S9 [Do9],
        Set => S0 [Tell0AndLevel]
    },
    S3 => {
        E5 => S9 [Do9],
        G1 => S5 [Do5],
        G3 => S5 [Do5]
    },
    S4 => {
        E2 => S10 [Do10],
        E4 => S11 [Do11],
        E14 => S5 [Do5]
    },
    S5 => {
        E0 => S9 [Do9],
        E3 => S7 [Do7],
        E10 => S7 [Do7]
    },
    S6 => {
        E1 => S3,
        G0 => S9 [Do9],
        G1 => S7 [Do7]
    },
    S7 => {
        E6 => S7 [Do7],
        E8 => S8 [Tell8Mark],
        E13 => S4 [Do4],
        Set => S0 [Tell0AndMark]
    },
    S8 => {
        E0 => S2 [Do2],
        G0 => S10 [Do10],
        G2 => S11 [Do11],
        Set => S0 [Tell0AndLevel]
    },
    S9 => {
        E6 => S0 [Do0],
        G0 => S11 [Do11],
        G2 => S11 [Do11]
    },
    S10 => {
        E7 => S5 [Do5],
        G2 => S4 [Do4],
        G3 => S10 [Do10],
        Set => S8 [Tell8AndMark]
    },
    S11 => {
        E2 => S7 [Do7],
        E11 => S4 [Tell4Level],
        E12 => S4 [Do4]
    }
}

/// One event: guards before it, payload and effect after it.
#[inline]
pub(crate) fn handle(machine: &mut fsm::StateMachine, world: &mut World, event: &Event) {
    let (input, value) = match event {
        Event::E0 => (fsm::Input::E0, 0),
        Event::E1 => (fsm::Input::E1, 0),
        Event::E2 => (fsm::Input::E2, 0),
        Event::E3 => (fsm::Input::E3, 0),
        Event::E4 => (fsm::Input::E4, 0),
        Event::E5 => (fsm::Input::E5, 0),
        Event::E6 => (fsm::Input::E6, 0),
        Event::E7 => (fsm::Input::E7, 0),
        Event::E8 => (fsm::Input::E8, 0),
        Event::E9 => (fsm::Input::E9, 0),
        Event::E10 => (fsm::Input::E10, 0),
        Event::E11 => (fsm::Input::E11, 0),
        Event::E12 => (fsm::Input::E12, 0),
        Event::E13 => (fsm::Input::E13, 0),
        Event::E14 => (fsm::Input::E14, 0),
        Event::G0 if level_is_odd(&world.ctx) => (fsm::Input::G0, 0),
        Event::G1 if level_is_high(&world.ctx) => (fsm::Input::G1, 0),
        Event::G2 if !level_is_odd(&world.ctx) => (fsm::Input::G2, 0),
        Event::G3 if mark_is_behind(&world.ctx) => (fsm::Input::G3, 0),
        Event::Set { value } => (fsm::Input::Set, *value),
        Event::Close => (fsm::Input::Close, 0),
        _ => return,
    };
    let Ok(Some(output)) = machine.consume(&input) else {
        return;
    };
    match output {
        fsm::Output::Do11 => {
            world.perform(11, 0);
        }
        fsm::Output::Do2 => {
            world.perform(3, 0);
        }
        fsm::Output::Do7 => {
            world.perform(7, 0);
        }
        fsm::Output::Do6 => {
            world.perform(6, 0);
        }
        fsm::Output::Do1 => {
            world.perform(2, 0);
        }
        fsm::Output::Do8 => {
            world.perform(8, 0);
        }
        fsm::Output::Do9 => {
            world.perform(9, 0);
        }
        fsm::Output::Tell0AndLevel => {
            world.ctx.level = value;
            world.perform(12, value);
        }
        fsm::Output::Do5 => {
            world.perform(5, 0);
        }
        fsm::Output::Do10 => {
            world.perform(10, 0);
        }
        fsm::Output::Tell8Mark => {
            world.perform(14, world.ctx.mark);
        }
        fsm::Output::Do4 => {
            world.perform(4, 0);
        }
        fsm::Output::Tell0AndMark => {
            world.ctx.mark = value;
            world.perform(12, value);
        }
        fsm::Output::Do0 => {
            world.perform(1, 0);
        }
        fsm::Output::Tell8AndMark => {
            world.ctx.mark = value;
            world.perform(14, value);
        }
        fsm::Output::Tell4Level => {
            world.perform(13, world.ctx.level);
        }
        fsm::Output::Halt => world.perform(15, 0),
    }
}
