//! The expansion of `#[space(domain = "…")]`: reads the two files, passes them through the gates,
//! and fills the module. `space-macros` adds nothing to it.

mod args;

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

use crate::contract::Sources;
use crate::diagnostic::render::{Colour, human, summary};
use crate::diagnostic::{Diagnostic, Severity, sort};
use crate::emit::{module, salvage};
use crate::gates;
use crate::parse::folder;
use args::Args;

/// Where an attribute stands.
#[derive(Clone, Debug)]
pub struct Here {
    /// The folder of the crate's manifest.
    pub manifest: PathBuf,
    /// The file with the attribute, when it is known.
    pub file: Option<PathBuf>,
}

/// The module that replaces the attribute and its item.
///
/// What is wrong becomes one `compile_error!`, beside everything that can still be emitted.
pub fn expand(args: TokenStream, item: TokenStream, here: &Here) -> TokenStream {
    let args = match args::read(args) {
        Ok(args) => args,
        Err((span, message)) => {
            let error = error(span, &message);
            return quote!(#error #item);
        }
    };
    let Some((head, content)) = split(&item) else {
        let span = item
            .into_iter()
            .next()
            .map_or_else(Span::call_site, |first| first.span());
        return error(
            span,
            "`#[space(..)]` belongs on a module with a body: `pub mod reasoning {}`",
        );
    };
    let (root, stem) = match place(&args, here) {
        Ok(place) => place,
        Err(message) => {
            let error = error(args.span, &message);
            return quote!(#error #item);
        }
    };
    let body = fill(&args, &root, &stem);
    quote!(#head { #body #content })
}

/// The module's body as emitted for these files, without anything of an attribute.
///
/// # Errors
/// The findings, rendered, when the contract does not pass its gates.
pub fn body(
    root: &Path,
    stem: &str,
    settings: &crate::emit::Settings,
) -> Result<TokenStream, String> {
    read_model(root, stem).map(|model| module(&model, settings))
}

/// The model of `<stem>_base.toml` and `<stem>_domain.toml` below `root`.
///
/// # Errors
/// The findings, rendered, when the contract does not pass its gates.
pub fn read_model(root: &Path, stem: &str) -> Result<crate::graph::Model, String> {
    let (pair, diagnostics, sources) = read(root, stem);
    match pair.and_then(|(_, model)| model) {
        Some(model) if !failed(&diagnostics) => Ok(model),
        _ => Err(human(&diagnostics, &sources, Colour::Never)),
    }
}

type Read = (
    Option<(folder::Pair, Option<crate::graph::Model>)>,
    Vec<Diagnostic>,
    Sources,
);

fn read(root: &Path, stem: &str) -> Read {
    let folder = folder::read_pair(root, stem);
    let mut diagnostics = folder.diagnostics;
    let pair = folder.pairs.into_iter().next().map(|pair| {
        let mut model = None;
        if pair.sound {
            let checked = gates::check(&pair.base, &pair.domain);
            diagnostics.extend(checked.diagnostics);
            model = checked.model;
        }
        (pair, model)
    });
    sort(&mut diagnostics, &folder.sources);
    (pair, diagnostics, folder.sources)
}

fn failed(diagnostics: &[Diagnostic]) -> bool {
    diagnostics
        .iter()
        .any(|one| one.severity() == Severity::Error)
}

/// Body, error if any, and what makes cargo expand again when a file changes.
fn fill(args: &Args, root: &Path, stem: &str) -> TokenStream {
    let (pair, diagnostics, sources) = read(root, stem);
    let tracked = ["base", "domain"]
        .map(|kind| root.join(format!("{stem}_{kind}.toml")))
        .into_iter()
        .filter(|path| path.is_file())
        .map(|path| path.to_string_lossy().into_owned());
    let tracked = quote!(#(const _: &[u8] = ::core::include_bytes!(#tracked);)*);
    let unread = pair
        .as_ref()
        .is_none_or(|(pair, _)| pair.base.states.is_empty());
    let model = match pair {
        Some((_, Some(model))) if !failed(&diagnostics) => {
            let body = module(&model, &args.settings);
            return quote!(#body #tracked);
        }
        Some((pair, _)) => salvage(&pair.base, &pair.domain),
        None => {
            let name = stem.rsplit('/').next().unwrap_or(stem);
            let mut base = crate::contract::Base::default();
            base.meta.name = name.into();
            salvage(&base, &crate::contract::Domain::default())
        }
    };
    // Warnings have no way out of a macro; beside an error they would hide it.
    let errors: Vec<_> = diagnostics
        .into_iter()
        .filter(|one| one.severity() == Severity::Error)
        .collect();
    let text = format!(
        "the contract `{stem}` has {}\n\n{}",
        summary(&errors),
        human(&errors, &sources, Colour::Never).trim_end()
    );
    let error = error(args.span, &text);
    let body = if unread {
        unknown(&model)
    } else {
        module(&model, &args.settings)
    };
    quote!(#body #error #tracked)
}

/// The names of a vocabulary that could not be read, all of one type that does not exist: the
/// compiler says so once, and nothing about what is done with them.
fn unknown(model: &crate::graph::Model) -> TokenStream {
    let name = |kind: &str| quote::format_ident!("{}{kind}", model.prefix);
    let types = ["", "Event", "Effect", "Ctx"].map(name);
    let (space, state) = (name(""), name("State"));
    let (guards, handler) = (name("Guards"), name("Handler"));
    quote! {
        #![allow(dead_code, non_upper_case_globals, unreachable_pub)]
        pub type #state = the_contract_that_could_not_be_read;
        #(pub type #types = #state;)*
        pub const #space: #state = loop {};
        pub const step: #state = loop {};
        pub trait #guards {}
        pub trait #handler {}
    }
}

/// The folder that the path of the attribute is relative to, and the path.
fn place(args: &Args, here: &Here) -> Result<(PathBuf, String), String> {
    match args.domain.strip_prefix("./") {
        None => Ok((here.manifest.clone(), args.domain.clone())),
        Some(rest) => {
            let file = here
                .file
                .as_deref()
                .and_then(|file| std::path::absolute(file).ok());
            let folder = file.as_deref().and_then(Path::parent);
            let folder = folder.ok_or("the compiler does not say which file this is: give a path relative to the crate, without `./`")?;
            Ok((folder.to_owned(), rest.to_owned()))
        }
    }
}

/// The tokens before a module's braces, and those in them.
fn split(item: &TokenStream) -> Option<(TokenStream, TokenStream)> {
    let mut head: Vec<TokenTree> = item.clone().into_iter().collect();
    let Some(TokenTree::Group(body)) = head.pop() else {
        return None;
    };
    let is_mod = |at: usize, word: &str| matches!(head.get(at), Some(TokenTree::Ident(ident)) if word.is_empty() || ident == word);
    let ends_in_name =
        head.len() >= 2 && is_mod(head.len() - 1, "") && is_mod(head.len() - 2, "mod");
    (ends_in_name && body.delimiter() == Delimiter::Brace)
        .then(|| (head.into_iter().collect(), Group::stream(&body)))
}

fn error(span: Span, message: &str) -> TokenStream {
    quote_spanned!(span=> ::core::compile_error!(#message);)
}
