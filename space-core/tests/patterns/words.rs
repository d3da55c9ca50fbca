//! What the words of a pattern alone decide, against all short words over its letters.

use space_core::contract::{Pattern, Points};
use space_core::explore::observer::{Labels, Observer, Roles, positions};
use space_core::explore::{Verdict, idle, verdict};
use space_core::graph::{Model, PointRow};

use super::common::{machine, pattern};

const MACHINE: &str = "
effect F query = b
effect G command = c
effect H query = a
A a B / F
B b C / G
C c A / H
A b A
";

const POINTS: [&str; 12] = [
    "state:A",
    "state:B",
    "state:C",
    "event:a",
    "event:b",
    "event:c",
    "effect:F",
    "effect:G",
    "effect:H",
    "semantics:query",
    "semantics:command",
    "state:A",
];

/// Letters by number, the initial state first; with room for one that the pattern does not name.
fn letters(model: &Model, pattern: &Pattern) -> Vec<Roles> {
    let labels = Labels::resolve(model, pattern).unwrap();
    let first = labels.states[model.initial];
    std::iter::once(first).chain(labels.all()).collect()
}

/// Whether each word of up to four letters breaks a promise, at its last letter or its end.
fn judged(pattern: &Pattern, letters: &[Roles]) -> Vec<bool> {
    let observer = Observer::of(pattern).unwrap();
    let mut broken = Vec::new();
    let mut open: Vec<Option<u32>> = vec![observer.read(observer.start(), letters[0])];
    for _ in 0..3 {
        broken.extend(open.iter().map(|state| match state {
            None => true,
            Some(state) => observer.broken_at_end(*state),
        }));
        let next = |state: &Option<u32>| {
            let state = *state;
            let read = move |letter: &Roles| state.and_then(|state| observer.read(state, *letter));
            letters.iter().map(read).collect::<Vec<_>>()
        };
        open = open.iter().flat_map(next).collect();
    }
    broken.extend(open.iter().map(|state| match state {
        None => true,
        Some(state) => observer.broken_at_end(*state),
    }));
    broken
}

#[test]
fn words_decide_what_they_decide() {
    let model = machine(MACHINE);
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
    let mut roll = |sides: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        usize::try_from(dice >> 33).unwrap() % sides
    };
    let (mut certain, mut breakable, mut idles) = (0, 0, 0);
    for _ in 0..1_500 {
        let mut points = |most: usize, least: usize| {
            let count = least + roll(most + 1 - least);
            let points = (0..count).map(|_| format!(" {}", POINTS[roll(POINTS.len())]));
            points.collect::<String>()
        };
        let (one, two, maybe, more) = (points(2, 1), points(3, 1), points(2, 0), points(2, 0));
        let key = |key: &str, points: &str| match points {
            "" => String::new(),
            points => format!(" {key}{points}"),
        };
        let texts = [
            format!(
                "absence of{one}{}{}",
                key("after", &maybe),
                key("until", &more)
            ),
            format!("existence of{one}"),
            format!("precedence first{two} then{one}{}", key("reset", &maybe)),
            format!("response after{one} must{two}"),
        ];
        for text in texts {
            let pattern = pattern(&text);
            let all = letters(&model, &pattern);
            let words = judged(&pattern, &[all.as_slice(), &[0]].concat());
            let verdict = verdict(&model, &pattern);
            let is_certain = matches!(verdict, Verdict::Vacuous(why) if why.is_certain());
            assert_eq!(is_certain, !words.contains(&true), "{text}: {verdict:?}");
            certain += usize::from(is_certain);
            breakable += usize::from(!is_certain);
            if is_certain {
                continue;
            }
            for (position, point) in idle_points(&model, &pattern) {
                let mut less = pattern.clone();
                position_of(&mut less, position).remove(point);
                let fewer = letters(&model, &less);
                let same = judged(&less, &[fewer.as_slice(), &[0]].concat());
                assert_eq!(same, words, "{text}: {position} {point}");
                idles += 1;
            }
        }
    }
    assert!(
        certain > 300 && breakable > 2_000 && idles > 500,
        "{certain} {breakable} {idles}"
    );
}

/// The idle points of a pattern: the number of the position, and of the point in it.
fn idle_points(model: &Model, pattern: &Pattern) -> Vec<(usize, usize)> {
    let labels = Labels::resolve(model, pattern).unwrap();
    let all = positions(pattern);
    let rows: Vec<_> = all
        .iter()
        .flat_map(|(points, _)| points.iter())
        .map(|point| PointRow::of(model, point).unwrap())
        .collect();
    let found = idle(pattern, |at| labels.letters(model, rows[at]));
    let place = |one: &space_core::explore::Idle<'_>| {
        let mut places = all.iter().enumerate().flat_map(|(at, (points, _))| {
            let points = points.iter().enumerate();
            points.map(move |(nth, point)| (at, nth, point))
        });
        let (at, nth, _) = places
            .find(|(.., point)| std::ptr::eq(*point, one.point))
            .unwrap();
        (at, nth)
    };
    found.iter().map(place).collect()
}

fn position_of(pattern: &mut Pattern, at: usize) -> &mut Points {
    match (pattern, at) {
        (Pattern::Absence { of, .. } | Pattern::Existence { of }, 0) => of,
        (Pattern::Absence { after, .. }, 1) | (Pattern::Response { after, .. }, 0) => after,
        (Pattern::Absence { until, .. }, _) => until,
        (Pattern::Precedence { first, .. }, 0) => first,
        (Pattern::Precedence { then, .. }, 1) => then,
        (Pattern::Precedence { reset, .. }, _) => reset,
        (Pattern::Response { must, .. }, _) => must,
        (pattern, _) => panic!("{pattern:?}"),
    }
}
