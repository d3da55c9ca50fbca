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

#[cfg(test)]
mod tests {
    use quote::format_ident;

    use super::*;

    fn arms(numbers: &[usize]) -> Vec<(usize, TokenStream)> {
        let arm = |at: &usize| {
            let name = format_ident!("x{at}");
            (*at, quote!(#name))
        };
        numbers.iter().map(arm).collect()
    }

    /// The numbers of the arms of each inner match, by the outer arm's; those of the only match otherwise.
    fn matched(numbers: &[usize]) -> Vec<(usize, Vec<usize>)> {
        let text = numbered(&quote!(n), &arms(numbers), &quote!(none)).to_string();
        let number = |text: &str| text.split_whitespace().last()?.parse::<usize>().ok();
        let inner = |body: &str| -> Vec<usize> {
            let parts: Vec<_> = body.split(" => x").collect();
            // After the last arm comes the rest, and the number of the next part.
            let before = parts[..parts.len() - 1].iter();
            before.filter_map(|part| number(part)).collect()
        };
        let parts: Vec<_> = text.split(" => match n {").collect();
        match parts.as_slice() {
            [one] => vec![(0, inner(one))],
            parts => parts
                .windows(2)
                .map(|pair| (number(pair[0]).unwrap(), inner(pair[1])))
                .collect(),
        }
    }

    #[test]
    fn few_numbers_are_one_match() {
        let numbers: Vec<_> = (1..=MOST).collect();
        assert_eq!(matched(&numbers), [(0, numbers)]);
    }

    #[test]
    fn many_numbers_are_a_match_in_a_match_each_in_its_place() {
        // Not every number has an arm, nor has every part.
        let numbers: Vec<_> = (1..=2000)
            .filter(|at| at % 3 != 0 && at / 256 != 2)
            .collect();
        let found = matched(&numbers);
        let all: Vec<_> = found.iter().flat_map(|(_, inner)| inner.clone()).collect();
        assert_eq!(all, numbers);
        assert_eq!(found.len(), 7);
        for (part, inner) in found {
            assert!(
                inner.iter().all(|at| at / MOST == part),
                "{part}: {inner:?}"
            );
        }
    }
}
