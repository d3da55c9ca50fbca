//! One event, given to both machines.

use std::collections::HashMap;

use super::cursor::Node;
use super::pairs::{Pair, Pairs};
use crate::contract::Span;
use crate::diff::{Outcome, RuleId, RunStep};
use crate::graph::{ArgSource, Cell, Model, Rule};

/// Both machines, and what the names of the old one are in the new one.
pub(super) struct Names<'a> {
    old: &'a Model,
    new: &'a Model,
    /// The new event of each old one, or why its records cannot be read.
    events: Vec<Result<usize, String>>,
    effects: Vec<Option<usize>>,
    externals: Vec<usize>,
}

/// What answers an event, whichever state it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Row {
    Rule(usize),
    Ignored(usize),
    Empty(usize),
}

/// What became of an event.
pub(super) enum Met {
    /// The machines differ.
    Apart { rule: RuleId, message: String },
    /// Nothing changed.
    Stays,
    /// Both handled it.
    Goes { next: Node, freshly: Vec<Pair> },
}

impl<'a> Names<'a> {
    pub(super) fn of(old: &'a Model, new: &'a Model) -> Self {
        let events: HashMap<&str, usize> = index(new.events.iter().map(|row| row.name.as_str()));
        let effects: HashMap<&str, usize> = index(new.effects.iter().map(|row| row.name.as_str()));
        let event = |(at, row): (usize, &crate::graph::EventRow)| {
            let found = events.get(row.name.as_str());
            let found = found.ok_or_else(|| format!("event `{}` is not declared", row.name))?;
            readable(old, at, new, *found).map(|()| *found)
        };
        Self {
            old,
            new,
            events: old.events.iter().enumerate().map(event).collect(),
            effects: (old.effects.iter())
                .map(|row| effects.get(row.name.as_str()).copied())
                .collect(),
            externals: (0..old.events.len())
                .filter(|event| old.events[*event].external)
                .collect(),
        }
    }

    /// The new effect of an old one's name.
    pub(super) fn effect(&self, old: usize) -> Option<usize> {
        self.effects[old]
    }

    pub(super) fn starts(&self) -> (String, String) {
        let name = |model: &Model| model.states[model.initial].name.clone();
        (name(self.old), name(self.new))
    }

    /// The events that may come next, in order.
    pub(super) fn events(&self, state: usize, pending: Option<usize>) -> Vec<usize> {
        if self.old.states[state].terminal {
            return Vec::new();
        }
        let mut events = match pending {
            Some(effect) => self.old.returns(effect),
            None => (0..self.old.events.len())
                .filter(|event| self.old.cell(state, *event) != Cell::Empty)
                .collect(),
        };
        events.extend(&self.externals);
        events.sort_unstable();
        events.dedup();
        events
    }

    /// Whether the old rule's guard may refuse an event: each answer that it may give.
    pub(super) fn answers(&self, state: usize, event: usize) -> &'static [bool] {
        const EITHER: &[bool] = &[false, true];
        match self.old.cell(state, event) {
            Cell::Rule(rule) if rule.guard.is_some() => EITHER,
            _ => &EITHER[..1],
        }
    }

    /// Whether a field of an old event is the field of a new one.
    pub(super) fn same_field(
        &self,
        old_event: usize,
        old: usize,
        new_event: usize,
        new: usize,
    ) -> bool {
        let field =
            |model: &'a Model, event: usize, at: usize| &model.events[event].payload[at].name;
        field(self.old, old_event, old) == field(self.new, new_event, new)
    }

    /// What to say when one state ends runs and the other does not.
    pub(super) fn ends_apart(&self, old: usize, new: usize) -> Option<String> {
        let (old, new) = (&self.old.states[old], &self.new.states[new]);
        let says = |ends: bool| if ends { "ends" } else { "does not end" };
        (old.terminal != new.terminal).then(|| {
            let (is, was) = (says(new.terminal), says(old.terminal));
            format!("a run {is} in `{}`; it {was} in `{}`", new.name, old.name)
        })
    }

    /// The rows behind a step, or its event where there is no row: what makes two mismatches one.
    pub(super) fn rows(&self, node: Node, event: usize) -> (Row, Row) {
        let key = |cell: Cell<'_>| match cell {
            Cell::Rule(rule) => Row::Rule(rule.row),
            Cell::Ignored => Row::Ignored(event),
            Cell::Empty => Row::Empty(event),
        };
        let old = key(self.old.cell(node.old, event));
        match &self.events[event] {
            Ok(found) => (old, key(self.new.cell(node.new, *found))),
            Err(_) => (Row::Empty(event), Row::Empty(event)),
        }
    }

    /// A step as reports tell it.
    pub(super) fn told(&self, node: Node, event: usize, refused: bool) -> RunStep {
        let cell = self.old.cell(node.old, event);
        let asked = guard(self.old, cell);
        let answer = asked.map(|(name, negated)| (name, refused == negated));
        let (old, old_place) = outcome(self.old, cell, answer);
        let (new, new_place) = match &self.events[event] {
            Ok(found) => outcome(self.new, self.new.cell(node.new, *found), answer),
            Err(_) => (Outcome::Unreadable, None),
        };
        RunStep {
            event: self.old.events[event].name.clone(),
            guard: answer.map(|(name, answer)| (name.to_owned(), answer)),
            old,
            new,
            old_place,
            new_place,
        }
    }
}

