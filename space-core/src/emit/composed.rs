//! Composition → the body of its module.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::names::ident;
use super::settings::Settings;
use super::step_match::index;
use super::{chart, composed_data, docs};
use crate::contract::{is_snake, upper_camel};
use crate::graph::{Component, Composed};

/// The body of a composition's module. The modules of its spaces are looked for in
/// [`Settings::spaces`], by their names.
pub fn composition(composed: &Composed, settings: &Settings) -> TokenStream {
    let cx = Cx::new(composed, settings);
    let docs = docs::inner(&chart::docs(composed));
    let space = space(&cx);
    let parts = parts(&cx);
    let guards = guards(&cx);
    let data = composed_data::data(&cx);
    let machine = machine(&cx);
    quote! {
        #docs
        #![allow(dead_code, unreachable_pub, reason = "a consumer need not use every word")]
        #![allow(
            clippy::doc_markdown,
            clippy::large_enum_variant,
            clippy::struct_field_names,
            clippy::too_many_lines,
            reason = "the composition chose the words and their number"
        )]

        #space
        #parts
        #guards
        #machine
        #data
    }
}

/// The names that a composition's module has at its top: for a module that cannot be filled.
pub fn composed_names(name: &str) -> Vec<Ident> {
    if !is_snake(name) {
        return Vec::new();
    }
    let kinds = ["", "Run", "State", "Ctx", "Event", "Effect", "Guards"];
    let prefix = upper_camel(name);
    kinds
        .iter()
        .map(|kind| ident(&format!("{prefix}{kind}")))
        .collect()
}

/// What every function here reads.
pub(super) struct Cx<'a> {
    pub(super) composed: &'a Composed,
    pub(super) krate: TokenStream,
    pub(super) name: Ident,
    pub(super) state: Ident,
    pub(super) ctx: Ident,
    pub(super) event: Ident,
    pub(super) effect: Ident,
    pub(super) guards: Ident,
    pub(super) parts: Vec<Part>,
}

/// A component's names.
pub(super) struct Part {
    /// Of its field.
    pub(super) field: Ident,
    /// Of its variant.
    variant: Ident,
    /// The path of its machine.
    pub(super) space: TokenStream,
    /// What the paths of its types begin with.
    pub(super) prefix: TokenStream,
}

impl Part {
    fn of(one: &Component, spaces: &TokenStream) -> Self {
        let module = ident(&one.name);
        let prefix = &one.model.prefix;
        let space = ident(prefix);
        Self {
            field: ident(&one.name),
            variant: ident(&upper_camel(&one.name)),
            space: quote!(#spaces::#module::#space),
            prefix: quote!(#spaces::#module),
        }
    }
}

impl<'a> Cx<'a> {
    pub(super) fn new(composed: &'a Composed, settings: &Settings) -> Self {
        let prefix = upper_camel(&composed.name);
        let path = |text: &str| text.parse::<TokenStream>().unwrap_or_default();
        let spaces = path(&settings.spaces);
        let parts = composed.components.iter();
        Self {
            composed,
            krate: path(&settings.krate),
            name: ident(&prefix),
            state: format_ident!("{prefix}State"),
            ctx: format_ident!("{prefix}Ctx"),
            event: format_ident!("{prefix}Event"),
            effect: format_ident!("{prefix}Effect"),
            guards: format_ident!("{prefix}Guards"),
            parts: parts.map(|one| Part::of(one, &spaces)).collect(),
        }
    }

    /// The type of one of a component's words.
    pub(super) fn of(&self, at: usize, word: &str) -> TokenStream {
        let prefix = &self.parts[at].prefix;
        let ty = format_ident!("{}{word}", self.composed.components[at].model.prefix);
        quote!(#prefix::#ty)
    }

    /// `f` of each component.
    pub(super) fn each(&self, f: impl Fn(&Part, usize) -> TokenStream) -> Vec<TokenStream> {
        let parts = self.parts.iter().enumerate();
        parts.map(|(at, part)| f(part, at)).collect()
    }
}

fn space(cx: &Cx<'_>) -> TokenStream {
    let (name, krate) = (&cx.name, &cx.krate);
    let first = format!("The composition `{}`.", cx.composed.name);
    let doc = docs::doc(&docs::prose(cx.composed.doc.as_ref(), &first));
    let (state, ctx, event) = (&cx.state, &cx.ctx, &cx.event);
    let run = format_ident!("{name}Run");
    let run_doc = docs::doc(&format!(
        "Everything that a [`{name}`] is in: what its steps and feeds change."
    ));
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

        #run_doc
        pub type #run = #krate::compose::ComposedState<#state, #ctx, #event>;
    }
}

/// State and context as structs, event and effect as unions.
fn parts(cx: &Cx<'_>) -> TokenStream {
    let (state, ctx, event, effect) = (&cx.state, &cx.ctx, &cx.event, &cx.effect);
    let doc = |what: &str| docs::doc(&format!("{what} of [`{}`].", cx.name));
    let (states, contexts) = (doc("The states"), doc("The context slots"));
    let (events, effects) = (doc("An event"), doc("An effect"));
    let field = |word: &'static str| {
        cx.each(|part, at| {
            let (field, ty) = (&part.field, cx.of(at, word));
            let doc = docs::doc(&format!("Of `{}`.", cx.composed.components[at].name));
            quote!(#doc pub #field: #ty,)
        })
    };
    let variant = |word: &'static str| {
        cx.each(|part, at| {
            let (variant, ty) = (&part.variant, cx.of(at, word));
            let doc = docs::doc(&format!("Of `{}`.", cx.composed.components[at].name));
            quote!(#doc #variant(#ty),)
        })
    };
    let (state_fields, ctx_fields) = (field("State"), field("Ctx"));
    let (event_variants, effect_variants) = (variant("Event"), variant("Effect"));
    let from = cx.each(|part, at| {
        let (variant, ty) = (&part.variant, cx.of(at, "Event"));
        quote! {
            impl ::core::convert::From<#ty> for #event {
                fn from(event: #ty) -> Self {
                    Self::#variant(event)
                }
            }
        }
    });
    let derives = quote! {
        #[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq)]
    };
    quote! {
        #states
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::fmt::Debug,
            ::core::cmp::PartialEq,
            ::core::cmp::Eq,
            ::core::hash::Hash,
        )]
        pub struct #state { #(#state_fields)* }

