//! S03: what rules name, and where they may stand.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::report::{Report, Table, clip};
use crate::contract::{FromStates, Semantics, Span, Spanned};
use crate::diagnostic::{Code, Diagnostic};
use crate::graph::{Edge, Rules, Use};

pub(super) fn check(rules: &Rules<'_>, out: &mut Report<'_>) {
    pair(rules, out);
    names(rules, out);
    specific(rules, out);
    wildcards(rules, out);
    ignored(rules, out);
    terminal(rules, out);
    stops(rules, out);
}

fn pair(rules: &Rules<'_>, out: &mut Report<'_>) {
    let (base, domain) = (&rules.base.meta.name, &rules.domain.meta.name);
    if base.value != domain.value {
        let message = format!(
            "the domain is of `{}`, the base of `{}`",
            clip(domain),
            clip(base)
        );
        out.push(
            Diagnostic::new(Code::PAIR, domain.span, message)
                .related(base.span, "the base's name is here")
                .help("give both files the same `meta.name`")
                .edit(domain.span, format!("\"{}\"", base.value)),
        );
    }
}

/// Every state, event, guard and effect that a row names is declared.
fn names<'a>(rules: &Rules<'a>, out: &mut Report<'_>) {
    let names = &rules.names;
    let mut unknown = BTreeMap::<(Table, &'a str), Vec<Span>>::new();
    let mut known = |table, name: &'a Spanned<String>| {
        let index = match table {
            Table::States => &names.states,
            Table::Events => &names.events,
            Table::Effects => &names.effects,
            Table::Guards => &names.guards,
            Table::Slots => &names.slots,
        };
        if !index.contains_key(name.as_str()) {
            let key = (table, name.value.as_str());
            unknown.entry(key).or_default().push(name.span);
        }
    };
    for row in &rules.domain.transitions {
        for state in row.from.states() {
            known(Table::States, state);
        }
        known(Table::Events, &row.on);
        known(Table::States, &row.to);
        if let Some(effect) = &row.effect {
            known(Table::Effects, effect);
        }
    }
    for row in &rules.domain.ignored {
        for state in row.from.states() {
            known(Table::States, state);
        }
        for event in &row.on {
            known(Table::Events, event);
        }
    }
    for ((table, name), places) in unknown {
        out.unknown_at(Code::UNDECLARED, table, name, &places, str::to_owned);
    }
    for row in &rules.domain.transitions {
        let Some(guard) = &row.guard else { continue };
        if !names.guards.contains_key(guard.name.as_str()) {
            let mark = if guard.negated { "!" } else { "" };
            let name = (guard.name.as_str(), guard.span);
            out.unknown(Code::UNDECLARED, Table::Guards, name, |meant| {
                format!("{mark}{meant}")
            });
        }
    }
}

/// The place of a state in a row's list.
fn place(from: &Spanned<FromStates>, state: &str) -> Span {
    let mut list = from.states().iter();
    let found = list.find(|one| one.value == state);
    found.map_or(from.span, |one| one.span)
}

/// No two specific rules for one event in one state, and no state twice in a rule's list.
fn specific(rules: &Rules<'_>, out: &mut Report<'_>) {
    for row in &rules.domain.transitions {
        repeated(row.from.states(), "state", out);
    }
    let mut told = HashSet::new();
    for pair in rules.edges.windows(2) {
        let (one, two) = (pair[0], pair[1]);
        let same = (one.from, one.on) == (two.from, two.on) && one.on != Edge::UNKNOWN;
        // One finding for two rows, however many states they share.
        if !same || one.row == two.row || !told.insert((one.row, two.row)) {
            continue;
        }
        let state = &rules.base.states[one.from].name;
        let event = &rules.base.events[one.on].name;
        let (first, second) = (rules.written(one.row), rules.written(two.row));
        let message = format!(
            "state `{}` has two rules for `{}`",
            clip(state),
            clip(event)
        );
        out.push(
            Diagnostic::new(Code::AMBIGUOUS, place(&second.from, state), message)
                .related(place(&first.from, state), "the first rule is here")
                .help("the table never branches on values: let the handler answer with two events"),
        );
    }
}

fn repeated(list: &[Spanned<String>], what: &str, out: &mut Report<'_>) {
    if list.len() < 2 {
        return;
    }
    let mut first = HashMap::new();
    for name in list {
        if let Some(before) = first.insert(name.value.as_str(), name.span) {
            let message = format!("{what} `{}` is listed twice", clip(name));
            out.push(
                Diagnostic::new(Code::AMBIGUOUS, name.span, message)
                    .related(before, "it is listed here, too")
                    .help("remove one of them"),
            );
        }
    }
}

/// No two wildcards for one event.
fn wildcards(rules: &Rules<'_>, out: &mut Report<'_>) {
    let transitions = rules.domain.transitions.iter();
    let transitions = transitions.map(|row| (&row.from, std::slice::from_ref(&row.on)));
    let ignored = rules.domain.ignored.iter();
    let ignored = ignored.map(|row| (&row.from, row.on.as_slice()));
    let mut first = HashMap::new();
    for (from, on) in transitions.chain(ignored) {
        if from.value != FromStates::Any {
            continue;
        }
        for event in on {
            if !rules.names.events.contains_key(event.as_str()) {
                continue;
            }
            let Some(before) = first.insert(event.value.as_str(), from.span) else {
                continue;
            };
            // Listed twice in one row: said elsewhere.
            if before == from.span && from.span != Span::default() {
                continue;
            }
            let message = format!("two wildcards answer `{}`", clip(event));
            out.push(
                Diagnostic::new(Code::AMBIGUOUS, from.span, message)
                    .related(before, "the first wildcard is here")
                    .help("name the states in one of them: specific rows beat wildcards"),
            );
        }
    }
}

