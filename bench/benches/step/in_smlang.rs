//! The machine in smlang: a guard and an action a rule, the effect performed in the action.

use smlang::statemachine;
use space_bench::world::{self, World};

statemachine! {
    transitions: {
        *S0 + E4 / do11 = S11,
        S0 + G0 [level_is_odd] / do2 = S2,
        S0 + G1 [level_is_high] / do7 = S7,
        S1 + E14 / do6 = S6,
        S1 + G1 [level_is_high] = S0,
        S1 + G3 [mark_is_behind] / do6 = S6,
        S2 + E3 / do1 = S1,
        S2 + E8 / do8 = S8,
        S2 + E9 / do9 = S9,
        S2 + Set(i64) / tell0_and_level = S0,
        S3 + E5 / do9 = S9,
        S3 + G1 [level_is_high] / do5 = S5,
        S3 + G3 [mark_is_behind] / do5 = S5,
        S4 + E2 / do10 = S10,
        S4 + E4 / do11 = S11,
        S4 + E14 / do5 = S5,
        S5 + E0 / do9 = S9,
        S5 + E3 / do7 = S7,
        S5 + E10 / do7 = S7,
        S6 + E1 = S3,
        S6 + G0 [level_is_odd] / do9 = S9,
        S6 + G1 [level_is_high] / do7 = S7,
        S7 + E6 / do7 = S7,
        S7 + E8 / tell8_mark = S8,
        S7 + E13 / do4 = S4,
        S7 + Set(i64) / tell0_and_mark = S0,
        S8 + E0 / do2 = S2,
        S8 + G0 [level_is_odd] / do10 = S10,
        S8 + G2 [!level_is_odd] / do11 = S11,
        S8 + Set(i64) / tell0_and_level = S0,
        S9 + E6 / do0 = S0,
        S9 + G0 [level_is_odd] / do11 = S11,
        S9 + G2 [!level_is_odd] / do11 = S11,
        S10 + E7 / do5 = S5,
        S10 + G2 [!level_is_odd] / do4 = S4,
        S10 + G3 [mark_is_behind] / do10 = S10,
        S10 + Set(i64) / tell8_and_mark = S8,
        S11 + E2 / do7 = S7,
        S11 + E11 / tell4_level = S4,
        S11 + E12 / do4 = S4,
        S0 + Close / halt = End,
    }
}

impl StateMachineContext for World {
    #[inline]
    fn level_is_high(&self) -> Result<bool, ()> {
        Ok(world::level_is_high(&self.ctx))
    }

    #[inline]
    fn level_is_odd(&self) -> Result<bool, ()> {
        Ok(world::level_is_odd(&self.ctx))
    }

    #[inline]
    fn mark_is_behind(&self) -> Result<bool, ()> {
        Ok(world::mark_is_behind(&self.ctx))
    }

    #[inline]
    fn do0(&mut self) -> Result<(), ()> {
        self.perform(1, 0);
        Ok(())
    }

    #[inline]
    fn do1(&mut self) -> Result<(), ()> {
        self.perform(2, 0);
        Ok(())
    }

    #[inline]
    fn do10(&mut self) -> Result<(), ()> {
        self.perform(10, 0);
        Ok(())
    }

    #[inline]
    fn do11(&mut self) -> Result<(), ()> {
        self.perform(11, 0);
        Ok(())
    }

    #[inline]
    fn do2(&mut self) -> Result<(), ()> {
        self.perform(3, 0);
        Ok(())
    }

    #[inline]
    fn do4(&mut self) -> Result<(), ()> {
        self.perform(4, 0);
        Ok(())
    }

    #[inline]
    fn do5(&mut self) -> Result<(), ()> {
        self.perform(5, 0);
        Ok(())
    }

    #[inline]
    fn do6(&mut self) -> Result<(), ()> {
        self.perform(6, 0);
        Ok(())
    }

    #[inline]
    fn do7(&mut self) -> Result<(), ()> {
        self.perform(7, 0);
        Ok(())
    }

    #[inline]
    fn do8(&mut self) -> Result<(), ()> {
        self.perform(8, 0);
        Ok(())
    }

    #[inline]
    fn do9(&mut self) -> Result<(), ()> {
        self.perform(9, 0);
        Ok(())
    }

    #[inline]
    fn tell0_and_level(&mut self, value: i64) -> Result<(), ()> {
        self.ctx.level = value;
        self.perform(12, value);
        Ok(())
    }

    #[inline]
    fn tell0_and_mark(&mut self, value: i64) -> Result<(), ()> {
        self.ctx.mark = value;
        self.perform(12, value);
        Ok(())
    }

    #[inline]
    fn tell4_level(&mut self) -> Result<(), ()> {
        self.perform(13, self.ctx.level);
        Ok(())
    }

    #[inline]
    fn tell8_and_mark(&mut self, value: i64) -> Result<(), ()> {
        self.ctx.mark = value;
        self.perform(14, value);
        Ok(())
    }

    #[inline]
    fn tell8_mark(&mut self) -> Result<(), ()> {
        self.perform(14, self.ctx.mark);
        Ok(())
    }

    #[inline]
    fn halt(&mut self) -> Result<(), ()> {
        self.perform(15, 0);
        Ok(())
    }
}

/// smlang's events are not `Copy`.
#[inline]
pub(crate) fn copy(event: &Events) -> Events {
    match event {
        Events::E0 => Events::E0,
        Events::E1 => Events::E1,
        Events::E2 => Events::E2,
        Events::E3 => Events::E3,
        Events::E4 => Events::E4,
        Events::E5 => Events::E5,
        Events::E6 => Events::E6,
        Events::E7 => Events::E7,
        Events::E8 => Events::E8,
        Events::E9 => Events::E9,
        Events::E10 => Events::E10,
        Events::E11 => Events::E11,
        Events::E12 => Events::E12,
        Events::E13 => Events::E13,
        Events::E14 => Events::E14,
        Events::G0 => Events::G0,
        Events::G1 => Events::G1,
        Events::G2 => Events::G2,
        Events::G3 => Events::G3,
        Events::Set(value) => Events::Set(*value),
        Events::Close => Events::Close,
    }
}
