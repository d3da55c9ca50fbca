//! The checker of compositions against brute force: every run of bounded length of random small
//! compositions, made by the machine that runs them, judged by the definitions of the patterns.
//!
//! `SPACE_ORACLE=n` looks at n compositions instead of the usual number.

#![expect(
    clippy::disallowed_methods,
    reason = "the number of cases is the environment's to say"
)]
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "a test that stops is a test that fails")]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use common::{machine, pattern};
use space_core::compose::{ComposedGuards, FeedStep, Product, ProductState, ProductStep, Tagged};
use space_core::contract::{Pattern, Point, PointKind, Points, Semantics, Span};
use space_core::explore::observer::positions;
use space_core::explore::{Joint, JointJudge, Judged, Verdict};
use space_core::graph::{BridgeRow, Component, Composed, LoopRow, PointRow, SyncRow};
use space_core::machine::{GuardTable, Values};

const COMPOSITIONS: u64 = 2_000;
/// Runs are enumerated level by level, while there are not more than these.
const RUNS: usize = 2_000;
const LENGTH: usize = 7;

#[test]
fn brute_force_agrees() {
    let compositions = std::env::var("SPACE_ORACLE")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(COMPOSITIONS);
    let mut seen = Seen::default();
    for seed in 0..compositions {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (composed, text) = random_composition(&mut dice);
        let composed = Arc::new(composed);
        let machine = Machine::new(Arc::clone(&composed));
        let runs = machine.runs();
        let mut judge = JointJudge::new(Arc::clone(&composed));
        for _ in 0..5 {
            let what = random_pattern(&mut dice, composed.components.len());
            let pattern = pattern(&what);
            let points: Vec<_> = positions(&pattern)
                .into_iter()
                .flat_map(|(points, role)| points.iter().map(move |point| (point, role)))
                .map(|(point, role)| {
                    let at = component(&composed, point);
                    let row = PointRow::of(&composed.components[at].model, point).unwrap();
                    (at, row, role)
                })
                .collect();
            let Judged::Known(verdict, joint) = judge.judge(&pattern, &points) else {
                panic!("seed {seed}: undecided\n{text}\n{what}");
            };
            let depth = runs.last().unwrap().steps.len();
            let broken = runs.iter().find(|run| machine.breaks(run, &pattern));
            let shortest = broken.map(|run| run.steps.len());
            let complaint = || {
                let run = match &verdict {
                    Verdict::Violated(found) => joint.words(&found.run),
                    _ => Vec::new(),
                };
                format!("seed {seed}, to depth {depth}\n{text}\n{what}\nchecker: {verdict:?} {run:?}\noracle: {:?}", broken.map(|run| &run.steps))
            };
            match &verdict {
                Verdict::Violated(found) => {
                    assert!(found.shortest, "{}", complaint());
                    let expected = (found.run.len() <= depth).then_some(found.run.len());
                    assert_eq!(shortest, expected, "{}", complaint());
                    let replayed = machine.replay(&joint, &found.run);
                    let replayed = replayed.unwrap_or_else(|| panic!("no run: {}", complaint()));
                    assert!(machine.breaks(&replayed, &pattern), "{}", complaint());
                    seen.violated += 1;
                    seen.beyond += u64::from(expected.is_none());
                    seen.long += u64::from(found.run.len() > 2);
                    seen.parts += u64::from(joint.composed().components.len() < composed.components.len());
                }
                Verdict::Holds => {
                    assert_eq!(shortest, None, "{}", complaint());
                    seen.holds += 1;
                }
                Verdict::Vacuous(_) => {
                    assert_eq!(shortest, None, "{}", complaint());
                    seen.vacuous += 1;
                }
                _ => panic!("{}", complaint()),
            }
        }
        seen.fed += u64::from(runs.iter().any(|run| run.steps.iter().any(|step| step.fed)));
        seen.met += u64::from(runs.iter().any(|run| run.steps.iter().any(|step| step.moved.len() > 1)));
        seen.restarted += u64::from(runs.iter().any(|run| run.steps.iter().any(|step| !step.restarted.is_empty())));
        seen.complete += u64::from(runs.iter().any(|run| machine.is_complete(&run.at)));
        seen.exhausted += u64::from(runs.iter().any(|run| machine.is_exhausted(&run.at)));
    }
    // The compositions are worth looking at: all that can happen does, and often.
    let cases = compositions * 5;
    assert!(seen.violated > cases / 4, "{seen:?}");
    assert!(seen.holds > cases / 10, "{seen:?}");
    assert!(seen.vacuous > cases / 50, "{seen:?}");
    assert!(seen.long > cases / 25, "{seen:?}");
    assert!(seen.beyond < cases / 20, "{seen:?}");
    assert!(seen.parts > cases / 50, "{seen:?}");
    assert!(seen.fed > compositions / 10, "{seen:?}");
    assert!(seen.met > compositions / 20, "{seen:?}");
    assert!(seen.restarted > compositions / 50, "{seen:?}");
    assert!(seen.complete > compositions / 10, "{seen:?}");
    assert!(seen.exhausted > compositions / 100, "{seen:?}");
}

