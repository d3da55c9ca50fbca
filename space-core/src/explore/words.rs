//! Sets of packed states, by words of 64 neighbours.
#![allow(
    clippy::cast_possible_truncation,
    reason = "places of tables come from hashes"
)]

/// Which of 64 neighbours are there.
#[derive(Clone, Copy)]
struct Word {
    /// Their number without its last 6 bits.
    key: u64,
    states: u64,
}

/// No word has the last key, because states are numbered in 64 bits.
const EMPTY: Word = Word {
    key: u64::MAX,
    states: 0,
};

/// A hash whose high bits depend on all bits: neighbours in mixed radix must not be neighbours
/// here, or probes get long.
fn spread(key: u64) -> u64 {
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

/// The word that a state is in, and its bit there.
fn word_of(state: u64) -> (u64, u64) {
    (state >> 6, 1 << (state & 63))
}

/// The spread of the word that a state is in.
pub(super) fn spread_of(state: u64) -> u64 {
    spread(word_of(state).0)
}

/// Successors found lately: many states lead to one, and soon after each other.
pub(super) struct Recent {
    words: Vec<Word>,
}

/// 64 less the bits of a place among them, which fit a core's own cache.
const RECENT_SHIFT: u32 = 64 - 14;

impl Recent {
    pub(super) fn new() -> Self {
        Self {
            words: vec![EMPTY; 1 << (64 - RECENT_SHIFT)],
        }
    }

    /// Whether a state may be new; it is remembered until another word takes the place of its own.
    pub(super) fn is_new(&mut self, spread: u64, state: u64) -> bool {
        let (key, bit) = word_of(state);
        let word = &mut self.words[(spread >> RECENT_SHIFT) as usize];
        if word.key != key {
            *word = Word { key, states: bit };
            return true;
        }
        let is_new = word.states & bit == 0;
        word.states |= bit;
        is_new
    }
}

/// A set of states: open addressing with linear probing over words of 64 neighbours, in parts that
/// grow one at a time, so that growing never holds the whole set twice.
///
/// What a product reaches comes in clusters, because a move changes little of a state's number. So
/// a word mostly holds many, and the set is small enough to be near. 18.3 to 22.9 bytes a state
/// where no two are neighbours, as little as a third of a byte where all are.
pub(super) struct StateSet {
    parts: Vec<Part>,
    len: usize,
}

struct Part {
    places: Vec<Word>,
    used: usize,
}

const PART_BITS: u32 = 6;
/// States looked up together.
const BATCH: usize = 32;

impl StateSet {
    pub(super) fn new() -> Self {
        let part = || Part {
            places: vec![EMPTY; 16],
            used: 0,
        };
        Self {
            parts: (0..1 << PART_BITS).map(|_| part()).collect(),
            len: 0,
        }
    }

    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> u64 {
        let places = self.parts.iter().map(|part| part.places.len());
        (places.sum::<usize>() * size_of::<Word>()) as u64
    }

    /// Adds states and appends those that are new.
    pub(super) fn insert_all(&mut self, states: &[u64], new: &mut Vec<u64>) {
        let part_of = |spread: u64| (spread >> (64 - PART_BITS)) as usize;
        let before = new.len();
        let mut spreads = [0; BATCH];
        for batch in states.chunks(BATCH) {
            // Loads that do not wait for each other: the lines are here when the probes come.
            let mut first = 0;
            for (state, spread) in batch.iter().zip(&mut spreads) {
                *spread = spread_of(*state);
                let part = &self.parts[part_of(*spread)];
                first ^= part.places[part.place(*spread)].key;
            }
            std::hint::black_box(first);
            for (state, spread) in batch.iter().zip(&spreads) {
                if self.parts[part_of(*spread)].insert(*spread, *state) {
                    new.push(*state);
                }
            }
        }
        self.len += new.len() - before;
    }
}

impl Part {
    /// In the order of the spread, so that growing goes through both tables from end to end.
    fn place(&self, spread: u64) -> usize {
        let within = u128::from(spread << PART_BITS);
        ((within * self.places.len() as u128) >> 64) as usize
    }

    /// Whether the state is new.
    fn insert(&mut self, spread: u64, state: u64) -> bool {
        let (key, bit) = word_of(state);
        let at = self.find(key, spread);
        let word = &mut self.places[at];
        if word.key == key {
            let is_new = word.states & bit == 0;
            word.states |= bit;
            return is_new;
        }
        *word = Word { key, states: bit };
        self.used += 1;
        // Seven eighths full.
        if self.used * 8 > self.places.len() * 7 {
            self.grow();
        }
        true
    }

    /// Where a word is, or could be.
    fn find(&self, key: u64, spread: u64) -> usize {
        let mut at = self.place(spread);
        loop {
            let found = self.places[at].key;
            if found == key || found == EMPTY.key {
                return at;
            }
            at += 1;
            if at == self.places.len() {
                at = 0;
            }
        }
    }

    fn grow(&mut self) {
        let larger = vec![EMPTY; self.places.len() + self.places.len() / 4];
        for word in std::mem::replace(&mut self.places, larger) {
            if word.key != EMPTY.key {
                let at = self.find(word.key, spread(word.key));
                self.places[at] = word;
            }
        }
    }
}
