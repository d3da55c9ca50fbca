//! S02: the vocabulary.

use std::collections::HashMap;

use super::report::{Report, Table, clip, listed};
use crate::contract::{Effect, Semantics, Span, Spanned, Type, Value};
use crate::diagnostic::{Code, Diagnostic};
use crate::graph::Rules;

/// The most rows of a table: rows are numbered in 16 bits.
pub(super) const ROWS: usize = 65_535;

/// The most fields, guards and slots, which share their 16 bits with a mark.
pub(super) const FIELDS: usize = 32_767;

pub(super) fn check(rules: &Rules<'_>, out: &mut Report<'_>) {
    lengths(rules, out);
    duplicates(rules, out);
    initial(rules, out);
    for effect in &rules.base.effects {
        returns(rules, effect, out);
        sentinel(rules, effect, out);
    }
    defaults(rules, out);
}

fn lengths(rules: &Rules<'_>, out: &mut Report<'_>) {
    let (base, domain) = (rules.base, rules.domain);
    let mut length = |what: &str, count: usize, most: usize, first: Option<Span>| {
        if let Some(span) = first {
            let message = format!("{what}: {count} rows");
            let finding = Diagnostic::new(Code::TOO_MANY, span, message);
            out.push(finding.help(format!("at most {most}; this is the first too many")));
        }
    };
    macro_rules! table {
        ($what:expr, $rows:expr, $most:expr, $span:expr) => {
            length($what, $rows.len(), $most, $rows.get($most).map($span))
        };
    }
    table!("`[[states]]`", base.states, ROWS, |row| row.name.span);
    table!("`[[events]]`", base.events, ROWS, |row| row.name.span);
    table!("`[[effects]]`", base.effects, ROWS, |row| row.name.span);
    table!("`[[guards]]`", base.guards, FIELDS, |row| row.name.span);
    table!("`[[ctx]]`", base.ctx, FIELDS, |row| row.name.span);
    for event in &base.events {
        table!("`payload`", event.payload, FIELDS, |row| row.name.span);
    }
    for effect in &base.effects {
        table!("`args`", effect.args, FIELDS, |row| row.name.span);
    }
    table!("`[[transitions]]`", domain.transitions, ROWS, |row| row
        .span);
    if rules.overflow {
        let any = domain.transitions.iter().map(|row| &row.from);
        let any = any.chain(domain.ignored.iter().map(|row| &row.from));
        let mut any = any.filter(|from| from.value == crate::contract::FromStates::Any);
        let message = format!(
            "the rules are more than {} when `*` is written out",
            Rules::MAX_EDGES
        );
        let finding = Diagnostic::new(
            Code::TOO_MANY,
            any.next().map_or(base.span(), |from| from.span),
            message,
        );
        out.push(finding.help("use fewer wildcards or fewer states"));
    }
}

/// The parser leaves repeated rows out; a contract that was built in code may have them.
fn duplicates(rules: &Rules<'_>, out: &mut Report<'_>) {
    let (base, domain) = (rules.base, rules.domain);
    unique("state", base.states.iter().map(|row| &row.name), out);
    unique("event", base.events.iter().map(|row| &row.name), out);
    unique("effect", base.effects.iter().map(|row| &row.name), out);
    unique("guard", base.guards.iter().map(|row| &row.name), out);
    unique("slot", base.ctx.iter().map(|row| &row.name), out);
    unique(
        "invariant",
        domain.invariants.iter().map(|row| &row.name),
        out,
    );
    for event in &base.events {
        unique("field", event.payload.iter().map(|row| &row.name), out);
    }
    for effect in &base.effects {
        unique("field", effect.args.iter().map(|row| &row.name), out);
        unique(
            "outcome",
            effect.returns.iter().flat_map(|list| &list.value),
            out,
        );
    }
}

fn unique<'n>(what: &str, names: impl Iterator<Item = &'n Spanned<String>>, out: &mut Report<'_>) {
    let mut first = HashMap::new();
    for name in names {
        if let Some(before) = first.insert(name.value.as_str(), name.span) {
            first.insert(name.value.as_str(), before);
            let message = format!("{what} `{}` is declared twice", clip(name));
            out.push(
                Diagnostic::new(Code::DUPLICATE_NAME, name.span, message)
                    .related(before, "first declared here")
                    .help("rename or remove one of them"),
            );
        }
    }
}

fn initial(rules: &Rules<'_>, out: &mut Report<'_>) {
    let states = &rules.base.states;
    let initial = states.iter().filter_map(|state| state.is_initial.as_ref());
    let mut initial = initial.filter(|initial| initial.value);
    match (initial.next(), initial.next()) {
        (Some(_), None) => {}
        (Some(first), Some(second)) => {
            let count = 2 + initial.count();
            let message = format!("{count} states are initial");
            out.push(
                Diagnostic::new(Code::INITIAL, second.span, message)
                    .related(first.span, "the first is here")
                    .help("keep `is_initial = true` on the one where runs start"),
            );
        }
        (None, _) => match states.first() {
            Some(state) => out.push(
                Diagnostic::new(Code::INITIAL, state.name.span, "no state is initial")
                    .help("add `is_initial = true` to the state where runs start"),
            ),
            None => out.push(
                Diagnostic::new(Code::INITIAL, rules.base.span(), "there is no state")
                    .help("declare the states under `[[states]]`, one with `is_initial = true`"),
            ),
        },
    }
}

