//! Small compositions and patterns at random.

use std::fmt::Write as _;
use std::sync::Arc;

use space_core::contract::{Semantics, Span};
use space_core::graph::{BridgeRow, Component, Composed, LoopRow, PointRow, SyncRow};

use crate::common::machine;

pub(crate) struct Dice(pub(crate) u64);

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
    writeln!(
        text,
        "effect H command = {}\neffect Z stop =",
        dice.one(&EVENTS)
    )
    .unwrap();
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
pub(crate) fn random_composition(dice: &mut Dice) -> (Composed, String) {
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
        let (from, to) = if series && dice.roll(2) == 0 {
            (1, 0)
        } else {
            (dice.roll(count), dice.roll(count))
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
    let text = format!(
        "{}\n{:?} {:?} {:?} {:?}",
        texts.join("\n--\n"),
        composed.syncs,
        composed.bridges,
        composed.loops,
        composed.after
    );
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
            _ => format!(
                " {name}.semantics:{}",
                dice.one(&["query", "command", "commit", "stop"])
            ),
        };
        points += &point;
    }
    points
}

pub(crate) fn random_pattern(dice: &mut Dice, count: usize) -> String {
    let some = |dice: &mut Dice, key: &str| match dice.roll(2) {
        0 => String::new(),
        _ => format!(" {key}{}", random_points(dice, count, 2)),
    };
    let one = random_points(dice, count, 2);
    let two = random_points(dice, count, 2);
    match dice.roll(7) {
        0 => format!(
            "absence of{one}{}{}",
            some(dice, "after"),
            some(dice, "until")
        ),
        1 => format!("existence of{one}"),
        2 => format!("precedence first{one} then{two}{}", some(dice, "reset")),
        3 => format!("response after{one} must{two}"),
        4 => format!("bounded of{one} at_most {}", dice.roll(3)),
        5 => format!("exclusion points{one}{two}"),
        _ => format!("reachable point{one}"),
    }
}
