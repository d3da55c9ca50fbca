use std::path::Path;

use serde_json_path::JsonPath;

use super::check::Format;
use super::operand::read_op;
use super::predicate::{Predicate, Quantifier};
use super::table::{LoadCode, Node, Reader, Table};

/// Reads a `where` list.
pub(super) fn read_predicates<'t>(
    reader: &mut Reader<'t>,
    node: &Node<'t>,
    format: Format,
    folder: &Path,
) -> Vec<Predicate> {
    let items = reader.list(node, "`where`").unwrap_or_default();
    items
        .into_iter()
        .filter_map(|node| read_predicate(reader, node, format, folder))
        .collect()
}

fn read_predicate<'t>(
    reader: &mut Reader<'t>,
    node: &Node<'t>,
    format: Format,
    folder: &Path,
) -> Option<Predicate> {
    let known = [
        "path",
        "op",
        "value",
        "json",
        "exists",
        "quantifier",
        "count",
        "allow_empty",
        "abs",
        "rel",
        "min",
        "max",
        "file",
    ];
    let table = reader.table(node, "an item of `where`", &known)?;
    let path = read_path(reader, table, format);
    let quantifier = read_quantifier(reader, table);
    let op = read_op(reader, table, quantifier, folder);
    let allow_empty = match table.get("allow_empty") {
        Some(node) => {
            if quantifier != Quantifier::Each {
                let message = "`allow_empty` belongs to quantifier = \"each\"";
                reader.error(node.span(), LoadCode::Conflict, message);
            }
            reader.boolean(node, "`allow_empty`").unwrap_or(false)
        }
        None => false,
    };
    let (path_text, path) = path?;
    Some(Predicate {
        place: reader.place(&node.span()),
        path_text,
        path,
        op: op?,
        quantifier,
        allow_empty,
    })
}

fn read_path<'t>(
    reader: &mut Reader<'t>,
    table: Table<'_, 't>,
    format: Format,
) -> Option<(String, JsonPath)> {
    let (text, span) = match table.get("path") {
        Some(node) => (reader.string(node, "`path`")?, node.span()),
        None if format == Format::Text => ("$".to_owned(), table.range()),
        None => {
            reader.missing(table, "an item of `where`", "path");
            return None;
        }
    };
    if format == Format::Text && text != "$" {
        let message = "in a text there is only `$`, the whole of it";
        reader.error(span, LoadCode::BadValue, message);
        return None;
    }
    if compares_long_numbers(&text) {
        let message = "a filter compares numbers as doubles, which do not hold that many digits: \
                       select the value and compare it with `op`";
        reader.error(span.clone(), LoadCode::BadValue, message);
    }
    match JsonPath::parse(&text) {
        Ok(path) => Some((text, path)),
        Err(error) => {
            let message = format!(
                "`{text}` is not a JSONPath (RFC 9535): {} at its character {}",
                error.message(),
                error.position() + 1
            );
            reader.error(span, LoadCode::BadValue, message);
            None
        }
    }
}

/// Whether a filter holds a literal that a double cannot.
fn compares_long_numbers(path: &str) -> bool {
    const EXACT_DIGITS: usize = 15;
    let Some((_, filter)) = path.split_once('?') else {
        return false;
    };
    let mut quote = None;
    let mut run = 0;
    for c in filter.chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        run = if quote.is_none() && c.is_ascii_digit() {
            run + 1
        } else {
            0
        };
        if run > EXACT_DIGITS {
            return true;
        }
    }
    false
}

fn read_quantifier<'t>(reader: &mut Reader<'t>, table: Table<'_, 't>) -> Quantifier {
    let count = table
        .get("count")
        .and_then(|node| reader.natural(node, "`count`"));
    let count = count.and_then(|count| usize::try_from(count).ok());
    let Some(node) = table.get("quantifier") else {
        return count.map_or(Quantifier::One, Quantifier::Count);
    };
    let word = reader.string(node, "`quantifier`").unwrap_or_default();
    let quantifier = match word.as_str() {
        "one" => Quantifier::One,
        "each" => Quantifier::Each,
        "any" => Quantifier::Any,
        "none" => Quantifier::None,
        "count" => {
            if table.get("count").is_none() {
                let message = "quantifier = \"count\" needs `count`, the number of values";
                reader.error(node.span(), LoadCode::MissingKey, message);
            }
            return Quantifier::Count(count.unwrap_or_default());
        }
        _ => {
            let known = ["one", "each", "any", "none", "count"];
            reader.unknown_word(node.span(), "`quantifier`", &word, &known);
            return Quantifier::One;
        }
    };
    if let Some(node) = table.get("count") {
        let message = format!("`count` and quantifier = {word:?} exclude each other");
        reader.error(node.span(), LoadCode::Conflict, message);
    }
    quantifier
}
