//! Limits and policy by rows of the contract: what the loop looks at.

use std::time::Duration;

use tokio::time::Instant;

use super::{Backoff, Limit, Limits, Meter, Policy, Usage};
use crate::graph::Model;
use crate::machine::Semantics;

/// What a run may use, and has used.
pub(super) struct Plan {
    pub(super) rounds: u64,
    rounds_allowed: u64,
    started: Instant,
    clock: Option<Duration>,
    /// None as well when it lies beyond what the clock can say.
    pub(super) deadline: Option<Instant>,
    meter: Meter,
    tokens_allowed: Option<u64>,
    cost_allowed: Option<u64>,
    pub(super) effects: Box<[Row]>,
    pub(super) seed: u64,
    /// Effects started so far.
    pub(super) sequence: u64,
    pub(super) retries: u64,
}

/// The plan of one effect. Every idle run has one for each of its contract's effects, so what most
/// of them have not is kept elsewhere.
pub(super) struct Row {
    pub(super) semantics: Semantics,
    pub(super) care: Option<Box<Care>>,
    started: u64,
    allowed: u64,
}

/// How failures of an effect are met.
pub(super) struct Care {
    pub(super) retries: u32,
    pub(super) backoff: Backoff,
    /// For one attempt.
    pub(super) attempt_time: Option<Duration>,
    /// For all of them.
    pub(super) whole_time: Option<Duration>,
}

impl Care {
    /// None when an effect of this name has neither policy nor time-out.
    pub(super) fn of(effect: &str, limits: &Limits, policy: &Policy) -> Option<Self> {
        let policy = policy.effects.get(effect);
        let whole_time = limits.times.get(effect).copied();
        if policy.is_none() && whole_time.is_none() {
            return None;
        }
        let policy = policy.cloned().unwrap_or_default();
        Some(Self {
            retries: policy.retries,
            backoff: policy.backoff,
            attempt_time: policy.timeout,
            whole_time,
        })
    }
}

impl Plan {
    pub(super) fn new(model: &Model, limits: &Limits, policy: &Policy, meter: Meter) -> Self {
        let row = |row: &crate::graph::EffectRow| Row {
            semantics: row.semantics,
            care: Care::of(&row.name, limits, policy).map(Box::new),
            started: 0,
            allowed: limits.counts.get(&row.name).copied().unwrap_or(u64::MAX),
        };
        let started = Instant::now();
        Self {
            rounds: 0,
            rounds_allowed: limits.rounds.unwrap_or(u64::MAX),
            started,
            clock: limits.clock,
            deadline: limits.clock.and_then(|clock| started.checked_add(clock)),
            meter,
            tokens_allowed: limits.tokens,
            cost_allowed: limits.cost_micros,
            effects: model.effects.iter().map(row).collect(),
            seed: policy.seed,
            sequence: 0,
            retries: 0,
        }
    }

    /// Whether a limit is used up.
    #[inline]
    pub(super) fn is_used_up(&self) -> bool {
        let fine = !self.are_rounds_used_up()
            && self
                .tokens_allowed
                .is_none_or(|most| self.meter.tokens() < most)
            && self
                .cost_allowed
                .is_none_or(|most| self.meter.cost_micros() < most)
            && self
                .deadline
                .is_none_or(|deadline| Instant::now() < deadline);
        !fine
    }

    /// The first limit that is used up.
    #[cold]
    pub(super) fn used_up(&self) -> Limit {
        let (tokens, cost) = (self.meter.tokens(), self.meter.cost_micros());
        match (self.tokens_allowed, self.cost_allowed) {
            _ if self.are_rounds_used_up() => self.rounds_limit(),
            (Some(allowed), _) if tokens >= allowed => Limit::Tokens {
                used: tokens,
                allowed,
            },
            (_, Some(allowed)) if cost >= allowed => Limit::Cost {
                used: cost,
                allowed,
            },
            _ => self.clock_limit(),
        }
    }

    /// Whether no step is left.
    #[inline]
    pub(super) fn are_rounds_used_up(&self) -> bool {
        self.rounds >= self.rounds_allowed
    }

    /// The limit of rounds, used up.
    pub(super) fn rounds_limit(&self) -> Limit {
        Limit::Rounds {
            used: self.rounds,
            allowed: self.rounds_allowed,
        }
    }

    /// The limit of the clock, used up.
    pub(super) fn clock_limit(&self) -> Limit {
        Limit::Clock {
            used: self.started.elapsed(),
            allowed: self.clock.unwrap_or_default(),
        }
    }

    /// How long the run has taken so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Counts the start of an effect, and says which start it is; none when it has none left.
    #[inline]
    pub(super) fn start(&mut self, row: usize) -> Option<u64> {
        let plan = &mut self.effects[row];
        if plan.started >= plan.allowed {
            return None;
        }
        plan.started += 1;
        self.sequence += 1;
        Some(self.sequence)
    }

    /// The limit of an effect's starts, used up.
    pub(super) fn starts_limit(&self, row: usize, model: &Model) -> Limit {
        Limit::Effect {
            effect: model.effects[row].name.clone(),
            used: self.effects[row].started,
            allowed: self.effects[row].allowed,
        }
    }

    /// What was used.
    pub(super) fn usage(&self, model: &Model) -> Usage {
        let rows = model.effects.iter().zip(&self.effects);
        Usage {
            rounds: self.rounds,
            elapsed: self.started.elapsed(),
            tokens: self.meter.tokens(),
            cost_micros: self.meter.cost_micros(),
            retries: self.retries,
            effects: rows
                .filter(|(_, plan)| plan.started > 0)
                .map(|(row, plan)| (row.name.clone(), plan.started))
                .collect(),
        }
    }
}
