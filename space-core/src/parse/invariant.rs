//! `[[invariants]]`: one pattern over points of a run.

use super::findings::Findings;
use super::table::{Node, Table, clip, listed};
use crate::contract::{Invariant, Pattern, Point, Points, Spanned};
use crate::diagnostic::{Code, Diagnostic};

/// The keys of the patterns; an invariant has exactly one of them.
pub(super) const PATTERNS: [&str; 7] = [
    "absence",
    "existence",
    "precedence",
    "response",
    "bounded_existence",
    "exclusion",
    "reachable",
];

/// Reads a row.
pub(super) fn invariant(row: &Table<'_>, out: &mut Findings<'_>) -> Option<Invariant> {
    let name = row.need_name("name", out);
    let doc = row.prose("doc", out);
    let mut given: Vec<(&str, Node<'_>)> = Vec::new();
    for key in PATTERNS {
        if let Some(node) = row.get(key, out) {
            let before = |(_, other): &&(&str, Node<'_>)| other.span < node.span;
            let at = given.iter().take_while(before).count();
            given.insert(at, (key, node));
        }
    }
    let (key, node) = match given.as_slice() {
        [(key, node)] => (*key, node),
        [] => {
            let message = "the invariant has no pattern";
            let misspelt = row.misspelt(&PATTERNS, out);
            out.report(match misspelt {
                Some((place, written, meant)) => Diagnostic::new(Code::MISSING_KEY, place, message)
                    .help(format!("`{written}` is none; did you mean `{meant}`?"))
                    .edit(place, meant),
                None => Diagnostic::new(Code::MISSING_KEY, row.span, message)
                    .help(format!("add one of {}", listed(&PATTERNS))),
            });
            return None;
        }
        [(_, first), (key, second), ..] => {
            let message = format!("the invariant has a second pattern, `{key}`");
            out.report(
                Diagnostic::new(Code::BAD_VALUE, second.span, message)
                    .related(first.span, "its first pattern is here")
                    .help("write one invariant for each pattern"),
            );
            return None;
        }
    };
    let pattern = pattern(key, node, out);
    Some(Invariant {
        name: name?,
        pattern: Spanned::new(pattern?, node.span),
        doc,
        span: row.span,
    })
}

fn pattern(key: &str, node: &Node<'_>, out: &mut Findings<'_>) -> Option<Pattern> {
    let known: &[&str] = match key {
        "absence" => &["of", "after", "until"],
        "existence" => &["of"],
        "precedence" => &["first", "then", "reset"],
        "response" => &["after", "must"],
        "bounded_existence" => &["of", "at_most"],
        "exclusion" => &["points"],
        _ => &["point"],
    };
    let table = node.table(known, out)?;
    // Every position is read before any is missed, so that all errors come at once.
    let mut required = |key| table.need(key, out).and_then(|node| points(&node, out));
    Some(match key {
        "absence" => {
            let of = required("of");
            let after = optional(&table, "after", out);
            let until = optional(&table, "until", out);
            Pattern::Absence {
                of: of?,
                after: after?,
                until: until?,
            }
        }
        "existence" => Pattern::Existence {
            of: required("of")?,
        },
        "precedence" => {
            let (first, then) = (required("first"), required("then"));
            let reset = optional(&table, "reset", out);
            Pattern::Precedence {
                first: first?,
                then: then?,
                reset: reset?,
            }
        }
        "response" => {
            let (after, must) = (required("after"), required("must"));
            Pattern::Response {
                after: after?,
                must: must?,
            }
        }
        "bounded_existence" => {
            let of = required("of");
            let at_most = table.need("at_most", out).and_then(|node| node.count(out));
            Pattern::BoundedExistence {
                of: of?,
                at_most: at_most?,
            }
        }
        "exclusion" => Pattern::Exclusion {
            points: required("points")?,
        },
        _ => Pattern::Reachable {
            point: required("point")?,
        },
    })
}

/// The points of an optional position: missing is none, `None` is one that was refused.
fn optional(table: &Table<'_>, key: &str, out: &mut Findings<'_>) -> Option<Points> {
    match table.get(key, out) {
        Some(node) => points(&node, out),
        None => Some(Vec::new()),
    }
}

/// One point, or a list of at least one.
pub(super) fn points(node: &Node<'_>, out: &mut Findings<'_>) -> Option<Points> {
    node.one_or_more(out, |node, out| {
        let text = node.name(out)?;
        let point = Point::parse(&text.value);
        if point.is_none() {
            let what = format!("is no point: `{}`", clip(&text.value));
            let help = "write `state:X`, `event:X`, `effect:X` or `semantics:x`, \
                        in compositions `space.state:X`";
            node.bad_but(&what, help, out);
        }
        point.map(|point| Spanned::new(point, text.span))
    })
}
