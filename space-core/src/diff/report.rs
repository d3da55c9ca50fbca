//! Changes as text: for people and for programs.

use std::fmt::Write as _;

use super::{Class, Classes, Finding, Outcome, Run, RunStep};
use crate::contract::{Json, Sources, Span};
use crate::diagnostic::render::{Colour, Place, Said, block, clean};

/// The changes in the look of diagnostics, each with its shortest run that no longer replays, and an
/// empty line after each.
pub fn human(findings: &[Finding], sources: &Sources, colour: Colour) -> String {
    let mut out = String::new();
    for one in findings {
        let classes = one.classes();
        let said = Said {
            word: format!("{classes}[{}]", one.rule),
            tint: tint(classes),
            message: &one.message,
            span: one.span,
            label: &one.label,
            related: &one.related,
            trace: None,
            help: one.help.as_deref(),
            edit: None,
        };
        block(&said, sources, colour, &mut out);
        if let Some(run) = &one.run {
            out.push_str(&text(run, sources));
        }
        out.push('\n');
    }
    out
}

const fn tint(classes: Classes) -> &'static str {
    if classes.has(Class::State) || classes.has(Class::Trace) {
        "1;31"
    } else if classes.is_none() {
        "1;32"
    } else {
        "1;33"
    }
}

/// A run: a line a step, and both outcomes of the last.
fn text(run: &Run, sources: &Sources) -> String {
    let mut out = String::new();
    let (old, new) = &run.start;
    let start = if old == new {
        format!("`{old}`")
    } else {
        format!("`{old}`, now `{new}`")
    };
    let _ = writeln!(out, "  a run that no longer replays starts in {start}:");
    for (at, step) in run.steps.iter().enumerate() {
        let guard = step
            .guard
            .as_ref()
            .map_or_else(String::new, |(name, answer)| {
                format!(" [{name}: {}]", if *answer { "yes" } else { "no" })
            });
        let number = at + 1;
        let _ = write!(out, "  {number:>3}. {}{guard}", clean(&step.event));
        if at + 1 < run.steps.len() {
            let place = shown(step.old_place, sources);
            let _ = writeln!(out, " {}{place}", step.old);
        } else {
            let (old, new) = (
                shown(step.old_place, sources),
                shown(step.new_place, sources),
            );
            let _ = writeln!(out, "\n       old {}{old}", step.old);
            let _ = writeln!(out, "       new {}{new}", step.new);
        }
    }
    out
}

fn shown(place: Option<Span>, sources: &Sources) -> String {
    place.map_or_else(String::new, |span| {
        let place = Place::of(span, sources);
        format!("  ({}:{})", clean(place.path), place.line)
    })
}

/// One JSON object a line for each change. Every member is always there:
///
/// | member | is |
/// |---|---|
/// | `rule` | `"D0103"` |
/// | `classes` | `["SOURCE", "STATE"]`; empty is NONE |
/// | `title` | what the rule says, in one line |
/// | `message` | what changed here |
/// | `label` | a few words on the place, or null |
/// | `path` | relative, with `/`; of the new version where it has a place |
/// | `line`, `column` | the start, from 1; columns count characters |
/// | `end_line`, `end_column` | one past the end |
/// | `related` | places in the old version: objects of the five place members and `message` |
/// | `help` | the way out, or null |
/// | `run` | null, or `old_start`, `new_start` and `steps`, the last of which differs |
///
/// A step has `event`, `guard` and `answer` (or null), and in `old` and `new` an `outcome` (`handled`,
/// `ignored`, `rejected`, `unreadable`), `state`, `effect`, `reason`, `path` and `line`, each or null.
pub fn json(findings: &[Finding], sources: &Sources) -> String {
    let mut out = String::new();
    for one in findings {
        let _ = writeln!(out, "{}", finding(one, sources));
    }
    out
}

fn optional(text: Option<&str>) -> Json {
    text.map_or(Json::Null, |text| Json::Text(text.to_owned()))
}

fn finding(one: &Finding, sources: &Sources) -> Json {
    let related = one.related.iter().map(|related| {
        let mut members = Place::of(related.span, sources).members();
        members.push(("message", Json::Text(related.message.clone())));
        Json::object(members)
    });
    let label = Some(&*one.label).filter(|label| !label.is_empty());
    let mut members = Place::of(one.span, sources).members();
    members.extend([
        ("rule", Json::Text(one.rule.to_string())),
        (
            "classes",
            Json::texts(one.classes().iter().map(Class::name)),
        ),
        ("title", Json::Text(one.rule.info().title.to_owned())),
        ("message", Json::Text(one.message.clone())),
        ("label", optional(label)),
        ("related", Json::List(related.collect())),
        ("help", optional(one.help.as_deref())),
        (
            "run",
            one.run
                .as_ref()
                .map_or(Json::Null, |run| run_json(run, sources)),
        ),
    ]);
    Json::object(members)
}

fn run_json(run: &Run, sources: &Sources) -> Json {
    let steps = run.steps.iter().map(|step| step_json(step, sources));
    Json::object([
        ("old_start", Json::Text(run.start.0.clone())),
        ("new_start", Json::Text(run.start.1.clone())),
        ("steps", Json::List(steps.collect())),
    ])
}

fn step_json(step: &RunStep, sources: &Sources) -> Json {
    let (guard, answer) = match &step.guard {
        Some((name, answer)) => (Json::Text(name.clone()), Json::Bool(*answer)),
        None => (Json::Null, Json::Null),
    };
    Json::object([
        ("event", Json::Text(step.event.clone())),
        ("guard", guard),
        ("answer", answer),
        ("old", outcome_json(&step.old, step.old_place, sources)),
        ("new", outcome_json(&step.new, step.new_place, sources)),
    ])
}

fn outcome_json(outcome: &Outcome, place: Option<Span>, sources: &Sources) -> Json {
    let (mut state, mut effect, mut reason) = (None, None, None);
    match outcome {
        Outcome::Handled {
            state: entered,
            effect: asked,
        } => (state, effect) = (Some(entered.as_str()), asked.as_deref()),
        Outcome::Rejected { reason: why } => reason = Some(why.as_str()),
        Outcome::Ignored | Outcome::Unreadable => {}
    }
    let place = place.map(|span| Place::of(span, sources));
    let line = place.map_or(Json::Null, |place| Json::Int(place.line.into()));
    Json::object([
        ("outcome", Json::Text(outcome.name().to_owned())),
        ("state", optional(state)),
        ("effect", optional(effect)),
        ("reason", optional(reason)),
        ("path", optional(place.map(|place| place.path))),
        ("line", line),
    ])
}

/// How many changes there are of each class: `2 SOURCE, 1 TRACE, 1 NONE`; empty when there are none.
pub fn summary(findings: &[Finding]) -> String {
    let count = |of: &dyn Fn(Classes) -> bool| {
        let classes = findings.iter().map(Finding::classes);
        classes.filter(|classes| of(*classes)).count()
    };
    let classes = Class::ALL.map(|class| (count(&|one| one.has(class)), class.name()));
    let none = (count(&Classes::is_none), "NONE");
    let parts = classes.into_iter().chain([none]);
    let parts = parts.filter(|(count, _)| *count > 0);
    let parts: Vec<_> = parts
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    parts.join(", ")
}
