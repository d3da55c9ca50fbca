//! Property tests of a composition, which run as they are emitted.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::composed::Cx;
use super::names::ident;
use super::products::Place;
use super::settings::Settings;
use super::step_match::index;
use crate::graph::Composed;

/// The tests of one composition. `names` are those of all contracts of the folder, which the
/// composition's file may speak of.
pub(super) fn tests(
    composed: &Composed,
    names: &[&str],
    settings: &Settings,
    place: &Place,
) -> TokenStream {
    let krate: TokenStream = settings.krate.parse().unwrap_or_default();
    let (out, module) = (format_ident!("{}", place.krate), ident(&composed.name));
    let inside = Settings {
        spaces: format!("::{}", place.krate),
        ..settings.clone()
    };
    let cx = Cx::new(composed, &inside);
    let (space, guards) = (&cx.name, &cx.guards);
    let file = |name: &str| format!("../../{}/{name}.toml", place.domain);
    let pairs = names.iter().map(|name| {
        let (base, domain) = (
            file(&format!("{name}_base")),
            file(&format!("{name}_domain")),
        );
        quote!((include_str!(#base), include_str!(#domain)))
    });
    let compositions = file("composition");
    let answers = cx.each(|part, at| {
        let model = &composed.components[at].model;
        if model.guards.is_empty() {
            return quote!();
        }
        let name = format_ident!("{}Answers", model.prefix);
        let (trait_, ctx, event) = (cx.of(at, "Guards"), cx.of(at, "Ctx"), cx.of(at, "Event"));
        let one = &part.space;
        let methods = model.guards.iter().enumerate().map(|(at, row)| {
            let (at, method) = (index(at), ident(&row.name));
            quote! {
                fn #method(&self, ctx: &#ctx, event: &#event) -> bool {
                    self.0.answer(&#one, #at, ctx, event)
                }
            }
        });
        quote! {
            struct #name(Oracle);

            impl #trait_ for #name {
                #(#methods)*
            }
        }
    });
    let given = cx.each(|part, at| {
        let (field, model) = (&part.field, &composed.components[at].model);
        let name = format_ident!("{}Answers", model.prefix);
        if model.guards.is_empty() {
            quote!(#field: ::std::boxed::Box::new(()),)
        } else {
            quote!(#field: ::std::boxed::Box::new(#name(oracle)),)
        }
    });
    let unguarded = composed
        .components
        .iter()
        .all(|one| one.model.guards.is_empty());
    let oracle = if unguarded {
        format_ident!("_oracle")
    } else {
        format_ident!("oracle")
    };
    let name = &composed.name;
    quote! {
        #![doc = " Properties that hold for every composition, on random runs of this one."]

        use ::#out::#module::{#space, #guards};
        use #krate::compose::Product;
        use #krate::verify::{self, Oracle};

        #(#answers)*

        /// Guards that answer anything, but the same for the same context and event.
        fn guards(#oracle: Oracle) -> #guards {
            #guards { #(#given)* }
        }

        /// The composition interpreted from the contract files, which no generated code is part of.
        fn interpreted() -> Product {
            verify::interpreted_composition(
                #name,
                &[#(#pairs),*],
                include_str!(#compositions),
            )
        }

        #[test]
        fn the_data_is_the_contract() {
            verify::same_composition(&#space, &interpreted());
        }

        #[test]
        fn the_typed_steps_are_the_interpreter() {
            verify::composed_differential(&#space, &interpreted(), guards);
        }

        #[test]
        fn promises_are_kept() {
            verify::composed_promises(&#space, include_str!(#compositions), guards);
        }

    }
}
