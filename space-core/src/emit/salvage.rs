//! What can still be emitted of a contract that is wrong.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{
    Base, Domain, Field, FromStates, Json, Semantics, Spanned, State, Transition, Type,
};
use crate::graph::Model;

/// A model of what a contract says rightly, for code that is emitted beside an error: so that the
/// error is the only one. Rows that make no sense are left out; a type that is not known is
/// `text`.
pub fn salvage(base: &Base, domain: &Domain) -> Model {
    let base = vocabulary(base);
    let domain = behaviour(&base, domain);
    let model = Model::resolve(&base, &domain).or_else(|| {
        let nothing = Domain {
            meta: domain.meta.clone(),
            ..Domain::default()
        };
        Model::resolve(&base, &nothing)
    });
    model.unwrap_or_else(|| nothing(&base))
}

/// A model of a name alone.
fn nothing(base: &Base) -> Model {
    let mut bare = Base {
        meta: base.meta.clone(),
        ..Base::default()
    };
    bare.states = vec![placeholder()];
    let name = Domain {
        meta: base.meta.clone(),
        ..Domain::default()
    };
    // A base of one initial state always resolves.
    Model::resolve(&bare, &name).unwrap_or_else(|| unreachable!("a state and no rule"))
}

fn placeholder() -> State {
    State {
        name: "Unknown".into(),
        is_initial: Some(true.into()),
        ..State::default()
    }
}

fn camel(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric())
}

fn lower(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The rows with a legal name that none before them has.
fn named<T: Clone>(
    rows: &[T],
    name: impl Fn(&T) -> &Spanned<String>,
    legal: fn(&str) -> bool,
) -> Vec<T> {
    let mut seen = BTreeSet::new();
    rows.iter()
        .filter(|row| legal(name(row)) && seen.insert(name(row).value.clone()))
        .cloned()
        .collect()
}

fn fields(rows: &[Field]) -> Vec<Field> {
    let mut rows = named(rows, |row| &row.name, lower);
    for row in &mut rows {
        row.ty.value.get_or_insert(Type::Text);
    }
    rows
}

fn vocabulary(base: &Base) -> Base {
    let mut base = base.clone();
    if base
        .meta
        .prefix
        .as_ref()
        .is_some_and(|prefix| !camel(prefix))
    {
        base.meta.prefix = None;
    }
    if base.meta.prefix.is_none() && !lower(&base.meta.name) {
        base.meta.name = "unknown".into();
    }
    base.states = named(&base.states, |row| &row.name, camel);
    if base.states.is_empty() {
        base.states.push(placeholder());
    }
    let initial = |row: &State| row.is_initial.as_ref().is_some_and(|initial| initial.value);
    let start = base.states.iter().position(initial).unwrap_or(0);
    for (at, row) in base.states.iter_mut().enumerate() {
        row.is_initial = Some((at == start).into());
    }
    base.events = named(&base.events, |row| &row.name, camel);
    for row in &mut base.events {
        row.payload = fields(&row.payload);
    }
    let events: BTreeSet<_> = base
        .events
        .iter()
        .map(|row| row.name.value.clone())
        .collect();
    base.effects = named(&base.effects, |row| &row.name, camel);
    for row in &mut base.effects {
        row.args = fields(&row.args);
        row.semantics.value.get_or_insert(Semantics::Command);
        if let Some(returns) = &mut row.returns {
            let mut seen = BTreeSet::new();
            returns
                .value
                .retain(|name| events.contains(&name.value) && seen.insert(name.value.clone()));
        }
        row.sentinel = None;
    }
    base.guards = named(&base.guards, |row| &row.name, lower);
    base.ctx = named(&base.ctx, |row| &row.name, lower);
    for row in &mut base.ctx {
        let ty = row.ty.value.get_or_insert(Type::Text).clone();
        // Whether there is a default decides the type of the field; which one does not.
        if let Some(default) = &mut row.default {
            default.value = zero(&ty);
        }
    }
    base
}

fn zero(ty: &Type) -> Json {
    match ty {
        Type::Text => Json::Text(String::new()),
        Type::Int => Json::Int(0),
        Type::Float => Json::Float(0.0),
        Type::Bool => Json::Bool(false),
        Type::Json | Type::Optional(_) => Json::Null,
        Type::List(_) => Json::List(Vec::new()),
    }
}

/// The rules without values: what code outside the module could see of them is nothing.
fn behaviour(base: &Base, domain: &Domain) -> Domain {
    let mut taken: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let state = |name: &str| base.states.iter().any(|row| row.name.value == name);
    let event = |name: &str| base.events.iter().any(|row| row.name.value == name);
    let bare = |name: &str| {
        let mut effects = base.effects.iter();
        effects.any(|row| row.name.value == name && row.args.is_empty())
    };
    let mut rows = Vec::new();
    for row in &domain.transitions {
        let FromStates::States(from) = &row.from.value else {
            continue;
        };
        if !state(&row.to) || !event(&row.on) {
            continue;
        }
        let mut free = from.clone();
        free.retain(|name| {
            state(name)
                && taken
                    .entry(name.value.clone())
                    .or_default()
                    .insert(row.on.value.clone())
        });
        if free.is_empty() {
            continue;
        }
        rows.push(Transition {
            from: Spanned::new(FromStates::States(free), row.from.span),
            guard: None,
            effect: row.effect.clone().filter(|effect| bare(effect)),
            args: Vec::new(),
            args_from: Vec::new(),
            assign: Vec::new(),
            assign_from: Vec::new(),
            ..row.clone()
        });
    }
    Domain {
        meta: domain.meta.clone(),
        transitions: rows,
        ..Domain::default()
    }
}
