//! A strict JSON reader that says where a text goes wrong.

use std::collections::BTreeMap;

use super::number::Number;
pub use super::strict::read;

/// A JSON value that remembers where it stood and keeps the digits of its numbers.
#[derive(Debug, Clone)]
pub struct Json {
    /// Offset of its first byte in the text it was read from.
    pub byte: usize,
    /// What it is.
    pub value: Value,
}

/// The value itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number of any size.
    Number(Number),
    /// A string, decoded.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object, ordered by key.
    Object(BTreeMap<String, Json>),
}

/// Where a value came from does not make it another value.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// What the strict reader made of a text: a value unless it is beyond reading, and everything
/// that is wrong with it.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The first value of the text.
    pub value: Option<Json>,
    /// The offset behind that value, or where reading it stopped.
    pub end: usize,
    /// In the order of the text.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong with a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which kind.
    pub kind: ProblemKind,
    /// Offset of the byte that is wrong.
    pub byte: usize,
    /// What is wrong, as the second half of a sentence about the text.
    pub message: String,
}

/// The ways in which a text is not strict JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// A byte order mark at the start.
    ByteOrderMark,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// Something after the value.
    TrailingBytes,
    /// `NaN` or an infinity.
    NotANumber,
    /// A key that the object has already.
    DuplicateKey,
    /// The text ends inside the value.
    Truncated,
    /// Nothing but white space.
    NoValue,
    /// Deeper than 128 levels.
    TooDeep,
    /// Anything else that the grammar does not allow.
    Syntax,
}

/// The first few characters of a text, up to the end of the line, fit to stand in a message.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let line = text.lines().next().unwrap_or_default();
    let mut shown: String = line.chars().take(LONGEST).flat_map(visible).collect();
    if line.chars().count() > LONGEST {
        shown.push('…');
    }
    shown
}

fn visible(c: char) -> Vec<char> {
    if c.is_control() {
        c.escape_default().collect()
    } else {
        vec![c]
    }
}

impl Json {
    /// The name of its type in messages and in the `type` operator.
    pub fn type_name(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        }
    }

    /// The same value for libraries that speak `serde_json`. Numbers beyond 64 bits become the
    /// nearest double there, so compare numbers on this side.
    pub fn to_serde(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(number) => number.to_serde(),
            Value::String(text) => text.as_str().into(),
            Value::Array(items) => items.iter().map(Self::to_serde).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(key, value)| (key.clone(), value.to_serde()))
                .collect(),
        }
    }
}

impl std::fmt::Display for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.value {
            Value::Number(number) => write!(f, "{number}"),
            Value::Array(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index == 0 { "" } else { "," })?;
                }
                f.write_str("]")
            }
            Value::Object(members) => {
                f.write_str("{")?;
                for (index, (key, value)) in members.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    write!(
                        f,
                        "{comma}{}:{value}",
                        serde_json::Value::from(key.as_str())
                    )?;
                }
                f.write_str("}")
            }
            Value::Null | Value::Bool(_) | Value::String(_) => write!(f, "{}", self.to_serde()),
        }
    }
}
