//! Whether a promise about a composition is kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::Bound;
use super::super::configurations::Pending;
use super::super::observer::{Labels, Roles, positions};
use super::super::runs::{Letters, Runs};
use super::super::search::{Reach, shortest_step};
use super::super::verdict::{Counterexample, Vacuity, Verdict, certain, judge, violation};
use super::graph::Joint;
use super::part::Part;
use crate::contract::Pattern;
use crate::graph::{Composed, PointRow};

/// A point of a component, and the position of the pattern that it fills.
pub type JointPoint = (usize, PointRow, Roles);

/// What is known of a promise.
#[derive(Clone, Debug)]
pub enum Judged {
    /// This is true of it. A counterexample's steps are those of the graph, which may be that of a
    /// part of the composition.
    Known(Verdict, Arc<Joint>),
    /// There are more configurations than were looked at, and those that were do not break it.
    Undecided(Bound),
}

/// Judges promises about one composition. What they share is explored once.
///
/// A promise about how runs begin (absence, precedence, bounded existence, exclusion) is judged of
/// the components that have to do with its points; one about how they end, or could go on, of all.
/// Where loops make too many configurations it is asked once more as if no loop were ever used up:
/// what holds then holds, and what is broken within the limits is broken. Promises about how runs begin
/// that are still open are asked of decision diagrams, where the library has them (feature `explore`).
#[derive(Debug)]
pub struct JointJudge {
    composed: Arc<Composed>,
    most: usize,
    graphs: BTreeMap<(Vec<usize>, bool), Arc<Joint>>,
    #[cfg(feature = "explore")]
    beyond: super::beyond::Beyond,
}

impl JointJudge {
    /// A judge of a composition.
    pub fn new(composed: Arc<Composed>) -> Self {
        Self::looking_at(Joint::MOST, composed)
    }

    /// A judge that looks at so many configurations one by one.
    pub fn looking_at(most: usize, composed: Arc<Composed>) -> Self {
        Self {
            composed,
            most,
            graphs: BTreeMap::new(),
            #[cfg(feature = "explore")]
            beyond: super::beyond::Beyond::default(),
        }
    }

    /// The graph of the components that have to do with these.
    pub fn around(&mut self, components: &[usize]) -> Arc<Joint> {
        let composed = Arc::clone(&self.composed);
        self.graph(&Part::around(&composed, components), true)
    }

    /// Judges a pattern by the names of its points; `None` when the composition does not have one of
    /// them.
    pub fn judge_named(&mut self, pattern: &Pattern) -> Option<Judged> {
        let points = points(&self.composed, pattern)?;
        Some(self.judge(pattern, &points))
    }

    /// Judges a pattern, its points given by position and in the order of the positions.
    pub fn judge(&mut self, pattern: &Pattern, points: &[JointPoint]) -> Judged {
        let composed = Arc::clone(&self.composed);
        let begins = matches!(
            pattern,
            Pattern::Absence { .. }
                | Pattern::Precedence { .. }
                | Pattern::BoundedExistence { .. }
                | Pattern::Exclusion { .. }
        );
        let part = if begins {
            let wanted: Vec<_> = points.iter().map(|(component, ..)| *component).collect();
            Part::around(&composed, &wanted)
        } else {
            Part::whole(&composed)
        };
        let points = points
            .iter()
            .map(|(at, row, roles)| (part.place(*at), *row, *roles));
        let points: Vec<_> = points.collect();
        let joint = self.graph(&part, true);
        let Some(bound) = joint.bound() else {
            return Judged::Known(known(&joint, pattern, &points), joint);
        };
        if let Some(why) = settled(&joint, pattern, &points) {
            return Judged::Known(Verdict::Vacuous(why), joint);
        }
        if matches!(pattern, Pattern::Reachable { .. }) {
            return Judged::Undecided(bound);
        }
        if let Some(mut found) = broken(&joint, pattern, &points) {
            found.shortest &= joint.is_shortest(found.run.len());
            return Judged::Known(Verdict::Violated(found), joint);
        }
        if self.composed.loops.iter().any(|row| row.max_rounds > 0) {
            let joint = self.graph(&part, false);
            if joint.bound().is_none() {
                return match known(&joint, pattern, &points) {
                    Verdict::Violated(run) if !joint.is_within_limits(&run.run) => {
                        Judged::Undecided(bound)
                    }
                    verdict => Judged::Known(verdict, joint),
                };
            }
        }
        #[cfg(feature = "explore")]
        if begins
            && !self.beyond.has_given_up(&part)
            && let Some((verdict, joint)) = self.beyond.judge(&part, pattern, &points)
        {
            return Judged::Known(verdict, joint);
        }
        Judged::Undecided(bound)
    }

