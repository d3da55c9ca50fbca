//! What may happen next in a configuration of a composition.

use super::super::configurations::Pending;
use super::layout::{Layout, Row};
use crate::contract::Semantics;
use crate::graph::{Cell, Composed};

/// A step of a composition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct JointStep {
    /// The components that move, by number, and the rule that each of them uses: one of its
    /// model's. Several move with a sync event; none does when what a bridge feeds is refused.
    pub moved: Vec<(usize, usize)>,
    /// The bridge that fed the event.
    pub fed: Option<usize>,
    /// Components that are put back to where they start.
    pub restarted: Vec<usize>,
}

/// What a composition's moves need to know of it, found once.
#[derive(Debug)]
pub(super) struct Table {
    /// The sync of each component's events.
    syncs: Vec<Vec<Option<usize>>>,
    /// The bridges that each component's rules reach.
    reached: Vec<Vec<Vec<usize>>>,
}

impl Table {
    pub(super) fn new(composed: &Composed) -> Self {
        let models = || composed.components.iter().map(|one| &one.model);
        let mut syncs: Vec<Vec<_>> = models()
            .map(|model| vec![None; model.events.len()])
            .collect();
        for (at, row) in composed.syncs.iter().enumerate() {
            for (component, event) in &row.parts {
                syncs[*component][*event].get_or_insert(at);
            }
        }
        let mut feeds = vec![false; composed.components.len()];
        for row in &composed.bridges {
            feeds[row.from] = true;
        }
        let reached = models().enumerate().map(|(component, model)| {
            let of = |rule| {
                if feeds[component] {
                    composed.reached(component, rule).collect()
                } else {
                    Vec::new()
                }
            };
            model.rules.iter().map(of).collect()
        });
        let reached = reached.collect();
        Self { syncs, reached }
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
pub(super) struct Moves<'a> {
    pub(super) composed: &'a Composed,
    pub(super) layout: &'a Layout,
    pub(super) table: &'a Table,
    pub(super) now: &'a Row,
    pub(super) found: Vec<(Row, JointStep)>,
    /// Syncs that may come, and who has no rule for them.
    pub(super) refused: Vec<(usize, usize)>,
    /// Whether a run is complete here.
    pub(super) complete: bool,
    /// Whether a run ends here because a loop is used up.
    pub(super) exhausted: bool,
}

impl<'a> Moves<'a> {
    pub(super) fn of(
        composed: &'a Composed,
        layout: &'a Layout,
        table: &'a Table,
        now: &'a Row,
        open: bool,
    ) -> Self {
        let mut moves = Self {
            composed,
            layout,
            table,
            now,
            found: Vec::new(),
            refused: Vec::new(),
            complete: false,
            exhausted: false,
        };
        moves.all(open);
        moves
    }

    /// Events that wait to be fed are fed before anything else happens, unless what they would
    /// interrupt must not be.
    fn all(&mut self, open: bool) {
        let mut waiting = self.layout.waiting(&self.now.cells);
        let due = waiting.find(|at| !self.is_busy(self.composed.bridges[*at].to));
        if let Some(bridge) = due {
            return self.feed(bridge);
        }
        self.complete = !open && self.is_complete();
        if self.complete {
            return;
        }
        for component in 0..self.composed.components.len() {
            self.component(component);
        }
    }

    fn component(&mut self, component: usize) {
        let state = self.state(component);
        let pending = self.layout.pending(&self.now.cells, component);
        if self.composed.is_terminal(component, state) || self.is_stopped(component) {
            return;
        }
        let model = &self.composed.components[component].model;
        if let Pending::Effect(effect) = pending {
            for event in model.returns(effect) {
                // It comes from outside too, which is not another move.
                if !model.events[event].external {
                    self.event(component, event, Cause::Outcome);
                }
            }
        }
        for (event, row) in model.events.iter().enumerate() {
            if row.external {
                self.event(component, event, Cause::Outside);
            }
        }
        // Somebody begins the run, with any event that the initial state knows.
        if pending == Pending::Start {
            for rule in model.rules_of(model.initial) {
                if !model.events[rule.on].external {
                    self.event(component, rule.on, Cause::Start);
                }
            }
        }
    }

    fn state(&self, component: usize) -> usize {
        self.layout.state(&self.now.cells, component)
    }

    fn semantics(&self, component: usize) -> Option<Semantics> {
        match self.layout.pending(&self.now.cells, component) {
            Pending::Effect(effect) => {
                let model = &self.composed.components[component].model;
                Some(model.effects[effect].semantics)
            }
            Pending::Start | Pending::Nothing => None,
        }
    }

    fn is_stopped(&self, component: usize) -> bool {
        self.semantics(component) == Some(Semantics::Stop)
    }

    /// Whether a component waits for an effect that cannot be dropped.
    fn is_busy(&self, component: usize) -> bool {
        let semantics = self.semantics(component);
        semantics.is_some_and(|one| !matches!(one, Semantics::Query | Semantics::Stop))
    }