fn index<'n>(names: impl Iterator<Item = &'n str>) -> HashMap<&'n str, usize> {
    names.enumerate().map(|(at, name)| (name, at)).collect()
}

/// Whether every record of an old event is one of the new event.
fn readable(old: &Model, old_event: usize, new: &Model, new_event: usize) -> Result<(), String> {
    let event = &old.events[old_event].name;
    let (was, is) = (
        &old.events[old_event].payload,
        &new.events[new_event].payload,
    );
    for field in was {
        let name = &field.name;
        let Some(found) = is.iter().find(|one| one.name == *name) else {
            return Err(format!("field `{name}` of event `{event}` is not declared"));
        };
        if !found.ty.accepts(&field.ty) {
            let (is, was) = (&found.ty, &field.ty);
            return Err(format!(
                "field `{name}` of event `{event}` is `{is}`, and records hold `{was}`"
            ));
        }
    }
    let needed = is.iter().find(|field| {
        let known = was.iter().any(|one| one.name == field.name);
        !known && !field.ty.is_optional()
    });
    match needed {
        Some(field) => Err(format!(
            "records of event `{event}` have no field `{}`",
            field.name
        )),
        None => Ok(()),
    }
}

/// Gives an event to both machines. `refused` is what the old rule's guard comes to.
pub(super) fn meet(
    names: &Names<'_>,
    pairs: &Pairs,
    node: Node,
    event: usize,
    refused: bool,
) -> Met {
    let (old, new) = (names.old, names.new);
    let apart = |rule, message| Met::Apart { rule, message };
    let found = match &names.events[event] {
        Ok(found) => *found,
        Err(message) => return apart(RuleId::EVENT_UNREADABLE, message.clone()),
    };
    let name = &old.events[event].name;
    let cells = (old.cell(node.old, event), new.cell(node.new, found));
    let (was, is) = match cells {
        (Cell::Rule(was), Cell::Rule(is)) => (was, is),
        (Cell::Ignored, Cell::Ignored) | (Cell::Empty, Cell::Empty) => return Met::Stays,
        (was, is) => {
            let (was, is) = (said(was), said(is));
            return apart(
                RuleId::OUTCOME,
                format!("event `{name}` is {is}, and was {was}"),
            );
        }
    };
    let asked = (guard(old, cells.0), guard(new, cells.1));
    if asked.0 != asked.1 {
        let says = |asked: Option<(&str, bool)>| match asked {
            Some((name, negated)) => format!("`{}{name}`", if negated { "!" } else { "" }),
            None => "no guard".to_owned(),
        };
        let message = format!(
            "event `{name}` asks {}, and asked {}",
            says(asked.1),
            says(asked.0)
        );
        return apart(RuleId::GUARD, message);
    }
    let slot = node.apart.and_then(|pair| pairs.name(pair));
    if let (Some((guard, _)), Some(slot)) = (asked.0, slot) {
        let message =
            format!("guard `{guard}` may look at slot `{slot}`, which holds another value");
        return apart(RuleId::GUARD_CONTEXT, message);
    }
    if refused {
        return Met::Stays;
    }
    if let Some((rule, message)) = effects(names, pairs, node, was, is) {
        return apart(rule, message);
    }
    if let Some(message) = names.ends_apart(was.to, is.to) {
        return apart(RuleId::END, message);
    }
    let mut next = Node {
        old: was.to,
        pending: was.effect,
        new: is.to,
        apart: None,
    };
    let Some(pair) = node.apart else {
        let freshly = pairs.torn(names, was, is);
        return Met::Goes { next, freshly };
    };
    // The run without this pair is another node.
    if !pairs.stays_apart(names, pair, was, is) {
        return Met::Stays;
    }
    next.apart = Some(pair);
    let freshly = Vec::new();
    Met::Goes { next, freshly }
}

