//! A composition as data in generated code.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::chart::{shared, word};
use super::composed::Cx;
use super::step_match::index;
use crate::contract::Semantics;
use crate::graph::{BridgeRow, Composed, PointRow};

/// What is shared, fed, looped and held.
pub(super) fn data(cx: &Cx<'_>) -> TokenStream {
    let Cx {
        composed, krate, ..
    } = cx;
    let graph = quote!(#krate::graph);
    let name = &composed.name;
    let span = quote!(#krate::contract::Span::default());
    let components = cx.each(|part, at| {
        let (name, module) = (&composed.components[at].name, &part.prefix);
        quote! {
            #graph::Component {
                name: #name.into(),
                model: ::std::sync::Arc::new(#module::RULES.model()),
            }
        }
    });
    let pairs = |list: &[(usize, usize)]| {
        let list = list.iter().map(|(one, other)| {
            let (one, other) = (index(*one), index(*other));
            quote!((#one, #other))
        });
        quote!(::std::vec::Vec::from([#(#list),*]))
    };
    let rows = |list: &[usize]| {
        let list = list.iter().map(|at| index(*at));
        quote!(::std::vec::Vec::from([#(#list),*]))
    };
    let syncs = composed.syncs.iter().map(|row| {
        let (name, parts) = (&row.name, pairs(&row.parts));
        quote!(#graph::SyncRow { name: #name.into(), parts: #parts, span: #span })
    });
    let bridges = composed.bridges.iter().map(|row| {
        let BridgeRow {
            from,
            points,
            to,
            event,
            payload,
            feedback,
            restarts,
            span: _,
        } = row;
        let (from, to, event) = (index(*from), index(*to), index(*event));
        let points = points.iter().map(|one| point(*one, &graph, krate));
        let (payload, restarts) = (pairs(payload), rows(restarts));
        let feedback = if let Some(at) = feedback.map(index) {
            quote!(::core::option::Option::Some(#at))
        } else {
            quote!(::core::option::Option::None)
        };
        quote! {
            #graph::BridgeRow {
                from: #from,
                points: ::std::vec::Vec::from([#(#points),*]),
                to: #to,
                event: #event,
                payload: #payload,
                feedback: #feedback,
                restarts: #restarts,
                span: #span,
            }
        }
    });
    let number = |number: u32| proc_macro2::Literal::u32_unsuffixed(number);
    let loops = composed.loops.iter().map(|row| {
        let (name, rounds, timeout) = (&row.name, number(row.max_rounds), number(row.timeout_ms));
        quote! {
            #graph::LoopRow { name: #name.into(), max_rounds: #rounds, timeout_ms: #timeout }
        }
    });
    let holds = composed.holds.iter().map(|row| {
        let (by, state, held) = (index(row.by), index(row.state), index(row.held));
        quote!(#graph::HoldRow { by: #by, state: #state, held: #held })
    });
    let words = words(composed);
    let words = words.iter().map(|line| format!(" {line}"));
    let after = composed.after.iter().map(|list| rows(list));
    quote! {
        #[doc = " The composition as data, its parts named by their rows."]
        #(#[doc = #words])*
        fn composed() -> #krate::compose::Composed {
            #krate::compose::Composed {
                name: #name.into(),
                doc: ::core::option::Option::None,
                components: ::std::vec::Vec::from([#(#components),*]),
                syncs: ::std::vec::Vec::from([#(#syncs),*]),
                bridges: ::std::vec::Vec::from([#(#bridges),*]),
                loops: ::std::vec::Vec::from([#(#loops),*]),
                holds: ::std::vec::Vec::from([#(#holds),*]),
                after: ::std::vec::Vec::from([#(#after),*]),
            }
        }
    }
}

fn point(point: PointRow, graph: &TokenStream, krate: &TokenStream) -> TokenStream {
    match point {
        PointRow::State(at) => {
            let at = index(at);
            quote!(#graph::PointRow::State(#at))
        }
        PointRow::Event(at) => {
            let at = index(at);
            quote!(#graph::PointRow::Event(#at))
        }
        PointRow::Effect(at) => {
            let at = index(at);
            quote!(#graph::PointRow::Effect(#at))
        }
        PointRow::Semantics(semantics) => {
            let variant = match semantics {
                Semantics::Query => "Query",
                Semantics::Command => "Command",
                Semantics::Commit => "Commit",
                Semantics::Rollback => "Rollback",
                Semantics::Stop => "Stop",
            };
            let variant = format_ident!("{variant}");
            quote!(#graph::PointRow::Semantics(#krate::machine::Semantics::#variant))
        }
    }
}

/// What the rows say, for who reads them; a paragraph of its own.
fn words(composed: &Composed) -> Vec<String> {
    let name = |component: usize| composed.components[component].name.as_str();
    let mut lines = Vec::new();
    for row in &composed.syncs {
        lines.push(format!("* `{}` {}", row.name, shared(composed, row)));
    }
    for (at, row) in composed.bridges.iter().enumerate() {
        let model = &composed.components[row.from].model;
        let points = row.points.iter().map(|point| match point {
            PointRow::State(state) => format!("`{}.{}`", name(row.from), model.states[*state].name),
            other => {
                let word = word(model, *other).unwrap_or_default();
                format!("`{}.{word}`", name(row.from))
            }
        });
        let points: Vec<_> = points.collect();
        let event = &composed.components[row.to].model.events[row.event].name;
        let looped = row.feedback.map_or_else(String::new, |at| {
            format!(", a round of the loop `{}`", composed.loops[at].name)
        });
        lines.push(format!(
            "* bridge {at}: {} feeds `{}.{event}`{looped}",
            points.join(" or "),
            name(row.to)
        ));
    }
    for row in &composed.holds {
        let state = &composed.components[row.by].model.states[row.state].name;
        lines.push(format!(
            "* `{}.{state}` holds {}",
            name(row.by),
            name(row.held)
        ));
    }
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    lines
}
