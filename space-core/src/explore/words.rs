//! Sets of packed states, by words of 64 neighbours.
#![allow(
    clippy::cast_possible_truncation,
    reason = "places of tables come from hashes"
)]

/// Which of 64 neighbours are there.
#[derive(Clone, Copy)]
pub(super) struct Word {
    /// Their number without its last 6 bits.
    pub(super) key: u64,
    pub(super) states: u64,
}

/// No word has the last key, because states are numbered in 64 bits.
const EMPTY: Word = Word {
    key: u64::MAX,
    states: 0,
};

/// A hash whose high bits depend on all bits: neighbours in mixed radix must not be neighbours
/// here, or probes get long.
pub(super) fn spread(key: u64) -> u64 {
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

impl Word {
    /// The word that has one state.
    pub(super) fn of(state: u64) -> Self {
        Self {
            key: state >> 6,
            states: 1 << (state & 63),
        }
    }

    /// The first of its states.
    pub(super) fn first(self) -> u64 {
        self.key << 6 | u64::from(self.states.trailing_zeros())
    }
}

/// Words found lately that are not looked up yet: what leads to neighbours comes soon after each
/// other.
pub(super) struct Gathered {
    words: Vec<Word>,
    /// The places that are taken.
    used: Vec<u32>,
}

/// 64 less the bits of a place among them, which fit a core's own cache.
const GATHERED_SHIFT: u32 = 64 - 14;

impl Gathered {
    pub(super) fn new() -> Self {
        Self {
            words: vec![EMPTY; 1 << (64 - GATHERED_SHIFT)],
            used: Vec::new(),
        }
    }

    /// Adds states; answers with a word that gives way.
    pub(super) fn add(&mut self, word: Word) -> Option<Word> {
        let at = spread(word.key) >> GATHERED_SHIFT;
        let place = &mut self.words[at as usize];
        if place.key == word.key {
            place.states |= word.states;
            return None;
        }
        let old = std::mem::replace(place, word);
        if old.key == EMPTY.key {
            self.used.push(at as u32);
            return None;
        }
        Some(old)
    }

    /// Takes out all words.
    pub(super) fn take(&mut self, mut taken: impl FnMut(Word)) {
        for at in self.used.drain(..) {
            taken(std::mem::replace(&mut self.words[at as usize], EMPTY));
        }
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

/// A part of a set, or a small set.
#[derive(Default)]
pub(super) struct Part {
    places: Vec<Word>,
    used: usize,
}

const PART_BITS: u32 = 6;
/// States looked up together.
const BATCH: usize = 32;

impl StateSet {
    pub(super) fn new() -> Self {
        Self {
            parts: (0..1 << PART_BITS).map(|_| Part::new()).collect(),
            len: 0,
        }
    }

    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> u64 {
        self.parts.iter().map(Part::bytes).sum()
    }

    /// Adds states and tells those of each word that are new.
    pub(super) fn insert_all(&mut self, words: &[Word], mut new: impl FnMut(Word)) {
        let mut spreads = [0; BATCH];
        for batch in words.chunks(BATCH) {
            // Loads that do not wait for each other: the lines are here when the probes come.
            let mut first = 0;
            for (word, place) in batch.iter().zip(&mut spreads) {
                let spread = spread(word.key);
                *place = spread;
                let part = &self.parts[part_of(spread)];
                first ^= part.places[part.place(spread)].key;
            }
            std::hint::black_box(first);
            for (word, spread) in batch.iter().zip(&spreads) {
                let states = self.parts[part_of(*spread)].insert(*spread, *word);
                if states != 0 {
                    self.len += states.count_ones() as usize;
                    new(Word { states, ..*word });
                }
            }
        }
    }
}

fn part_of(spread: u64) -> usize {
    (spread >> (64 - PART_BITS)) as usize
}

impl Part {
    pub(super) fn new() -> Self {
        Self {
            places: vec![EMPTY; 16],
            used: 0,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.places.len() * size_of::<Word>()) as u64
    }

    /// Its words, but for those without states.
    pub(super) fn words(&self) -> impl Iterator<Item = Word> {
        self.places.iter().filter(|word| word.states != 0).copied()
    }

    /// Takes states out.
    pub(super) fn remove(&mut self, word: Word) {
        let at = self.find(word.key, spread(word.key));
        self.places[at].states &= !word.states;
    }

    /// In the order of the spread, so that growing goes through both tables from end to end.
    fn place(&self, spread: u64) -> usize {
        let within = u128::from(spread << PART_BITS);
        ((within * self.places.len() as u128) >> 64) as usize
    }

    /// Adds states; answers those that are new.
    pub(super) fn insert(&mut self, spread: u64, word: Word) -> u64 {
        let at = self.find(word.key, spread);
        let place = &mut self.places[at];
        if place.key == word.key {
            let new = word.states & !place.states;
            place.states |= new;
            return new;
        }
        *place = word;
        self.used += 1;
        // Seven eighths full.
        if self.used * 8 > self.places.len() * 7 {
            self.grow();
        }
        word.states
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
