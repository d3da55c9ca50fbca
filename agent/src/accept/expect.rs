use std::path::Path;

use super::check::{ExitRule, Expect, FileRule, Format, Text};
use super::content::{inside, read_hex_text};
use super::forbid::{Forbidden, Scope, traces};
use super::lines::read_allow;
use super::rule::read_predicates;
use super::table::{LoadCode, Node, Reader, Table};
use super::text::scope_fits;
use super::verdict::Place;

/// Reads `[check.expect]`.
pub(super) fn read_expect<'t>(
    reader: &mut Reader<'t>,
    node: &Node<'t>,
    folder: &Path,
) -> Option<Expect> {
    let table = reader.table(node, "`expect`", &["exit", "stdout", "stderr", "files"])?;
    if table.is_empty() {
        reader.error(node.span(), LoadCode::Vacuous, "`expect` expects nothing");
        return None;
    }
    let exit = table
        .get("exit")
        .map_or(Some(ExitRule::Zero), |node| read_exit(reader, node));
    let exit_place = reader.place(&table.get("exit").unwrap_or(node).span());
    let stdout = read_stream(reader, table, "stdout", node, folder);
    let stderr = read_stream(reader, table, "stderr", node, folder);
    let files = table
        .get("files")
        .map(|node| read_files(reader, node, folder))
        .unwrap_or_default();
    // An unknown key is an error of its own and may well have been meant to expect something.
    let unjudged = |(_, node): (&str, &Node<'t>)| node.get_ref().as_str() == Some("any");
    if table.iter().all(unjudged) {
        reader.error(
            node.span(),
            LoadCode::Vacuous,
            "`expect` expects nothing: everything in it is `any`",
        );
    }
    Some(Expect {
        exit: Some(exit?),
        exit_place,
        stdout,
        stderr,
        files,
    })
}

/// The expectation of a check that only compares: nothing but no traces.
pub(super) fn parity_only(place: &Place) -> Expect {
    let text = || unjudged(place.clone(), traces(place));
    Expect {
        exit: None,
        exit_place: place.clone(),
        stdout: text(),
        stderr: text(),
        files: Vec::new(),
    }
}

fn unjudged(place: Place, forbid: Vec<Forbidden>) -> Text {
    Text {
        place,
        format: Format::Any,
        predicates: Vec::new(),
        forbid,
        allow: Vec::new(),
    }
}

fn read_exit<'t>(reader: &mut Reader<'t>, node: &Node<'t>) -> Option<ExitRule> {
    if let Some(word) = node.get_ref().as_str() {
        return match word {
            "zero" => Some(ExitRule::Zero),
            "nonzero" => Some(ExitRule::Nonzero),
            _ => {
                let known = ["zero", "nonzero", "a number", "{ signal = … }"];
                reader.unknown_word(node.span(), "`exit`", word, &known);
                None
            }
        };
    }
    if node.get_ref().is_integer() {
        let status = reader.natural(node, "`exit`")?;
        let status = u8::try_from(status).ok();
        if status.is_none() {
            reader.error(
                node.span(),
                LoadCode::BadValue,
                "`exit` has to be a status from 0 to 255",
            );
        }
        return status.map(|status| ExitRule::Status(status.into()));
    }
    let Some(_) = node.get_ref().as_table() else {
        reader.wrong_type(
            node,
            "`exit`",
            "\"zero\", \"nonzero\", a number or { signal = … }",
        );
        return None;
    };
    let table = reader.table(node, "`exit`", &["signal"])?;
    let Some(signal) = table.get("signal") else {
        reader.missing(table, "`exit`", "signal");
        return None;
    };
    let number = match signal.get_ref().as_str() {
        Some(name) => SIGNALS
            .iter()
            .find(|(known, _)| name.trim_start_matches("SIG") == *known)
            .map(|(_, number)| *number),
        None => reader
            .natural(signal, "`signal`")
            .and_then(|number| i32::try_from(number).ok()),
    };
    if number.is_none() {
        let names: Vec<&str> = SIGNALS.iter().map(|(name, _)| *name).collect();
        let message = format!("`signal` has to be a number or one of {}", names.join(", "));
        reader.error(signal.span(), LoadCode::BadValue, message);
    }
    number.map(ExitRule::Signal)
}

