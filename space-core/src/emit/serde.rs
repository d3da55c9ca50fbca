//! Serde impls, without a derive.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::settings::Cx;

/// The impls of all four types.
pub(super) fn impls(cx: &Cx<'_>) -> TokenStream {
    let names = &cx.names;
    let state = one(cx, &names.state, "state", true);
    let event = one(cx, &names.event, "event", false);
    let effect = one(cx, &names.effect, "effect", false);
    let ctx = one(cx, &names.ctx, "ctx", false);
    quote!(#state #event #effect #ctx)
}

fn one(cx: &Cx<'_>, name: &Ident, kind: &str, copied: bool) -> TokenStream {
    let (machine, space) = (&cx.machine, &cx.names.space);
    let (write, read) = (format_ident!("{kind}"), format_ident!("{kind}_from"));
    let value = if copied { quote!(*self) } else { quote!(self) };
    quote! {
        impl ::serde::Serialize for #name {
            fn serialize<S: ::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                #machine::serde::#write(&#space, #value, serializer)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for #name {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                #machine::serde::#read(&#space, deserializer)
            }
        }
    }
}
