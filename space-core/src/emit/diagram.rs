//! The machine as a picture: Mermaid and DOT.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::contract::Semantics;
use crate::graph::{Model, Rule};

/// One arrow: where from, where to, what it says, line by line.
struct Edge {
    from: Node,
    to: usize,
    labels: Vec<Label>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    State(usize),
    /// Stands for the states that one row leaves: an arrow from each would hide the rest.
    Several(usize),
}

#[derive(Clone, PartialEq, Eq)]
struct Label {
    event: String,
    guard: Option<String>,
    effect: Option<(String, Semantics)>,
}

struct Picture {
    edges: Vec<Edge>,
    several: Vec<String>,
}

/// Rows that leave more states than this are drawn once.
const SEVERAL: usize = 2;

impl Picture {
    fn of(model: &Model) -> Self {
        let mut rows: BTreeMap<usize, Vec<&Rule>> = BTreeMap::new();
        for rule in &model.rules {
            rows.entry(rule.row).or_default().push(rule);
        }
        let mut several: Vec<String> = Vec::new();
        let mut edges: Vec<Edge> = Vec::new();
        for rules in rows.values() {
            let from: Vec<Node> = if rules.len() > SEVERAL {
                let name = sources(model, rules);
                let at = several.iter().position(|one| *one == name);
                let at = at.unwrap_or_else(|| {
                    several.push(name);
                    several.len() - 1
                });
                vec![Node::Several(at)]
            } else {
                rules.iter().map(|rule| Node::State(rule.from)).collect()
            };
            for from in from {
                let label = label(model, rules[0]);
                let to = rules[0].to;
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
            Some(one) => {
                one.event.push_str(", ");
                one.event.push_str(&label.event);
            }
            None => out.push(label),
        }
    }
    *labels = out;
}

fn sources(model: &Model, rules: &[&Rule]) -> String {
    let open = model.states.iter().filter(|state| !state.terminal).count();
    if rules.len() == open {
        return "any state".to_owned();
    }
    let names = rules
        .iter()
        .map(|rule| model.states[rule.from].name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

fn label(model: &Model, rule: &Rule) -> Label {
    Label {
        event: model.events[rule.on].name.clone(),
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

/// A Mermaid state diagram.
pub fn mermaid(model: &Model) -> String {
    let picture = Picture::of(model);
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
            let mut line = label.event.clone();
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
    out
}

/// A Graphviz digraph.
pub fn dot(model: &Model) -> String {
    let picture = Picture::of(model);
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", model.name);
    out.push_str(
        "  rankdir = TB;\n  \
         node [shape = box, style = \"rounded,filled\", fillcolor = \"#f6f8fa\", color = \"#57606a\", fontname = \"Helvetica\", fontsize = 12];\n  \
         edge [color = \"#57606a\", fontname = \"Helvetica\", fontsize = 10];\n  \
         start [shape = circle, label = \"\", width = 0.15, fillcolor = \"#24292f\"];\n",
    );
    for state in &model.states {
        let look = if state.terminal {
            " [peripheries = 2, fillcolor = \"#ffffff\"]"
        } else {
            ""
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
        let _ = writeln!(
            out,
            "  {from} -> {to} [label = <{lines}<br align=\"left\"/>>];"
        );
    }
    out.push_str("}\n");
    out
}

/// Event in bold, guard in brackets, effect coloured by what it does to the world.
fn html(label: &Label) -> String {
    // The space keeps the text off the arrow.
    let mut line = format!("&#160;<b>{}</b>", label.event);
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
