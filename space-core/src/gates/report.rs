//! The collector that every gate writes its findings to.

use crate::contract::{Base, Span, Spanned};
use crate::diagnostic::{Code, Diagnostic, Spelling};

/// How many findings of one code are kept; the rest is counted. A mistake that is made ten thousand
/// times is one mistake.
const KEPT: usize = 200;

/// The findings of one contract.
pub(super) struct Report<'a> {
    base: &'a Base,
    found: Vec<Diagnostic>,
    spelling: Spelling,
}

/// A declaration table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    States,
    Events,
    Effects,
    Guards,
    Slots,
}

impl Table {
    /// What one row of it is.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::States => "state",
            Self::Events => "event",
            Self::Effects => "effect",
            Self::Guards => "guard",
            Self::Slots => "slot",
        }
    }

    /// How the base file names it.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::States => "states",
            Self::Events => "events",
            Self::Effects => "effects",
            Self::Guards => "guards",
            Self::Slots => "ctx",
        }
    }
}

impl<'a> Report<'a> {
    pub(super) fn new(base: &'a Base) -> Self {
        Self {
            base,
            found: Vec::new(),
            spelling: Spelling::default(),
        }
    }

    pub(super) fn push(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }

    /// Reports a name that a table does not declare; `written` is how the whole text would read with
    /// the name that was meant.
    pub(super) fn unknown(
        &mut self,
        code: Code,
        table: Table,
        (name, span): (&str, Span),
        written: impl Fn(&str) -> String,
    ) {
        self.unknown_at(code, table, name, &[span], written);
    }

    /// As [`Self::unknown`], of a name that is written at several places: one name, one finding.
    pub(super) fn unknown_at(
        &mut self,
        code: Code,
        table: Table,
        name: &str,
        places: &[Span],
        written: impl Fn(&str) -> String,
    ) {
        const SHOWN: usize = 5;
        let Some((&span, also)) = places.split_first() else {
            return;
        };
        let base = self.base;
        let meant = match table {
            Table::States => self.near(name, base.states.iter().map(|row| &row.name)),
            Table::Events => self.near(name, base.events.iter().map(|row| &row.name)),
            Table::Effects => self.near(name, base.effects.iter().map(|row| &row.name)),
            Table::Guards => self.near(name, base.guards.iter().map(|row| &row.name)),
            Table::Slots => self.near(name, base.ctx.iter().map(|row| &row.name)),
        };
        let message = format!("unknown {} `{}`", table.word(), clip(name));
        let mut finding = Diagnostic::new(code, span, message);
        for place in also.iter().take(SHOWN) {
            finding = finding.related(*place, "and here");
        }
        self.push(match meant {
            Some(meant) => finding
                .help(format!("did you mean `{meant}`?"))
                .edit(span, format!("\"{}\"", written(meant))),
            None => finding.help(format!("declare it under `[[{}]]`", table.key())),
        });
    }

    /// The name of `candidates` that was meant.
    pub(super) fn near<'c>(
        &mut self,
        name: &str,
        candidates: impl Iterator<Item = &'c Spanned<String>>,
    ) -> Option<&'c str> {
        self.spelling
            .nearest(name, candidates.map(|one| one.value.as_str()))
    }

    /// All findings by place, and of each code only so many.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        let mut found = self.found;
        found.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
        let mut kept = std::collections::BTreeMap::<Code, usize>::new();
        let mut last = Vec::new();
        found.retain(|one| {
            let count = kept.entry(one.code).or_default();
            *count += 1;
            if *count == KEPT + 1 {
                last.push((one.code, one.span));
            }
            *count <= KEPT
        });
        for (code, span) in last {
            let more = kept[&code] - KEPT;
            let message = format!("and {more} more of these");
            found.push(Diagnostic::new(code, span, message));
        }
        found.sort_by_key(|one| one.span);
        found
    }
}

/// A text of the contract as a message may quote it: short, on one line.
pub(super) fn clip(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut clipped: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        clipped.push('…');
    }
    clipped
}

/// `` `a`, `b` and `c` ``, or the first few and how many more.
pub(super) fn listed<'n>(names: impl IntoIterator<Item = &'n str>, count: usize) -> String {
    const SHOWN: usize = 3;
    let names = names.into_iter().take(SHOWN);
    let quoted: Vec<_> = names.map(|name| format!("`{}`", clip(name))).collect();
    if count > SHOWN {
        return format!("{} and {} more", quoted.join(", "), count - SHOWN);
    }
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
