//! Slots that a persisted context may hold empty.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, RuleId, Version};
use crate::graph::{ArgSource, Digraph, Model, empty_reads as reads_of_empty};

/// D0201: reads of the new rules that find a slot empty in a context that the old machine left.
///
/// One flow over both machines: the old one from its start, then from each old state to the new one of
/// the same name, as a persisted run is loaded. What the old machine had written is there; what only the
/// new one would have written before is not.
pub(super) fn empty_reads(old: Version<'_>, new: Version<'_>) -> Vec<Finding> {
    let (was, is) = (old.model, new.model);
    // Nodes: the start, the old states, the new states.
    let (first_old, first_new) = (1, 1 + was.states.len());
    let slot_names: BTreeMap<&str, usize> = (is.slots.iter().enumerate())
        .map(|(at, slot)| (slot.name.as_str(), at))
        .collect();
    let in_new = |slot: usize| slot_names.get(was.slots[slot].name.as_str()).copied();

    let mut edges = vec![(0, first_old + was.initial, 0)];
    let mut writes = Vec::new();
    let defaults = was.slots.iter().enumerate();
    let full = defaults.filter(|(_, slot)| slot.default.is_some());
    writes.extend(full.filter_map(|(slot, _)| Some((0, in_new(slot)?))));
    let mut add = |model: &Model, first: usize, slot_of: &dyn Fn(usize) -> Option<usize>| {
        for rule in &model.rules {
            let label = edges.len();
            edges.push((first + rule.from, first + rule.to, label));
            let slots = rule.assigns.iter();
            writes.extend(slots.filter_map(|(slot, _)| Some((label, slot_of(*slot)?))));
        }
    };
    add(was, first_old, &in_new);
    add(is, first_new, &|slot| Some(slot));
    let load = edges.len();
    for (at, state) in was.states.iter().enumerate() {
        if let Some(found) = is.state(&state.name) {
            edges.push((first_old + at, first_new + found, load));
        }
    }
    // A slot that an old context has not gets its default.
    let known: BTreeSet<&str> = was.slots.iter().map(|slot| slot.name.as_str()).collect();
    for (at, slot) in is.slots.iter().enumerate() {
        if slot.default.is_some() && !known.contains(slot.name.as_str()) {
            writes.push((load, at));
        }
    }

    let mut reads = Vec::new();
    let mut rows = Vec::new();
    for rule in &is.rules {
        let Some(effect) = rule.effect else { continue };
        for (arg, source) in is.effects[effect].args.iter().zip(&rule.args) {
            if let ArgSource::Slot(slot) = source
                && !arg.ty.is_optional()
            {
                reads.push((first_new + rule.from, *slot));
                rows.push(rule);
            }
        }
    }
    let nodes = first_new + is.states.len();
    let found = reads_of_empty(&Digraph::new(nodes, &edges), &[0], &writes, &reads);
    let mut told = BTreeSet::new();
    let mut out = Vec::new();
    for at in found {
        let (rule, slot) = (rows[at], reads[at].1);
        if !told.insert((rule.row, slot)) {
            continue;
        }
        let name = &is.slots[slot].name;
        let message = format!("slot `{name}` may be empty in a run that was persisted before");
        let finding = Finding::new(RuleId::EMPTY_READ, new.at(rule.span), message)
            .label(format!("reads `{name}`"))
            .help(format!("give `{name}` a default"));
        out.push(finding);
    }
    out
}
