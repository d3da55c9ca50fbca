//! Arms of a match: patterns that lead to the same share one.

use std::collections::HashMap;
use std::hash::Hash;

use proc_macro2::TokenStream;
use quote::quote;

/// Arms in the order of their first pattern.
pub(super) struct Arms<K> {
    at: HashMap<K, usize>,
    arms: Vec<(Vec<TokenStream>, TokenStream)>,
}

impl<K: Eq + Hash> Arms<K> {
    pub(super) fn new() -> Self {
        Self {
            at: HashMap::new(),
            arms: Vec::new(),
        }
    }

    /// Adds a pattern. What equals in `key` shares the arm, and the first one's `rest`.
    pub(super) fn add(&mut self, key: K, pattern: TokenStream, rest: impl FnOnce() -> TokenStream) {
        let at = *self.at.entry(key).or_insert_with(|| {
            self.arms.push((Vec::new(), rest()));
            self.arms.len() - 1
        });
        self.arms[at].0.push(pattern);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.arms.is_empty()
    }

    /// Each as `A | B rest`.
    pub(super) fn into_tokens(self) -> impl Iterator<Item = TokenStream> {
        let arms = self.arms.into_iter();
        arms.map(|(patterns, rest)| quote!(#(#patterns)|* #rest))
    }
}
