//! The machine as a picture: Mermaid and DOT.

use std::fmt::Write as _;

use super::picture::{Drawing, Label, Node, Picture};
use super::promise::promise;
use crate::contract::{Invariant, Semantics};
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
    let view = drawing.view();
    let picture = Picture::of(&view);
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
        let lines = edge.labels.iter().map(plain);
        let lines = lines.collect::<Vec<_>>().join("<br>");
        let to = &model.states[edge.to].name;
        let _ = writeln!(out, "    {} --> {to}: {lines}", id(&edge.from));
    }
    for state in model.states.iter().filter(|state| state.terminal) {
        let _ = writeln!(out, "    {} --> [*]", state.name);
    }
    if !drawing.path.is_empty() {
        out.push_str("    classDef taken fill:#fff1e5,stroke:#bc4c00,stroke-width:3px\n");
        let states = model.states.iter().enumerate();
        for (_, state) in states.filter(|(at, _)| view.passes(*at)) {
            let _ = writeln!(out, "    class {} taken", state.name);
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

/// Events, guard and effect, in one line without markup.
pub(super) fn plain(label: &Label) -> String {
    let mut line = events(label);
    if let Some(guard) = &label.guard {
        let _ = write!(line, " [{guard}]");
    }
    if let Some((effect, semantics)) = &label.effect {
        let _ = write!(line, " / {effect} ({semantics})");
    }
    line
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
    let view = drawing.view();
    let picture = Picture::of(&view);
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
        if view.passes(at) {
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
    let lines = drawing.invariants.iter().map(promise_html);
    below(&mut out, &lines.collect::<String>());
    out.push_str("}\n");
    out
}

/// A promise as a line below a digraph.
pub(super) fn promise_html(one: &Invariant) -> String {
    let (name, words) = (&one.name.value, promise(one));
    format!("<b>{name}</b>: {words}<br align=\"left\"/>")
}

/// Puts lines below a digraph.
pub(super) fn below(out: &mut String, lines: &str) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "  fontname = \"Helvetica\"; fontsize = 10; labelloc = b; labeljust = l;\n  label = <{lines}>;"
    );
}

/// Event in bold, guard in brackets, effect coloured by what it does to the world.
pub(super) fn html(label: &Label) -> String {
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
