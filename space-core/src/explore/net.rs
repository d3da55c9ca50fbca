//! Products of machines: components that move by themselves and in step with each other.

use std::fmt;

/// A component, and from where to where it moves.
pub(super) type Moves<'n> = (usize, &'n [(usize, usize)]);

/// A net of components. Its states are tuples of component states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Net {
    /// The components.
    pub components: Vec<Component>,
    /// What moves several of them at once.
    pub syncs: Vec<Sync>,
}

/// A component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// How many states it has, numbered from 0.
    pub states: usize,
    /// Where it starts.
    pub initial: usize,
    /// States in which it may stay for good: a dead end in which every component is in one of
    /// these is an end, not a deadlock.
    pub finals: Vec<usize>,
    /// Moves that it makes alone: from, to.
    pub moves: Vec<(usize, usize)>,
}

/// A move of several components at once: all of them, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sync {
    /// Its name.
    pub name: String,
    /// The participants, each with its possible moves: from, to. It is enabled where each has one;
    /// a move from a state to itself only asks for the state. No component takes part twice.
    pub parts: Vec<(usize, Vec<(usize, usize)>)>,
}

/// Why a net is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetError {
    /// It has no component.
    Empty,
    /// A component names a state that it does not have.
    State {
        /// The component's number.
        component: usize,
        /// The state.
        state: usize,
    },
    /// A sync names a component that the net does not have, or one twice.
    Component {
        /// The sync's number.
        sync: usize,
        /// The component's number.
        component: usize,
    },
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a net needs a component"),
            Self::State { component, state } => {
                write!(f, "component {component} has no state {state}")
            }
            Self::Component { sync, component } => {
                write!(f, "sync {sync} cannot move component {component}")
            }
        }
    }
}

impl std::error::Error for NetError {}

impl Net {
    /// Whether every number names something.
    ///
    /// # Errors
    /// The first that does not.
    pub fn validate(&self) -> Result<(), NetError> {
        if self.components.is_empty() {
            return Err(NetError::Empty);
        }
        for (component, row) in self.components.iter().enumerate() {
            let moves = row.moves.iter().flat_map(|(from, to)| [*from, *to]);
            let mut named = moves.chain([row.initial]).chain(row.finals.iter().copied());
            if let Some(state) = named.find(|state| *state >= row.states) {
                return Err(NetError::State { component, state });
            }
        }
        for (sync, row) in self.syncs.iter().enumerate() {
            for (at, (component, moves)) in row.parts.iter().enumerate() {
                let component = *component;
                let twice = row.parts[..at].iter().any(|(other, _)| *other == component);
                let Some(states) = self.components.get(component).filter(|_| !twice) else {
                    return Err(NetError::Component { sync, component });
                };
                let mut named = moves.iter().flat_map(|(from, to)| [*from, *to]);
                if let Some(state) = named.find(|state| *state >= states.states) {
                    return Err(NetError::State { component, state });
                }
            }
        }
        Ok(())
    }
}

/// A set of product states: those in which each listed component is in one of its listed states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cube {
    /// Components and their states; a component that is not listed may be anywhere.
    pub parts: Vec<(usize, Vec<usize>)>,
}

impl Cube {
    /// The states in which two points hold together.
    pub fn both(a: (usize, usize), b: (usize, usize)) -> Self {
        Self {
            parts: vec![(a.0, vec![a.1]), (b.0, vec![b.1])],
        }
    }

    /// Whether a product state is in it.
    pub fn holds(&self, state: &[usize]) -> bool {
        self.parts
            .iter()
            .all(|(component, states)| states.contains(&state[*component]))
    }
}
