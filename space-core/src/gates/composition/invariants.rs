//! Invariants of compositions.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::names::Names;
use super::{Composed, points};
use crate::contract::{Compositions, Invariant};
use crate::diagnostic::{Code, Diagnostic};
use crate::explore::observer::{Labels, Roles, positions};
use crate::explore::{Bound, JointJudge, JointPoint, Judged, Verdict, tell, tell_idle};
use crate::gates::names::{Case, legal};
use crate::gates::report::{Report, clip};

/// The composition and the points are declared, no composition has two invariants of one name, and
/// all of them hold.
pub(super) fn check(
    compositions: &Compositions,
    names: &Names<'_>,
    built: &[Option<Arc<Composed>>],
    judges: &mut BTreeMap<usize, JointJudge>,
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
        let Some(points) = resolve(composed, &row.invariant, out) else {
            continue;
        };
        let Some(judge) = judges.get_mut(&at) else {
            continue;
        };
        match judge.judge(&row.invariant.pattern, &points) {
            Judged::Known(verdict, joint) => {
                let certain = matches!(verdict, Verdict::Vacuous(why) if why.is_certain());
                for finding in tell(&row.invariant, verdict, joint.as_ref()) {
                    out.push(finding);
                }
                if certain {
                    continue;
                }
            }
            Judged::Undecided(bound) => out.push(undecided(composed, &row.invariant, bound)),
        }
        let letters = letters(composed, &points);
        for finding in tell_idle(&row.invariant, |at| letters[at].clone()) {
            out.push(finding);
        }
    }
}

/// The points of a pattern by position; `None` when one is not declared.
fn resolve(
    composed: &Composed,
    invariant: &Invariant,
    out: &mut Report<'_>,
) -> Option<Vec<JointPoint>> {
    let positions = positions(&invariant.pattern);
    let all = positions.into_iter().flat_map(|(points, role)| {
        let points = points.iter();
        points.map(move |point| (point, role))
    });
    let found: Vec<_> = all
        .map(|(point, role)| {
            let (component, row) = points::point(composed, point, Code::UNKNOWN_POINT, out)?;
            Some((component, row, role))
        })
        .collect();
    found.into_iter().collect()
}

/// The letters that each point stands for, with all positions that they fill.
fn letters(composed: &Composed, points: &[JointPoint]) -> Vec<Vec<Roles>> {
    let model = |component: usize| &composed.components[component].model;
    let mut labels = BTreeMap::new();
    for (component, row, roles) in points {
        let model = model(*component);
        let labels = labels.entry(*component);
        let labels = labels.or_insert_with(|| Labels::none(model));
        labels.mark(model, *row, *roles);
    }
    let of = |(at, row, _): &JointPoint| labels[at].letters(model(*at), *row);
    points.iter().map(of).collect()
}

fn undecided(composed: &Composed, invariant: &Invariant, bound: Bound) -> Diagnostic {
    let message = format!(
        "whether `{}` holds is not known: `{}` has more than the {} configurations that were \
         seen, {} of them on the frontier",
        clip(&invariant.name),
        composed.name,
        bound.seen,
        bound.frontier
    );
    let mut help =
        "promise it of a composition of fewer spaces, which this one may name, or of the \
                    spaces themselves"
            .to_owned();
    if composed.loops.iter().any(|row| row.max_rounds > 0) {
        help.push_str("; or allow its loops fewer rounds, each of which is counted");
    }
    if !cfg!(feature = "explore") {
        help.push_str("; `agent space check` and build scripts look further than the attribute");
    }
    Diagnostic::new(Code::UNDECIDED, invariant.pattern.span, message)
        .label("not broken as far as was looked")
        .help(help)
}
