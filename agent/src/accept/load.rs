use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::check::{Aspect, Check, Data, Fixture, Input, SameAs, When};
use super::expect::{parity_only, read_allow, read_expect};
use super::table::{LoadCode, Node, Reader, Table};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads the checks of one file, whose other files are looked up in `folder`.
pub(super) fn load(reader: &mut Reader<'_>, folder: &Path) -> (Option<String>, Vec<Check>) {
    let document = reader.document();
    if !reader.errors.is_empty() {
        // What is left of a broken document would only lead to errors that are none.
        return (None, Vec::new());
    }
    let root = reader.root(&document, &["suite", "check"]);
    let mut defaults = Defaults {
        timeout: DEFAULT_TIMEOUT,
        fixture: None,
        folder,
    };
    let mut name = None;
    if let Some(suite) = root.get("suite") {
        let known = ["name", "timeout_ms", "fixture"];
        if let Some(suite) = reader.table(suite, "[suite]", &known) {
            name = suite
                .get("name")
                .and_then(|node| reader.string(node, "the suite's `name`"));
            defaults.timeout = read_timeout(reader, suite).unwrap_or(DEFAULT_TIMEOUT);
            defaults.fixture = read_fixture(reader, suite, folder);
        }
    }
    let Some(checks) = root.get("check") else {
        let message = "there is no [[check]] in this file: an empty suite proves nothing";
        reader.error(0..0, LoadCode::Vacuous, message);
        return (name, Vec::new());
    };
    let checks = reader.list(checks, "`check`").unwrap_or_default();
    let checks = checks
        .into_iter()
        .filter_map(|node| read_check(reader, node, &defaults))
        .collect();
    (name, checks)
}

struct Defaults<'f> {
    timeout: Duration,
    fixture: Option<PathBuf>,
    folder: &'f Path,
}

fn read_check<'t>(
    reader: &mut Reader<'t>,
    node: &Node<'t>,
    defaults: &Defaults<'_>,
) -> Option<Check> {
    let known = [
        "name",
        "argv",
        "cwd",
        "in_place",
        "env",
        "fixture",
        "files",
        "stdin",
        "when",
        "timeout_ms",
        "expect",
        "same_as",
    ];
    let table = reader.table(node, "a check", &known)?;
    let name = table
        .get("name")
        .and_then(|node| reader.string(node, "`name`"));
    if table.get("name").is_none() {
        reader.missing(table, "the check", "name");
    }
    let name_span = table.get("name").unwrap_or(node).span();
    let place = reader.place(&name_span);
    let argv = read_argv(reader, table, "the check");
    let in_place = table
        .get("in_place")
        .and_then(|node| reader.boolean(node, "`in_place`"))
        .unwrap_or(false);
    for key in ["files", "fixture"] {
        if let (true, Some(node)) = (in_place, table.get(key)) {
            let message = format!(
                "`{key}` would write into the project itself when the check runs `in_place`"
            );
            reader.error(node.span(), LoadCode::Conflict, message);
        }
    }
    let cwd = table.get("cwd").and_then(|node| {
        let text = reader.string(node, "`cwd`")?;
        inside(reader, node.span(), "`cwd`", text)
    });
    let expect = match table.get("expect") {
        Some(node) => read_expect(reader, node, defaults.folder),
        None => Some(parity_only(&place)),
    };
    let same_as = table
        .get("same_as")
        .and_then(|node| read_same_as(reader, node, in_place));
    if table.get("expect").is_none() && table.get("same_as").is_none() {
        let message = "the check expects nothing: give it [check.expect] or [check.same_as]";
        reader.error(name_span, LoadCode::Vacuous, message);
    }
    let fixture = read_fixture(reader, table, defaults.folder);
    Some(Check {
        name: name.unwrap_or_default(),
        place,
        argv,
        cwd: cwd.unwrap_or_else(|| ".".into()),
        env: read_env(reader, table),
        fixture: fixture
            .or_else(|| defaults.fixture.clone())
            .filter(|_| !in_place),
        in_place,
        files: read_files(reader, table, defaults.folder),
        stdin: table.get("stdin").map_or(Input::Null, |node| {
            read_stdin(reader, node, defaults.folder)
        }),
        when: table
            .get("when")
            .map(|node| read_when(reader, node))
            .unwrap_or_default(),
        timeout: read_timeout(reader, table).unwrap_or(defaults.timeout),
        expect: expect?,
        same_as,
    })
}

