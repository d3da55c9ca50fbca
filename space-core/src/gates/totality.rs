//! S03: every outcome is handled where it arrives, and every state waits for something.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{Report, clip, listed};
use super::triggers::Jumps;
use crate::contract::{Semantics, Span};
use crate::diagnostic::{Code, Diagnostic};
use crate::graph::{Edge, Rules, Use};

/// How many places a finding points at.
const PLACES: usize = 3;

pub(super) fn check(rules: &Rules<'_>, jumps: &Jumps, out: &mut Report<'_>) {
    returns(rules, out);
    waiting(rules, jumps, out);
    external(rules, out);
}

/// What a state lacks, the first few events of it and how many they are; and for which effects.
type Missed = BTreeMap<(usize, Vec<usize>, usize), Vec<(usize, usize)>>;

/// The rows that enter a state with one effect, by state and effect.
type Entries = BTreeMap<(usize, usize), Vec<usize>>;

/// For every rule that enters a state with an effect, the state handles all that the effect returns.
fn returns(rules: &Rules<'_>, out: &mut Report<'_>) {
    let base = rules.base;
    let mut entries = Entries::new();
    for (at, row) in rules.rows.iter().enumerate() {
        let (Use::Row(effect), Some(to)) = (row.effect, row.to) else {
            continue;
        };
        let semantics = base.effects[effect].semantics.value;
        // An effect on the way into a terminal state is reported by S0309.
        if semantics.is_some_and(|one| one != Semantics::Stop) && rules.ends(to) == Some(false) {
            entries.entry((to, effect)).or_default().push(at);
        }
    }
    let mut guarded = BTreeSet::new();
    let mut missed = Missed::new();
    let returned: Vec<_> = (0..base.effects.len())
        .map(|effect| rules.returned(effect))
        .collect();
    for (to, effect) in entries.keys() {
        let Some(list) = &returned[*effect] else {
            // Every event: as many as the state has rules, or some are missing.
            let answered = rules.edges_of(*to).iter().map(|edge| edge.on);
            let answered: BTreeSet<_> = answered.collect();
            let all = 0..base.events.len();
            let missing = all.filter(|on| !answered.contains(on) && !rules.may_answer(*to, *on));
            let (few, count) = first_few(missing);
            if count > 0 {
                missed
                    .entry((*to, few, count))
                    .or_default()
                    .push((*to, *effect));
            }
            let edges = rules.edges_of(*to).iter();
            let edges = edges.filter(|edge| edge.on != Edge::UNKNOWN);
            guarded.extend(edges.map(|edge| (edge.row, edge.on, *effect)));
            continue;
        };
        let missing = list
            .iter()
            .copied()
            .filter(|on| match rules.edge(*to, *on) {
                Some(edge) => {
                    guarded.insert((edge.row, *on, *effect));
                    false
                }
                None => !rules.may_answer(*to, *on),
            });
        let (few, count) = first_few(missing);
        if count > 0 {
            missed
                .entry((*to, few, count))
                .or_default()
                .push((*to, *effect));
        }
    }
    for ((to, few, count), effects) in missed {
        unhandled(rules, to, (&few, count), (&effects, &entries), out);
    }
    guards(rules, &guarded, out);
}

/// The first of a sequence, and how many there are.
fn first_few(items: impl Iterator<Item = usize>) -> (Vec<usize>, usize) {
    let mut few = Vec::new();
    let mut count = 0;
    for item in items {
        count += 1;
        if few.len() < PLACES {
            few.push(item);
        }
    }
    (few, count)
}

/// One finding for a state and the outcomes that it lacks, whichever effects return them.
fn unhandled(
    rules: &Rules<'_>,
    to: usize,
    (few, count): (&[usize], usize),
    (effects, entries): (&[(usize, usize)], &Entries),
    out: &mut Report<'_>,
) {
    let base = rules.base;
    let state = clip(&base.states[to].name);
    let events = listed(few.iter().map(|on| base.events[*on].name.as_str()), count);
    let names = effects
        .iter()
        .map(|(_, effect)| base.effects[*effect].name.as_str());
    let verb = if effects.len() == 1 {
        "returns"
    } else {
        "return"
    };
    let message = format!(
        "state `{state}` does not handle {events}, which {} {verb}",
        listed(names, effects.len())
    );
    let rows = effects.iter().flat_map(|key| &entries[key]);
    let mut rows: Vec<_> = rows.copied().collect();
    rows.sort_unstable();
    let first = rules.written(rows[0]);
    let mut finding = Diagnostic::new(Code::UNHANDLED_RETURN, first.to.span, message);
    for row in rows.iter().skip(1).take(PLACES) {
        let written = rules.written(*row);
        let effect = written
            .effect
            .as_ref()
            .map_or("?", |name| name.value.as_str());
        let entered = format!("entered here with effect `{}`", clip(effect));
        finding = finding.related(written.to.span, entered);
    }
    for (_, effect) in effects.iter().take(PLACES) {
        let effect = &base.effects[*effect];
        let (span, text) = outcome(rules, effect, few[0]);
        finding = finding.related(span, text);
    }
    let one = clip(&base.events[few[0]].name);
    out.push(finding.help(if rules.ignores(to, few[0]) {
        format!("`{state}` ignores `{one}`; an outcome needs a rule")
    } else {
        format!("add a rule `from = \"{state}\"`, `on = \"{one}\"`")
    }));
}

