//! A composition as a picture: its components, and what they have to do with each other.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::diagram::{below, html, plain, promise_html};
use super::picture::{Node, Picture, View, numbered};
use super::promise::promise;
use crate::contract::{Compositions, Invariant};
use crate::graph::{BridgeRow, Composed, Model, PointRow, SyncRow, landing};

/// The prose of a composition's module, with its picture.
pub(super) fn docs(composed: &Composed) -> String {
    let first = format!("The composition `{}`.", composed.name);
    let mut text = super::docs::prose(composed.doc.as_ref(), &first);
    let drawing = ComposedDrawing::of(composed);
    let states: usize = (composed.components.iter())
        .map(|one| one.model.states.len())
        .sum();
    let small = states <= super::docs::PICTURE;
    if let Some(svg) = small.then(|| drawing.svg()).flatten() {
        text.push_str("\n\n");
        text.push_str(&super::docs::embedded(&svg));
    } else {
        let mermaid = drawing.mermaid();
        let _ = write!(text, "\n\n```mermaid\n{}\n```", mermaid.trim_end());
    }
    text
}

/// A composition to be drawn, and what is drawn with it.
#[derive(Clone, Debug)]
pub struct ComposedDrawing<'a> {
    /// The composition.
    pub composed: &'a Composed,
    /// Promises, listed below the picture.
    pub invariants: Vec<&'a Invariant>,
    /// A run that stands out, in the order of its steps.
    pub path: &'a [Hop],
}

/// A step of a run that stands out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    /// The components that move, and the rule that each uses: indices of [`Model::rules`].
    pub moved: Vec<(usize, usize)>,
    /// The row of the bridge that fed the event.
    pub bridge: Option<usize>,
}

impl<'a> ComposedDrawing<'a> {
    /// The composition alone.
    pub fn of(composed: &'a Composed) -> Self {
        Self {
            composed,
            invariants: Vec::new(),
            path: &[],
        }
    }

    /// With what is promised of it.
    #[must_use]
    pub fn promises(self, compositions: &'a Compositions) -> Self {
        let rows = compositions.invariants.iter();
        let own = rows.filter(|row| row.composition.value == self.composed.name);
        Self {
            invariants: own.map(|row| &row.invariant).collect(),
            ..self
        }
    }

    /// With a run that stands out.
    #[must_use]
    pub fn path(self, path: &'a [Hop]) -> Self {
        Self { path, ..self }
    }