fn read_argv<'t>(reader: &mut Reader<'t>, table: Table<'_, 't>, what: &str) -> Vec<Data> {
    let Some(node) = table.get("argv") else {
        reader.missing(table, what, "argv");
        return Vec::new();
    };
    if node.get_ref().as_str().is_some() {
        let message = "`argv` is a list of arguments, never a shell string: write argv = [\"program\", \"argument\"]";
        reader.error(node.span(), LoadCode::WrongType, message);
        return Vec::new();
    }
    let Some(items) = reader.list(node, "`argv`") else {
        return Vec::new();
    };
    let mut argv = Vec::new();
    for item in items {
        let argument = match item.get_ref().as_str() {
            Some(text) => Some(Data::Text(text.to_owned())),
            None => read_hex(reader, item, "an argument").map(Data::Bytes),
        };
        if argument
            .as_ref()
            .is_some_and(|argument| argument.bytes().contains(&0))
        {
            reader.error(
                item.span(),
                LoadCode::BadValue,
                "an argument cannot hold a zero byte",
            );
        }
        argv.extend(argument);
    }
    if matches!(argv.first(), Some(Data::Text(text)) if text.is_empty()) {
        reader.error(
            node.span(),
            LoadCode::BadValue,
            "`argv` names no program: its first item is empty",
        );
    }
    argv
}

fn read_same_as<'t>(reader: &mut Reader<'t>, node: &Node<'t>, in_place: bool) -> Option<SameAs> {
    let known = ["argv", "env", "allow_stderr", "noise", "compare"];
    let table = reader.table(node, "`same_as`", &known)?;
    let argv = read_argv(reader, table, "`same_as`");
    let aspects = [
        ("exit", Aspect::Exit),
        ("stdout", Aspect::Stdout),
        ("stderr", Aspect::Stderr),
        ("files", Aspect::Files),
    ];
    let names = aspects.map(|(name, _)| name);
    let compare = match table.get("compare") {
        // Both sides of a check in place write into the same folder.
        None => aspects
            .iter()
            .map(|&(_, it)| it)
            .filter(|&it| !in_place || it != Aspect::Files)
            .collect(),
        Some(node) => {
            let mut compare = Vec::new();
            for (word, span) in reader.strings(node, "`compare`") {
                match aspects.iter().find(|(name, _)| *name == word) {
                    Some((_, Aspect::Files)) if in_place => {
                        let message = "files cannot be compared when both sides run `in_place`";
                        reader.error(span, LoadCode::Conflict, message);
                    }
                    Some((_, aspect)) => compare.push(*aspect),
                    None => reader.unknown_word(span, "an item of `compare`", &word, &names),
                }
            }
            compare
        }
    };
    let allow_stderr = read_allow(reader, table, "allow_stderr");
    let place = reader.place(&node.span());
    Some(SameAs {
        place,
        argv,
        env: read_env(reader, table),
        allow_stderr,
        compare,
    })
}

fn read_env<'t>(reader: &mut Reader<'t>, table: Table<'_, 't>) -> BTreeMap<String, String> {
    let Some(env) = table
        .get("env")
        .and_then(|node| reader.open_table(node, "`env`"))
    else {
        return BTreeMap::new();
    };
    let mut read = BTreeMap::new();
    for (name, node) in env.iter() {
        let Some(value) = reader.string(node, &format!("`env.{name}`")) else {
            continue;
        };
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            let message = format!(
                "`{}` cannot be an environment variable",
                name.escape_debug()
            );
            reader.error(node.span(), LoadCode::BadValue, message);
        }
        read.insert(name.to_owned(), value);
    }
    read
}

fn read_timeout<'t>(reader: &mut Reader<'t>, table: Table<'_, 't>) -> Option<Duration> {
    let node = table.get("timeout_ms")?;
    let milliseconds = reader.natural(node, "`timeout_ms`")?;
    if milliseconds == 0 {
        reader.error(
            node.span(),
            LoadCode::BadValue,
            "`timeout_ms` is 0: no program can end in that time",
        );
    }
    Some(Duration::from_millis(milliseconds))
}

fn read_fixture<'t>(
    reader: &mut Reader<'t>,
    table: Table<'_, 't>,
    folder: &Path,
) -> Option<PathBuf> {
    let node = table.get("fixture")?;
    let path = folder.join(reader.string(node, "`fixture`")?);
    if !path.is_dir() {
        reader.error(
            node.span(),
            LoadCode::Unreadable,
            "`fixture` is not a folder beside the check file",
        );
    }
    Some(path)
}

fn read_files<'t>(reader: &mut Reader<'t>, table: Table<'_, 't>, folder: &Path) -> Vec<Fixture> {
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

fn read_stdin<'t>(reader: &mut Reader<'t>, node: &Node<'t>, folder: &Path) -> Input {
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

fn read_when<'t>(reader: &mut Reader<'t>, node: &Node<'t>) -> When {
    let Some(table) = reader.table(node, "`when`", &["program", "platform"]) else {
        return When::default();
    };
    if table.is_empty() {
        reader.error(node.span(), LoadCode::Vacuous, "`when` states no condition");
    }
    let mut words = |key| {
        let node = table.get(key);
        let words = node
            .map(|node| reader.strings(node, &format!("`{key}`")))
            .unwrap_or_default();
        words.into_iter().map(|(word, _)| word).collect()
    };
    When {
        programs: words("program"),
        platforms: words("platform"),
    }
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
