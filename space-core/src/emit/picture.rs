//! What a picture of a machine shows, in whatever notation.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{Invariant, Semantics};
use crate::graph::{Model, Rule};

/// A machine to be drawn, and what is drawn with it.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// The machine.
    pub model: &'a Model,
    /// Promises, listed below the picture.
    pub invariants: &'a [Invariant],
    /// The rules of a run that stands out, in the order of its steps: indices of [`Model::rules`].
    pub path: &'a [usize],
}

impl<'a> Drawing<'a> {
    /// The machine alone.
    pub fn of(model: &'a Model) -> Self {
        Self {
            model,
            invariants: &[],
            path: &[],
        }
    }

    /// With its promises.
    #[must_use]
    pub fn invariants(self, invariants: &'a [Invariant]) -> Self {
        Self { invariants, ..self }
    }

    /// With a run that stands out.
    #[must_use]
    pub fn path(self, path: &'a [usize]) -> Self {
        Self { path, ..self }
    }

    /// What is drawn of the machine.
    pub(super) fn view(&self) -> View<'a> {
        let steps = self.path.iter().enumerate();
        View {
            model: self.model,
            steps: steps.map(|(at, rule)| (at + 1, *rule)).collect(),
            shared: BTreeSet::new(),
        }
    }
}

/// A machine as it is drawn: by itself, or as a component of a composition.
pub(super) struct View<'a> {
    pub(super) model: &'a Model,
    /// The run that stands out: numbers of its steps, and the rules that they use.
    pub(super) steps: Vec<(usize, usize)>,
    /// Events that other components take with it.
    pub(super) shared: BTreeSet<usize>,
}

impl View<'_> {
    /// Whether the run passes a state.
    pub(super) fn passes(&self, state: usize) -> bool {
        let mut rules = self.steps.iter().map(|(_, rule)| &self.model.rules[*rule]);
        rules.any(|rule| rule.from == state || rule.to == state)
    }
}

/// One arrow: where from, where to, what it says, line by line.
pub(super) struct Edge {
    pub(super) from: Node,
    pub(super) to: usize,
    pub(super) labels: Vec<Label>,
}

impl Edge {
    /// Whether the run takes it.
    pub(super) fn taken(&self) -> bool {
        let mut events = self.labels.iter().flat_map(|label| &label.events);
        events.any(|event| !event.steps.is_empty())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    State(usize),
    /// Stands for the states that one row leaves: an arrow from each would hide the rest.
    Several(usize),
}

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) events: Vec<Event>,
    pub(super) guard: Option<String>,
    pub(super) effect: Option<(String, Semantics)>,
}

/// An event, and the steps of the run that are it, counted from 1.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) row: usize,
    pub(super) name: String,
    /// Whether other components take it as well.
    pub(super) shared: bool,
    pub(super) steps: Vec<usize>,
}

impl Event {
    /// The name, after the steps in brackets.
    pub(super) fn text(&self) -> String {
        numbered(&self.name, &self.steps)
    }
}

/// A name, after the steps that are it in brackets.
pub(super) fn numbered(name: &str, steps: &[usize]) -> String {
    if steps.is_empty() {
        return name.to_owned();
    }
    let steps: Vec<_> = steps.iter().map(usize::to_string).collect();
    format!("({}) {name}", steps.join(", "))
}

pub(super) struct Picture {
    pub(super) edges: Vec<Edge>,
    pub(super) several: Vec<String>,
}

/// Rows that leave more states than this are drawn once.
const SEVERAL: usize = 2;

impl Picture {
    pub(super) fn of(view: &View<'_>) -> Self {
        let model = view.model;
        let mut rows: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, rule) in model.rules.iter().enumerate() {
            rows.entry(rule.row).or_default().push(at);
        }
        let mut several: Vec<String> = Vec::new();
        let mut edges: Vec<Edge> = Vec::new();
        for rules in rows.values() {
            // The rules that one arrow stands for.
            let groups: Vec<(Node, &[usize])> = if rules.len() > SEVERAL {
                let name = sources(model, rules);
                let at = several.iter().position(|one| *one == name);
                let at = at.unwrap_or_else(|| {
                    several.push(name);
                    several.len() - 1
                });
                vec![(Node::Several(at), rules.as_slice())]
            } else {
                let alone = rules.chunks(1);
                let node = |rule: &[usize]| Node::State(model.rules[rule[0]].from);
                alone.map(|rule| (node(rule), rule)).collect()
            };
            for (from, rules) in groups {
                let label = label(view, rules);
                let to = model.rules[rules[0]].to;
                match edges
                    .iter_mut()
                    .find(|edge| edge.from == from && edge.to == to)
                {
                    Some(edge) => edge.labels.push(label),
                    None => edges.push(Edge {
                        from,
                        to,
                        labels: vec![label],
                    }),
                }
            }
        }
        for edge in &mut edges {
            merge(&mut edge.labels);
        }
        Self { edges, several }
    }
}

/// Events that do the same on one arrow share a line.
fn merge(labels: &mut Vec<Label>) {
    let mut out: Vec<Label> = Vec::new();
    for label in labels.drain(..) {
        let same = |one: &&mut Label| one.guard == label.guard && one.effect == label.effect;
        match out.iter_mut().find(same) {
            Some(one) => one.events.extend(label.events),
            None => out.push(label),
        }
    }
    *labels = out;
}

fn sources(model: &Model, rules: &[usize]) -> String {
    let open = model.states.iter().filter(|state| !state.terminal).count();
    if rules.len() == open {
        return "any state".to_owned();
    }
    let names = rules
        .iter()
        .map(|rule| model.states[model.rules[*rule].from].name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

fn label(view: &View<'_>, rules: &[usize]) -> Label {
    let model = view.model;
    let rule: &Rule = &model.rules[rules[0]];
    let steps = view.steps.iter();
    let steps = steps.filter(|(_, taken)| rules.contains(taken));
    Label {
        events: vec![Event {
            row: rule.on,
            name: model.events[rule.on].name.clone(),
            shared: view.shared.contains(&rule.on),
            steps: steps.map(|(number, _)| *number).collect(),
        }],
        guard: rule.guard.map(|(guard, negated)| {
            let mark = if negated { "not " } else { "" };
            format!("{mark}{}", model.guards[guard].name)
        }),
        effect: rule.effect.map(|effect| {
            let row = &model.effects[effect];
            (row.name.clone(), row.semantics)
        }),
    }
}
