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
        // What is wrong with the spaces is said where they are compiled.
        let elsewhere = errors.len();
        errors.retain(|one| Some(one.span.file) == read.composition);
        let elsewhere = elsewhere - errors.len();
        let mut text = match elsewhere {
            0 => format!("the compositions of `{stem}` have "),
            _ => format!(
                "the spaces beside `{stem}` have errors ({elsewhere}), which `agent space check` lists"
            ),
        };
        if elsewhere > 0 && !errors.is_empty() {
            text.push_str(", and the compositions have ");
        }
        if !errors.is_empty() {
            text.push_str(&summary(&errors));
            text.push_str("\n\n");
            text.push_str(human(&errors, &read.sources, Colour::Never).trim_end());
        }
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
