//! What a form is made of.

/// A kind of contract file.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// `base`, `domain` or `composition`.
    pub name: &'static str,
    /// What the file is for.
    pub title: &'static str,
    /// Its root.
    pub root: Table,
}

impl Form {
    /// The name of its schema's file.
    pub fn file(&self) -> String {
        format!("{}.schema.json", self.name)
    }
}

/// A table: the keys it may have.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name of its definition.
    pub name: &'static str,
    /// Its keys, in the order of the format's description.
    pub keys: &'static [Key],
    /// Keys exactly one of which is there; none means that there is no such rule.
    pub one_of: &'static [&'static str],
    /// Keys at least one of which is there with a value above 0; none means that there is no such rule.
    pub some_above_0: &'static [&'static str],
}

impl Table {
    pub(super) const fn new(name: &'static str, keys: &'static [Key]) -> Self {
        Self {
            name,
            keys,
            one_of: &[],
            some_above_0: &[],
        }
    }
}

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// What it holds.
    pub kind: Kind,
    /// What it is for: an editor shows it.
    pub doc: &'static str,
}

pub(super) const fn must(name: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key {
        name,
        required: true,
        kind,
        doc,
    }
}

pub(super) const fn may(name: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key {
        name,
        required: false,
        kind,
        doc,
    }
}

/// What a key holds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Prose.
    Text,
    /// An `UpperCamel` name.
    Camel,
    /// A `lower_snake` name.
    Snake,
    /// A guard, or its negation: `name` or `!name`.
    Guard,
    /// A value type: `text`, `list<int>?`.
    Type,
    /// A word of the closed vocabulary of semantics.
    Semantics,
    /// How the effects of a parallel composition come together.
    Merge,
    /// `true` or `false`.
    Flag,
    /// A count from 0.
    Count,
    /// Any value that JSON can say.
    Json,
    /// A point of a run.
    Point,
    /// A list, which may be empty.
    List(&'static Kind),
    /// A list of at least so many.
    AtLeast(u8, &'static Kind),
    /// One, or a list of at least one.
    OneOrMore(&'static Kind),
    /// One of these.
    Either(&'static [Kind]),
    /// `"*"`.
    Any,
    /// A table.
    Table(&'static Table),
}
