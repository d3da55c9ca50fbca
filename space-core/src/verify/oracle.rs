//! Guards that answer anything.

use crate::contract::Value;
use crate::graph::Model;
use crate::machine::{GuardTable, Space, Values};

/// Answers every guard at random, but always the same for the same guard, context and event.
///
/// So a typed machine and an interpreted one are asked the same question only if they show their
/// guards the same context and event, and a rule that negates or forgets a guard is found.
#[derive(Clone, Copy, Debug)]
pub struct Oracle {
    seed: u64,
}

impl Oracle {
    /// The answers of this seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The answer of a guard of a typed machine.
    pub fn answer<S: Space>(
        &self,
        space: &S,
        guard: usize,
        ctx: &S::Ctx,
        event: &S::Event,
    ) -> bool {
        let event = Values {
            index: space.event_index(event),
            values: space.event_values(event),
        };
        self.of(guard, &space.ctx_values(ctx), &event)
    }

    /// The guards of an interpreted machine.
    pub fn table(self, model: &Model) -> GuardTable {
        let guards = model.guards.iter().enumerate();
        guards.fold(GuardTable::default(), |table, (at, row)| {
            table.with(row.name.clone(), move |ctx, event| self.of(at, ctx, event))
        })
    }

    fn of(self, guard: usize, ctx: &[Value], event: &Values) -> bool {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        hash.bytes(&self.seed.to_le_bytes());
        hash.bytes(&(guard as u64).to_le_bytes());
        hash.bytes(&(event.index as u64).to_le_bytes());
        for value in ctx.iter().chain(&event.values) {
            hash.value(value);
        }
        // The low bits of the sum are the weakest.
        !(hash.0 >> 17).is_multiple_of(4)
    }
}

/// FNV-1a: small, and the same on every machine.
struct Fnv(u64);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Text(text) => {
                // Huge texts differ at their ends; reading all of them is what tests would do most.
                let head = text.len().min(64);
                self.bytes(&[1]);
                self.bytes(&(text.len() as u64).to_le_bytes());
                self.bytes(&text.as_bytes()[..head]);
            }
            value => {
                self.bytes(&[2]);
                self.bytes(value.to_string().as_bytes());
            }
        }
    }
}
