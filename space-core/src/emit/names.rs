//! Rust names of a contract's words.

use proc_macro2::{Ident, Span};
use quote::format_ident;

use crate::graph::{Model, Param};

/// The names of a module's types.
pub(super) struct Names {
    pub(super) space: Ident,
    pub(super) state: Ident,
    pub(super) event: Ident,
    pub(super) effect: Ident,
    pub(super) ctx: Ident,
    pub(super) guards: Ident,
    pub(super) handler: Ident,
}

impl Names {
    pub(super) fn new(model: &Model) -> Self {
        let prefix = &model.prefix;
        Self {
            space: ident(prefix),
            state: format_ident!("{prefix}State"),
            event: format_ident!("{prefix}Event"),
            effect: format_ident!("{prefix}Effect"),
            ctx: format_ident!("{prefix}Ctx"),
            guards: format_ident!("{prefix}Guards"),
            handler: format_ident!("{prefix}Handler"),
        }
    }
}

/// Strict and reserved keywords of every edition.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// The identifier of a name, raw where it is a keyword.
pub(super) fn ident(name: &str) -> Ident {
    match name {
        // The keywords that cannot be raw.
        "self" | "super" | "crate" | "Self" | "_" => {
            Ident::new(&format!("{name}_"), Span::call_site())
        }
        name if KEYWORDS.contains(&name) => Ident::new_raw(name, Span::call_site()),
        name => Ident::new(name, Span::call_site()),
    }
}

/// `lower_snake` of an `UpperCamel` name.
pub(super) fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut previous = None::<char>;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let starts_word = letter.is_ascii_uppercase()
            && previous.is_some_and(|before| {
                !before.is_ascii_uppercase() || letters.peek().is_some_and(char::is_ascii_lowercase)
            });
        if starts_word && previous != Some('_') {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
        previous = Some(letter);
    }
    out
}

/// A local name for each field: its own, unless the function that binds it uses that itself.
pub(super) fn locals(fields: &[Param], reserved: &[&str]) -> Vec<Ident> {
    let taken =
        |name: &str| reserved.contains(&name) || fields.iter().any(|field| field.name == *name);
    fields
        .iter()
        .map(|field| {
            if !reserved.contains(&field.name.as_str()) {
                return ident(&field.name);
            }
            let mut name = format!("its_{}", field.name);
            while taken(&name) {
                name.insert_str(0, "its_");
            }
            ident(&name)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cased_by_word() {
        for (camel, expected) in [
            ("Think", "think"),
            ("AskModel", "ask_model"),
            ("HTTPGet", "http_get"),
            ("Step2Done", "step2_done"),
            ("OK", "ok"),
        ] {
            assert_eq!(snake(camel), expected);
        }
        assert_eq!(ident("type").to_string(), "r#type");
        assert_eq!(ident("self").to_string(), "self_");
    }
}
