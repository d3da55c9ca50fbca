//! The resolved contract: what every later stage reads.

use crate::contract::{Hash, Semantics, Span, Type, Value};

/// A contract with every name resolved to an index and every wildcard expanded.
///
/// Indices count rows of the declaration tables in file order. Building one is linear in the
/// size of the contract and of its expansion.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The space's name, `lower_snake`.
    pub name: String,
    /// The prefix of generated type names, `UpperCamel`.
    pub prefix: String,
    /// The contract's hash.
    pub hash: Hash,
    /// What the space is for.
    pub doc: Option<String>,
    /// States.
    pub states: Vec<StateRow>,
    /// Index of the initial state.
    pub initial: usize,
    /// Events.
    pub events: Vec<EventRow>,
    /// Effects.
    pub effects: Vec<EffectRow>,
    /// Guards.
    pub guards: Vec<GuardRow>,
    /// Context slots.
    pub slots: Vec<SlotRow>,
    /// Rules, sorted by source state, then by event.
    pub rules: Vec<Rule>,
    /// `rules[starts[s]..starts[s + 1]]` leave state `s`.
    pub starts: Vec<usize>,
    /// Ignored events of each state, sorted.
    pub ignored: Vec<Vec<usize>>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateRow {
    /// Its name.
    pub name: String,
    /// Its prose.
    pub doc: Option<String>,
    /// Whether runs end here: it has no rule.
    pub terminal: bool,
}

/// A typed name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its prose.
    pub doc: Option<String>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Its name.
    pub name: String,
    /// Its prose.
    pub doc: Option<String>,
    /// What it carries.
    pub payload: Vec<Param>,
    /// Whether it may arrive at any time.
    pub external: bool,
}

/// An effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectRow {
    /// Its name.
    pub name: String,
    /// Its prose.
    pub doc: Option<String>,
    /// What its handler is given.
    pub args: Vec<Param>,
    /// What it does to the world.
    pub semantics: Semantics,
    /// The events its handler may answer with; `None` is every event.
    pub returns: Option<Vec<usize>>,
    /// The event that a handler's own failure becomes.
    pub sentinel: Option<usize>,
}

/// A guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardRow {
    /// Its name.
    pub name: String,
    /// Its prose.
    pub doc: Option<String>,
}

/// A context slot.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotRow {
    /// Its name.
    pub name: String,
    /// Its prose.
    pub doc: Option<String>,
    /// Its type.
    pub ty: Type,
    /// What it holds at the start; `None` is empty.
    pub default: Option<Value>,
}

impl SlotRow {
    /// Whether it can be empty: without default, or of an optional type.
    pub fn can_be_empty(&self) -> bool {
        self.default.is_none() || self.ty.is_optional()
    }
}

/// Where an effect argument comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgSource {
    /// A payload field of the event.
    Field(usize),
    /// A context slot, as it was before the rule.
    Slot(usize),
}

/// A rule of one source state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The source state.
    pub from: usize,
    /// The event.
    pub on: usize,
    /// The target state.
    pub to: usize,
    /// The guard and whether its answer is negated.
    pub guard: Option<(usize, bool)>,
    /// The effect.
    pub effect: Option<usize>,
    /// Where each of the effect's arguments comes from, in the order of its declaration.
    pub args: Vec<ArgSource>,
    /// Slots and the payload fields they are written from.
    pub assigns: Vec<(usize, usize)>,
    /// The row of `[[transitions]]` it was expanded from: the order of rules.
    pub row: usize,
    /// The place of that row.
    pub span: Span,
}

/// What a state says to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell<'a> {
    /// A rule answers it.
    Rule(&'a Rule),
    /// Deliberately nothing.
    Ignored,
    /// Nothing.
    Empty,
}

impl Model {
    /// The rules that leave a state, sorted by event.
    pub fn rules_of(&self, state: usize) -> &[Rule] {
        &self.rules[self.starts[state]..self.starts[state + 1]]
    }

    /// What a state says to an event. Logarithmic in the state's rules.
    pub fn cell(&self, state: usize, event: usize) -> Cell<'_> {
        let rules = self.rules_of(state);
        if let Ok(at) = rules.binary_search_by_key(&event, |rule| rule.on) {
            Cell::Rule(&rules[at])
        } else if self.ignored[state].binary_search(&event).is_ok() {
            Cell::Ignored
        } else {
            Cell::Empty
        }
    }

    /// The events that an effect's handler may answer with.
    pub fn returns(&self, effect: usize) -> Vec<usize> {
        match &self.effects[effect].returns {
            Some(returns) => returns.clone(),
            None => (0..self.events.len()).collect(),
        }
    }

    /// Index of a state.
    pub fn state(&self, name: &str) -> Option<usize> {
        self.states.iter().position(|row| row.name == name)
    }

    /// Index of an event.
    pub fn event(&self, name: &str) -> Option<usize> {
        self.events.iter().position(|row| row.name == name)
    }

    /// Index of an effect.
    pub fn effect(&self, name: &str) -> Option<usize> {
        self.effects.iter().position(|row| row.name == name)
    }

    /// Index of a guard.
    pub fn guard(&self, name: &str) -> Option<usize> {
        self.guards.iter().position(|row| row.name == name)
    }

    /// Index of a slot.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.slots.iter().position(|row| row.name == name)
    }
}
