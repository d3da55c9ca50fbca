//! Tokens → text.

use proc_macro2::TokenStream;
use syn::File;

/// Lays out a module body, with a blank line between items. Deterministic, without an external
/// formatter.
pub fn format(tokens: &TokenStream) -> String {
    let Ok(file) = syn::parse2::<File>(tokens.clone()) else {
        // The emitter wrote no Rust: rustc says more about it than we could.
        return tokens.to_string();
    };
    let part = |attrs, items| {
        prettyplease::unparse(&File {
            shebang: None,
            frontmatter: None,
            attrs,
            items,
        })
    };
    let mut parts = Vec::with_capacity(file.items.len() + 1);
    if !file.attrs.is_empty() {
        parts.push(part(file.attrs, Vec::new()));
    }
    // Declarations of one line stand together.
    let mut lines: Vec<syn::Item> = Vec::new();
    for item in file.items {
        if matches!(item, syn::Item::Use(_) | syn::Item::Mod(_)) {
            lines.push(item);
            continue;
        }
        if !lines.is_empty() {
            parts.push(part(Vec::new(), std::mem::take(&mut lines)));
        }
        parts.push(part(Vec::new(), vec![item]));
    }
    if !lines.is_empty() {
        parts.push(part(Vec::new(), lines));
    }
    parts.join("\n")
}
