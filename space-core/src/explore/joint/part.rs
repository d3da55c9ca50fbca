//! The part of a composition that some of its components belong to.

use std::borrow::Cow;

use crate::graph::{BridgeRow, Composed, SyncRow};

/// A composition, or the part of it that has to do with some of its components.
#[derive(Clone, Debug)]
pub struct Part<'c> {
    composed: Cow<'c, Composed>,
    kept: Vec<usize>,
    whole: bool,
}

impl<'c> Part<'c> {
    /// The part that has to do with these: what the rest does neither makes a run of them possible
    /// nor keeps one from happening.
    pub fn around(composed: &'c Composed, components: &[usize]) -> Self {
        let kept = connected(composed, components);
        let whole = kept.len() == composed.components.len();
        Self {
            composed: if whole {
                Cow::Borrowed(composed)
            } else {
                Cow::Owned(part(composed, &kept))
            },
            kept,
            whole,
        }
    }

    /// All of it.
    pub fn whole(composed: &'c Composed) -> Self {
        Self {
            composed: Cow::Borrowed(composed),
            kept: (0..composed.components.len()).collect(),
            whole: true,
        }
    }

    /// The numbers of its components in the whole, in order.
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// The part as a composition of its own.
    pub fn composed(&self) -> &Composed {
        &self.composed
    }

    /// Whether it is all of the composition. If not, the runs of the rest go on when those of the
    /// part have ended.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// The number that a component of the whole has in the part; 0 when it is not in it.
    pub fn place(&self, component: usize) -> usize {
        self.kept.binary_search(&component).unwrap_or_default()
    }
}

/// The components that have anything to do with one of `wanted`, themselves included, in order:
/// through syncs, bridges, loops, or because one starts after the other.
///
/// What the rest does neither makes a run of these possible nor keeps one from happening, so a
/// promise about how runs begin is true of the whole when it is true of the part. How runs end
/// depends on all.
fn connected(composed: &Composed, wanted: &[usize]) -> Vec<usize> {
    let mut groups = Groups((0..composed.components.len()).collect());
    for row in &composed.syncs {
        groups.join(row.parts.iter().map(|(component, _)| *component));
    }
    for row in &composed.bridges {
        groups.join([row.from, row.to]);
        groups.join(row.restarts.iter().copied().chain([row.to]));
    }
    for at in 0..composed.loops.len() {
        let rows = composed.bridges.iter();
        let of = rows.filter(|row| row.feedback == Some(at));
        groups.join(of.map(|row| row.to));
    }
    for (component, before) in composed.after.iter().enumerate() {
        groups.join(before.iter().copied().chain([component]));
    }
    let wanted: Vec<usize> = wanted.iter().map(|one| groups.find(*one)).collect();
    let all = 0..composed.components.len();
    all.filter(|one| wanted.contains(&groups.find(*one)))
        .collect()
}

/// The composition of some of its components, given in order, that have nothing to do with others.
/// Components are numbered anew, syncs, bridges and loops as in the whole.
fn part(composed: &Composed, kept: &[usize]) -> Composed {
    let place = |component: usize| kept.binary_search(&component).ok();
    let places = |list: &[usize]| {
        list.iter()
            .filter_map(|one| place(*one))
            .collect::<Vec<_>>()
    };
    let syncs = composed.syncs.iter().map(|row| {
        let parts = row.parts.iter();
        let parts = parts.filter_map(|(at, event)| Some((place(*at)?, *event)));
        SyncRow {
            parts: parts.collect(),
            ..row.clone()
        }
    });
    let bridges = composed.bridges.iter().map(|row| {
        let (Some(from), Some(to)) = (place(row.from), place(row.to)) else {
            // One that nothing reaches, so that the others keep their numbers.
            return BridgeRow {
                from: 0,
                to: 0,
                points: Vec::new(),
                restarts: Vec::new(),
                ..row.clone()
            };
        };
        BridgeRow {
            from,
            to,
            restarts: places(&row.restarts),
            ..row.clone()
        }
    });
    Composed {
        name: composed.name.clone(),
        doc: None,
        components: kept
            .iter()
            .map(|at| composed.components[*at].clone())
            .collect(),
        syncs: syncs.collect(),
        bridges: bridges.collect(),
        loops: composed.loops.clone(),
        holds: Vec::new(),
        after: kept.iter().map(|at| places(&composed.after[*at])).collect(),
    }
}

/// Sets that are joined, by the least of their members or one that leads to it.
struct Groups(Vec<usize>);

impl Groups {
    fn find(&mut self, mut one: usize) -> usize {
        while self.0[one] != one {
            self.0[one] = self.0[self.0[one]];
            one = self.0[one];
        }
        one
    }

    fn join(&mut self, members: impl IntoIterator<Item = usize>) {
        let mut first = None;
        for one in members {
            let one = self.find(one);
            let to = *first.get_or_insert(one);
            self.0[one] = to;
        }
    }
}
