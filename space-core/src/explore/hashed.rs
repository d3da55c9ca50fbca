//! A hash set of the states seen, expanded range by range.
#![allow(
    clippy::cast_possible_truncation,
    reason = "keys are numbers of words, which the layout counts in the machine's own; ranges are few"
)]

use std::collections::VecDeque;

use super::Bound;
use super::layout::{Layout, WORD};
use super::natural::Natural;
use super::net::Net;
use super::packed::Tables;
use super::report::{Engine, Limits, Progress, Report, product};
use super::survey::survey_words;
use super::words::{Gathered, Part, Word, spread};

/// Ranges that the numbers of words are split into.
const RANGES: u64 = 256;
/// Words expanded between two looks at the memory.
const ROUND: usize = 1 << 12;

/// Explores a net whose product fits 64 bits; `None` when it does not.
///
/// States lie in words as they do in the bit set, so a move takes all states of a word at once.
/// Words are split into ranges, each with a hash set of its own that fits a core's cache. A range
/// is expanded until it finds nothing new in itself; what it finds for others waits with them until
/// their turn, in order. So most look-ups are near, and a word mostly has many new states when its
/// turn comes. Levels are given up for that: it does not know the depth. One thread.
///
/// Stops when sets and what waits take more memory than allowed.
pub(super) fn hashed(
    net: &Net,
    tables: &Tables,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Option<Report> {
    let layout = Layout::new(tables)?;
    let mut search = Search::new(tables, &layout);
    let mut bound = None;
    let mut bytes = search.bytes();
    while search.busy > 0 && bound.is_none() {
        progress(&Progress {
            states: search.states,
            frontier: search.waiting(),
            depth: 0,
        });
        for at in 0..search.ranges.len() {
            search.enter(at);
            while bound.is_none() && search.expand(at) {
                let now = search.bytes();
                bytes = bytes.max(now);
                if now > limits.memory {
                    bound = Some(search.stop(at));
                }
            }
            if bound.is_some() {
                break;
            }
        }
        bytes = bytes.max(search.bytes());
    }
    let words = search.ranges.iter().flat_map(|range| range.set.words());
    let survey = survey_words(net, tables, &layout, words);
    Some(Report {
        engine: Engine::Hashed,
        states: Natural::from(search.states),
        transitions: Some(Natural::from(survey.transitions)),
        depth: None,
        dead_ends: Natural::from(survey.dead),
        deadlocks: Natural::from(survey.stuck),
        unreachable: survey.unreachable,
        product: product(net),
        bytes,
        bound,
    })
}

struct Search<'a> {
    tables: &'a Tables,
    layout: &'a Layout,
    ranges: Vec<Range>,
    /// Words of a range.
    width: u64,
    /// Ranges with a word that waits.
    busy: usize,
    /// States in all sets.
    states: u64,
    queue: Queue,
    gathered: Gathered,
    values: Vec<usize>,
    mask: Vec<u64>,
}

struct Range {
    set: Part,
    /// Found elsewhere and not looked up yet.
    waiting: Vec<Word>,
}

impl<'a> Search<'a> {
    fn new(tables: &'a Tables, layout: &'a Layout) -> Self {
        let words = (layout.blocks * layout.words) as u64;
        let width = words.div_ceil(RANGES);
        let range = |_| Range {
            set: Part::new(),
            waiting: Vec::new(),
        };
        let mut ranges: Vec<Range> = (0..words.div_ceil(width)).map(range).collect();
        let low = tables.groups[0].initial;
        let block = layout.high_of(&tables.groups, |group| group.initial);
        let start = Word {
            key: (block * layout.words + low / WORD) as u64,
            states: 1 << (low % WORD),
        };
        ranges[(start.key / width) as usize].waiting.push(start);
        Self {
            tables,
            layout,
            ranges,
            width,
            busy: 1,
            states: 0,
            queue: Queue::new(),
            gathered: Gathered::new(),
            values: Vec::new(),
            mask: Vec::new(),
        }
    }