/// Where an effect says that it returns an event.
fn outcome(rules: &Rules<'_>, effect: &crate::contract::Effect, event: usize) -> (Span, String) {
    let name = &rules.base.events[event].name;
    let listed = effect.returns.iter().flat_map(|list| &list.value);
    let mut listed = listed.filter(|one| one.value == name.value);
    let effect_name = clip(&effect.name);
    match listed.next() {
        Some(one) => (one.span, format!("`{effect_name}` returns it")),
        None => (
            effect.name.span,
            format!("`{effect_name}` has no `returns`: it returns every event"),
        ),
    }
}

/// An outcome that is handled only under a guard is rejected when the guard refuses.
fn guards(rules: &Rules<'_>, answered: &BTreeSet<(usize, usize, usize)>, out: &mut Report<'_>) {
    let mut told = None;
    for (row, on, effect) in answered {
        let written = rules.written(*row);
        let Some(guard) = &written.guard else {
            continue;
        };
        if told.replace(*row) == Some(*row) {
            continue;
        }
        let event = rules.base.events[*on].name.as_str();
        let message = format!(
            "outcome `{}` is handled only under guard `{}`",
            clip(event),
            clip(&guard.name)
        );
        let effect = &rules.base.effects[*effect];
        let (span, text) = outcome(rules, effect, *on);
        out.push(
            Diagnostic::new(Code::GUARDED_RETURN, guard.span, message)
                .related(span, text)
                .help("a refusal ends the run; where it need not, let the handler return another event"),
        );
    }
}

/// A rule without effect enters only states that something still happens in.
fn waiting(rules: &Rules<'_>, jumps: &Jumps, out: &mut Report<'_>) {
    let base = rules.base;
    let is_external = |edge: &Edge| {
        let event = base.events.get(edge.on);
        // An event that is not declared may have been meant to be external.
        event.is_none_or(crate::contract::Event::is_external)
    };
    let unknown = base.events.iter().zip(&rules.holes.of_event);
    let unknown = unknown
        .clone()
        .any(|(event, hole)| *hole && event.is_external());
    let mut entered: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, row) in rules.rows.iter().enumerate() {
        if let (Use::Absent, Some(to)) = (row.effect, row.to) {
            entered.entry(to).or_default().push(at);
        }
    }
    for (to, rows) in entered {
        let waits = rules.edges_of(to).iter().any(is_external);
        if rules.ends(to) != Some(false)
            || waits
            || unknown
            || rules.holes.anywhere
            || jumps.is_trigger(to)
        {
            continue;
        }
        let state = clip(&base.states[to].name);
        let message =
            format!("state `{state}` is entered without effect, and waits for no external event");
        let mut finding = Diagnostic::new(Code::STUCK, rules.written(rows[0]).to.span, message);
        for row in rows.iter().skip(1).take(PLACES) {
            finding = finding.related(rules.written(*row).to.span, "it is entered here, too");
        }
        out.push(finding.help(format!(
            "name the rule's `effect`, or handle an external event in `{state}`"
        )));
    }
}

/// Every external event is handled or ignored in every state where the run goes on.
fn external(rules: &Rules<'_>, out: &mut Report<'_>) {
    let base = rules.base;
    if rules.holes.anywhere {
        return;
    }
    let mut answered = vec![Vec::new(); base.events.len()];
    let edges = rules.edges.iter().map(|edge| (edge.from, edge.on));
    for (from, on) in edges.chain(rules.ignored.iter().map(|(from, on, _)| (*from, *on))) {
        if base
            .events
            .get(on)
            .is_some_and(crate::contract::Event::is_external)
        {
            answered[on].push(from);
        }
    }
    let states = 0..base.states.len();
    let alive: Vec<_> = states
        .filter(|state| rules.ends(*state) == Some(false) && !rules.holes.of_state[*state])
        .collect();
    for (on, event) in base.events.iter().enumerate() {
        // An event that a table declares twice is reported as that.
        let first = rules.names.events.get(event.name.as_str()) == Some(&on);
        if !event.is_external() || rules.holes.of_event[on] || !first {
            continue;
        }
        let list = &mut answered[on];
        list.sort_unstable();
        list.dedup();
        let mut list = list.iter().copied().peekable();
        let is_open = |state: &usize| {
            while list.next_if(|one| one < state).is_some() {}
            list.peek() != Some(state)
        };
        let (few, count) = first_few(alive.iter().copied().filter(is_open));
        if count == 0 {
            continue;
        }
        let name = clip(&event.name);
        let names = few.iter().map(|state| base.states[*state].name.as_str());
        let message = format!(
            "external event `{name}` is neither handled nor ignored in {}",
            listed(names, count)
        );
        let mut finding = Diagnostic::new(Code::EXTERNAL, event.name.span, message);
        for state in &few {
            finding = finding.related(base.states[*state].name.span, "this state");
        }
        out.push(finding.help("add a rule for it, or an `[[ignored]]` row; `from = \"*\"` is every state that lacks one"));
    }
}
