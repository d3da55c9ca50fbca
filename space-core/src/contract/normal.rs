//! A contract as data without places, prose or spelling choices.

use std::collections::{BTreeMap, HashSet};

use super::domain::Points;
use super::{
    Base, Compositions, Domain, Field, FromStates, Hash, Json, Pattern, Spanned, Type,
    normalise_compositions, upper_camel,
};

/// The hash of a contract.
pub fn contract_hash(base: &Base, domain: &Domain) -> Hash {
    Hash(hmac_sha256::Hash::hash(
        normalise(base, domain).to_string().as_bytes(),
    ))
}

/// The hash of a composition file, over what [`contract_hash`] is. The spaces that it names have
/// hashes of their own.
pub fn compositions_hash(compositions: &Compositions) -> Hash {
    Hash(hmac_sha256::Hash::hash(
        normalise_compositions(compositions).to_string().as_bytes(),
    ))
}

/// The contract as JSON: every table in file order, keys sorted, defaults left out, no `doc`, no
/// `version`. Contracts that differ in nothing else have the same text.
pub fn normalise(base: &Base, domain: &Domain) -> Json {
    let mut root = Object::default();
    root.text("name", &base.meta.name);
    let default = upper_camel(&base.meta.name);
    if let Some(prefix) = base.meta.prefix.as_ref().filter(|one| one.value != default) {
        root.text("prefix", prefix);
    }
    let specific = domain
        .transitions
        .iter()
        .filter_map(|rule| match &rule.from.value {
            FromStates::Any => None,
            FromStates::States(states) => Some(states),
        });
    let left: HashSet<&str> = specific.flatten().map(|state| state.as_str()).collect();
    root.list(
        "states",
        base.states.iter().map(|state| {
            let mut row = Object::default();
            row.text("name", &state.name);
            row.flag("is_initial", state.is_initial.as_ref());
            // `is_terminal = false` says something only of a state that no specific rule leaves:
            // wildcards then leave it. Everywhere else it repeats what the rules say.
            let lives = state.is_terminal.as_ref().is_some_and(|said| !said.value);
            if lives && !left.contains(state.name.as_str()) {
                row.set("is_terminal", Json::Bool(false));
            }
            row.into_json()
        }),
    );
    root.list(
        "events",
        base.events.iter().map(|event| {
            let mut row = Object::default();
            row.text("name", &event.name);
            row.list("payload", event.payload.iter().map(field));
            row.flag("external", event.external.as_ref());
            row.into_json()
        }),
    );
    root.list(
        "effects",
        base.effects.iter().map(|effect| {
            let mut row = Object::default();
            row.text("name", &effect.name);
            row.list("args", effect.args.iter().map(field));
            let semantics = effect.semantics.value.unwrap_or_default();
            row.set("semantics", Json::Text(semantics.name().into()));
            if let Some(returns) = &effect.returns {
                row.set("returns", names(&returns.value));
            }
            if let Some(sentinel) = &effect.sentinel {
                row.text("sentinel", sentinel);
            }
            row.into_json()
        }),
    );
    root.list(
        "guards",
        base.guards
            .iter()
            .map(|guard| Json::Text(guard.name.value.clone())),
    );
    root.list(
        "ctx",
        base.ctx.iter().map(|slot| {
            let mut row = Object::default();
            row.text("name", &slot.name);
            row.set("type", ty(slot.ty.as_ref()));
            if let Some(default) = &slot.default {
                row.set("default", default.value.clone());
            }
            row.into_json()
        }),
    );
    root.list(
        "transitions",
        domain.transitions.iter().map(|rule| {
            let mut row = Object::default();
            row.set("from", from(&rule.from));
            row.text("on", &rule.on);
            row.text("to", &rule.to);
            if let Some(guard) = &rule.guard {
                let mark = if guard.negated { "!" } else { "" };
                row.set("guard", Json::Text(format!("{mark}{}", guard.name)));
            }
            if let Some(effect) = &rule.effect {
                row.text("effect", effect);
            }
            row.list(
                "args",
                rule.args.iter().map(|arg| Json::Text(arg.value.clone())),
            );
            row.list(
                "args_from",
                rule.args_from
                    .iter()
                    .map(|one| pair("arg", &one.arg, "slot", &one.slot)),
            );
            row.list(
                "assign",
                rule.assign
                    .iter()
                    .map(|slot| Json::Text(slot.value.clone())),
            );
            row.list(
                "assign_from",
                rule.assign_from
                    .iter()
                    .map(|one| pair("slot", &one.slot, "from_field", &one.from_field)),
            );
            row.into_json()
        }),
    );
    root.list(
        "ignored",
        domain
            .ignored
            .iter()
            .map(|row| Json::object([("from", from(&row.from)), ("on", names(&row.on))])),
    );
    root.list(
        "invariants",
        domain.invariants.iter().map(|one| {
            let (kind, body) = pattern(&one.pattern);
            Json::object([("name", Json::Text(one.name.value.clone())), (kind, body)])
        }),
    );
    root.into_json()
}

