//! What the states of a set are.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::bits::Planes;
use super::explicit::CHUNK;
use super::layout::{Layout, Shifts, WORD, rows};
use super::net::Net;
use super::packed::Tables;
use super::words::Word;

/// What is counted once all states are known.
pub(super) struct Survey {
    pub(super) transitions: u64,
    /// States without a move.
    pub(super) dead: u64,
    /// Dead states in which some component is not final.
    pub(super) stuck: u64,
    /// Component states that no state has.
    pub(super) unreachable: Vec<(usize, usize)>,
}

/// Looks at each state of a bit set once, 64 at a time.
pub(super) fn survey(
    net: &Net,
    tables: &Tables,
    layout: &Layout,
    planes: &Planes,
    threads: usize,
) -> Survey {
    let next = AtomicUsize::new(0);
    let walk = || {
        let mut tally = Tally::new(tables, layout);
        tally.walk(tables, layout, planes, &next);
        tally
    };
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(walk)).collect();
        let own = walk();
        let others = others.into_iter().filter_map(|one| one.join().ok());
        std::iter::once(own).chain(others).collect()
    });
    Survey::new(net, tables, &tallies)
}

/// Looks at each state of these words once.
#[allow(
    clippy::cast_possible_truncation,
    reason = "keys are numbers of words, which the layout counts in the machine's own"
)]
pub(super) fn survey_words(
    net: &Net,
    tables: &Tables,
    layout: &Layout,
    words: impl Iterator<Item = Word>,
) -> Survey {
    let mut tally = Tally::new(tables, layout);
    let (mut values, mut mask) = (Vec::new(), Vec::new());
    for Word { key, states } in words {
        let (block, place) = (key as usize / layout.words, key as usize % layout.words);
        tally.low[place] |= states;
        tally.words.clear();
        tally.words.push((place, states, 0));
        tables.decode(block, &mut values, &mut mask);
        let count = u64::from(states.count_ones());
        tally.block(tables, layout, count, &values, &mask);
    }
    Survey::new(net, tables, &[tally])
}

impl Survey {
    fn new(net: &Net, tables: &Tables, tallies: &[Tally]) -> Self {
        let sum = |count: fn(&Tally) -> u64| tallies.iter().map(count).sum();
        Self {
            transitions: sum(|tally| tally.transitions),
            dead: sum(|tally| tally.dead),
            stuck: sum(|tally| tally.stuck),
            unreachable: unreachable(net, tables, tallies),
        }
    }
}

/// What one thread counts.
struct Tally {
    transitions: u64,
    dead: u64,
    stuck: u64,
    /// Values of the low group that occur.
    low: Vec<u64>,
    /// Values of the other groups that occur.
    high: Vec<Vec<bool>>,
    /// Words of a block with states: place, states, and those of them that have a move.
    words: Vec<(usize, u64, u64)>,
}

impl Tally {
    fn new(tables: &Tables, layout: &Layout) -> Self {
        let values = tables.groups.iter().map(|group| vec![false; group.size]);
        Self {
            transitions: 0,
            dead: 0,
            stuck: 0,
            low: vec![0; layout.words],
            high: values.collect(),
            words: Vec::new(),
        }
    }

    fn walk(&mut self, tables: &Tables, layout: &Layout, planes: &Planes, next: &AtomicUsize) {
        let (mut values, mut mask) = (Vec::new(), Vec::new());
        loop {
            let from = next.fetch_add(CHUNK, Relaxed);
            if from >= layout.blocks {
                return;
            }
            for at in from..layout.blocks.min(from + CHUNK) {
                self.words.clear();
                let mut states = 0;
                for word in 0..layout.words {
                    let [p, q] = planes.pair(at * layout.words + word);
                    if p | q != 0 {
                        self.words.push((word, p | q, 0));
                        self.low[word] |= p | q;
                        states += u64::from((p | q).count_ones());
                    }
                }
                if states > 0 {
                    tables.decode(at, &mut values, &mut mask);
                    self.block(tables, layout, states, &values, &mask);
                }
            }
        }
    }

    fn block(
        &mut self,
        tables: &Tables,
        layout: &Layout,
        states: u64,
        values: &[usize],
        mask: &[u64],
    ) {
        let mut all_final = true;
        let mut all_move = false;
        for (at, value) in values.iter().enumerate().skip(1) {
            let group = &tables.groups[at];
            let moves = group.moves.of(*value).len();
            self.high[at][*value] = true;
            self.transitions += moves as u64 * states;
            all_move |= moves > 0;
            all_final &= group.finals[*value];
        }
        self.low_moves(&layout.low);
        for row in rows(mask) {
            if let Some(shifts) = &layout.cross[row] {
                self.low_moves(shifts);
            } else {
                self.transitions += states;
                all_move = true;
            }
        }
        if all_move {
            return;
        }
        for (word, states, moving) in &self.words {
            let dead = states & !moving;
            let fine = if all_final { layout.finals[*word] } else { 0 };
            self.dead += u64::from(dead.count_ones());
            self.stuck += u64::from((dead & !fine).count_ones());
        }
    }

    fn low_moves(&mut self, shifts: &Shifts) {
        for (word, states, moving) in &mut self.words {
            for (_, mask) in shifts.of(*word) {
                *moving |= *states & mask;
                self.transitions += u64::from((*states & mask).count_ones());
            }
        }
    }
}

fn unreachable(net: &Net, tables: &Tables, tallies: &[Tally]) -> Vec<(usize, usize)> {
    let rows = net.components.iter().map(|one| vec![false; one.states]);
    let mut seen: Vec<Vec<bool>> = rows.collect();
    for (at, group) in tables.groups.iter().enumerate() {
        for value in 0..group.size {
            let occurs = tallies.iter().any(|tally| match at {
                0 => tally.low[value / WORD] >> (value % WORD) & 1 == 1,
                _ => tally.high[at][value],
            });
            if occurs {
                for (member, state) in group.members.clone().zip(group.unpack(net, value)) {
                    seen[member][state] = true;
                }
            }
        }
    }
    unseen(&seen)
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
