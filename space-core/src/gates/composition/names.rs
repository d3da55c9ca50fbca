//! What compositions are called, and what they name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Declared, Part, Row};
use crate::contract::Spanned;
use crate::diagnostic::{Code, Diagnostic, Spelling};
use crate::gates::names::{Case, legal};
use crate::gates::report::{Report, clip};
use crate::graph::{Composed, Digraph, components};

/// What a name stands for.
#[derive(Clone, Copy)]
enum Named {
    Space(usize),
    Composition(usize),
}

/// The names of spaces and compositions.
pub(super) struct Names<'a> {
    named: BTreeMap<&'a str, Named>,
    spelling: Spelling,
}

impl<'a> Names<'a> {
    /// Reports compositions whose name is not legal or taken. The first of one name has it, spaces
    /// before compositions.
    pub(super) fn of(rows: &[Row<'a>], spaces: &[Declared<'a>], out: &mut Report<'_>) -> Self {
        let spaces = spaces.iter().enumerate();
        let mut places: BTreeMap<&str, _> = spaces
            .clone()
            .map(|(_, one)| (one.name, one.span))
            .collect();
        let mut named: BTreeMap<_, _> = spaces
            .map(|(at, one)| (one.name, Named::Space(at)))
            .collect();
        for (at, row) in rows.iter().enumerate() {
            let name = row.name();
            legal("composition", name, Case::LowerSnake, out);
            if let Some(before) = places.get(name.as_str()) {
                let message = format!("the name `{}` is taken", clip(name));
                out.push(
                    Diagnostic::new(Code::NAME_TAKEN, name.span, message)
                        .related(*before, "it is the name of this one")
                        .help("give the composition a name of its own"),
                );
                continue;
            }
            places.insert(name, name.span);
            named.insert(name, Named::Composition(at));
        }
        Self {
            named,
            spelling: Spelling::default(),
        }
    }

    /// The compositions, those that are named before those that name them. Reports names that are
    /// not declared, and circles; what is in one is `broken`.
    pub(super) fn order(
        &self,
        rows: &[Row<'_>],
        out: &mut Report<'_>,
        broken: &mut BTreeSet<usize>,
    ) -> Vec<usize> {
        let mut edges = Vec::new();
        let mut spelling = self.spelling.clone();
        for (at, row) in rows.iter().enumerate() {
            for (label, name) in row.spaces().iter().enumerate() {
                match self.named.get(name.as_str()) {
                    Some(Named::Composition(to)) => edges.push((at, *to, label)),
                    Some(Named::Space(_)) => {}
                    None => {
                        out.push(self.unknown("space", name, &mut spelling));
                        broken.insert(at);
                    }
                }
            }
        }
        let graph = Digraph::new(rows.len(), &edges);
        let parts = components(&graph);
        let mut members = vec![Vec::new(); parts.count];
        for (at, part) in parts.of.iter().enumerate() {
            members[*part].push(at);
        }
        for members in &members {
            let first = members[0];
            let circle =
                members.len() > 1 || graph.edges_of(first).iter().any(|(to, _)| *to == first);
            if !circle {
                continue;
            }
            broken.extend(members);
            let names = members.iter().map(|at| rows[*at].name().as_str());
            let names = crate::gates::report::listed(names, members.len());
            let message = if members.len() > 1 {
                format!("{names} name each other in a circle")
            } else {
                format!("{names} names itself")
            };
            let mut finding = Diagnostic::new(Code::NAMING_CYCLE, rows[first].name().span, message);
            for at in members.iter().skip(1).take(3) {
                finding = finding.related(rows[*at].name().span, "this one is part of it");
            }
            out.push(finding.help("compositions come down to spaces in the end"));
        }
        members.into_iter().flatten().collect()
    }

    fn unknown(&self, what: &str, name: &Spanned<String>, spelling: &mut Spelling) -> Diagnostic {
        let message = format!("unknown {what} `{}`", clip(name));
        let finding = Diagnostic::new(Code::UNKNOWN_SPACE, name.span, message);
        match spelling.nearest(name, self.named.keys().copied()) {
            Some(meant) => finding
                .help(format!("did you mean `{meant}`?"))
                .edit(name.span, format!("\"{meant}\"")),
            None => finding.help(format!(
                "a space is a pair of files: add {0}_base.toml and {0}_domain.toml",
                clip(name)
            )),
        }
    }

    /// What a row's names stand for; `None` when one of them is broken, or not declared.
    pub(super) fn parts<'b>(
        &self,
        row: &Row<'_>,
        spaces: &'b [Declared<'a>],
        built: &'b [Option<Arc<Composed>>],
    ) -> Option<Vec<Part<'b>>> {
        let part = |name: &Spanned<String>| match *self.named.get(name.as_str())? {
            Named::Space(at) => {
                let space = &spaces[at];
                space
                    .model
                    .as_ref()
                    .map(|model| Part::Space(space.name, model))
            }
            Named::Composition(at) => built[at].as_deref().map(Part::Composed),
        };
        row.spaces().iter().map(part).collect()
    }

    /// The composition that an invariant names: its row, or a finding when there is none.
    pub(super) fn composition(
        &self,
        name: &Spanned<String>,
        out: &mut Report<'_>,
    ) -> Option<usize> {
        match self.named.get(name.as_str()) {
            Some(Named::Composition(at)) => Some(*at),
            Some(Named::Space(_)) => {
                let message = format!("`{}` is a space", clip(name));
                let finding = Diagnostic::new(Code::UNKNOWN_SPACE, name.span, message);
                out.push(finding.help("an invariant of a space stands in its domain file"));
                None
            }
            None => {
                let mut spelling = self.spelling.clone();
                out.push(self.unknown("composition", name, &mut spelling));
                None
            }
        }
    }
}