#[derive(Debug, Default)]
struct Seen {
    violated: u64,
    holds: u64,
    vacuous: u64,
    long: u64,
    beyond: u64,
    parts: u64,
    fed: u64,
    met: u64,
    restarted: u64,
    complete: u64,
    exhausted: u64,
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }
}

const STATES: [&str; 4] = ["A", "B", "C", "T"];
const EVENTS: [&str; 4] = ["a", "b", "c", "m"];
const EFFECTS: [&str; 4] = ["F", "G", "H", "Z"];
const NAMES: [&str; 3] = ["p", "q", "r"];

/// A line that can be followed, in most machines, from `A` over `B` and `C` to `T`, each effect
/// answering with the next event, and a few rules more.
fn random_machine(dice: &mut Dice) -> String {
    let line = ["a", "b", "c"].map(|event| if dice.roll(5) == 0 { "m" } else { event });
    let kinds = ["query", "query", "command", "commit"];
    let mut text = String::new();
    for (effect, event) in EFFECTS.into_iter().zip(&line[1..]) {
        let other = match dice.roll(4) {
            0 => dice.one(&EVENTS),
            _ => "",
        };
        let semantics = dice.one(&kinds);
        writeln!(text, "effect {effect} {semantics} = {event} {other}").unwrap();
    }
    writeln!(text, "effect H command = {}\neffect Z stop =", dice.one(&EVENTS)).unwrap();
    if dice.roll(4) == 0 {
        writeln!(text, "external {}", dice.one(&EVENTS)).unwrap();
    }
    let mut taken = Vec::new();
    for (at, event) in line.iter().enumerate().take(1 + dice.roll(3)) {
        let (from, to) = (STATES[at], STATES[at + 1]);
        let effect = match (to, dice.roll(2)) {
            ("T", 0) => "/ Z",
            ("T", _) => "",
            _ => ["/ F", "/ G"][at],
        };
        let guard = if dice.roll(8) == 0 { "? g" } else { "" };
        taken.push((from, *event));
        writeln!(text, "{from} {event} {to} {guard} {effect}").unwrap();
    }
    for _ in 0..dice.roll(4) {
        let from = STATES[dice.roll(3)];
        let on = dice.one(&EVENTS);
        if taken.contains(&(from, on)) {
            continue;
        }
        taken.push((from, on));
        let to = dice.one(&STATES);
        let guard = if dice.roll(6) == 0 { "? g" } else { "" };
        let effect = match (to, dice.roll(4)) {
            ("T", 0) => "/ Z",
            ("T", _) | (_, 0) => "",
            _ => ["/ F", "/ G", "/ H"][dice.roll(3)],
        };
        writeln!(text, "{from} {on} {to} {guard} {effect}").unwrap();
    }
    // Rules that declare every name and can never be used.
    let mut all = text;
    for state in STATES {
        writeln!(all, "Z1 to{state} {state}").unwrap();
    }
    for event in EVENTS {
        writeln!(all, "Z2 {event} Z2").unwrap();
    }
    all
}

