//! Spaces put together: `composition.toml`.

use super::{Invariant, Point, Points, Span, Spanned};

/// What `composition.toml` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compositions {
    /// `[[parallel]]`.
    pub parallel: Vec<Parallel>,
    /// `[[series]]`.
    pub series: Vec<Series>,
    /// `[[feedback]]`.
    pub feedback: Vec<Feedback>,
    /// `[[invariants]]`.
    pub invariants: Vec<ComposedInvariant>,
}

/// Spaces that run side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parallel {
    /// `lower_snake`.
    pub name: Spanned<String>,
    /// The spaces, or other compositions.
    pub spaces: Spanned<Vec<Spanned<String>>>,
    /// Events that move all participants that declare them, or none.
    pub sync: Vec<Spanned<String>>,
    /// How the participants' effects come together; absent is [`Parallel::UNION`].
    pub merge_effects: Option<Spanned<String>>,
    /// Events that one participant is given because another reached a point.
    pub adapter: Vec<Bridge>,
    /// What keeps a participant's next effect from starting.
    pub holds: Vec<Hold>,
    /// Becomes rustdoc.
    pub doc: Option<String>,
    /// The row's table.
    pub span: Span,
}

impl Parallel {
    /// The only way in which effects come together: each participant has its own.
    pub const UNION: &'static str = "union";
}

/// While a participant is in a state, another's next effect does not start.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// The states, any of them.
    pub when: Points,
    /// Whose effects wait.
    pub space: Spanned<String>,
    /// The row.
    pub span: Span,
}

/// Spaces that run one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// `lower_snake`.
    pub name: Spanned<String>,
    /// The spaces, or other compositions, in their order.
    pub spaces: Spanned<Vec<Spanned<String>>>,
    /// How the later ones are started.
    pub adapter: Vec<Bridge>,
    /// Becomes rustdoc.
    pub doc: Option<String>,
    /// The row's table.
    pub span: Span,
}

/// A space that starts again from what it came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feedback {
    /// `lower_snake`.
    pub name: Spanned<String>,
    /// The space, or another composition.
    pub space: Spanned<String>,
    /// Which states are answered with which events.
    pub router: Vec<Bridge>,
    /// How often at most; absent or 0 is no limit.
    pub max_rounds: Option<Spanned<u32>>,
    /// How many milliseconds after the start of the run at most; absent or 0 is no limit.
    pub timeout_ms: Option<Spanned<u32>>,
    /// Becomes rustdoc.
    pub doc: Option<String>,
    /// The row's table.
    pub span: Span,
}

/// A point that is reached in one space, and the event that another is given for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bridge {
    /// The points, any of them, all of one space.
    pub when: Points,
    /// The event: `ContextReady`, or `reasoning.ContextReady` where several spaces declare it.
    pub to_event: Spanned<String>,
    /// Payload fields and slots where their names differ.
    pub map: Vec<FieldSlot>,
    /// The row.
    pub span: Span,
}

/// `{ field, slot }`.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldSlot {
    /// The event's payload field.
    pub field: Spanned<String>,
    /// The slot: of the space that reached the point, or `space.slot`.
    pub slot: Spanned<String>,
}

/// A promise about every run of a composition.
#[derive(Clone, Debug, PartialEq)]
pub struct ComposedInvariant {
    /// The composition.
    pub composition: Spanned<String>,
    /// What is promised.
    pub invariant: Invariant,
}

impl Compositions {
    /// The names of all compositions, in the order of their tables.
    pub fn names(&self) -> impl Iterator<Item = &Spanned<String>> {
        let parallel = self.parallel.iter().map(|row| &row.name);
        let series = self.series.iter().map(|row| &row.name);
        let feedback = self.feedback.iter().map(|row| &row.name);
        parallel.chain(series).chain(feedback)
    }
}

/// `name`, or `space.name`: the space, when it is given, and the name.
pub fn qualified(text: &str) -> (Option<&str>, &str) {
    match text.split_once('.') {
        Some((space, name)) => (Some(space), name),
        None => (None, text),
    }
}

impl Bridge {
    /// The space that a point of it names.
    pub fn space(&self) -> Option<&str> {
        self.when
            .iter()
            .find_map(|point: &Spanned<Point>| point.space.as_deref())
    }
}
