use std::ops::Range;
use std::path::{Component, Path};

use super::check::{Data, Fixture, Input};
use super::table::{LoadCode, Node, Reader, Table};

/// Reads `files`.
pub(super) fn read_files<'t>(
    reader: &mut Reader<'t>,
    table: Table<'_, 't>,
    folder: &Path,
) -> Vec<Fixture> {
    let Some(files) = table
        .get("files")
        .and_then(|node| reader.open_table(node, "`files`"))
    else {
        return Vec::new();
    };
    let mut read = Vec::new();
    for (path, node) in files.iter() {
        let what = format!("the file `{path}`");
        let path = inside(reader, node.span(), &what, path.to_owned());
        let content = read_content(reader, node, &what, folder);
        read.extend(
            path.zip(content)
                .map(|(path, content)| Fixture { path, content }),
        );
    }
    read
}

fn read_content<'t>(
    reader: &mut Reader<'t>,
    node: &Node<'t>,
    what: &str,
    folder: &Path,
) -> Option<Data> {
    if let Some(text) = node.get_ref().as_str() {
        return Some(Data::Text(text.to_owned()));
    }
    let table = reader.table(node, what, &["text", "from", "hex", "encoding", "eol"])?;
    let data = match ["text", "from", "hex"].map(|key| table.get(key)) {
        [Some(text), None, None] => Data::Text(reader.string(text, "`text`")?),
        [None, Some(file), None] => Data::Bytes(read_file(reader, file, folder)?),
        [None, None, Some(hex)] => Data::Bytes(read_hex_text(reader, hex)?),
        _ => {
            let message = format!("{what} needs one of `text`, `from` and `hex`");
            reader.error(node.span(), LoadCode::Conflict, message);
            return None;
        }
    };
    if table.get("encoding").is_none() && table.get("eol").is_none() {
        return Some(data);
    }
    let Ok(text) = String::from_utf8(data.bytes().to_vec()) else {
        let message =
            format!("{what} is not UTF-8, so it has no `encoding` or `eol` to be changed");
        reader.error(node.span(), LoadCode::BadValue, message);
        return None;
    };
    let eol = read_word(reader, table, "eol", &["lf", "crlf", "cr"]);
    let lines = text.replace("\r\n", "\n");
    let text = match eol.as_deref() {
        Some("crlf") => lines.replace('\n', "\r\n"),
        Some("cr") => lines.replace('\n', "\r"),
        Some("lf") => lines,
        _ => text,
    };
    let encodings = ["utf-8", "utf-8-bom", "utf-16le", "utf-16be"];
    let encoding = read_word(reader, table, "encoding", &encodings);
    let marked = || "\u{feff}".encode_utf16().chain(text.encode_utf16());
    Some(Data::Bytes(match encoding.as_deref() {
        Some("utf-8-bom") => ["\u{feff}", &text].concat().into_bytes(),
        Some("utf-16le") => marked().flat_map(u16::to_le_bytes).collect(),
        Some("utf-16be") => marked().flat_map(u16::to_be_bytes).collect(),
        _ => text.into_bytes(),
    }))
}

/// Reads `stdin`.
pub(super) fn read_stdin<'t>(reader: &mut Reader<'t>, node: &Node<'t>, folder: &Path) -> Input {
    match node.get_ref().as_str() {
        Some("null") => return Input::Null,
        Some("held_open") => return Input::HeldOpen,
        Some(text) => return Input::Given(Data::Text(text.to_owned())),
        None => {}
    }
    let known = ["file", "hex", "text"];
    let Some(table) = reader.table(node, "`stdin`", &known) else {
        return Input::Null;
    };
    let data = match known.map(|key| table.get(key)) {
        [Some(file), None, None] => read_file(reader, file, folder).map(Data::Bytes),
        [None, Some(hex), None] => read_hex_text(reader, hex).map(Data::Bytes),
        [None, None, Some(text)] => reader.string(text, "`text`").map(Data::Text),
        _ => {
            reader.error(
                node.span(),
                LoadCode::Conflict,
                "`stdin` needs one of `file`, `hex` and `text`",
            );
            None
        }
    };
    data.map_or(Input::Null, Input::Given)
}

fn read_word<'t>(
    reader: &mut Reader<'t>,
    table: Table<'_, 't>,
    key: &str,
    known: &[&str],
) -> Option<String> {
    let node = table.get(key)?;
    let word = reader.string(node, &format!("`{key}`"))?;
    if !known.contains(&word.as_str()) {
        reader.unknown_word(node.span(), &format!("`{key}`"), &word, known);
    }
    Some(word)
}

/// `{ hex = "ff00" }`
pub(super) fn read_hex<'t>(
    reader: &mut Reader<'t>,
    node: &Node<'t>,
    what: &str,
) -> Option<Vec<u8>> {
    if node.get_ref().as_table().is_none() {
        reader.wrong_type(node, what, "a string or { hex = \"…\" }");
        return None;
    }
    let table = reader.table(node, what, &["hex"])?;
    let Some(hex) = table.get("hex") else {
        reader.missing(table, what, "hex");
        return None;
    };
    read_hex_text(reader, hex)
}

pub(super) fn read_hex_text<'t>(reader: &mut Reader<'t>, node: &Node<'t>) -> Option<Vec<u8>> {
    let text = reader.string(node, "`hex`")?;
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map_while(|c| c.to_digit(16))
        .collect();
    let wanted = text.chars().filter(|c| !c.is_whitespace()).count();
    if digits.len() != wanted || !wanted.is_multiple_of(2) {
        let message = format!("`{text}` is not hexadecimal: two digits for each byte");
        reader.error(node.span(), LoadCode::BadValue, message);
        return None;
    }
    let byte = |pair: &[u32]| u8::try_from(pair[0] * 16 + pair[1]).unwrap_or_default();
    Some(digits.chunks_exact(2).map(byte).collect())
}

pub(super) fn read_file<'t>(
    reader: &mut Reader<'t>,
    node: &Node<'t>,
    folder: &Path,
) -> Option<Vec<u8>> {
    let name = reader.string(node, "the name of a file")?;
    match std::fs::read(folder.join(&name)) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            let message = format!("cannot read `{name}` beside the check file: {error}");
            reader.error(node.span(), LoadCode::Unreadable, message);
            None
        }
    }
}

/// A path that stays inside the folder it is relative to.
pub(super) fn inside(
    reader: &mut Reader<'_>,
    span: Range<usize>,
    what: &str,
    path: String,
) -> Option<String> {
    let stays = Path::new(&path)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if path.is_empty() || path.contains('\0') || !stays {
        let message = format!(
            "{what} has to be a relative path without `..`, not `{}`",
            path.escape_debug()
        );
        reader.error(span, LoadCode::BadValue, message);
        return None;
    }
    Some(path)
}
