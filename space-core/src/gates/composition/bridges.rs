//! Adapters, routers and holds: closed and typed.

use std::ops::Range;

use super::points::{not_a_state, point, unknown};
use super::{Composed, Report, feeds};
use crate::contract::{Bridge, Feedback, Parallel, Semantics, Series};
use crate::diagnostic::{Code, Diagnostic};
use crate::graph::{BridgeRow, HoldRow, PointRow};

/// What feeds a participant of a parallel composition, and what holds its effects. Whether all of
/// it is sound.
pub(super) fn parallel(
    composed: &mut Composed,
    row: &Parallel,
    stages: &[Range<usize>],
    out: &mut Report<'_>,
) -> bool {
    let mut sound = true;
    for bridge in &row.adapter {
        let from = source(composed, bridge, out);
        let others = |(from, _): &(usize, _)| {
            (0..composed.components.len())
                .filter(|at| at != from)
                .collect::<Vec<_>>()
        };
        let fed = from.and_then(|from| {
            let others = others(&from);
            feeds::feed(composed, bridge, from, &others, out)
        });
        sound &= fed.is_some();
        composed.bridges.extend(fed);
    }
    for hold in &row.holds {
        let at = row
            .spaces
            .value
            .iter()
            .position(|name| name.value == hold.space.value);
        let part = at.map(|at| stages[at].clone()).or_else(|| {
            let at = composed.component(&hold.space)?;
            Some(at..at + 1)
        });
        let Some(part) = part else {
            let names = composed.components.iter().map(|one| one.name.as_str());
            out.push(unknown(Code::BRIDGE_POINT, "space", &hold.space, names));
            sound = false;
            continue;
        };
        for when in &hold.when {
            match point(composed, when, Code::BRIDGE_POINT, out) {
                Some((by, PointRow::State(state))) if !part.contains(&by) => {
                    let held = part.clone();
                    composed
                        .holds
                        .extend(held.map(|held| HoldRow { by, state, held }));
                }
                Some((_, PointRow::State(_))) => {
                    let message = format!("`{}` is part of what it holds", when.value);
                    let finding = Diagnostic::new(Code::BRIDGE_POINT, when.span, message);
                    out.push(finding.help("name a state of another participant"));
                    sound = false;
                }
                Some(_) => {
                    out.push(not_a_state(when));
                    sound = false;
                }
                None => sound = false,
            }
        }
    }
    sound
}

/// What starts the later stages of a series. Whether all of it is sound.
pub(super) fn series(
    composed: &mut Composed,
    row: &Series,
    stages: &[Range<usize>],
    out: &mut Report<'_>,
) -> bool {
    for (before, stage) in stages.iter().zip(stages.iter().skip(1)) {
        for component in stage.clone() {
            composed.after[component].extend(before.clone());
        }
    }
    let mut sound = true;
    for bridge in &row.adapter {
        let fed = source(composed, bridge, out).and_then(|from| {
            let stage = stages.iter().position(|stage| stage.contains(&from.0))?;
            let Some(next) = stages.get(stage + 1) else {
                let message = format!("`{}` is in the last stage", bridge.when[0].value);
                let finding = Diagnostic::new(Code::BRIDGE_POINT, bridge.when[0].span, message);
                out.push(finding.help("name a point of an earlier stage, or use a `[[feedback]]`"));
                return None;
            };
            feeds::feed(
                composed,
                bridge,
                from,
                &next.clone().collect::<Vec<_>>(),
                out,
            )
        });
        sound &= fed.is_some();
        composed.bridges.extend(fed);
    }
    sound
}

/// What a loop feeds back. Whether all of it is sound.
pub(super) fn feedback(composed: &mut Composed, row: &Feedback, out: &mut Report<'_>) -> bool {
    let looped = composed.loops.len() - 1;
    let mut sound = true;
    for bridge in &row.router {
        let from =
            source(composed, bridge, out).filter(|from| entered(composed, bridge, from, out));
        let all: Vec<_> = (0..composed.components.len()).collect();
        let fed = from.and_then(|from| feeds::feed(composed, bridge, from, &all, out));
        sound &= fed.is_some();
        let mut restarts: Vec<usize> = Vec::new();
        if let Some(fed) = &fed {
            // In the order of components, which is that of a series.
            for (at, after) in composed.after.iter().enumerate() {
                if after
                    .iter()
                    .any(|one| *one == fed.to || restarts.contains(one))
                {
                    restarts.push(at);
                }
            }
        }
        composed.bridges.extend(fed.map(|fed| BridgeRow {
            feedback: Some(looped),
            restarts,
            ..fed
        }));
    }
    sound
}

/// Whether the points of a router are states that are entered without an effect that would be lost.
fn entered(
    composed: &Composed,
    bridge: &Bridge,
    (from, points): &(usize, Vec<PointRow>),
    out: &mut Report<'_>,
) -> bool {
    let model = &composed.components[*from].model;
    let mut sound = true;
    for (point, written) in points.iter().zip(&bridge.when) {
        let PointRow::State(state) = *point else {
            out.push(not_a_state(written));
            sound = false;
            continue;
        };
        let lost = model
            .rules
            .iter()
            .filter(|rule| rule.to == state)
            .find_map(|rule| {
                let effect = &model.effects[rule.effect?];
                (effect.semantics != Semantics::Stop).then_some((rule, effect))
            });
        if let Some((rule, effect)) = lost {
            let message = format!(
                "state `{}` is entered with effect `{}`, which the loop would drop",
                model.states[state].name, effect.name
            );
            out.push(
                Diagnostic::new(Code::BRIDGE_POINT, written.span, message)
                    .related(rule.span, "by this rule")
                    .help("name a state that is entered without effect, or with a `stop`"),
            );
            sound = false;
        }
    }
    sound
}

/// The component of a bridge's points, and the points.
fn source(
    composed: &Composed,
    bridge: &Bridge,
    out: &mut Report<'_>,
) -> Option<(usize, Vec<PointRow>)> {
    let mut from = None;
    let mut points = Vec::new();
    let mut sound = true;
    for written in &bridge.when {
        let Some((component, row)) = point(composed, written, Code::BRIDGE_POINT, out) else {
            sound = false;
            continue;
        };
        let first = *from.get_or_insert(component);
        if first == component {
            points.push(row);
            continue;
        }
        let message = format!(
            "`{}` and `{}` are points of different spaces",
            bridge.when[0].value, written.value
        );
        let finding = Diagnostic::new(Code::BRIDGE_POINT, written.span, message);
        out.push(finding.help("write one row for each space"));
        sound = false;
    }
    from.filter(|_| sound).map(|from| (from, points))
}