/// Only external events are ignored, each once, and not where a rule answers them.
fn ignored(rules: &Rules<'_>, out: &mut Report<'_>) {
    let base = rules.base;
    for row in &rules.domain.ignored {
        repeated(row.from.states(), "state", out);
        repeated(&row.on, "event", out);
        for on in &row.on {
            let Some(event) = rules.names.events.get(on.as_str()) else {
                continue;
            };
            let event = &base.events[*event];
            if !event.is_external() {
                let message = format!("event `{}` is ignored, and is not external", clip(on));
                out.push(
                    Diagnostic::new(Code::IGNORED, on.span, message)
                        .related(event.name.span, "it is declared here")
                        .help("remove it here: an event that no rule answers is rejected; or declare it `external = true`"),
                );
            }
        }
    }
    let mut told = HashSet::new();
    let mut before: Option<(usize, usize, usize)> = None;
    for (state, event, row) in &rules.ignored {
        let written = &rules.domain.ignored[*row];
        let on = &base.events[*event].name;
        let name = &base.states[*state].name;
        let on_place = written.on.iter().find(|one| one.value == on.value);
        let on_place = on_place.map_or(written.span, |one| one.span);
        let first = before.filter(|cell| (cell.0, cell.1) == (*state, *event));
        let first = first.map(|(.., first)| first).filter(|first| first != row);
        if let Some(first) = first.filter(|_| told.insert((*row, *event, usize::MAX))) {
            let first = &rules.domain.ignored[first];
            let message = format!("state `{}` ignores `{}` twice", clip(name), clip(on));
            out.push(
                Diagnostic::new(Code::AMBIGUOUS, on_place, message)
                    .related(place(&first.from, name), "the first row is here")
                    .help("remove one of them"),
            );
        }
        before = Some((*state, *event, *row));
        let Some(edge) = rules.edge(*state, *event) else {
            continue;
        };
        if told.insert((*row, *event, edge.row)) {
            let message = format!("state `{}` handles and ignores `{}`", clip(name), clip(on));
            let rule = rules.written(edge.row);
            out.push(
                Diagnostic::new(Code::IGNORED_AND_HANDLED, on_place, message)
                    .related(place(&rule.from, name), "the rule is here")
                    .help("remove one of them"),
            );
        }
    }
}

/// `is_terminal` says what the rules say.
fn terminal(rules: &Rules<'_>, out: &mut Report<'_>) {
    for (at, state) in rules.base.states.iter().enumerate() {
        let Some(said) = &state.is_terminal else {
            continue;
        };
        let name = clip(&state.name);
        let first = rules.edges_of(at).iter().min_by_key(|edge| edge.row);
        match (said.value, first) {
            (true, Some(edge)) => {
                let message = format!("state `{name}` is terminal, and a rule leaves it");
                let rule = rules.written(edge.row);
                out.push(
                    Diagnostic::new(Code::TERMINAL, said.span, message)
                        .related(place(&rule.from, &state.name), "the rule is here")
                        .help("remove `is_terminal`, or the rule"),
                );
            }
            // A rule for a state that is not declared may have been meant for this one.
            (false, None) if !rules.holes.from && !rules.overflow => {
                let message = format!("state `{name}` is not terminal, and no rule leaves it");
                out.push(
                    Diagnostic::new(Code::TERMINAL, said.span, message)
                        .help("add a rule, or remove `is_terminal`"),
                );
            }
            _ => {}
        }
    }
}

/// `stop` enters terminal states, and no other effect does.
fn stops(rules: &Rules<'_>, out: &mut Report<'_>) {
    let base = rules.base;
    for (row, written) in rules.rows.iter().zip(&rules.domain.transitions) {
        let (Use::Row(effect), Some(to), Some(name)) = (row.effect, row.to, &written.effect) else {
            continue;
        };
        let (Some(semantics), Some(ends)) = (base.effects[effect].semantics.value, rules.ends(to))
        else {
            continue;
        };
        let state = clip(&base.states[to].name);
        let effect = clip(name);
        if semantics == Semantics::Stop && !ends {
            let message =
                format!("`{effect}` stops the run on the way into `{state}`, which has rules");
            out.push(
                Diagnostic::new(Code::STOP_PLACE, name.span, message)
                    .related(written.to.span, "the state is entered here")
                    .help("enter a terminal state, or use an effect that does not stop"),
            );
        } else if semantics != Semantics::Stop && ends {
            let message =
                format!("`{effect}` is asked for on the way into `{state}`, which ends the run");
            out.push(
                Diagnostic::new(Code::STOP_PLACE, name.span, message)
                    .related(written.to.span, "the state is entered here")
                    .help(format!(
                        "its answer could never arrive: only `stop` may enter a terminal state; if wildcards leave `{state}`, declare it `is_terminal = false`"
                    )),
            );
        }
    }
}
