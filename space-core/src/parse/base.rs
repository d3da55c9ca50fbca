//! `<name>_base.toml`: the vocabulary.

use super::findings::Findings;
use super::lists::{fields, meta, ty, unique, unknown_word};
use super::table::{Table, a_name};
use super::{Parsed, document};
use crate::contract::{Base, Effect, Event, FileId, Guard, Semantics, Slot, Spanned, State};
use crate::diagnostic::Code;

/// Reads a vocabulary. `file` is the text's id in the caller's sources.
pub fn parse_space_base(text: &str, file: FileId) -> Parsed<Base> {
    const KEYS: &[&str] = &[
        "meta", "space", "states", "events", "effects", "guards", "ctx",
    ];
    document(text, file, KEYS, |root, out| Base {
        meta: meta(root, out),
        doc: out.leaf(|out| {
            let node = root.get("space", out)?;
            node.table(&["doc"], out)?.prose("doc", out)
        }),
        states: states(root, out),
        events: events(root, out),
        effects: effects(root, out),
        guards: guards(root, out),
        ctx: slots(root, out),
    })
}

fn states(root: &Table<'_>, out: &mut Findings<'_>) -> Vec<State> {
    let keys = &["name", "doc", "is_initial", "is_terminal"];
    let rows = root.rows("states", keys, out, |row, out| {
        let name = row.need_name("name", out);
        let doc = row.prose("doc", out);
        let is_initial = row.flag("is_initial", out);
        let is_terminal = row.flag("is_terminal", out);
        Some(State {
            name: name?,
            doc,
            is_initial,
            is_terminal,
        })
    });
    unique(rows, "state", |row| &row.name, out)
}

fn events(root: &Table<'_>, out: &mut Findings<'_>) -> Vec<Event> {
    let keys = &["name", "doc", "payload", "external"];
    let rows = root.rows("events", keys, out, |row, out| {
        let name = row.need_name("name", out);
        let doc = row.prose("doc", out);
        let payload = fields(row, "payload", out);
        let external = row.flag("external", out);
        Some(Event {
            name: name?,
            doc,
            payload,
            external,
        })
    });
    unique(rows, "event", |row| &row.name, out)
}

fn effects(root: &Table<'_>, out: &mut Findings<'_>) -> Vec<Effect> {
    let keys = &["name", "doc", "args", "semantics", "returns", "sentinel"];
    let rows = root.rows("effects", keys, out, |row, out| {
        let name = row.need_name("name", out);
        let doc = row.prose("doc", out);
        let args = fields(row, "args", out);
        let semantics = semantics(row, out);
        let returns = row.get("returns", out).map(|node| {
            let names = node.list(out, a_name);
            let names = unique(names, "outcome", |name| name, out);
            Spanned::new(names, node.span)
        });
        let sentinel = row.name("sentinel", out);
        Some(Effect {
            name: name?,
            doc,
            args,
            semantics,
            returns,
            sentinel,
        })
    });
    unique(rows, "effect", |row| &row.name, out)
}

fn semantics(row: &Table<'_>, out: &mut Findings<'_>) -> Spanned<Option<Semantics>> {
    let Some(node) = row.get("semantics", out) else {
        return Spanned::new(Some(Semantics::default()), row.span);
    };
    // The word that could not be read is a hole that the value itself marks.
    let Some(word) = out.leaf(|out| node.text(out)) else {
        return Spanned::new(None, node.span);
    };
    let semantics = Semantics::parse(&word.value);
    if semantics.is_none() {
        let known = Semantics::ALL.map(Semantics::name);
        unknown_word(Code::SEMANTICS, "semantics", &word, &known, out);
    }
    Spanned::new(semantics, node.span)
}

fn guards(root: &Table<'_>, out: &mut Findings<'_>) -> Vec<Guard> {
    let rows = root.rows("guards", &["name", "doc"], out, |row, out| {
        let name = row.need_name("name", out);
        let doc = row.prose("doc", out);
        Some(Guard { name: name?, doc })
    });
    unique(rows, "guard", |row| &row.name, out)
}

fn slots(root: &Table<'_>, out: &mut Findings<'_>) -> Vec<Slot> {
    let keys = &["name", "type", "default", "doc"];
    let rows = root.rows("ctx", keys, out, |row, out| {
        let name = row.need_name("name", out);
        let ty = ty(row, out);
        let default = row.get("default", out).and_then(|node| node.json(out));
        let doc = row.prose("doc", out);
        Some(Slot {
            name: name?,
            ty,
            default,
            doc,
        })
    });
    unique(rows, "slot", |row| &row.name, out)
}
