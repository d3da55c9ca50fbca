//! Moves of single states.
#![allow(
    clippy::cast_possible_truncation,
    reason = "values of groups come from states by remainder"
)]

use super::net::Net;
use super::packed::{NO_MOVE, Tables};

/// Moves of states packed into one word.
pub(super) struct Walk<'a> {
    tables: &'a Tables,
    /// The packed initial state.
    pub(super) start: u64,
    weights: Vec<u64>,
}

/// What a state is and can do; buffers are kept from state to state.
#[derive(Default)]
pub(super) struct Step {
    /// The values of the groups.
    pub(super) values: Vec<usize>,
    /// The states that it leads to, one for each way.
    pub(super) to: Vec<u64>,
    mask: Vec<u64>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(tables: &'a Tables) -> Option<Self> {
        let mut weights = Vec::new();
        let mut weight = 1u64;
        let mut start = 0;
        for group in &tables.groups {
            weights.push(weight);
            start += group.initial as u64 * weight;
            weight = weight.checked_mul(group.size as u64)?;
        }
        Some(Self {
            tables,
            start,
            weights,
        })
    }

    /// Finds the successors of a state.
    pub(super) fn step(&self, state: u64, step: &mut Step) {
        let words = self.tables.words;
        step.values.clear();
        step.to.clear();
        step.mask.clear();
        step.mask.resize(words, u64::MAX);
        let mut rest = state;
        for (group, weight) in self.tables.groups.iter().zip(&self.weights) {
            let size = group.size as u64;
            let value = (rest % size) as usize;
            rest /= size;
            step.values.push(value);
            let moves = group.moves.of(value);
            step.to
                .extend(moves.iter().map(|by| moved(state, *by, *weight)));
            let row = &group.masks[value * words..(value + 1) * words];
            for (mask, allowed) in step.mask.iter_mut().zip(row) {
                *mask &= allowed;
            }
        }
        for (nth, mask) in step.mask.iter().enumerate() {
            let mut mask = *mask;
            while mask != 0 {
                let row = &self.tables.cross[nth * 64 + mask.trailing_zeros() as usize];
                mask &= mask - 1;
                let mut to = state;
                for (group, moves) in &row.high {
                    debug_assert_ne!(moves[step.values[*group]], NO_MOVE);
                    to = moved(to, moves[step.values[*group]], self.weights[*group]);
                }
                match &row.low {
                    Some(lists) => {
                        let ways = lists.of(step.values[0]);
                        step.to.extend(ways.iter().map(|by| moved(to, *by, 1)));
                    }
                    None => step.to.push(to),
                }
            }
        }
    }

    /// The component states of a packed state.
    pub(super) fn unpack(net: &Net, state: u64, states: &mut Vec<usize>) {
        let mut rest = state;
        states.clear();
        for component in &net.components {
            states.push((rest % component.states as u64) as usize);
            rest /= component.states as u64;
        }
    }
}

fn moved(state: u64, by: i32, weight: u64) -> u64 {
    state.wrapping_add(i64::from(by).cast_unsigned().wrapping_mul(weight))
}
