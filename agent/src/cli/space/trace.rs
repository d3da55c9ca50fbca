//! `agent space trace`: the shortest run to a point.

use serde_json::{Value, json};
use space_core::contract::{Pattern, Point, PointKind, Semantics, Sources, Spanned};
use space_core::diagnostic::render::trace as render;
use space_core::diagnostic::{Trace, nearest};
use space_core::explore::{
    ComposedNet, Counterexample, Found, Judge, Limits, Part, Verdict, find_run_known,
    trace as run_of,
};
use space_core::graph::{Composed, Model, PointRow};

use super::super::args::{TraceArgs, VerdictFormat};
use super::super::{Plain, print};
use super::named::{Named, named};
use super::read;

/// What is known of a point.
pub(super) enum Reached<R = Trace> {
    Run(R),
    Never,
    /// The memory did not suffice to tell.
    Bound(String),
}

/// Prints a shortest run to each point; 1 when one of them is never reached, 3 when memory did not
/// suffice to tell.
pub(super) fn trace(args: &TraceArgs) -> Result<u8, Plain> {
    let folder = read(&args.dir)?;
    let subject = named(&folder, &args.name)?;
    let points = args
        .to
        .iter()
        .map(|text| point(text, &subject))
        .collect::<Result<Vec<_>, String>>()?;
    let mut status = 0;
    let mut all = Vec::new();
    for (at, point) in points.iter().enumerate() {
        let reached = reach(&subject, point, args.memory)?;
        status = status.max(match &reached {
            Reached::Run(_) => 0,
            Reached::Never => 1,
            Reached::Bound(_) => 3,
        });
        match args.format {
            VerdictFormat::Json => all.push(as_json(point, &reached, &folder.sources)),
            VerdictFormat::Human => {
                let text = in_words(&args.name, point, &reached, &folder.sources);
                let gap = if at == 0 { "" } else { "\n" };
                print(&format!("{gap}{}", text.trim_end()));
            }
        }
    }
    for line in all {
        print(&line.to_string());
    }
    Ok(status)
}

fn in_words(name: &str, point: &Point, reached: &Reached, sources: &Sources) -> String {
    match reached {
        Reached::Run(run) => format!("{point}: {}", render::human(run, sources)),
        Reached::Never => format!("{point}: no run of `{name}` leads there"),
        Reached::Bound(bound) => format!("{point}: {bound}; `--memory` gives it more"),
    }
}

fn as_json(point: &Point, reached: &Reached, sources: &Sources) -> Value {
    let (run, bound) = match reached {
        Reached::Run(run) => (
            serde_json::from_str(&render::json(run, sources).to_string()).unwrap_or(Value::Null),
            Value::Null,
        ),
        Reached::Never => (Value::Null, Value::Null),
        Reached::Bound(bound) => (Value::Null, json!(bound)),
    };
    json!({ "to": point.to_string(), "run": run, "bound": bound })
}

/// Reads a point, and finds what it names.
pub(super) fn point(text: &str, subject: &Named<'_>) -> Result<Point, String> {
    let point = Point::parse(text).ok_or_else(|| {
        let form = match subject {
            Named::Space { .. } => "`state:X`, `event:X`, `effect:X` or `semantics:x`",
            Named::Composition(_) => "`space.state:X`, `space.event:X` or `space.effect:X`",
        };
        format!("`{text}` is no point: write {form}")
    })?;
    let (model, prefix) = match (subject, &point.space) {
        (Named::Space { model, .. }, None) => (&**model, String::new()),
        (Named::Space { model, .. }, Some(space)) if *space == model.name => {
            (&**model, String::new())
        }
        (Named::Space { model, .. }, Some(space)) => {
            let name = &model.name;
            return Err(format!(
                "`{text}` is of `{space}`, and this is `{name}`: name a composition of both"
            ));
        }
        (Named::Composition(composed), space) => component(text, composed, space.as_deref())?,
    };
    if resolve(model, &point).is_some() {
        return Ok(point);
    }
    let kind = point.kind.name();
    let names = names(model, point.kind);
    let meant = match nearest(&point.name, names.iter().copied()) {
        Some(meant) => format!("did you mean `{prefix}{kind}:{meant}`?"),
        None => format!("there are {}", names.join(", ")),
    };
    Err(format!(
        "`{}` has no {kind} `{}`; {meant}",
        model.name, point.name
    ))
}

