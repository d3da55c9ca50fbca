//! Serde for generated types, through the contract's names: generated impls are one call each.
//!
//! A state is its name. An event or effect is an object of one member, named as it is, that holds
//! the fields; a context is an object of its slots. A field that is none is left out.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::Space;
use crate::contract::{Json, Type, Value};
use crate::graph::Param;

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => serializer.collect_map(members),
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON with 64-bit integers and finite floats")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        Json::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Int(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Json, E> {
        let value = i64::try_from(value);
        value
            .map(Json::Int)
            .map_err(|_| E::custom("an integer beyond 64 bits"))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Json, E> {
        if value.is_finite() {
            Ok(Json::Float(value))
        } else {
            Err(E::custom("a float that is not finite"))
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((key, value)) = entries.next_entry()? {
            members.insert(key, value);
        }
        Ok(Json::Object(members))
    }
}

/// Writes a state.
///
/// # Errors
/// Those of the serializer.
pub fn state<S: Space, Z: Serializer>(
    space: &S,
    state: S::State,
    to: Z,
) -> Result<Z::Ok, Z::Error> {
    let row = space.model().states.get(space.state_index(state));
    to.serialize_str(row.map_or("", |row| &row.name))
}

/// Reads a state.
///
/// # Errors
/// When it is no state's name.
pub fn state_from<'de, S: Space, D: Deserializer<'de>>(
    space: &S,
    from: D,
) -> Result<S::State, D::Error> {
    let name = String::deserialize(from)?;
    let index = space.model().state(&name);
    index
        .and_then(|index| space.state_at(index))
        .ok_or_else(|| D::Error::custom(format!("there is no state `{name}`")))
}

/// Writes an event.
///
/// # Errors
/// Those of the serializer.
pub fn event<S: Space, Z: Serializer>(
    space: &S,
    event: &S::Event,
    to: Z,
) -> Result<Z::Ok, Z::Error> {
    let row = &space.model().events[space.event_index(event)];
    tagged(&row.name, &row.payload, &space.event_values(event)).serialize(to)
}

/// Reads an event.
///
/// # Errors
/// When it is none of the contract's.
pub fn event_from<'de, S: Space, D: Deserializer<'de>>(
    space: &S,
    from: D,
) -> Result<S::Event, D::Error> {
    let (name, fields) = untagged::<D>(from)?;
    let model = space.model();
    let index = model
        .event(&name)
        .ok_or_else(|| D::Error::custom(format!("there is no event `{name}`")))?;
    let params = params(&model.events[index].payload);
    let values = values::<D>(params, &fields)?;
    space.event_from(index, values).map_err(D::Error::custom)
}

/// Writes an effect.
///
/// # Errors
/// Those of the serializer.
pub fn effect<S: Space, Z: Serializer>(
    space: &S,
    effect: &S::Effect,
    to: Z,
) -> Result<Z::Ok, Z::Error> {
    let row = &space.model().effects[space.effect_index(effect)];
    tagged(&row.name, &row.args, &space.effect_values(effect)).serialize(to)
}

/// Reads an effect.
///
/// # Errors
/// When it is none of the contract's.
pub fn effect_from<'de, S: Space, D: Deserializer<'de>>(
    space: &S,
    from: D,
) -> Result<S::Effect, D::Error> {
    let (name, fields) = untagged::<D>(from)?;
    let model = space.model();
    let index = model
        .effect(&name)
        .ok_or_else(|| D::Error::custom(format!("there is no effect `{name}`")))?;
    let params = params(&model.effects[index].args);
    let values = values::<D>(params, &fields)?;
    space.effect_from(index, values).map_err(D::Error::custom)
}

/// Writes a context.
///
/// # Errors
/// Those of the serializer.
pub fn ctx<S: Space, Z: Serializer>(space: &S, ctx: &S::Ctx, to: Z) -> Result<Z::Ok, Z::Error> {
    let names = space.model().slots.iter().map(|slot| slot.name.as_str());
    object(names, &space.ctx_values(ctx)).serialize(to)
}

/// Reads a context.
///
/// # Errors
/// When the slots are not the contract's.
pub fn ctx_from<'de, S: Space, D: Deserializer<'de>>(
    space: &S,
    from: D,
) -> Result<S::Ctx, D::Error> {
    let Json::Object(fields) = Json::deserialize(from)? else {
        return Err(D::Error::custom("expected an object of slots"));
    };
    let slots = space.model().slots.iter();
    let values = values::<D>(slots.map(|slot| (slot.name.as_str(), &slot.ty)), &fields)?;
    space.ctx_from(values).map_err(D::Error::custom)
}

fn params(params: &[Param]) -> impl Iterator<Item = (&str, &Type)> {
    params.iter().map(|param| (param.name.as_str(), &param.ty))
}

fn object<'a>(names: impl Iterator<Item = &'a str>, values: &[Value]) -> Json {
    let members = names
        .zip(values)
        .filter(|(_, value)| **value != Value::None);
    Json::object(members.map(|(name, value)| (name, value.to_json())))
}

fn tagged(name: &str, fields: &[Param], values: &[Value]) -> Json {
    let fields = object(fields.iter().map(|field| field.name.as_str()), values);
    Json::object([(name, fields)])
}

type Fields = BTreeMap<String, Json>;

fn untagged<'de, D: Deserializer<'de>>(from: D) -> Result<(String, Fields), D::Error> {
    let wrong = || D::Error::custom("expected an object of one member, which holds the fields");
    let Json::Object(members) = Json::deserialize(from)? else {
        return Err(wrong());
    };
    let mut members = members.into_iter();
    match (members.next(), members.next()) {
        (Some((name, Json::Object(fields))), None) => Ok((name, fields)),
        _ => Err(wrong()),
    }
}

/// The values of declared fields. One that is not there is none; one too many is an error.
fn values<'a, 'de, D: Deserializer<'de>>(
    declared: impl Iterator<Item = (&'a str, &'a Type)>,
    fields: &Fields,
) -> Result<Vec<Value>, D::Error> {
    let mut known = 0;
    let values = declared.map(|(name, ty)| match fields.get(name) {
        None => Ok(Value::None),
        Some(json) => {
            known += 1;
            Value::from_json(json, ty).map_err(|error| D::Error::custom(format!("{name}: {error}")))
        }
    });
    let values = values.collect::<Result<Vec<_>, D::Error>>()?;
    if known == fields.len() {
        Ok(values)
    } else {
        Err(D::Error::custom("a field is not declared"))
    }
}