    fn is_complete(&self) -> bool {
        let all = 0..self.composed.components.len();
        let states: Vec<_> = all.map(|component| self.state(component)).collect();
        let fed: Vec<_> = self.layout.waiting(&self.now.cells).collect();
        self.composed.is_complete(&states, |component| {
            let waits = |at: &usize| self.composed.bridges[*at].to == component;
            self.semantics(component)
                .is_none_or(|one| one == Semantics::Stop)
                && !fed.iter().any(waits)
        })
    }

    fn event(&mut self, component: usize, event: usize, cause: Cause) {
        let Some(sync) = self.table.syncs[component][event] else {
            if let Some(rule) = self.rule(component, self.state(component), event) {
                self.moved(vec![(component, rule)]);
            }
            return;
        };
        let parts = self.composed.syncs[sync].parts.iter().copied();
        let live: Vec<_> = parts
            .filter(|(part, _)| !self.composed.is_terminal(*part, self.state(*part)))
            .collect();
        // An outcome waits until what the others do can be interrupted.
        let keeps_waiting = |(part, event): &(usize, usize)| {
            *part != component && self.is_busy(*part) && !self.comes_to(*part, *event)
        };
        if cause == Cause::Outcome && live.iter().any(keeps_waiting) {
            return;
        }
        let mut moved = Vec::new();
        let mut ignored = false;
        for (part, event) in live {
            let model = &self.composed.components[part].model;
            match model.cell(self.state(part), event) {
                Cell::Rule(_) => moved.extend(
                    self.rule(part, self.state(part), event)
                        .map(|rule| (part, rule)),
                ),
                Cell::Ignored => ignored = true,
                Cell::Empty => {
                    // Who begins a run with what nobody takes is told so.
                    if cause != Cause::Start {
                        self.refused.push((sync, part));
                    }
                    return;
                }
            }
        }
        if !ignored {
            self.moved(moved);
        }
    }

    /// Whether a component's own effect comes to an event: it meets the others with it.
    fn comes_to(&self, component: usize, event: usize) -> bool {
        let model = &self.composed.components[component].model;
        match self.layout.pending(&self.now.cells, component) {
            Pending::Effect(effect) => {
                let returns = &model.effects[effect].returns;
                returns
                    .as_ref()
                    .is_none_or(|returns| returns.contains(&event))
            }
            Pending::Start | Pending::Nothing => false,
        }
    }

    /// The number of a rule among those of its model.
    fn rule(&self, component: usize, state: usize, event: usize) -> Option<usize> {
        let model = &self.composed.components[component].model;
        let rules = model.rules_of(state);
        let at = rules.binary_search_by_key(&event, |rule| rule.on).ok()?;
        Some(model.starts[state] + at)
    }

    fn moved(&mut self, moved: Vec<(usize, usize)>) {
        let mut next = self.now.clone();
        self.enter(&mut next, &moved);
        let step = JointStep {
            moved,
            ..JointStep::default()
        };
        self.found.push((next, step));
    }

    fn enter(&self, next: &mut Row, moved: &[(usize, usize)]) {
        for (component, rule) in moved {
            let row = &self.composed.components[*component].model.rules[*rule];
            let pending = row.effect.map_or(Pending::Nothing, Pending::Effect);
            self.layout.set(next, *component, row.to, pending);
            for bridge in &self.table.reached[*component][*rule] {
                self.layout.wait(next, *bridge, true);
            }
        }
    }

    fn feed(&mut self, bridge: usize) {
        let row = &self.composed.bridges[bridge];
        let used_up = |at| self.layout.is_used_up(&self.now.cells, at);
        if row.feedback.is_some_and(used_up) {
            self.exhausted = true;
            return;
        }
        let mut unfed = self.now.clone();
        self.layout.wait(&mut unfed, bridge, false);
        let from = self.composed.landing(bridge, self.state(row.to));
        let fed = Some(bridge);
        if let Some(rule) = self.rule(row.to, from, row.event) {
            let mut next = unfed.clone();
            let all = 0..self.composed.components.len();
            let restarts = |at: &usize| self.composed.restarts(bridge, *at, self.state(*at));
            let restarted: Vec<_> = all.filter(restarts).collect();
            for at in &restarted {
                let initial = self.composed.components[*at].model.initial;
                self.layout.set(&mut next, *at, initial, Pending::Nothing);
            }
            let moved = vec![(row.to, rule)];
            self.enter(&mut next, &moved);
            if let Some(feedback) = row.feedback {
                self.layout.count(&mut next, feedback);
            }
            let step = JointStep {
                moved,
                fed,
                restarted,
            };
            self.found.push((next, step));
            let model = &self.composed.components[row.to].model;
            if model.rules[rule].guard.is_none() {
                return;
            }
        }
        let step = JointStep {
            fed,
            ..JointStep::default()
        };
        self.found.push((unfed, step));
    }
}