/// An object whose defaults are left out.
#[derive(Default)]
pub(super) struct Object(BTreeMap<String, Json>);

impl Object {
    pub(super) fn set(&mut self, key: &str, value: Json) {
        self.0.insert(key.to_owned(), value);
    }

    pub(super) fn text(&mut self, key: &str, value: &Spanned<String>) {
        self.set(key, Json::Text(value.value.clone()));
    }

    fn flag(&mut self, key: &str, value: Option<&Spanned<bool>>) {
        if value.is_some_and(|value| value.value) {
            self.set(key, Json::Bool(true));
        }
    }

    pub(super) fn list(&mut self, key: &str, items: impl Iterator<Item = Json>) {
        let items: Vec<_> = items.collect();
        if !items.is_empty() {
            self.set(key, Json::List(items));
        }
    }

    pub(super) fn into_json(self) -> Json {
        Json::Object(self.0)
    }
}

fn ty(ty: Option<&Type>) -> Json {
    Json::Text(ty.map_or_else(|| "?".to_owned(), Type::to_string))
}

fn field(field: &Field) -> Json {
    Json::object([
        ("name", Json::Text(field.name.value.clone())),
        ("type", ty(field.ty.as_ref())),
    ])
}

pub(super) fn names(names: &[Spanned<String>]) -> Json {
    Json::texts(names.iter().map(|name| name.value.clone()))
}

fn from(from: &FromStates) -> Json {
    match from {
        FromStates::Any => Json::Text("*".into()),
        FromStates::States(states) => names(states),
    }
}

pub(super) fn pair(a: &str, a_name: &Spanned<String>, b: &str, b_name: &Spanned<String>) -> Json {
    Json::object([
        (a, Json::Text(a_name.value.clone())),
        (b, Json::Text(b_name.value.clone())),
    ])
}

/// A pattern's key and body.
pub(super) fn pattern(pattern: &Pattern) -> (&'static str, Json) {
    let points = |points: &Points| Json::texts(points.iter().map(|point| point.to_string()));
    let body = |parts: &[(&str, &Points)]| {
        let given = parts.iter().filter(|(_, list)| !list.is_empty());
        Json::object(given.map(|(key, list)| (*key, points(list))))
    };
    match pattern {
        Pattern::Absence { of, after, until } => (
            "absence",
            body(&[("of", of), ("after", after), ("until", until)]),
        ),
        Pattern::Existence { of } => ("existence", body(&[("of", of)])),
        Pattern::Precedence { first, then, reset } => (
            "precedence",
            body(&[("first", first), ("then", then), ("reset", reset)]),
        ),
        Pattern::Response { after, must } => {
            ("response", body(&[("after", after), ("must", must)]))
        }
        Pattern::BoundedExistence { of, at_most } => (
            "bounded_existence",
            Json::object([
                ("of", points(of)),
                ("at_most", Json::Int(at_most.value.into())),
            ]),
        ),
        Pattern::Exclusion { points } => ("exclusion", body(&[("points", points)])),
        Pattern::Reachable { point } => ("reachable", body(&[("point", point)])),
    }
}
