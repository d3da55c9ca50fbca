//! `composition.toml`: spaces put together.

use super::findings::Findings;
use super::invariant::{self, PATTERNS};
use super::lists::unique;
use super::table::{Table, a_name};
use super::{Parsed, document};
use crate::contract::{
    Bridge, ComposedInvariant, Compositions, Feedback, FieldSlot, FileId, Hold, Parallel, Series,
    Spanned,
};

/// Reads compositions. `file` is the text's id in the caller's sources.
pub fn parse_composition(text: &str, file: FileId) -> Parsed<Compositions> {
    const KEYS: &[&str] = &["parallel", "series", "feedback", "invariants"];
    document(text, file, KEYS, |root, out| Compositions {
        parallel: unique(parallel(root, out), "composition", |row| &row.name, out),
        series: unique(series(root, out), "composition", |row| &row.name, out),
        feedback: unique(feedback(root, out), "composition", |row| &row.name, out),
        invariants: invariants(root, out),
    })
}

fn parallel(root: &Table<'_>, out: &mut Findings<'_>) -> Vec<Parallel> {
    let keys = &[
        "name",
        "spaces",
        "sync",
        "merge_effects",
        "adapter",
        "holds",
        "doc",
    ];
    root.rows("parallel", keys, out, |row, out| {
        let name = row.need_name("name", out);
        let spaces = spaces(row, out);
        let sync = row.names("sync", out);
        let sync = unique(sync, "sync event", |name| name, out);
        let merge_effects = row.name("merge_effects", out);
        let adapter = bridges(row, "adapter", out);
        let holds = row.rows("holds", &["when", "space"], out, |hold, out| {
            let when = hold.need("when", out);
            let when = when.and_then(|node| invariant::points(&node, out));
            let space = hold.need_name("space", out);
            Some(Hold {
                when: when?,
                space: space?,
                span: hold.span,
            })
        });
        let doc = row.prose("doc", out);
        Some(Parallel {
            name: name?,
            spaces: spaces?,
            sync,
            merge_effects,
            adapter,
            holds,
            doc,
            span: row.span,
        })
    })
}

fn series(root: &Table<'_>, out: &mut Findings<'_>) -> Vec<Series> {
    root.rows(
        "series",
        &["name", "spaces", "adapter", "doc"],
        out,
        |row, out| {
            let name = row.need_name("name", out);
            let spaces = spaces(row, out);
            let adapter = bridges(row, "adapter", out);
            let doc = row.prose("doc", out);
            Some(Series {
                name: name?,
                spaces: spaces?,
                adapter,
                doc,
                span: row.span,
            })
        },
    )
}

fn feedback(root: &Table<'_>, out: &mut Findings<'_>) -> Vec<Feedback> {
    let keys = &["name", "space", "router", "max_rounds", "timeout_ms", "doc"];
    root.rows("feedback", keys, out, |row, out| {
        let name = row.need_name("name", out);
        let space = row.need_name("space", out);
        let router = bridges(row, "router", out);
        let max_rounds = row.get("max_rounds", out).and_then(|node| node.count(out));
        let timeout_ms = row.get("timeout_ms", out).and_then(|node| node.count(out));
        let doc = row.prose("doc", out);
        Some(Feedback {
            name: name?,
            space: space?,
            router,
            max_rounds,
            timeout_ms,
            doc,
            span: row.span,
        })
    })
}

fn spaces(row: &Table<'_>, out: &mut Findings<'_>) -> Option<Spanned<Vec<Spanned<String>>>> {
    let node = row.need("spaces", out)?;
    Some(Spanned::new(node.list(out, a_name), node.span))
}

fn bridges(row: &Table<'_>, key: &str, out: &mut Findings<'_>) -> Vec<Bridge> {
    row.rows(key, &["when", "to_event", "map"], out, |bridge, out| {
        let when = bridge.need("when", out);
        let when = when.and_then(|node| invariant::points(&node, out));
        let to_event = bridge.need_name("to_event", out);
        let map = bridge.rows("map", &["field", "slot"], out, |pair, out| {
            let field = pair.need_name("field", out);
            let slot = pair.need_name("slot", out);
            Some(FieldSlot {
                field: field?,
                slot: slot?,
            })
        });
        Some(Bridge {
            when: when?,
            to_event: to_event?,
            map,
            span: bridge.span,
        })
    })
}

/// A name is unique among the invariants of one composition only, which the gates look at.
fn invariants(root: &Table<'_>, out: &mut Findings<'_>) -> Vec<ComposedInvariant> {
    let mut keys = vec!["composition", "name", "doc"];
    keys.extend(PATTERNS);
    // Nothing depends on an invariant.
    out.leaf(|out| {
        root.rows("invariants", &keys, out, |row, out| {
            let composition = row.need_name("composition", out);
            let invariant = invariant::invariant(row, out);
            Some(ComposedInvariant {
                composition: composition?,
                invariant: invariant?,
            })
        })
    })
}
