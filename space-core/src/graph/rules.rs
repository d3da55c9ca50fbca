//! A contract resolved as far as it goes: what the gates look at, and what a model is made from.

use super::ArgSource;
use super::names::Names;
use crate::contract::{Base, Domain, FromStates, Transition};

/// What an optional name of a rule comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It is not there.
    Absent,
    /// It names nothing that is declared.
    Unknown,
    /// It names a row.
    Row(usize),
}

impl Use {
    pub(crate) fn row(self) -> Option<usize> {
        match self {
            Self::Row(row) => Some(row),
            Self::Absent | Self::Unknown => None,
        }
    }
}

/// A row of `[[transitions]]`; what is not declared is `None`, or left out of the lists.
#[derive(Debug)]
pub(crate) struct Row {
    /// The states it names; empty for a wildcard.
    pub(crate) from: Vec<usize>,
    pub(crate) any: bool,
    pub(crate) on: Option<usize>,
    pub(crate) to: Option<usize>,
    pub(crate) guard: Use,
    pub(crate) effect: Use,
    pub(crate) args: Vec<ArgSource>,
    /// Slots and payload fields; the field is `None` when the event does not carry it.
    pub(crate) assigns: Vec<(usize, Option<usize>)>,
    /// Whether everything it names is declared.
    pub(crate) complete: bool,
}

/// A rule of one state: a row of `[[transitions]]` after expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    /// [`Edge::UNKNOWN`] when the event is not declared.
    pub(crate) on: usize,
    pub(crate) row: usize,
}

impl Edge {
    pub(crate) const UNKNOWN: usize = usize::MAX;
}

/// What is missing because a name is not declared: where a check would only repeat that.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that do not hang together"
)]
pub(crate) struct Holes {
    /// A rule leaves a state that is not declared.
    pub(crate) from: bool,
    /// A rule enters a state that is not declared.
    pub(crate) to: bool,
    /// A row names an event that is not declared.
    pub(crate) event: bool,
    pub(crate) effect: bool,
    pub(crate) guard: bool,
    pub(crate) slot: bool,
    /// States with a row for an event that is not declared: it may have been any.
    pub(crate) of_state: Vec<bool>,
    /// Events with a row for a state that is not declared: it may have been any.
    pub(crate) of_event: Vec<bool>,
    /// A row of which neither is declared, or a wildcard for an event that is not.
    pub(crate) anywhere: bool,
}

/// A contract resolved as far as its names are declared.
pub(crate) struct Rules<'a> {
    pub(crate) base: &'a Base,
    pub(crate) domain: &'a Domain,
    pub(crate) names: Names<'a>,
    pub(crate) rows: Vec<Row>,
    /// Sorted by state, event and row. Of wildcards only what specific rows leave open.
    pub(crate) edges: Vec<Edge>,
    /// `edges[starts[s]..starts[s + 1]]` leave state `s`.
    pub(crate) starts: Vec<usize>,
    /// Ignored state and event, sorted, and the row that says so; a wildcard only where no rule
    /// answers.
    pub(crate) ignored: Vec<(usize, usize, usize)>,
    /// Whether runs end in a state; `None` where that hangs on a name that is not declared.
    pub(crate) terminal: Vec<Option<bool>>,
    pub(crate) holes: Holes,
    /// Whether the expansion was longer than [`Rules::MAX_EDGES`] and its wildcards were left out.
    pub(crate) overflow: bool,
    /// Whether everything that it names is declared.
    pub(crate) complete: bool,
}

impl<'a> Rules<'a> {
    /// The most rules and ignored pairs after expansion. A wildcard is short to write and long
    /// when expanded; this bounds the product.
    pub(crate) const MAX_EDGES: usize = 1 << 20;

    /// Resolves a contract. Linear in its size and that of its expansion.
    pub(crate) fn of(base: &'a Base, domain: &'a Domain) -> Self {
        let names = Names::of(base);
        let rows = domain.transitions.iter();
        let rows: Vec<_> = rows.map(|row| names.row(base, row)).collect();
        let mut rules = Self {
            complete: rows.iter().all(|row| row.complete),
            base,
            domain,
            names,
            rows,
            edges: Vec::new(),
            starts: Vec::new(),
            ignored: Vec::new(),
            terminal: Vec::new(),
            holes: Holes::default(),
            overflow: false,
        };
        rules.find_holes();
        rules.find_ends();
        rules.expand();
        rules
    }

    /// The rules that leave a state.
    pub(crate) fn edges_of(&self, state: usize) -> &[Edge] {
        &self.edges[self.starts[state]..self.starts[state + 1]]
    }

    /// The rule that answers an event in a state.
    pub(crate) fn edge(&self, state: usize, event: usize) -> Option<Edge> {
        let edges = self.edges_of(state);
        let at = edges.partition_point(|edge| edge.on < event);
        edges.get(at).filter(|edge| edge.on == event).copied()
    }

    /// Whether a state ignores an event.
    pub(crate) fn ignores(&self, state: usize, event: usize) -> bool {
        let at = self
            .ignored
            .partition_point(|(from, on, _)| (*from, *on) < (state, event));
        let found = self.ignored.get(at);
        found.is_some_and(|(from, on, _)| (*from, *on) == (state, event))
    }

    /// Whether a row that names something undeclared may have been meant to answer this.
    pub(crate) fn may_answer(&self, state: usize, event: usize) -> bool {
        self.holes.anywhere || self.holes.of_state[state] || self.holes.of_event[event]
    }