/// Two or three machines, with syncs, bridges, loops, and one after the other or not.
fn random_composition(dice: &mut Dice) -> (Composed, String) {
    let count = 2 + usize::from(dice.roll(4) == 0);
    let texts: Vec<_> = (0..count).map(|_| random_machine(dice)).collect();
    let components: Vec<_> = texts
        .iter()
        .zip(NAMES)
        .map(|(text, name)| {
            let mut model = machine(text);
            model.initial = model.state("A").unwrap();
            Component {
                name: name.to_owned(),
                model: Arc::new(model),
            }
        })
        .collect();
    let event = |at: usize, name: &str| components[at].model.event(name).unwrap();
    let mut after = vec![Vec::new(); count];
    let mut bridges = Vec::new();
    let row = |dice: &mut Dice, from: usize, to: usize| {
        let model = &components[from].model;
        let point = match dice.roll(4) {
            0 => PointRow::Event(event(from, dice.one(&EVENTS))),
            1 => PointRow::Semantics(Semantics::Command),
            _ => PointRow::State(model.state(dice.one(&STATES)).unwrap()),
        };
        BridgeRow {
            from,
            points: vec![point],
            to,
            event: event(to, dice.one(&EVENTS[..3])),
            payload: Vec::new(),
            feedback: None,
            restarts: Vec::new(),
            span: Span::default(),
        }
    };
    let series = dice.roll(2) == 0;
    if series {
        after[1] = vec![0];
        let mut one = row(dice, 0, 1);
        one.event = components[1].model.rules_of(components[1].model.initial)[0].on;
        bridges.push(one);
    }
    if dice.roll(3) == 0 {
        let from = dice.roll(count);
        bridges.push(row(dice, from, (from + 1) % count));
    }
    let mut loops = Vec::new();
    if dice.roll(3) == 0 {
        let (from, to) = match series && dice.roll(2) == 0 {
            true => (1, 0),
            false => (dice.roll(count), dice.roll(count)),
        };
        let state = components[from].model.state(dice.one(&STATES)).unwrap();
        let mut one = row(dice, from, to);
        one.points = vec![PointRow::State(state)];
        one.feedback = Some(0);
        one.restarts = (0..count).filter(|at| after[*at].contains(&to)).collect();
        bridges.push(one);
        loops.push(LoopRow {
            name: "again".to_owned(),
            max_rounds: u32::try_from(1 + dice.roll(3)).unwrap(),
            timeout_ms: 0,
        });
    }
    let mut syncs = Vec::new();
    if dice.roll(2) == 0 {
        let all = count == 2 || dice.roll(2) == 0;
        let parts = (0..if all { count } else { 2 }).map(|at| (at, event(at, "m")));
        syncs.push(SyncRow {
            name: "m".to_owned(),
            parts: parts.collect(),
            span: Span::default(),
        });
    }
    let composed = Composed {
        name: "all".to_owned(),
        doc: None,
        components,
        syncs,
        bridges,
        loops,
        holds: Vec::new(),
        after,
    };
    let text = format!("{}\n{:?} {:?} {:?} {:?}", texts.join("\n--\n"), composed.syncs, composed.bridges, composed.loops, composed.after);
    (composed, text)
}

fn random_points(dice: &mut Dice, count: usize, most: usize) -> String {
    let mut points = String::new();
    for _ in 0..=dice.roll(most) {
        let name = NAMES[dice.roll(count)];
        let point = match dice.roll(8) {
            0..=3 => format!(" {name}.state:{}", dice.one(&STATES)),
            4 | 5 => format!(" {name}.event:{}", dice.one(&EVENTS)),
            6 => format!(" {name}.effect:{}", dice.one(&EFFECTS)),
            _ => format!(" {name}.semantics:{}", dice.one(&["query", "command", "commit", "stop"])),
        };
        points += &point;
    }
    points
}

fn random_pattern(dice: &mut Dice, count: usize) -> String {
    let some = |dice: &mut Dice, key: &str| match dice.roll(2) {
        0 => String::new(),
        _ => format!(" {key}{}", random_points(dice, count, 2)),
    };
    let one = random_points(dice, count, 2);
    let two = random_points(dice, count, 2);
    match dice.roll(7) {
        0 => format!("absence of{one}{}{}", some(dice, "after"), some(dice, "until")),
        1 => format!("existence of{one}"),
        2 => format!("precedence first{one} then{two}{}", some(dice, "reset")),
        3 => format!("response after{one} must{two}"),
        4 => format!("bounded of{one} at_most {}", dice.roll(3)),
        5 => format!("exclusion points{one}{two}"),
        _ => format!("reachable point{one}"),
    }
}

fn component(composed: &Composed, point: &Point) -> usize {
    composed.component(point.space.as_deref().unwrap()).unwrap()
}

/// What a composition is in, and what it waits for.
#[derive(Clone, Debug, PartialEq)]
struct At {
    state: ProductState,
    pending: Vec<Option<usize>>,
    fresh: Vec<bool>,
}

/// Component and the rows of event, state entered, and effect.
type Move = (usize, usize, usize, Option<usize>);

#[derive(Clone, Debug, PartialEq)]
struct Step {
    moved: Vec<Move>,
    restarted: Vec<usize>,
    fed: bool,
}

#[derive(Clone, Debug)]
struct Run {
    at: At,
    steps: Vec<Step>,
}

