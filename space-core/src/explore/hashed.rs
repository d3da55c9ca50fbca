//! Breadth-first over a hash set of the states seen.
#![allow(
    clippy::cast_possible_truncation,
    reason = "places of tables and values of groups come from hashes and states by remainder"
)]

use super::Bound;
use super::natural::Natural;
use super::net::Net;
use super::packed::{NO_MOVE, Tables};
use super::report::{Engine, Limits, Progress, Report, product};
use super::survey::unseen;
use super::words::{Recent, StateSet, spread_of};

/// Frontier states that a thread expands before successors are handed over.
const ROUND: usize = 1 << 14;

/// Explores a net whose product fits 64 bits; `None` when it does not.
///
/// Each thread owns the states of its part of the hash space: it expands those of the frontier
/// that it owns, hands every successor to its owner, and then takes in what it was handed. So the
/// sets are never shared, and looking up a whole round at a time lets the processor wait for many
/// cache lines at once. Stops when the sets take more memory than allowed.
pub(super) fn hashed(
    net: &Net,
    tables: &Tables,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Option<Report> {
    let walk = Walk::new(tables)?;
    let threads = limits.threads.max(1);
    let mut owners: Vec<Owner> = (0..threads)
        .map(|nth| Owner::new(tables, nth, threads))
        .collect();
    owners[owner_of(spread_of(walk.start), threads)].take_in(&[walk.start]);
    let mut bound = None;
    let mut bytes = 0;
    let mut depth = 0;
    let (mut states, mut frontier) = (1, 1);
    'levels: loop {
        progress(&Progress {
            states,
            frontier,
            depth,
        });
        for owner in &mut owners {
            owner.frontier = std::mem::take(&mut owner.next);
            owner.expanded = 0;
        }
        while owners
            .iter()
            .any(|owner| owner.expanded < owner.frontier.len())
        {
            let parallel = threads > 1 && frontier >= limits.shared_from;
            each(&mut owners, parallel, |owner| owner.expand(&walk));
            let handed: Vec<Vec<Vec<u64>>> = owners
                .iter_mut()
                .map(|owner| std::mem::take(&mut owner.out))
                .collect();
            each(&mut owners, parallel, |owner| {
                for out in &handed {
                    owner.take_in(&out[owner.nth]);
                }
            });
            for (owner, mut out) in owners.iter_mut().zip(handed) {
                out.iter_mut().for_each(Vec::clear);
                owner.out = out;
            }
            bytes = bytes.max(owners.iter().map(Owner::bytes).sum());
            if bytes > limits.memory {
                let waiting =
                    |owner: &Owner| owner.frontier.len() - owner.expanded + owner.next.len();
                bound = Some(Bound {
                    seen: owners.iter().map(|owner| owner.set.len() as u64).sum(),
                    frontier: owners.iter().map(|owner| waiting(owner) as u64).sum(),
                });
                break 'levels;
            }
        }
        states = owners.iter().map(|owner| owner.set.len() as u64).sum();
        frontier = owners.iter().map(|owner| owner.next.len() as u64).sum();
        if frontier == 0 {
            break;
        }
        depth += 1;
    }
    let sum = |count: fn(&Owner) -> u64| Natural::from(owners.iter().map(count).sum::<u64>());
    Some(Report {
        engine: Engine::Hashed,
        states: sum(|owner| owner.set.len() as u64),
        transitions: Some(sum(|owner| owner.transitions)),
        depth: Some(depth),
        dead_ends: sum(|owner| owner.dead),
        deadlocks: sum(|owner| owner.stuck),
        unreachable: unreachable(net, tables, &owners),
        product: product(net),
        bytes,
        bound,
    })
}

fn each(owners: &mut [Owner], parallel: bool, work: impl Fn(&mut Owner) + Sync) {
    if parallel {
        std::thread::scope(|scope| {
            for owner in owners {
                scope.spawn(|| work(owner));
            }
        });
    } else {
        owners.iter_mut().for_each(work);
    }
}

fn unreachable(net: &Net, tables: &Tables, owners: &[Owner]) -> Vec<(usize, usize)> {
    let mut seen: Vec<Vec<bool>> = net
        .components
        .iter()
        .map(|one| vec![false; one.states])
        .collect();
    for (at, group) in tables.groups.iter().enumerate() {
        for value in (0..group.size).filter(|value| owners.iter().any(|one| one.seen[at][*value])) {
            for (member, state) in group.members.clone().zip(group.unpack(net, value)) {
                seen[member][state] = true;
            }
        }
    }
    unseen(&seen)
}

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

fn owner_of(spread: u64, threads: usize) -> usize {
    // Bits that neither the part nor, in small parts, the place looks at.
    (((spread & 0xffff_ffff) * threads as u64) >> 32) as usize
}

/// A thread's part of the states.
struct Owner {
    nth: usize,
    set: StateSet,
    frontier: Vec<u64>,
    /// How much of the frontier is expanded.
    expanded: usize,
    next: Vec<u64>,
    /// Successors by owner.
    out: Vec<Vec<u64>>,
    step: Step,
    recent: Recent,
    transitions: u64,
    dead: u64,
    stuck: u64,
    /// By group: the values that occur.
    seen: Vec<Vec<bool>>,
}

impl Owner {
    fn new(tables: &Tables, nth: usize, threads: usize) -> Self {
        Self {
            nth,
            set: StateSet::new(),
            frontier: Vec::new(),
            expanded: 0,
            next: Vec::new(),
            out: vec![Vec::new(); threads],
            step: Step::default(),
            recent: Recent::new(),
            transitions: 0,
            dead: 0,
            stuck: 0,
            seen: tables
                .groups
                .iter()
                .map(|group| vec![false; group.size])
                .collect(),
        }
    }

    fn expand(&mut self, walk: &Walk<'_>) {
        let threads = self.out.len();
        let until = self.frontier.len().min(self.expanded + ROUND);
        for state in &self.frontier[self.expanded..until] {
            walk.step(*state, &mut self.step);
            self.transitions += self.step.to.len() as u64;
            let mut all_final = true;
            for ((seen, value), group) in self
                .seen
                .iter_mut()
                .zip(&self.step.values)
                .zip(&walk.tables.groups)
            {
                seen[*value] = true;
                all_final &= group.finals[*value];
            }
            if self.step.to.is_empty() {
                self.dead += 1;
                self.stuck += u64::from(!all_final);
            }
            for to in &self.step.to {
                let spread = spread_of(*to);
                if self.recent.is_new(spread, *to) {
                    self.out[owner_of(spread, threads)].push(*to);
                }
            }
        }
        self.expanded = until;
    }

    fn take_in(&mut self, states: &[u64]) {
        self.set.insert_all(states, &mut self.next);
    }

    fn bytes(&self) -> u64 {
        let lists = self.frontier.capacity() + self.next.capacity();
        let out: usize = self.out.iter().map(Vec::capacity).sum();
        self.set.bytes() + 8 * (lists + out) as u64
    }
}
