//! Contract → the body of its module.

use proc_macro2::TokenStream;
use quote::quote;

use super::names::ident;
use super::settings::{Cx, Form, LONG_ENUM, Settings};
use super::table::{self, Pools};
use super::{docs, handler, serde, step_match, step_table, types, values};
use crate::graph::{Model, Param, Rule};

/// The body of the space's module. The same for every front, byte for byte.
pub fn module(model: &Model, settings: &Settings) -> TokenStream {
    let cx = Cx::new(model, settings);
    let docs = docs::module(&cx);
    let pools = Pools::new(model);
    let space = space(&cx);
    let state = state(&cx);
    let event = event(&cx);
    let effect = effect(&cx);
    let ctx = ctx(&cx);
    let guards = guards(&cx);
    let step = step(&cx, &pools);
    let values = values::space(&cx);
    let handler = settings.handler.then(|| handler::handler(&cx));
    let serde = settings.serde.then(|| serde::impls(&cx));
    let rules = table::rules(&cx, &pools);
    quote! {
        #docs
        #![allow(dead_code, unreachable_pub, reason = "a consumer need not use every word")]
        #![allow(
            clippy::doc_markdown,
            clippy::enum_variant_names,
            clippy::fn_params_excessive_bools,
            clippy::large_enum_variant,
            clippy::struct_excessive_bools,
            clippy::struct_field_names,
            clippy::too_many_arguments,
            clippy::too_many_lines,
            clippy::upper_case_acronyms,
            reason = "the contract chose the words and their number"
        )]

        #space
        #state
        #event
        #effect
        #ctx
        #guards
        #step
        #handler
        #values
        #serde
        #rules
    }
}

fn space(cx: &Cx<'_>) -> TokenStream {
    let name = &cx.names.space;
    let first = format!("The space `{}`.", cx.model.name);
    let prose = docs::prose(cx.model.doc.as_ref(), &first);
    let doc = docs::doc(&prose);
    quote! {
        #doc
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::fmt::Debug,
            ::core::default::Default,
            ::core::cmp::PartialEq,
            ::core::cmp::Eq,
            ::core::hash::Hash,
        )]
        pub struct #name;
    }
}

fn state(cx: &Cx<'_>) -> TokenStream {
    let (model, name) = (cx.model, &cx.names.state);
    let variants = model.states.iter().enumerate().map(|(at, row)| {
        let doc = docs::doc(&docs::state(model, at));
        let variant = ident(&row.name);
        quote!(#doc #variant,)
    });
    let all = model.states.iter().map(|row| ident(&row.name));
    let count = step_match::index(model.states.len());
    let derives = cx.derives(&[
        "::core::clone::Clone",
        "::core::marker::Copy",
        "::core::cmp::PartialEq",
        "::core::cmp::Eq",
        "::core::cmp::PartialOrd",
        "::core::cmp::Ord",
        "::core::hash::Hash",
    ]);
    let doc = docs::doc(&format!("A state of [`{}`].", cx.names.space));
    quote! {
        #doc
        #derives
        pub enum #name { #(#variants)* }

        static STATES: [#name; #count] = [#(#name::#all),*];

        impl #name {
            /// All states, in the order of their declaration.
            #[must_use]
            pub const fn all() -> &'static [Self] {
                &STATES
            }

            /// The name in the contract.
            #[must_use]
            pub const fn name(self) -> &'static str {
                RULES.states[self as usize]
            }

            /// Whether runs end here.
            #[must_use]
            pub const fn is_terminal(self) -> bool {
                RULES.is_terminal(self as usize)
            }
        }

        impl ::core::fmt::Debug for #name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl ::core::fmt::Display for #name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.name())
            }
        }
    }
}

fn event(cx: &Cx<'_>) -> TokenStream {
    let model = cx.model;
    let mut rules: Vec<Vec<&Rule>> = vec![Vec::new(); model.events.len()];
    for rule in &model.rules {
        rules[rule.on].push(rule);
    }
    let variants = (0..model.events.len()).map(|at| event_variant(cx, at, &rules[at]));
    let doc = docs::doc(&format!("An event of [`{}`].", cx.names.space));
    message(
        cx,
        &cx.names.event,
        &doc,
        &variants.collect::<Vec<_>>(),
        "events",
    )
}

fn effect(cx: &Cx<'_>) -> TokenStream {
    let model = cx.model;
    let variants = model.effects.iter().enumerate().map(|(at, row)| {
        let doc = docs::doc(&docs::effect_row(model, at));
        variant(cx, &row.name, &doc, &row.args)
    });
    let doc = docs::doc(&format!("An effect of [`{}`].", cx.names.space));
    message(
        cx,
        &cx.names.effect,
        &doc,
        &variants.collect::<Vec<_>>(),
        "effects",
    )
}

