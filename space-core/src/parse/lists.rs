//! Parts that several tables share.

use std::collections::BTreeMap;

use super::findings::Findings;
use super::table::{Node, Table, clip, listed};
use crate::contract::{Field, Meta, Spanned, Type};
use crate::diagnostic::{Code, Diagnostic, nearest};

/// `[meta]`, which both files have.
pub(super) fn meta(root: &Table<'_>, out: &mut Findings<'_>) -> Meta {
    let help = || {
        "begin the file with `[meta]`, and below it `name = \"…\"`, the name that the file has before `_base.toml` or `_domain.toml`".to_owned()
    };
    let Some(node) = root.need_as("meta", help, out) else {
        return Meta::default();
    };
    let Some(table) = node.table(&["name", "prefix", "version"], out) else {
        return Meta::default();
    };
    Meta {
        name: table.need_name("name", out).unwrap_or_default(),
        prefix: table.name("prefix", out),
        version: out.leaf(|out| table.get("version", out)?.text(out)),
    }
}

/// The fields of a payload or of an effect's arguments: a bare string is a field of type text.
pub(super) fn fields(table: &Table<'_>, key: &str, out: &mut Findings<'_>) -> Vec<Field> {
    let Some(node) = table.get(key, out) else {
        return Vec::new();
    };
    let fields = node.list(out, field);
    unique(fields, "field", |field| &field.name, out)
}

fn field(node: &Node<'_>, out: &mut Findings<'_>) -> Option<Field> {
    if node.is_text() {
        return Some(Field {
            name: node.name(out)?,
            ty: Spanned::new(Some(Type::Text), node.span),
            doc: None,
        });
    }
    let table = node.table(&["name", "type", "doc"], out)?;
    let ty = ty(&table, out);
    let doc = table.prose("doc", out);
    Some(Field {
        name: table.need_name("name", out)?,
        ty,
        doc,
    })
}

/// The key `type`; missing is text.
pub(super) fn ty(table: &Table<'_>, out: &mut Findings<'_>) -> Spanned<Option<Type>> {
    let Some(node) = table.get("type", out) else {
        return Spanned::new(Some(Type::Text), table.span);
    };
    // The type that could not be read is a hole that the value itself marks.
    let Some(text) = out.leaf(|out| node.text(out)) else {
        return Spanned::new(None, node.span);
    };
    let ty = Type::parse(&text.value);
    if ty.is_none() {
        let message = format!("unknown type `{}`", clip(&text.value));
        let finding = Diagnostic::new(Code::TYPE, node.span, message);
        out.report(match meant(&text.value) {
            Some(meant) => finding
                .help(format!("did you mean `{meant}`?"))
                .edit(node.span, format!("\"{meant}\"")),
            None => finding.help(
                "the types are `text`, `int`, `float`, `bool`, `json`, `list<T>`, and `T?` for each",
            ),
        });
    }
    Spanned::new(ty, node.span)
}

/// The type that a foreign or misspelled word stands for.
fn meant(text: &str) -> Option<&'static str> {
    const TYPES: [&str; 5] = ["text", "int", "float", "bool", "json"];
    match text.to_ascii_lowercase().as_str() {
        "string" | "str" => Some("text"),
        "integer" | "i64" | "i32" | "u32" | "u64" | "usize" => Some("int"),
        "number" | "f64" | "f32" | "double" => Some("float"),
        "boolean" => Some("bool"),
        "any" | "object" | "map" | "value" => Some("json"),
        _ => nearest(text, TYPES),
    }
}

/// Leaves out, and reports, rows whose name an earlier row has.
pub(super) fn unique<T>(
    mut rows: Vec<T>,
    what: &str,
    name: impl Fn(&T) -> &Spanned<String>,
    out: &mut Findings<'_>,
) -> Vec<T> {
    let repeated = repeated(&mut rows.iter().map(name), what, out);
    let mut repeated = repeated.into_iter().peekable();
    let mut at = 0;
    rows.retain(|_| {
        at += 1;
        repeated.next_if_eq(&(at - 1)).is_none()
    });
    rows
}

/// The indices of the names that were there before, each of which is reported.
fn repeated(
    names: &mut dyn Iterator<Item = &Spanned<String>>,
    what: &str,
    out: &mut Findings<'_>,
) -> Vec<usize> {
    let mut first = BTreeMap::new();
    let mut repeated = Vec::new();
    for (at, name) in names.enumerate() {
        if let Some(before) = first.get(name.value.as_str()) {
            let message = format!("{what} `{}` is declared twice", clip(&name.value));
            // The first row stands, so that nothing is missing.
            out.leaf(|out| {
                out.report(
                    Diagnostic::new(Code::DUPLICATE_NAME, name.span, message)
                        .related(*before, "first declared here")
                        .help("rename or remove one of them"),
                );
            });
            repeated.push(at);
        } else {
            first.insert(name.value.as_str(), name.span);
        }
    }
    repeated
}

/// Reports a word that is none of a closed vocabulary.
pub(super) fn unknown_word(
    code: Code,
    what: &str,
    word: &Spanned<String>,
    known: &[&'static str],
    out: &mut Findings<'_>,
) {
    let message = format!("unknown {what} `{}`", clip(&word.value));
    let finding = Diagnostic::new(code, word.span, message);
    out.report(match nearest(&word.value, known.iter().copied()) {
        Some(meant) => finding
            .help(format!("did you mean `{meant}`?"))
            .edit(word.span, format!("\"{meant}\"")),
        None => finding.help(format!("the words are {}", listed(known))),
    });
}
