//! How much a run may use, and what it used.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How much a run may use. Without a call there is no limit, but a contract with a cycle needs one
/// of rounds or clock to be run at all.
///
/// A limit that is used up ends the run with a termination that says which and how much. It is
/// looked at before every step and before every effect, so that no effect starts whose outcome
/// could not be stepped. An outcome that has been paid for is stepped whatever it cost, and a run
/// that has reached its end is let finish; only the clock interrupts, whatever is in flight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    pub(super) rounds: Option<u64>,
    pub(super) clock: Option<Duration>,
    pub(super) tokens: Option<u64>,
    pub(super) cost_micros: Option<u64>,
    pub(super) counts: BTreeMap<String, u64>,
    pub(super) times: BTreeMap<String, Duration>,
}

impl Limits {
    /// No limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// At most so many steps. Every step counts: handled, ignored or rejected.
    #[must_use]
    pub fn rounds(mut self, most: u64) -> Self {
        self.rounds = Some(most);
        self
    }

    /// At most so long, waiting included. What is in flight then is dropped; when that was no query
    /// the termination names it, because what it did is unknown.
    #[must_use]
    pub fn clock(mut self, most: Duration) -> Self {
        self.clock = Some(most);
        self
    }

    /// No new effect once the [`Meter`] has counted so many tokens.
    #[must_use]
    pub fn tokens(mut self, most: u64) -> Self {
        self.tokens = Some(most);
        self
    }

    /// No new effect once the [`Meter`] has counted so many millionths of the currency unit.
    #[must_use]
    pub fn cost_micros(mut self, most: u64) -> Self {
        self.cost_micros = Some(most);
        self
    }

    /// At most so many starts of one effect. Retries of a start do not count again.
    #[must_use]
    pub fn effect(mut self, name: impl Into<String>, most: u64) -> Self {
        self.counts.insert(name.into(), most);
        self
    }

    /// One effect takes at most so long, its retries and the pauses between them included. Unlike
    /// the limits of the run, this one is a domain fault: the effect's sentinel, or an escape.
    #[must_use]
    pub fn effect_time(mut self, name: impl Into<String>, most: Duration) -> Self {
        self.times.insert(name.into(), most);
        self
    }
}

/// What handlers report of their use of tokens and money. Clones count together, so that a child
/// run that is given its parent's meter spends its parent's budget.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    tokens: AtomicU64,
    cost_micros: AtomicU64,
}

impl Meter {
    /// A meter at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts tokens.
    pub fn add_tokens(&self, tokens: u64) {
        add(&self.counts.tokens, tokens);
    }

    /// Counts millionths of the currency unit.
    pub fn add_cost_micros(&self, micros: u64) {
        add(&self.counts.cost_micros, micros);
    }

    /// Tokens so far.
    pub fn tokens(&self) -> u64 {
        self.counts.tokens.load(Ordering::Relaxed)
    }

    /// Millionths of the currency unit so far.
    pub fn cost_micros(&self) -> u64 {
        self.counts.cost_micros.load(Ordering::Relaxed)
    }
}

/// Saturates: a budget must not become available again by overflow.
fn add(count: &AtomicU64, more: u64) {
    let _ = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
        Some(count.saturating_add(more))
    });
}

/// What a run used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Steps.
    pub rounds: u64,
    /// From the first step to the end.
    pub elapsed: Duration,
    /// Tokens, by its [`Meter`].
    pub tokens: u64,
    /// Millionths of the currency unit, by its [`Meter`].
    pub cost_micros: u64,
    /// Attempts after the first, of all effects.
    pub retries: u64,
    /// Starts of each effect that was started.
    pub effects: BTreeMap<String, u64>,
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rounds,
            elapsed,
            tokens,
            cost_micros,
            retries,
            effects,
        } = self;
        write!(
            f,
            "{rounds} rounds in {elapsed:?}, {tokens} tokens, cost {}.{:06}, {retries} retries",
            cost_micros / 1_000_000,
            cost_micros % 1_000_000,
        )?;
        for (name, count) in effects {
            write!(f, ", {name} {count}")?;
        }
        Ok(())
    }
}
