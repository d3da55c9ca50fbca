//! From a pattern to what is true of a model.

use super::configurations::{Configurations, START};
use super::counts::too_many;
use super::observer::{AFTER, FIRST, Labels, MUST, OF, Observer, Roles, THEN, UNTIL, UnknownPoint};
use super::runs::{Letters, Marked, Runs};
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
    /// Fewer than two of the points of an exclusion are ever true.
    Alone,
}

/// A run that breaks a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The steps that it takes, from the initial state on: of one machine indices into
    /// [`Model::rules`], of several those of [`Joint`](super::Joint). Empty when the initial state
    /// itself breaks the pattern.
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

    /// Judges a pattern. Linear in configurations times steps out of one.
    pub fn verdict(&self, pattern: &Pattern) -> Verdict {
        if matches!(pattern, Pattern::Exclusion { .. }) {
            return Verdict::Misplaced;
        }
        let labels = match Labels::resolve(self.graph.model, pattern) {
            Ok(labels) => labels,
            Err(unknown) => return Verdict::Unknown(unknown),
        };
        let letters = Marked {
            graph: &self.graph,
            labels,
        };
        judge(&self.graph, &self.reach, &letters, pattern)
    }
}

/// What is true of a pattern other than an exclusion.
pub(super) fn judge(
    graph: &impl Runs,
    reach: &Reach,
    letters: &impl Letters,
    pattern: &Pattern,
) -> Verdict {
    if let Some(vacuity) = vacuity(graph, reach, letters, pattern) {
        return Verdict::Vacuous(vacuity);
    }
    violation(graph, letters, pattern).map_or(Verdict::Holds, Verdict::Violated)
}

/// A run that breaks a pattern other than an exclusion.
pub(super) fn violation(
    graph: &impl Runs,
    letters: &impl Letters,
    pattern: &Pattern,
) -> Option<Counterexample> {
    match (Observer::of(pattern), pattern) {
        (_, Pattern::BoundedExistence { at_most, .. }) => too_many(graph, letters, at_most.value),
        (Some(observer), _) => {
            shortest_break(graph, letters, observer).map(Counterexample::shortest)
        }
        (None, _) => cut_off(graph, letters).map(Counterexample::shortest),
    }
}

/// A shortest run to a configuration that has not ended and from which no point of `OF` can
/// be reached.
fn cut_off(graph: &impl Runs, letters: &impl Letters) -> Option<Vec<usize>> {
    let lost = lost(graph, letters);
    shortest_to(graph, |node| lost[node])
}

/// The configurations that have not ended and from which no point of `OF` can be reached. What is
/// true in a configuration counts as reached.
pub(super) fn lost(graph: &impl Runs, letters: &impl Letters) -> Vec<bool> {
    let is = |roles: Roles| roles & OF != 0;
    let nodes = 0..graph.len();
    let mut targets: Vec<usize> = nodes.filter(|node| is(letters.standing(*node))).collect();
    for step in (0..graph.steps()).filter(|step| letters.step(*step).into_iter().any(is)) {
        targets.extend(graph.sources(step));
    }
    let can = backward(graph, targets);
    let lost = |node: usize| !can[node] && !graph.over(node);
    (0..graph.len()).map(lost).collect()
}

fn vacuity(
    graph: &impl Runs,
    reach: &Reach,
    letters: &impl Letters,
    pattern: &Pattern,
) -> Option<Vacuity> {
    let never = |role| !reach.occurs(letters, role);
    let within = |a: Roles, b: Roles| letters.all().all(|roles| roles & a == 0 || roles & b != 0);
    match pattern {
        Pattern::Absence { of, after, .. } => {
            let declared = letters.all().any(|roles| roles & OF != 0);
            if !after.is_empty() && never(AFTER) {
                Some(Vacuity::NeverOccurs("after"))
            } else if !of.is_empty() && declared && within(OF, UNTIL) {
                Some(Vacuity::Contained("of", "until"))
            } else {
                None
            }
        }
        Pattern::Existence { .. } => {
            let complete = |node: usize| reach.nodes[node] && graph.complete(node);
            (!(0..graph.len()).any(complete)).then_some(Vacuity::NoCompleteRun)
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
        Pattern::Reachable { .. } => graph.complete(START).then_some(Vacuity::NoRun),
        Pattern::Exclusion { .. } => None,
    }
}
