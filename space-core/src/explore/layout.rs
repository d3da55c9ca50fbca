//! How the states of a product lie in words.

use super::packed::{Cross, Group, Lists, NO_MOVE, Tables};

/// Bits of a word.
pub(super) const WORD: usize = 64;

/// How states lie in words, and the low group's tables by words.
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

    /// Where states of a word of a block move to, when the word would stay where `at` says: the
    /// words, and the states in them.
    pub(super) fn shifted(
        &self,
        at: usize,
        word: usize,
        states: u64,
        mut found: impl FnMut(usize, u64),
    ) {
        for (by, mask) in self.of(word) {
            let states = states & mask;
            if states == 0 {
                continue;
            }
            // Where bit 0 of the word would go. It may be outside of the block, but no bit that is
            // set goes there.
            let first = at.wrapping_add_signed((by >> 6) as isize);
            let shift = by & 63;
            let low = states << shift;
            if low != 0 {
                found(first, low);
            }
            let high = (states >> 1) >> (63 - shift);
            if high != 0 {
                found(first.wrapping_add(1), high);
            }
        }
    }
}

impl Layout {
    /// `None` when there are more words than can be numbered.
    pub(super) fn new(tables: &Tables) -> Option<Self> {
        let low = &tables.groups[0];
        let words = low.size.div_ceil(WORD);
        let mut weights = vec![0];
        let mut blocks = 1usize;
        for group in &tables.groups[1..] {
            weights.push(blocks);
            blocks = blocks.checked_mul(group.size)?;
        }
        blocks.checked_mul(words)?;
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

    /// The moves from a block, whose values and syncs are these: the blocks that they lead to, and
    /// what they do to the low group when it takes part.
    pub(super) fn moves<'a>(
        &'a self,
        tables: &Tables,
        at: usize,
        values: &[usize],
        mask: &[u64],
        mut found: impl FnMut(usize, Option<&'a Shifts>),
    ) {
        for (nth, value) in values.iter().enumerate().skip(1) {
            for by in tables.groups[nth].moves.of(*value) {
                found(self.shifted(at, nth, *by), None);
            }
        }
        found(at, Some(&self.low));
        for row in rows(mask) {
            let mut to = at;
            for (group, moves) in &tables.cross[row].high {
                let by = moves[values[*group]];
                debug_assert_ne!(by, NO_MOVE);
                to = self.shifted(to, *group, by);
            }
            found(to, self.cross[row].as_ref());
        }
    }
}

/// The numbers of the bits of a mask.
pub(super) fn rows(mask: &[u64]) -> impl Iterator<Item = usize> {
    mask.iter().enumerate().flat_map(|(nth, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (bit < WORD).then_some(nth * WORD + bit)
        })
    })
}