    /// Each component as it is drawn.
    pub(super) fn views(&self) -> Vec<View<'a>> {
        let components = self.composed.components.iter().enumerate();
        let view = |(at, one): (usize, &'a crate::graph::Component)| {
            let steps = self.path.iter().enumerate().flat_map(|(number, hop)| {
                let own = hop.moved.iter().filter(move |moved| moved.0 == at);
                own.map(move |(_, rule)| (number + 1, *rule))
            });
            let shared = self.composed.syncs.iter().flat_map(|sync| &sync.parts);
            View {
                model: &one.model,
                steps: steps.collect(),
                shared: (shared.filter(|part| part.0 == at))
                    .map(|part| part.1)
                    .collect(),
            }
        };
        components.map(view).collect()
    }

    /// What components have to do with each other: bridges, then holds.
    pub(super) fn cables(&self) -> Vec<Cable> {
        let bridges = self.composed.bridges.iter().enumerate().map(|(at, row)| {
            let steps = self.path.iter().enumerate();
            let steps = steps.filter(|(_, hop)| hop.bridge == Some(at));
            Cable::bridge(
                self.composed,
                row,
                steps.map(|(number, _)| number + 1).collect(),
            )
        });
        let holds = self.composed.holds.iter().map(|hold| Cable {
            from: hold.by,
            points: vec![PointRow::State(hold.state)],
            to: hold.held,
            enters: Enters::Whole,
            name: "holds".to_owned(),
            limit: None,
            steps: Vec::new(),
        });
        bridges.chain(holds).collect()
    }

    /// A Mermaid flowchart: a box for each component, dotted arrows between them. Mermaid has no place
    /// for promises: they are comments at the end.
    pub fn mermaid(&self) -> String {
        let mut text = String::from("flowchart LR\n");
        for (at, (view, one)) in self
            .views()
            .iter()
            .zip(&self.composed.components)
            .enumerate()
        {
            let _ = writeln!(text, "    subgraph c{at} [{}]", one.name);
            mermaid_inside(&mut text, at, view);
            text.push_str("    end\n");
        }
        for cable in self.cables() {
            for (from, to, label) in cable.arrows(self.composed) {
                let (from, to) = (from.id("c"), to.id("c"));
                let _ = writeln!(text, "    {from} -. \"{label}\" .-> {to}");
            }
        }
        for (at, row) in self.composed.syncs.iter().enumerate() {
            let line = shared(self.composed, row);
            let _ = writeln!(text, "    sync{at}{{{{{} {line}}}}}", row.name);
        }
        if !self.path.is_empty() {
            text.push_str("    classDef taken fill:#fff1e5,stroke:#bc4c00,stroke-width:3px\n");
            for (at, view) in self.views().iter().enumerate() {
                let states = 0..view.model.states.len();
                for state in states.filter(|state| view.passes(*state)) {
                    let _ = writeln!(text, "    class c{at}s{state} taken");
                }
            }
        }
        for one in &self.invariants {
            let _ = writeln!(text, "    %% {}: {}", one.name.value, promise(one));
        }
        text
    }

    /// A Graphviz digraph, a cluster for each component.
    pub fn dot(&self) -> String {
        let mut text = format!("digraph {} {{\n", self.composed.name);
        text.push_str(
            "  compound = true;\n  rankdir = TB;\n  \
             node [shape = box, style = \"rounded,filled\", fillcolor = \"#f6f8fa\", color = \"#57606a\", fontname = \"Helvetica\", fontsize = 12];\n  \
             edge [color = \"#57606a\", fontname = \"Helvetica\", fontsize = 10];\n",
        );
        for (at, (view, one)) in self
            .views()
            .iter()
            .zip(&self.composed.components)
            .enumerate()
        {
            let _ = writeln!(
                text,
                "  subgraph cluster_{at} {{\n    label = <<b>{}</b>>; fontname = \"Helvetica\"; fontsize = 12; color = \"#d0d7de\";",
                one.name
            );
            dot_inside(&mut text, at, view);
            text.push_str("  }\n");
        }
        for cable in self.cables() {
            let color = match cable.steps.as_slice() {
                [] => "color = \"#6639ba\"",
                _ => "color = \"#bc4c00\", penwidth = 2",
            };
            for (from, to, label) in cable.arrows(self.composed) {
                let node = |end: Place| {
                    let initial = self.composed.components[end.component].model.initial;
                    let state = Some(end.state.unwrap_or(initial));
                    Place { state, ..end }.id("c")
                };
                let mut more = String::new();
                for (end, side) in [(from, "ltail"), (to, "lhead")] {
                    if end.state.is_none() {
                        let _ = write!(more, ", {side} = cluster_{}", end.component);
                    }
                }
                let (from, to) = (node(from), node(to));
                let _ = writeln!(
                    text,
                    "  {from} -> {to} [label = {label:?}, style = dashed, fontcolor = \"#6639ba\", {color}{more}];"
                );
            }
        }
        let mut lines = String::new();
        for row in &self.composed.syncs {
            let (name, line) = (&row.name, shared(self.composed, row));
            let _ = write!(
                lines,
                "<font color=\"#116329\"><b>{name}</b></font> {line}<br align=\"left\"/>"
            );
        }
        lines.extend(self.invariants.iter().map(|one| promise_html(one)));
        below(&mut text, &lines);
        text.push_str("}\n");
        text
    }
}

/// One thing that a component does with another.
pub(super) struct Cable {
    pub(super) from: usize,
    pub(super) points: Vec<PointRow>,
    pub(super) to: usize,
    pub(super) enters: Enters,
    /// The event that is fed, or what else is done.
    pub(super) name: String,
    /// Of a loop: its name, and how often it may be gone through.
    pub(super) limit: Option<String>,
    /// The steps of the run that are it, counted from 1.
    pub(super) steps: Vec<usize>,
}

/// Where a component is met.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Enters {
    /// Wherever it takes an event.
    Event(usize),
    /// In a state.
    State(usize),
    /// Anywhere.
    Whole,
}

/// A state of a component, or all of it.
#[derive(Clone, Copy)]
struct Place {
    component: usize,
    state: Option<usize>,
}

impl Place {
    fn id(self, component: &str) -> String {
        match self.state {
            Some(state) => format!("{component}{}s{state}", self.component),
            None => format!("{component}{}", self.component),
        }
    }
}

impl Cable {
    fn bridge(composed: &Composed, row: &BridgeRow, steps: Vec<usize>) -> Self {
        let model = &composed.components[row.to].model;
        Self {
            from: row.from,
            points: row.points.clone(),
            to: row.to,
            enters: match row.feedback {
                Some(_) => Enters::State(landing(model, row.event)),
                None => Enters::Event(row.event),
            },
            name: model.events[row.event].name.clone(),
            limit: row.feedback.map(|at| limit(composed, at)),
            steps,
        }
    }

    /// The name, after the steps in brackets.
    pub(super) fn text(&self) -> String {
        numbered(&self.name, &self.steps)
    }

