//! What a new version of the compositions breaks.
//!
//! Each is compared with the one of its name, row by row: a change of a composition that another one
//! names is said once, of the one that was changed. Points and events are compared as they are
//! written.

mod parts;
mod rows;

use super::{Finding, RuleId};
use crate::contract::{
    Bridge, Compositions, FileId, Hold, Json, Span, Spanned, normalise_compositions,
};

/// A version of the compositions.
#[derive(Clone, Copy, Debug)]
pub struct ComposedVersion<'a> {
    /// The compositions.
    pub compositions: &'a Compositions,
    /// How many files come before this version's in the sources that findings point into.
    pub first_file: u32,
}

impl ComposedVersion<'_> {
    fn at(self, span: Span) -> Span {
        let file = FileId(span.file.0.saturating_add(self.first_file));
        Span { file, ..span }
    }
}

/// What changed in the compositions, by rule and then by place. Empty when both versions are the same
/// but for places and prose.
pub fn compare_compositions(old: ComposedVersion<'_>, new: ComposedVersion<'_>) -> Vec<Finding> {
    let (was, is) = (
        normalise_compositions(old.compositions),
        normalise_compositions(new.compositions),
    );
    let mut out = Vec::new();
    if was == is {
        return out;
    }
    let (before, after) = (Row::all(old.compositions), Row::all(new.compositions));
    let named = |rows: &[Row<'_>], name: &str| rows.iter().position(|row| row.name.value == name);
    for row in &before {
        if named(&after, row.name).is_none() {
            let message = format!("composition `{}` was removed", row.name.value);
            let finding = Finding::new(RuleId::COMPOSITION_REMOVED, old.at(row.name.span), message);
            out.push(finding.label("it was declared here"));
        }
    }
    for row in &after {
        let Some(at) = named(&before, row.name) else {
            let message = format!("composition `{}` was added", row.name.value);
            let place = new.at(row.name.span);
            out.push(Finding::new(RuleId::COMPOSITION_ADDED, place, message));
            continue;
        };
        let mut pair = Pair {
            old,
            new,
            before: &before[at],
            after: row,
            out: &mut out,
        };
        pair.compare();
    }
    promises(new, (&was, &is), &mut out);
    // No change goes unsaid.
    if let Some(first) = new.compositions.names().next().filter(|_| out.is_empty()) {
        let message = "the compositions say the same in another order or in other words";
        out.push(Finding::new(RuleId::ORDER, new.at(first.span), message));
    }
    out.sort_by_key(|one| (one.rule, one.span));
    out
}

/// Invariants, all at once: nothing depends on one of them.
fn promises(new: ComposedVersion<'_>, (was, is): (&Json, &Json), out: &mut Vec<Finding>) {
    let rows = |json: &Json| match json.get("invariants") {
        Some(Json::List(rows)) => rows.clone(),
        _ => Vec::new(),
    };
    let (was, is) = (rows(was), rows(is));
    if was == is {
        return;
    }
    let changed = (0..is.len()).find(|at| was.get(*at) != is.get(*at));
    let invariants = &new.compositions.invariants;
    let changed = changed.and_then(|at| invariants.get(at));
    let any = new.compositions.names().next();
    let place = changed
        .map(|row| row.invariant.name.span)
        .or(any.map(|name| name.span));
    // Where nothing is left, what was removed says it all.
    if let Some(place) = place {
        let message = "the invariants of compositions changed";
        out.push(Finding::new(RuleId::PROMISES, new.at(place), message));
    }
}

/// A composition of any kind.
struct Row<'a> {
    name: &'a Spanned<String>,
    kind: &'static str,
    spaces: &'a [Spanned<String>],
    syncs: &'a [Spanned<String>],
    bridges: &'a [Bridge],
    holds: &'a [Hold],
    /// Key, value, and place of each limit; 0 is none.
    limits: [(&'static str, u32, Span); 2],
}

impl<'a> Row<'a> {
    fn all(compositions: &'a Compositions) -> Vec<Self> {
        let limit = |value: &Option<Spanned<u32>>, row: Span| {
            let place = value.as_ref().map_or(row, |value| value.span);
            (value.as_ref().map_or(0, |value| value.value), place)
        };
        let parallel = compositions.parallel.iter().map(|row| Self {
            syncs: &row.sync,
            holds: &row.holds,
            ..Self::plain(&row.name, "parallel", &row.spaces.value, &row.adapter)
        });
        let series = compositions
            .series
            .iter()
            .map(|row| Self::plain(&row.name, "series", &row.spaces.value, &row.adapter));
        let feedback = compositions.feedback.iter().map(|row| {
            let spaces = std::slice::from_ref(&row.space);
            let (rounds, rounds_at) = limit(&row.max_rounds, row.name.span);
            let (time, time_at) = limit(&row.timeout_ms, row.name.span);
            Self {
                limits: [
                    ("max_rounds", rounds, rounds_at),
                    ("timeout_ms", time, time_at),
                ],
                ..Self::plain(&row.name, "feedback", spaces, &row.router)
            }
        });
        parallel.chain(series).chain(feedback).collect()
    }

    fn plain(
        name: &'a Spanned<String>,
        kind: &'static str,
        spaces: &'a [Spanned<String>],
        bridges: &'a [Bridge],
    ) -> Self {
        Self {
            name,
            kind,
            spaces,
            syncs: &[],
            bridges,
            holds: &[],
            limits: [("max_rounds", 0, name.span), ("timeout_ms", 0, name.span)],
        }
    }
}

/// One composition in both versions.
struct Pair<'a, 'b> {
    old: ComposedVersion<'a>,
    new: ComposedVersion<'a>,
    before: &'b Row<'a>,
    after: &'b Row<'a>,
    out: &'b mut Vec<Finding>,
}

impl Pair<'_, '_> {
    fn compare(&mut self) {
        let (was, is) = (self.before.kind, self.after.kind);
        if was != is {
            let name = &self.after.name.value;
            let message = format!("`{name}` is a `{is}` composition, and was a `{was}` one");
            let (was, is) = (self.before.name.span, self.after.name.span);
            self.say(RuleId::KIND, is, message)
                .was(was, "it was declared here");
        }
        self.spaces();
        self.syncs();
        self.bridges();
        self.holds();
        self.limits();
    }

    /// Reports something at a place of the new version.
    fn say(&mut self, rule: RuleId, place: Span, message: String) -> Said<'_> {
        let finding = Finding::new(rule, self.new.at(place), message);
        self.out.push(finding);
        Said {
            first_file: self.old,
            finding: self.out.last_mut(),
        }
    }
}

/// What was just reported, to be completed.
struct Said<'a> {
    first_file: ComposedVersion<'a>,
    finding: Option<&'a mut Finding>,
}

impl Said<'_> {
    /// With a place of the old version.
    fn was(self, place: Span, message: &str) {
        if let Some(finding) = self.finding {
            finding.related.push(crate::diagnostic::Related {
                span: self.first_file.at(place),
                message: message.to_owned(),
            });
        }
    }
}
