//! Values that flow through a machine, and the JSON they are written as.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use super::Type;

/// A JSON value whose integers are exact 64-bit and whose floats are finite.
///
/// Objects are ordered by key, so that equal values have equal text.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without fraction or exponent.
    Int(i64),
    /// Any other number; finite.
    Float(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// An object of these members.
    pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Object(
            members
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    }

    /// An array of these texts.
    pub fn texts<T: Into<String>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(
            items
                .into_iter()
                .map(|item| Self::Text(item.into()))
                .collect(),
        )
    }

    /// The member of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(key),
            _ => None,
        }
    }

    /// The text, when it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The name of the kind, as diagnostics say it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Object(_) => "a table",
        }
    }

    /// The text with line breaks and two spaces a level, ending in no line break.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, Some(0));
        out
    }

    fn write(&self, out: &mut String, indent: Option<usize>) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => {
                let _ = write!(out, "{value}");
            }
            // Debug writes the shortest text that reads back to the same float, always with a
            // fraction or an exponent, so that a float never reads back as an integer.
            Self::Float(value) => {
                let _ = write!(out, "{value:?}");
            }
            Self::Text(text) => write_text(out, text),
            Self::List(items) => write_items(out, indent, ('[', ']'), items.iter(), Json::write),
            Self::Object(members) => {
                write_items(
                    out,
                    indent,
                    ('{', '}'),
                    members.iter(),
                    |(key, value), out, indent| {
                        write_text(out, key);
                        out.push(':');
                        if indent.is_some() {
                            out.push(' ');
                        }
                        value.write(out, indent);
                    },
                );
            }
        }
    }
}

fn write_items<I: ExactSizeIterator>(
    out: &mut String,
    indent: Option<usize>,
    (open, close): (char, char),
    items: I,
    mut write: impl FnMut(I::Item, &mut String, Option<usize>),
) {
    out.push(open);
    let inner = indent.map(|level| level + 1);
    let empty = items.len() == 0;
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.push(',');
        }
        break_line(out, inner);
        write(item, out, inner);
    }
    if !empty {
        break_line(out, indent);
    }
    out.push(close);
}

fn break_line(out: &mut String, indent: Option<usize>) {
    if let Some(level) = indent {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level));
    }
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    let escaped = |c: char| c < ' ' || c == '"' || c == '\\';
    while let Some(at) = rest.find(escaped) {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        let mut special = special.chars();
        match special.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            None => {}
        }
        rest = special.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write(&mut out, None);
        f.write_str(&out)
    }
}

/// A value of a payload field, an effect argument or a context slot.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Value {
    /// No value, where the type is optional.
    #[default]
    None,
    /// A `text`.
    Text(String),
    /// An `int`.
    Int(i64),
    /// A `float`; finite.
    Float(f64),
    /// A `bool`.
    Bool(bool),
    /// A `json`.
    Json(Json),
    /// A `list<T>`.
    List(Vec<Value>),
}

/// A JSON value that is none of a type.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueError {
    /// What was expected.
    pub expected: Type,
    /// What was found, as JSON text.
    pub found: String,
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for ValueError {}

impl Value {
    /// The JSON of this value. [`Value::from_json`] with the value's type gives it back exactly;
    /// none becomes `null`, and a caller that holds an optional `json` leaves the member out instead.
    pub fn to_json(&self) -> Json {
        match self {
            Self::None => Json::Null,
            Self::Text(text) => Json::Text(text.clone()),
            Self::Int(value) => Json::Int(*value),
            Self::Float(value) => Json::Float(*value),
            Self::Bool(value) => Json::Bool(*value),
            Self::Json(json) => json.clone(),
            Self::List(items) => Json::List(items.iter().map(Self::to_json).collect()),
        }
    }

    /// Reads a value of `ty`. An integer is also read where a float is declared, when the float
    /// holds it exactly.
    ///
    /// # Errors
    /// When `json` is no value of `ty`; nothing is rounded or converted to make it one.
    pub fn from_json(json: &Json, ty: &Type) -> Result<Self, ValueError> {
        let wrong = || ValueError {
            expected: ty.clone(),
            found: json.to_string(),
        };
        match (ty, json) {
            (Type::Optional(inner), Json::Null) if **inner != Type::Json => Ok(Self::None),
            (Type::Optional(inner), json) => Self::from_json(json, inner).map_err(|_| wrong()),
            (Type::Json, json) => Ok(Self::Json(json.clone())),
            (Type::Text, Json::Text(text)) => Ok(Self::Text(text.clone())),
            (Type::Int, Json::Int(value)) => Ok(Self::Int(*value)),
            (Type::Float, Json::Float(value)) => Ok(Self::Float(*value)),
            (Type::Float, Json::Int(value)) => {
                exact_float(*value).map(Self::Float).ok_or_else(wrong)
            }
            (Type::Bool, Json::Bool(value)) => Ok(Self::Bool(*value)),
            (Type::List(inner), Json::List(items)) => {
                let items = items.iter().map(|item| Self::from_json(item, inner));
                items.collect::<Result<_, _>>().map(Self::List)
            }
            _ => Err(wrong()),
        }
    }

    /// Whether this is a value of `ty`.
    pub fn is(&self, ty: &Type) -> bool {
        match (ty, self) {
            (Type::Optional(_), Self::None)
            | (Type::Text, Self::Text(_))
            | (Type::Int, Self::Int(_))
            | (Type::Bool, Self::Bool(_))
            | (Type::Json, Self::Json(_)) => true,
            (Type::Optional(inner), value) => value.is(inner),
            (Type::Float, Self::Float(value)) => value.is_finite(),
            (Type::List(inner), Self::List(items)) => items.iter().all(|item| item.is(inner)),
            _ => false,
        }
    }
}

/// The float of an integer, when there is one.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
fn exact_float(value: i64) -> Option<f64> {
    let float = value as f64;
    (float as i128 == i128::from(value)).then_some(float)
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_json().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_json() {
        let value = Json::object([
            ("b", Json::Float(1.0)),
            ("a", Json::texts(["x\"\u{1}é", "\n"])),
            ("c", Json::Int(i64::MIN)),
            ("d", Json::List(vec![])),
        ]);
        assert_eq!(
            value.to_string(),
            r#"{"a":["x\"\u0001é","\n"],"b":1.0,"c":-9223372036854775808,"d":[]}"#
        );
        assert_eq!(
            Json::object([("a", Json::Int(1))]).pretty(),
            "{\n  \"a\": 1\n}"
        );
    }

    #[test]
    fn values_keep_their_types() {
        let list = Type::List(Box::new(Type::Optional(Box::new(Type::Int))));
        let value = Value::List(vec![Value::Int(i64::MAX), Value::None]);
        assert!(value.is(&list));
        assert_eq!(Value::from_json(&value.to_json(), &list), Ok(value));
        assert!(Value::from_json(&Json::Text("1".into()), &Type::Int).is_err());
        assert!(Value::from_json(&Json::Int(i64::MAX), &Type::Float).is_err());
        assert_eq!(
            Value::from_json(&Json::Int(3), &Type::Float),
            Ok(Value::Float(3.0))
        );
        assert!(!Value::Float(f64::NAN).is(&Type::Float));
    }
}
