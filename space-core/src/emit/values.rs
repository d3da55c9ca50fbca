//! `impl Space`: the step, and conversions to and from the machine's values.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::arms::{Arms, numbered};
use super::names::{ident, locals};
use super::rule::binding;
use super::settings::Cx;
use super::step_match::index;
use crate::contract::Type;
use crate::graph::Param;

/// The implementation of the machine's trait.
pub(super) fn space(cx: &Cx<'_>) -> TokenStream {
    let machine = &cx.machine;
    let names = &cx.names;
    let (space, state, event, effect, ctx, guards) = (
        &names.space,
        &names.state,
        &names.event,
        &names.effect,
        &names.ctx,
        &names.guards,
    );
    let initial = ident(&cx.model.states[cx.model.initial].name);
    let graph = &cx.graph;
    let events: Vec<_> = cx
        .model
        .events
        .iter()
        .map(|row| (row.name.as_str(), &row.payload[..]))
        .collect();
    let effects: Vec<_> = cx
        .model
        .effects
        .iter()
        .map(|row| (row.name.as_str(), &row.args[..]))
        .collect();
    let event_index = rows(
        event,
        events
            .iter()
            .map(|(name, fields)| (*name, fields.is_empty())),
    );
    let effect_index = rows(
        effect,
        effects
            .iter()
            .map(|(name, fields)| (*name, fields.is_empty())),
    );
    let event_values = to_values(cx, event, &events, "event");
    let effect_values = to_values(cx, effect, &effects, "effect");
    let event_from = from_values(cx, event, &events, ("events", "payload"));
    let effect_from = from_values(cx, effect, &effects, ("effects", "args"));
    let slots: Vec<_> = cx.model.slots.iter().map(|row| ident(&row.name)).collect();
    let count = index(slots.len());
    let ctx_param = if slots.is_empty() {
        quote!(_)
    } else {
        quote!(ctx)
    };
    let ctx_values = if slots.is_empty() {
        quote!(::std::vec::Vec::new())
    } else {
        quote!(::std::vec![#(#machine::Typed::to_value(&ctx.#slots)),*])
    };
    let ctx_from = if slots.is_empty() {
        quote! {
            #machine::Decoder::new(values, 0)?;
            ::core::result::Result::Ok(#ctx {})
        }
    } else {
        quote! {
            let mut values = #machine::Decoder::new(values, #count)?;
            ::core::result::Result::Ok(#ctx { #(#slots: values.field()?),* })
        }
    };
    let sentinel = sentinel(cx);
    let decode = quote!(#machine::DecodeError);
    quote! {
        impl #machine::Space for #space {
            type State = #state;
            type Event = #event;
            type Effect = #effect;
            type Ctx = #ctx;
            type Guards = dyn #guards;

            fn model(&self) -> &#graph::Model {
                static MODEL: ::std::sync::OnceLock<#graph::Model> = ::std::sync::OnceLock::new();
                MODEL.get_or_init(|| RULES.model())
            }

            #[inline]
            fn initial(&self) -> #state {
                #state::#initial
            }

            fn context(&self) -> #ctx {
                <#ctx as ::core::default::Default>::default()
            }

            #[inline]
            fn step(
                &self,
                state: #state,
                ctx: &mut #ctx,
                event: #event,
                guards: &(dyn #guards + 'static),
            ) -> #machine::Step<#state, #event, #effect> {
                step(state, ctx, event, guards)
            }

            #[inline]
            fn state_index(&self, state: #state) -> usize {
                state as usize
            }

            fn state_at(&self, index: usize) -> ::core::option::Option<#state> {
                STATES.get(index).copied()
            }

            fn event_index(&self, event: &#event) -> usize {
                #event_index
            }

            fn event_values(&self, event: &#event) -> ::std::vec::Vec<#machine::Value> {
                #event_values
            }

            fn event_from(
                &self,
                index: usize,
                values: ::std::vec::Vec<#machine::Value>,
            ) -> ::core::result::Result<#event, #decode> {
                #event_from
            }

            fn effect_index(&self, effect: &#effect) -> usize {
                #effect_index
            }

            fn effect_values(&self, effect: &#effect) -> ::std::vec::Vec<#machine::Value> {
                #effect_values
            }

            fn effect_from(
                &self,
                index: usize,
                values: ::std::vec::Vec<#machine::Value>,
            ) -> ::core::result::Result<#effect, #decode> {
                #effect_from
            }

            fn ctx_values(&self, #ctx_param: &#ctx) -> ::std::vec::Vec<#machine::Value> {
                #ctx_values
            }

            fn ctx_from(
                &self,
                values: ::std::vec::Vec<#machine::Value>,
            ) -> ::core::result::Result<#ctx, #decode> {
                #ctx_from
            }

            fn sentinel(
                &self,
                effect: &#effect,
                error: ::std::string::String,
            ) -> ::core::option::Option<#event> {
                #sentinel
            }
        }
    }
}

