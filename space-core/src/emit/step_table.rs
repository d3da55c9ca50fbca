//! The step as a search in the rule table: what a compiler can take in linear time.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

use super::arms::{Arms, numbered};
use super::names::ident;
use super::rule::{Action, event_pattern};
use super::settings::Cx;
use super::step_match::{index, others, unused};
use super::table::Pools;
use crate::graph::Rule;

/// What tells the actions of one event apart: effect, argument list, assignment list.
type Key = (u16, u16, u16);

/// The body of `step`.
pub(super) fn body(cx: &Cx<'_>, pools: &Pools) -> TokenStream {
    let machine = &cx.machine;
    let unused = unused(cx);
    let guard = guard(cx);
    let actions = actions(cx, pools);
    quote! {
        use #machine::Step;
        #unused
        let on = event_row(&event);
        let ::core::option::Option::Some(rule) = RULES.find(state as usize, on) else {
            return if RULES.ignores(state as u16, on) {
                Step::ignored(event)
            } else {
                Step::no_rule(event)
            };
        };
        #guard
        let effect = #actions;
        Step::handled(STATES[usize::from(rule.to)], effect)
    }
}

/// Helpers beside `step`: the row of an event, and effects without arguments by their code.
pub(super) fn helpers(cx: &Cx<'_>) -> TokenStream {
    let (event, effect) = (&cx.names.event, &cx.names.effect);
    let bare = cx
        .model
        .effects
        .iter()
        .enumerate()
        .filter(|(_, row)| row.args.is_empty())
        .map(|(at, row)| {
            let name = ident(&row.name);
            let effect = quote!(::core::option::Option::Some(#effect::#name));
            (at + 1, effect)
        });
    let bare: Vec<_> = bare.collect();
    let none = quote!(::core::option::Option::None);
    let bare = numbered(&quote!(code), &bare, &none);
    let row = super::values::rows(
        event,
        cx.model
            .events
            .iter()
            .map(|row| (row.name.as_str(), row.payload.is_empty())),
    );
    quote! {
        #[inline]
        const fn event_row(event: &#event) -> u16 {
            #row
        }

        #[inline]
        const fn bare_effect(code: u16) -> ::core::option::Option<#effect> {
            #bare
        }
    }
}

fn guard(cx: &Cx<'_>) -> Option<TokenStream> {
    if cx.model.rules.iter().all(|rule| rule.guard.is_none()) {
        return None;
    }
    let trait_name = &cx.names.guards;
    let arms = cx.model.guards.iter().enumerate().map(|(at, row)| {
        let (at, method) = (index(at), ident(&row.name));
        quote!(#at => #trait_name::#method(guards, ctx, &event),)
    });
    Some(quote! {
        if let ::core::option::Option::Some(code) = rule.guard.checked_sub(1) {
            let allowed = match code / 2 {
                #(#arms)*
                _ => false,
            };
            // The low bit of the code negates.
            if allowed == (code % 2 == 1) {
                return Step::refused(event, code / 2);
            }
        }
    })
}

/// The match that makes the effect and writes the context. Only rules that move a value need an
/// arm; the others have at most an effect without arguments.
fn actions(cx: &Cx<'_>, pools: &Pools) -> TokenStream {
    let mut by_event: BTreeMap<usize, BTreeMap<Key, &Rule>> = BTreeMap::new();
    for rule in &cx.model.rules {
        if rule.args.is_empty() && rule.assigns.is_empty() {
            continue;
        }
        let effect = rule.effect.map_or(0, |effect| effect + 1);
        let effect = u16::try_from(effect).unwrap_or(u16::MAX);
        let key = (effect, pools.args_of(rule), pools.assigns_of(rule));
        by_event
            .entry(rule.on)
            .or_default()
            .entry(key)
            .or_insert(rule);
    }
    let refusals = by_event
        .values()
        .flatten()
        .flat_map(|(key, rule)| refusals(cx, *key, rule));
    let arms = by_event.iter().map(|(event, keys)| {
        let actions: Vec<_> = keys
            .iter()
            .map(|(key, rule)| (*key, Action::of(cx, rule)))
            .collect();
        let fields = actions
            .iter()
            .flat_map(|(_, action)| action.fields.iter().copied())
            .collect();
        let pattern = event_pattern(cx, *event, &fields);
        let mut bodies = Arms::new();
        for ((effect, args, assigns), action) in &actions {
            let body = action.expression();
            let text = body.to_string();
            let key = [effect, args, assigns].map(|code| index(usize::from(*code)));
            let key = quote!((#(#key),*));
            bodies.add(text, key, || quote!(=> #body,));
        }
        let bodies = bodies.into_tokens();
        quote! {
            #pattern => match (rule.effect, rule.args, rule.assigns) {
                #(#bodies)*
                _ => bare_effect(rule.effect),
            },
        }
    });
    let rest = others(cx, |event| by_event.contains_key(&event))
        .map(|pattern| quote!(#pattern => bare_effect(rule.effect),));
    quote!(match event { #(#refusals)* #(#arms)* #rest })
}

fn refusals(cx: &Cx<'_>, (effect, args, _): Key, rule: &Rule) -> Vec<TokenStream> {
    let pattern = event_pattern(cx, rule.on, &std::collections::BTreeSet::new());
    let (effect, args) = (index(effect.into()), index(args.into()));
    let empty = |slot: usize| {
        let name = ident(&cx.model.slots[slot].name);
        let slot = index(slot);
        quote! {
            #pattern if rule.effect == #effect && rule.args == #args && ctx.#name.is_none() => {
                return Step::empty_slot(event, #slot);
            }
        }
    };
    Action::of(cx, rule).slots.into_iter().map(empty).collect()
}
