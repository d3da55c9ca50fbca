use regex::Regex;

use super::json::{Json, Value};

/// What holds for a value. Numbers are compared by value and exactly, strings by code point.
#[derive(Debug, Clone)]
pub enum Op {
    /// Equal: `1` and `1.0` are, `1` and `"1"` are not.
    Eq(Json),
    /// Not equal.
    Ne(Json),
    /// Less, among numbers or among strings.
    Lt(Json),
    /// Less or equal.
    Le(Json),
    /// Greater.
    Gt(Json),
    /// Greater or equal.
    Ge(Json),
    /// A string with that part, an array with that item, an object with those members.
    Contains(Json),
    /// A string that starts so.
    StartsWith(String),
    /// A string that ends so.
    EndsWith(String),
    /// A string in which the regular expression matches somewhere.
    Matches(Regex),
    /// Equal to one of these.
    OneOf(Vec<Json>),
    /// Of this type; `integer` is any number without a fraction.
    Type(String),
    /// Selected at all (`true`) or not (`false`). Absent is not null.
    Exists(bool),
    /// A string, array or object that holds nothing (`true`) or something (`false`).
    Empty(bool),
    /// That many characters, items or members.
    Length {
        /// At least.
        min: usize,
        /// At most.
        max: usize,
    },
    /// A number that is near: within `abs`, or within `rel` times the expected one.
    Approx {
        /// The expected number.
        value: f64,
        /// The absolute distance allowed.
        abs: f64,
        /// The relative distance allowed.
        rel: f64,
    },
    /// Valid under a JSON Schema.
    Schema(std::sync::Arc<jsonschema::Validator>),
}

/// The names of the operators in a check file.
pub(super) const OPS: &[&str] = &[
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "contains",
    "starts_with",
    "ends_with",
    "matches",
    "one_of",
    "type",
    "exists",
    "empty",
    "length",
    "approx",
    "schema",
];

impl Op {
    /// What is wrong with the value, as the rest of a sentence about it.
    pub(super) fn fault(&self, json: &Json) -> Option<String> {
        let complies = match self {
            Self::Eq(expected) => json == expected,
            Self::Ne(expected) => json != expected,
            Self::Lt(bound) => return order(json, bound, std::cmp::Ordering::is_lt, self),
            Self::Le(bound) => return order(json, bound, std::cmp::Ordering::is_le, self),
            Self::Gt(bound) => return order(json, bound, std::cmp::Ordering::is_gt, self),
            Self::Ge(bound) => return order(json, bound, std::cmp::Ordering::is_ge, self),
            Self::Contains(part) => return contains(json, part, self),
            Self::StartsWith(start) => return string(json, self, |text| text.starts_with(start)),
            Self::EndsWith(end) => return string(json, self, |text| text.ends_with(end)),
            Self::Matches(regex) => return string(json, self, |text| regex.is_match(text)),
            Self::OneOf(all) => all.contains(json),
            Self::Type(name) => match (&json.value, name.as_str()) {
                (Value::Number(number), "integer") => number.is_integer(),
                (_, name) => json.type_name() == name,
            },
            Self::Exists(wanted) => *wanted,
            Self::Empty(wanted) => match length(json) {
                Some(length) => (length == 0) == *wanted,
                None => return Some(wrong_type(json, "a string, an array or an object")),
            },
            Self::Length { min, max } => match length(json) {
                Some(length) if (*min..=*max).contains(&length) => true,
                Some(length) => {
                    return Some(format!(
                        "has length {length}, expected {self}: {}",
                        short(json)
                    ));
                }
                None => return Some(wrong_type(json, "a string, an array or an object")),
            },
            Self::Approx { value, abs, rel } => match &json.value {
                Value::Number(number) => {
                    let distance = (number.to_f64() - value).abs();
                    distance <= abs.max(rel * value.abs())
                }
                _ => return Some(wrong_type(json, "a number")),
            },
            Self::Schema(validator) => {
                let serde = json.to_serde();
                let error = validator.iter_errors(&serde).next()?;
                let path = error.instance_path().to_string();
                let place = if path.is_empty() {
                    String::new()
                } else {
                    format!(" at `{path}`")
                };
                return Some(format!("does not fit the schema{place}: {error}"));
            }
        };
        (!complies).then(|| format!("is {}, expected {self}", short(json)))
    }
}

