//! What the fronts may choose.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::quote;

use crate::contract::Semantics;
use crate::graph::Model;

/// Options of the emitted module; the same for every front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The path of this crate in the code that is emitted.
    pub krate: String,
    /// The path of the module that has a composition's spaces as modules of their names.
    pub spaces: String,
    /// Whether serde impls are emitted.
    pub serde: bool,
    /// Whether the handler trait, its outcomes and the dispatch are emitted.
    pub handler: bool,
    /// Paths of further derives on state, event, effect and context.
    pub derives: Vec<String>,
    /// How the step is written.
    pub form: Form,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            krate: "::space_core".to_owned(),
            spaces: "super".to_owned(),
            serde: false,
            handler: true,
            derives: Vec::new(),
            form: Form::Auto,
        }
    }
}

/// How a step is written. Both forms mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Form {
    /// [`Form::Match`] up to [`Form::CROSSOVER`] states, then [`Form::Table`].
    #[default]
    Auto,
    /// A nested match by state: the fastest step, but superlinear to compile.
    Match,
    /// A search in the rule table's bytes: linear to compile.
    Table,
}

impl Form {
    /// The most states that are written as a match. Up to here it steps in half the instructions of
    /// the table, and costs a compiler less than a second more; at 500 states it is barely faster,
    /// at 1,000 slower. Measured by `cargo bench -p space-bench --bench forms`.
    pub const CROSSOVER: usize = 300;

    /// The form that is written for a machine.
    #[must_use]
    pub fn of(self, model: &Model) -> Self {
        match self {
            Self::Auto if model.states.len() <= Self::CROSSOVER => Self::Match,
            Self::Auto => Self::Table,
            form => form,
        }
    }
}

/// Enums longer than this print themselves from the name table: `derive(Debug)` is quadratic.
pub(super) const LONG_ENUM: usize = 200;

/// What every emitting function reads.
pub(super) struct Cx<'a> {
    pub(super) model: &'a Model,
    pub(super) settings: &'a Settings,
    pub(super) names: super::names::Names,
    /// The path of this crate's machine.
    pub(super) machine: TokenStream,
    /// The path of this crate's resolved contract.
    pub(super) graph: TokenStream,
    /// For each effect, the first one that its handler answers with the same events.
    pub(super) answered_like: Vec<usize>,
}

impl<'a> Cx<'a> {
    pub(super) fn new(model: &'a Model, settings: &'a Settings) -> Self {
        let krate: TokenStream = settings.krate.parse().unwrap_or_default();
        Self {
            model,
            settings,
            names: super::names::Names::new(model),
            machine: quote!(#krate::machine),
            graph: quote!(#krate::graph),
            answered_like: answered_like(model),
        }
    }

    /// A list of derives, the settings' own ones last.
    pub(super) fn derives(&self, own: &[&str]) -> TokenStream {
        let last = |path: &str| path.rsplit("::").next().unwrap_or(path).trim().to_owned();
        let mut paths: Vec<String> = own.iter().map(|path| (*path).to_owned()).collect();
        for path in &self.settings.derives {
            if !paths.iter().any(|one| last(one) == last(path)) {
                paths.push(path.clone());
            }
        }
        let paths = paths
            .iter()
            .filter_map(|path| path.parse::<TokenStream>().ok());
        quote!(#[derive(#(#paths),*)])
    }
}

fn answered_like(model: &Model) -> Vec<usize> {
    let mut first = HashMap::new();
    let effects = model.effects.iter().enumerate();
    effects
        .map(|(at, row)| match &row.returns {
            Some(returns) if row.semantics != Semantics::Stop => {
                let mut returns = returns.clone();
                returns.sort_unstable();
                returns.dedup();
                *first.entry(returns).or_insert(at)
            }
            _ => at,
        })
        .collect()
}
