//! Rust types that hold the contract's types, and their way to and from values.

use super::DecodeError;
use crate::contract::{Json, Type, Value};

/// A Rust type that holds one of the contract's types. Generated code converts payloads,
/// arguments and slots through it, so that journal and interpreter need no serde derive.
pub trait Typed: Sized {
    /// The contract's type.
    fn ty() -> Type;

    /// The value.
    fn to_value(&self) -> Value;

    /// The Rust value; `None` when `value` is not of [`Typed::ty`].
    fn from_value(value: Value) -> Option<Self>;
}

impl Typed for String {
    fn ty() -> Type {
        Type::Text
    }

    fn to_value(&self) -> Value {
        Value::Text(self.clone())
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Typed for i64 {
    fn ty() -> Type {
        Type::Int
    }

    fn to_value(&self) -> Value {
        Value::Int(*self)
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }
}

impl Typed for f64 {
    fn ty() -> Type {
        Type::Float
    }

    fn to_value(&self) -> Value {
        Value::Float(*self)
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Float(value) if value.is_finite() => Some(value),
            _ => None,
        }
    }
}

impl Typed for bool {
    fn ty() -> Type {
        Type::Bool
    }

    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }
}

impl Typed for Json {
    fn ty() -> Type {
        Type::Json
    }

    fn to_value(&self) -> Value {
        Value::Json(self.clone())
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Json(json) => Some(json),
            _ => None,
        }
    }
}

impl<T: Typed> Typed for Vec<T> {
    fn ty() -> Type {
        Type::List(Box::new(T::ty()))
    }

    fn to_value(&self) -> Value {
        Value::List(self.iter().map(T::to_value).collect())
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::List(items) => items.into_iter().map(T::from_value).collect(),
            _ => None,
        }
    }
}

impl<T: Typed> Typed for Option<T> {
    fn ty() -> Type {
        Type::Optional(Box::new(T::ty()))
    }

    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::None, T::to_value)
    }

    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::None => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// Reads a row of values one field after the other.
#[derive(Debug)]
pub struct Decoder {
    values: std::vec::IntoIter<Value>,
    field: usize,
}

impl Decoder {
    /// A reader of exactly `expected` values.
    ///
    /// # Errors
    /// When there are more or fewer.
    pub fn new(values: Vec<Value>, expected: usize) -> Result<Self, DecodeError> {
        let found = values.len();
        if found != expected {
            return Err(DecodeError::Count { expected, found });
        }
        Ok(Self {
            values: values.into_iter(),
            field: 0,
        })
    }

    /// The next field.
    ///
    /// # Errors
    /// When the value is not of the field's type.
    pub fn field<T: Typed>(&mut self) -> Result<T, DecodeError> {
        let value = self.values.next().unwrap_or_default();
        let (ty, field) = (T::ty(), self.field);
        self.field += 1;
        if !value.is(&ty) {
            return Err(DecodeError::wrong(field, &ty, &value));
        }
        T::from_value(value).ok_or_else(|| DecodeError::wrong(field, &ty, &Value::None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_json_tells_none_from_null() {
        for one in [None, Some(Json::Null), Some(Json::Int(1))] {
            let value = one.to_value();
            assert!(value.is(&Option::<Json>::ty()));
            assert_eq!(Option::<Json>::from_value(value), Some(one));
        }
    }

    #[test]
    fn a_wrong_field_is_named() {
        let values = vec![Value::Int(1), Value::List(vec![Value::Bool(true)])];
        let mut decoder = Decoder::new(values, 2).unwrap();
        assert_eq!(decoder.field::<i64>(), Ok(1));
        let error = decoder.field::<Vec<String>>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "value 1: expected list<text>, found [true]"
        );
        assert!(Decoder::new(Vec::new(), 1).is_err());
    }
}
