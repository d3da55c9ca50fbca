//! The machine as a static table.

use std::collections::HashMap;
use std::fmt::Write as _;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::settings::Cx;
use super::step_match::index;
use super::types;
use crate::contract::Semantics;
use crate::graph::{ArgSource, Model, Param, Rule};
use crate::machine::RuleEntry;

/// The distinct argument and assignment lists of a machine's rules, in order of first use.
pub(super) struct Pools {
    args: Vec<Vec<u16>>,
    assigns: Vec<Vec<(u16, u16)>>,
    args_at: HashMap<Vec<u16>, u16>,
    assigns_at: HashMap<Vec<(u16, u16)>, u16>,
}

impl Pools {
    pub(super) fn new(model: &Model) -> Self {
        let mut pools = Self {
            args: Vec::new(),
            assigns: Vec::new(),
            args_at: HashMap::new(),
            assigns_at: HashMap::new(),
        };
        // The empty lists are always number 0.
        pools.add(Vec::new(), Vec::new());
        for rule in &model.rules {
            pools.add(args(rule), assigns(rule));
        }
        pools
    }

    fn add(&mut self, args: Vec<u16>, assigns: Vec<(u16, u16)>) {
        if !self.args_at.contains_key(&args) {
            self.args_at.insert(args.clone(), small(self.args.len()));
            self.args.push(args);
        }
        if !self.assigns_at.contains_key(&assigns) {
            self.assigns_at
                .insert(assigns.clone(), small(self.assigns.len()));
            self.assigns.push(assigns);
        }
    }

    /// The number of a rule's argument list.
    pub(super) fn args_of(&self, rule: &Rule) -> u16 {
        self.args_at.get(&args(rule)).copied().unwrap_or_default()
    }

    /// The number of a rule's assignment list.
    pub(super) fn assigns_of(&self, rule: &Rule) -> u16 {
        self.assigns_at
            .get(&assigns(rule))
            .copied()
            .unwrap_or_default()
    }
}

fn args(rule: &Rule) -> Vec<u16> {
    let code = |source: &ArgSource| match source {
        ArgSource::Field(field) => small(2 * field),
        ArgSource::Slot(slot) => small(2 * slot + 1),
    };
    rule.args.iter().map(code).collect()
}

fn assigns(rule: &Rule) -> Vec<(u16, u16)> {
    let pairs = rule.assigns.iter();
    pairs
        .map(|(slot, field)| (small(*slot), small(*field)))
        .collect()
}

/// The gates refuse longer tables.
fn small(index: usize) -> u16 {
    u16::try_from(index).unwrap_or(u16::MAX)
}

