//! How a handler's failures are met. Not in the contract: it is about the world, not the business.

use std::collections::BTreeMap;
use std::time::Duration;

/// Time-outs and retries, by effect. An effect without a policy has neither.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    pub(super) effects: BTreeMap<String, EffectPolicy>,
    pub(super) seed: u64,
}

impl Policy {
    /// No time-outs and no retries.
    pub fn new() -> Self {
        Self::default()
    }

    /// The policy of one effect.
    #[must_use]
    pub fn effect(mut self, name: impl Into<String>, policy: EffectPolicy) -> Self {
        self.effects.insert(name.into(), policy);
        self
    }

    /// What the jitter of this run's pauses is drawn from: equal seeds, equal pauses.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// The policy of one effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffectPolicy {
    /// How long one attempt may take. One that takes longer is dropped and is a domain fault.
    pub timeout: Option<Duration>,
    /// How many more attempts a domain fault is worth. Only for a `query`, unless `idempotent`.
    pub retries: u32,
    /// The pauses between attempts.
    pub backoff: Backoff,
    /// Whether the handler's author promises that running it twice is running it once, so that an
    /// effect that is no `query` may be retried.
    pub idempotent: bool,
}

/// Pauses that double, up to a longest, each shortened by a random part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The first pause.
    pub first: Duration,
    /// The longest pause.
    pub longest: Duration,
    /// Which part of a pause is random, in percent: 0 is none of it, 100 all.
    pub jitter: u8,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(100),
            longest: Duration::from_secs(30),
            jitter: 50,
        }
    }
}

impl Backoff {
    /// The pause after an attempt, counted from 1. The same seed gives the same pause.
    pub fn pause(&self, attempt: u32, seed: u64) -> Duration {
        let doublings = attempt.saturating_sub(1).min(31);
        let full = self.first.saturating_mul(1 << doublings).min(self.longest);
        // Integers, so that every machine pauses the same. Millionths are fine enough.
        let random = u128::from(mix(seed ^ u64::from(attempt)) % 1_000_001);
        let part = u128::from(self.jitter.min(100));
        let shorter = full.as_nanos() / 100 * part * random / 1_000_000;
        full.saturating_sub(Duration::from_nanos(
            u64::try_from(shorter).unwrap_or(u64::MAX),
        ))
    }
}

/// One round of `SplitMix64`: every bit of the result depends on every bit of the seed.
///
/// Source: Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014.
pub(super) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let backoff = Backoff {
            first: Duration::from_secs(1),
            longest: Duration::from_secs(5),
            jitter: 0,
        };
        let pauses = [1, 2, 3, 4, 40].map(|attempt| backoff.pause(attempt, 7).as_secs());
        assert_eq!(pauses, [1, 2, 4, 5, 5]);
    }

    #[test]
    fn jitter_shortens_by_at_most_its_part_and_repeats() {
        let backoff = Backoff {
            first: Duration::from_secs(1),
            longest: Duration::from_secs(1),
            jitter: 40,
        };
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..1000 {
            let pause = backoff.pause(1, seed);
            assert_eq!(pause, backoff.pause(1, seed));
            assert!(pause <= Duration::from_secs(1) && pause >= Duration::from_millis(600));
            seen.insert(pause);
        }
        assert!(seen.len() > 900);
        let all = Backoff {
            jitter: 100,
            ..backoff
        };
        assert!((0..1000).any(|seed| all.pause(1, seed) < Duration::from_millis(50)));
    }

    #[test]
    fn the_longest_times_do_not_overflow() {
        let backoff = Backoff {
            first: Duration::MAX,
            longest: Duration::MAX,
            jitter: 100,
        };
        for attempt in [0, 1, 32, u32::MAX] {
            let _ = backoff.pause(attempt, u64::MAX);
        }
    }
}
