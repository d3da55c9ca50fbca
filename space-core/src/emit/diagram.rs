//! The machine as a picture: Mermaid and DOT.

use std::fmt::Write as _;

use super::picture::{Drawing, Label, Node, Picture};
use super::promise::promise;
use crate::contract::Semantics;
use crate::graph::Model;

/// A Mermaid state diagram.
pub fn mermaid(model: &Model) -> String {
    Drawing::of(model).mermaid()
}

/// A Graphviz digraph.
pub fn dot(model: &Model) -> String {
    Drawing::of(model).dot()
}

impl Drawing<'_> {
    /// A Mermaid state diagram. Mermaid has no place for promises: they are comments at the end.
    pub fn mermaid(&self) -> String {
        draw_mermaid(self)
    }

    /// A Graphviz digraph.
    pub fn dot(&self) -> String {
        draw_dot(self)
    }
}

fn draw_mermaid(drawing: &Drawing<'_>) -> String {
    let model = drawing.model;
    let picture = Picture::of(drawing);
    let id = |node: &Node| match node {
        Node::State(at) => model.states[*at].name.clone(),
        Node::Several(at) => format!("several_{at}"),
    };
    let mut out = String::from("stateDiagram-v2\n");
    for (at, name) in picture.several.iter().enumerate() {
        let _ = writeln!(out, "    state \"{name}\" as several_{at}");
    }
    let _ = writeln!(out, "    [*] --> {}", model.states[model.initial].name);
    for edge in &picture.edges {
        let lines = edge.labels.iter().map(|label| {
            let mut line = events(label);
            if let Some(guard) = &label.guard {
                let _ = write!(line, " [{guard}]");
            }
            if let Some((effect, semantics)) = &label.effect {
                let _ = write!(line, " / {effect} ({semantics})");
            }
            line
        });
        let lines = lines.collect::<Vec<_>>().join("<br>");
        let to = &model.states[edge.to].name;
        let _ = writeln!(out, "    {} --> {to}: {lines}", id(&edge.from));
    }
    for state in model.states.iter().filter(|state| state.terminal) {
        let _ = writeln!(out, "    {} --> [*]", state.name);
    }
    if !drawing.path.is_empty() {
        out.push_str("    classDef taken fill:#fff1e5,stroke:#bc4c00,stroke-width:3px\n");
        for (_, state) in taken(drawing) {
            let _ = writeln!(out, "    class {state} taken");
        }
    }
    for invariant in drawing.invariants {
        let _ = writeln!(
            out,
            "    %% {}: {}",
            invariant.name.value,
            promise(invariant)
        );
    }
    out
}

/// The states that the run passes.
fn taken<'d>(drawing: &Drawing<'d>) -> impl Iterator<Item = (usize, &'d str)> {
    let states = drawing.model.states.iter().enumerate();
    states
        .filter(|(at, _)| drawing.passes(*at))
        .map(|(at, state)| (at, state.name.as_str()))
}

/// The events of a line, those of the run after their steps.
fn events(label: &Label) -> String {
    let events: Vec<_> = label
        .events
        .iter()
        .map(super::picture::Event::text)
        .collect();
    events.join(", ")
}

fn draw_dot(drawing: &Drawing<'_>) -> String {
    let model = drawing.model;
    let picture = Picture::of(drawing);
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", model.name);
    out.push_str(
        "  rankdir = TB;\n  \
         node [shape = box, style = \"rounded,filled\", fillcolor = \"#f6f8fa\", color = \"#57606a\", fontname = \"Helvetica\", fontsize = 12];\n  \
         edge [color = \"#57606a\", fontname = \"Helvetica\", fontsize = 10];\n  \
         start [shape = circle, label = \"\", width = 0.15, fillcolor = \"#24292f\"];\n",
    );
    for (at, state) in model.states.iter().enumerate() {
        let mut look = Vec::new();
        if state.terminal {
            look.push("peripheries = 2, fillcolor = \"#ffffff\"");
        }
        if drawing.passes(at) {
            look.push("color = \"#bc4c00\", fillcolor = \"#fff1e5\", penwidth = 2");
        }
        let look = match look.as_slice() {
            [] => String::new(),
            look => format!(" [{}]", look.join(", ")),
        };
        let _ = writeln!(out, "  {}{look};", state.name);
    }
    for (at, name) in picture.several.iter().enumerate() {
        let _ = writeln!(
            out,
            "  several_{at} [label = \"{name}\", style = \"rounded,dashed\", fontcolor = \"#57606a\"];"
        );
    }
    let _ = writeln!(out, "  start -> {};", model.states[model.initial].name);
    for edge in &picture.edges {
        let from = match edge.from {
            Node::State(at) => model.states[at].name.clone(),
            Node::Several(at) => format!("several_{at}"),
        };
        let lines = edge.labels.iter().map(html);
        let lines = lines.collect::<Vec<_>>().join("<br align=\"left\"/>");
        let to = &model.states[edge.to].name;
        let look = if edge.taken() {
            ", color = \"#bc4c00\", penwidth = 2"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "  {from} -> {to} [label = <{lines}<br align=\"left\"/>>{look}];"
        );
    }
    if !drawing.invariants.is_empty() {
        let lines = drawing.invariants.iter().map(|one| {
            format!(
                "<b>{}</b>: {}<br align=\"left\"/>",
                one.name.value,
                promise(one)
            )
        });
        let lines = lines.collect::<String>();
        let _ = writeln!(
            out,
            "  fontname = \"Helvetica\"; fontsize = 10; labelloc = b; labeljust = l;\n  label = <{lines}>;"
        );
    }
    out.push_str("}\n");
    out
}

/// Event in bold, guard in brackets, effect coloured by what it does to the world.
fn html(label: &Label) -> String {
    // The space keeps the text off the arrow.
    let mut line = format!("&#160;<b>{}</b>", events(label));
    if let Some(guard) = &label.guard {
        let _ = write!(line, " [{guard}]");
    }
    if let Some((effect, semantics)) = &label.effect {
        let color = match semantics {
            Semantics::Query => "#0550ae",
            Semantics::Command | Semantics::Commit | Semantics::Rollback => "#a40e26",
            Semantics::Stop => "#57606a",
        };
        let _ = write!(
            line,
            " / <font color=\"{color}\">{effect} <i>{semantics}</i></font>"
        );
    }
    line
}
