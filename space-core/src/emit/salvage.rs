//! What can still be emitted of a contract that is wrong.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{
    Base, Domain, FromStates, Json, Spanned, State, Transition, Type, upper_camel,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::graph::Model;

/// A model of a contract whose vocabulary is right, for code that is emitted beside an error: so
/// that the error is the only one. Rules that make no sense are left out.
///
/// `None` when the vocabulary is wrong in a way that its types would show.
pub fn salvage(base: &Base, domain: &Domain, errors: &[Diagnostic]) -> Option<Model> {
    // What remains of `base` then is written as its types want it.
    let types = |one: &Diagnostic| one.span.file == base.span().file && !harmless(one.code);
    if errors.iter().any(types) {
        return None;
    }
    let base = vocabulary(base);
    let domain = behaviour(&base, domain);
    Model::resolve(&base, &domain).or_else(|| {
        let nothing = Domain {
            meta: domain.meta.clone(),
            ..Domain::default()
        };
        Model::resolve(&base, &nothing)
    })
}

/// Whether an error at a place in the vocabulary leaves its types what they are.
fn harmless(code: Code) -> bool {
    const IN_BASE: &[Code] = &[
        Code::UNPAIRED,
        Code::INITIAL,
        Code::SENTINEL_RETURNS,
        Code::SENTINEL_PAYLOAD,
        Code::DEFAULT,
    ];
    code >= Code::PAIR || IN_BASE.contains(&code)
}

/// The names that a module would have at its top, as far as these tell: for a module that cannot be
/// filled. `prefix` is that of its types where there is no base to declare it.
pub fn names(
    stem: &str,
    base: Option<&Base>,
    domain: Option<&Domain>,
    prefix: Option<&str>,
) -> BTreeSet<String> {
    let declared = base.and_then(|base| base.meta.prefix.as_ref());
    let declared = declared.map(|prefix| prefix.value.as_str()).or(prefix);
    let prefix = declared.map_or_else(|| upper_camel(stem), str::to_owned);
    let types = ["", "State", "Event", "Effect", "Ctx", "Guards", "Handler"];
    let types = types.map(|kind| format!("{prefix}{kind}"));
    let declared = base.into_iter().flat_map(|base| &base.effects);
    let asked = domain.into_iter().flat_map(|domain| &domain.transitions);
    let effects = declared.map(|row| &row.name);
    let effects = effects.chain(asked.filter_map(|row| row.effect.as_ref()));
    let outcomes = effects.map(|name| format!("{}Outcome", name.value));
    let mut names: BTreeSet<_> = types.into_iter().chain(outcomes).collect();
    names.retain(|name| camel(name));
    names.extend(["step".to_owned(), "RULES".to_owned()]);
    names
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

/// The vocabulary with what is wrong and no type shows put right.
fn vocabulary(base: &Base) -> Base {
    let mut base = base.clone();
    if base.states.is_empty() {
        base.states.push(placeholder());
    }
    let initial = |row: &State| row.is_initial.as_ref().is_some_and(|initial| initial.value);
    let start = base.states.iter().position(initial).unwrap_or(0);
    for (at, row) in base.states.iter_mut().enumerate() {
        row.is_initial = Some((at == start).into());
    }
    for row in &mut base.effects {
        row.sentinel = None;
    }
    for row in &mut base.ctx {
        // Whether there is a default decides the type of the field; which one does not.
        if let (Some(default), Some(ty)) = (&mut row.default, &row.ty.value) {
            default.value = zero(ty);
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
