//! Breadth-first over a bit set of the whole product.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::bits::Planes;
use super::layout::{Layout, Shifts, WORD};
use super::natural::Natural;
use super::net::Net;
use super::packed::Tables;
use super::report::{Engine, Limits, Progress, Report, product};
use super::survey::survey;

/// Blocks that a thread takes at a time.
pub(super) const CHUNK: usize = 64;

/// Explores a net whose product fits a bit set; `None` when that takes more memory than allowed.
///
/// The values of the low group are the bits of a *block* of words, one block for each choice of
/// the other groups' values. A move of another group shifts whole blocks, so it moves up to 64
/// states at once; a move of the low group is a shift under a mask. What the states are is
/// counted once all are known, when words are full. Two bits a state of the product, and time
/// linear in words of frontiers times moves.
pub(super) fn dense(
    net: &Net,
    tables: &Tables,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Option<Report> {
    let layout = Layout::new(tables)?;
    if Planes::bytes(layout.blocks, layout.words) > limits.memory {
        return None;
    }
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
    let (mut states, mut frontier, mut depth) = (0u64, 1u64, 0u64);
    loop {
        let plane = usize::from(depth % 2 == 1);
        let next = AtomicUsize::new(0);
        // Neighbouring levels are about as large.
        frontier = if limits.threads <= 1 || frontier < limits.shared_from {
            search.level::<false>(plane, &next)
        } else {
            std::thread::scope(|scope| {
                let threads =
                    (0..limits.threads).map(|_| scope.spawn(|| search.level::<true>(plane, &next)));
                let threads: Vec<_> = threads.collect();
                threads.into_iter().map(|one| one.join().unwrap_or(0)).sum()
            })
        };
        if frontier == 0 {
            break;
        }
        states += frontier;
        progress(&Progress {
            states,
            frontier,
            depth,
        });
        depth += 1;
    }
    let threads = if states < limits.shared_from {
        1
    } else {
        limits.threads
    };
    let survey = survey(net, tables, &layout, &planes, threads);
    Some(Report {
        engine: Engine::Dense,
        states: Natural::from(states),
        transitions: Some(Natural::from(survey.transitions)),
        depth: Some(depth - 1),
        dead_ends: Natural::from(survey.dead),
        deadlocks: Natural::from(survey.stuck),
        unreachable: survey.unreachable,
        product: product(net),
        bytes: Planes::bytes(layout.blocks, layout.words),
        bound: None,
    })
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
    frontier: Vec<(usize, u64)>,
    /// The values of the groups; of the low one none.
    values: Vec<usize>,
    /// The syncs across groups that they allow.
    mask: Vec<u64>,
}

impl Search<'_> {
    /// Expands the frontier of a plane, chunk by chunk until none is left. Answers how many states
    /// it had.
    fn level<const SHARED: bool>(&self, plane: usize, next: &AtomicUsize) -> u64 {
        let mut block = Block::default();
        let mut states = 0;
        loop {
            let from = next.fetch_add(CHUNK, Relaxed);
            if from >= self.layout.blocks {
                return states;
            }
            for at in from..self.layout.blocks.min(from + CHUNK) {
                if self.planes.take(plane, at) {
                    states += self.expand::<SHARED>(1 - plane, at, &mut block);
                }
            }
        }
    }

    /// Expands a block's frontier into a plane.
    fn expand<const SHARED: bool>(&self, plane: usize, at: usize, block: &mut Block) -> u64 {
        let layout = self.layout;
        let base = at * layout.words;
        let mut states = 0;
        block.frontier.clear();
        for word in 0..layout.words {
            let found = self.planes.finish::<SHARED>(plane, base + word);
            if found != 0 {
                block.frontier.push((word, found));
                states += u64::from(found.count_ones());
            }
        }
        if states == 0 {
            return 0;
        }
        self.tables.decode(at, &mut block.values, &mut block.mask);
        layout.moves(
            self.tables,
            at,
            &block.values,
            &block.mask,
            |to, shifts| match shifts {
                None => self.shift::<SHARED>(plane, to, &block.frontier),
                Some(shifts) => self.low_moves::<SHARED>(plane, to, shifts, &block.frontier),
            },
        );
        states
    }

    /// All frontier states move to the same places of another block.
    fn shift<const SHARED: bool>(&self, plane: usize, to: usize, frontier: &[(usize, u64)]) {
        let base = to * self.layout.words;
        let mut new = false;
        for (word, states) in frontier {
            new |= self.planes.add::<SHARED>(plane, base + word, *states);
        }
        if new {
            self.planes.touch(plane, to);
        }
    }

    /// Frontier states move to other places of a block.
    fn low_moves<const SHARED: bool>(
        &self,
        plane: usize,
        to: usize,
        shifts: &Shifts,
        frontier: &[(usize, u64)],
    ) {
        let base = to * self.layout.words;
        let mut new = false;
        for (word, states) in frontier {
            shifts.shifted(base + word, *word, *states, |word, states| {
                new |= self.planes.add::<SHARED>(plane, word, states);
            });
        }
        if new {
            self.planes.touch(plane, to);
        }
    }
}
