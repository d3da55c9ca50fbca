//! S04: what puts spaces together.

mod bridges;
mod feeds;
mod invariants;
mod names;
mod points;
mod syncs;
mod triggers;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::Triggers;
use super::report::{Report, clip};
use crate::contract::{Base, Compositions, Feedback, Parallel, Series, Span, Spanned};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::explore::JointJudge;
use crate::graph::{Component, Composed, LoopRow, Model};

/// A space that compositions may name.
#[derive(Clone, Debug)]
pub struct Declared<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where it is declared.
    pub span: Span,
    /// The space; `None` when it is wrong in ways that are reported elsewhere.
    pub model: Option<Arc<Model>>,
}

/// What the gates say of compositions.
#[derive(Clone, Debug, Default)]
pub struct Composition {
    /// All findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The compositions that passed, those that are named before those that name them.
    pub composed: Vec<Composed>,
    /// What they add to each space that they name: what the gates of that space need to know.
    pub triggers: BTreeMap<String, Triggers>,
}

impl Composition {
    /// Whether anything is an error.
    pub fn failed(&self) -> bool {
        let mut found = self.diagnostics.iter();
        found.any(|one| one.severity() == Severity::Error)
    }
}

/// Passes compositions through the gates of group S04.
///
/// Linear in the size of the file and of what its names stand for, but for sync events that a
/// participant does not accept in some of its states: for them the states that the composition can
/// reach are looked at, up to a bound.
pub fn check_compositions(compositions: &Compositions, spaces: &[Declared<'_>]) -> Composition {
    let base = Base::default();
    let mut out = Report::new(&base);
    let rows = rows(compositions);
    let names = names::Names::of(&rows, spaces, &mut out);
    let mut built: Vec<Option<Arc<Composed>>> = vec![None; rows.len()];
    let mut broken: BTreeSet<usize> = BTreeSet::new();
    let mut all = Composition::default();
    let mut judges = BTreeMap::new();
    for at in names.order(&rows, &mut out, &mut broken) {
        let row = &rows[at];
        let wrong = alone(row, &mut out);
        let parts = names.parts(row, spaces, &built);
        let Some(parts) = parts.filter(|_| !wrong && !broken.contains(&at)) else {
            continue;
        };
        let Some((mut composed, stages)) = join(row, &parts, &mut out) else {
            continue;
        };
        let sound = match row {
            Row::Parallel(row) => {
                let shared = syncs::declare(&mut composed, row, &mut out);
                let bridged = bridges::parallel(&mut composed, row, &stages, &mut out);
                shared && bridged
            }
            Row::Series(row) => bridges::series(&mut composed, row, &stages, &mut out),
            Row::Feedback(row) => {
                composed.loops.push(LoopRow {
                    name: row.name.value.clone(),
                    max_rounds: row.max_rounds.as_ref().map_or(0, |most| most.value),
                    timeout_ms: row.timeout_ms.as_ref().map_or(0, |most| most.value),
                });
                bridges::feedback(&mut composed, row, &mut out)
            }
        };
        if !sound {
            continue;
        }
        let composed = Arc::new(composed);
        let mut judge = JointJudge::new(Arc::clone(&composed));
        if syncs::accepted(&composed, &mut judge, &mut out) {
            triggers::add(&composed, &mut judge, &mut all.triggers);
            built[at] = Some(composed);
            // A graph is kept only for who asks for it again.
            let name = row.name();
            let mut promises = compositions.invariants.iter();
            if promises.any(|one| one.composition.value == name.value) {
                judges.insert(at, judge);
            }
        }
    }
    invariants::check(compositions, &names, &built, &mut judges, &mut out);
    drop(judges);
    all.diagnostics = out.finish();
    let built = built.into_iter().flatten();
    all.composed = built.map(Arc::unwrap_or_clone).collect();
    all
}

/// A composition of any kind.
#[derive(Clone, Copy)]
enum Row<'a> {
    Parallel(&'a Parallel),
    Series(&'a Series),
    Feedback(&'a Feedback),
}

fn rows(compositions: &Compositions) -> Vec<Row<'_>> {
    let parallel = compositions.parallel.iter().map(Row::Parallel);
    let series = compositions.series.iter().map(Row::Series);
    let feedback = compositions.feedback.iter().map(Row::Feedback);
    parallel.chain(series).chain(feedback).collect()
}

impl<'a> Row<'a> {
    fn name(self) -> &'a Spanned<String> {
        match self {
            Self::Parallel(row) => &row.name,
            Self::Series(row) => &row.name,
            Self::Feedback(row) => &row.name,
        }
    }

    fn doc(self) -> Option<&'a String> {
        match self {
            Self::Parallel(row) => row.doc.as_ref(),
            Self::Series(row) => row.doc.as_ref(),
            Self::Feedback(row) => row.doc.as_ref(),
        }
    }

    fn spaces(self) -> &'a [Spanned<String>] {
        match self {
            Self::Parallel(row) => &row.spaces.value,
            Self::Series(row) => &row.spaces.value,
            Self::Feedback(row) => std::slice::from_ref(&row.space),
        }
    }
}

