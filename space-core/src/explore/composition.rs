//! Compositions as nets.

mod local;
mod row;
mod rows;
mod steps;
mod watch;

use std::fmt;

use super::joint::{JointPoint, Part};
use super::net::{Component, Cube, Net, Sync};
use super::observer::OF;
use super::report::Report;
use super::trace::Goal;
use crate::contract::Pattern;
use crate::graph::{Composed, PointRow};

use local::Local;
pub use local::LocalState;
pub use steps::{Cause, ComposedStep};
use watch::Watch;

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
    /// The net. Behind the components of the composition there is one more where runs are watched.
    pub net: Net,
    locals: Vec<Local>,
    /// Why each sync of the net happens.
    causes: Vec<Cause>,
    watch: Option<Watch>,
}

/// How often a move of the composition is one of the net, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ways {
    /// Once, so that moves can be counted.
    Once,
    /// At least once: fewer rows, where several may cause a sync event.
    Any,
    /// The same, and on after the end: of a part of a composition, where others may not have ended.
    Part,
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
        let locals = locals(composed)?;
        Self::build(composed, locals, None, Ways::Once)
    }

    /// The net of a part of a composition, and the goal that a point of one of its components is: a
    /// state that is entered, an effect that is asked for, an event that is handled. The component is
    /// one of the whole. Not for counting: what several may cause can be several moves.
    ///
    /// # Errors
    /// As of [`ComposedNet::new`].
    pub fn with_goal(
        part: &'c Part<'_>,
        component: usize,
        point: PointRow,
    ) -> Result<(Self, Goal), TooLarge> {
        let component = part.place(component);
        let composed = part.composed();
        let locals = locals(composed)?;
        if let PointRow::Event(_) = point {
            let watch = Watch::absence(composed, &[(component, point, OF)]);
            let goal = Goal::Any(watch.goal(locals.len()));
            let net = Self::build(composed, locals, Some(watch), Ways::of(part))?;
            return Ok((net, goal));
        }
        let model = &composed.components[component].model;
        let states = (component, locals[component].standing(model, point));
        let net = Self::build(composed, locals, None, Ways::of(part))?;
        let cube = Cube {
            parts: vec![states],
        };
        Ok((net, Goal::Any(vec![cube])))
    }

    /// The net of a part of a composition, and the goal of breaking a promise about how its runs
    /// begin. Points are of the part. `None` when it is another kind of promise, or counts too far.
    ///
    /// In the net a component that was never started may move when all others have ended, which it
    /// must not in the composition: a run of the net need not be one.
    ///
    /// # Errors
    /// As of [`ComposedNet::new`].
    pub(super) fn watched(
        composed: &'c Composed,
        pattern: &Pattern,
        points: &[JointPoint],
    ) -> Result<Option<(Self, Goal)>, TooLarge> {
        let locals = locals(composed)?;
        let Some(watch) = Watch::new(composed, &locals, pattern, points) else {
            return Ok(None);
        };
        let goal = Goal::Any(watch.goal(locals.len()));
        let net = Self::build(composed, locals, Some(watch), Ways::Part)?;
        Ok(Some((net, goal)))
    }

    /// The same of the promise that none of these points ever occurs.
    ///
    /// # Errors
    /// As of [`ComposedNet::new`].
    pub(super) fn watched_for(
        composed: &'c Composed,
        points: &[JointPoint],
    ) -> Result<(Self, Goal), TooLarge> {
        let locals = locals(composed)?;
        let watch = Watch::absence(composed, points);
        let goal = Goal::Any(watch.goal(locals.len()));
        let net = Self::build(composed, locals, Some(watch), Ways::Part)?;
        Ok((net, goal))
    }

    fn build(
        composed: &'c Composed,
        locals: Vec<Local>,
        watch: Option<Watch>,
        ways: Ways,
    ) -> Result<Self, TooLarge> {
        let components = composed.components.iter().zip(&locals);
        let components = components.map(|(one, local)| Component {
            name: one.name.clone(),
            states: local.len(),
            initial: 0,
            finals: (0..local.len()).filter(|at| local.ended(*at)).collect(),
            moves: Vec::new(),
        });
        let components = components
            .chain(watch.as_ref().map(Watch::component))
            .collect();
        let found = rows::rows(composed, &locals, watch.as_ref(), ways);
        let (syncs, causes) = found.ok_or_else(|| too_many(composed))?;
        let syncs = syncs.into_iter().zip(&causes).map(|(parts, cause)| Sync {
            name: cause.name(composed),
            parts,
        });
        let syncs = syncs.collect();
        Ok(Self {
            composed,
            net: Net { components, syncs },
            locals,
            causes,
            watch,
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

    /// What all components of the composition are in.
    pub(super) fn row(&self, state: &[usize]) -> Vec<LocalState> {
        let locals = self.locals.iter().zip(state);
        locals.map(|(local, at)| local.state(*at)).collect()
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

impl Ways {
    fn of(part: &Part<'_>) -> Self {
        if part.is_whole() {
            Self::Any
        } else {
            Self::Part
        }
    }
}

fn locals(composed: &Composed) -> Result<Vec<Local>, TooLarge> {
    let all = composed.components.iter().enumerate();
    all.map(|(at, one)| {
        Local::new(composed, at).ok_or_else(|| TooLarge {
            composition: composed.name.clone(),
            component: Some(one.name.clone()),
        })
    })
    .collect()
}

fn too_many(composed: &Composed) -> TooLarge {
    TooLarge {
        composition: composed.name.clone(),
        component: None,
    }
}
