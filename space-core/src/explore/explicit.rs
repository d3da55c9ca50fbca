//! Breadth-first over a bit set of the whole product.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::bits::Planes;
use super::natural::Natural;
use super::net::Net;
use super::packed::{Cross, Group, Lists, NO_MOVE, Tables};
use super::report::{Engine, Limits, Progress, Report, product};

/// Bits of a word.
const WORD: usize = 64;
/// Blocks that a thread takes at a time.
const CHUNK: usize = 64;

/// Explores a net whose product fits a bit set; `None` when that takes more memory than allowed.
///
/// The values of the low group are the bits of a *block* of words, one block for each choice of
/// the other groups' values. A move of another group shifts whole blocks, so it moves up to 64
/// states at once; a move of the low group is a shift under a mask. Two bits a state of the
/// product, and time linear in words of frontiers times moves.
pub(super) fn dense(
    net: &Net,
    tables: &Tables,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Option<Report> {
    let layout = Layout::new(tables, limits.memory)?;
    let planes = Planes::new(layout.blocks, layout.words);
    let start = layout.high_of(&tables.groups, |group| group.initial);
    let initial = tables.groups[0].initial;
    planes.add::<false>(
        0,
        start * layout.words + initial / WORD,
        1 << (initial % WORD),
    );
    planes.touch(0, start);
    let search = Search {
        tables,
        layout: &layout,
        planes: &planes,
    };
    let mut total = Tally::new(tables, &layout);
    let (mut states, mut frontier, mut depth) = (1u64, 1u64, 0u64);
    loop {
        progress(&Progress {
            states,
            frontier,
            depth,
        });
        let plane = usize::from(depth % 2 == 1);
        let threads = if frontier < limits.shared_from {
            1
        } else {
            limits.threads
        };
        let next = AtomicUsize::new(0);
        if threads <= 1 {
            search.level::<false>(plane, &next, &mut total);
        } else {
            let mut tallies: Vec<_> = (0..threads).map(|_| Tally::new(tables, &layout)).collect();
            std::thread::scope(|scope| {
                for tally in &mut tallies {
                    scope.spawn(|| search.level::<true>(plane, &next, tally));
                }
            });
            for tally in &tallies {
                total.add(tally);
            }
        }
        frontier = std::mem::take(&mut total.new);
        if frontier == 0 {
            break;
        }
        states += frontier;
        depth += 1;
    }
    Some(Report {
        engine: Engine::Dense,
        states: Natural::from(states),
        transitions: Some(Natural::from(total.transitions)),
        depth: Some(depth),
        dead_ends: Natural::from(total.dead),
        deadlocks: Natural::from(total.stuck),
        unreachable: total.unreachable(net, tables),
        product: product(net),
        bytes: Planes::bytes(layout.blocks, layout.words),
        bound: None,
    })
}

/// How states lie in the planes, and the low group's tables in words.
struct Layout {
    /// Words of a block.
    words: usize,
    /// Blocks.
    blocks: usize,
    /// How far apart two blocks are that differ by one in a group's value; none for the low group.
    weights: Vec<usize>,
    /// The low group's own moves.
    low: Shifts,
    /// What each sync across groups does to the low group.
    cross: Vec<Option<Shifts>>,
    /// The low group's final values.
    finals: Vec<u64>,
}

/// Moves of the low group as shifts under masks, by word.
struct Shifts(Vec<Vec<(i32, u64)>>);

impl Shifts {
    fn new(lists: &Lists, size: usize) -> Self {
        let word = |word: usize| {
            let mut shifts: Vec<(i32, u64)> = Vec::new();
            for value in word * WORD..size.min((word + 1) * WORD) {
                for by in lists.of(value) {
                    let bit = 1 << (value % WORD);
                    // A second way to the same state is a transition of its own.
                    match shifts
                        .iter_mut()
                        .find(|(one, mask)| one == by && mask & bit == 0)
                    {
                        Some((_, mask)) => *mask |= bit,
                        None => shifts.push((*by, bit)),
                    }
                }
            }
            shifts
        };
        Self((0..size.div_ceil(WORD)).map(word).collect())
    }
}

impl Layout {
    fn new(tables: &Tables, memory: u64) -> Option<Self> {
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
        let shifts = |sync: &Cross| sync.low.as_ref().map(|lists| Shifts::new(lists, low.size));
        Some(Self {
            words,
            blocks,
            weights,
            low: Shifts::new(&low.moves, low.size),
            cross: tables.cross.iter().map(shifts).collect(),
            finals,
        })
    }

    fn high_of(&self, groups: &[Group], value: impl Fn(&Group) -> usize) -> usize {
        groups
            .iter()
            .zip(&self.weights)
            .map(|(group, weight)| value(group) * weight)
            .sum()
    }
}

/// What one thread counts.
struct Tally {
    new: u64,
    transitions: u64,
    dead: u64,
    stuck: u64,
    /// Values of the low group that occur.
    low: Vec<u64>,
    /// Values of the other groups that occur.
    high: Vec<Vec<bool>>,
}

impl Tally {
    fn new(tables: &Tables, layout: &Layout) -> Self {
        Self {
            new: 0,
            transitions: 0,
            dead: 0,
            stuck: 0,
            low: vec![0; layout.words],
            high: tables
                .groups
                .iter()
                .map(|group| vec![false; group.size])
                .collect(),
        }
    }

    fn add(&mut self, other: &Self) {
        self.new += other.new;
        self.transitions += other.transitions;
        self.dead += other.dead;
        self.stuck += other.stuck;
        for (word, more) in self.low.iter_mut().zip(&other.low) {
            *word |= more;
        }
        for (values, more) in self
            .high
            .iter_mut()
            .flatten()
            .zip(other.high.iter().flatten())
        {
            *values |= more;
        }
    }

    fn unreachable(&self, net: &Net, tables: &Tables) -> Vec<(usize, usize)> {
        let mut seen: Vec<Vec<bool>> = net
            .components
            .iter()
            .map(|one| vec![false; one.states])
            .collect();
        for (at, group) in tables.groups.iter().enumerate() {
            for value in 0..group.size {
                let occurs = match at {
                    0 => self.low[value / WORD] >> (value % WORD) & 1 == 1,
                    _ => self.high[at][value],
                };
                if occurs {
                    for (member, state) in group.members.clone().zip(group.unpack(net, value)) {
                        seen[member][state] = true;
                    }
                }
            }
        }
        unseen(&seen)
    }
}

/// The component states that were never seen.
pub(super) fn unseen(seen: &[Vec<bool>]) -> Vec<(usize, usize)> {
    seen.iter()
        .enumerate()
        .flat_map(|(component, states)| {
            let missing = states.iter().enumerate().filter(|(_, seen)| !**seen);
            missing.map(move |(state, _)| (component, state))
        })
        .collect()
}

struct Search<'a> {
    tables: &'a Tables,
    layout: &'a Layout,
    planes: &'a Planes,
}

