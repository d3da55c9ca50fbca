//! Two bits a state: seen or not, and on which side of the frontier.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// Sets of states as two bit planes, interleaved word by word so that one cache line answers for
/// both.
///
/// A state in neither plane is unseen, one in both is done, and one in a single plane is on the
/// frontier of that plane. While the frontier of one plane is expanded, its states and all new ones
/// are added to the *other* plane: the former are then done and the latter the next frontier.
/// So breadth-first search needs two bits a state, no queue, and writes to one plane only.
#[derive(Debug)]
pub(super) struct Planes {
    words: Vec<[AtomicU64; 2]>,
    /// By plane and block: whether the frontier may have states there.
    dirty: [Vec<AtomicU8>; 2],
}

impl Planes {
    /// Empty planes of so many blocks of words.
    pub(super) fn new(blocks: usize, block: usize) -> Self {
        let flags = || (0..blocks).map(|_| AtomicU8::new(0)).collect();
        Self {
            words: (0..blocks * block)
                .map(|_| [AtomicU64::new(0), AtomicU64::new(0)])
                .collect(),
            dirty: [flags(), flags()],
        }
    }

    /// The bytes that they take.
    pub(super) fn bytes(blocks: usize, block: usize) -> u64 {
        (blocks as u64).saturating_mul(block as u64 * 16 + 2)
    }

    /// A word of each plane.
    pub(super) fn pair(&self, word: usize) -> [u64; 2] {
        let [p, q] = &self.words[word];
        [p.load(Relaxed), q.load(Relaxed)]
    }

    /// Adds those states to a plane that are in neither; answers whether there were any.
    pub(super) fn add<const SHARED: bool>(&self, plane: usize, word: usize, states: u64) -> bool {
        let pair = &self.words[word];
        let (own, other) = (&pair[plane], &pair[1 - plane]);
        let old = own.load(Relaxed);
        let new = states & !(old | other.load(Relaxed));
        if new == 0 {
            return false;
        }
        if SHARED {
            own.fetch_or(new, Relaxed);
        } else {
            own.store(old | new, Relaxed);
        }
        true
    }

    /// The states of a word on the frontier of the other plane. Adds them to this one, so that they
    /// are done.
    pub(super) fn finish<const SHARED: bool>(&self, plane: usize, word: usize) -> u64 {
        let pair = &self.words[word];
        let (own, other) = (&pair[plane], &pair[1 - plane]);
        let old = own.load(Relaxed);
        let states = other.load(Relaxed) & !old;
        if states != 0 {
            if SHARED {
                own.fetch_or(states, Relaxed);
            } else {
                own.store(old | states, Relaxed);
            }
        }
        states
    }

    /// Notes that the frontier of a plane has states in a block.
    pub(super) fn touch(&self, plane: usize, block: usize) {
        let flag = &self.dirty[plane][block];
        // Read first, so that cores do not take the line from each other for nothing.
        if flag.load(Relaxed) == 0 {
            flag.store(1, Relaxed);
        }
    }

    /// Whether the frontier of a plane may have states in a block; forgets it.
    pub(super) fn take(&self, plane: usize, block: usize) -> bool {
        let flag = &self.dirty[plane][block];
        let touched = flag.load(Relaxed) != 0;
        if touched {
            flag.store(0, Relaxed);
        }
        touched
    }
}
