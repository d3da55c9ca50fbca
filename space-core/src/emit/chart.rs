//! A composition as a picture: its components, and what they have to do with each other.

use std::fmt::Write as _;

use crate::graph::{BridgeRow, Composed, Model, PointRow};

/// The prose of a composition's module, with its picture.
pub(super) fn docs(composed: &Composed) -> String {
    let first = format!("The composition `{}`.", composed.name);
    let mut text = super::docs::prose(composed.doc.as_ref(), &first);
    let _ = write!(
        text,
        "\n\n```mermaid\n{}\n```",
        composed_mermaid(composed).trim_end()
    );
    text
}

/// One thing that a component does with another: from where, to where, what it says.
struct Arrow {
    from: (usize, Option<usize>),
    to: (usize, Option<usize>),
    label: String,
}

/// What is fed, and what holds. A point that is no state is drawn from the component as a whole.
fn arrows(composed: &Composed) -> Vec<Arrow> {
    let mut arrows = Vec::new();
    for row in &composed.bridges {
        let target = &composed.components[row.to].model;
        for point in &row.points {
            let mut label = target.events[row.event].name.clone();
            if let Some(words) = word(&composed.components[row.from].model, *point) {
                label = format!("{words}: {label}");
            }
            if let Some(at) = row.feedback {
                label.push_str(&limit(composed, at));
            }
            let state = match point {
                PointRow::State(state) => Some(*state),
                _ => None,
            };
            arrows.push(Arrow {
                from: (row.from, state),
                to: (row.to, landing(composed, row)),
                label,
            });
        }
    }
    for hold in &composed.holds {
        arrows.push(Arrow {
            from: (hold.by, Some(hold.state)),
            to: (hold.held, None),
            label: "holds".to_owned(),
        });
    }
    arrows
}

/// Where the event is taken, when only one state takes it.
fn landing(composed: &Composed, row: &BridgeRow) -> Option<usize> {
    let mut rules = composed.components[row.to].model.rules.iter();
    let first = rules.find(|rule| rule.on == row.event)?.from;
    let one = rules.all(|rule| rule.on != row.event || rule.from == first);
    one.then_some(first)
}

fn word(model: &Model, point: PointRow) -> Option<String> {
    match point {
        PointRow::State(_) => None,
        PointRow::Event(at) => Some(model.events[at].name.clone()),
        PointRow::Effect(at) => Some(model.effects[at].name.clone()),
        PointRow::Semantics(semantics) => Some(semantics.name().to_owned()),
    }
}

/// ` (ask, at most 3 rounds)`.
fn limit(composed: &Composed, at: usize) -> String {
    let row = &composed.loops[at];
    let mut words = vec![row.name.clone()];
    if row.max_rounds > 0 {
        words.push(format!("at most {} rounds", row.max_rounds));
    }
    if row.timeout_ms > 0 {
        words.push(format!("within {} ms", row.timeout_ms));
    }
    format!(" ({})", words.join(", "))
}

/// The names of what moves several components at once.
fn shared(composed: &Composed) -> Vec<String> {
    let name = |(component, _): &(usize, usize)| composed.components[*component].name.clone();
    let row = |row: &crate::graph::SyncRow| {
        let parts: Vec<_> = row.parts.iter().map(name).collect();
        format!("{} moves {} at once", row.name, parts.join(" and "))
    };
    composed.syncs.iter().map(row).collect()
}

/// The arrows of one component: state to state, by the events between them.
fn inner(model: &Model) -> Vec<(usize, usize, String)> {
    let mut arrows: Vec<(usize, usize, Vec<&str>)> = Vec::new();
    for rule in &model.rules {
        let event = model.events[rule.on].name.as_str();
        let same = |one: &&mut (usize, usize, Vec<&str>)| (one.0, one.1) == (rule.from, rule.to);
        match arrows.iter_mut().find(same) {
            Some((.., events)) if events.contains(&event) => {}
            Some((.., events)) => events.push(event),
            None => arrows.push((rule.from, rule.to, vec![event])),
        }
    }
    let said = |(from, to, events): (usize, usize, Vec<&str>)| (from, to, events.join(", "));
    arrows.into_iter().map(said).collect()
}

/// A composition in Mermaid: a box for each component, thick dotted arrows between them.
pub fn composed_mermaid(composed: &Composed) -> String {
    let mut text = String::from("flowchart LR\n");
    for (at, one) in composed.components.iter().enumerate() {
        let _ = writeln!(text, "    subgraph c{at} [{}]", one.name);
        for (state, row) in one.model.states.iter().enumerate() {
            let (open, close) = match (state == one.model.initial, row.terminal) {
                (true, _) => ("([", "])"),
                (_, true) => ("[[", "]]"),
                _ => ("[", "]"),
            };
            let _ = writeln!(text, "        c{at}s{state}{open}{}{close}", row.name);
        }
        for (from, to, label) in inner(&one.model) {
            let _ = writeln!(text, "        c{at}s{from} -->|{label}| c{at}s{to}");
        }
        text.push_str("    end\n");
    }
    let node = |(component, state): (usize, Option<usize>)| match state {
        Some(state) => format!("c{component}s{state}"),
        None => format!("c{component}"),
    };
    for arrow in arrows(composed) {
        let (from, to) = (node(arrow.from), node(arrow.to));
        let _ = writeln!(text, "    {from} -. \"{}\" .-> {to}", arrow.label);
    }
    for (at, line) in shared(composed).iter().enumerate() {
        let _ = writeln!(text, "    sync{at}{{{{{line}}}}}");
    }
    text
}

/// The same in DOT, a cluster for each component.
pub fn composed_dot(composed: &Composed) -> String {
    let mut text = format!(
        "digraph {:?} {{\n  compound=true;\n  rankdir=LR;\n  node [shape=box, style=rounded];\n",
        composed.name
    );
    for (at, one) in composed.components.iter().enumerate() {
        let _ = writeln!(
            text,
            "  subgraph cluster_{at} {{\n    label={:?};",
            one.name
        );
        for (state, row) in one.model.states.iter().enumerate() {
            let style = match (state == one.model.initial, row.terminal) {
                (true, _) => ", style=\"rounded,bold\"",
                (_, true) => ", peripheries=2",
                _ => "",
            };
            let _ = writeln!(text, "    c{at}s{state} [label={:?}{style}];", row.name);
        }
        for (from, to, label) in inner(&one.model) {
            let _ = writeln!(text, "    c{at}s{from} -> c{at}s{to} [label={label:?}];");
        }
        text.push_str("  }\n");
    }
    for arrow in arrows(composed) {
        let node = |(component, state): (usize, Option<usize>)| {
            let initial = composed.components[component].model.initial;
            format!("c{component}s{}", state.unwrap_or(initial))
        };
        let mut more = String::new();
        for (end, side) in [(arrow.from, "ltail"), (arrow.to, "lhead")] {
            if end.1.is_none() {
                let _ = write!(more, ", {side}=cluster_{}", end.0);
            }
        }
        let (from, to, label) = (node(arrow.from), node(arrow.to), arrow.label);
        let _ = writeln!(
            text,
            "  {from} -> {to} [label={label:?}, style=dashed{more}];"
        );
    }
    for (at, line) in shared(composed).iter().enumerate() {
        let _ = writeln!(text, "  sync{at} [label={line:?}, shape=note];");
    }
    text.push_str("}\n");
    text
}
