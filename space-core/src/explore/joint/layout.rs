//! A configuration of a composition as a row of numbers.

use super::super::configurations::Pending;
use crate::graph::Composed;

/// A configuration, with its hash kept as its numbers change: two that are alike have one hash, and
/// what a step leaves alone is not hashed again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) cells: Vec<u32>,
    pub(super) hash: u64,
}

impl Row {
    fn put(&mut self, at: usize, value: u32) {
        let was = std::mem::replace(&mut self.cells[at], value);
        self.hash ^= mix(at, was) ^ mix(at, value);
    }
}

/// A number for each place and value: Steele, Lea and Flood, *Fast splittable pseudorandom number
/// generators*, OOPSLA 2014.
fn mix(at: usize, value: u32) -> u64 {
    let mut mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(value);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

const START: u32 = u32::MAX;
const NOTHING: u32 = u32::MAX - 1;

/// Where the parts of a configuration are: the state and the pending effect of each component, the
/// rounds of each loop that is counted, and one bit for each bridge whose event waits.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    components: usize,
    /// The place of each loop's count, and how often it may be gone through.
    loops: Vec<Option<(usize, u32)>>,
    /// Where the bits begin.
    waiting: usize,
    /// How many numbers a configuration has.
    pub(super) width: usize,
}

impl Layout {
    pub(super) fn new(composed: &Composed, counted: bool) -> Self {
        let components = composed.components.len();
        let mut at = 2 * components;
        let mut place = |most: u32| {
            (counted && most > 0).then(|| {
                at += 1;
                (at - 1, most)
            })
        };
        let loops = composed
            .loops
            .iter()
            .map(|row| place(row.max_rounds))
            .collect();
        Self {
            components,
            loops,
            waiting: at,
            width: at + composed.bridges.len().div_ceil(32),
        }
    }

    /// Where runs begin.
    pub(super) fn start(&self, composed: &Composed) -> Row {
        let mut start = Row {
            cells: vec![0; self.width],
            hash: 0,
        };
        for (at, one) in composed.components.iter().enumerate() {
            self.set(&mut start, at, one.model.initial, Pending::Nothing);
            if composed.begins(at) {
                start.put(self.components + at, START);
            }
        }
        start
    }

    pub(super) fn state(&self, row: &[u32], component: usize) -> usize {
        debug_assert!(component < self.components);
        row[component] as usize
    }

    pub(super) fn pending(&self, row: &[u32], component: usize) -> Pending {
        match row[self.components + component] {
            START => Pending::Start,
            NOTHING => Pending::Nothing,
            effect => Pending::Effect(effect as usize),
        }
    }

    pub(super) fn set(&self, row: &mut Row, component: usize, state: usize, pending: Pending) {
        row.put(component, narrow(state));
        let pending = match pending {
            Pending::Start => START,
            Pending::Nothing => NOTHING,
            Pending::Effect(effect) => narrow(effect),
        };
        row.put(self.components + component, pending);
    }

    /// The bridges whose events wait, by row.
    pub(super) fn waiting<'a>(&self, row: &'a [u32]) -> impl Iterator<Item = usize> + use<'a> {
        let words = row[self.waiting..].iter().enumerate();
        let words = words.filter(|(_, word)| **word != 0);
        words.flat_map(|(at, word)| {
            let bits = (0..32).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| 32 * at + bit)
        })
    }

    pub(super) fn wait(&self, row: &mut Row, bridge: usize, waits: bool) {
        let at = self.waiting + bridge / 32;
        let bit = 1 << (bridge % 32);
        let word = row.cells[at];
        row.put(at, if waits { word | bit } else { word & !bit });
    }

    /// Whether a loop has been gone through as often as it may be.
    pub(super) fn is_used_up(&self, row: &[u32], feedback: usize) -> bool {
        self.loops[feedback].is_some_and(|(at, most)| row[at] >= most)
    }

    /// The numbers of a configuration without the rounds of its loops.
    #[cfg(feature = "explore")]
    pub(super) fn without_rounds(&self, row: &[u32]) -> Vec<u32> {
        [&row[..2 * self.components], &row[self.waiting..]].concat()
    }

    pub(super) fn count(&self, row: &mut Row, feedback: usize) {
        if let Some((at, _)) = self.loops[feedback] {
            row.put(at, row.cells[at] + 1);
        }
    }
}

pub(super) fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NOTHING - 1)
}
