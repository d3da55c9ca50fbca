//! From a run of a net back to the words of its composition.

use super::ComposedNet;
use super::local::Local;
use crate::diagnostic::{Trace, TraceLine};
use crate::graph::{Cell, Composed, Rule};

/// A run of more components than this does not begin with the names of all.
const MANY: usize = 4;

/// Why a composition moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// One component takes an event of its own.
    Own {
        /// Which.
        component: usize,
    },
    /// Several take a sync event.
    Shared {
        /// Its row.
        sync: usize,
    },
    /// A bridge feeds its event.
    Fed {
        /// Its row.
        bridge: usize,
    },
    /// A bridge's event is not taken, and no longer waits.
    Refused {
        /// Its row.
        bridge: usize,
    },
}

impl Cause {
    pub(super) fn name(self, composed: &Composed) -> String {
        match self {
            Self::Own { component } => composed.components[component].name.clone(),
            Self::Shared { sync } => composed.syncs[sync].name.clone(),
            Self::Fed { bridge } | Self::Refused { bridge } => {
                let row = &composed.bridges[bridge];
                let to = &composed.components[row.to];
                format!("{}.{}", to.name, to.model.events[row.event].name)
            }
        }
    }
}

/// A step of a composition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComposedStep {
    /// Why it moves.
    pub cause: Cause,
    /// The components that move and their rules: indices of [`crate::graph::Model::rules`].
    pub moved: Vec<(usize, usize)>,
}

impl ComposedNet<'_> {
    /// The step between two neighbouring states of a run of the net; of several the first, in the
    /// order of the net. `None` when none leads there.
    pub fn step(&self, from: &[usize], to: &[usize]) -> Option<ComposedStep> {
        let changed: Vec<_> = (0..from.len()).filter(|at| from[*at] != to[*at]).collect();
        let leads = |parts: &[(usize, Vec<(usize, usize)>)]| {
            changed
                .iter()
                .all(|at| parts.iter().any(|part| part.0 == *at))
                && parts
                    .iter()
                    .all(|(at, moves)| moves.contains(&(from[*at], to[*at])))
        };
        let rows = self.net.syncs.iter().zip(&self.causes);
        rows.filter(|(row, _)| leads(&row.parts))
            .find_map(|(_, cause)| self.rules(*cause, from, to))
    }

    fn rules(&self, cause: Cause, from: &[usize], to: &[usize]) -> Option<ComposedStep> {
        let composed = self.composed;
        let moved = match cause {
            Cause::Own { component } => vec![(component, self.own_rule(component, from, to)?)],
            Cause::Shared { sync } => {
                let parts = composed.syncs[sync].parts.iter();
                let live = parts.filter(|(at, _)| !self.locals[*at].terminal(from[*at]));
                live.map(|(at, event)| {
                    let state = self.locals[*at].state(from[*at]).state;
                    Some((*at, rule(composed, *at, state, *event)?))
                })
                .collect::<Option<Vec<_>>>()?
            }
            Cause::Fed { bridge } => {
                let row = &composed.bridges[bridge];
                let state = self.locals[row.to].state(from[row.to]).state;
                let landing = composed.landing(bridge, state);
                vec![(row.to, rule(composed, row.to, landing, row.event)?)]
            }
            Cause::Refused { .. } => Vec::new(),
        };
        Some(ComposedStep { cause, moved })
    }

    /// The rule of one component that explains where it went, what it let wait, and whether it was
    /// watched.
    fn own_rule(&self, component: usize, from: &[usize], to: &[usize]) -> Option<usize> {
        let composed = self.composed;
        let local: &Local = &self.locals[component];
        let model = &composed.components[component].model;
        let state = local.state(from[component]).state;
        let at = self.locals.len();
        let watched = |rule: &Rule| {
            self.watch.as_ref().is_none_or(|watch| {
                let letter = watch.letter(component, rule);
                watch.next(from[at], &letter) == to[at]
            })
        };
        let fits = |at: &usize| {
            let rule = &model.rules[*at];
            let comes = local.comes(model, from[component], rule.on)
                || local.answers(model, from[component], rule.on);
            let bits = composed.reached(component, rule);
            let woken = bits
                .map(|bridge| local.bit(bridge))
                .fold(0, |bits, bit| bits | bit);
            comes
                && composed.sync_of(component, rule.on).is_none()
                && local.into(from[component], rule) | woken == to[component]
                && watched(rule)
        };
        (model.starts[state]..model.starts[state + 1]).find(fits)
    }

    /// A run of the net as a reader follows it: each line names who moves.
    pub fn trace(&self, run: &[Vec<usize>], shortest: bool) -> Trace {
        let state = match self.locals.len() {
            // A line of all of them would push the rest of the table out of sight.
            count if count > MANY => format!("{count} spaces, each at its start"),
            _ => run.first().map(|at| self.describe(at)).unwrap_or_default(),
        };
        let mut lines = vec![TraceLine {
            component: None,
            joined: false,
            event: None,
            state,
            effect: None,
            span: None,
        }];
        lines.extend(run.windows(2).map(|pair| self.line(&pair[0], &pair[1])));
        Trace {
            lines,
            shortest,
            repeats: None,
        }
    }

    fn line(&self, from: &[usize], to: &[usize]) -> TraceLine {
        let composed = self.composed;
        let Some(step) = self.step(from, to) else {
            return TraceLine {
                component: None,
                joined: false,
                event: None,
                state: self.describe(to),
                effect: None,
                span: None,
            };
        };
        let rules = step.moved.iter().map(|(at, rule)| {
            let one = &composed.components[*at];
            (one, &one.model.rules[*rule])
        });
        let joined = |parts: Vec<String>| parts.join(", ");
        let name = step.cause.name(composed);
        let (event, otherwise) = match step.cause {
            Cause::Own { .. } => {
                let mut events = rules
                    .clone()
                    .map(|(one, rule)| format!("{}.{}", one.name, one.model.events[rule.on].name));
                (events.next().unwrap_or(name), None)
            }
            Cause::Shared { .. } => (name, None),
            Cause::Fed { bridge } => (format!("{name}, fed"), Some(bridge)),
            Cause::Refused { bridge } => (format!("{name}, refused"), Some(bridge)),
        };
        let states = rules
            .clone()
            .map(|(one, rule)| format!("{}.{}", one.name, one.model.states[rule.to].name));
        let effects = rules.clone().filter_map(|(one, rule)| {
            Some(format!(
                "{}.{}",
                one.name, one.model.effects[rule.effect?].name
            ))
        });
        let effects: Vec<_> = effects.collect();
        let bridge = otherwise.map(|bridge| composed.bridges[bridge].span);
        TraceLine {
            component: None,
            joined: false,
            event: Some(event),
            state: joined(states.collect()),
            effect: (!effects.is_empty()).then(|| joined(effects)),
            span: rules.clone().map(|(_, rule)| rule.span).next().or(bridge),
        }
    }
}

fn rule(composed: &Composed, component: usize, state: usize, event: usize) -> Option<usize> {
    let model = &composed.components[component].model;
    let Cell::Rule(_) = model.cell(state, event) else {
        return None;
    };
    let rows = model.starts[state]..model.starts[state + 1];
    rows.into_iter().find(|at| model.rules[*at].on == event)
}