    fn graph(&mut self, part: &Part<'_>, counted: bool) -> Arc<Joint> {
        let (composed, most) = (&self.composed, self.most);
        let graph = self.graphs.entry((part.kept().to_vec(), counted));
        Arc::clone(graph.or_insert_with(|| {
            let whole = if part.is_whole() {
                Arc::clone(composed)
            } else {
                Arc::new(part.composed().clone())
            };
            Arc::new(Joint::of(whole, counted, !part.is_whole(), most))
        }))
    }
}

/// The points of a pattern, in the order of its positions; `None` when one is not declared.
pub(super) fn points(composed: &Composed, pattern: &Pattern) -> Option<Vec<JointPoint>> {
    let all = positions(pattern).into_iter().flat_map(|(points, roles)| {
        let points = points.iter();
        points.map(move |point| {
            let component = composed.component(point.space.as_deref()?)?;
            let row = PointRow::of(&composed.components[component].model, point)?;
            Some((component, row, roles))
        })
    });
    all.collect()
}

/// The verdict of a graph that is all there is.
fn known(joint: &Joint, pattern: &Pattern, points: &[JointPoint]) -> Verdict {
    if matches!(pattern, Pattern::Exclusion { .. }) {
        let apart = Apart::new(joint, points);
        if !apart.can_meet() {
            return Verdict::Vacuous(Vacuity::OneSpace);
        }
        if apart.is_vacuous() {
            return Verdict::Vacuous(Vacuity::Alone);
        }
        return apart.met().map_or(Verdict::Holds, Verdict::Violated);
    }
    let letters = JointLetters::new(joint, points);
    judge(joint, &Reach::new(joint), &letters, pattern)
}

/// Why nothing could break a pattern, whatever the rules.
fn settled(joint: &Joint, pattern: &Pattern, points: &[JointPoint]) -> Option<Vacuity> {
    if matches!(pattern, Pattern::Exclusion { .. }) {
        let can_meet = Apart::new(joint, points).can_meet();
        return (!can_meet).then_some(Vacuity::OneSpace);
    }
    certain(&JointLetters::new(joint, points), pattern)
}

/// A run that breaks a pattern, among those of a graph that may be a beginning.
pub(super) fn broken(
    joint: &Joint,
    pattern: &Pattern,
    points: &[JointPoint],
) -> Option<Counterexample> {
    match pattern {
        Pattern::Exclusion { .. } => Apart::new(joint, points).met(),
        _ => violation(joint, &JointLetters::new(joint, points), pattern),
    }
}

/// The letters of a composition's steps: what happens at once is one letter. So the events of a sync
/// event are one, the states that a step leads to are one, components that start anew included, and
/// so are the effects that it asks for.
struct JointLetters<'a> {
    joint: &'a Joint,
    labels: Vec<Labels>,
    kinds: Vec<[Roles; 3]>,
}

impl<'a> JointLetters<'a> {
    fn new(joint: &'a Joint, points: &[JointPoint]) -> Self {
        let components = &joint.composed().components;
        let mut labels: Vec<_> = components
            .iter()
            .map(|one| Labels::none(&one.model))
            .collect();
        for (component, row, roles) in points {
            labels[*component].mark(&components[*component].model, *row, *roles);
        }
        let kinds = joint.kinds().iter().map(|step| {
            let mut letters = [0; 3];
            for (component, rule) in &step.moved {
                let labels = &labels[*component];
                let rule = &components[*component].model.rules[*rule];
                letters[0] |= labels.events[rule.on];
                letters[1] |= labels.states[rule.to];
                letters[2] |= rule.effect.map_or(0, |effect| labels.effects[effect]);
            }
            for component in &step.restarted {
                letters[1] |= labels[*component].states[components[*component].model.initial];
            }
            letters
        });
        let kinds = kinds.collect();
        Self {
            joint,
            labels,
            kinds,
        }
    }
}