/// Those with the same number on every system that we run on.
const SIGNALS: &[(&str, i32)] = &[
    ("HUP", 1),
    ("INT", 2),
    ("QUIT", 3),
    ("ILL", 4),
    ("ABRT", 6),
    ("FPE", 8),
    ("KILL", 9),
    ("SEGV", 11),
    ("PIPE", 13),
    ("ALRM", 14),
    ("TERM", 15),
];

fn read_stream<'t>(
    reader: &mut Reader<'t>,
    expect: Table<'_, 't>,
    name: &str,
    outer: &Node<'t>,
    folder: &Path,
) -> Text {
    let node = expect.get(name).unwrap_or(outer);
    let place = reader.place(&node.span());
    let mut text = unjudged(place.clone(), traces(&place));
    let Some(node) = expect.get(name) else {
        return text;
    };
    let what = format!("`{name}`");
    if let Some(word) = node.get_ref().as_str() {
        match word {
            "empty" => text.format = Format::Empty,
            "any" => {}
            _ => reader.unknown_word(node.span(), &what, word, &["empty", "any", "a table"]),
        }
        return text;
    }
    let known = ["format", "where", "forbid", "traces", "allow", "noise"];
    let Some(table) = reader.table(node, &what, &known) else {
        return text;
    };
    read_text(reader, table, &what, &mut text, folder);
    text
}

fn read_text<'t>(
    reader: &mut Reader<'t>,
    table: Table<'_, 't>,
    what: &str,
    text: &mut Text,
    folder: &Path,
) {
    if table.is_empty() {
        reader.error(
            table.range(),
            LoadCode::Vacuous,
            format!("{what} expects nothing"),
        );
        return;
    }
    if let Some(node) = table.get("traces")
        && reader.boolean(node, "`traces`") == Some(false)
    {
        text.forbid.clear();
        if table.iter().count() == 1 {
            reader.error(
                node.span(),
                LoadCode::Vacuous,
                format!("{what} expects nothing else"),
            );
        }
    }
    text.allow = read_allow(reader, table, "allow");
    text.format = read_format(reader, table);
    if table.get("format").is_none()
        && (table.get("allow").is_some() || table.get("noise").is_some())
    {
        // To allow some lines says that others are not.
        text.format = Format::Empty;
    }
    if let Some(node) = table.get("where") {
        match text.format {
            Format::Json | Format::JsonLines | Format::Text => {
                text.predicates = read_predicates(reader, node, text.format, folder);
            }
            Format::Any | Format::Empty => {
                let message = format!(
                    "{what} has a `where`, so it needs format = \"json\", \"json_lines\" or \"text\""
                );
                reader.error(node.span(), LoadCode::MissingKey, message);
            }
        }
    }
    if let Some(node) = table.get("forbid") {
        read_forbid(reader, node, text);
    }
}

fn read_format<'t>(reader: &mut Reader<'t>, table: Table<'_, 't>) -> Format {
    let Some(node) = table.get("format") else {
        return Format::Any;
    };
    let formats = [
        ("json", Format::Json),
        ("json_lines", Format::JsonLines),
        ("text", Format::Text),
        ("empty", Format::Empty),
    ];
    let Some(word) = reader.string(node, "`format`") else {
        return Format::Any;
    };
    let found = formats.iter().find(|(name, _)| *name == word);
    if found.is_none() {
        reader.unknown_word(
            node.span(),
            "`format`",
            &word,
            &formats.map(|(name, _)| name),
        );
    }
    // Past an unknown format, the one under which the rest can be read.
    found.map_or(Format::Json, |(_, format)| *format)
}

fn read_forbid<'t>(reader: &mut Reader<'t>, node: &Node<'t>, text: &mut Text) {
    if let Some(word) = node.get_ref().as_str() {
        if word != "traces" {
            let message =
                format!("`forbid` is a list of texts, or the preset \"traces\": write [{word:?}]");
            reader.error(node.span(), LoadCode::WrongType, message);
        }
        return;
    }
    for item in reader.list(node, "`forbid`").unwrap_or_default() {
        let (bytes, scope) = match item.get_ref().as_str() {
            Some(word) => (Some(word.as_bytes().to_vec()), Scope::Raw),
            None => read_forbidden(reader, item),
        };
        let Some(bytes) = bytes else { continue };
        if !scope_fits(scope, text.format) {
            let message = "this scope needs format = \"json\" or \"json_lines\"";
            reader.error(item.span(), LoadCode::Conflict, message);
        }
        let place = reader.place(&item.span());
        match Forbidden::new(&bytes, scope, place) {
            Some(forbidden) => text.forbid.push(forbidden),
            None => reader.error(
                item.span(),
                LoadCode::Vacuous,
                "a forbidden text cannot be empty",
            ),
        }
    }
}

