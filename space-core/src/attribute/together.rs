//! `#[space(composition = "…", name = "…")]`: the module of a composition.

use std::path::Path;

use proc_macro2::{Span, TokenStream};
use quote::quote;

use super::{Args, error, failed, tracked};
use crate::diagnostic::Severity;
use crate::diagnostic::render::{Colour, human, summary};
use crate::emit::{composed_names, composition};
use crate::gates::check_folder;
use crate::parse::{folder, nearest};

/// Body, error if any, and what makes cargo expand again when a file changes: all contracts of the
/// composition's folder.
pub(super) fn fill(args: &Args, root: &Path, stem: &str, name: &str, at: Span) -> TokenStream {
    let (below, file) = stem.rsplit_once('/').unwrap_or((".", stem));
    let read = folder::read(root, below);
    let wrong = |span, text: &str| {
        let names = composed_names(name);
        let error = error(span, text);
        quote!(pub use self::the_composition_that_could_not_be_read::{#(#names),*}; #error)
    };
    if file != "composition" {
        let text =
            format!("compositions are in `composition.toml`: `{below}/composition`, not `{stem}`");
        return wrong(args.span, &text);
    }
    let checked = check_folder(&read);
    let tracked = tracked(read.inputs.iter().map(AsRef::as_ref));
    let body = if failed(&checked.diagnostics) {
        let mut errors = checked.diagnostics;
        errors.retain(|one| one.severity() == Severity::Error);
        let text = format!(
            "the contracts beside `{stem}` have {}\n\n{}",
            summary(&errors),
            human(&errors, &read.sources, Colour::Never).trim_end()
        );
        wrong(args.span, &text)
    } else if let Some(composed) = checked.composed.iter().find(|one| one.name == name) {
        composition(composed, &args.settings)
    } else {
        let names = || checked.composed.iter().map(|one| one.name.as_str());
        let help = match nearest(name, names()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if checked.composed.is_empty() => {
                format!("`{stem}.toml` has none, or is not there")
            }
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        };
        wrong(at, &format!("there is no composition `{name}`: {help}"))
    };
    quote!(#body #tracked)
}
