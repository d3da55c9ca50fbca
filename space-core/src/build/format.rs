//! Tokens → text.

use proc_macro2::TokenStream;

/// Lays out a module body. Deterministic, without an external formatter.
pub fn format(tokens: TokenStream) -> String {
    match syn::parse2::<syn::File>(tokens.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        // The emitter wrote no Rust: rustc says more about it than we could.
        Err(_) => tokens.to_string(),
    }
}
