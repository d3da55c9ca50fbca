use std::path::Path;
use std::sync::Arc;

use regex::Regex;
use toml::de::DeValue;

use super::content::read_file;
use super::json::{self, Json, Value};
use super::lines::regex_error;
use super::number::Number;
use super::op::{OPS, Op};
use super::predicate::Quantifier;
use super::table::{LoadCode, Node, Reader, Table};

/// Reads the operator of a predicate and what it compares with.
pub(super) fn read_op<'t>(
    reader: &mut Reader<'t>,
    table: Table<'_, 't>,
    quantifier: Quantifier,
    folder: &Path,
) -> Option<Op> {
    let counts = matches!(quantifier, Quantifier::Count(_));
    let Some(node) = table.get("op") else {
        return match table.get("exists") {
            Some(node) => {
                only(reader, table, "exists", &["exists"]);
                reader.boolean(node, "`exists`").map(Op::Exists)
            }
            None if counts => {
                only(reader, table, "count", &[]);
                Some(Op::Exists(true))
            }
            None => {
                let message = "an item of `where` states nothing: it has no `op`";
                reader.error(table.range(), LoadCode::Vacuous, message);
                None
            }
        };
    };
    let word = reader.string(node, "`op`")?;
    if !OPS.contains(&word.as_str()) {
        reader.unknown_word(node.span(), "`op`", &word, OPS);
        return None;
    }
    let operands: &[&str] = match word.as_str() {
        "approx" => &["value", "abs", "rel"],
        "length" => &["value", "min", "max"],
        "schema" => &["value", "json", "file"],
        _ => &["value", "json"],
    };
    only(reader, table, &word, operands);
    match word.as_str() {
        "length" => return read_length(reader, table),
        "approx" => return read_approx(reader, table),
        "schema" => return read_schema(reader, table, folder),
        "exists" | "empty" => {
            let value = table
                .get("value")
                .map_or(Some(true), |node| reader.boolean(node, "`value`"))?;
            return Some(if word == "exists" {
                Op::Exists(value)
            } else {
                Op::Empty(value)
            });
        }
        _ => {}
    }
    let value = read_value(reader, table, &word)?;
    let value_span = table
        .get("value")
        .or_else(|| table.get("json"))
        .map_or(0..0, Node::span);
    let string = |reader: &mut Reader<'t>| match &value.value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::String(_) => {
            let message = format!("`{word}` an empty string would hold for every string");
            reader.error(value_span.clone(), LoadCode::Vacuous, message);
            None
        }
        _ => {
            let message = format!("`{word}` needs a string, not {value}");
            reader.error(value_span.clone(), LoadCode::WrongType, message);
            None
        }
    };
    match word.as_str() {
        "eq" => Some(Op::Eq(value)),
        "ne" => Some(Op::Ne(value)),
        "lt" | "le" | "gt" | "ge" => {
            if !matches!(value.value, Value::Number(_) | Value::String(_)) {
                let message = format!("`{word}` compares numbers or strings, not {value}");
                reader.error(value_span, LoadCode::WrongType, message);
                return None;
            }
            Some(match word.as_str() {
                "lt" => Op::Lt(value),
                "le" => Op::Le(value),
                "gt" => Op::Gt(value),
                _ => Op::Ge(value),
            })
        }
        "contains" => match &value.value {
            Value::String(_) => string(reader).map(|_| Op::Contains(value)),
            Value::Object(members) if members.is_empty() => {
                let message = "`contains` an empty table would hold for every object";
                reader.error(value_span, LoadCode::Vacuous, message);
                None
            }
            _ => Some(Op::Contains(value)),
        },
        "starts_with" => string(reader).map(Op::StartsWith),
        "ends_with" => string(reader).map(Op::EndsWith),
        "matches" => match Regex::new(&string(reader)?) {
            Ok(regex) => Some(Op::Matches(regex)),
            Err(error) => {
                reader.error(value_span, LoadCode::BadValue, regex_error(&error));
                None
            }
        },
        "one_of" => match value.value {
            Value::Array(values) if !values.is_empty() => Some(Op::OneOf(values)),
            _ => {
                reader.error(
                    value_span,
                    LoadCode::BadValue,
                    "`one_of` needs a list that holds something",
                );
                None
            }
        },
        _ => {
            let types = [
                "null", "boolean", "number", "integer", "string", "array", "object",
            ];
            let name = string(reader)?;
            if !types.contains(&name.as_str()) {
                reader.unknown_word(value_span, "a type", &name, &types);
                return None;
            }
            Some(Op::Type(name))
        }
    }
}

/// Rejects operands that the operator would not look at.
fn only<'t>(reader: &mut Reader<'t>, table: Table<'_, 't>, op: &str, operands: &[&str]) {
    for key in [
        "value", "json", "exists", "abs", "rel", "min", "max", "file",
    ] {
        if let (false, Some(node)) = (operands.contains(&key), table.get(key)) {
            let message = format!("`{op}` does not look at `{key}`");
            reader.error(node.span(), LoadCode::Conflict, message);
        }
    }
}

