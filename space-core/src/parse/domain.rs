//! `<name>_domain.toml`: the behaviour.

use super::findings::Findings;
use super::invariant::{self, PATTERNS};
use super::lists::{meta, unique};
use super::table::{Node, Table, a_name};
use super::{Parsed, document};
use crate::contract::{
    Domain, FileId, FromStates, GuardUse, Ignored, SlotArg, SlotAssign, Spanned, Transition,
};

/// Reads a behaviour. `file` is the text's id in the caller's sources.
pub fn parse_space_domain(text: &str, file: FileId) -> Parsed<Domain> {
    const KEYS: &[&str] = &["meta", "transitions", "ignored", "invariants"];
    document(text, file, KEYS, |root, out| {
        let meta = meta(root, out);
        let transitions = transitions(root, out);
        let ignored = root.rows("ignored", &["from", "on", "doc"], out, |row, out| {
            row.prose("doc", out);
            let from = from(row, out);
            let on = row.need("on", out)?.one_or_more(out, a_name);
            Some(Ignored {
                from: from?,
                on: on?,
                span: row.span,
            })
        });
        let mut keys = vec!["name", "doc"];
        keys.extend(PATTERNS);
        // Nothing depends on an invariant.
        let invariants = out.leaf(|out| root.rows("invariants", &keys, out, invariant::invariant));
        Domain {
            meta,
            transitions,
            ignored,
            invariants: unique(invariants, "invariant", |row| &row.name, out),
        }
    })
}

fn transitions(root: &Table<'_>, out: &mut Findings<'_>) -> Vec<Transition> {
    let keys = &[
        "from",
        "on",
        "to",
        "guard",
        "effect",
        "args",
        "args_from",
        "assign",
        "assign_from",
        "doc",
    ];
    root.rows("transitions", keys, out, |row, out| {
        let from = from(row, out);
        let on = row.need_name("on", out);
        let to = row.need_name("to", out);
        let guard = row.get("guard", out).and_then(|node| guard(&node, out));
        let effect = row.name("effect", out);
        let args = row.names("args", out);
        let args_from = row.rows("args_from", &["arg", "slot"], out, |pair, out| {
            let arg = pair.need_name("arg", out);
            let slot = pair.need_name("slot", out);
            Some(SlotArg {
                arg: arg?,
                slot: slot?,
            })
        });
        let assign = row.names("assign", out);
        let assign_from = row.rows("assign_from", &["slot", "from_field"], out, |pair, out| {
            let slot = pair.need_name("slot", out);
            let from_field = pair.need_name("from_field", out);
            Some(SlotAssign {
                slot: slot?,
                from_field: from_field?,
            })
        });
        let doc = row.prose("doc", out);
        Some(Transition {
            from: from?,
            on: on?,
            to: to?,
            guard,
            effect,
            args,
            args_from,
            assign,
            assign_from,
            doc,
            span: row.span,
        })
    })
}

fn from(row: &Table<'_>, out: &mut Findings<'_>) -> Option<Spanned<FromStates>> {
    let node = row.need("from", out)?;
    let states = node.one_or_more(out, a_name)?;
    let any = states.iter().any(|state| state.value == "*");
    if any && states.len() > 1 {
        let help = "write `from = \"*\"`, or the list without it";
        node.bad_but("holds `*`, which stands alone", help, out);
        return None;
    }
    let from = if any {
        FromStates::Any
    } else {
        FromStates::States(states)
    };
    Some(Spanned::new(from, node.span))
}

fn guard(node: &Node<'_>, out: &mut Findings<'_>) -> Option<Spanned<GuardUse>> {
    let text = node.name(out)?;
    let (negated, name) = match text.value.strip_prefix('!') {
        Some(name) => (true, name.trim_start()),
        None => (false, text.value.as_str()),
    };
    if name.is_empty() {
        node.bad_but("negates no guard", "write `!name`", out);
        return None;
    }
    let guard = GuardUse {
        name: name.to_owned(),
        negated,
    };
    Some(Spanned::new(guard, node.span))
}