    /// An arrow a point. A point that is no state, and an event that several states take, are drawn
    /// from and to the component as a whole.
    fn arrows(&self, composed: &Composed) -> Vec<(Place, Place, String)> {
        let target = &composed.components[self.to].model;
        let state = match self.enters {
            Enters::State(state) => Some(state),
            Enters::Event(event) => only_taker(target, event),
            Enters::Whole => None,
        };
        let to = Place {
            component: self.to,
            state,
        };
        let arrow = |point: &PointRow| {
            let mut label = self.text();
            let words = word(&composed.components[self.from].model, *point);
            if let Some(words) = &words {
                label = format!("{words}: {label}");
            }
            if let Some(limit) = &self.limit {
                let _ = write!(label, " ({limit})");
            }
            let state = match point {
                PointRow::State(state) => Some(*state),
                _ => None,
            };
            let from = Place {
                component: self.from,
                state,
            };
            (from, to, label)
        };
        self.points.iter().map(arrow).collect()
    }
}

/// The state that takes an event, when only one does.
fn only_taker(model: &Model, event: usize) -> Option<usize> {
    let takers = model.rules.iter().filter(|rule| rule.on == event);
    let takers: BTreeSet<usize> = takers.map(|rule| rule.from).collect();
    let mut takers = takers.into_iter();
    takers.next().filter(|_| takers.next().is_none())
}

/// A point that is no state.
pub(super) fn word(model: &Model, point: PointRow) -> Option<String> {
    match point {
        PointRow::State(_) => None,
        PointRow::Event(at) => Some(model.events[at].name.clone()),
        PointRow::Effect(at) => Some(model.effects[at].name.clone()),
        PointRow::Semantics(semantics) => Some(semantics.name().to_owned()),
    }
}

/// `ask, at most 3 rounds`.
fn limit(composed: &Composed, at: usize) -> String {
    let row = &composed.loops[at];
    let mut words = vec![row.name.clone()];
    if row.max_rounds > 0 {
        words.push(format!("at most {} rounds", row.max_rounds));
    }
    if row.timeout_ms > 0 {
        words.push(format!("within {} ms", row.timeout_ms));
    }
    words.join(", ")
}

/// What a sync event does.
pub(super) fn shared(composed: &Composed, row: &SyncRow) -> String {
    let names = row.parts.iter();
    let names: Vec<_> = names
        .map(|(component, _)| composed.components[*component].name.as_str())
        .collect();
    let (last, before) = names.split_last().unwrap_or((&"", &[]));
    format!("moves {} and {last} at once", before.join(", "))
}

/// The states and arrows of one component.
fn mermaid_inside(text: &mut String, at: usize, view: &View<'_>) {
    let picture = Picture::of(view);
    for (state, row) in view.model.states.iter().enumerate() {
        let (open, close) = match (state == view.model.initial, row.terminal) {
            (true, _) => ("([", "])"),
            (_, true) => ("[[", "]]"),
            _ => ("[", "]"),
        };
        let _ = writeln!(text, "        c{at}s{state}{open}{}{close}", row.name);
    }
    for (nth, name) in picture.several.iter().enumerate() {
        let _ = writeln!(text, "        c{at}m{nth}>\"{name}\"]");
    }
    for edge in &picture.edges {
        let from = node(at, edge.from);
        let lines: Vec<_> = edge.labels.iter().map(plain).collect();
        let (to, lines) = (edge.to, lines.join("<br>"));
        let _ = writeln!(text, "        {from} -->|\"{lines}\"| c{at}s{to}");
    }
}

fn dot_inside(text: &mut String, at: usize, view: &View<'_>) {
    let picture = Picture::of(view);
    for (state, row) in view.model.states.iter().enumerate() {
        let mut look = format!("label = \"{}\"", row.name);
        if row.terminal {
            look.push_str(", peripheries = 2, fillcolor = \"#ffffff\"");
        }
        if state == view.model.initial {
            look.push_str(", style = \"rounded,filled,bold\"");
        }
        if view.passes(state) {
            look.push_str(", color = \"#bc4c00\", fillcolor = \"#fff1e5\", penwidth = 2");
        }
        let _ = writeln!(text, "    c{at}s{state} [{look}];");
    }
    for (nth, name) in picture.several.iter().enumerate() {
        let _ = writeln!(
            text,
            "    c{at}m{nth} [label = \"{name}\", style = \"rounded,dashed\", fontcolor = \"#57606a\"];"
        );
    }
    for edge in &picture.edges {
        let from = node(at, edge.from);
        let lines: Vec<_> = edge.labels.iter().map(html).collect();
        let lines = lines.join("<br align=\"left\"/>");
        let look = if edge.taken() {
            ", color = \"#bc4c00\", penwidth = 2"
        } else {
            ""
        };
        let to = edge.to;
        let _ = writeln!(
            text,
            "    {from} -> c{at}s{to} [label = <{lines}<br align=\"left\"/>>{look}];"
        );
    }
}

fn node(at: usize, node: Node) -> String {
    match node {
        Node::State(state) => format!("c{at}s{state}"),
        Node::Several(nth) => format!("c{at}m{nth}"),
    }
}
