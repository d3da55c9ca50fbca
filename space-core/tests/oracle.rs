//! The checker against brute force: every run of bounded length of random small machines, judged by
//! the definitions of the patterns instead of by automata.
//!
//! `SPACE_ORACLE=n` looks at n machines instead of the usual number.

#![expect(
    clippy::disallowed_methods,
    reason = "the number of cases is the environment's to say"
)]
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "a test that stops is a test that fails")]

mod common;

use std::fmt::Write;

use common::{machine, pattern};
use space_core::contract::{Pattern, Point, PointKind, Points, Semantics};
use space_core::explore::{Counterexample, Judge, NamedStep, Verdict, verdict};
use space_core::graph::Model;

/// Runs are enumerated up to this length.
const LENGTH: usize = 6;
const MACHINES: u64 = 10_000;

#[test]
fn brute_force_agrees() {
    let machines = std::env::var("SPACE_ORACLE")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(MACHINES);
    let mut seen = Seen::default();
    for seed in 0..machines {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let text = random_machine(&mut dice);
        let model = machine(&text);
        let runs = Runs::of(&model);
        for _ in 0..4 {
            let what = random_pattern(&mut dice);
            let pattern = pattern(&what);
            let found = verdict(&model, &pattern);
            let shortest = runs.shortest(&pattern);
            let complaint = || format!("seed {seed}\n{text}\n{what}\nchecker: {found:?}");
            match &found {
                Verdict::Violated(run) => {
                    assert!(run.shortest, "{}", complaint());
                    assert!(runs.is_run(&run.run), "{}", complaint());
                    assert!(runs.breaks(&run.run, &pattern), "{}", complaint());
                    let expected = (run.run.len() <= LENGTH).then_some(run.run.len());
                    assert_eq!(shortest, expected, "{}", complaint());
                    seen.violated += 1;
                    seen.beyond += u64::from(expected.is_none());
                    seen.long += u64::from(run.run.len() > 2);
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
    }
    // The machines are worth looking at: all verdicts are common, and few counterexamples are out of sight.
    let cases = machines * 4;
    assert!(seen.violated > cases / 5, "{seen:?}");
    assert!(seen.holds > cases / 5, "{seen:?}");
    assert!(seen.vacuous > cases / 50, "{seen:?}");
    assert!(seen.long > cases / 25, "{seen:?}");
    assert!(seen.beyond < cases / 200, "{seen:?}");
}

/// A run that is written down by name is the same run when it is read again, and breaks what it breaks
/// by the words of the definition.
#[test]
fn recorded_runs_are_judged_alike() {
    let (mut broken, mut kept) = (0, 0);
    for seed in 0..400u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let model = machine(&random_machine(&mut dice));
        let runs = Runs::of(&model);
        let judge = Judge::new(&model, &[]);
        let pattern = pattern(&random_pattern(&mut dice));
        for run in runs.runs.iter().take(200) {
            let steps = run.iter().map(|rule| {
                let rule = &model.rules[*rule];
                NamedStep {
                    event: model.events[rule.on].name.clone(),
                    state: model.states[rule.to].name.clone(),
                    effect: rule.effect.map(|effect| model.effects[effect].name.clone()),
                }
            });
            let mut steps: Vec<_> = steps.collect();
            assert_eq!(judge.replay(&steps).as_ref(), Some(run));
            let found = Counterexample {
                run: run.clone(),
                shortest: false,
                repeats: None,
            };
            let breaks = judge.breaks(&pattern, &found);
            assert_eq!(breaks, runs.breaks(run, &pattern), "seed {seed}: {run:?}");
            broken += u32::from(breaks);
            kept += u32::from(!breaks);
            if let Some(last) = steps.last_mut() {
                last.effect = Some("None of them".to_owned());
                assert_eq!(judge.replay(&steps), None);
            }
        }
    }
    assert!(broken > 1000 && kept > 1000, "{broken} {kept}");
}

#[derive(Debug, Default)]
struct Seen {
    violated: u64,
    holds: u64,
    vacuous: u64,
    long: u64,
    beyond: u64,
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

const STATES: [&str; 6] = ["A", "B", "C", "D", "E", "T"];
const EVENTS: [&str; 4] = ["a", "b", "c", "x"];
const EFFECTS: [&str; 4] = ["F", "G", "H", "Z"];

/// Up to five states with rules, two or so each, and a terminal one; every pattern finds its points declared.
fn random_machine(dice: &mut Dice) -> String {
    let mut text = String::new();
    // A line that can be followed, in most machines: each effect answers with the next event.
    let line = ["a", "b", "c", "x"].map(|event| if dice.roll(5) == 0 { "x" } else { event });
    let effects = [("F", "query"), ("G", "command"), ("H", "commit")];
    for ((effect, semantics), event) in effects.into_iter().zip(&line[1..]) {
        let answers = match dice.roll(8) {
            0 => String::new(),
            1 => format!("= {}", dice.one(&EVENTS)),
            2 | 3 => format!("= {event} {}", dice.one(&EVENTS)),
            _ => format!("= {event}"),
        };
        writeln!(text, "effect {effect} {semantics} {answers}").unwrap();
    }
    text += "effect Z stop =\n";
    for event in EVENTS {
        if dice.roll(6) == 0 {
            writeln!(text, "external {event}").unwrap();
        }
    }
    let busy = 1 + dice.roll(5);
    let mut taken = Vec::new();
    for at in 0..dice.roll(5) {
        let (from, to) = (STATES[at], STATES[at + 1]);
        taken.push((from, line[at]));
        let effect = EFFECTS[at];
        writeln!(text, "{from} {} {to} / {effect}", line[at]).unwrap();
    }
    for _ in 0..=2 * busy {
        let from = STATES[dice.roll(busy)];
        let on = dice.one(&EVENTS);
        if taken.contains(&(from, on)) {
            continue;
        }
        taken.push((from, on));
        let to = dice.one(&STATES);
        let guard = if dice.roll(6) == 0 { "? g" } else { "" };
        let effect = match dice.roll(4) {
            0 => "",
            1 => "/ F",
            _ => match dice.roll(6) {
                0 => "/ Z",
                1 | 2 => "/ H",
                _ => "/ G",
            },
        };
        writeln!(text, "{from} {on} {to} {guard} {effect}").unwrap();
    }
    // Far-off rules that declare every name and can never be used.
    for state in STATES {
        writeln!(text, "Z1 to{state} {state}").unwrap();
    }
    for event in EVENTS {
        writeln!(text, "Z2 {event} Z2").unwrap();
    }
    text
}

fn random_points(dice: &mut Dice) -> String {
    let mut points = String::new();
    for _ in 0..=usize::from(dice.roll(3) == 0) {
        let point = match dice.roll(8) {
            0..=2 => format!(" state:{}", dice.one(&STATES)),
            3..=5 => format!(" event:{}", dice.one(&EVENTS)),
            6 => format!(" effect:{}", dice.one(&EFFECTS)),
            _ => format!(
                " semantics:{}",
                dice.one(&["query", "command", "commit", "stop"])
            ),
        };
        points += &point;
    }
    points
}

fn random_pattern(dice: &mut Dice) -> String {
    let some = |dice: &mut Dice, key: &str| match dice.roll(2) {
        0 => String::new(),
        _ => format!(" {key}{}", random_points(dice)),
    };
    let one = random_points(dice);
    let two = random_points(dice);
    match dice.roll(6) {
        0 => format!(
            "absence of{one}{}{}",
            some(dice, "after"),
            some(dice, "until")
        ),
        1 => format!("existence of{one}"),
        2 => format!("precedence first{one} then{two}{}", some(dice, "reset")),
        3 => format!("response after{one} must{two}"),
        4 => format!("bounded of{one} at_most {}", dice.roll(4)),
        _ => format!("reachable point{one}"),
    }
}

/// What a step shows: the rows of event, state and effect; the initial state shows a state only.
type Moment = (Option<usize>, usize, Option<usize>);

/// All runs of a machine up to [`LENGTH`] steps, shortest first.
struct Runs<'m> {
    model: &'m Model,
    runs: Vec<Vec<usize>>,
}

impl<'m> Runs<'m> {
    fn of(model: &'m Model) -> Self {
        let mut runs = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..LENGTH {
            let until = runs.len();
            for at in from..until {
                for rule in next(model, &runs[at]) {
                    let mut longer: Vec<usize> = runs[at].clone();
                    longer.push(rule);
                    runs.push(longer);
                }
            }
            from = until;
        }
        Self { model, runs }
    }

    fn shortest(&self, pattern: &Pattern) -> Option<usize> {
        let broken = self.runs.iter().find(|run| self.breaks(run, pattern));
        broken.map(Vec::len)
    }

    fn is_run(&self, run: &[usize]) -> bool {
        let follows = |at| next(self.model, &run[..at]).contains(&run[at]);
        (0..run.len()).all(follows)
    }

    /// Whether a run breaks a pattern, by the words of its definition.
    fn breaks(&self, run: &[usize], pattern: &Pattern) -> bool {
        let model = self.model;
        let letters = letters(model, run);
        let all = 0..letters.len();
        let is =
            |at: usize, points: &Points| points.iter().any(|one| shows(model, letters[at], one));
        match pattern {
            Pattern::Absence { of, after, until } => all.clone().any(|at| {
                let opened = |open: usize| !(open + 1..=at).any(|one| is(one, until));
                let from_start = after.is_empty() && !(0..=at).any(|one| is(one, until));
                let opened_before = (0..at).any(|one| is(one, after) && opened(one));
                is(at, of) && (from_start || opened_before)
            }),
            Pattern::Existence { of } => complete(model, run) && !all.clone().any(|at| is(at, of)),
            Pattern::Precedence { first, then, reset } => all.clone().any(|at| {
                let stands = |one: usize| !(one + 1..at).any(|between| is(between, reset));
                is(at, then) && !(0..=at).any(|one| is(one, first) && stands(one))
            }),
            Pattern::Response { after, must } => {
                let owed =
                    |at: usize| is(at, after) && !(at..letters.len()).any(|one| is(one, must));
                complete(model, run) && all.clone().any(owed)
            }
            Pattern::BoundedExistence { of, at_most } => {
                all.clone().filter(|at| is(*at, of)).count() > at_most.value as usize
            }
            Pattern::Reachable { point } => {
                let end = *moments(model, run).last().unwrap();
                let over = complete(model, run) || model.states[end.1].terminal;
                !over && !can_show(model, run, point)
            }
            Pattern::Exclusion { .. } => unreachable!(),
        }
    }
}

fn moments(model: &Model, run: &[usize]) -> Vec<Moment> {
    let mut moments = vec![(None, model.initial, None)];
    for rule in run {
        let rule = &model.rules[*rule];
        moments.push((Some(rule.on), rule.to, rule.effect));
    }
    moments
}

/// The kind of a letter and its row, in the order of a step.
fn letters(model: &Model, run: &[usize]) -> Vec<(PointKind, usize)> {
    let mut letters = Vec::new();
    for (event, state, effect) in moments(model, run) {
        letters.extend(event.map(|row| (PointKind::Event, row)));
        letters.push((PointKind::State, state));
        letters.extend(effect.map(|row| (PointKind::Effect, row)));
    }
    letters
}

fn shows(model: &Model, (kind, row): (PointKind, usize), point: &Point) -> bool {
    match (kind, point.kind) {
        (PointKind::State, PointKind::State) => model.states[row].name == point.name,
        (PointKind::Event, PointKind::Event) => model.events[row].name == point.name,
        (PointKind::Effect, PointKind::Effect) => model.effects[row].name == point.name,
        (PointKind::Effect, PointKind::Semantics) => {
            model.effects[row].semantics.name() == point.name
        }
        _ => false,
    }
}

fn stopped(model: &Model, effect: Option<usize>) -> bool {
    effect.is_some_and(|effect| model.effects[effect].semantics == Semantics::Stop)
}

fn complete(model: &Model, run: &[usize]) -> bool {
    let (_, state, effect) = *moments(model, run).last().unwrap();
    stopped(model, effect) || model.states[state].terminal
}

/// The rules that may follow a run.
fn next(model: &Model, run: &[usize]) -> Vec<usize> {
    let (_, state, effect) = *moments(model, run).last().unwrap();
    if complete(model, run) {
        return Vec::new();
    }
    let may = |event: usize| {
        let answers = effect.is_some_and(|effect| match &model.effects[effect].returns {
            None => true,
            Some(returns) => returns.contains(&event),
        });
        run.is_empty() || answers || model.events[event].external
    };
    let rules = model.rules.iter().enumerate();
    rules
        .filter(|(_, rule)| rule.from == state && may(rule.on))
        .map(|(at, _)| at)
        .collect()
}

/// Whether a point holds at the end of a run or shows in some continuation. What may follow
/// depends on the last step only, so one run for each last step stands for all.
fn can_show(model: &Model, run: &[usize], point: &Points) -> bool {
    let any = |letter| point.iter().any(|one| shows(model, letter, one));
    let (_, state, effect) = *moments(model, run).last().unwrap();
    let mut shown = any((PointKind::State, state));
    shown |= effect.is_some_and(|effect| any((PointKind::Effect, effect)));
    let mut runs = vec![run.to_vec()];
    let mut at = 0;
    while !shown && at < runs.len() {
        for rule in next(model, &runs[at]) {
            let step = &model.rules[rule];
            shown |= any((PointKind::Event, step.on)) || any((PointKind::State, step.to));
            shown |= step
                .effect
                .is_some_and(|effect| any((PointKind::Effect, effect)));
            if !runs.iter().any(|one| one.last() == Some(&rule)) {
                let mut longer = runs[at].clone();
                longer.push(rule);
                runs.push(longer);
            }
        }
        at += 1;
    }
    shown
}
