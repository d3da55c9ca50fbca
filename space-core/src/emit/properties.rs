//! Property tests that run as they are emitted.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::names::ident;
use super::products::Place;
use super::settings::{Cx, Settings};
use crate::graph::Model;

/// The tests of one space.
pub(super) fn tests(model: &Model, settings: &Settings, place: &Place) -> TokenStream {
    let cx = Cx::new(model, settings);
    let krate: TokenStream = settings.krate.parse().unwrap_or_default();
    let machine = &cx.machine;
    let (out, module) = (format_ident!("{}", place.krate), ident(&model.name));
    let (space, guards, ctx, event) = (
        &cx.names.space,
        &cx.names.guards,
        &cx.names.ctx,
        &cx.names.event,
    );
    let file = |kind: &str| format!("../../{}/{}_{kind}.toml", place.domain, model.name);
    let (base, domain) = (file("base"), file("domain"));
    let methods = model.guards.iter().enumerate().map(|(at, row)| {
        let (at, method) = (super::step_match::index(at), ident(&row.name));
        quote! {
            fn #method(&self, ctx: &#ctx, event: &#event) -> bool {
                self.0.answer(&#space, #at, ctx, event)
            }
        }
    });
    let oracle = if model.guards.is_empty() {
        quote!(
            struct Answers;
        )
    } else {
        quote!(
            struct Answers(Oracle);
        )
    };
    let make = if model.guards.is_empty() {
        quote!(|_: Oracle| ::std::boxed::Box::new(Answers))
    } else {
        quote!(|oracle: Oracle| ::std::boxed::Box::new(Answers(oracle)))
    };
    let mut imports = vec![space, guards];
    if !model.guards.is_empty() {
        imports.extend([ctx, event]);
    }
    quote! {
        #![doc = " Properties that hold for every space, on random runs of this one."]

        use ::#out::#module::{#(#imports,)* RULES};
        use #machine::EffectSpace;
        use #krate::verify::{self, Oracle};

        /// Guards that answer anything, but the same for the same context and event.
        #oracle

        impl #guards for Answers {
            #(#methods)*
        }

        /// The machine interpreted from the contract files, which no generated code is part of.
        fn interpreted() -> EffectSpace {
            verify::interpreted(include_str!(#base), include_str!(#domain))
        }

        #[test]
        fn the_table_is_the_contract() {
            verify::same_contract(&RULES, &interpreted());
        }

        #[test]
        fn the_typed_step_is_the_interpreter() {
            verify::differential(&#space, &interpreted(), #make);
        }

        #[test]
        fn steps_are_deterministic() {
            verify::determinism(&#space, #make);
        }

        #[test]
        fn the_vocabulary_is_closed() {
            verify::closure(&#space, #make);
        }

        #[test]
        fn promises_are_kept() {
            verify::promises(&#space, include_str!(#domain), #make);
        }

        #[test]
        fn values_come_back() {
            verify::round_trip(&#space);
        }
    }
}