fn order(
    json: &Json,
    bound: &Json,
    fits: fn(std::cmp::Ordering) -> bool,
    op: &Op,
) -> Option<String> {
    let ordering = match (&json.value, &bound.value) {
        (Value::Number(left), Value::Number(right)) => left.cmp(right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        _ => {
            return Some(wrong_type(
                json,
                &format!("a {}, to be compared", bound.type_name()),
            ));
        }
    };
    (!fits(ordering)).then(|| format!("is {}, expected {op}", short(json)))
}

fn string(json: &Json, op: &Op, fits: impl Fn(&str) -> bool) -> Option<String> {
    match &json.value {
        Value::String(text) if fits(text) => None,
        Value::String(_) => Some(format!("is {}, expected {op}", short(json))),
        _ => Some(wrong_type(json, "a string")),
    }
}

fn contains(json: &Json, part: &Json, op: &Op) -> Option<String> {
    let complies = match (&json.value, &part.value) {
        (Value::String(text), Value::String(part)) => text.contains(part),
        (Value::Array(items), _) => items.contains(part),
        (Value::Object(members), Value::Object(parts)) => parts
            .iter()
            .all(|(key, value)| members.get(key) == Some(value)),
        (Value::Object(members), Value::String(key)) => members.contains_key(key),
        (Value::String(_), _) => return Some(format!("is a string and cannot contain {part}")),
        _ => return Some(wrong_type(json, "a string, an array or an object")),
    };
    (!complies).then(|| format!("is {}, expected {op}", short(json)))
}

fn wrong_type(json: &Json, wanted: &str) -> String {
    let article = if matches!(json.value, Value::Array(_) | Value::Object(_)) {
        "an "
    } else {
        "a "
    };
    let article = if json.type_name() == "null" {
        ""
    } else {
        article
    };
    format!(
        "is {article}{}, expected {wanted}: {}",
        json.type_name(),
        short(json)
    )
}

fn length(json: &Json) -> Option<usize> {
    match &json.value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(items) => Some(items.len()),
        Value::Object(members) => Some(members.len()),
        _ => None,
    }
}

/// The value as it is shown in a message.
pub(super) fn short(json: &Json) -> String {
    const LONGEST: usize = 120;
    let text = json.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}

impl std::fmt::Display for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Eq(value) => write!(f, "{value}"),
            Self::Ne(value) => write!(f, "anything but {value}"),
            Self::Lt(value) => write!(f, "less than {value}"),
            Self::Le(value) => write!(f, "at most {value}"),
            Self::Gt(value) => write!(f, "more than {value}"),
            Self::Ge(value) => write!(f, "at least {value}"),
            Self::Contains(value) => write!(f, "something with {value} in it"),
            Self::StartsWith(text) => write!(f, "a string that starts with {text:?}"),
            Self::EndsWith(text) => write!(f, "a string that ends with {text:?}"),
            Self::Matches(regex) => write!(f, "a string that matches /{regex}/"),
            Self::OneOf(values) => {
                f.write_str("one of ")?;
                values.iter().enumerate().try_for_each(|(index, value)| {
                    write!(f, "{}{value}", if index == 0 { "" } else { ", " })
                })
            }
            Self::Type(name) => write!(f, "of type {name}"),
            Self::Exists(true) => f.write_str("there"),
            Self::Exists(false) => f.write_str("absent"),
            Self::Empty(true) => f.write_str("empty"),
            Self::Empty(false) => f.write_str("not empty"),
            Self::Length { min, max } if min == max => write!(f, "length {min}"),
            Self::Length {
                min,
                max: usize::MAX,
            } => write!(f, "length {min} or more"),
            Self::Length { min, max } => write!(f, "length {min} to {max}"),
            Self::Approx { value, abs, rel } => {
                write!(f, "about {value} (within {})", abs.max(rel * value.abs()))
            }
            Self::Schema(_) => f.write_str("valid under the schema"),
        }
    }
}
