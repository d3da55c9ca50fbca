//! The runs of a composition, made by the machine that runs it, and what breaks a promise by the words
//! of its definition.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use space_core::compose::{
    ComposedGuards, FeedStep, Moved, Product, ProductState, ProductStep, Tagged,
};
use space_core::contract::{Pattern, Point, PointKind, Points, Semantics};
use space_core::explore::Joint;
use space_core::graph::Composed;
use space_core::machine::{GuardTable, Values};

/// Runs are enumerated level by level, while there are not more than these.
const RUNS: usize = 2_000;
const LENGTH: usize = 7;

pub(crate) fn component(composed: &Composed, point: &Point) -> usize {
    composed.component(point.space.as_deref().unwrap()).unwrap()
}

/// What a composition is in, and what it waits for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct At {
    state: ProductState,
    pending: Vec<Option<usize>>,
    fresh: Vec<bool>,
}

/// Component and the rows of event, state entered, and effect.
pub(crate) type Move = (usize, usize, usize, Option<usize>);

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) moved: Vec<Move>,
    pub(crate) restarted: Vec<usize>,
    pub(crate) fed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) at: At,
    pub(crate) steps: Vec<Step>,
}

/// A composition as the machine that runs it, with guards that say yes and guards that say no.
pub(crate) struct Machine {
    composed: Arc<Composed>,
    product: Product,
    guards: [ComposedGuards; 2],
}

impl Machine {
    pub(crate) fn new(composed: Arc<Composed>) -> Self {
        let guards = [true, false].map(|answer| {
            composed
                .components
                .iter()
                .fold(ComposedGuards::new(), |all, one| {
                    all.with(
                        &one.name,
                        GuardTable::default().with("g", move |_, _| answer),
                    )
                })
        });
        Self {
            product: Product::of(Arc::clone(&composed)),
            composed,
            guards,
        }
    }

    fn start(&self) -> At {
        let count = self.composed.components.len();
        At {
            state: self.product.initial(),
            pending: vec![None; count],
            fresh: self.composed.after.iter().map(Vec::is_empty).collect(),
        }
    }

    /// Runs by length, all of those of each length that is there.
    pub(crate) fn runs(&self) -> Vec<Run> {
        let mut runs = vec![Run {
            at: self.start(),
            steps: Vec::new(),
        }];
        let mut from = 0;
        for _ in 0..LENGTH {
            let mut level = Vec::new();
            for run in &runs[from..] {
                for (at, step) in self.next(&run.at) {
                    let mut steps = run.steps.clone();
                    steps.push(step);
                    level.push(Run { at, steps });
                }
            }
            if level.is_empty() || runs.len() + level.len() > RUNS {
                break;
            }
            from = runs.len();
            runs.extend(level);
        }
        runs
    }

    fn semantics(&self, at: &At, component: usize) -> Option<Semantics> {
        let effects = &self.composed.components[component].model.effects;
        at.pending[component].map(|effect| effects[effect].semantics)
    }

    fn is_busy(&self, at: &At, component: usize) -> bool {
        self.semantics(at, component)
            .is_some_and(|one| one != Semantics::Query && one != Semantics::Stop)
    }

    pub(crate) fn is_complete(&self, at: &At) -> bool {
        self.product.is_complete(&at.state, |component| {
            matches!(self.semantics(at, component), None | Some(Semantics::Stop))
        })
    }

    fn due(&self, at: &At) -> Option<usize> {
        self.product
            .due(&at.state, |component| self.is_busy(at, component))
    }

    pub(crate) fn is_exhausted(&self, at: &At) -> bool {
        self.due(at).is_some_and(|bridge| {
            self.product
                .exhausted(&at.state, bridge, Duration::ZERO)
                .is_some()
        })
    }

    fn next(&self, at: &At) -> Vec<(At, Step)> {
        let mut found: Vec<(At, Step)> = Vec::new();
        let mut add = |one: Option<(At, Step)>| {
            if let Some(one) = one
                && !found.contains(&one)
            {
                found.push(one);
            }
        };
        if let Some(bridge) = self.due(at) {
            for guards in &self.guards {
                add(self.feed(at, bridge, guards));
            }
            return found;
        }
        if self.is_complete(at) {
            return found;
        }
        for (component, one) in self.composed.components.iter().enumerate() {
            let state = usize::from(at.state.states[component].0);
            if one.model.states[state].terminal {
                continue;
            }
            for (event, row) in one.model.events.iter().enumerate() {
                let asked = at.pending[component].map(|effect| one.model.returns(effect));
                let outcome = asked.is_some_and(|returns| returns.contains(&event));
                let unasked = row.external || at.fresh[component];
                if unasked || outcome && !self.must_wait(at, component, event) {
                    for guards in &self.guards {
                        add(self.step(at, component, event, guards));
                    }
                }
            }
        }
        found
    }