/// The frontier of a block, and buffers that are kept for the next one.
#[derive(Default)]
struct Block {
    /// Words with frontier states: place in the block, states.
    cur: Vec<(usize, u64)>,
    /// Of these states, those that have a move.
    alive: Vec<u64>,
    values: Vec<usize>,
    mask: Vec<u64>,
}

impl Search<'_> {
    /// Expands the frontier of a plane, chunk by chunk until none is left.
    fn level<const SHARED: bool>(&self, plane: usize, next: &AtomicUsize, tally: &mut Tally) {
        let mut block = Block::default();
        loop {
            let from = next.fetch_add(CHUNK, Relaxed);
            if from >= self.layout.blocks {
                break;
            }
            for at in from..self.layout.blocks.min(from + CHUNK) {
                if self.planes.take(plane, at) {
                    self.expand::<SHARED>(plane, at, &mut block, tally);
                }
            }
        }
    }

    fn expand<const SHARED: bool>(
        &self,
        plane: usize,
        at: usize,
        block: &mut Block,
        tally: &mut Tally,
    ) {
        let (layout, groups) = (self.layout, &self.tables.groups);
        let other = 1 - plane;
        let base = at * layout.words;
        block.cur.clear();
        for word in 0..layout.words {
            let pair = self.planes.pair(base + word);
            let cur = pair[plane] & !pair[other];
            if cur != 0 {
                block.cur.push((word, cur));
                tally.low[word] |= cur;
                self.planes.finish::<SHARED>(other, base + word, cur);
            }
        }
        if block.cur.is_empty() {
            return;
        }
        block.alive.clear();
        block.alive.resize(block.cur.len(), 0);
        self.decode(at, block);
        let mut moved = false;
        for (group, value) in groups.iter().zip(&block.values).skip(1) {
            moved |= !group.moves.of(*value).is_empty();
        }
        if moved {
            block.alive.fill(u64::MAX);
        }
        for (nth, value) in block.values.iter().enumerate().skip(1) {
            tally.high[nth][*value] = true;
            let weight = layout.weights[nth];
            for by in groups[nth].moves.of(*value) {
                let to = shifted(at, *by, weight);
                self.shift_block::<SHARED>(other, to, block, tally);
            }
        }
        self.low_moves::<SHARED>(other, at, &layout.low, block, tally);
        for nth in 0..block.mask.len() {
            let mut mask = block.mask[nth];
            while mask != 0 {
                let row = nth * WORD + mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let mut to = at;
                for (group, moves) in &self.tables.cross[row].high {
                    debug_assert_ne!(moves[block.values[*group]], NO_MOVE);
                    to = shifted(to, moves[block.values[*group]], layout.weights[*group]);
                }
                if let Some(shifts) = &layout.cross[row] {
                    self.low_moves::<SHARED>(other, to, shifts, block, tally);
                } else {
                    block.alive.fill(u64::MAX);
                    self.shift_block::<SHARED>(other, to, block, tally);
                }
            }
        }
        let all_final = groups
            .iter()
            .zip(&block.values)
            .skip(1)
            .all(|(group, value)| group.finals[*value]);
        for ((word, cur), alive) in block.cur.iter().zip(&block.alive) {
            let dead = cur & !alive;
            if dead != 0 {
                let fine = if all_final { layout.finals[*word] } else { 0 };
                tally.dead += u64::from(dead.count_ones());
                tally.stuck += u64::from((dead & !fine).count_ones());
            }
        }
    }

    /// The values of the groups in a block, and the syncs that they allow; the low group, whose
    /// value differs from state to state, is taken to allow all.
    fn decode(&self, at: usize, block: &mut Block) {
        let groups = &self.tables.groups;
        let words = self.tables.words;
        block.values.clear();
        block.values.push(0);
        block.mask.clear();
        block.mask.resize(words, u64::MAX);
        let mut rest = at;
        for group in &groups[1..] {
            let value = rest % group.size;
            rest /= group.size;
            block.values.push(value);
            let row = &group.masks[value * words..(value + 1) * words];
            for (mask, allowed) in block.mask.iter_mut().zip(row) {
                *mask &= allowed;
            }
        }
    }

    /// All frontier states of a block move to the same places of another.
    fn shift_block<const SHARED: bool>(
        &self,
        plane: usize,
        to: usize,
        block: &Block,
        tally: &mut Tally,
    ) {
        let base = to * self.layout.words;
        let mut new = 0;
        for (word, cur) in &block.cur {
            tally.transitions += u64::from(cur.count_ones());
            new += u64::from(
                self.planes
                    .add::<SHARED>(plane, base + word, *cur)
                    .count_ones(),
            );
        }
        self.count(plane, to, new, tally);
    }

    /// Frontier states move to other places of a block.
    fn low_moves<const SHARED: bool>(
        &self,
        plane: usize,
        to: usize,
        shifts: &Shifts,
        block: &mut Block,
        tally: &mut Tally,
    ) {
        let base = to * self.layout.words;
        let mut new = 0;
        for ((word, cur), alive) in block.cur.iter().zip(&mut block.alive) {
            for (by, mask) in &shifts.0[*word] {
                let states = cur & mask;
                if states == 0 {
                    continue;
                }
                *alive |= states;
                tally.transitions += u64::from(states.count_ones());
                // Where bit 0 of the word would go, in bits from the block's start. Bits that
                // would leave the block are not set, though the word that they start in may.
                let place = small(*word * WORD) + by;
                let first = base.wrapping_add_signed((place >> 6) as isize);
                let shift = place & 63;
                let low = states << shift;
                if low != 0 {
                    new += self.planes.add::<SHARED>(plane, first, low).count_ones();
                }
                if shift != 0 {
                    let high = states >> (64 - shift);
                    if high != 0 {
                        new += self
                            .planes
                            .add::<SHARED>(plane, first.wrapping_add(1), high)
                            .count_ones();
                    }
                }
            }
        }
        self.count(plane, to, u64::from(new), tally);
    }

    fn count(&self, plane: usize, block: usize, new: u64, tally: &mut Tally) {
        if new > 0 {
            tally.new += new;
            self.planes.touch(plane, block);
        }
    }
}

fn shifted(block: usize, by: i32, weight: usize) -> usize {
    block.wrapping_add_signed(by as isize * weight.cast_signed())
}

fn small(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}
