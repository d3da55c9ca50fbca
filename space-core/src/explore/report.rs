//! What an exploration finds.

use super::Bound;
use super::natural::Natural;
use super::net::Net;

/// Bounds of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that the sets of states may take.
    pub memory: u64,
    /// Threads; an engine uses fewer when more would not pay.
    pub threads: usize,
    /// Frontiers of the bit set with fewer states are expanded by one thread.
    pub shared_from: u64,
}

impl Default for Limits {
    /// 2 GiB, and the threads of the machine up to 8.
    fn default() -> Self {
        Self {
            memory: 2 << 30,
            threads: std::thread::available_parallelism().map_or(1, |n| n.get().min(8)),
            shared_from: 1 << 17,
        }
    }
}

/// How far an exploration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// States seen, or nodes of a diagram.
    pub states: u64,
    /// States to be expanded next; for the hash set those found that are not looked up yet.
    pub frontier: u64,
    /// Steps from the initial state; 0 where the engine does not go by levels.
    pub depth: u64,
}

/// Which engine explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A bit set over the whole product.
    Dense,
    /// A hash set of the states seen.
    Hashed,
    /// A decision diagram.
    Symbolic,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// By which engine.
    pub engine: Engine,
    /// Reachable states; with a bound reached, those seen.
    pub states: Natural,
    /// Moves between them, of those states that were expanded; a sync counts once for each way to
    /// make it. `None` when counting them would take more memory than allowed.
    pub transitions: Option<Natural>,
    /// The most steps that a shortest run to a state takes; only the dense engine knows.
    pub depth: Option<u64>,
    /// States without a move.
    pub dead_ends: Natural,
    /// Dead ends in which some component is not final.
    pub deadlocks: Natural,
    /// Component states that no reachable state has: component, state.
    pub unreachable: Vec<(usize, usize)>,
    /// All states of the product.
    pub product: Natural,
    /// The bytes that the sets of states took at most.
    pub bytes: u64,
    /// How far it came, when a bound stopped it.
    pub bound: Option<Bound>,
}

impl Report {
    /// The share of the product that is not reachable, from 0 to 1.
    pub fn pruned(&self) -> f64 {
        1.0 - self.states.share_of(&self.product)
    }
}

/// All states of the product of a net.
pub(super) fn product(net: &Net) -> Natural {
    net.components
        .iter()
        .fold(Natural::from(1), |product, one| {
            product.times(one.states as u64)
        })
}

/// Nothing but the initial state is known: no engine could hold the net.
pub(super) fn unexplored(net: &Net) -> Report {
    Report {
        engine: Engine::Hashed,
        states: Natural::from(1),
        transitions: None,
        depth: None,
        dead_ends: Natural::default(),
        deadlocks: Natural::default(),
        unreachable: Vec::new(),
        product: product(net),
        bytes: 0,
        bound: Some(Bound {
            seen: 1,
            frontier: 1,
        }),
    }
}
