//! Shortest runs of a net to a state of interest.

use super::Bound;
use super::net::{Cube, Net};
use super::packed::Tables;
use super::report::{Limits, product};
use super::walk::{Step, Walk};
use super::words::{StateSet, Word};

/// What a run is wanted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Any of these sets of states.
    Any(Vec<Cube>),
    /// A state without a move.
    DeadEnd,
    /// A dead end in which some component is not final.
    Deadlock,
}

/// A search for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The states of a run, the initial one first.
    Run(Vec<Vec<usize>>),
    /// No run leads there.
    Never,
    /// The bound came first.
    Bound(Bound),
}

/// A shortest run to the goal. Breadth-first; keeps every state seen once more in the order of
/// its level, and walks back through the levels, so that no state needs to know where it came
/// from: 9 bytes a state where they are neighbours, up to 31 where none are.
///
/// `None` when the product does not fit 64 bits.
pub(super) fn explicit_run(net: &Net, goal: &Goal, limits: &Limits) -> Option<Found> {
    // Before the tables, which of a large net take long.
    product(net).to_u64()?;
    let tables = Tables::new(net);
    let walk = Walk::new(&tables)?;
    let mut set = StateSet::new();
    let mut levels = vec![vec![walk.start]];
    set.insert_all(&[Word::of(walk.start)], |_| {});
    let mut step = Step::default();
    let mut to = Vec::new();
    let mut states = Vec::new();
    loop {
        let last = levels.len() - 1;
        let mut next = Vec::new();
        for (at, state) in levels[last].iter().enumerate() {
            walk.step(*state, &mut step);
            Walk::unpack(net, *state, &mut states);
            if reached(net, goal, &states, step.to.is_empty()) {
                return Some(Found::Run(run(net, &walk, &levels, *state)));
            }
            to.extend(step.to.iter().map(|state| Word::of(*state)));
            if to.len() >= 1 << 12 || at + 1 == levels[last].len() {
                set.insert_all(&to, |new| next.push(new.first()));
                to.clear();
            }
            if at % (1 << 12) == 0 && set.bytes() + 8 * set.len() as u64 > limits.memory {
                return Some(Found::Bound(Bound {
                    seen: set.len() as u64,
                    frontier: (levels[last].len() - at + next.len()) as u64,
                }));
            }
        }
        if next.is_empty() {
            return Some(Found::Never);
        }
        levels.push(next);
    }
}

fn reached(net: &Net, goal: &Goal, state: &[usize], dead: bool) -> bool {
    match goal {
        Goal::Any(cubes) => cubes.iter().any(|cube| cube.holds(state)),
        Goal::DeadEnd => dead,
        Goal::Deadlock => {
            let waits = |(at, one): (usize, &usize)| !net.components[at].finals.contains(one);
            dead && state.iter().enumerate().any(waits)
        }
    }
}

/// Walks back from a state of the last level, each time to a state that leads there.
fn run(net: &Net, walk: &Walk<'_>, levels: &[Vec<u64>], end: u64) -> Vec<Vec<usize>> {
    let unpacked = |state| {
        let mut states = Vec::new();
        Walk::unpack(net, state, &mut states);
        states
    };
    let mut run = vec![unpacked(end)];
    let mut target = end;
    let mut step = Step::default();
    for level in levels[..levels.len() - 1].iter().rev() {
        let before = level.iter().find(|state| {
            walk.step(**state, &mut step);
            step.to.contains(&target)
        });
        target = *before.unwrap_or(&target);
        run.push(unpacked(target));
    }
    run.reverse();
    run
}
