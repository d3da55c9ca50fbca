//! Points of a composition.

use super::{Composed, Report, clip};
use crate::contract::{Point, PointKind, Semantics, Spanned};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::gates::report::listed;
use crate::graph::PointRow;

/// The component that a point is of, and the point; `code` is what one that is not declared is
/// reported as.
pub(super) fn point(
    composed: &Composed,
    point: &Spanned<Point>,
    code: Code,
    out: &mut Report<'_>,
) -> Option<(usize, PointRow)> {
    let component = match &point.space {
        Some(space) => {
            let Some(at) = composed.component(space) else {
                let names = composed.components.iter().map(|one| one.name.as_str());
                let space = Spanned::new(space.clone(), point.span);
                let mut finding = unknown(code, "space", &space, names);
                // The edit would be of the whole point.
                finding.edit = None;
                out.push(finding);
                return None;
            };
            at
        }
        None if composed.components.len() == 1 => 0,
        None => {
            let message = format!("`{}` does not say of which space", point.value);
            let name = &composed.components[0].name;
            let help = format!("write `{name}.{}`, or another space", point.value);
            out.push(Diagnostic::new(code, point.span, message).help(help));
            return None;
        }
    };
    let model = &composed.components[component].model;
    let row = PointRow::of(model, point);
    if row.is_none() {
        let names: Vec<&str> = match point.kind {
            PointKind::State => model.states.iter().map(|row| &*row.name).collect(),
            PointKind::Event => model.events.iter().map(|row| &*row.name).collect(),
            PointKind::Effect => model.effects.iter().map(|row| &*row.name).collect(),
            PointKind::Semantics => Semantics::ALL.map(Semantics::name).to_vec(),
        };
        let message = format!(
            "`{}` has no {} `{}`",
            model.name,
            point.kind.name(),
            clip(&point.name)
        );
        let finding = Diagnostic::new(code, point.span, message);
        out.push(match nearest(&point.name, names) {
            Some(meant) => {
                let meant = Point {
                    name: meant.to_owned(),
                    ..point.value.clone()
                };
                finding
                    .help(format!("did you mean `{meant}`?"))
                    .edit(point.span, format!("\"{meant}\""))
            }
            None => finding,
        });
    }
    row.map(|row| (component, row))
}

/// A point that is no state, where only a state will do.
pub(super) fn not_a_state(point: &Spanned<Point>) -> Diagnostic {
    let message = format!("`{}` is no state", point.value);
    Diagnostic::new(Code::BRIDGE_POINT, point.span, message).help("write `space.state:X`")
}

/// A name that is none of the composition's.
pub(super) fn unknown<'n>(
    code: Code,
    what: &str,
    name: &Spanned<String>,
    names: impl Iterator<Item = &'n str> + Clone,
) -> Diagnostic {
    let message = format!("the composition has no {what} `{}`", clip(name));
    let finding = Diagnostic::new(code, name.span, message);
    if let Some(meant) = nearest(name, names.clone()) {
        return finding
            .help(format!("did you mean `{meant}`?"))
            .edit(name.span, format!("\"{meant}\""));
    }
    let count = names.clone().count();
    finding.help(format!("its spaces are {}", listed(names, count)))
}
