//! What one rule does, as an expression: the part of a step that both forms share.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::names::{ident, locals};
use super::settings::Cx;
use super::types;
use crate::graph::{ArgSource, Param, Rule};

/// Names that the step itself uses.
const RESERVED: &[&str] = &["state", "ctx", "event", "guards", "effect", "rule", "on"];

/// The effect and the assignments of a rule.
pub(super) struct Action {
    /// Payload fields that are used.
    pub(super) fields: BTreeSet<usize>,
    /// The slot that must not be empty, in the order of the arguments.
    pub(super) slots: Vec<usize>,
    /// Statements to run before the effect is made: none, when the effect can be made in place.
    pub(super) effect: TokenStream,
    /// Statements that write the context.
    pub(super) assigns: Vec<TokenStream>,
}

impl Action {
    pub(super) fn of(cx: &Cx<'_>, rule: &Rule) -> Self {
        Builder::new(cx, rule).build()
    }

    /// The effect as an expression that leaves the context as it shall be.
    pub(super) fn expression(&self) -> TokenStream {
        let (effect, assigns) = (&self.effect, &self.assigns);
        if assigns.is_empty() {
            return quote!(#effect);
        }
        quote!({
            let effect = #effect;
            #(#assigns)*
            effect
        })
    }
}

/// The pattern of an event that binds these fields.
pub(super) fn event_pattern(cx: &Cx<'_>, event: usize, fields: &BTreeSet<usize>) -> TokenStream {
    let row = &cx.model.events[event];
    let enum_name = &cx.names.event;
    let name = ident(&row.name);
    if row.payload.is_empty() {
        return quote!(#enum_name::#name);
    }
    let locals = event_locals(cx, event);
    let bound = fields.iter().map(|field| {
        let declared = ident(&row.payload[*field].name);
        binding(&declared, &locals[*field])
    });
    let bound: Vec<_> = bound.collect();
    match (bound.is_empty(), bound.len() < row.payload.len()) {
        (true, _) => quote!(#enum_name::#name { .. }),
        (false, true) => quote!(#enum_name::#name { #(#bound),*, .. }),
        (false, false) => quote!(#enum_name::#name { #(#bound),* }),
    }
}

/// `name`, or `name: local` where they differ: in patterns and in struct expressions.
pub(super) fn binding(name: &Ident, local: &Ident) -> TokenStream {
    if name == local {
        quote!(#name)
    } else {
        quote!(#name: #local)
    }
}

/// The local names of an event's fields in a step.
pub(super) fn event_locals(cx: &Cx<'_>, event: usize) -> Vec<Ident> {
    locals(&cx.model.events[event].payload, RESERVED)
}

struct Builder<'a> {
    cx: &'a Cx<'a>,
    rule: &'a Rule,
    payload: &'a [Param],
    locals: Vec<Ident>,
    /// How often each field and each slot is still used: the last use moves.
    fields_left: BTreeMap<usize, usize>,
    slots_left: BTreeMap<usize, usize>,
}

impl<'a> Builder<'a> {
    fn new(cx: &'a Cx<'a>, rule: &'a Rule) -> Self {
        let (mut fields, mut slots) = (BTreeMap::new(), BTreeMap::new());
        for source in &rule.args {
            match source {
                ArgSource::Field(field) => *fields.entry(*field).or_default() += 1,
                ArgSource::Slot(slot) => *slots.entry(*slot).or_default() += 1,
            }
        }
        for (_, field) in &rule.assigns {
            *fields.entry(*field).or_default() += 1;
        }
        Self {
            cx,
            rule,
            payload: &cx.model.events[rule.on].payload,
            locals: event_locals(cx, rule.on),
            fields_left: fields,
            slots_left: slots,
        }
    }

    fn build(mut self) -> Action {
        let fields = self.fields_left.keys().copied().collect();
        let mut slots = Vec::new();
        let effect = match self.rule.effect {
            None => quote!(::core::option::Option::None),
            Some(effect) => {
                let row = &self.cx.model.effects[effect];
                let mut args = Vec::new();
                for (param, source) in row.args.iter().zip(&self.rule.args) {
                    if let ArgSource::Slot(slot) = source {
                        let row = &self.cx.model.slots[*slot];
                        if types::is_option(row) && !param.ty.is_optional() && !slots.contains(slot)
                        {
                            slots.push(*slot);
                        }
                    }
                    args.push(self.argument(param, *source));
                }
                let (enum_name, name) = (&self.cx.names.effect, ident(&row.name));
                let value = if args.is_empty() {
                    quote!(#enum_name::#name)
                } else {
                    quote!(#enum_name::#name { #(#args),* })
                };
                quote!(::core::option::Option::Some(#value))
            }
        };
        let assigns = self.rule.assigns.clone();
        let assigns = assigns
            .iter()
            .map(|(slot, field)| self.assignment(*slot, *field))
            .collect();
        Action {
            fields,
            slots,
            effect,
            assigns,
        }
    }

    fn argument(&mut self, param: &Param, source: ArgSource) -> TokenStream {
        let name = ident(&param.name);
        let value = match source {
            ArgSource::Field(field) => {
                let value = self.field(field);
                self.wrapped(value, param.ty.is_optional(), field)
            }
            ArgSource::Slot(slot) => self.slot(slot, param.ty.is_optional()),
        };
        if value.to_string() == param.name {
            quote!(#name)
        } else {
            quote!(#name: #value)
        }
    }

    /// A field's value: moved at its last use.
    fn field(&mut self, field: usize) -> TokenStream {
        let local = &self.locals[field];
        let left = self.fields_left.entry(field).or_default();
        *left = left.saturating_sub(1);
        if *left == 0 || types::is_copy(&self.payload[field].ty) {
            quote!(#local)
        } else {
            quote!(::core::clone::Clone::clone(&#local))
        }
    }

    /// `Some(value)`, where an option is declared and the field is none.
    fn wrapped(&self, value: TokenStream, optional: bool, field: usize) -> TokenStream {
        if optional && !self.payload[field].ty.is_optional() {
            quote!(::core::option::Option::Some(#value))
        } else {
            value
        }
    }

    /// A slot's value as it was before the rule: taken, where the rule writes the slot anyway.
    fn slot(&mut self, slot: usize, optional: bool) -> TokenStream {
        let row = &self.cx.model.slots[slot];
        let name = ident(&row.name);
        let left = self.slots_left.entry(slot).or_default();
        *left = left.saturating_sub(1);
        let last = *left == 0
            && self
                .rule
                .assigns
                .iter()
                .any(|(written, _)| *written == slot);
        let option = types::is_option(row);
        let value = match (types::is_copy(&row.ty), last, option) {
            (true, ..) => quote!(ctx.#name),
            (false, false, _) => quote!(::core::clone::Clone::clone(&ctx.#name)),
            (false, true, true) => quote!(ctx.#name.take()),
            (false, true, false) => quote!(::core::mem::take(&mut ctx.#name)),
        };
        match (option, optional) {
            (true, false) => quote!(#value.unwrap_or_default()),
            (false, true) => quote!(::core::option::Option::Some(#value)),
            _ => value,
        }
    }

    fn assignment(&mut self, slot: usize, field: usize) -> TokenStream {
        let row = &self.cx.model.slots[slot];
        let name = ident(&row.name);
        let optional = types::is_option(row);
        let moved = self.fields_left.get(&field).is_none_or(|left| *left <= 1);
        let same = optional == self.payload[field].ty.is_optional();
        if same && !moved && !types::is_copy(&row.ty) {
            let local = self.locals[field].clone();
            self.field(field);
            return quote!(::core::clone::Clone::clone_from(&mut ctx.#name, &#local););
        }
        let value = self.field(field);
        let value = self.wrapped(value, optional, field);
        quote!(ctx.#name = #value;)
    }
}
