//! The behaviour of a space: `<name>_domain.toml`.

use super::{Meta, Point, Span, Spanned};

/// The behaviour: what happens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Domain {
    /// `[meta]`.
    pub meta: Meta,
    /// `[[transitions]]`, in file order: the order of rules.
    pub transitions: Vec<Transition>,
    /// `[[ignored]]`.
    pub ignored: Vec<Ignored>,
    /// `[[invariants]]`.
    pub invariants: Vec<Invariant>,
}

/// The states that a rule leaves.
#[derive(Clone, Debug, PartialEq)]
pub enum FromStates {
    /// `"*"`: every non-terminal state.
    Any,
    /// One state, or a list.
    States(Vec<Spanned<String>>),
}

impl FromStates {
    /// The states that are named; none for a wildcard.
    pub fn states(&self) -> &[Spanned<String>] {
        match self {
            Self::Any => &[],
            Self::States(states) => states,
        }
    }
}

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// The states it leaves.
    pub from: Spanned<FromStates>,
    /// The event it answers.
    pub on: Spanned<String>,
    /// The state it enters.
    pub to: Spanned<String>,
    /// A condition; when refused, the event is rejected and nothing changes.
    pub guard: Option<Spanned<GuardUse>>,
    /// What it asks of the world.
    pub effect: Option<Spanned<String>>,
    /// Effect arguments from same-named payload fields.
    pub args: Vec<Spanned<String>>,
    /// Effect arguments from context slots, as they were before this rule.
    pub args_from: Vec<SlotArg>,
    /// Slots written from same-named payload fields.
    pub assign: Vec<Spanned<String>>,
    /// Slots written from differently named payload fields.
    pub assign_from: Vec<SlotAssign>,
    /// Becomes rustdoc.
    pub doc: Option<String>,
    /// The rule's table.
    pub span: Span,
}

/// A guard in a rule: `name` or `!name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardUse {
    /// The declared guard.
    pub name: String,
    /// Whether its answer is negated.
    pub negated: bool,
}

/// `{ arg, slot }`.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotArg {
    /// The effect's argument.
    pub arg: Spanned<String>,
    /// The slot it is read from.
    pub slot: Spanned<String>,
}

/// `{ slot, from_field }`.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotAssign {
    /// The slot written.
    pub slot: Spanned<String>,
    /// The payload field it is written from.
    pub from_field: Spanned<String>,
}

/// External events that a state deliberately leaves unanswered.
#[derive(Clone, Debug, PartialEq)]
pub struct Ignored {
    /// The states.
    pub from: Spanned<FromStates>,
    /// The events.
    pub on: Vec<Spanned<String>>,
    /// The row's table.
    pub span: Span,
}

/// A promise about every run.
#[derive(Clone, Debug, PartialEq)]
pub struct Invariant {
    /// `lower_snake`.
    pub name: Spanned<String>,
    /// What is promised.
    pub pattern: Spanned<Pattern>,
    /// Becomes rustdoc.
    pub doc: Option<String>,
    /// The row's table.
    pub span: Span,
}

/// Points any of which will do.
pub type Points = Vec<Spanned<Point>>;

/// The specification patterns.
///
/// Source: Dwyer, Avrunin, Corbett, *Patterns in property specifications for finite-state
/// verification*, ICSE 1999.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// `of` never occurs in the scope.
    Absence {
        /// What never occurs.
        of: Points,
        /// Where the scope starts; absent is at the start.
        after: Points,
        /// Where the scope ends; absent is at the end.
        until: Points,
    },
    /// Every complete run passes `of`.
    Existence {
        /// What occurs.
        of: Points,
    },
    /// `then` occurs only if `first` occurred since the last `reset`.
    Precedence {
        /// What must come first.
        first: Points,
        /// What may come only then.
        then: Points,
        /// What undoes `first`.
        reset: Points,
    },
    /// After `after`, every complete run reaches `must`.
    Response {
        /// What asks.
        after: Points,
        /// What answers.
        must: Points,
    },
    /// `of` occurs at most so many times in a run.
    BoundedExistence {
        /// What is counted.
        of: Points,
        /// The most.
        at_most: Spanned<u32>,
    },
    /// Never true together.
    Exclusion {
        /// What excludes each other.
        points: Points,
    },
    /// From every reachable non-terminal state the point can still be reached.
    Reachable {
        /// What stays reachable.
        point: Points,
    },
}
