//! Rustdoc of the emitted code.

use std::fmt::Write as _;

use proc_macro2::TokenStream;
use quote::quote;

use super::picture::Drawing;
use super::settings::{Cx, LONG_ENUM};
use crate::contract::Semantics;
use crate::graph::{Model, Param, Rule};

/// The most states of a machine whose picture is in its rustdoc: larger ones make a module's source
/// unreadable.
pub(super) const PICTURE: usize = 40;

/// Doc attributes, one a line.
pub(super) fn doc(text: &str) -> TokenStream {
    let lines = text.lines().map(|line| {
        let line = if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        };
        quote!(#[doc = #line])
    });
    quote!(#(#lines)*)
}

/// The contract's prose, or a sentence of ours where it has none.
pub(super) fn prose(doc_text: Option<&String>, otherwise: &str) -> String {
    match doc_text {
        Some(text) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => otherwise.to_owned(),
    }
}

/// The docs of the module, as inner attributes.
pub(super) fn module(cx: &Cx<'_>) -> TokenStream {
    let model = cx.model;
    let mut text = prose(model.doc.as_ref(), &format!("The space `{}`.", model.name));
    let small = model.states.len() <= PICTURE;
    if let Some(svg) = small.then(|| Drawing::of(model).svg()).flatten() {
        // Rustdoc shows no Mermaid. An HTML block ends at an empty line, and this has none.
        text.push_str("\n\n");
        text.push_str(&embedded(&svg));
    } else if model.states.len() <= LONG_ENUM {
        text.push_str("\n\n```mermaid\n");
        text.push_str(super::diagram::mermaid(model).trim_end());
        text.push_str("\n```");
    }
    inner(&text)
}

/// A picture as part of a page that may be narrower. Only there: a picture of its own has its size, and not
/// everything that draws it understands a style.
pub(super) fn embedded(svg: &str) -> String {
    let style = "<svg style=\"max-width:100%;height:auto\" ";
    svg.trim_end().replacen("<svg ", style, 1)
}

/// Inner doc attributes, one a line.
pub(super) fn inner(text: &str) -> TokenStream {
    let lines = text.lines().map(|line| {
        let line = if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        };
        quote!(#![doc = #line])
    });
    quote!(#(#lines)*)
}

/// The docs of a state: prose, and the rules that leave it.
pub(super) fn state(model: &Model, at: usize) -> String {
    let row = &model.states[at];
    let mut text = prose(row.doc.as_ref(), &format!("`{}`.", row.name));
    if at == model.initial {
        text.push_str("\n\nRuns start here.");
    }
    if row.terminal {
        text.push_str("\n\nRuns end here.");
    }
    let rules = model.rules_of(at);
    if !rules.is_empty() && model.states.len() <= LONG_ENUM {
        text.push_str("\n\n| on | guard | to | effect | writes |\n|---|---|---|---|---|");
        for rule in rules {
            let on = format!("`{}`", model.events[rule.on].name);
            text.push_str(&table_row(&[
                on,
                guard(model, rule),
                to(model, rule),
                effect(model, rule),
                writes(model, rule),
            ]));
        }
    }
    if !model.ignored[at].is_empty() {
        let names = model.ignored[at]
            .iter()
            .map(|event| &model.events[*event].name);
        let _ = write!(text, "\n\nIgnores {}.", code_list(names));
    }
    text
}

/// The docs of an event: prose, and the rules that answer it.
pub(super) fn event(model: &Model, at: usize, rules: &[&Rule]) -> String {
    let row = &model.events[at];
    let mut text = prose(row.doc.as_ref(), &format!("`{}`.", row.name));
    if row.external {
        text.push_str("\n\nExternal: it may arrive at any time.");
    }
    if !rules.is_empty() && model.states.len() <= LONG_ENUM {
        text.push_str("\n\n| in | guard | to | effect | writes |\n|---|---|---|---|---|");
        for rule in rules {
            let from = format!("`{}`", model.states[rule.from].name);
            text.push_str(&table_row(&[
                from,
                guard(model, rule),
                to(model, rule),
                effect(model, rule),
                writes(model, rule),
            ]));
        }
    }
    text
}

/// The docs of an effect: prose, semantics, and what it is answered with.
pub(super) fn effect_row(model: &Model, at: usize) -> String {
    let row = &model.effects[at];
    let mut text = prose(row.doc.as_ref(), &format!("`{}`.", row.name));
    let _ = write!(
        text,
        "\n\nSemantics: `{}`, {}.",
        row.semantics,
        meaning(row.semantics)
    );
    if row.semantics != Semantics::Stop {
        match &row.returns {
            None => text.push_str(" Answered with any event."),
            Some(returns) => {
                let names = returns.iter().map(|event| &model.events[*event].name);
                let _ = write!(text, " Answered with {}.", code_list(names));
            }
        }
        if let Some(sentinel) = row.sentinel {
            let _ = write!(
                text,
                " A failure becomes `{}`.",
                model.events[sentinel].name
            );
        }
    }
    text
}

/// What a label says, in a clause.
pub(super) const fn meaning(semantics: Semantics) -> &'static str {
    match semantics {
        Semantics::Query => "it reads only, and may run again",
        Semantics::Command => "it changes the world, and is never silently run twice",
        Semantics::Commit => "it makes earlier commands final, and is never silently run twice",
        Semantics::Rollback => "it undoes earlier commands, and is never silently run twice",
        Semantics::Stop => "it ends the run",
    }
}

/// The docs of a field.
pub(super) fn field(param: &Param) -> String {
    prose(
        param.doc.as_ref(),
        &format!("`{}`, a `{}`.", param.name, param.ty),
    )
}

/// `` `a`, `b` or `c` ``.
pub(super) fn code_list<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    match &names[..] {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn table_row(cells: &[String]) -> String {
    format!("\n| {} |", cells.join(" | "))
}

fn guard(model: &Model, rule: &Rule) -> String {
    rule.guard.map_or_else(String::new, |(guard, negated)| {
        let mark = if negated { "not " } else { "" };
        format!("{mark}`{}`", model.guards[guard].name)
    })
}

fn to(model: &Model, rule: &Rule) -> String {
    format!("`{}`", model.states[rule.to].name)
}

fn effect(model: &Model, rule: &Rule) -> String {
    rule.effect.map_or_else(String::new, |effect| {
        let row = &model.effects[effect];
        format!("`{}` ({})", row.name, row.semantics)
    })
}

fn writes(model: &Model, rule: &Rule) -> String {
    let slots = rule
        .assigns
        .iter()
        .map(|(slot, _)| format!("`{}`", model.slots[*slot].name));
    slots.collect::<Vec<_>>().join(", ")
}