fn read_forbidden<'t>(reader: &mut Reader<'t>, node: &Node<'t>) -> (Option<Vec<u8>>, Scope) {
    let what = "a forbidden text";
    if node.get_ref().as_table().is_none() {
        reader.wrong_type(node, what, "a string, { text = \"…\" } or { hex = \"…\" }");
        return (None, Scope::Raw);
    }
    let Some(table) = reader.table(node, what, &["text", "hex", "scope"]) else {
        return (None, Scope::Raw);
    };
    let bytes = match (table.get("text"), table.get("hex")) {
        (Some(text), None) => reader.string(text, "`text`").map(String::into_bytes),
        (None, Some(hex)) => read_hex_text(reader, hex),
        _ => {
            reader.error(
                node.span(),
                LoadCode::Conflict,
                "a forbidden text needs `text` or `hex`",
            );
            None
        }
    };
    let scopes = [
        ("raw", Scope::Raw),
        ("outside_json", Scope::OutsideJson),
        ("json_strings", Scope::JsonStrings),
    ];
    let mut scope = Scope::Raw;
    if let Some(node) = table.get("scope")
        && let Some(word) = reader.string(node, "`scope`")
    {
        match scopes.iter().find(|(name, _)| *name == word) {
            Some((_, found)) => scope = *found,
            None => {
                reader.unknown_word(node.span(), "`scope`", &word, &scopes.map(|(name, _)| name));
            }
        }
    }
    (bytes, scope)
}

fn read_files<'t>(reader: &mut Reader<'t>, node: &Node<'t>, folder: &Path) -> Vec<FileRule> {
    let Some(table) = reader.table(node, "`files`", &["where"]) else {
        return Vec::new();
    };
    let Some(node) = table.get("where") else {
        reader.missing(table, "`files`", "where");
        return Vec::new();
    };
    let rules = reader.list(node, "`files.where`").unwrap_or_default();
    rules
        .into_iter()
        .filter_map(|node| read_file_rule(reader, node, folder))
        .collect()
}

fn read_file_rule<'t>(reader: &mut Reader<'t>, node: &Node<'t>, folder: &Path) -> Option<FileRule> {
    let what = "a rule about a file";
    let known = [
        "path", "exists", "format", "where", "forbid", "traces", "allow",
    ];
    let table = reader.table(node, what, &known)?;
    let Some(path) = table.get("path") else {
        reader.missing(table, what, "path");
        return None;
    };
    let span = path.span();
    let path = reader
        .string(path, "`path`")
        .and_then(|path| inside(reader, span, "`path`", path));
    let exists = table
        .get("exists")
        .map(|node| reader.boolean(node, "`exists`").unwrap_or(true));
    let content_keys = ["format", "where", "forbid", "traces", "allow"];
    let judged = content_keys.into_iter().any(|key| table.get(key).is_some());
    if !judged && exists.is_none() {
        let message = "the rule says nothing about the file: give it `exists` or `format`";
        reader.error(node.span(), LoadCode::Vacuous, message);
    }
    if judged && exists == Some(false) {
        let message = "a file that does not exist has no content to be judged";
        reader.error(node.span(), LoadCode::Conflict, message);
    }
    let place = reader.place(&node.span());
    let content = judged.then(|| {
        let mut text = unjudged(place.clone(), Vec::new());
        if let Some(node) = table.get("traces")
            && node.get_ref().as_bool() == Some(true)
        {
            text.forbid = traces(&text.place);
        }
        read_text(reader, table, "the file", &mut text, folder);
        text
    });
    Some(FileRule {
        place,
        path: path?,
        exists: exists.unwrap_or(true),
        content,
    })
}
