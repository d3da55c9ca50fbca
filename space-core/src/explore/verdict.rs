//! From a pattern to what is true of a model.

use super::configurations::{Configurations, START};
use super::counts::too_many;
use super::observer::{
    AFTER, FIRST, Labels, MUST, OF, Observer, RESET, Roles, THEN, UNTIL, UnknownPoint,
};
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
    /// Each point of the first position is one of the second, which satisfies it on the spot.
    Contained(&'static str, &'static str),
    /// Every run starts at a point of this position, which settles it.
    FromTheStart(&'static str),
    /// No two points of an exclusion can be true at once, whatever its spaces do.
    OneSpace,
    /// No run passes any point of this position.
    NeverOccurs(&'static str),
    /// Where a point of this position occurs, runs end.
    EndsThere(&'static str),
    /// No run ever completes.
    NoCompleteRun,
    /// The machine ends where it starts.
    NoRun,
    /// Fewer than two of the points of an exclusion are ever true.
    Alone,
}

impl Vacuity {
    /// Whether the pattern's own words are why: then no machine that has its points could break it,
    /// whatever its rules.
    pub fn is_certain(self) -> bool {
        matches!(
            self,
            Self::Contained(..) | Self::FromTheStart(_) | Self::OneSpace
        )
    }
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
        match judge(&self.graph, &self.reach, &letters, pattern) {
            Verdict::Holds => ends_there(&self.graph, &self.reach, &letters, pattern)
                .map_or(Verdict::Holds, Verdict::Vacuous),
            verdict => verdict,
        }
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
    if let Some(certain) = certain(letters, pattern) {
        return Some(certain);
    }
    let never = |role| !reach.occurs(letters, role);
    match pattern {
        Pattern::Absence { after, .. } => {
            (!after.is_empty() && never(AFTER)).then_some(Vacuity::NeverOccurs("after"))
        }
        Pattern::Existence { .. } => {
            let complete = |node: usize| reach.nodes[node] && graph.complete(node);
            (!(0..graph.len()).any(complete)).then_some(Vacuity::NoCompleteRun)
        }
        Pattern::Precedence { .. } => never(THEN).then_some(Vacuity::NeverOccurs("then")),
        Pattern::Response { .. } => never(AFTER).then_some(Vacuity::NeverOccurs("after")),
        Pattern::BoundedExistence { at_most, .. } => {
            (at_most.value > 0 && never(OF)).then_some(Vacuity::NeverOccurs("of"))
        }
        Pattern::Reachable { .. } => graph.complete(START).then_some(Vacuity::NoRun),
        Pattern::Exclusion { .. } => None,
    }
}

/// Whether the words of a pattern keep every machine from breaking it. What is not found here, some
/// machine with these points breaks.
pub(super) fn certain(letters: &impl Letters, pattern: &Pattern) -> Option<Vacuity> {
    let starts = |role| letters.first() & role != 0;
    let is = |role| letters.all().any(|roles| roles & role != 0);
    let within = |a: Roles, b: Roles| letters.all().all(|roles| roles & a == 0 || roles & b != 0);
    match pattern {
        Pattern::Absence { after, .. } => {
            if after.is_empty() && starts(UNTIL) {
                Some(Vacuity::FromTheStart("until"))
            } else {
                (is(OF) && within(OF, UNTIL)).then_some(Vacuity::Contained("of", "until"))
            }
        }
        Pattern::Existence { .. } => starts(OF).then_some(Vacuity::FromTheStart("of")),
        Pattern::Precedence { .. } => {
            if is(THEN) && within(THEN, FIRST) {
                Some(Vacuity::Contained("then", "first"))
            } else {
                let kept = starts(FIRST) && within(RESET, FIRST);
                kept.then_some(Vacuity::FromTheStart("first"))
            }
        }
        Pattern::Response { .. } => {
            (is(AFTER) && within(AFTER, MUST)).then_some(Vacuity::Contained("after", "must"))
        }
        _ => None,
    }
}

/// Of a promise that one machine keeps, whether it does because it ends where the promise begins to
/// say anything. A composition goes on where one of its machines has ended.
fn ends_there(
    graph: &impl Runs,
    reach: &Reach,
    letters: &impl Letters,
    pattern: &Pattern,
) -> Option<Vacuity> {
    let (role, position) = match pattern {
        Pattern::Absence { after, .. } if !after.is_empty() => (AFTER, "after"),
        Pattern::BoundedExistence { at_most, .. } if at_most.value > 0 => (OF, "of"),
        _ => return None,
    };
    let goes_on = |node: usize| graph.moves(node).next().is_some();
    let fills = |letter: Roles| letter & role != 0;
    let mut used = reach.steps.iter().enumerate().filter(|(_, used)| **used);
    // Its event is followed by its state, its state by what is asked for there, if that is named.
    let followed = used.any(|(step, _)| {
        let [event, state, effect] = letters.step(step);
        let within = fills(event) || fills(state) && effect != 0;
        within || (fills(state) || fills(effect)) && goes_on(graph.target(step))
    });
    let followed = followed || fills(letters.first()) && goes_on(START);
    (!followed).then_some(Vacuity::EndsThere(position))
}
