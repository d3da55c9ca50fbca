//! What every implementation of the machine shares: context, guards, and what effects do.

/// The context of the implementations that are not generated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ctx {
    /// Set by some rules.
    pub level: i64,
    /// Set by others.
    pub mark: i64,
}

/// A guard.
#[inline]
pub fn level_is_odd(ctx: &Ctx) -> bool {
    ctx.level & 1 == 1
}

/// A guard.
#[inline]
pub fn level_is_high(ctx: &Ctx) -> bool {
    ctx.level >= 512
}

/// A guard.
#[inline]
pub fn mark_is_behind(ctx: &Ctx) -> bool {
    ctx.mark < ctx.level
}

/// A context, and the trace that effects leave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct World {
    /// The context.
    pub ctx: Ctx,
    /// A hash of all effects so far.
    pub trace: Trace,
}

impl World {
    /// Performs an effect.
    #[inline]
    pub fn perform(&mut self, effect: u64, value: i64) {
        self.trace.add(effect, value);
    }
}

/// A hash of effects, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trace(pub u64);

impl Trace {
    /// Adds an effect and its argument.
    #[inline]
    pub fn add(&mut self, effect: u64, value: i64) {
        let word = effect ^ value.cast_unsigned() << 8;
        self.0 = (self.0 ^ word)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29);
    }
}
