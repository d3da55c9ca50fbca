//! Our JSON and the one that handlers speak.

use std::fmt;

use serde_json::Value;

use super::Json;

/// A number that [`Json`] refuses rather than rounds: an integer beyond 64 signed bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberError {
    /// The number, as it was written.
    pub number: String,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the number {} does not fit 64 signed bits, and is not rounded",
            self.number
        )
    }
}

impl std::error::Error for NumberError {}

impl TryFrom<Value> for Json {
    type Error = NumberError;

    fn try_from(value: Value) -> Result<Self, NumberError> {
        Ok(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => match (number.as_i64(), number.is_f64()) {
                (Some(value), _) => Self::Int(value),
                (None, true) => Self::Float(number.as_f64().unwrap_or_default()),
                (None, false) => {
                    return Err(NumberError {
                        number: number.to_string(),
                    });
                }
            },
            Value::String(text) => Self::Text(text),
            Value::Array(items) => Self::List(
                items
                    .into_iter()
                    .map(Self::try_from)
                    .collect::<Result<_, _>>()?,
            ),
            Value::Object(members) => {
                let member = |(key, value)| Ok((key, Self::try_from(value)?));
                Self::Object(members.into_iter().map(member).collect::<Result<_, _>>()?)
            }
        })
    }
}

impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Int(value) => Self::from(*value),
            // A float that is not finite is no JSON; a machine's values never hold one.
            Json::Float(value) => Self::from(*value),
            Json::Text(text) => Self::String(text.clone()),
            Json::List(items) => Self::Array(items.iter().map(Self::from).collect()),
            Json::Object(members) => {
                let member = |(key, value): (&String, &Json)| (key.clone(), Self::from(value));
                Self::Object(members.iter().map(member).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_or_refused() {
        let read = |text: &str| Json::try_from(serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(read("-9223372036854775808"), Ok(Json::Int(i64::MIN)));
        assert_eq!(read("1.0"), Ok(Json::Float(1.0)));
        let error = read(r#"{"a":[9223372036854775808]}"#).unwrap_err();
        assert_eq!(error.number, "9223372036854775808");
    }

    #[test]
    fn there_and_back() {
        let text = r#"{"a":[1,-2.5,null,true,"x"],"b":{}}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        let json = Json::try_from(value.clone()).unwrap();
        assert_eq!(Value::from(&json), value);
        assert_eq!(json.to_string(), text);
    }
}
