//! Compositions as nets.

mod local;
mod row;
mod rows;
mod steps;

use std::fmt;

use super::net::{Component, Cube, Net, Sync};
use super::report::Report;
use super::trace::Goal;
use crate::graph::{Composed, PointRow};

use local::Local;
pub use local::LocalState;
pub use steps::{Cause, ComposedStep};

/// A composition as a [`Net`], and the way back from the net's states and moves to its words.
///
/// A component of the net is a component of the composition: its state, the effect that it waits
/// for, and which bridges have an event waiting for it. What moves them is what moves a run:
///
/// * the **answers** to the effect that is pending (its `returns`; every event, when it does not
///   say), **external events**, and, at the start, every event that the initial state has a rule
///   for, unless a series starts the component;
/// * **sync events**, which all participants take that are not at their end, or none; an answer
///   that is one waits until what the others do can be interrupted;
/// * events that **bridges** feed, before anything else happens, unless what they would interrupt
///   is no query. A `LoopBack` lands where the run-time lands it, and starts anew what it starts anew.
///
/// Guards answer either way. A refused event changes nothing, a refused bridge's event no longer
/// waits. A hold only delays: what was in flight still comes home, so every answer is taken to be
/// possible. Limits of loops are run-time facts and not looked at.
#[derive(Clone, Debug)]
pub struct ComposedNet<'c> {
    composed: &'c Composed,
    /// The net. Behind the components of the composition there is one more when an event is
    /// watched: whether it was handled.
    pub net: Net,
    locals: Vec<Local>,
    /// Why each sync of the net happens.
    causes: Vec<Cause>,
    /// The event that is watched: its component and row.
    watched: Option<(usize, usize)>,
}

/// A composition that has too many bridges to be a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The composition.
    pub composition: String,
    /// The component whose states are too many, if it is one.
    pub component: Option<String>,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { composition, .. } = self;
        match &self.component {
            Some(component) => write!(
                f,
                "`{component}` in `{composition}` is fed by too many bridges to be explored: explore \
                 the compositions that it is made of"
            ),
            None => write!(
                f,
                "`{composition}` has too many ways to move several spaces at once to be explored: \
                 explore the compositions that it is made of"
            ),
        }
    }
}

impl std::error::Error for TooLarge {}

impl<'c> ComposedNet<'c> {
    /// The net of a composition.
    ///
    /// # Errors
    /// When its bridges, or the ways in which its sync events can happen, are too many.
    pub fn new(composed: &'c Composed) -> Result<Self, TooLarge> {
        Self::build(composed, None)
    }

    /// The net of a composition, and the goal that a point of one of its components is: a state
    /// that is entered, an effect that is asked for, an event that is handled.
    ///
    /// # Errors
    /// As of [`ComposedNet::new`].
    pub fn with_goal(
        composed: &'c Composed,
        component: usize,
        point: PointRow,
    ) -> Result<(Self, Goal), TooLarge> {
        let watched = match point {
            PointRow::Event(event) => Some((component, event)),
            _ => None,
        };
        let net = Self::build(composed, watched)?;
        let model = &composed.components[component].model;
        let local = &net.locals[component];
        let of = |is: &dyn Fn(&LocalState) -> bool| {
            let states = (0..local.len()).filter(|at| is(&local.state(*at)));
            (component, states.collect())
        };
        let part = match point {
            PointRow::State(state) => of(&|one| one.state == state),
            PointRow::Effect(effect) => of(&|one| one.effect == Some(effect)),
            PointRow::Semantics(semantics) => of(&|one| {
                one.effect
                    .is_some_and(|effect| model.effects[effect].semantics == semantics)
            }),
            PointRow::Event(_) => (composed.components.len(), vec![1]),
        };
        let cube = Cube { parts: vec![part] };
        Ok((net, Goal::Any(vec![cube])))
    }

    fn build(composed: &'c Composed, watched: Option<(usize, usize)>) -> Result<Self, TooLarge> {
        let mut locals = Vec::new();
        for (at, one) in composed.components.iter().enumerate() {
            locals.push(Local::new(composed, at).ok_or_else(|| TooLarge {
                composition: composed.name.clone(),
                component: Some(one.name.clone()),
            })?);
        }
        let mut components: Vec<Component> = composed
            .components
            .iter()
            .zip(&locals)
            .map(|(one, local)| Component {
                name: one.name.clone(),
                states: local.len(),
                initial: 0,
                finals: (0..local.len()).filter(|at| local.ended(*at)).collect(),
                moves: Vec::new(),
            })
            .collect();
        if watched.is_some() {
            components.push(Component {
                name: "watch".to_owned(),
                states: 2,
                initial: 0,
                finals: vec![0, 1],
                moves: Vec::new(),
            });
        }
        let (syncs, causes) = rows::rows(composed, &locals, watched).ok_or_else(|| TooLarge {
            composition: composed.name.clone(),
            component: None,
        })?;
        let syncs = syncs
            .into_iter()
            .zip(&causes)
            .map(|(parts, cause)| Sync {
                name: cause.name(composed),
                parts,
            })
            .collect();
        Ok(Self {
            composed,
            net: Net { components, syncs },
            locals,
            causes,
            watched,
        })
    }

    /// The composition.
    pub fn composed(&self) -> &'c Composed {
        self.composed
    }

    /// What a component of the net is in.
    ///
    /// # Panics
    /// When there is no such component or state.
    pub fn state(&self, component: usize, state: usize) -> LocalState {
        self.locals[component].state(state)
    }

    /// The states of components, as the composition has them, that no reachable state of the net
    /// has: component, state.
    pub fn unreachable(&self, report: &Report) -> Vec<(usize, usize)> {
        let mut seen: Vec<Vec<bool>> = self
            .composed
            .components
            .iter()
            .map(|one| vec![false; one.model.states.len()])
            .collect();
        let mut unseen = report.unreachable.iter().peekable();
        for (component, local) in self.locals.iter().enumerate() {
            for at in 0..local.len() {
                if unseen.next_if(|one| **one == (component, at)).is_none() {
                    seen[component][local.state(at).state] = true;
                }
            }
        }
        let rows = seen.iter().enumerate().flat_map(|(component, states)| {
            let unseen = states.iter().enumerate().filter(|(_, seen)| !**seen);
            unseen.map(move |(state, _)| (component, state))
        });
        rows.collect()
    }

    /// A state of the net in words: `retrieval.Found, reasoning.Waiting`.
    pub fn describe(&self, state: &[usize]) -> String {
        let states = self.locals.iter().zip(state);
        let states: Vec<_> = states.map(|(local, at)| local.state(*at).state).collect();
        self.composed.describe(&states)
    }
}
