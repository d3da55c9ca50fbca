//! A run as a table: step, event, state, effect, and the place of the rule.

use std::fmt::Write as _;

use super::place::Place;
use crate::contract::{Json, Sources};
use crate::diagnostic::{Trace, TraceLine};

/// Longer runs are shown without their middle.
const LINES: usize = 40;

/// A run for people: the heading, and one line a step with event, state, effect and the place of the
/// rule, as in the findings of [`super::human()`]. Of a long run the middle is left out.
pub fn human(trace: &Trace, sources: &Sources) -> String {
    let lines = lines(trace, sources);
    let mut text = lines[0].clone();
    for line in &lines[1..] {
        let _ = write!(text, "\n  {line}");
    }
    text.push('\n');
    text
}

/// The heading and the lines of a run, columns aligned.
pub(super) fn lines(trace: &Trace, sources: &Sources) -> Vec<String> {
    let numbers = numbers(trace);
    let steps = numbers.last().copied().unwrap_or(0);
    let kind = if trace.shortest {
        "shortest run"
    } else {
        "run"
    };
    let plural = if steps == 1 { "" } else { "s" };
    let mut text = vec![match trace.repeats {
        Some(line) => {
            let from = numbers.get(line).copied().unwrap_or(line);
            format!("{kind}, {steps} step{plural}, of which those from {from} on repeat:")
        }
        None => format!("{kind}, {steps} step{plural}:"),
    }];
    let rows: Vec<[String; 4]> = trace.lines.iter().map(row).collect();
    let width = |column: usize| {
        let lengths = rows.iter().map(|row| row[column].chars().count());
        lengths.max().unwrap_or(0)
    };
    let widths = [0, 1, 2, 3].map(width);
    let number = steps.to_string().len();
    let shown = |at: usize| rows.len() <= LINES || at < LINES / 2 || at + LINES / 2 >= rows.len();
    for (at, (line, row)) in trace.lines.iter().zip(&rows).enumerate() {
        if !shown(at) {
            if at == LINES / 2 {
                text.push(format!("... and {} more", rows.len() - LINES));
            }
            continue;
        }
        let step = if line.joined {
            String::new()
        } else {
            numbers[at].to_string()
        };
        let mut cells = format!("{step:>number$}");
        for (cell, width) in row.iter().zip(widths).filter(|(_, width)| *width > 0) {
            let _ = write!(cells, "  {cell:<width$}");
        }
        if let Some(span) = line.span {
            let place = Place::of(span, sources);
            let _ = write!(cells, "  {}:{}", place.path, place.line);
        }
        text.push(cells.trim_end().to_owned());
    }
    text
}

/// The number of the step that each line belongs to; that of the start is 0.
pub(super) fn numbers(trace: &Trace) -> Vec<usize> {
    let mut steps = 0;
    let lines = trace.lines.iter().enumerate();
    let numbers = lines.map(|(at, line)| {
        steps += usize::from(at > 0 && !line.joined);
        steps
    });
    numbers.collect()
}

fn row(line: &TraceLine) -> [String; 4] {
    let effect = line.effect.as_ref();
    [
        line.component.clone().unwrap_or_default(),
        line.event.clone().unwrap_or_default(),
        line.state.clone(),
        effect
            .map(|effect| format!("/ {effect}"))
            .unwrap_or_default(),
    ]
}

/// `shortest`, `repeats` (a line, or null), and `lines`: objects of `step`, `component`, `event`,
/// `state`, `effect` and the five place members, null where there is none.
pub fn json(trace: &Trace, sources: &Sources) -> Json {
    let optional = |text: &Option<String>| match text {
        Some(text) => Json::Text(text.clone()),
        None => Json::Null,
    };
    let line = |(line, step): (&TraceLine, usize)| {
        let place = Place::of(line.span.unwrap_or_default(), sources).members();
        let place = place.into_iter().map(|(name, value)| match line.span {
            Some(_) => (name, value),
            None => (name, Json::Null),
        });
        let mut members = vec![
            ("step", Json::Int(i64::try_from(step).unwrap_or(i64::MAX))),
            ("component", optional(&line.component)),
            ("event", optional(&line.event)),
            ("state", Json::Text(line.state.clone())),
            ("effect", optional(&line.effect)),
        ];
        members.extend(place);
        Json::object(members)
    };
    let repeats = trace.repeats.and_then(|line| i64::try_from(line).ok());
    Json::object([
        ("shortest", Json::Bool(trace.shortest)),
        ("repeats", repeats.map_or(Json::Null, Json::Int)),
        (
            "lines",
            Json::List(trace.lines.iter().zip(numbers(trace)).map(line).collect()),
        ),
    ])
}
