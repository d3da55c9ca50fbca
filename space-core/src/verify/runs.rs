//! Random runs.

#![expect(
    clippy::disallowed_methods,
    reason = "the number of cases is the environment's to say"
)]

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::strategies::extreme;
use crate::contract::{Type, Value};
use crate::graph::{Model, Param};

/// How much a property looks at.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Events in all.
    pub events: u32,
    /// Picks the runs.
    pub seed: u64,
}

impl Budget {
    /// Events of one run, at most.
    pub(super) const RUN: u32 = 64;

    /// `SPACE_EVENTS`, by default 20 000, and `SPACE_SEED`, by default 0.
    pub fn from_env() -> Self {
        let number = |name: &str| {
            std::env::var(name)
                .ok()?
                .replace('_', "")
                .parse::<u64>()
                .ok()
        };
        let events = number("SPACE_EVENTS").unwrap_or(20_000);
        Self {
            events: u32::try_from(events).unwrap_or(u32::MAX),
            seed: number("SPACE_SEED").unwrap_or(0),
        }
    }

    /// Checks `property` on as many values as there are runs in the budget; the smallest that
    /// fails is in the panic.
    pub(super) fn check<T: Strategy>(
        self,
        strategy: &T,
        property: impl Fn(T::Value) -> Result<(), TestCaseError>,
    ) {
        let config = Config {
            // Runs are half as long as they may be, on average.
            cases: (self.events / (Self::RUN / 2)).max(16),
            failure_persistence: None,
            ..Config::default()
        };
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&self.seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(config, rng);
        if let Err(failure) = runner.run(strategy, property) {
            panic!("{failure}");
        }
    }
}

/// One random choice of a run. Shrinks to an event that the state answers, with plain values.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// Picks the event.
    pub pick: u16,
    /// 0 jumps to another state and context first, 1 takes any event, others one that the state
    /// says something to.
    pub kind: u8,
    /// Picks the values.
    pub values: u64,
}

/// Any run.
pub(super) fn draws() -> impl Strategy<Value = (u64, Vec<Draw>)> {
    let draw = (any::<u16>(), 0_u8..16, any::<u64>()).prop_map(|(pick, kind, values)| Draw {
        pick,
        kind: 15 - kind,
        values,
    });
    let run = proptest::collection::vec(draw, 1..Budget::RUN as usize);
    (any::<u64>(), run)
}

/// A source of values for the fields of events and contexts: a random-number generator whose
/// first numbers after a seed of 0 pick plain values.
pub(super) struct Picker(u64);

impl Picker {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// `SplitMix64`, by Steele, Lea and Flood, *Fast splittable pseudorandom number generators*,
    /// OOPSLA 2014.
    fn next(&mut self) -> u64 {
        if self.0 == 0 {
            return 0;
        }
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or(0)
    }

    fn value(&mut self, ty: &Type) -> Value {
        // Extreme values are rare: the huge ones among them cost most of the time.
        if self.next() % 128 == 1 {
            let all = extreme(ty);
            let at = self.below(all.len());
            return all[at].clone();
        }
        match ty {
            Type::Text => Value::Text(["", "a", "b", "é", "\n"][self.below(5)].to_owned()),
            Type::Int => Value::Int([0, 1, -1, i64::MIN, i64::MAX][self.below(5)]),
            Type::Float => Value::Float([0.0, -0.0, 0.5, f64::MAX][self.below(4)]),
            Type::Bool => Value::Bool(self.below(2) == 1),
            Type::Json => {
                let json = crate::contract::Json::Int(i64::try_from(self.below(3)).unwrap_or(0));
                Value::Json([crate::contract::Json::Null, json][self.below(2)].clone())
            }
            Type::List(inner) => {
                let count = self.below(3);
                Value::List((0..count).map(|_| self.value(inner)).collect())
            }
            Type::Optional(inner) => {
                if self.below(2) == 0 {
                    Value::None
                } else {
                    self.value(inner)
                }
            }
        }
    }

    pub(super) fn row(&mut self, params: &[Param]) -> Vec<Value> {
        params.iter().map(|param| self.value(&param.ty)).collect()
    }

    pub(super) fn ctx(&mut self, model: &Model) -> Vec<Value> {
        let slots = model.slots.iter();
        slots
            .map(|slot| {
                if slot.can_be_empty() && self.below(2) == 0 {
                    Value::None
                } else {
                    self.value(&slot.ty)
                }
            })
            .collect()
    }
}

/// The event that a draw means in a state: mostly one that a rule answers.
pub(super) fn event(model: &Model, state: usize, draw: Draw) -> (usize, Vec<Value>) {
    let rules = model.rules_of(state);
    let ignored = &model.ignored[state];
    let answered = rules.len() + ignored.len();
    let pick = usize::from(draw.pick);
    let index = if draw.kind <= 1 || answered == 0 {
        pick % model.events.len()
    } else {
        let at = pick % answered;
        rules
            .get(at)
            .map_or_else(|| ignored[at - rules.len()], |rule| rule.on)
    };
    let values = Picker::new(draw.values).row(&model.events[index].payload);
    (index, values)
}
