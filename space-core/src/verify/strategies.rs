//! Strategies for values, events, effects and contexts.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::Union;

use crate::contract::{Json, Type, Value};
use crate::graph::{Model, Param};

/// Texts that find mistakes: empty, white space, quotes, control characters, several bytes a
/// character, and a huge one.
fn texts() -> Vec<String> {
    let odd = [
        "",
        " ",
        "\n\t",
        "\"\\\u{0}\u{7f}",
        "é日本🦀",
        "null",
        "\u{feff}",
        "\u{202e}",
    ];
    let mut all: Vec<_> = odd.iter().map(|text| (*text).to_owned()).collect();
    all.push("x".repeat(100_000));
    all
}

const INTS: [i64; 7] = [0, 1, -1, i64::MIN, i64::MAX, 1 << 53, -(1 << 53) - 1];

const FLOATS: [f64; 9] = [
    0.0,
    -0.0,
    1.5,
    f64::MIN,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    f64::EPSILON,
    9_007_199_254_740_993.0,
];

/// The extreme values of a type, one after the other.
pub fn extreme(ty: &Type) -> Vec<Value> {
    match ty {
        Type::Text => texts().into_iter().map(Value::Text).collect(),
        Type::Int => INTS.map(Value::Int).to_vec(),
        Type::Float => FLOATS.map(Value::Float).to_vec(),
        Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Type::Json => jsons().into_iter().map(Value::Json).collect(),
        Type::List(inner) => {
            let inner = extreme(inner);
            let first = inner.first().cloned().unwrap_or_default();
            vec![
                Value::List(Vec::new()),
                Value::List(inner),
                Value::List(vec![first; 1000]),
            ]
        }
        Type::Optional(inner) => {
            let mut all = vec![Value::None];
            all.extend(extreme(inner));
            all
        }
    }
}

fn jsons() -> Vec<Json> {
    let mut all = vec![
        Json::Null,
        Json::Bool(true),
        Json::List(Vec::new()),
        Json::object::<&str>([]),
        Json::object([
            ("", Json::Null),
            ("\"", Json::List(vec![Json::Int(i64::MIN)])),
        ]),
    ];
    all.extend(INTS.map(Json::Int));
    all.extend(FLOATS.map(Json::Float));
    all.extend(texts().into_iter().map(Json::Text));
    all
}

/// Any value of a type; extreme ones often.
pub fn value(ty: &Type) -> BoxedStrategy<Value> {
    let usual = match ty {
        Type::Text => any::<String>().prop_map(Value::Text).boxed(),
        Type::Int => any::<i64>().prop_map(Value::Int).boxed(),
        Type::Float => finite().prop_map(Value::Float).boxed(),
        Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::Json => json().prop_map(Value::Json).boxed(),
        Type::List(inner) => vec(value(inner), 0..4).prop_map(Value::List).boxed(),
        Type::Optional(inner) => {
            return Union::new([Just(Value::None).boxed(), value(inner)]).boxed();
        }
    };
    let extreme = proptest::sample::select(extreme(ty)).boxed();
    Union::new_weighted(vec![(3, usual), (1, extreme)]).boxed()
}

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |value| value.is_finite())
}

/// Any JSON.
pub fn json() -> BoxedStrategy<Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(Json::Int),
        finite().prop_map(Json::Float),
        any::<String>().prop_map(Json::Text),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::List),
            vec((any::<String>(), inner), 0..4).prop_map(Json::object),
        ]
    })
    .boxed()
}

fn row(params: &[Param]) -> BoxedStrategy<Vec<Value>> {
    let fields: Vec<_> = params.iter().map(|param| value(&param.ty)).collect();
    fields.boxed()
}

/// Any event of a contract: its row and its payload. The contract declares at least one.
pub fn event(model: &Model) -> BoxedStrategy<(usize, Vec<Value>)> {
    let rows = model.events.iter().enumerate();
    let rows = rows.map(|(at, event)| row(&event.payload).prop_map(move |values| (at, values)));
    Union::new(rows).boxed()
}

/// Any effect of a contract: its row and its arguments. The contract declares at least one.
pub fn effect(model: &Model) -> BoxedStrategy<(usize, Vec<Value>)> {
    let rows = model.effects.iter().enumerate();
    let rows = rows.map(|(at, effect)| row(&effect.args).prop_map(move |values| (at, values)));
    Union::new(rows).boxed()
}

/// Any context: a slot without default may be empty.
pub fn ctx(model: &Model) -> BoxedStrategy<Vec<Value>> {
    let slots = model.slots.iter().map(|slot| {
        if slot.can_be_empty() {
            Union::new([Just(Value::None).boxed(), value(&slot.ty)]).boxed()
        } else {
            value(&slot.ty)
        }
    });
    slots.collect::<Vec<_>>().boxed()
}
