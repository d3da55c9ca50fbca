//! A form as JSON Schema, draft 2020-12.

use std::collections::BTreeMap;

use super::describe::{Form, Kind, Table};
use crate::contract::{Json, Semantics};

const SNAKE: &str = "[a-z][a-z0-9]*(_[a-z0-9]+)*";

/// The schema of a form: pretty JSON that ends in a line break, keys sorted.
pub fn schema(form: &Form) -> String {
    let mut defs = BTreeMap::new();
    let mut members = table(&form.root, &mut defs);
    members.insert(
        "$schema".to_owned(),
        word("https://json-schema.org/draft/2020-12/schema"),
    );
    members.insert("title".to_owned(), word(form.title));
    members.insert("$defs".to_owned(), Json::Object(defs));
    format!("{}\n", Json::Object(members).pretty())
}

type Members = BTreeMap<String, Json>;

fn word(text: &str) -> Json {
    Json::Text(text.to_owned())
}

fn table(table: &Table, defs: &mut Members) -> Members {
    let mut properties = Members::new();
    for key in table.keys {
        let mut property = kind(&key.kind, defs);
        if let Json::Object(members) = &mut property {
            members.insert("description".to_owned(), word(key.doc));
        }
        properties.insert(key.name.to_owned(), property);
    }
    let required = table.keys.iter().filter(|key| key.required);
    let required: Vec<_> = required.map(|key| key.name).collect();
    let mut members = Members::from([
        ("type".to_owned(), word("object")),
        ("properties".to_owned(), Json::Object(properties)),
        ("additionalProperties".to_owned(), Json::Bool(false)),
    ]);
    if !required.is_empty() {
        members.insert("required".to_owned(), Json::texts(required));
    }
    let needs = |key: &&str| ("required", Json::texts([*key]));
    if !table.one_of.is_empty() {
        let one = table.one_of.iter().map(|key| Json::object([needs(key)]));
        members.insert("oneOf".to_owned(), Json::List(one.collect()));
    }
    if !table.some_above_0.is_empty() {
        let above = Json::object([("minimum", Json::Int(1))]);
        let some = table.some_above_0.iter().map(|key| {
            let property = Json::object([(*key, above.clone())]);
            Json::object([needs(key), ("properties", property)])
        });
        members.insert("anyOf".to_owned(), Json::List(some.collect()));
    }
    members
}

/// The depth of the recursion is that of the description.
fn kind(kind: &Kind, defs: &mut Members) -> Json {
    let pattern = |pattern: String| {
        Json::object([("type", word("string")), ("pattern", Json::Text(pattern))])
    };
    let words = |words: &[&str]| Json::object([("enum", Json::texts(words.iter().copied()))]);
    let list = |least: u8, items: Json| {
        let mut members = vec![("type", word("array")), ("items", items)];
        if least > 0 {
            members.push(("minItems", Json::Int(least.into())));
        }
        Json::object(members)
    };
    match kind {
        Kind::Text => Json::object([("type", word("string"))]),
        Kind::Camel => pattern("^[A-Z][A-Za-z0-9]*$".to_owned()),
        Kind::Snake => pattern(format!("^{SNAKE}$")),
        Kind::Guard => pattern(format!("^(! *)?{SNAKE}$")),
        // The common types are named for completion. That brackets close is the parser's to see.
        Kind::Type => Json::object([(
            "anyOf",
            Json::List(vec![
                words(&[
                    "text",
                    "int",
                    "float",
                    "bool",
                    "json",
                    "list<text>",
                    "text?",
                ]),
                pattern(r"^ *(list< *)*(text|int|float|bool|json)[ ?>]*$".to_owned()),
            ]),
        )]),
        Kind::Semantics => words(&Semantics::ALL.map(Semantics::name)),
        Kind::Merge => words(&["union"]),
        Kind::Flag => Json::object([("type", word("boolean"))]),
        Kind::Count => Json::object([
            ("type", word("integer")),
            ("minimum", Json::Int(0)),
            ("maximum", Json::Int(u32::MAX.into())),
        ]),
        Kind::Json => Json::object::<&str>([]),
        Kind::Point => pattern(format!(
            "^(({SNAKE}\\.)?(state|event|effect):[A-Z][A-Za-z0-9]*|({SNAKE}\\.)?semantics:({}))$",
            Semantics::ALL.map(Semantics::name).join("|")
        )),
        Kind::List(items) => list(0, self::kind(items, defs)),
        Kind::AtLeast(least, items) => list(*least, self::kind(items, defs)),
        Kind::OneOrMore(item) => {
            let item = self::kind(item, defs);
            let both = vec![item.clone(), list(1, item)];
            Json::object([("anyOf", Json::List(both))])
        }
        Kind::Either(kinds) => {
            let kinds = kinds.iter().map(|one| self::kind(one, defs));
            Json::object([("anyOf", Json::List(kinds.collect()))])
        }
        Kind::Any => Json::object([("const", word("*"))]),
        Kind::Table(inner) => {
            if !defs.contains_key(inner.name) {
                let members = table(inner, defs);
                defs.insert(inner.name.to_owned(), Json::Object(members));
            }
            let place = format!("#/$defs/{}", inner.name);
            Json::object([("$ref", Json::Text(place))])
        }
    }
}
