//! A configuration of a composition as a row of numbers.

use super::super::configurations::Pending;
use crate::graph::Composed;

/// How often a loop may be gone through and still be counted; with more, or with no limit in
/// rounds, it is not, nor when the rounds make too many configurations.
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
    pub(super) fn start(&self, composed: &Composed) -> Vec<u32> {
        let mut start = vec![0; self.width];
        for (at, one) in composed.components.iter().enumerate() {
            self.set(&mut start, at, one.model.initial, Pending::Nothing);
            // Who is started by another waits for it; anybody else for the event that begins.
            if composed.after[at].is_empty() {
                start[self.components + at] = START;
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

    pub(super) fn set(&self, row: &mut [u32], component: usize, state: usize, pending: Pending) {
        row[component] = narrow(state);
        row[self.components + component] = match pending {
            Pending::Start => START,
            Pending::Nothing => NOTHING,
            Pending::Effect(effect) => narrow(effect),
        };
    }

    /// The bridges whose events wait, by row.
    pub(super) fn waiting<'a>(&self, row: &'a [u32]) -> impl Iterator<Item = usize> + use<'a> {
        let words = row[self.waiting..].iter().enumerate();
        words.flat_map(|(at, word)| {
            let bits = (0..32).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| 32 * at + bit)
        })
    }

    pub(super) fn wait(&self, row: &mut [u32], bridge: usize, waits: bool) {
        let word = &mut row[self.waiting + bridge / 32];
        let bit = 1 << (bridge % 32);
        *word = if waits { *word | bit } else { *word & !bit };
    }

    /// Whether a loop has been gone through as often as it may be.
    pub(super) fn is_used_up(&self, row: &[u32], feedback: usize) -> bool {
        self.loops[feedback].is_some_and(|(at, most)| row[at] >= most)
    }

    pub(super) fn count(&self, row: &mut [u32], feedback: usize) {
        if let Some((at, _)) = self.loops[feedback] {
            row[at] += 1;
        }
    }
}

pub(super) fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NOTHING - 1)
}