        #contexts
        #derives
        pub struct #ctx { #(#ctx_fields)* }

        #events
        ///
        /// An event that moves several components at once is sent to any one of them.
        #derives
        pub enum #event { #(#event_variants)* }

        #(#from)*

        #effects
        #derives
        pub enum #effect { #(#effect_variants)* }
    }
}

fn guards(cx: &Cx<'_>) -> TokenStream {
    let guards = &cx.guards;
    let doc = docs::doc(&format!("The guards of [`{}`].", cx.name));
    let fields = cx.each(|part, at| {
        let (field, ty) = (&part.field, cx.of(at, "Guards"));
        let name = &cx.composed.components[at].name;
        let none = cx.composed.components[at].model.guards.is_empty();
        let unit = if none {
            "; it has none, `()` will do"
        } else {
            ""
        };
        let doc = docs::doc(&format!("Of `{name}`{unit}."));
        quote!(#doc pub #field: ::std::boxed::Box<dyn #ty>,)
    });
    quote! {
        #doc
        pub struct #guards { #(#fields)* }
    }
}

fn machine(cx: &Cx<'_>) -> TokenStream {
    let Cx {
        krate,
        name,
        state,
        ctx,
        event,
        effect,
        guards,
        ..
    } = cx;
    let machine = quote!(#krate::machine);
    let space = quote!(#machine::Space);
    let initial = cx.each(|part, _| {
        let (field, one) = (&part.field, &part.space);
        quote!(#field: #space::initial(&#one),)
    });
    let context = cx.each(|part, _| {
        let (field, one) = (&part.field, &part.space);
        quote!(#field: #space::context(&#one),)
    });
    let state_row = cx.each(|part, at| {
        let (field, one, at) = (&part.field, &part.space, index(at));
        quote!(#at => #space::state_index(&#one, state.#field),)
    });
    let with_state = cx.each(|part, at| {
        let (field, one, at) = (&part.field, &part.space, index(at));
        quote!(#at => state.#field = #space::state_at(&#one, row)?,)
    });
    // A struct with one field has nothing left to take over.
    let rest = (cx.parts.len() > 1).then(|| quote!(..state));
    let step = cx.each(|part, _| {
        let (field, one, variant) = (&part.field, &part.space, &part.variant);
        quote! {
            #event::#variant(event) => {
                match #space::step(&#one, state.#field, &mut ctx.#field, event, &*guards.#field) {
                    #machine::Step::Handled { state: to, effect } => #machine::Step::Handled {
                        state: #state { #field: to, #rest },
                        effect: effect.map(#effect::#variant),
                    },
                    #machine::Step::Ignored { event } => #machine::Step::Ignored {
                        event: #event::#variant(event),
                    },
                    #machine::Step::Rejected { event, reason } => #machine::Step::Rejected {
                        event: #event::#variant(event),
                        reason,
                    },
                }
            }
        }
    });
    let event_row = cx.each(|part, at| {
        let (one, variant, at) = (&part.space, &part.variant, index(at));
        quote!(#event::#variant(event) => (#at, #space::event_index(&#one, event)),)
    });
    let event_values = cx.each(|part, _| {
        let (one, variant) = (&part.space, &part.variant);
        quote!(#event::#variant(event) => #space::event_values(&#one, event),)
    });
    let event_from = cx.each(|part, at| {
        let (one, variant, at) = (&part.space, &part.variant, index(at));
        quote!(#at => #event::#variant(#space::event_from(&#one, row, values)?),)
    });
    let effect_row = cx.each(|part, at| {
        let (one, variant, at) = (&part.space, &part.variant, index(at));
        quote!(#effect::#variant(effect) => (#at, #space::effect_index(&#one, effect)),)
    });
    let effect_values = cx.each(|part, _| {
        let (one, variant) = (&part.space, &part.variant);
        quote!(#effect::#variant(effect) => #space::effect_values(&#one, effect),)
    });
    let ctx_values = cx.each(|part, at| {
        let (field, one, at) = (&part.field, &part.space, index(at));
        quote!(#at => #space::ctx_values(&#one, &ctx.#field),)
    });
    let ctx_from = cx.each(|part, _| {
        let (field, one) = (&part.field, &part.space);
        quote!(#field: #space::ctx_from(&#one, slots.next().unwrap_or_default())?,)
    });
    let answers = cx.each(|part, at| {
        let (field, one, variant) = (&part.field, &part.space, &part.variant);
        let rows = &cx.composed.components[at].model.guards;
        if rows.is_empty() {
            return quote! {
                #event::#variant(_) => {
                    ::core::result::Result::Err(#machine::DecodeError::NoRow { index: guard })
                }
            };
        }
        let trait_ = cx.of(at, "Guards");
        let arms = rows.iter().enumerate().map(|(row, guard)| {
            let (row, method) = (index(row), ident(&guard.name));
            quote!(#row => #trait_::#method(&*guards.#field, &ctx, event),)
        });
        quote! {
            #event::#variant(event) => {
                let ctx = #space::ctx_from(&#one, slots)?;
                ::core::result::Result::Ok(match guard {
                    #(#arms)*
                    index => return ::core::result::Result::Err(
                        #machine::DecodeError::NoRow { index },
                    ),
                })
            }
        }
    });
    let mut components = cx.composed.components.iter();
    let answer = if components.all(|one| one.model.guards.is_empty()) {
        quote! {
            let _ = (slots, event, guards);
            ::core::result::Result::Err(#machine::DecodeError::NoRow { index: guard })
        }
    } else {
        quote!(match event { #(#answers)* })
    };
    quote! {
        impl #krate::compose::ComposedSpace for #name {
            type State = #state;
            type Ctx = #ctx;
            type Event = #event;
            type Effect = #effect;
            type Guards = #guards;

            fn composed(&self) -> &#krate::compose::Composed {
                static COMPOSED: ::std::sync::OnceLock<#krate::compose::Composed> =
                    ::std::sync::OnceLock::new();
                COMPOSED.get_or_init(composed)
            }

            fn initial(&self) -> #state {
                #state { #(#initial)* }
            }

            fn context(&self) -> #ctx {
                #ctx { #(#context)* }
            }

            fn state_row(&self, state: #state, component: usize) -> usize {
                match component {
                    #(#state_row)*
                    _ => usize::MAX,
                }
            }

            fn with_state(
                &self,
                mut state: #state,
                component: usize,
                row: usize,
            ) -> ::core::option::Option<#state> {
                match component {
                    #(#with_state)*
                    _ => return ::core::option::Option::None,
                }
                ::core::option::Option::Some(state)
            }

            fn step_component(
                &self,
                state: #state,
                ctx: &mut #ctx,
                event: #event,
                guards: &#guards,
            ) -> #machine::Step<#state, #event, #effect> {
                match event { #(#step)* }
            }

            fn event_row(&self, event: &#event) -> (usize, usize) {
                match event { #(#event_row)* }
            }

            fn event_values(&self, event: &#event) -> ::std::vec::Vec<#machine::Value> {
                match event { #(#event_values)* }
            }

            fn event_from(
                &self,
                component: usize,
                row: usize,
                values: ::std::vec::Vec<#machine::Value>,
            ) -> ::core::result::Result<#event, #machine::DecodeError> {
                ::core::result::Result::Ok(match component {
                    #(#event_from)*
                    index => return ::core::result::Result::Err(
                        #machine::DecodeError::NoRow { index },
                    ),
                })
            }

            fn effect_row(&self, effect: &#effect) -> (usize, usize) {
                match effect { #(#effect_row)* }
            }

            fn effect_values(&self, effect: &#effect) -> ::std::vec::Vec<#machine::Value> {
                match effect { #(#effect_values)* }
            }

            fn ctx_values(&self, ctx: &#ctx, component: usize) -> ::std::vec::Vec<#machine::Value> {
                match component {
                    #(#ctx_values)*
                    _ => ::std::vec::Vec::new(),
                }
            }

            fn ctx_from(
                &self,
                slots: ::std::vec::Vec<::std::vec::Vec<#machine::Value>>,
            ) -> ::core::result::Result<#ctx, #machine::DecodeError> {
                let mut slots = slots.into_iter();
                ::core::result::Result::Ok(#ctx { #(#ctx_from)* })
            }

            fn guard(
                &self,
                guard: usize,
                slots: ::std::vec::Vec<#machine::Value>,
                event: &#event,
                guards: &#guards,
            ) -> ::core::result::Result<bool, #machine::DecodeError> {
                #answer
            }
        }
    }
}
