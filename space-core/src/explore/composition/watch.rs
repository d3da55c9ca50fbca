//! What is watched of the runs of a net: a component that moves with the others and knows whether a
//! promise was broken.

use super::super::joint::JointPoint;
use super::super::net::{Component, Cube};
use super::super::observer::{Labels, OF, Observer, Roles};
use super::local::Local;
use super::row::Moves;
use crate::contract::Pattern;
use crate::graph::{Composed, PointRow, Rule};

/// What happens in one step, as far as a promise speaks of it: what its events, its states and its
/// effects fill, and how many of an exclusion's events it handles.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Letter {
    roles: [Roles; 3],
    met: usize,
}

impl Letter {
    /// Both at once.
    pub(super) fn join(&mut self, other: &Self) {
        for (roles, other) in self.roles.iter_mut().zip(other.roles) {
            *roles |= other;
        }
        self.met += other.met;
    }
}

/// A component behind those of the composition. Its states are those of a pattern's observer, and a
/// last one: broken. Of an exclusion there are two, and what stands together is a goal of its own.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    labels: Vec<Labels>,
    observer: Option<Observer>,
    /// The points of an exclusion that hold in states: component, its states.
    standing: Vec<(usize, Vec<usize>)>,
    first: Roles,
    states: usize,
}

/// The most states: what counts further is no automaton for a diagram.
const STATES: u64 = 1 << 10;

impl Watch {
    /// Watches whether a promise is broken whose points are these. `None` when that is not a matter
    /// of how runs begin, or counts too far.
    pub(super) fn new(
        composed: &Composed,
        locals: &[Local],
        pattern: &Pattern,
        points: &[JointPoint],
    ) -> Option<Self> {
        let apart = matches!(pattern, Pattern::Exclusion { .. });
        let observer = match Observer::of(pattern) {
            Some(Observer::Existence | Observer::Response) => return None,
            None if !apart => return None,
            observer => observer,
        };
        if observer.map_or(1, Observer::states) > STATES {
            return None;
        }
        let is_event = |row: &PointRow| matches!(row, PointRow::Event(_));
        let (lasting, happening): (Vec<JointPoint>, Vec<JointPoint>) = points
            .iter()
            .partition(|(_, row, _)| apart && !is_event(row));
        let mut standing = Vec::new();
        for (at, (component, row, _)) in lasting.iter().enumerate() {
            let twice = |one: &JointPoint| (one.0, one.1) == (*component, *row);
            if !lasting[..at].iter().any(twice) {
                let model = &composed.components[*component].model;
                standing.push((*component, locals[*component].standing(model, *row)));
            }
        }
        Some(Self::of(composed, observer, &happening, standing))
    }

    /// Watches whether one of these points occurs, all of them `OF`.
    pub(super) fn absence(composed: &Composed, points: &[JointPoint]) -> Self {
        let observer = Some(Observer::Absence { open: true });
        Self::of(composed, observer, points, Vec::new())
    }

    fn of(
        composed: &Composed,
        observer: Option<Observer>,
        points: &[JointPoint],
        standing: Vec<(usize, Vec<usize>)>,
    ) -> Self {
        let components = &composed.components;
        let none = components.iter().map(|one| Labels::none(&one.model));
        let mut labels: Vec<_> = none.collect();
        for (component, row, roles) in points {
            labels[*component].mark(&components[*component].model, *row, *roles);
        }
        let starts = components.iter().zip(&labels);
        let first = starts.fold(0, |all, (one, labels)| {
            all | labels.states[one.model.initial]
        });
        let states = observer.map_or(1, Observer::states);
        Self {
            labels,
            observer,
            standing,
            first,
            states: usize::try_from(states).unwrap_or(usize::MAX - 1) + 1,
        }
    }

    /// How many states it has.
    pub(super) fn states(&self) -> usize {
        self.states
    }

    /// The component of the net.
    pub(super) fn component(&self) -> Component {
        Component {
            name: "watch".to_owned(),
            states: self.states,
            initial: match self.observer {
                Some(observer) => self.place(observer.read(observer.start(), self.first)),
                None => 0,
            },
            finals: (0..self.states).collect(),
            moves: Vec::new(),
        }
    }

    /// The states of the net in which the promise is broken; the watch is its last component.
    pub(super) fn goal(&self, components: usize) -> Vec<Cube> {
        let broken = (components, vec![self.states - 1]);
        let mut cubes = vec![Cube {
            parts: vec![broken],
        }];
        for (at, (a, one)) in self.standing.iter().enumerate() {
            for (b, other) in &self.standing[..at] {
                if a != b {
                    let parts = vec![(*a, one.clone()), (*b, other.clone())];
                    cubes.push(Cube { parts });
                    continue;
                }
                let both = one.iter().filter(|at| other.contains(at)).copied();
                let both: Vec<_> = both.collect();
                if !both.is_empty() {
                    cubes.push(Cube {
                        parts: vec![(*a, both)],
                    });
                }
            }
        }
        cubes
    }

    /// The letter of a rule.
    pub(super) fn letter(&self, component: usize, rule: &Rule) -> Letter {
        let labels = &self.labels[component];
        let event = labels.events[rule.on];
        if self.observer.is_none() {
            return Letter {
                met: usize::from(event & OF != 0),
                ..Letter::default()
            };
        }
        let effect = rule.effect.map_or(0, |effect| labels.effects[effect]);
        Letter {
            roles: [event, labels.states[rule.to], effect],
            met: 0,
        }
    }

    /// The letter of a component that starts anew.
    pub(super) fn restarted(&self, composed: &Composed, component: usize) -> Letter {
        let initial = composed.components[component].model.initial;
        Letter {
            roles: [0, self.labels[component].states[initial], 0],
            met: 0,
        }
    }

    /// Where it goes with a letter.
    pub(super) fn moves(&self, letter: &Letter) -> Moves {
        if letter.met > 1 {
            return self.broken();
        }
        let to = |at| (at, self.next(at, letter));
        (0..self.states).map(to).collect()
    }

    /// It goes to where the promise is broken.
    pub(super) fn broken(&self) -> Moves {
        (0..self.states).map(|at| (at, self.states - 1)).collect()
    }

    /// What must not stand where a letter leads that has one event of an exclusion: component,
    /// states.
    pub(super) fn alarms(&self, letter: &Letter) -> &[(usize, Vec<usize>)] {
        match letter.met {
            1 => &self.standing,
            _ => &[],
        }
    }

    /// Its state after a letter.
    pub(super) fn next(&self, at: usize, letter: &Letter) -> usize {
        let Some(observer) = self.observer.filter(|_| at + 1 < self.states) else {
            return at;
        };
        let mut roles = letter.roles.into_iter();
        let state = u32::try_from(at).unwrap_or(u32::MAX);
        self.place(roles.try_fold(state, |state, letter| observer.read(state, letter)))
    }

    fn place(&self, state: Option<u32>) -> usize {
        let state = state.and_then(|state| usize::try_from(state).ok());
        state.unwrap_or(self.states - 1)
    }
}
