//! A contract as static data, for generated code.

use crate::contract::{Hash, Semantics, Span, Type, Value};
use crate::graph::{
    ArgSource, EffectRow, EventRow, GuardRow, Model, Param, Rule, SlotRow, StateRow,
};

/// A contract without prose, laid out so that it costs a compiler next to nothing: rules are bytes,
/// not expressions, and names are data, not derives.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The space's name.
    pub name: &'static str,
    /// The prefix of its type names.
    pub prefix: &'static str,
    /// The contract's hash.
    pub hash: [u8; 32],
    /// States.
    pub states: &'static [&'static str],
    /// Index of the initial state.
    pub initial: usize,
    /// Events.
    pub events: &'static [EventEntry],
    /// Effects.
    pub effects: &'static [EffectEntry],
    /// Guards.
    pub guards: &'static [&'static str],
    /// Context slots.
    pub slots: &'static [SlotEntry],
    /// Little-endian `u32`s, one a state and one more: `rules[starts[s]..starts[s + 1]]` leave `s`.
    pub starts: &'static [u8],
    /// Rules of [`Table::RULE`] bytes, sorted by source state, then by event: the little-endian
    /// `u16`s of [`RuleEntry`].
    pub rules: &'static [u8],
    /// The distinct lists of argument sources: `2 * field`, or `2 * slot + 1`.
    pub args: &'static [&'static [u16]],
    /// The distinct lists of assignments: slot, field.
    pub assigns: &'static [&'static [(u16, u16)]],
    /// Ignored `state, event` pairs: little-endian `u16`s, sorted.
    pub ignored: &'static [u8],
}

/// An event of a [`Table`].
#[derive(Clone, Copy, Debug)]
pub struct EventEntry {
    /// Its name.
    pub name: &'static str,
    /// What it carries.
    pub payload: &'static [FieldEntry],
    /// Whether it may arrive at any time.
    pub external: bool,
}

/// An effect of a [`Table`].
#[derive(Clone, Copy, Debug)]
pub struct EffectEntry {
    /// Its name.
    pub name: &'static str,
    /// What its handler is given.
    pub args: &'static [FieldEntry],
    /// What it does to the world.
    pub semantics: Semantics,
    /// The events its handler may answer with; `None` is every event.
    pub returns: Option<&'static [u16]>,
    /// The event that a handler's own failure becomes.
    pub sentinel: Option<u16>,
}

/// A payload field or argument of a [`Table`]: name and type, in the contract's notation.
#[derive(Clone, Copy, Debug)]
pub struct FieldEntry(pub &'static str, pub &'static str);

/// A context slot of a [`Table`].
#[derive(Clone, Copy, Debug)]
pub struct SlotEntry {
    /// Its name.
    pub name: &'static str,
    /// Its type, in the contract's notation.
    pub ty: &'static str,
    /// What it holds at the start.
    pub default: Option<fn() -> Value>,
}

/// A rule of a [`Table`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleEntry {
    /// The event.
    pub on: u16,
    /// The target state.
    pub to: u16,
    /// `0` is none, otherwise `1 + 2 * guard + negated`.
    pub guard: u16,
    /// `0` is none, otherwise `1 + effect`.
    pub effect: u16,
    /// Which list of [`Table::args`].
    pub args: u16,
    /// Which list of [`Table::assigns`].
    pub assigns: u16,
    /// The row of `[[transitions]]`.
    pub row: u16,
}

impl RuleEntry {
    /// The fields in the order of their bytes.
    pub const fn words(self) -> [u16; 7] {
        [
            self.on,
            self.to,
            self.guard,
            self.effect,
            self.args,
            self.assigns,
            self.row,
        ]
    }

    #[inline]
    const fn read(bytes: &[u8; Table::RULE]) -> Self {
        let [
            on0,
            on1,
            to0,
            to1,
            guard0,
            guard1,
            effect0,
            effect1,
            args0,
            args1,
            ..,
        ] = *bytes;
        let [.., assigns0, assigns1, row0, row1] = *bytes;
        Self {
            on: u16::from_le_bytes([on0, on1]),
            to: u16::from_le_bytes([to0, to1]),
            guard: u16::from_le_bytes([guard0, guard1]),
            effect: u16::from_le_bytes([effect0, effect1]),
            args: u16::from_le_bytes([args0, args1]),
            assigns: u16::from_le_bytes([assigns0, assigns1]),
            row: u16::from_le_bytes([row0, row1]),
        }
    }
}

/// A state and an event as one number that sorts by state, then by event.
const fn pair(state: [u8; 2], event: [u8; 2]) -> u32 {
    (u16::from_le_bytes(state) as u32) << 16 | u16::from_le_bytes(event) as u32
}

impl Table {
    /// Bytes of a rule.
    pub const RULE: usize = 14;

    /// The rule at a place.
    ///
    /// # Panics
    /// When there are fewer rules.
    #[inline]
    pub const fn rule(&self, at: usize) -> RuleEntry {
        match self.rules.split_at(at * Self::RULE).1.first_chunk() {
            Some(bytes) => RuleEntry::read(bytes),
            None => panic!("no such rule"),
        }
    }

