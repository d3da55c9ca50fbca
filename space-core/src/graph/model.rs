//! The resolved contract: what every later stage reads.

use std::collections::HashMap;

use crate::contract::{
    Base, Domain, FromStates, Hash, Semantics, Span, Type, Value, contract_hash,
};

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
    /// Resolves a contract. `None` when a name is not declared, a type is unknown or an argument
    /// has no source: what the gates of groups S02 and S03 report.
    pub fn resolve(base: &Base, domain: &Domain) -> Option<Self> {
        Resolver::new(base).model(domain)
    }

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

/// `UpperCamel` of a `lower_snake` name.
pub(crate) fn upper_camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for word in name.split('_') {
        let mut letters = word.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}

type Index<'a> = HashMap<&'a str, usize>;

struct Resolver<'a> {
    base: &'a Base,
    states: Index<'a>,
    events: Index<'a>,
    effects: Index<'a>,
    guards: Index<'a>,
    slots: Index<'a>,
}

fn index<'a>(names: impl Iterator<Item = &'a String>) -> Index<'a> {
    names
        .enumerate()
        .map(|(at, name)| (name.as_str(), at))
        .collect()
}

fn params(fields: &[crate::contract::Field]) -> Option<Vec<Param>> {
    let param = |field: &crate::contract::Field| {
        Some(Param {
            name: field.name.value.clone(),
            ty: field.ty.value.clone()?,
            doc: field.doc.clone(),
        })
    };
    fields.iter().map(param).collect()
}

impl<'a> Resolver<'a> {
    fn new(base: &'a Base) -> Self {
        Self {
            base,
            states: index(base.states.iter().map(|row| &row.name.value)),
            events: index(base.events.iter().map(|row| &row.name.value)),
            effects: index(base.effects.iter().map(|row| &row.name.value)),
            guards: index(base.guards.iter().map(|row| &row.name.value)),
            slots: index(base.ctx.iter().map(|row| &row.name.value)),
        }
    }

    fn model(&self, domain: &'a Domain) -> Option<Model> {
        let base = self.base;
        let events = self.events()?;
        let effects = self.effects()?;
        let slots = self.slots()?;
        let has_rules = self.states_with_rules(domain)?;
        let mut rules = Vec::new();
        // Specific rows first: a wildcard fills only what they leave open.
        let mut taken = std::collections::HashSet::new();
        for row in &domain.ignored {
            for from in self.sources(&row.from, &has_rules)? {
                if matches!(row.from.value, FromStates::States(_)) {
                    for on in &row.on {
                        taken.insert((from, *self.events.get(on.as_str())?));
                    }
                }
            }
        }
        let specific =
            |row: &&crate::contract::Transition| matches!(row.from.value, FromStates::States(_));
        for row in domain.transitions.iter().filter(specific) {
            let on = *self.events.get(row.on.as_str())?;
            taken.extend(
                self.sources(&row.from, &has_rules)?
                    .into_iter()
                    .map(|from| (from, on)),
            );
        }
        for (at, row) in domain.transitions.iter().enumerate() {
            let rule = self.rule(at, row, &events, &effects)?;
            for from in self.sources(&row.from, &has_rules)? {
                if row.from.value != FromStates::Any || taken.insert((from, rule.on)) {
                    rules.push(Rule {
                        from,
                        ..rule.clone()
                    });
                }
            }
        }
        rules.sort_by_key(|rule| (rule.from, rule.on, rule.row));
        let mut ignored = vec![Vec::new(); base.states.len()];
        let ruled: std::collections::HashSet<_> =
            rules.iter().map(|rule| (rule.from, rule.on)).collect();
        for row in &domain.ignored {
            for from in self.sources(&row.from, &has_rules)? {
                for on in &row.on {
                    let on = *self.events.get(on.as_str())?;
                    if !ruled.contains(&(from, on)) {
                        ignored[from].push(on);
                    }
                }
            }
        }
        for row in &mut ignored {
            row.sort_unstable();
            row.dedup();
        }
        let starts = (0..=base.states.len())
            .map(|state| rules.partition_point(|rule| rule.from < state))
            .collect();
        let states = base
            .states
            .iter()
            .zip(&has_rules)
            .map(|(row, has)| StateRow {
                name: row.name.value.clone(),
                doc: row.doc.clone(),
                terminal: !has,
            });
        let is_initial = |row: &crate::contract::State| {
            row.is_initial.as_ref().is_some_and(|initial| initial.value)
        };
        Some(Model {
            name: base.meta.name.value.clone(),
            prefix: match &base.meta.prefix {
                Some(prefix) => prefix.value.clone(),
                None => upper_camel(&base.meta.name),
            },
            hash: contract_hash(base, domain),
            doc: base.doc.clone(),
            states: states.collect(),
            initial: base.states.iter().position(is_initial)?,
            events,
            effects,
            guards: base
                .guards
                .iter()
                .map(|row| GuardRow {
                    name: row.name.value.clone(),
                    doc: row.doc.clone(),
                })
                .collect(),
            slots,
            rules,
            starts,
            ignored,
        })
    }

