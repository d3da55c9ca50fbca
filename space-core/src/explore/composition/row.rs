//! One way for several components to move at once, while it is put together.

use std::collections::BTreeMap;

/// Moves of a component: from, to.
pub(super) type Moves = Vec<(usize, usize)>;

/// Components and how each may move.
pub(super) type Parts = Vec<(usize, Moves)>;

/// The components that take part and how each may move. The others may be anywhere and stay there.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    parts: BTreeMap<usize, Moves>,
}

impl Row {
    /// A row in which one component moves.
    pub(super) fn of(component: usize, moves: Moves) -> Self {
        Self {
            parts: BTreeMap::from([(component, moves)]),
        }
    }

    /// Lets one more component move.
    pub(super) fn join(&mut self, component: usize, moves: Moves) {
        self.parts.insert(component, moves);
    }

    /// Happens only where a component of so many states is in one of these.
    pub(super) fn only(&mut self, component: usize, states: usize, is: impl Fn(usize) -> bool) {
        self.part(component, states).retain(|(from, _)| is(*from));
    }

    /// Where a component that takes part may be.
    pub(super) fn from(&self, component: usize) -> impl Iterator<Item = usize> {
        let moves = self.parts.get(&component).into_iter().flatten();
        moves.map(|(from, _)| *from)
    }

    /// Happens only where a component of so many states ends up in one of these.
    pub(super) fn ends(&mut self, component: usize, states: usize, is: impl Fn(usize) -> bool) {
        self.part(component, states).retain(|(_, to)| is(*to));
    }

    /// Changes where a component of so many states ends up: from, to, and where instead.
    pub(super) fn then(
        &mut self,
        component: usize,
        states: usize,
        to: impl Fn(usize, usize) -> usize,
    ) {
        for (from, at) in self.part(component, states) {
            *at = to(*from, *at);
        }
    }

    fn part(&mut self, component: usize, states: usize) -> &mut Moves {
        let stays = || (0..states).map(|at| (at, at)).collect();
        self.parts.entry(component).or_insert_with(stays)
    }

    /// The parts, without those that ask and do nothing. `None` when it never happens.
    pub(super) fn finish(mut self, states: impl Fn(usize) -> usize) -> Option<Parts> {
        for moves in self.parts.values_mut() {
            moves.sort_unstable();
            moves.dedup();
        }
        if self.parts.values().any(Vec::is_empty) {
            return None;
        }
        let idle = |(component, moves): &(usize, Moves)| {
            moves.len() == states(*component) && moves.iter().all(|(from, to)| from == to)
        };
        let (idle, mut parts): (Vec<_>, Vec<_>) = self.parts.into_iter().partition(idle);
        // A move that changes nothing is a move.
        if parts.is_empty() {
            parts.extend(idle.into_iter().take(1));
        }
        Some(parts)
    }
}
