//! How the states of a product lie in bit planes.

use super::bits::Planes;
use super::packed::{Cross, Group, Lists, Tables};

/// Bits of a word.
pub(super) const WORD: usize = 64;

/// How states lie in the planes, and the low group's tables by words.
pub(super) struct Layout {
    /// Words of a block.
    pub(super) words: usize,
    /// Blocks.
    pub(super) blocks: usize,
    /// How far apart two blocks are that differ by one in a group's value; none for the low group.
    weights: Vec<usize>,
    /// The low group's own moves.
    pub(super) low: Shifts,
    /// What each sync across groups does to the low group, when that takes part.
    pub(super) cross: Vec<Option<Shifts>>,
    /// The low group's final values.
    pub(super) finals: Vec<u64>,
}

/// Moves of the low group as shifts under masks, by word.
pub(super) struct Shifts(Vec<Vec<(i32, u64)>>);

impl Shifts {
    fn new(lists: &Lists, size: usize) -> Self {
        let word = |word: usize| {
            let mut shifts: Vec<(i32, u64)> = Vec::new();
            for value in word * WORD..size.min((word + 1) * WORD) {
                for by in lists.of(value) {
                    let bit = 1 << (value % WORD);
                    // A second way to the same state is a transition of its own.
                    let fits = |(one, mask): &&mut (i32, u64)| one == by && *mask & bit == 0;
                    match shifts.iter_mut().find(fits) {
                        Some((_, mask)) => *mask |= bit,
                        None => shifts.push((*by, bit)),
                    }
                }
            }
            shifts
        };
        Self((0..size.div_ceil(WORD)).map(word).collect())
    }

    /// Of a word: by how many bits which of its states move.
    pub(super) fn of(&self, word: usize) -> &[(i32, u64)] {
        &self.0[word]
    }
}

impl Layout {
    /// `None` when the planes would take more memory than allowed.
    pub(super) fn new(tables: &Tables, memory: u64) -> Option<Self> {
        let low = &tables.groups[0];
        let words = low.size.div_ceil(WORD);
        let mut weights = vec![0];
        let mut blocks = 1usize;
        for group in &tables.groups[1..] {
            weights.push(blocks);
            blocks = blocks.checked_mul(group.size)?;
        }
        if Planes::bytes(blocks, words) > memory {
            return None;
        }
        let mut finals = vec![0; words];
        for (value, _) in low.finals.iter().enumerate().filter(|(_, is)| **is) {
            finals[value / WORD] |= 1 << (value % WORD);
        }
        let shifts = |sync: &Cross| {
            let low_part = sync.low.as_ref();
            low_part.map(|lists| Shifts::new(lists, low.size))
        };
        Some(Self {
            words,
            blocks,
            weights,
            low: Shifts::new(&low.moves, low.size),
            cross: tables.cross.iter().map(shifts).collect(),
            finals,
        })
    }

    /// The block of these values of the groups.
    pub(super) fn high_of(&self, groups: &[Group], value: impl Fn(&Group) -> usize) -> usize {
        let pairs = groups.iter().zip(&self.weights);
        pairs.map(|(group, weight)| value(group) * weight).sum()
    }

    /// The block that differs from another by so much in a group's value.
    pub(super) fn shifted(&self, block: usize, group: usize, by: i32) -> usize {
        block.wrapping_add_signed(by as isize * self.weights[group].cast_signed())
    }
}
