//! Where an exploration stopped.

/// Where a bound stopped an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// States seen.
    pub seen: u64,
    /// States seen and not expanded.
    pub frontier: u64,
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { seen, frontier } = self;
        write!(
            f,
            "bound reached: {seen} states seen, {frontier} on the frontier"
        )
    }
}