    /// Whether runs end in a state. `None` where that hangs on a name that is not declared, and
    /// where `is_terminal` contradicts the rules, which is reported as that.
    pub(crate) fn ends(&self, state: usize) -> Option<bool> {
        let said = self.base.states[state].is_terminal.as_ref();
        let contradicts = if self.edges_of(state).is_empty() {
            self.terminal[state] == Some(false)
        } else {
            said.is_some_and(|said| said.value)
        };
        self.terminal[state].filter(|_| !contradicts)
    }

    /// The events that an effect's handler may answer with, as far as they are declared; `None` is
    /// every event.
    pub(crate) fn returned(&self, effect: usize) -> Option<Vec<usize>> {
        let list = self.base.effects[effect].returns.as_ref()?;
        Some(self.names.events_in(&list.value).collect())
    }

    /// A row as it is written.
    pub(crate) fn written(&self, row: usize) -> &'a Transition {
        &self.domain.transitions[row]
    }

    fn find_holes(&mut self) {
        let mut holes = Holes {
            of_state: vec![false; self.base.states.len()],
            of_event: vec![false; self.base.events.len()],
            ..Holes::default()
        };
        for (row, written) in self.rows.iter().zip(&self.domain.transitions) {
            let lost = row.from.len() < written.from.states().len();
            holes.from |= lost;
            holes.to |= row.to.is_none();
            holes.effect |= row.effect == Use::Unknown;
            holes.guard |= row.guard == Use::Unknown;
            let slots = written.assign.iter();
            let slots = slots.chain(written.assign_from.iter().map(|one| &one.slot));
            holes.slot |= slots
                .chain(written.args_from.iter().map(|one| &one.slot))
                .any(|slot| !self.names.slots.contains_key(slot.as_str()));
            holes.cell(&row.from, row.any, lost, row.on);
        }
        for written in &self.domain.ignored {
            let from: Vec<_> = self.names.states_in(&written.from).collect();
            let lost = from.len() < written.from.states().len();
            self.complete &= !lost;
            for on in &written.on {
                let on = self.names.events.get(on.as_str()).copied();
                self.complete &= on.is_some();
                holes.cell(&from, written.from.value == FromStates::Any, lost, on);
            }
        }
        self.holes = holes;
    }

    /// A state is terminal when no specific rule leaves it and it does not say otherwise.
    fn find_ends(&mut self) {
        let mut leaves = vec![false; self.base.states.len()];
        for row in &self.rows {
            for from in &row.from {
                leaves[*from] = true;
            }
        }
        let states = self.base.states.iter().zip(leaves);
        let terminal = states.map(|(state, leaves)| {
            let said = state.is_terminal.as_ref().map(|said| said.value);
            match (leaves, said) {
                (true, _) | (_, Some(false)) => Some(false),
                (false, Some(true)) => Some(true),
                (false, None) => (!self.holes.from).then_some(true),
            }
        });
        self.terminal = terminal.collect();
    }

    fn expand(&mut self) {
        let mut edges = Vec::new();
        let mut answered = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let on = row.on.unwrap_or(Edge::UNKNOWN);
            for from in &row.from {
                edges.push(Edge {
                    from: *from,
                    on,
                    row: at,
                });
                answered.push((on, *from));
            }
        }
        let mut ignored = Vec::new();
        for (at, row) in self.domain.ignored.iter().enumerate() {
            for from in self.names.states_in(&row.from) {
                for on in self.names.events_in(&row.on) {
                    ignored.push((from, on, at));
                    answered.push((on, from));
                }
            }
        }
        answered.sort_unstable();
        let states = self.terminal.iter().enumerate();
        let alive = states.filter(|(_, terminal)| **terminal == Some(false));
        let alive: Vec<_> = alive.map(|(state, _)| state).collect();
        let mut wild = vec![false; self.base.events.len()];
        let mut budget = Self::MAX_EDGES.saturating_sub(answered.len());
        // The states for which a wildcard for this event has the word.
        let mut open = |on: usize| -> Vec<usize> {
            // The first of two wildcards has it. Of an event that is not declared every one has.
            let second = wild
                .get_mut(on)
                .is_some_and(|on| std::mem::replace(on, true));
            self.overflow |= budget < alive.len();
            if second || self.overflow {
                return Vec::new();
            }
            budget -= alive.len();
            let taken = answered.partition_point(|cell| *cell < (on, 0));
            let mut taken = answered[taken..].iter().peekable();
            let is_open = |state: &&usize| {
                while taken.next_if(|cell| **cell < (on, **state)).is_some() {}
                on == Edge::UNKNOWN || taken.peek() != Some(&&(on, **state))
            };
            alive.iter().filter(is_open).copied().collect()
        };
        for (at, row) in self.rows.iter().enumerate().filter(|(_, row)| row.any) {
            let on = row.on.unwrap_or(Edge::UNKNOWN);
            let from = open(on).into_iter();
            edges.extend(from.map(|from| Edge { from, on, row: at }));
        }
        for (at, row) in self.domain.ignored.iter().enumerate() {
            if row.from.value != FromStates::Any {
                continue;
            }
            for on in self.names.events_in(&row.on) {
                let from = open(on).into_iter();
                ignored.extend(from.map(|from| (from, on, at)));
            }
        }
        edges.sort_unstable();
        ignored.sort_unstable();
        let mut starts = vec![0; self.base.states.len() + 1];
        for edge in &edges {
            starts[edge.from + 1] += 1;
        }
        for state in 0..self.base.states.len() {
            starts[state + 1] += starts[state];
        }
        (self.edges, self.ignored, self.starts) = (edges, ignored, starts);
    }
}

impl Holes {
    fn cell(&mut self, from: &[usize], any: bool, lost: bool, on: Option<usize>) {
        let Some(on) = on else {
            self.event = true;
            self.anywhere |= any || lost;
            for state in from {
                self.of_state[*state] = true;
            }
            return;
        };
        self.of_event[on] |= lost;
    }
}
