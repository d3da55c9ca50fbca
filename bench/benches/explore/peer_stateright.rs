//! The ring as a model of stateright.

use std::time::Instant;

use space_bench::measure::peak_megabytes;
use stateright::{Checker, Model, Property};

use super::Ring;

impl Model for Ring {
    type State = [u8; 8];
    type Action = (bool, u8);

    fn init_states(&self) -> Vec<Self::State> {
        let mut state = [0; 8];
        state[..self.t].fill(self.h as u8 + 1);
        vec![state]
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>) {
        let (h, last) = (self.h as u8, self.n as u8 - 1);
        for at in 0..self.k {
            let next = state[(at + 1) % self.k];
            if state[at] != h && state[at] != last {
                actions.push((false, at as u8));
            }
            if state[at] == h && next == last {
                actions.push((true, at as u8));
            }
        }
    }

    fn next_state(&self, last: &Self::State, (sync, at): Self::Action) -> Option<Self::State> {
        let mut state = *last;
        state[usize::from(at)] += 1;
        if sync {
            state[(usize::from(at) + 1) % self.k] = 0;
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        // Without one there is nothing to look for, and the search ends at once.
        vec![Property::always("true", |_, _| true)]
    }
}

pub(crate) fn explore(ring: Ring) -> [f64; 3] {
    let start = Instant::now();
    let checker = ring.checker().threads(2).spawn_bfs().join();
    let seconds = start.elapsed().as_secs_f64();
    [
        checker.unique_state_count() as f64,
        seconds,
        peak_megabytes(),
    ]
}
