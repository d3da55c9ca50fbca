//! The event streams: from mostly refused to almost always accepted.

use crate::hand::{Event, State, step};
use crate::world::Ctx;

/// A stream's name and events. A pass starts in the first state with an empty context.
pub struct Stream {
    /// Its name.
    pub name: &'static str,
    /// Its events.
    pub events: Vec<Event>,
    /// The share that is accepted, in percent.
    pub accepted: f64,
}

/// All three streams, of `len` events each. The same on every machine.
pub fn all(len: usize) -> [Stream; 3] {
    [
        Stream::new("uniform", uniform(len)),
        Stream::new("accepted", accepted(len)),
        Stream::new("periodic", periodic(len)),
    ]
}

impl Stream {
    fn new(name: &'static str, events: Vec<Event>) -> Self {
        let (mut state, mut ctx) = (State::S0, Ctx::default());
        let mut count = 0_u32;
        for event in &events {
            if let Some((next, _)) = step::<9>(state, &mut ctx, *event) {
                state = next;
                count += 1;
            }
        }
        let of = f64::from(u32::try_from(events.len()).unwrap_or(u32::MAX));
        let accepted = 100.0 * f64::from(count) / of;
        Self {
            name,
            events,
            accepted,
        }
    }
}

/// Every event but the one that ends a run, equally likely.
fn uniform(len: usize) -> Vec<Event> {
    let mut dice = Dice(1);
    (0..len).map(|_| dice.event()).collect()
}

/// Random, and mostly an event that is accepted: hard on branch prediction.
fn accepted(len: usize) -> Vec<Event> {
    let mut dice = Dice(2);
    let (mut state, mut ctx) = (State::S0, Ctx::default());
    let mut events = Vec::with_capacity(len);
    while events.len() < len {
        let event = dice.event();
        let next = step::<9>(state, &mut ctx, event);
        if next.is_some() || dice.below(64) == 0 {
            events.push(event);
        }
        state = next.map_or(state, |(next, _)| next);
    }
    events
}

/// A word of 64 events, over and over, that ends where it began: kind to branch prediction.
fn periodic(len: usize) -> Vec<Event> {
    let words = (3..).map(|seed| word(&mut Dice(seed)).into_iter().cycle());
    let mut streams = words.map(|word| Stream::new("periodic", word.take(1024).collect()));
    let found = streams.find(|stream| stream.accepted > 97.5);
    found.map_or_else(Vec::new, |stream| {
        stream.events.into_iter().cycle().take(len).collect()
    })
}

fn word(dice: &mut Dice) -> Vec<Event> {
    let mut word = Vec::new();
    let (mut state, mut ctx) = (State::S0, Ctx::default());
    while word.len() < 64 {
        let event = dice.event();
        if let Some((next, _)) = step::<9>(state, &mut ctx, event) {
            state = next;
            word.push(event);
        }
    }
    word
}

/// Xorshift: the same numbers everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn event(&mut self) -> Event {
        const BARE: [Event; 19] = [
            Event::E0,
            Event::E1,
            Event::E2,
            Event::E3,
            Event::E4,
            Event::E5,
            Event::E6,
            Event::E7,
            Event::E8,
            Event::E9,
            Event::E10,
            Event::E11,
            Event::E12,
            Event::E13,
            Event::E14,
            Event::G0,
            Event::G1,
            Event::G2,
            Event::G3,
        ];
        let at = usize::try_from(self.below(20)).unwrap_or_default();
        BARE.get(at).copied().unwrap_or_else(|| Event::Set {
            value: self.below(1024).cast_signed(),
        })
    }
}
