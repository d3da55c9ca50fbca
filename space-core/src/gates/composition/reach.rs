//! The states that a composition can reach.

use std::collections::{BTreeSet, HashMap};

use crate::contract::Semantics;
use crate::graph::{Cell, Composed, Rule};

/// What is looked for.
#[derive(Default)]
pub(super) struct Watch {
    /// Sync events that may be refused, by row.
    pub(super) syncs: Vec<usize>,
    /// States that are not to be met.
    pub(super) meetings: Vec<Meeting>,
}

/// States of components, so many of which are true at once.
#[derive(Debug)]
pub(super) struct Meeting {
    pub(super) states: Vec<(usize, usize)>,
    pub(super) at_once: usize,
}

impl Meeting {
    fn is_in(&self, now: &Configuration) -> bool {
        let is = |(component, state): &&(usize, usize)| now.state(*component) == *state;
        self.states.iter().filter(is).count() >= self.at_once
    }
}

/// A meeting that happens.
#[derive(Debug)]
pub(super) struct Met {
    pub(super) meeting: usize,
    pub(super) states: Vec<usize>,
    /// The shortest run that leads there, as `component.Event`.
    pub(super) run: Vec<String>,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// The first place of each meeting that was found.
    pub(super) met: Vec<Met>,
    /// The first refusal of each sync event that is watched.
    pub(super) refused: Vec<Refused>,
    /// Bridges and the state of the component that they fed.
    pub(super) fed: BTreeSet<(usize, usize)>,
    /// Whether there are more states than were looked at.
    pub(super) bounded: bool,
    /// How many were.
    #[cfg(test)]
    pub(super) seen: usize,
}

/// A sync event where a participant has no rule for it.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) sync: usize,
    pub(super) by: usize,
    pub(super) states: Vec<usize>,
    /// The shortest run that leads there, as `component.Event`.
    pub(super) run: Vec<String>,
}

/// States and asked-for effects of all components, and the bridges whose events wait, by row.
///
/// Of one bridge at most one event waits: a newer one takes its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Configuration {
    parts: Box<[(u32, u32)]>,
    waiting: Vec<u32>,
}

const NO_EFFECT: u32 = u32::MAX;

impl Reach {
    /// How many states are looked at.
    pub(super) const MOST: usize = 1 << 17;

    /// Breadth first, so that what is found is found by a shortest run. A configuration is that of
    /// the model checker, for each component: its state, and the effect that it has asked for. An
    /// effect comes to one of its returns, an external event may come at any time, and guards
    /// answer either way. Events that wait to be fed are fed before anything else happens, unless
    /// what they would interrupt is no query.
    pub(super) fn of(composed: &Composed, watch: &Watch) -> Self {
        let mut reach = Self::default();
        let initial = composed
            .components
            .iter()
            .map(|one| (narrow(one.model.initial), NO_EFFECT));
        let start = Configuration {
            parts: initial.collect(),
            waiting: Vec::new(),
        };
        // Where each came from, and by what.
        let mut order = vec![(start.clone(), 0, String::new())];
        let mut seen = HashMap::from([(start, 0)]);
        let mut at = 0;
        while at < order.len() {
            let now = order[at].0.clone();
            for (meeting, row) in watch.meetings.iter().enumerate() {
                let known = reach.met.iter().any(|one| one.meeting == meeting);
                if !known && row.is_in(&now) {
                    reach.met.push(Met {
                        meeting,
                        states: now.states(),
                        run: run(&order, at),
                    });
                }
            }
            let mut moves = Moves {
                composed,
                watch,
                now: &now,
                found: Vec::new(),
                refused: Vec::new(),
                fed: &mut reach.fed,
            };
            moves.all();
            let (found, refused) = (moves.found, moves.refused);
            for (sync, by) in refused {
                if reach.refused.iter().all(|one| one.sync != sync) {
                    reach.refused.push(Refused {
                        sync,
                        by,
                        states: now.states(),
                        run: run(&order, at),
                    });
                }
            }
            for (next, label) in found {
                if seen.contains_key(&next) {
                    continue;
                }
                if order.len() >= Self::MOST {
                    reach.bounded = true;
                    break;
                }
                seen.insert(next.clone(), order.len());
                order.push((next, at, label));
            }
            let asked = watch.syncs.len() + watch.meetings.len();
            let done = asked > 0 && reach.refused.len() + reach.met.len() == asked;
            if reach.bounded || done {
                break;
            }
            at += 1;
        }
        #[cfg(test)]
        {
            reach.seen = order.len();
        }
        reach
    }
}

fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The labels from the start to a configuration.
fn run(order: &[(Configuration, usize, String)], mut at: usize) -> Vec<String> {
    let mut labels = Vec::new();
    while at > 0 {
        labels.push(order[at].2.clone());
        at = order[at].1;
    }
    labels.reverse();
    labels
}

impl Configuration {
    fn states(&self) -> Vec<usize> {
        self.parts
            .iter()
            .map(|(state, _)| *state as usize)
            .collect()
    }

    fn state(&self, component: usize) -> usize {
        self.parts[component].0 as usize
    }

    fn effect(&self, component: usize) -> Option<usize> {
        let effect = self.parts[component].1;
        (effect != NO_EFFECT).then_some(effect as usize)
    }
}

/// Why an event comes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    Outcome,
    Outside,
    Start,
}

/// The moves out of one configuration.
struct Moves<'a> {
    composed: &'a Composed,
    watch: &'a Watch,
    now: &'a Configuration,
    found: Vec<(Configuration, String)>,
    refused: Vec<(usize, usize)>,
    fed: &'a mut BTreeSet<(usize, usize)>,
}

