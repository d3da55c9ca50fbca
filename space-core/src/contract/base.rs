//! The vocabulary of a space: `<name>_base.toml`.

use super::{Json, Semantics, Span, Spanned, Type};

/// `[meta]` of either file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// The space's name, `lower_snake`; pairs a base with a domain file.
    pub name: Spanned<String>,
    /// Prefix of generated type names; `UpperCamel` of the name when absent.
    pub prefix: Option<Spanned<String>>,
    /// A version for people; no tool reads it.
    pub version: Option<Spanned<String>>,
}

/// The vocabulary: what may be said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Base {
    /// `[meta]`.
    pub meta: Meta,
    /// What the space is for; becomes rustdoc.
    pub doc: Option<String>,
    /// `[[states]]`.
    pub states: Vec<State>,
    /// `[[events]]`.
    pub events: Vec<Event>,
    /// `[[effects]]`.
    pub effects: Vec<Effect>,
    /// `[[guards]]`.
    pub guards: Vec<Guard>,
    /// `[[ctx]]`.
    pub ctx: Vec<Slot>,
}

/// A state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// `UpperCamel`.
    pub name: Spanned<String>,
    /// Becomes rustdoc.
    pub doc: Option<String>,
    /// Whether runs start here; absent is false.
    pub is_initial: Option<Spanned<bool>>,
    /// Whether runs end here; absent is "has no outgoing rule".
    pub is_terminal: Option<Spanned<bool>>,
}

/// A typed, named part of a payload or of an effect's arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// `lower_snake`.
    pub name: Spanned<String>,
    /// The type; `None` when what was written is no type and has been reported.
    pub ty: Spanned<Option<Type>>,
    /// Becomes rustdoc.
    pub doc: Option<String>,
}

/// An event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// `UpperCamel`.
    pub name: Spanned<String>,
    /// Becomes rustdoc.
    pub doc: Option<String>,
    /// What it carries.
    pub payload: Vec<Field>,
    /// Whether it may arrive at any time; absent is false.
    pub external: Option<Spanned<bool>>,
}

impl Event {
    /// Whether it may arrive at any time.
    pub fn is_external(&self) -> bool {
        self.external
            .as_ref()
            .is_some_and(|external| external.value)
    }
}

/// An effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// `UpperCamel`.
    pub name: Spanned<String>,
    /// Becomes rustdoc.
    pub doc: Option<String>,
    /// What its handler is given.
    pub args: Vec<Field>,
    /// What it does to the world; `None` when what was written is no such word and has been
    /// reported.
    pub semantics: Spanned<Option<Semantics>>,
    /// The only events its handler may answer with; absent is every event.
    pub returns: Option<Spanned<Vec<Spanned<String>>>>,
    /// What a handler's own failure becomes.
    pub sentinel: Option<Spanned<String>>,
}

/// A guard: a pure predicate of context and event, implemented in Rust.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guard {
    /// `lower_snake`.
    pub name: Spanned<String>,
    /// Becomes rustdoc.
    pub doc: Option<String>,
}

/// A context slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// `lower_snake`.
    pub name: Spanned<String>,
    /// The type; `None` when what was written is no type and has been reported.
    pub ty: Spanned<Option<Type>>,
    /// What it holds at the start; absent is empty.
    pub default: Option<Spanned<Json>>,
    /// Becomes rustdoc.
    pub doc: Option<String>,
}

impl Base {
    /// The place that stands for the whole file: its name.
    pub fn span(&self) -> Span {
        self.meta.name.span
    }
}
