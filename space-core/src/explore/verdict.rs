//! From a pattern to what is true of a model.

use super::configurations::{Configurations, Pending, START};
use super::counts::too_many;
use super::observer::{AFTER, FIRST, Labels, MUST, OF, Observer, Roles, THEN, UNTIL, UnknownPoint};
use super::search::{Reach, backward, shortest_break, shortest_to};
use crate::contract::Pattern;
use crate::graph::Model;

/// What is true of a pattern in a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No run breaks it.
    Holds,
    /// No run breaks it because no run could.
    Vacuous(Vacuity),
    /// This run breaks it.
    Violated(Counterexample),
    /// It speaks of points that the model does not have.
    Unknown(Vec<UnknownPoint>),
    /// It speaks of several machines, and this is one.
    Misplaced,
}

/// Why nothing can break a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vacuity {
    /// No run passes any point of this position.
    NeverOccurs(&'static str),
    /// Each point of the first position is one of the second, which satisfies it on the spot.
    Contained(&'static str, &'static str),
    /// No run ever completes.
    NoCompleteRun,
    /// The machine ends where it starts.
    NoRun,
}

/// A run that breaks a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The rules it uses, from the initial state on: indices into [`Model::rules`]. Empty when
    /// the initial state itself breaks the pattern.
    pub run: Vec<usize>,
    /// Whether no shorter run breaks it.
    pub shortest: bool,
    /// The first step of a cycle that the run may repeat, which is what breaks the pattern.
    pub repeats: Option<usize>,
}

impl Counterexample {
    pub(super) fn shortest(run: Vec<usize>) -> Self {
        Self {
            run,
            shortest: true,
            repeats: None,
        }
    }
}

/// Judges one pattern. To judge several, build a [`Judge`].
pub fn verdict(model: &Model, pattern: &Pattern) -> Verdict {
    Judge::new(model, &[]).verdict(pattern)
}

/// Judges patterns of one model; what they share is computed once.
///
/// What a verdict proves: the runs that are looked at are all runs that any guards, handlers and
/// people can make, and more (a guard may answer differently each time). So a safety pattern
/// (absence, precedence, bounded existence) that holds, holds of every real run, and one that is
/// violated may be so by a run that the real guards would refuse. `existence` and `response` judge
/// complete runs only: a run that goes round a cycle for ever, is rejected, or is ended by a limit
/// proves nothing against them. `reachable` is the weakest: some answers of handlers, people and
/// guards lead to the point, from wherever a run may be.
pub struct Judge<'m> {
    graph: Configurations<'m>,
    reach: Reach,
}

impl<'m> Judge<'m> {
    /// A judge of a model with these loopbacks, each a trigger state and an event.
    pub fn new(model: &'m Model, loopbacks: &[(usize, usize)]) -> Self {
        let graph = Configurations::new(model, loopbacks);
        let reach = Reach::new(&graph);
        Self { graph, reach }
    }

    /// The graph that is searched.
    pub fn graph(&self) -> &Configurations<'m> {
        &self.graph
    }

    /// Judges a pattern. Linear in configurations times rules of a state.
    pub fn verdict(&self, pattern: &Pattern) -> Verdict {
        if matches!(pattern, Pattern::Exclusion { .. }) {
            return Verdict::Misplaced;
        }
        let labels = match Labels::resolve(self.graph.model, pattern) {
            Ok(labels) => labels,
            Err(unknown) => return Verdict::Unknown(unknown),
        };
        if let Some(vacuity) = self.vacuity(pattern, &labels) {
            return Verdict::Vacuous(vacuity);
        }
        let found = match (Observer::of(pattern), pattern) {
            (_, Pattern::BoundedExistence { at_most, .. }) => {
                too_many(&self.graph, &labels, at_most.value)
            }
            (Some(observer), _) => {
                shortest_break(&self.graph, &labels, observer).map(Counterexample::shortest)
            }
            (None, _) => self.cut_off(&labels).map(Counterexample::shortest),
        };
        found.map_or(Verdict::Holds, Verdict::Violated)
    }

    /// A shortest run to a configuration that has not ended and from which no point of `OF` can
    /// be reached. The state and the pending effect of the configuration count as reached.
    fn cut_off(&self, labels: &Labels) -> Option<Vec<usize>> {
        let lost = self.lost(labels);
        shortest_to(&self.graph, |node| lost[node])
    }

    /// The configurations that have not ended and from which no point of `OF` can be reached.
    pub(super) fn lost(&self, labels: &Labels) -> Vec<bool> {
        let graph = &self.graph;
        let is = |roles: Roles| roles & OF != 0;
        let rules = &graph.model.rules;
        let present = |node: usize| {
            let configuration = graph.node(node);
            is(labels.states[configuration.state])
                || matches!(configuration.pending, Pending::Effect(one) if is(labels.effects[one]))
        };
        let mut targets: Vec<usize> = (0..graph.len()).filter(|node| present(*node)).collect();
        for (rule, _) in rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| is(labels.events[rule.on]))
        {
            targets.extend(graph.sources(rule));
        }
        let can = backward(graph, targets);
        let state = |node| graph.node(node).state;
        let lost = |node: usize| {
            !can[node] && !graph.complete(node) && !graph.model.states[state(node)].terminal
        };
        (0..graph.len()).map(lost).collect()
    }

    fn vacuity(&self, pattern: &Pattern, labels: &Labels) -> Option<Vacuity> {
        let never = |role| !self.reach.occurs(&self.graph, labels, role);
        let within = |a: Roles, b: Roles| {
            let mut letters = labels
                .events
                .iter()
                .chain(&labels.states)
                .chain(&labels.effects);
            letters.all(|roles| roles & a == 0 || roles & b != 0)
        };
        match pattern {
            Pattern::Absence { of, after, .. } => {
                if !after.is_empty() && never(AFTER) {
                    Some(Vacuity::NeverOccurs("after"))
                } else if !of.is_empty() && labels.fill(OF) && within(OF, UNTIL) {
                    Some(Vacuity::Contained("of", "until"))
                } else {
                    None
                }
            }
            Pattern::Existence { .. } => {
                let complete = |node: usize| self.reach.nodes[node] && self.graph.complete(node);
                (!(0..self.graph.len()).any(complete)).then_some(Vacuity::NoCompleteRun)
            }
            Pattern::Precedence { .. } => {
                if never(THEN) {
                    Some(Vacuity::NeverOccurs("then"))
                } else {
                    within(THEN, FIRST).then_some(Vacuity::Contained("then", "first"))
                }
            }
            Pattern::Response { .. } => {
                if never(AFTER) {
                    Some(Vacuity::NeverOccurs("after"))
                } else {
                    within(AFTER, MUST).then_some(Vacuity::Contained("after", "must"))
                }
            }
            Pattern::BoundedExistence { at_most, .. } => {
                (at_most.value > 0 && never(OF)).then_some(Vacuity::NeverOccurs("of"))
            }
            Pattern::Reachable { .. } => self.graph.complete(START).then_some(Vacuity::NoRun),
            Pattern::Exclusion { .. } => None,
        }
    }
}