/// The component of a composition that a point names, and what to write before its points.
fn component<'c>(
    text: &str,
    composed: &'c Composed,
    space: Option<&str>,
) -> Result<(&'c Model, String), String> {
    let names: Vec<&str> = composed.components.iter().map(|one| &*one.name).collect();
    let there = names.join(", ");
    let Some(space) = space else {
        let first = names.first().copied().unwrap_or_default();
        return Err(format!(
            "`{text}` does not say of which space: write `{first}.{text}`; there are {there}"
        ));
    };
    let Some(at) = composed.component(space) else {
        let meant = match nearest(space, names.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {there}"),
        };
        return Err(format!(
            "`{}` has no space `{space}`; {meant}",
            composed.name
        ));
    };
    Ok((&composed.components[at].model, format!("{space}.")))
}

fn names(model: &Model, kind: PointKind) -> Vec<&str> {
    match kind {
        PointKind::State => model.states.iter().map(|row| &*row.name).collect(),
        PointKind::Event => model.events.iter().map(|row| &*row.name).collect(),
        PointKind::Effect => model.effects.iter().map(|row| &*row.name).collect(),
        PointKind::Semantics => Semantics::ALL.map(Semantics::name).to_vec(),
    }
}

fn resolve(model: &Model, point: &Point) -> Option<PointRow> {
    match point.kind {
        PointKind::State => model.state(&point.name).map(PointRow::State),
        PointKind::Event => model.event(&point.name).map(PointRow::Event),
        PointKind::Effect => model.effect(&point.name).map(PointRow::Effect),
        PointKind::Semantics => Semantics::parse(&point.name).map(PointRow::Semantics),
    }
}

fn reach(subject: &Named<'_>, point: &Point, memory: u64) -> Result<Reached, Plain> {
    match subject {
        Named::Space {
            model, loopbacks, ..
        } => Ok(match run_to(model, loopbacks, point) {
            Some(run) => Reached::Run(run_of(model, &run)),
            None => Reached::Never,
        }),
        Named::Composition(composed) => {
            let told =
                |net: &ComposedNet<'_>, run: &[Vec<usize>], shortest| net.trace(run, shortest);
            composed_reach(composed, point, memory, told)
        }
    }
}

/// A shortest run of a composition to a point, as `tell` tells it: the net, its states on the way, and
/// whether none is shorter.
pub(super) fn composed_reach<R>(
    composed: &Composed,
    point: &Point,
    memory: u64,
    tell: impl FnOnce(&ComposedNet<'_>, &[Vec<usize>], bool) -> R,
) -> Result<Reached<R>, Plain> {
    let space = point.space.as_deref().unwrap_or_default();
    let found = composed.component(space).and_then(|at| {
        let row = resolve(&composed.components[at].model, point)?;
        Some((at, row))
    });
    let (at, row) = found.ok_or("the point is none of the composition")?;
    // What has nothing to do with the point neither leads there nor keeps a run from it.
    let part = Part::around(composed, &[at]);
    let (net, goal) = ComposedNet::with_goal(&part, at, row)?;
    let limits = Limits {
        memory,
        ..Limits::default()
    };
    Ok(match find_run_known(&net.net, &goal, &limits)? {
        (Found::Run(run), shortest) => Reached::Run(tell(&net, &run, shortest)),
        (Found::Never, _) => Reached::Never,
        (Found::Bound(bound), _) => Reached::Bound(bound.to_string()),
    })
}

/// A shortest run to a point: what breaks the promise that it never occurs.
pub(super) fn run_to(
    model: &Model,
    loopbacks: &[(usize, usize)],
    point: &Point,
) -> Option<Counterexample> {
    let mut point = point.clone();
    point.space = None;
    let never = Pattern::Absence {
        of: vec![Spanned::from(point)],
        after: Vec::new(),
        until: Vec::new(),
    };
    match Judge::new(model, loopbacks).verdict(&never) {
        Verdict::Violated(run) => Some(run),
        _ => None,
    }
}
