//! The contract as data, with one shortest run to each terminal state.

use std::collections::{HashSet, VecDeque};

use super::products::{Contract, MEMBER};
use crate::contract::{Json, normalise};
use crate::graph::{Model, Rule};

/// The sample's JSON text.
pub(super) fn sample(contract: &Contract<'_>) -> String {
    let model = contract.model;
    let runs = model
        .states
        .iter()
        .enumerate()
        .filter(|(_, row)| row.terminal);
    let runs = runs.filter_map(|(state, row)| {
        let run = shortest(model, state)?;
        let steps = run.iter().map(|rule| step(model, rule)).collect();
        Some(Json::object([
            ("to", Json::Text(row.name.clone())),
            ("steps", Json::List(steps)),
        ]))
    });
    let json = Json::object([
        (MEMBER.0, Json::Text(MEMBER.1.to_owned())),
        ("hash", Json::Text(model.hash.to_string())),
        ("contract", normalise(contract.base, contract.domain)),
        ("runs", Json::List(runs.collect())),
    ]);
    format!("{}\n", json.pretty())
}

fn step(model: &Model, rule: &Rule) -> Json {
    let mut members = vec![
        ("event", Json::Text(model.events[rule.on].name.clone())),
        ("state", Json::Text(model.states[rule.to].name.clone())),
    ];
    if let Some((guard, negated)) = rule.guard {
        let mark = if negated { "!" } else { "" };
        let name = &model.guards[guard].name;
        members.push(("guard", Json::Text(format!("{mark}{name}"))));
    }
    if let Some(effect) = rule.effect {
        members.push(("effect", Json::Text(model.effects[effect].name.clone())));
    }
    Json::object(members)
}

/// The fewest steps to a state, breadth first over (state, effect in flight). What may come is
/// the effect's returns and external events; what starts a run is any event.
pub(super) fn shortest(model: &Model, target: usize) -> Option<Vec<&Rule>> {
    type Place = (usize, Option<usize>);
    let mut seen: HashSet<Place> = HashSet::new();
    let mut queue: VecDeque<(Place, usize)> = VecDeque::new();
    // Each entry: the rule, and the entry before it.
    let mut steps: Vec<(&Rule, usize)> = Vec::new();
    queue.push_back(((model.initial, None), usize::MAX));
    while let Some(((state, effect), before)) = queue.pop_front() {
        for rule in model.rules_of(state) {
            let may_come = before == usize::MAX
                || model.events[rule.on].external
                || effect.is_some_and(|effect| {
                    let returns = &model.effects[effect].returns;
                    returns.as_ref().is_none_or(|list| list.contains(&rule.on))
                });
            if !may_come || !seen.insert((rule.to, rule.effect)) {
                continue;
            }
            steps.push((rule, before));
            let at = steps.len() - 1;
            if rule.to == target {
                return Some(path(&steps, at));
            }
            queue.push_back(((rule.to, rule.effect), at));
        }
    }
    None
}

fn path<'a>(steps: &[(&'a Rule, usize)], mut at: usize) -> Vec<&'a Rule> {
    let mut run = Vec::new();
    while let Some((rule, before)) = steps.get(at) {
        run.push(*rule);
        at = *before;
    }
    run.reverse();
    run
}