/// An enum of variants with fields, and the name of each.
fn message(
    cx: &Cx<'_>,
    name: &proc_macro2::Ident,
    doc: &TokenStream,
    variants: &[TokenStream],
    table: &str,
) -> TokenStream {
    let machine = &cx.machine;
    let space = &cx.names.space;
    let long = variants.len() > LONG_ENUM;
    let (row, kind) = (
        ident(&format!("{}_index", &table[..table.len() - 1])),
        ident(table),
    );
    let mut own = vec!["::core::clone::Clone"];
    if !long {
        own.push("::core::fmt::Debug");
    }
    own.push("::core::cmp::PartialEq");
    let derives = cx.derives(&own);
    let values = ident(&format!("{}_values", &table[..table.len() - 1]));
    let debug = long.then(|| {
        quote! {
            impl ::core::fmt::Debug for #name {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    let values = #machine::Space::#values(&#space, self);
                    f.debug_tuple(self.name()).field(&values).finish()
                }
            }
        }
    });
    quote! {
        #doc
        #derives
        pub enum #name { #(#variants)* }

        impl #name {
            /// The name in the contract.
            #[must_use]
            pub fn name(&self) -> &'static str {
                RULES.#kind[#machine::Space::#row(&#space, self)].name
            }
        }

        #debug
    }
}

/// The variant of an event, in the event enum and in outcomes.
pub(super) fn event_variant(cx: &Cx<'_>, at: usize, rules: &[&Rule]) -> TokenStream {
    let row = &cx.model.events[at];
    let doc = docs::doc(&docs::event(cx.model, at, rules));
    variant(cx, &row.name, &doc, &row.payload)
}

fn variant(cx: &Cx<'_>, name: &str, doc: &TokenStream, fields: &[Param]) -> TokenStream {
    let name = ident(name);
    if fields.is_empty() {
        return quote!(#doc #name,);
    }
    let fields = fields.iter().map(|field| {
        let doc = docs::doc(&docs::field(field));
        let (name, ty) = (ident(&field.name), types::owned(cx, &field.ty));
        quote!(#doc #name: #ty,)
    });
    quote!(#doc #name { #(#fields)* },)
}

fn ctx(cx: &Cx<'_>) -> TokenStream {
    let (model, name) = (cx.model, &cx.names.ctx);
    let fields = model.slots.iter().map(|row| {
        let text = docs::prose(
            row.doc.as_ref(),
            &format!("`{}`, a `{}`.", row.name, row.ty),
        );
        let doc = docs::doc(&text);
        let (name, ty) = (ident(&row.name), types::slot(cx, row));
        quote!(#doc pub #name: #ty,)
    });
    let fields: Vec<_> = fields.collect();
    let mut own = vec![
        "::core::clone::Clone",
        "::core::fmt::Debug",
        "::core::cmp::PartialEq",
    ];
    let derivable = model.slots.iter().all(types::is_default);
    if derivable {
        own.push("::core::default::Default");
    }
    let derives = cx.derives(&own);
    let start = (!derivable).then(|| {
        let fields = model.slots.iter().map(|row| {
            let (name, value) = (ident(&row.name), types::start(cx, row));
            quote!(#name: #value)
        });
        quote! {
            impl ::core::default::Default for #name {
                fn default() -> Self {
                    Self { #(#fields),* }
                }
            }
        }
    });
    let doc = docs::doc(&format!(
        "The context of [`{}`]. A slot without default starts empty.",
        cx.names.space
    ));
    quote! {
        #doc
        #derives
        pub struct #name { #(#fields)* }

        #start
    }
}

fn guards(cx: &Cx<'_>) -> TokenStream {
    let (name, ctx, event) = (&cx.names.guards, &cx.names.ctx, &cx.names.event);
    let methods = cx.model.guards.iter().map(|row| {
        let doc = docs::doc(&docs::prose(row.doc.as_ref(), &format!("`{}`.", row.name)));
        let method = ident(&row.name);
        quote! {
            #doc
            fn #method(&self, ctx: &#ctx, event: &#event) -> bool;
        }
    });
    let none = cx
        .model
        .guards
        .is_empty()
        .then(|| quote!(impl #name for () {}));
    let doc = docs::doc(&format!(
        "The guards of [`{}`]: pure predicates of the context, as it was before the rule, and the event.",
        cx.names.space
    ));
    quote! {
        #doc
        pub trait #name: ::core::marker::Send + ::core::marker::Sync {
            #(#methods)*
        }

        #none
    }
}

fn step(cx: &Cx<'_>, pools: &Pools) -> TokenStream {
    let machine = &cx.machine;
    let (state, ctx, event, effect, guards) = (
        &cx.names.state,
        &cx.names.ctx,
        &cx.names.event,
        &cx.names.effect,
        &cx.names.guards,
    );
    let (body, helpers) = if cx.settings.form.of(cx.model) == Form::Table {
        (step_table::body(cx, pools), step_table::helpers(cx))
    } else {
        (step_match::body(cx), TokenStream::new())
    };
    let doc = docs::doc(&format!(
        "One step of [`{}`]: pure, and total. The context changes only when the event is handled.",
        cx.names.space
    ));
    quote! {
        #doc
        #[inline]
        pub fn step<G: #guards + ?::core::marker::Sized>(
            state: #state,
            ctx: &mut #ctx,
            event: #event,
            guards: &G,
        ) -> #machine::Step<#state, #event, #effect> {
            #body
        }

        #helpers
    }
}