    fn events(&self) -> Option<Vec<EventRow>> {
        let row = |row: &crate::contract::Event| {
            Some(EventRow {
                name: row.name.value.clone(),
                doc: row.doc.clone(),
                payload: params(&row.payload)?,
                external: row.is_external(),
            })
        };
        self.base.events.iter().map(row).collect()
    }

    fn effects(&self) -> Option<Vec<EffectRow>> {
        let row = |row: &crate::contract::Effect| {
            let event =
                |name: &crate::contract::Spanned<String>| self.events.get(name.as_str()).copied();
            let semantics = row.semantics.value?;
            let returns = match &row.returns {
                Some(names) => Some(names.value.iter().map(event).collect::<Option<Vec<_>>>()?),
                None if semantics == Semantics::Stop => Some(Vec::new()),
                None => None,
            };
            let sentinel = match &row.sentinel {
                Some(name) => Some(event(name)?),
                None => None,
            };
            Some(EffectRow {
                name: row.name.value.clone(),
                doc: row.doc.clone(),
                args: params(&row.args)?,
                semantics,
                returns,
                sentinel,
            })
        };
        self.base.effects.iter().map(row).collect()
    }

    fn slots(&self) -> Option<Vec<SlotRow>> {
        let row = |row: &crate::contract::Slot| {
            let ty = row.ty.value.clone()?;
            let default = match &row.default {
                Some(json) => Some(Value::from_json(&json.value, &ty).ok()?),
                None => None,
            };
            Some(SlotRow {
                name: row.name.value.clone(),
                doc: row.doc.clone(),
                ty,
                default,
            })
        };
        self.base.ctx.iter().map(row).collect()
    }

    /// Which states a specific rule leaves: the others are terminal, and no wildcard covers them.
    fn states_with_rules(&self, domain: &Domain) -> Option<Vec<bool>> {
        let mut has = vec![false; self.base.states.len()];
        for row in &domain.transitions {
            if let FromStates::States(names) = &row.from.value {
                for name in names {
                    has[*self.states.get(name.as_str())?] = true;
                }
            }
        }
        // A state that only a wildcard leaves says so with `is_terminal = false`.
        for (has, row) in has.iter_mut().zip(&self.base.states) {
            *has |= row
                .is_terminal
                .as_ref()
                .is_some_and(|terminal| !terminal.value);
        }
        Some(has)
    }

    fn sources(&self, from: &FromStates, has_rules: &[bool]) -> Option<Vec<usize>> {
        match from {
            FromStates::Any => Some(
                (0..has_rules.len())
                    .filter(|state| has_rules[*state])
                    .collect(),
            ),
            FromStates::States(names) => names
                .iter()
                .map(|name| self.states.get(name.as_str()).copied())
                .collect(),
        }
    }

    fn rule(
        &self,
        at: usize,
        row: &crate::contract::Transition,
        events: &[EventRow],
        effects: &[EffectRow],
    ) -> Option<Rule> {
        let on = *self.events.get(row.on.as_str())?;
        let field = |name: &str| {
            events[on]
                .payload
                .iter()
                .position(|field| field.name == name)
        };
        let slot = |name: &str| self.slots.get(name).copied();
        let guard = match &row.guard {
            Some(guard) => Some((*self.guards.get(guard.name.as_str())?, guard.negated)),
            None => None,
        };
        let effect = match &row.effect {
            Some(name) => Some(*self.effects.get(name.as_str())?),
            None => None,
        };
        let source = |arg: &Param| {
            if row.args.iter().any(|name| name.value == arg.name) {
                return field(&arg.name).map(ArgSource::Field);
            }
            let from = row.args_from.iter().find(|one| one.arg.value == arg.name)?;
            slot(&from.slot).map(ArgSource::Slot)
        };
        let args = match effect {
            Some(effect) => effects[effect]
                .args
                .iter()
                .map(source)
                .collect::<Option<_>>()?,
            None => Vec::new(),
        };
        let same = row
            .assign
            .iter()
            .map(|name| Some((slot(name)?, field(name)?)));
        let other = row
            .assign_from
            .iter()
            .map(|one| Some((slot(&one.slot)?, field(&one.from_field)?)));
        Some(Rule {
            from: 0,
            on,
            to: *self.states.get(row.to.as_str())?,
            guard,
            effect,
            args,
            assigns: same.chain(other).collect::<Option<_>>()?,
            row: at,
            span: row.span,
        })
    }
}
