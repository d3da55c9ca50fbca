//! Changes of the behaviour that break nothing, named so that no change goes unsaid.

use super::simulation::Simulation;
use super::{Finding, RuleId, Version};
use crate::contract::{Json, normalise};

/// Rules 402 and 403.
pub(super) fn behaviour(
    old: Version<'_>,
    new: Version<'_>,
    simulation: &Simulation,
    out: &mut Vec<Finding>,
) {
    let normal = |version: Version<'_>| normalise(version.base, version.domain);
    let (was, is) = (normal(old), normal(new));
    let differs = |key: &str| was.get(key) != is.get(key);
    let rules = ["transitions", "ignored"]
        .into_iter()
        .find(|key| differs(key));
    // Where runs do not replay, the mismatches say what changed in the rules.
    if let Some(key) = rules.filter(|_| simulation.replays()) {
        let place = first(key, &was, &is).and_then(|at| {
            let domain = new.domain;
            let rule = domain.transitions.get(at).map(|row| row.span);
            let row = domain.ignored.get(at).map(|row| row.span);
            if key == "ignored" { row } else { rule }
        });
        let place = place.map_or(new.name(), |span| new.at(span));
        let message = "the rules changed, and every recorded run replays";
        let finding = Finding::new(RuleId::RULES, place, message);
        out.push(finding.label("the first that is new or elsewhere"));
    }
    if differs("invariants") {
        let invariants = &new.domain.invariants;
        let changed = first("invariants", &was, &is).and_then(|at| invariants.get(at));
        let place = changed.map_or(new.name(), |row| new.at(row.name.span));
        let message = "the invariants changed";
        out.push(Finding::new(RuleId::INVARIANTS, place, message));
    }
}

/// The first row of the new table that differs from the old one's.
fn first(key: &str, was: &Json, is: &Json) -> Option<usize> {
    let rows = |json: &Json| match json.get(key) {
        Some(Json::List(rows)) => rows.clone(),
        _ => Vec::new(),
    };
    let (was, is) = (rows(was), rows(is));
    (0..is.len()).find(|at| was.get(*at) != is.get(*at))
}
