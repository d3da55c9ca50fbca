use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::check::{Aspect, Check, Data, Input, SameAs, When};
use super::content::{inside, read_files, read_hex, read_stdin};
use super::expect::{parity_only, read_expect};
use super::lines::read_allow;
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
