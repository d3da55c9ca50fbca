//! Statements about the values in a text.

use regex::Regex;
use serde_json_path::{JsonPath, NormalizedPath, PathElement};

use super::check::Format;
use super::json::{Json, Value};
use super::text::Judged;
use super::verdict::{Code, Place, Reason};

/// One statement about the values that a path selects.
#[derive(Debug, Clone)]
pub struct Predicate {
    /// Where it is written.
    pub place: Place,
    /// As it was written.
    pub path_text: String,
    /// Which values.
    pub path: JsonPath,
    /// What holds for one of them.
    pub op: Op,
    /// For how many of them.
    pub quantifier: Quantifier,
    /// `each` over nothing is fine.
    pub allow_empty: bool,
}

/// How many of the selected values have to comply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// Exactly one is selected, and it complies.
    One,
    /// All, and there is one at least.
    Each,
    /// One at least.
    Any,
    /// None, even of no values.
    None,
    /// This many.
    Count(usize),
}

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

impl Predicate {
    /// Judges every value of the text on its own: there are several for JSON lines only.
    pub(super) fn judge(&self, judged: &Judged<'_>, format: Format) -> Vec<Reason> {
        let values = judged.values.iter();
        values
            .filter_map(|value| self.judge_value(value, judged, format))
            .collect()
    }

    fn judge_value(&self, document: &Json, judged: &Judged<'_>, format: Format) -> Option<Reason> {
        let serde = document.to_serde();
        let located = self.path.query_located(&serde);
        let nodes: Vec<(String, &Json)> = located
            .iter()
            .filter_map(|node| {
                let node = node.location();
                Some((dotted(node), find(document, node)?))
            })
            .collect();
        let subject = match format {
            Format::Text => judged.origin.to_string(),
            Format::JsonLines => {
                format!("`{}` in the line at byte {}", self.path_text, document.byte)
            }
            _ => format!("`{}` in {}", self.path_text, judged.origin),
        };
        let at = |code, byte, message: String| judged.reason_at(code, byte, message, &self.place);

        if let (Op::Exists(wanted), false) =
            (&self.op, matches!(self.quantifier, Quantifier::Count(_)))
        {
            return match (wanted, nodes.first()) {
                (true, None) => Some(self.nothing(document, &subject, &at)),
                (false, Some((_, node))) => {
                    let message = format!("{subject} should not be there, but is {}", short(node));
                    Some(at(Code::PredicateFailed, node.byte, message))
                }
                _ => None,
            };
        }

        let results: Vec<Option<String>> =
            nodes.iter().map(|(_, node)| self.op.fault(node)).collect();
        let complying = results.iter().filter(|fault| fault.is_none()).count();
        let failing = |(index, fault): (usize, &String)| {
            let (location, node) = &nodes[index];
            let subject = match (&self.quantifier, format) {
                (_, Format::Text) | (Quantifier::One, _) => subject.clone(),
                _ => format!("`{location}` in {}", judged.origin),
            };
            let mut reason = at(
                Code::PredicateFailed,
                node.byte,
                format!("{subject} {fault}"),
            );
            reason.expected = Some(self.op.to_string());
            reason.actual = Some(short(node));
            reason
        };
        let first_fault = results
            .iter()
            .enumerate()
            .find_map(|(i, fault)| Some((i, fault.as_ref()?)));
        match self.quantifier {
            Quantifier::One if nodes.len() > 1 => {
                let message = format!(
                    "{subject} selects {} values where one is expected; a `quantifier` says how many have to comply",
                    nodes.len()
                );
                Some(at(Code::PathSelectsSeveral, nodes[1].1.byte, message))
            }
            Quantifier::Each if nodes.is_empty() && self.allow_empty => None,
            Quantifier::One | Quantifier::Each | Quantifier::Any if nodes.is_empty() => {
                Some(self.nothing(document, &subject, &at))
            }
            Quantifier::One | Quantifier::Each => first_fault.map(failing),
            Quantifier::Any if complying == 0 => {
                let message = format!(
                    "none of the {} values of {subject} complies: expected one that is {}",
                    nodes.len(),
                    self.op
                );
                let mut reason = at(Code::PredicateFailed, nodes[0].1.byte, message);
                reason.expected = Some(self.op.to_string());
                reason.actual = Some(short(nodes[0].1));
                Some(reason)
            }
            Quantifier::None if complying > 0 => {
                let index = results.iter().position(Option::is_none)?;
                let (location, node) = &nodes[index];
                let message = format!(
                    "`{location}` in {} is {}, but no value may be {}",
                    judged.origin,
                    short(node),
                    self.op
                );
                let mut reason = at(Code::PredicateFailed, node.byte, message);
                reason.expected = Some(format!("no value that is {}", self.op));
                reason.actual = Some(short(node));
                Some(reason)
            }
            Quantifier::Count(wanted) if complying != wanted => {
                let what = match self.op {
                    Op::Exists(_) => String::new(),
                    ref op => format!(" that are {op}"),
                };
                let message = format!("{subject} selects {complying} values{what}, not {wanted}");
                let mut reason = at(Code::PredicateFailed, document.byte, message);
                reason.expected = Some(wanted.to_string());
                reason.actual = Some(complying.to_string());
                Some(reason)
            }
            Quantifier::Any | Quantifier::None | Quantifier::Count(_) => None,
        }
    }

    fn nothing(
        &self,
        document: &Json,
        subject: &str,
        at: &impl Fn(Code, usize, String) -> Reason,
    ) -> Reason {
        let message = format!("{subject} selects nothing");
        let mut reason = at(Code::PathSelectsNothing, document.byte, message);
        reason.expected = Some(self.op.to_string());
        reason.actual = Some("nothing".into());
        reason.hint = match &document.value {
            Value::Object(members) if members.is_empty() => {
                Some("the value is an empty object".into())
            }
            Value::Object(members) => {
                const ENOUGH: usize = 12;
                let keys: Vec<&str> = members.keys().map(String::as_str).take(ENOUGH).collect();
                let more = if members.len() > ENOUGH { ", …" } else { "" };
                Some(format!("its keys are {}{more}", keys.join(", ")))
            }
            _ => Some(format!(
                "the value is of type {}: {}",
                document.type_name(),
                short(document)
            )),
        };
        reason
    }
}

impl Op {
    /// What is wrong with the value, as the rest of a sentence about it.
    fn fault(&self, json: &Json) -> Option<String> {
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

fn find<'j>(document: &'j Json, path: &NormalizedPath<'_>) -> Option<&'j Json> {
    path.iter()
        .try_fold(document, |json, element| match (&json.value, element) {
            (Value::Object(members), PathElement::Name(name)) => members.get(*name),
            (Value::Array(items), PathElement::Index(index)) => items.get(*index),
            _ => None,
        })
}

/// A location the way people write it, `$.items[0].id`.
fn dotted(path: &NormalizedPath<'_>) -> String {
    use std::fmt::Write as _;
    let mut text = String::from("$");
    for element in path.iter() {
        let _ = match element {
            PathElement::Name(name) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                write!(text, ".{name}")
            }
            PathElement::Name(name) => write!(text, "['{name}']"),
            PathElement::Index(index) => write!(text, "[{index}]"),
        };
    }
    text
}

fn short(json: &Json) -> String {
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