impl Letters for JointLetters<'_> {
    fn first(&self) -> Roles {
        self.standing(super::super::START)
    }

    fn step(&self, step: usize) -> [Roles; 3] {
        self.kinds[self.joint.kind(step)]
    }

    fn standing(&self, node: usize) -> Roles {
        let states = self.joint.states(node);
        let all = self.labels.iter().zip(states).enumerate();
        all.fold(0, |roles, (component, (labels, state))| {
            let asked = match self.joint.pending(node, component) {
                Pending::Effect(effect) => labels.effects[effect],
                Pending::Start | Pending::Nothing => 0,
            };
            roles | labels.states[state] | asked
        })
    }

    fn all(&self) -> impl Iterator<Item = Roles> {
        self.labels.iter().flat_map(Labels::all)
    }
}

/// Points that are never to be true together. A state is true while its component is in it, an
/// effect from when it is asked for until the component moves on, and an event in the step that
/// handles it, together with what that step leads to.
struct Apart<'a> {
    joint: &'a Joint,
    points: Vec<(usize, PointRow)>,
}

impl<'a> Apart<'a> {
    fn new(joint: &'a Joint, points: &[JointPoint]) -> Self {
        let mut rows: Vec<(usize, PointRow)> = Vec::new();
        for (component, row, _) in points {
            if !rows.contains(&(*component, *row)) {
                rows.push((*component, *row));
            }
        }
        Self {
            joint,
            points: rows,
        }
    }

    fn stands(&self, node: usize, component: usize, row: PointRow) -> bool {
        let model = &self.joint.composed().components[component].model;
        match (row, self.joint.pending(node, component)) {
            (PointRow::State(state), _) => self.joint.state(node, component) == state,
            (PointRow::Effect(effect), Pending::Effect(asked)) => effect == asked,
            (PointRow::Semantics(semantics), Pending::Effect(asked)) => {
                model.effects[asked].semantics == semantics
            }
            _ => false,
        }
    }

    fn happens(&self, kind: usize, component: usize, row: PointRow) -> bool {
        let PointRow::Event(event) = row else {
            return false;
        };
        let model = &self.joint.composed().components[component].model;
        let mut moved = self.joint.kinds()[kind].moved.iter();
        moved.any(|(at, rule)| *at == component && model.rules[*rule].on == event)
    }

    fn met(&self) -> Option<Counterexample> {
        let standing = |node: usize| {
            let stands =
                |(component, row): &&(usize, PointRow)| self.stands(node, *component, *row);
            self.points.iter().filter(stands).count()
        };
        let happening = |step: usize| {
            let kind = self.joint.kind(step);
            let happens =
                |(component, row): &&(usize, PointRow)| self.happens(kind, *component, *row);
            self.points.iter().filter(happens).count()
        };
        let together = |step: usize| {
            let events = happening(step);
            events > 0 && events + standing(self.joint.target(step)) >= 2
        };
        let run = shortest_step(self.joint, |node| standing(node) >= 2, together);
        run.map(Counterexample::shortest)
    }

    /// Whether two of the points could be true at once, had their spaces any rules.
    fn can_meet(&self) -> bool {
        let meet = |(a, one): &(usize, PointRow), (b, other): &(usize, PointRow)| {
            use PointRow::{Effect, Event, Semantics, State};
            let model = &self.joint.composed().components[*a].model;
            a != b
                || match (*one, *other) {
                    (State(_), State(_))
                    | (Event(_), Event(_))
                    | (Effect(_), Effect(_))
                    | (Semantics(_), Semantics(_)) => false,
                    (Effect(effect), Semantics(semantics))
                    | (Semantics(semantics), Effect(effect)) => {
                        model.effects[effect].semantics == semantics
                    }
                    _ => true,
                }
        };
        let mut all = self.points.iter().enumerate();
        all.any(|(at, one)| self.points[..at].iter().any(|other| meet(one, other)))
    }

    /// Whether fewer than two of the points ever are true.
    fn is_vacuous(&self) -> bool {
        let occurs = |(component, row): &&(usize, PointRow)| {
            let kinds = 0..self.joint.kinds().len();
            let mut nodes = 0..self.joint.len();
            nodes.any(|node| self.stands(node, *component, *row))
                || kinds
                    .into_iter()
                    .any(|kind| self.happens(kind, *component, *row))
        };
        self.points.iter().filter(occurs).count() < 2
    }
}
