//! Invariants of compositions.

use std::collections::BTreeMap;

use super::names::Names;
use super::reach::{Meeting, Reach, Watch};
use crate::contract::{Compositions, Invariant, Pattern, Point, Spanned};
use crate::diagnostic::{Code, Diagnostic};
use crate::gates::names::{Case, legal};
use crate::gates::report::{Report, clip};
use crate::graph::{Composed, PointRow};

/// The composition and the points are declared, no composition has two invariants of one name, and
/// all of them hold.
pub(super) fn check(
    compositions: &Compositions,
    names: &Names<'_>,
    built: &[Option<Composed>],
    out: &mut Report<'_>,
) {
    let mut seen = BTreeMap::new();
    for row in &compositions.invariants {
        let name = &row.invariant.name;
        legal("invariant", name, Case::LowerSnake, out);
        let key = (row.composition.as_str(), name.as_str());
        if let Some(before) = seen.insert(key, name.span) {
            let message = format!("invariant `{}` is declared twice", clip(name));
            out.push(
                Diagnostic::new(Code::DUPLICATE_NAME, name.span, message)
                    .related(before, "first declared here")
                    .help("rename or remove one of them"),
            );
        }
        let Some(at) = names.composition(&row.composition, out) else {
            continue;
        };
        let Some(composed) = &built[at] else { continue };
        let points = points(&row.invariant.pattern);
        let points: Vec<_> = points
            .map(|point| super::points::point(composed, point, out))
            .collect();
        if let Some(points) = points.into_iter().collect::<Option<Vec<_>>>() {
            judge(composed, &row.invariant, &points, out);
        }
    }
}

/// Whether the invariant holds, as far as that can be said: of states that are never true together,
/// or never at all.
fn judge(
    composed: &Composed,
    invariant: &Invariant,
    points: &[(usize, PointRow)],
    out: &mut Report<'_>,
) {
    let name = clip(&invariant.name);
    let span = invariant.pattern.span;
    let at_once = match &invariant.pattern.value {
        Pattern::Exclusion { .. } => Some(2),
        Pattern::Absence { after, until, .. } if after.is_empty() && until.is_empty() => Some(1),
        _ => None,
    };
    let states = points.iter().map(|(component, point)| match point {
        PointRow::State(state) => Some((*component, *state)),
        _ => None,
    });
    let states: Option<Vec<_>> = states.collect();
    let (Some(at_once), Some(mut states)) = (at_once, states) else {
        let message = format!("whether `{name}` holds is not known");
        out.push(Diagnostic::new(Code::UNDECIDED, span, message).help(
            "of compositions only an `exclusion` of states, and an `absence` of states without scope, \
             are judged; state the rest of the spaces themselves",
        ));
        return;
    };
    states.sort_unstable();
    states.dedup();
    let watch = Watch {
        meetings: vec![Meeting { states, at_once }],
        ..Watch::default()
    };
    let reach = Reach::of(composed, &watch);
    if let Some(met) = reach.met.first() {
        let place = composed.describe(&met.states);
        let message = format!("`{name}` does not hold: {place} can be reached");
        let finding = Diagnostic::new(Code::VIOLATED, span, message);
        out.push(finding.help(match met.run.as_slice() {
            [] => "that is where runs start".to_owned(),
            run => format!("the shortest way there: {}", run.join(", ")),
        }));
    } else if reach.bounded {
        let most = Reach::MOST;
        let message = format!("whether `{name}` holds is not known after {most} states");
        let finding = Diagnostic::new(Code::UNDECIDED, span, message);
        out.push(finding.help("state it of a smaller composition"));
    }
}

fn points(pattern: &Pattern) -> impl Iterator<Item = &Spanned<Point>> {
    const NONE: &[Spanned<Point>] = &[];
    let lists: [&[Spanned<Point>]; 3] = match pattern {
        Pattern::Absence { of, after, until } => [of, after, until],
        Pattern::Precedence { first, then, reset } => [first, then, reset],
        Pattern::Response { after, must } => [after, must, NONE],
        Pattern::Existence { of } | Pattern::BoundedExistence { of, .. } => [of, NONE, NONE],
        Pattern::Exclusion { points } => [points, NONE, NONE],
        Pattern::Reachable { point } => [point, NONE, NONE],
    };
    lists.into_iter().flatten()
}
