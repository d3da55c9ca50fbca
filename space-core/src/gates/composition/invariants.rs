//! Invariants of compositions: what they name.

use std::collections::BTreeMap;

use super::names::Names;
use crate::contract::{Compositions, Pattern, Point, Spanned};
use crate::diagnostic::{Code, Diagnostic};
use crate::gates::names::{Case, legal};
use crate::gates::report::{Report, clip};
use crate::graph::Composed;

/// The composition and the points are declared, and no composition has two invariants of one name.
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
        for point in points(&row.invariant.pattern) {
            super::points::point(composed, point, out);
        }
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