/// A composition as the machine that runs it, with guards that say yes and guards that say no.
struct Machine {
    composed: Arc<Composed>,
    product: Product,
    guards: [ComposedGuards; 2],
}

impl Machine {
    fn new(composed: Arc<Composed>) -> Self {
        let guards = [true, false].map(|answer| {
            composed.components.iter().fold(ComposedGuards::new(), |all, one| {
                all.with(&one.name, GuardTable::default().with("g", move |_, _| answer))
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
    fn runs(&self) -> Vec<Run> {
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

    fn is_complete(&self, at: &At) -> bool {
        self.product.is_complete(&at.state, |component| {
            matches!(self.semantics(at, component), None | Some(Semantics::Stop))
        })
    }

    fn due(&self, at: &At) -> Option<usize> {
        self.product.due(&at.state, |component| self.is_busy(at, component))
    }

    fn is_exhausted(&self, at: &At) -> bool {
        self.due(at)
            .is_some_and(|bridge| self.product.exhausted(&at.state, bridge, Duration::ZERO).is_some())
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

    fn step(&self, at: &At, component: usize, event: usize, guards: &ComposedGuards) -> Option<(At, Step)> {
        let mut next = at.clone();
        let tagged = tagged(component, event);
        match self.product.step(&mut next.state, tagged, guards) {
            ProductStep::Handled(moved) => Some(after(next, &moved, Vec::new(), false)),
            ProductStep::Ignored { .. } | ProductStep::Rejected { .. } => None,
        }
    }

    fn feed(&self, at: &At, bridge: usize, guards: &ComposedGuards) -> Option<(At, Step)> {
        let mut next = at.clone();
        match self.product.feed(&mut next.state, bridge, Duration::ZERO, guards) {
            FeedStep::Exhausted(_) => None,
            FeedStep::Stepped { restarted, step, .. } => {
                let moved = match step {
                    ProductStep::Handled(moved) => moved,
                    ProductStep::Ignored { .. } | ProductStep::Rejected { .. } => Vec::new(),
                };
                Some(after(next, &moved, restarted, true))
            }
        }
    }

    /// The run of a counterexample, if it is one.
    fn replay(&self, joint: &Joint, run: &[usize]) -> Option<Run> {
        let mut at = self.start();
        let mut steps = Vec::new();
        for step in run {
            let step = joint.step_of(*step);
            let whole = |at: usize| self.composed.component(&joint.composed().components[at].name);
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
    fn breaks(&self, run: &Run, pattern: &Pattern) -> bool {
        let letters = self.letters(&run.steps);
        let all = 0..letters.len();
        let is = |at: usize, points: &Points| points.iter().any(|one| self.shows(&letters[at], one));
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
                let mut now = self.standing(&run.at);
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

    fn standing(&self, at: &At) -> Letter {
        let states = at.state.states.iter().enumerate();
        let states = states.map(|(one, state)| (one, PointKind::State, usize::from(state.0)));
        let asked = at.pending.iter().enumerate();
        let asked = asked.filter_map(|(one, effect)| Some((one, PointKind::Effect, (*effect)?)));
        states.chain(asked).collect()
    }

    fn can_show(&self, at: &At, points: &Points) -> bool {
        let any = |letter: &Letter| points.iter().any(|one| self.shows(letter, one));
        if any(&self.standing(at)) {
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
        let first = self.standing(&self.start());
        let steps = steps.iter().flat_map(|step| self.step_letters(step));
        std::iter::once(first).chain(steps).collect()
    }

    /// What happens at once: the events, the states, the effects.
    fn step_letters(&self, step: &Step) -> [Letter; 3] {
        let moved = || step.moved.iter();
        let initial = |at: &usize| (*at, PointKind::State, self.composed.components[*at].model.initial);
        [
            moved().map(|(at, event, ..)| (*at, PointKind::Event, *event)).collect(),
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
                    (PointKind::Effect, PointKind::Effect) => model.effects[*row].name == point.name,
                    (PointKind::Effect, PointKind::Semantics) => {
                        model.effects[*row].semantics.name() == point.name
                    }
                    _ => false,
                }
        })
    }
}

type Letter = Vec<(usize, PointKind, usize)>;

fn tagged(component: usize, index: usize) -> Tagged {
    Tagged {
        component,
        event: Values {
            index,
            values: Vec::new(),
        },
    }
}

fn after(mut next: At, moved: &[space_core::compose::Moved], restarted: Vec<usize>, fed: bool) -> (At, Step) {
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
