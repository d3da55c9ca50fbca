//! The step as a nested match by state: what a careful hand would write.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::arms::Arms;
use super::names::ident;
use super::rule::{Action, event_pattern};
use super::settings::Cx;
use crate::graph::Rule;

/// The body of `step`.
pub(super) fn body(cx: &Cx<'_>) -> TokenStream {
    let machine = &cx.machine;
    let state = &cx.names.state;
    // States that say the same share an arm.
    let mut arms = Arms::new();
    for at in 0..cx.model.states.len() {
        let name = ident(&cx.model.states[at].name);
        let says = answers(cx, at);
        arms.add(
            says.to_string(),
            quote!(#state::#name),
            || quote!(=> #says,),
        );
    }
    let arms = arms.into_tokens();
    let unused = unused(cx);
    quote! {
        use #machine::Step;
        #unused
        match state { #(#arms)* }
    }
}

/// Parameters that no rule needs.
pub(super) fn unused(cx: &Cx<'_>) -> TokenStream {
    let guarded = cx.model.rules.iter().any(|rule| rule.guard.is_some());
    let ctx = guarded
        || cx.model.rules.iter().any(|rule| {
            !rule.assigns.is_empty()
                || rule
                    .args
                    .iter()
                    .any(|source| matches!(source, crate::graph::ArgSource::Slot(_)))
        });
    let ctx = (!ctx).then(|| quote!(let _ = ctx;));
    let guards = (!guarded).then(|| quote!(let _ = guards;));
    quote!(#ctx #guards)
}

/// What a state says to each event.
fn answers(cx: &Cx<'_>, state: usize) -> TokenStream {
    let rules = cx.model.rules_of(state);
    let ignored = &cx.model.ignored[state];
    let rejected = quote!(Step::no_rule(event));
    if rules.is_empty() && ignored.is_empty() {
        return rejected;
    }
    let mut arms = refusals(cx, rules);
    // Rules that do the same share an arm, too.
    let mut handled = Arms::new();
    for rule in rules {
        let action = Action::of(cx, rule);
        let pattern = event_pattern(cx, rule.on, &action.fields);
        let body = body_of(cx, rule, &action);
        let key = format!("{:?} {body}", bound_types(cx, rule, &action));
        handled.add(key, pattern, || quote!(=> #body,));
    }
    arms.extend(handled.into_tokens());
    if !ignored.is_empty() {
        let patterns = ignored
            .iter()
            .map(|event| event_pattern(cx, *event, &BTreeSet::new()));
        arms.push(quote!(#(#patterns)|* => Step::ignored(event),));
    }
    arms.extend(
        others(cx, |event| {
            rules.iter().any(|rule| rule.on == event) || ignored.contains(&event)
        })
        .map(|pattern| quote!(#pattern => #rejected,)),
    );
    quote!(match event { #(#arms)* })
}

/// The arms that hand the event back before anything of it is moved: guards first, then empty
/// slots, in the order of the arguments. Events that are refused alike share an arm.
fn refusals(cx: &Cx<'_>, rules: &[Rule]) -> Vec<TokenStream> {
    let trait_name = &cx.names.guards;
    let guards = rules.iter().filter_map(|rule| {
        let (guard, negated) = rule.guard?;
        let method = ident(&cx.model.guards[guard].name);
        let refused = (!negated).then(|| quote!(!));
        let guard = index(guard);
        let condition = quote!(#refused #trait_name::#method(guards, ctx, &event));
        Some((rule.on, condition, quote!(Step::refused(event, #guard))))
    });
    let mut arms = shared(cx, guards);
    let slots: Vec<_> = rules
        .iter()
        .map(|rule| (rule.on, Action::of(cx, rule).slots))
        .collect();
    let rounds = slots.iter().map(|(_, slots)| slots.len()).max();
    for round in 0..rounds.unwrap_or(0) {
        let empty = slots.iter().filter_map(|(event, slots)| {
            let slot = *slots.get(round)?;
            let name = ident(&cx.model.slots[slot].name);
            let slot = index(slot);
            let condition = quote!(ctx.#name.is_none());
            Some((*event, condition, quote!(Step::empty_slot(event, #slot))))
        });
        arms.extend(shared(cx, empty));
    }
    arms
}

/// One arm for the events of one condition.
fn shared(
    cx: &Cx<'_>,
    refused: impl Iterator<Item = (usize, TokenStream, TokenStream)>,
) -> Vec<TokenStream> {
    let mut arms = Arms::new();
    for (event, condition, body) in refused {
        let pattern = event_pattern(cx, event, &BTreeSet::new());
        let key = condition.to_string();
        arms.add(key, pattern, || quote!(if #condition => #body,));
    }
    arms.into_tokens().collect()
}

/// The pattern of the events that are not named; a single one is named after all.
pub(super) fn others(cx: &Cx<'_>, named: impl Fn(usize) -> bool) -> Option<TokenStream> {
    let mut others = (0..cx.model.events.len()).filter(|event| !named(*event));
    let first = others.next()?;
    Some(if others.next().is_some() {
        quote!(_)
    } else {
        event_pattern(cx, first, &BTreeSet::new())
    })
}

/// A row's number, without a suffix.
pub(super) fn index(at: usize) -> proc_macro2::Literal {
    proc_macro2::Literal::usize_unsuffixed(at)
}

fn body_of(cx: &Cx<'_>, rule: &Rule, action: &Action) -> TokenStream {
    let state = &cx.names.state;
    let to = ident(&cx.model.states[rule.to].name);
    let (effect, assigns) = (&action.effect, &action.assigns);
    if assigns.is_empty() {
        return quote!(Step::handled(#state::#to, #effect));
    }
    if rule.effect.is_none() {
        return quote!({
            #(#assigns)*
            Step::handled(#state::#to, #effect)
        });
    }
    quote!({
        let effect = #effect;
        #(#assigns)*
        Step::handled(#state::#to, effect)
    })
}

/// Names and types of what an arm binds: arms may share a body only where these agree.
fn bound_types(cx: &Cx<'_>, rule: &Rule, action: &Action) -> Vec<String> {
    let payload = &cx.model.events[rule.on].payload;
    let bound = action.fields.iter().map(|field| &payload[*field]);
    bound
        .map(|param| format!("{}: {}", param.name, param.ty))
        .collect()
}