/// How the effects of two rules differ.
fn effects(
    names: &Names<'_>,
    pairs: &Pairs,
    node: Node,
    was: &Rule,
    is: &Rule,
) -> Option<(RuleId, String)> {
    let (old, new) = (names.old, names.new);
    let says = |model: &Model, effect: Option<usize>| match effect {
        Some(effect) => {
            let row = &model.effects[effect];
            format!("the {} `{}`", row.semantics, row.name)
        }
        None => "no effect".to_owned(),
    };
    let same = match (was.effect, is.effect) {
        (None, None) => return None,
        (Some(was), Some(is)) => {
            names.effect(was) == Some(is) && old.effects[was].semantics == new.effects[is].semantics
        }
        _ => false,
    };
    let (Some(effect), Some(other), true) = (was.effect, is.effect, same) else {
        let event = &old.events[was.on].name;
        let (is, was) = (says(new, is.effect), says(old, was.effect));
        let message = format!("event `{event}` asks for {is}, and asked for {was}");
        return Some((RuleId::EFFECT, message));
    };
    let (args, others) = (&old.effects[effect].args, &new.effects[other].args);
    let effect = &old.effects[effect].name;
    let differs = |what: String| Some((RuleId::ARGUMENT, what));
    for (arg, source) in args.iter().zip(&was.args) {
        let name = &arg.name;
        let Some(at) = others.iter().position(|one| one.name == *name) else {
            return differs(format!(
                "effect `{effect}` has no argument `{name}` any more"
            ));
        };
        let equal = match (*source, is.args[at]) {
            (ArgSource::Field(one), ArgSource::Field(other)) => {
                names.same_field(was.on, one, is.on, other)
            }
            (ArgSource::Slot(one), ArgSource::Slot(other)) => {
                node.apart.is_none() || pairs.find(one, other) != node.apart
            }
            _ => false,
        };
        if !equal {
            let was = origin(old, was, *source);
            let is = origin(new, is, is.args[at]);
            let more = if was == is {
                ", which holds another value"
            } else {
                ""
            };
            return differs(format!(
                "argument `{name}` of effect `{effect}` is {is}{more}, and was {was}"
            ));
        }
    }
    let extra = others
        .iter()
        .find(|arg| args.iter().all(|one| one.name != arg.name))?;
    differs(format!(
        "effect `{effect}` has a new argument `{}`",
        extra.name
    ))
}

/// Where an argument comes from.
fn origin(model: &Model, rule: &Rule, source: ArgSource) -> String {
    match source {
        ArgSource::Field(field) => format!("field `{}`", model.events[rule.on].payload[field].name),
        ArgSource::Slot(slot) => format!("slot `{}`", model.slots[slot].name),
    }
}

fn said(cell: Cell<'_>) -> &'static str {
    match cell {
        Cell::Rule(_) => "handled",
        Cell::Ignored => "ignored",
        Cell::Empty => "rejected",
    }
}

/// The guard that a cell asks, and whether its answer is negated.
fn guard<'m>(model: &'m Model, cell: Cell<'_>) -> Option<(&'m str, bool)> {
    let Cell::Rule(rule) = cell else { return None };
    let (guard, negated) = rule.guard?;
    Some((&model.guards[guard].name, negated))
}

/// What a cell does, when a guard was recorded with an answer.
fn outcome(
    model: &Model,
    cell: Cell<'_>,
    recorded: Option<(&str, bool)>,
) -> (Outcome, Option<Span>) {
    let rule = match cell {
        Cell::Rule(rule) => rule,
        Cell::Ignored => return (Outcome::Ignored, None),
        Cell::Empty => {
            let reason = "no rule".to_owned();
            return (Outcome::Rejected { reason }, None);
        }
    };
    if let Some((name, negated)) = guard(model, cell) {
        let reason = match recorded {
            Some((asked, answer)) if asked == name && answer != negated => None,
            Some((asked, _)) if asked == name => Some(format!("guard `{name}` refused")),
            _ => Some(format!("no answer of guard `{name}` was recorded")),
        };
        if let Some(reason) = reason {
            return (Outcome::Rejected { reason }, Some(rule.span));
        }
    }
    let effect = rule.effect.map(|effect| {
        let row = &model.effects[effect];
        let args = row.args.iter().zip(&rule.args).map(|(arg, source)| {
            let origin = origin(model, rule, *source).replace('`', "");
            format!("{} = {origin}", arg.name)
        });
        format!("{}({})", row.name, args.collect::<Vec<_>>().join(", "))
    });
    let state = model.states[rule.to].name.clone();
    (Outcome::Handled { state, effect }, Some(rule.span))
}