impl Moves<'_> {
    fn all(&mut self) {
        let waiting = self.now.waiting.iter().map(|at| *at as usize);
        let mut free = waiting.filter(|at| !self.is_busy(self.composed.bridges[*at].to));
        if let Some(bridge) = free.next() {
            return self.feed(bridge);
        }
        let states = self.now.states();
        let idle = |component: usize| {
            let waits = |at: &u32| self.composed.bridges[*at as usize].to == component;
            self.now.effect(component).is_none_or(|effect| {
                self.composed.components[component].model.effects[effect].semantics
                    == Semantics::Stop
            }) && !self.now.waiting.iter().any(waits)
        };
        if self.composed.is_complete(&states, idle) {
            return;
        }
        for (component, state) in states.into_iter().enumerate() {
            if self.composed.is_terminal(component, state) {
                continue;
            }
            let model = &self.composed.components[component].model;
            if let Some(effect) = self.now.effect(component) {
                for event in model.returns(effect) {
                    self.event(component, event, Cause::Outcome);
                }
            }
            let events = model.events.iter().enumerate();
            for (event, _) in events.filter(|(_, row)| row.external) {
                self.event(component, event, Cause::Outside);
            }
            // Somebody begins the run, with any event that the initial state knows.
            let fresh = state == model.initial
                && self.now.effect(component).is_none()
                && self.composed.after[component].is_empty();
            if fresh {
                for rule in model.rules_of(model.initial) {
                    self.event(component, rule.on, Cause::Start);
                }
            }
        }
    }

    /// Whether a component waits for an effect that cannot be dropped.
    fn is_busy(&self, component: usize) -> bool {
        let model = &self.composed.components[component].model;
        self.now.effect(component).is_some_and(|effect| {
            !matches!(
                model.effects[effect].semantics,
                Semantics::Query | Semantics::Stop
            )
        })
    }

    fn event(&mut self, component: usize, event: usize, cause: Cause) {
        let composed = self.composed;
        let Some(sync) = composed
            .syncs
            .iter()
            .position(|row| row.parts.contains(&(component, event)))
        else {
            let model = &composed.components[component].model;
            match model.cell(self.now.state(component), event) {
                Cell::Rule(rule) => self.moved(&[(component, rule)]),
                Cell::Ignored | Cell::Empty => {}
            }
            return;
        };
        let parts = composed.syncs[sync].parts.iter().copied();
        let live: Vec<_> = parts
            .filter(|(part, _)| !composed.is_terminal(*part, self.now.state(*part)))
            .collect();
        // Whose own effect comes to the same event meets the others with it.
        let busy = |(part, event): &(usize, usize)| {
            let model = &composed.components[*part].model;
            let meets = self.now.effect(*part).is_some_and(|effect| {
                let returns = &model.effects[effect].returns;
                returns
                    .as_ref()
                    .is_none_or(|returns| returns.contains(event))
            });
            *part != component && self.is_busy(*part) && !meets
        };
        let others_busy = || live.iter().any(busy);
        // An outcome waits until what the others do can be interrupted.
        if cause == Cause::Outcome && others_busy() {
            return;
        }
        let mut rules = Vec::new();
        let mut ignored = false;
        for (part, event) in live {
            let model = &composed.components[part].model;
            match model.cell(self.now.state(part), event) {
                Cell::Rule(rule) => rules.push((part, rule)),
                Cell::Ignored => ignored = true,
                Cell::Empty => {
                    // Who begins a run with what nobody takes is told so.
                    if cause != Cause::Start && self.watch.syncs.contains(&sync) {
                        self.refused.push((sync, part));
                    }
                    return;
                }
            }
        }
        if !ignored {
            self.moved(&rules);
        }
    }

    fn moved(&mut self, rules: &[(usize, &Rule)]) {
        let mut next = self.now.clone();
        for (component, rule) in rules {
            self.enter(&mut next, *component, rule);
        }
        let (component, rule) = rules[0];
        let one = &self.composed.components[component];
        let label = format!("{}.{}", one.name, one.model.events[rule.on].name);
        self.found.push((next, label));
    }

    fn enter(&self, next: &mut Configuration, component: usize, rule: &Rule) {
        next.parts[component] = (narrow(rule.to), rule.effect.map_or(NO_EFFECT, narrow));
        for bridge in self.composed.reached(component, rule) {
            let bridge = narrow(bridge);
            if let Err(at) = next.waiting.binary_search(&bridge) {
                next.waiting.insert(at, bridge);
            }
        }
    }

    fn feed(&mut self, bridge: usize) {
        let composed = self.composed;
        let row = &composed.bridges[bridge];
        let state = self.now.state(row.to);
        let target = &composed.components[row.to];
        let label = format!("{}.{}", target.name, target.model.events[row.event].name);
        self.fed.insert((bridge, state));
        let mut unfed = self.now.clone();
        unfed.waiting.retain(|at| *at as usize != bridge);
        let cell = target
            .model
            .cell(composed.landing(bridge, state), row.event);
        if let Cell::Rule(rule) = cell {
            let mut next = unfed.clone();
            for component in 0..next.parts.len() {
                if composed.restarts(bridge, component, self.now.state(component)) {
                    let initial = composed.components[component].model.initial;
                    next.parts[component] = (narrow(initial), NO_EFFECT);
                }
            }
            self.enter(&mut next, row.to, rule);
            self.found.push((next, label));
            if rule.guard.is_none() {
                return;
            }
        }
        self.found.push((
            unfed,
            format!("{} refused", target.model.events[row.event].name),
        ));
    }
}
