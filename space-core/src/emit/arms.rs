//! Arms of a match: patterns that lead to the same share one.

use std::collections::HashMap;
use std::hash::Hash;

use proc_macro2::TokenStream;
use quote::quote;

use super::step_match::index;

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

/// The most arms of one match on a number: whether all numbers are met is quadratic to find out.
const MOST: usize = 256;

/// A match on a number, `otherwise` for every other one. Arms are numbers and what they come to; many of
/// them are a match in a match.
pub(super) fn numbered(
    number: &TokenStream,
    arms: &[(usize, TokenStream)],
    otherwise: &TokenStream,
) -> TokenStream {
    let arm = |(at, body): &(usize, TokenStream)| {
        let at = index(*at);
        quote!(#at => #body,)
    };
    if arms.len() <= MOST {
        let arms = arms.iter().map(arm);
        return quote!(match #number { #(#arms)* _ => #otherwise, });
    }
    let parts = arms.chunk_by(|one, other| one.0 / MOST == other.0 / MOST);
    let parts = parts.map(|part| {
        let at = index(part[0].0 / MOST);
        let arms = part.iter().map(arm);
        quote!(#at => match #number { #(#arms)* _ => #otherwise, },)
    });
    let most = index(MOST);
    quote!(match #number / #most { #(#parts)* _ => #otherwise, })
}