fn returns(rules: &Rules<'_>, effect: &Effect, out: &mut Report<'_>) {
    let stops = effect.semantics.value == Some(Semantics::Stop);
    let name = clip(&effect.name);
    let Some(returns) = &effect.returns else {
        // Without semantics it may be a `stop`.
        if !stops && effect.semantics.value.is_some() {
            let message = format!("effect `{name}` does not say what it returns");
            out.push(
                Diagnostic::new(Code::NO_RETURNS, effect.name.span, message)
                    .help("add `returns = […]`; without it every event is one of its outcomes"),
            );
        }
        return;
    };
    if stops && !returns.value.is_empty() {
        let message = format!("effect `{name}` stops the run, and returns events");
        out.push(
            Diagnostic::new(Code::STOP_RETURNS, returns.span, message)
                .related(effect.semantics.span, "`stop` is set here")
                .help("remove `returns`, or use other semantics"),
        );
    }
    if effect.semantics.value.is_some() && !stops && returns.value.is_empty() {
        let message = format!("effect `{name}` returns nothing: the run would wait for ever");
        out.push(
            Diagnostic::new(Code::NO_OUTCOME, returns.span, message)
                .help("name the events that its handler may answer with"),
        );
    }
    for event in &returns.value {
        if !rules.names.events.contains_key(event.as_str()) {
            let name = (event.as_str(), event.span);
            out.unknown(Code::RETURNS, Table::Events, name, str::to_owned);
        }
    }
}

fn sentinel(rules: &Rules<'_>, effect: &Effect, out: &mut Report<'_>) {
    let Some(sentinel) = &effect.sentinel else {
        return;
    };
    let returns = effect.returns.as_ref();
    if effect.semantics.value == Some(Semantics::Stop) {
        if returns.is_none_or(|returns| returns.value.is_empty()) {
            let message = format!(
                "effect `{}` stops the run, and has a sentinel",
                clip(&effect.name)
            );
            out.push(
                Diagnostic::new(Code::STOP_RETURNS, sentinel.span, message)
                    .related(effect.semantics.span, "`stop` is set here")
                    .help("remove `sentinel`, or use other semantics"),
            );
        }
        return;
    }
    let Some(event) = rules.names.events.get(sentinel.as_str()) else {
        // The same misspelling in `returns` has been reported there.
        if returns.is_none_or(|list| list.value.iter().all(|one| one.value != sentinel.value)) {
            let name = (sentinel.as_str(), sentinel.span);
            out.unknown(Code::RETURNS, Table::Events, name, str::to_owned);
        }
        return;
    };
    let event = &rules.base.events[*event];
    let missing = returns.filter(|list| list.value.iter().all(|one| one.value != sentinel.value));
    // A name in `returns` that is not declared may have been meant to be this one.
    let declared = |one: &Spanned<String>| rules.names.events.contains_key(one.as_str());
    if let Some(list) =
        missing.filter(|list| list.value.iter().all(declared) && !list.value.is_empty())
    {
        let message = format!(
            "sentinel `{}` is not one of the returns of `{}`",
            clip(sentinel),
            clip(&effect.name)
        );
        let finding = Diagnostic::new(Code::SENTINEL_RETURNS, sentinel.span, message)
            .related(list.span, "`returns` is here")
            .help(format!("add `{}` to `returns`", clip(sentinel)));
        out.push(match list.value.last() {
            Some(last) => {
                let end = Span::new(last.span.file, last.span.end, last.span.end);
                finding.edit(end, format!(", \"{}\"", sentinel.value))
            }
            None => finding,
        });
    }
    let required = event.payload.iter().filter(|field| {
        // A type that is unknown has been reported.
        field.ty.value.as_ref().is_some_and(|ty| !ty.is_optional())
    });
    let required: Vec<_> = required.collect();
    let fine = match required.as_slice() {
        [] => true,
        [one] => one.ty.value == Some(Type::Text),
        _ => false,
    };
    if !fine {
        let fields = listed(
            required.iter().map(|field| field.name.as_str()),
            required.len(),
        );
        let message = format!("sentinel `{}` needs {fields}", clip(sentinel));
        let mut finding = Diagnostic::new(Code::SENTINEL_PAYLOAD, sentinel.span, message)
            .help("keep one required field, of type `text`; make the others optional with `?`");
        for field in required.iter().take(3) {
            let ty = field
                .ty
                .value
                .as_ref()
                .map(Type::to_string)
                .unwrap_or_default();
            let message = format!("`{}` is a required `{ty}`", clip(&field.name));
            finding = finding.related(field.name.span, message);
        }
        out.push(finding.label("made from an error's text alone"));
    }
}

fn defaults(rules: &Rules<'_>, out: &mut Report<'_>) {
    for slot in &rules.base.ctx {
        let (Some(default), Some(ty)) = (&slot.default, &slot.ty.value) else {
            continue;
        };
        // A float that is not finite reads as one, and is none of ours.
        let fits = Value::from_json(&default.value, ty).is_ok_and(|value| value.is(ty));
        if !fits {
            let shown = clip(&default.value.to_string());
            let message = format!("default `{shown}` is no `{ty}`");
            out.push(
                Diagnostic::new(Code::DEFAULT, default.span, message)
                    .related(
                        slot.ty.span,
                        format!("slot `{}` has type `{ty}`", clip(&slot.name)),
                    )
                    .help("write a value of the slot's type, or change the type"),
            );
        }
    }
}