    /// Queues what waits for a range and is new.
    fn enter(&mut self, at: usize) {
        let range = &mut self.ranges[at];
        self.busy -= usize::from(!range.waiting.is_empty());
        for word in std::mem::take(&mut range.waiting) {
            self.states += self.queue.add(&mut range.set, word);
        }
    }

    /// Expands words of a range; answers whether any were queued.
    fn expand(&mut self, at: usize) -> bool {
        let layout = self.layout;
        let from = at as u64 * self.width;
        // Out of the ranges, so that the others can be handed what is theirs.
        let mut set = std::mem::take(&mut self.ranges[at].set);
        let mut hand = |word: Word| {
            let waiting = &mut self.ranges[(word.key / self.width) as usize].waiting;
            self.busy += usize::from(waiting.is_empty());
            waiting.push(word);
        };
        let mut any = false;
        for _ in 0..ROUND {
            let Some(word) = self.queue.take() else {
                break;
            };
            any = true;
            let block = word.key as usize / layout.words;
            let place = word.key as usize % layout.words;
            self.tables.decode(block, &mut self.values, &mut self.mask);
            let mut found = |key: usize, states: u64| {
                let key = key as u64;
                let word = Word { key, states };
                if key.wrapping_sub(from) < self.width {
                    self.states += self.queue.add(&mut set, word);
                } else if let Some(word) = self.gathered.add(word) {
                    hand(word);
                }
            };
            layout.moves(
                self.tables,
                block,
                &self.values,
                &self.mask,
                |to, shifts| {
                    let base = to * layout.words;
                    match shifts {
                        None => found(base + place, word.states),
                        Some(shifts) => {
                            shifts.shifted(base + place, place, word.states, &mut found);
                        }
                    }
                },
            );
        }
        self.gathered.take(hand);
        self.ranges[at].set = set;
        any
    }

    /// Looks up all that waits, and leaves in the sets what was expanded.
    fn stop(&mut self, at: usize) -> Bound {
        let mut frontier = 0;
        // The queue is of the range that was being expanded.
        for at in (at..self.ranges.len()).chain(0..at) {
            self.enter(at);
            while let Some(word) = self.queue.take() {
                frontier += u64::from(word.states.count_ones());
                self.ranges[at].set.remove(word);
            }
        }
        Bound {
            seen: self.states,
            frontier,
        }
    }

    /// States that wait, or were seen already.
    fn waiting(&self) -> u64 {
        let words = self.ranges.iter().flat_map(|range| &range.waiting);
        words.map(|word| u64::from(word.states.count_ones())).sum()
    }

    fn bytes(&self) -> u64 {
        let ranges = self.ranges.iter();
        let waiting: usize = ranges.clone().map(|one| one.waiting.capacity()).sum();
        let sets: u64 = ranges.map(|one| one.set.bytes()).sum();
        sets + ((waiting + self.queue.words.capacity()) * size_of::<Word>()) as u64
    }
}

/// Words of one range whose new states are to be expanded, first in, first out.
struct Queue {
    words: VecDeque<Word>,
    /// How many were ever taken.
    taken: usize,
    /// Where words are that were added lately, counted as `taken` is.
    latest: Vec<usize>,
}

/// 64 less the bits of a place among the latest.
const LATEST_SHIFT: u32 = 64 - 12;

impl Queue {
    fn new() -> Self {
        Self {
            words: VecDeque::new(),
            taken: 0,
            latest: vec![0; 1 << (64 - LATEST_SHIFT)],
        }
    }

    /// Adds states to a set and queues those that are new; answers how many.
    fn add(&mut self, set: &mut Part, word: Word) -> u64 {
        let spread = spread(word.key);
        let states = set.insert(spread, word);
        if states == 0 {
            return 0;
        }
        let latest = &mut self.latest[(spread >> LATEST_SHIFT) as usize];
        match self.words.get_mut(latest.wrapping_sub(self.taken)) {
            Some(queued) if queued.key == word.key => queued.states |= states,
            _ => {
                *latest = self.taken + self.words.len();
                self.words.push_back(Word { states, ..word });
            }
        }
        u64::from(states.count_ones())
    }

    fn take(&mut self) -> Option<Word> {
        let word = self.words.pop_front();
        self.taken += usize::from(word.is_some());
        word
    }
}