/// What can be said of a row without knowing what it names. Whether anything is wrong.
fn alone(row: &Row<'_>, out: &mut Report<'_>) -> bool {
    let mut wrong = false;
    let mut report = |finding| {
        wrong = true;
        out.push(finding);
    };
    let name = clip(row.name());
    let spaces = match row {
        Row::Parallel(row) => Some(&row.spaces),
        Row::Series(row) => Some(&row.spaces),
        Row::Feedback(_) => None,
    };
    if let Some(spaces) = spaces.filter(|spaces| spaces.value.len() < 2) {
        let message = format!(
            "`{name}` names {} of at least two spaces",
            spaces.value.len()
        );
        let finding = Diagnostic::new(Code::TOO_FEW_SPACES, spaces.span, message);
        report(finding.help("name two spaces, or use the one without a composition"));
    }
    match row {
        Row::Parallel(row) => {
            let merge = row.merge_effects.as_ref();
            if let Some(other) = merge.filter(|word| word.value != Parallel::UNION) {
                let message = format!("unknown way to merge effects `{}`", clip(other));
                report(
                    Diagnostic::new(Code::MERGE_EFFECTS, other.span, message)
                        .help(format!("write `{}`, or leave the key out", Parallel::UNION))
                        .edit(other.span, format!("\"{}\"", Parallel::UNION)),
                );
            }
        }
        Row::Feedback(row) => {
            let limits = [&row.max_rounds, &row.timeout_ms];
            if !limits.into_iter().flatten().any(|limit| limit.value > 0) {
                let zero = limits.into_iter().flatten().next();
                let place = zero.map_or(row.name.span, |limit| limit.span);
                let message = format!("loop `{name}` has no limit");
                let finding = Diagnostic::new(Code::UNBOUNDED_LOOP, place, message);
                report(finding.help("set `max_rounds` or `timeout_ms` above 0"));
            }
        }
        Row::Series(_) => {}
    }
    wrong
}

/// What a name stands for.
enum Part<'a> {
    Space(&'a str, &'a Arc<Model>),
    Composed(&'a Composed),
}

/// The components of a composition, with everything that the compositions it names say of them,
/// and which of them belong to each name. `None` when a space is there twice.
fn join(
    row: &Row<'_>,
    parts: &[Part<'_>],
    out: &mut Report<'_>,
) -> Option<(Composed, Vec<Range<usize>>)> {
    let mut all = Composed {
        name: row.name().value.clone(),
        doc: row.doc().cloned(),
        components: Vec::new(),
        syncs: Vec::new(),
        bridges: Vec::new(),
        loops: Vec::new(),
        holds: Vec::new(),
        after: Vec::new(),
    };
    let mut stages: Vec<Range<usize>> = Vec::new();
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    let mut twice = false;
    for (part, named) in parts.iter().zip(row.spaces()) {
        let first = all.components.len();
        match part {
            Part::Space(name, model) => {
                all.components.push(Component {
                    name: (*name).to_owned(),
                    model: Arc::clone(model),
                });
                all.after.push(Vec::new());
            }
            Part::Composed(inner) => append(&mut all, inner),
        }
        let names: Vec<&str> = match part {
            Part::Space(name, _) => vec![name],
            Part::Composed(inner) => inner.components.iter().map(|one| &*one.name).collect(),
        };
        for name in names {
            if let Some(before) = seen.get(name) {
                let message = format!("`{}` holds space `{name}` twice", clip(row.name()));
                out.push(
                    Diagnostic::new(Code::SPACE_TWICE, named.span, message)
                        .related(*before, "it is there already")
                        .help("a second one of a kind is a contract with a name of its own"),
                );
                twice = true;
                break;
            }
            seen.insert(name, named.span);
        }
        // A part that is there twice would double with every name.
        if twice {
            return None;
        }
        stages.push(first..all.components.len());
    }
    Some((all, stages))
}

/// Adds a composition that is named, its indices moved behind those that are there.
fn append(all: &mut Composed, inner: &Composed) {
    let (by, loops) = (all.components.len(), all.loops.len());
    all.components.extend(inner.components.iter().cloned());
    all.syncs.extend(inner.syncs.iter().cloned().map(|mut row| {
        row.parts
            .iter_mut()
            .for_each(|(component, _)| *component += by);
        row
    }));
    all.bridges
        .extend(inner.bridges.iter().cloned().map(|mut row| {
            row.from += by;
            row.to += by;
            row.payload
                .iter_mut()
                .for_each(|(component, _)| *component += by);
            row.restarts
                .iter_mut()
                .for_each(|component| *component += by);
            row.feedback = row.feedback.map(|at| at + loops);
            row
        }));
    all.loops.extend(inner.loops.iter().cloned());
    all.holds.extend(inner.holds.iter().map(|row| {
        let mut row = *row;
        (row.by, row.held) = (row.by + by, row.held + by);
        row
    }));
    all.after.extend(inner.after.iter().map(|list| {
        let list = list.iter().map(|component| component + by);
        list.collect::<Vec<_>>()
    }));
}