    /// The places of the rules that leave a state.
    ///
    /// # Panics
    /// When there is no such state.
    #[inline]
    pub const fn rules_of(&self, state: usize) -> std::ops::Range<usize> {
        let starts = self.starts.as_chunks().0;
        let (start, end) = (starts[state], starts[state + 1]);
        u32::from_le_bytes(start) as usize..u32::from_le_bytes(end) as usize
    }

    /// Whether runs end in a state: no rule leaves it.
    ///
    /// # Panics
    /// When there is no such state.
    #[inline]
    pub const fn is_terminal(&self, state: usize) -> bool {
        let range = self.rules_of(state);
        range.start == range.end
    }

    /// The rule that answers an event in a state. Linear in the state's rules.
    ///
    /// # Panics
    /// When there is no such state.
    #[inline]
    pub const fn find(&self, state: usize, event: u16) -> Option<RuleEntry> {
        let range = self.rules_of(state);
        let mut left = range.end - range.start;
        let mut rest = self.rules.split_at(range.start * Self::RULE).1;
        while left > 0
            && let Some((bytes, others)) = rest.split_first_chunk()
        {
            if u16::from_le_bytes([bytes[0], bytes[1]]) == event {
                return Some(RuleEntry::read(bytes));
            }
            rest = others;
            left -= 1;
        }
        None
    }

    /// Whether a state ignores an event. Logarithmic in the number of ignored pairs.
    #[inline]
    pub const fn ignores(&self, state: u16, event: u16) -> bool {
        let pairs = self.ignored.as_chunks().0;
        let wanted = pair(state.to_le_bytes(), event.to_le_bytes());
        let (mut low, mut high) = (0, pairs.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let [s0, s1, e0, e1] = pairs[middle];
            let found = pair([s0, s1], [e0, e1]);
            if found == wanted {
                return true;
            }
            if found < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        false
    }

    /// The resolved contract, without prose and places.
    pub fn model(&self) -> Model {
        let states = self.states.iter().enumerate().map(|(at, name)| StateRow {
            name: (*name).to_owned(),
            doc: None,
            terminal: self.rules_of(at).is_empty(),
        });
        let events = self.events.iter().map(|row| EventRow {
            name: row.name.to_owned(),
            doc: None,
            payload: params(row.payload),
            external: row.external,
        });
        let effects = self.effects.iter().map(|row| EffectRow {
            name: row.name.to_owned(),
            doc: None,
            args: params(row.args),
            semantics: row.semantics,
            returns: row
                .returns
                .map(|list| list.iter().map(|at| usize::from(*at)).collect()),
            sentinel: row.sentinel.map(usize::from),
        });
        let slots = self.slots.iter().map(|row| SlotRow {
            name: row.name.to_owned(),
            doc: None,
            ty: parse_type(row.ty),
            default: row.default.map(|make| make()),
        });
        let mut ignored = vec![Vec::new(); self.states.len()];
        for [s0, s1, e0, e1] in self.ignored.as_chunks().0 {
            let (state, event) = (
                u16::from_le_bytes([*s0, *s1]),
                u16::from_le_bytes([*e0, *e1]),
            );
            ignored[usize::from(state)].push(usize::from(event));
        }
        Model {
            name: self.name.to_owned(),
            prefix: self.prefix.to_owned(),
            hash: Hash(self.hash),
            doc: None,
            states: states.collect(),
            initial: self.initial,
            events: events.collect(),
            effects: effects.collect(),
            guards: self
                .guards
                .iter()
                .map(|name| GuardRow {
                    name: (*name).to_owned(),
                    doc: None,
                })
                .collect(),
            slots: slots.collect(),
            rules: self.model_rules(),
            starts: self
                .starts
                .as_chunks()
                .0
                .iter()
                .map(|start| u32::from_le_bytes(*start) as usize)
                .collect(),
            ignored,
        }
    }

    fn model_rules(&self) -> Vec<Rule> {
        let mut rules = Vec::with_capacity(self.rules.len() / Self::RULE);
        for from in 0..self.states.len() {
            for at in self.rules_of(from) {
                let entry = self.rule(at);
                let args = self.args[usize::from(entry.args)].iter().map(|code| {
                    let index = usize::from(code / 2);
                    if code % 2 == 0 {
                        ArgSource::Field(index)
                    } else {
                        ArgSource::Slot(index)
                    }
                });
                let assigns = self.assigns[usize::from(entry.assigns)].iter();
                rules.push(Rule {
                    from,
                    on: entry.on.into(),
                    to: entry.to.into(),
                    guard: entry
                        .guard
                        .checked_sub(1)
                        .map(|code| ((code / 2).into(), code % 2 == 1)),
                    effect: entry.effect.checked_sub(1).map(usize::from),
                    args: args.collect(),
                    assigns: assigns
                        .map(|(slot, field)| ((*slot).into(), (*field).into()))
                        .collect(),
                    row: entry.row.into(),
                    span: Span::default(),
                });
            }
        }
        rules
    }
}

fn params(entries: &[FieldEntry]) -> Vec<Param> {
    let param = |FieldEntry(name, ty): &FieldEntry| Param {
        name: (*name).to_owned(),
        ty: parse_type(ty),
        doc: None,
    };
    entries.iter().map(param).collect()
}

/// A table is generated from types that were parsed; what is none of ours can only be hand-made.
fn parse_type(text: &str) -> Type {
    Type::parse(text).unwrap_or(Type::Json)
}
