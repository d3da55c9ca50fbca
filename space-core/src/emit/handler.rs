//! Who answers effects: outcome enums, the handler trait, and the dispatch.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::docs;
use super::names::{ident, locals, snake};
use super::rule::binding;
use super::settings::Cx;
use super::{module, types};
use crate::contract::Semantics;

/// What a handler's method answers with.
pub(super) enum Outcome {
    /// A `stop`: nothing.
    Nothing,
    /// No `returns`: every event.
    AnyEvent,
    /// An enum of its own.
    Own(Ident),
    /// The enum of an earlier effect with the same `returns`, under its own name.
    SameAs(Ident, Ident),
}

impl Outcome {
    pub(super) fn of(cx: &Cx<'_>, at: usize) -> Self {
        let row = &cx.model.effects[at];
        if row.semantics == Semantics::Stop {
            return Self::Nothing;
        }
        if row.returns.is_none() {
            return Self::AnyEvent;
        }
        let own = format_ident!("{}Outcome", row.name);
        match cx.answered_like[at] {
            first if first == at => Self::Own(own),
            first => {
                let first = &cx.model.effects[first].name;
                Self::SameAs(own, format_ident!("{first}Outcome"))
            }
        }
    }

    /// The type that the method's future resolves to.
    pub(super) fn ty(&self, cx: &Cx<'_>) -> TokenStream {
        match self {
            Self::Nothing => quote!(()),
            Self::AnyEvent => {
                let event = &cx.names.event;
                quote!(#event)
            }
            Self::Own(name) | Self::SameAs(name, _) => quote!(#name),
        }
    }
}

/// Outcomes, handler trait, dispatch.
pub(super) fn handler(cx: &Cx<'_>) -> TokenStream {
    let outcomes = (0..cx.model.effects.len()).map(|at| outcome(cx, at));
    let trait_ = handler_trait(cx);
    let dispatch = dispatch(cx);
    quote!(#(#outcomes)* #trait_ #dispatch)
}

fn outcome(cx: &Cx<'_>, at: usize) -> TokenStream {
    let row = &cx.model.effects[at];
    let effect = format!("[`{}::{}`]", cx.names.effect, row.name);
    let (name, event) = match Outcome::of(cx, at) {
        Outcome::Nothing | Outcome::AnyEvent => return quote!(),
        Outcome::SameAs(name, first) => {
            let doc = docs::doc(&format!("What a handler may answer {effect} with."));
            return quote!(#doc pub type #name = #first;);
        }
        Outcome::Own(name) => (name, &cx.names.event),
    };
    let returns = row.returns.clone().unwrap_or_default();
    let variants = returns.iter().map(|at| module::event_variant(cx, *at, &[]));
    let arms = returns.iter().map(|at| {
        let row = &cx.model.events[*at];
        let variant = ident(&row.name);
        if row.payload.is_empty() {
            return quote!(#name::#variant => Self::#variant,);
        }
        let fields: Vec<_> = row.payload.iter().map(|field| ident(&field.name)).collect();
        quote!(#name::#variant { #(#fields),* } => Self::#variant { #(#fields),* },)
    });
    let doc = docs::doc(&format!("What a handler may answer {effect} with."));
    let derives = cx.derives(&[
        "::core::clone::Clone",
        "::core::fmt::Debug",
        "::core::cmp::PartialEq",
    ]);
    let convert = if returns.is_empty() {
        quote!(match outcome {})
    } else {
        quote!(match outcome { #(#arms)* })
    };
    quote! {
        #doc
        #derives
        pub enum #name { #(#variants)* }

        impl ::core::convert::From<#name> for #event {
            fn from(outcome: #name) -> Self {
                #convert
            }
        }
    }
}

fn handler_trait(cx: &Cx<'_>) -> TokenStream {
    let (machine, name) = (&cx.machine, &cx.names.handler);
    let methods = cx.model.effects.iter().enumerate().map(|(at, row)| {
        let doc = docs::doc(&docs::effect_row(cx.model, at));
        let method = ident(&snake(&row.name));
        let args = row.args.iter().map(|arg| {
            let (name, ty) = (ident(&arg.name), types::borrowed(cx, &arg.ty));
            quote!(#name: #ty)
        });
        let outcome = Outcome::of(cx, at).ty(cx);
        quote! {
            #doc
            fn #method(&mut self, #(#args),*) -> impl ::core::future::Future<
                Output = ::core::result::Result<#outcome, #machine::Fault>,
            > + ::core::marker::Send;
        }
    });
    let doc = docs::doc(&format!(
        "Answers the effects of [`{}`], one method each, with one of the events that the contract allows.",
        cx.names.space
    ));
    quote! {
        #doc
        pub trait #name {
            #(#methods)*
        }
    }
}

fn dispatch(cx: &Cx<'_>) -> TokenStream {
    let machine = &cx.machine;
    let (space, effect, event, handler) = (
        &cx.names.space,
        &cx.names.effect,
        &cx.names.event,
        &cx.names.handler,
    );
    let arms: Vec<_> = cx
        .model
        .effects
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let variant = ident(&row.name);
            let method = ident(&snake(&row.name));
            let bound = locals(&row.args, &["handler", "effect"]);
            let fields = row
                .args
                .iter()
                .zip(&bound)
                .map(|(arg, local)| binding(&ident(&arg.name), local));
            let pattern = if row.args.is_empty() {
                quote!(#effect::#variant)
            } else {
                quote!(#effect::#variant { #(#fields),* })
            };
            let lent = row
                .args
                .iter()
                .zip(&bound)
                .map(|(arg, local)| types::lend(&arg.ty, local));
            let call = quote!(#handler::#method(handler #(, #lent)*).await?);
            let answer = match Outcome::of(cx, at) {
                Outcome::Nothing => quote! {
                    {
                        #call;
                        ::core::option::Option::None
                    }
                },
                Outcome::AnyEvent => quote!(::core::option::Option::Some(#call)),
                Outcome::Own(_) | Outcome::SameAs(..) => {
                    quote!(::core::option::Option::Some(::core::convert::Into::into(#call)))
                }
            };
            quote!(#pattern => #answer,)
        })
        .collect();
    let body = if arms.is_empty() {
        quote! {
            let _ = handler;
            match *effect {}
        }
    } else {
        quote!(::core::result::Result::Ok(match effect { #(#arms)* }))
    };
    quote! {
        impl<H: #handler + ::core::marker::Send> #machine::Dispatch<H> for #space {
            async fn dispatch(
                &self,
                handler: &mut H,
                effect: &#effect,
            ) -> ::core::result::Result<::core::option::Option<#event>, #machine::Fault> {
                #body
            }
        }
    }
}