/// `static RULES`.
pub(super) fn rules(cx: &Cx<'_>, pools: &Pools) -> TokenStream {
    let (model, machine) = (cx.model, &cx.machine);
    let (name, prefix) = (&model.name, &model.prefix);
    let hash = bytes([model.hash.0.to_vec()]);
    let states = model.states.iter().map(|row| &row.name);
    let initial = index(model.initial);
    let events = model.events.iter().map(|row| {
        let (name, external) = (&row.name, row.external);
        let payload = params(cx, &row.payload);
        quote!(#machine::EventEntry { name: #name, payload: #payload, external: #external })
    });
    let effects = model.effects.iter().map(|row| {
        let name = &row.name;
        let args = params(cx, &row.args);
        let semantics = semantics(cx, row.semantics);
        let returns = option(row.returns.as_ref().map(|list| {
            let list = list.iter().map(|at| index(*at));
            quote!(&[#(#list),*])
        }));
        let sentinel = option(row.sentinel.map(|at| {
            let at = index(at);
            quote!(#at)
        }));
        quote! {
            #machine::EffectEntry {
                name: #name,
                args: #args,
                semantics: #semantics,
                returns: #returns,
                sentinel: #sentinel,
            }
        }
    });
    let guards = model.guards.iter().map(|row| &row.name);
    let slots = model.slots.iter().map(|row| {
        let (name, ty) = (&row.name, row.ty.to_string());
        let default = option(row.default.as_ref().map(|value| {
            let value = types::value(cx, value);
            quote!(|| #value)
        }));
        quote!(#machine::SlotEntry { name: #name, ty: #ty, default: #default })
    });
    let starts = bytes(model.starts.iter().map(|start| {
        let start = u32::try_from(*start).unwrap_or(u32::MAX);
        start.to_le_bytes().to_vec()
    }));
    let rules = bytes(model.rules.iter().map(|rule| {
        let entry = RuleEntry {
            on: small(rule.on),
            to: small(rule.to),
            guard: rule.guard.map_or(0, |(guard, negated)| {
                1 + small(2 * guard) + u16::from(negated)
            }),
            effect: rule.effect.map_or(0, |effect| 1 + small(effect)),
            args: pools.args_of(rule),
            assigns: pools.assigns_of(rule),
            row: small(rule.row),
        };
        entry
            .words()
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }));
    let args = pools.args.iter().map(|list| {
        let list = list.iter().map(|code| index((*code).into()));
        quote!(&[#(#list),*])
    });
    let assigns = pools.assigns.iter().map(|list| {
        let list = list.iter().map(|(slot, field)| {
            let (slot, field) = (index((*slot).into()), index((*field).into()));
            quote!((#slot, #field))
        });
        quote!(&[#(#list),*])
    });
    let ignored = bytes(
        model
            .ignored
            .iter()
            .enumerate()
            .flat_map(|(state, events)| {
                let pair = move |event: &usize| {
                    let words = [small(state), small(*event)];
                    words.iter().flat_map(|word| word.to_le_bytes()).collect()
                };
                events.iter().map(pair).collect::<Vec<_>>()
            }),
    );
    let doc = format!(" The machine `{name}` as data: what the step does, for tools.");
    quote! {
        #[doc = #doc]
        pub static RULES: #machine::Table = #machine::Table {
            name: #name,
            prefix: #prefix,
            hash: *#hash,
            states: &[#(#states),*],
            initial: #initial,
            events: &[#(#events),*],
            effects: &[#(#effects),*],
            guards: &[#(#guards),*],
            slots: &[#(#slots),*],
            starts: #starts,
            rules: #rules,
            args: &[#(#args),*],
            assigns: &[#(#assigns),*],
            ignored: #ignored,
        };
    }
}

fn params(cx: &Cx<'_>, params: &[Param]) -> TokenStream {
    let machine = &cx.machine;
    let params = params.iter().map(|param| {
        let (name, ty) = (&param.name, param.ty.to_string());
        quote!(#machine::FieldEntry(#name, #ty))
    });
    quote!(&[#(#params),*])
}

pub(super) fn semantics(cx: &Cx<'_>, semantics: Semantics) -> TokenStream {
    let machine = &cx.machine;
    let variant = match semantics {
        Semantics::Query => quote!(Query),
        Semantics::Command => quote!(Command),
        Semantics::Commit => quote!(Commit),
        Semantics::Rollback => quote!(Rollback),
        Semantics::Stop => quote!(Stop),
    };
    quote!(#machine::Semantics::#variant)
}

pub(super) fn option(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(
        || quote!(::core::option::Option::None),
        |value| quote!(::core::option::Option::Some(#value)),
    )
}

/// A byte string with one row a line, where there are several.
fn bytes(rows: impl IntoIterator<Item = Vec<u8>>) -> Literal {
    let rows: Vec<_> = rows.into_iter().collect();
    let mut text = String::from("b\"");
    for row in &rows {
        if rows.len() > 1 {
            text.push_str("\\\n        ");
        }
        for byte in row {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text.push('"');
    // A byte string of hexadecimal escapes always reads.
    text.parse()
        .unwrap_or_else(|_| Literal::byte_string(&rows.concat()))
}