/// The row of each variant of an enum whose value is named as its kind: `event` or `effect`.
pub(super) fn rows<'a>(
    enum_name: &Ident,
    variants: impl Iterator<Item = (&'a str, bool)>,
) -> TokenStream {
    let value = if enum_name.to_string().ends_with("Event") {
        quote!(event)
    } else {
        quote!(effect)
    };
    let arms: Vec<_> = variants
        .enumerate()
        .map(|(at, (name, bare))| {
            let (at, name) = (index(at), ident(name));
            let fields = (!bare).then(|| quote!({ .. }));
            quote!(#enum_name::#name #fields => #at,)
        })
        .collect();
    if arms.is_empty() {
        return quote!(match *#value {});
    }
    quote!(match #value { #(#arms)* })
}

fn to_values(
    cx: &Cx<'_>,
    enum_name: &Ident,
    variants: &[(&str, &[Param])],
    value: &str,
) -> TokenStream {
    let machine = &cx.machine;
    let value = ident(value);
    if variants.is_empty() {
        return quote!(match *#value {});
    }
    let with = variants.iter().filter(|(_, fields)| !fields.is_empty());
    // Variants whose fields have the same names share an arm.
    let mut arms = Arms::new();
    for (name, fields) in with {
        let name = ident(name);
        let bound: Vec<_> = locals(fields, &["event", "effect"]);
        let bindings = fields
            .iter()
            .zip(&bound)
            .map(|(field, local)| binding(&ident(&field.name), local));
        let pattern = quote!(#enum_name::#name { #(#bindings),* });
        let values = quote!(::std::vec![#(#machine::Typed::to_value(#bound)),*]);
        let types: Vec<&Type> = fields.iter().map(|field| &field.ty).collect();
        let key = format!("{types:?} {values}");
        arms.add(key, pattern, || quote!(=> #values,));
    }
    let bare: Vec<_> = variants
        .iter()
        .filter(|(_, fields)| fields.is_empty())
        .map(|(name, _)| {
            let name = ident(name);
            quote!(#enum_name::#name)
        })
        .collect();
    if arms.is_empty() {
        return quote! {
            let _ = #value;
            ::std::vec::Vec::new()
        };
    }
    let arms = arms.into_tokens();
    let bare = (!bare.is_empty()).then(|| quote!(#(#bare)|* => ::std::vec::Vec::new(),));
    quote!(match #value { #(#arms)* #bare })
}

fn from_values(
    cx: &Cx<'_>,
    enum_name: &Ident,
    variants: &[(&str, &[Param])],
    (table, count): (&str, &str),
) -> TokenStream {
    let machine = &cx.machine;
    let (table, count) = (ident(table), ident(count));
    let no_row = quote!(::core::result::Result::Err(#machine::DecodeError::NoRow { index }));
    if variants.is_empty() {
        return quote! {
            let _ = values;
            #no_row
        };
    }
    let arms = variants.iter().enumerate().map(|(at, (name, fields))| {
        let name = ident(name);
        if fields.is_empty() {
            return (at, quote!(#enum_name::#name));
        }
        let fields = fields.iter().map(|field| ident(&field.name));
        let value = quote!(#enum_name::#name { #(#fields: values.field()?),* });
        (at, value)
    });
    let arms: Vec<_> = arms.collect();
    let value = numbered(&quote!(index), &arms, &quote!(return #no_row));
    let bare = variants.iter().all(|(_, fields)| fields.is_empty());
    let (row, decoded) = if bare {
        (quote!(_), quote!(#machine::Decoder::new(values, 0)?;))
    } else {
        let count = quote!(row.#count.len());
        (
            quote!(row),
            quote!(let mut values = #machine::Decoder::new(values, #count)?;),
        )
    };
    // The number of values is checked once: a check an arm is slow to compile.
    quote! {
        let ::core::option::Option::Some(#row) = RULES.#table.get(index) else {
            return #no_row;
        };
        #decoded
        ::core::result::Result::Ok(#value)
    }
}

fn sentinel(cx: &Cx<'_>) -> TokenStream {
    let effect = &cx.names.effect;
    if cx.model.effects.is_empty() {
        return quote! {
            let _ = error;
            match *effect {}
        };
    }
    let mut used = false;
    let mut arms = Arms::new();
    let mut without = Vec::new();
    for row in &cx.model.effects {
        let name = ident(&row.name);
        let fields = (!row.args.is_empty()).then(|| quote!({ .. }));
        let pattern = quote!(#effect::#name #fields);
        match row.sentinel {
            None => without.push(pattern),
            Some(at) => arms.add(at, pattern, || made_from_error(cx, at, &mut used)),
        }
    }
    if arms.is_empty() {
        return quote! {
            let _ = (effect, error);
            ::core::option::Option::None
        };
    }
    let made = arms.into_tokens();
    let rest = match &without[..] {
        [] => quote!(),
        [one] => quote!(#one => ::core::option::Option::None,),
        _ => quote!(_ => ::core::option::Option::None,),
    };
    let unused = (!used).then(|| quote!(let _ = error;));
    quote! {
        #unused
        match effect { #(#made)* #rest }
    }
}

/// An arm's answer: the sentinel, with the error's text where it wants one.
fn made_from_error(cx: &Cx<'_>, at: usize, used: &mut bool) -> TokenStream {
    let event = &cx.names.event;
    let row = &cx.model.events[at];
    let name = ident(&row.name);
    let fields = row.payload.iter().map(|field| {
        let name = ident(&field.name);
        if field.ty.is_optional() {
            quote!(#name: ::core::option::Option::None)
        } else if field.name == "error" {
            *used = true;
            quote!(error)
        } else {
            *used = true;
            quote!(#name: error)
        }
    });
    let fields: Vec<_> = fields.collect();
    let fields = (!fields.is_empty()).then(|| quote!({ #(#fields),* }));
    quote!(=> ::core::option::Option::Some(#event::#name #fields),)
}