fn read_value<'t>(reader: &mut Reader<'t>, table: Table<'_, 't>, op: &str) -> Option<Json> {
    match (table.get("value"), table.get("json")) {
        (Some(node), None) => to_json(reader, node),
        (None, Some(node)) => {
            let text = reader.string(node, "`json`")?;
            let reading = json::read(text.as_bytes());
            for problem in &reading.problems {
                let message = format!("`json` is not strict JSON: {}", problem.message);
                reader.error(node.span(), LoadCode::BadValue, message);
            }
            reading.value.filter(|_| reading.problems.is_empty())
        }
        (None, None) => {
            let message = format!("`{op}` needs a `value` (or `json`, for what TOML cannot say)");
            reader.error(table.range(), LoadCode::MissingKey, message);
            None
        }
        (Some(_), Some(node)) => {
            reader.error(
                node.span(),
                LoadCode::Conflict,
                "`value` and `json` exclude each other",
            );
            None
        }
    }
}

fn to_json<'t>(reader: &mut Reader<'t>, node: &Node<'t>) -> Option<Json> {
    let value = match node.get_ref() {
        DeValue::String(text) => Value::String(text.clone().into_owned()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Integer(integer) if integer.radix() == 10 => {
            Value::Number(Number::new(integer.as_str().trim_start_matches('+')))
        }
        DeValue::Integer(integer) => {
            let Ok(value) = i128::from_str_radix(integer.as_str(), integer.radix()) else {
                reader.error(
                    node.span(),
                    LoadCode::BadValue,
                    "the number is too large to be written so",
                );
                return None;
            };
            Value::Number(Number::new(&value.to_string()))
        }
        DeValue::Float(float) => {
            let text = float.as_str().trim_start_matches('+');
            if text.contains("inf") || text.contains("nan") {
                reader.error(node.span(), LoadCode::BadValue, "JSON has no such number");
                return None;
            }
            Value::Number(Number::new(text))
        }
        DeValue::Datetime(_) => {
            reader.error(
                node.span(),
                LoadCode::BadValue,
                "JSON has no dates: write it as a string",
            );
            return None;
        }
        DeValue::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| to_json(reader, item))
                .collect::<Option<_>>()?,
        ),
        DeValue::Table(members) => {
            let member = |(key, value)| {
                let key: &toml::Spanned<std::borrow::Cow<'t, str>> = key;
                Some((key.get_ref().clone().into_owned(), to_json(reader, value)?))
            };
            Value::Object(members.iter().map(member).collect::<Option<_>>()?)
        }
    };
    Some(Json { byte: 0, value })
}

fn read_length<'t>(reader: &mut Reader<'t>, table: Table<'_, 't>) -> Option<Op> {
    let mut bound = |key| {
        let value = table
            .get(key)
            .and_then(|node| reader.natural(node, &format!("`{key}`")))?;
        usize::try_from(value).ok()
    };
    match (bound("value"), bound("min"), bound("max")) {
        (Some(exact), None, None) => Some(Op::Length {
            min: exact,
            max: exact,
        }),
        (None, None, None) => {
            let message = "`length` needs `value`, or `min` and `max`";
            reader.error(table.range(), LoadCode::MissingKey, message);
            None
        }
        (None, min, max) => {
            let (min, max) = (min.unwrap_or(0), max.unwrap_or(usize::MAX));
            if min > max {
                reader.error(
                    table.range(),
                    LoadCode::BadValue,
                    "`min` is above `max`: no length fits",
                );
            }
            Some(Op::Length { min, max })
        }
        (Some(_), ..) => {
            reader.error(
                table.range(),
                LoadCode::Conflict,
                "`value` excludes `min` and `max`",
            );
            None
        }
    }
}

fn read_approx<'t>(reader: &mut Reader<'t>, table: Table<'_, 't>) -> Option<Op> {
    let mut number = |key| {
        let node = table.get(key)?;
        let Value::Number(number) = to_json(reader, node)?.value else {
            reader.wrong_type(node, &format!("`{key}`"), "a number");
            return None;
        };
        Some(number.to_f64())
    };
    let (value, abs, rel) = (number("value"), number("abs"), number("rel"));
    if table.get("value").is_none() {
        reader.error(
            table.range(),
            LoadCode::MissingKey,
            "`approx` needs a `value`",
        );
    }
    if table.get("abs").is_none() && table.get("rel").is_none() {
        reader.error(
            table.range(),
            LoadCode::MissingKey,
            "`approx` needs `abs` or `rel`: how near is near?",
        );
    }
    Some(Op::Approx {
        value: value?,
        abs: abs.unwrap_or(0.0),
        rel: rel.unwrap_or(0.0),
    })
}

fn read_schema<'t>(reader: &mut Reader<'t>, table: Table<'_, 't>, folder: &Path) -> Option<Op> {
    let (schema, span) = match table.get("file") {
        Some(node) => {
            let bytes = read_file(reader, node, folder)?;
            let reading = json::read(&bytes);
            for problem in &reading.problems {
                let message = format!("the schema is not strict JSON: {}", problem.message);
                reader.error(node.span(), LoadCode::BadValue, message);
            }
            (
                reading.value.filter(|_| reading.problems.is_empty())?,
                node.span(),
            )
        }
        None => (read_value(reader, table, "schema")?, table.range()),
    };
    match jsonschema::validator_for(&schema.to_serde()) {
        Ok(validator) => Some(Op::Schema(Arc::new(validator))),
        Err(error) => {
            reader.error(
                span,
                LoadCode::BadValue,
                format!("not a JSON Schema: {error}"),
            );
            None
        }
    }
}