    fn must_wait(&self, at: &At, component: usize, event: usize) -> bool {
        let tagged = tagged(component, event);
        let parts = self.product.participants(&at.state, &tagged);
        parts.iter().any(|(part, row)| {
            let model = &self.composed.components[*part].model;
            let comes = at.pending[*part].is_some_and(|effect| model.returns(effect).contains(row));
            *part != component && self.is_busy(at, *part) && !comes
        })
    }

    fn step(
        &self,
        at: &At,
        component: usize,
        event: usize,
        guards: &ComposedGuards,
    ) -> Option<(At, Step)> {
        let mut next = at.clone();
        let tagged = tagged(component, event);
        match self.product.step(&mut next.state, tagged, guards) {
            ProductStep::Handled(moved) => Some(after(next, &moved, Vec::new(), false)),
            ProductStep::Ignored { .. } | ProductStep::Rejected { .. } => None,
        }
    }

    fn feed(&self, at: &At, bridge: usize, guards: &ComposedGuards) -> Option<(At, Step)> {
        let mut next = at.clone();
        match self
            .product
            .feed(&mut next.state, bridge, Duration::ZERO, guards)
        {
            FeedStep::Exhausted(_) => None,
            FeedStep::Stepped {
                restarted, step, ..
            } => {
                let moved = match step {
                    ProductStep::Handled(moved) => moved,
                    ProductStep::Ignored { .. } | ProductStep::Rejected { .. } => Vec::new(),
                };
                Some(after(next, &moved, restarted, true))
            }
        }
    }

    /// The run of a counterexample, if it is one.
    pub(crate) fn replay(&self, joint: &Joint, run: &[usize]) -> Option<Run> {
        let mut at = self.start();
        let mut steps = Vec::new();
        for step in run {
            let step = joint.step_of(*step);
            let whole = |at: usize| {
                self.composed
                    .component(&joint.composed().components[at].name)
            };
            let moved = step.moved.iter().map(|(component, rule)| {
                let component = whole(*component).unwrap();
                let rule = &self.composed.components[component].model.rules[*rule];
                (component, rule.on, rule.to, rule.effect)
            });
            let restarted = step.restarted.iter().map(|at| whole(*at).unwrap());
            let step = Step {
                moved: moved.collect(),
                restarted: restarted.collect(),
                fed: step.fed.is_some(),
            };
            let next = self.next(&at).into_iter().find(|(_, one)| *one == step);
            at = next?.0;
            steps.push(step);
        }
        Some(Run { at, steps })
    }

    /// Whether a run breaks a pattern, by the words of its definition.
    pub(crate) fn breaks(&self, run: &Run, pattern: &Pattern) -> bool {
        let letters = self.letters(&run.steps);
        let all = 0..letters.len();
        let is =
            |at: usize, points: &Points| points.iter().any(|one| self.shows(&letters[at], one));
        match pattern {
            Pattern::Absence { of, after, until } => all.clone().any(|at| {
                let opened = |open: usize| !(open + 1..=at).any(|one| is(one, until));
                let from_start = after.is_empty() && !(0..=at).any(|one| is(one, until));
                let opened_before = (0..at).any(|one| is(one, after) && opened(one));
                is(at, of) && (from_start || opened_before)
            }),
            Pattern::Existence { of } => {
                self.is_complete(&run.at) && !self.is_due(run) && !all.clone().any(|at| is(at, of))
            }
            Pattern::Precedence { first, then, reset } => all.clone().any(|at| {
                let stands = |one: usize| !(one + 1..at).any(|between| is(between, reset));
                is(at, then) && !(0..=at).any(|one| is(one, first) && stands(one))
            }),
            Pattern::Response { after, must } => {
                let owed =
                    |at: usize| is(at, after) && !(at..letters.len()).any(|one| is(one, must));
                self.is_complete(&run.at) && !self.is_due(run) && all.clone().any(owed)
            }
            Pattern::BoundedExistence { of, at_most } => {
                all.clone().filter(|at| is(*at, of)).count() > at_most.value as usize
            }
            Pattern::Exclusion { points } => {
                let mut now = standing(&run.at);
                let last = run.steps.last();
                let events = last.into_iter().flat_map(|step| &step.moved);
                now.extend(events.map(|(at, event, ..)| (*at, PointKind::Event, *event)));
                let distinct: BTreeSet<String> = points
                    .iter()
                    .filter(|point| self.shows(&now, point))
                    .map(|point| point.to_string())
                    .collect();
                distinct.len() >= 2
            }
            Pattern::Reachable { point } => {
                let over = self.is_complete(&run.at) || self.is_exhausted(&run.at);
                !over && !self.can_show(&run.at, point)
            }
        }
    }

    fn is_due(&self, run: &Run) -> bool {
        self.due(&run.at).is_some()
    }

    fn can_show(&self, at: &At, points: &Points) -> bool {
        let any = |letter: &Letter| points.iter().any(|one| self.shows(letter, one));
        if any(&standing(at)) {
            return true;
        }
        let mut seen = vec![at.clone()];
        let mut looked = 0;
        while looked < seen.len() {
            for (next, step) in self.next(&seen[looked].clone()) {
                if self.step_letters(&step).iter().any(any) {
                    return true;
                }
                if !seen.contains(&next) {
                    seen.push(next);
                }
            }
            looked += 1;
        }
        false
    }

    fn letters(&self, steps: &[Step]) -> Vec<Letter> {
        let first = standing(&self.start());
        let steps = steps.iter().flat_map(|step| self.step_letters(step));
        std::iter::once(first).chain(steps).collect()
    }

    /// What happens at once: the events, the states, the effects.
    fn step_letters(&self, step: &Step) -> [Letter; 3] {
        let moved = || step.moved.iter();
        let initial = |at: &usize| {
            (
                *at,
                PointKind::State,
                self.composed.components[*at].model.initial,
            )
        };
        [
            moved()
                .map(|(at, event, ..)| (*at, PointKind::Event, *event))
                .collect(),
            moved()
                .map(|(at, _, state, _)| (*at, PointKind::State, *state))
                .chain(step.restarted.iter().map(initial))
                .collect(),
            moved()
                .filter_map(|(at, .., effect)| Some((*at, PointKind::Effect, (*effect)?)))
                .collect(),
        ]
    }

    fn shows(&self, letter: &Letter, point: &Point) -> bool {
        let own = component(&self.composed, point);
        let model = &self.composed.components[own].model;
        letter.iter().any(|(at, kind, row)| {
            *at == own
                && match (kind, point.kind) {
                    (PointKind::State, PointKind::State) => model.states[*row].name == point.name,
                    (PointKind::Event, PointKind::Event) => model.events[*row].name == point.name,
                    (PointKind::Effect, PointKind::Effect) => {
                        model.effects[*row].name == point.name
                    }
                    (PointKind::Effect, PointKind::Semantics) => {
                        model.effects[*row].semantics.name() == point.name
                    }
                    _ => false,
                }
        })
    }
}

type Letter = Vec<(usize, PointKind, usize)>;

/// What is true for as long as a run is there.
fn standing(at: &At) -> Letter {
    let states = at.state.states.iter().enumerate();
    let states = states.map(|(one, state)| (one, PointKind::State, usize::from(state.0)));
    let asked = at.pending.iter().enumerate();
    let asked = asked.filter_map(|(one, effect)| Some((one, PointKind::Effect, (*effect)?)));
    states.chain(asked).collect()
}

fn tagged(component: usize, index: usize) -> Tagged {
    Tagged {
        component,
        event: Values {
            index,
            values: Vec::new(),
        },
    }
}

fn after(mut next: At, moved: &[Moved], restarted: Vec<usize>, fed: bool) -> (At, Step) {
    for at in &restarted {
        next.pending[*at] = None;
    }
    let moves = moved.iter().map(|one| {
        let effect = one.effect.as_ref().map(|effect| effect.index);
        next.pending[one.component] = effect;
        next.fresh[one.component] = false;
        (one.component, one.event, usize::from(one.to.0), effect)
    });
    let moved = moves.collect();
    let step = Step {
        moved,
        restarted,
        fed,
    };
    (next, step)
}
