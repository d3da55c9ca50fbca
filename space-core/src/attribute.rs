//! The expansion of `#[space(domain = "…")]` and `#[space(composition = "…", name = "…")]`: reads
//! the files, passes them through the gates, and fills the module. `space-macros` adds nothing to it.

mod args;
mod together;

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

use crate::contract::{Base, Domain, Sources};
use crate::diagnostic::render::{Colour, human, summary};
use crate::diagnostic::{Diagnostic, Severity, sort};
use crate::emit::{module, salvage, salvaged_names};
use crate::gates;
use crate::graph::Model;
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
/// What is wrong becomes one `compile_error!` in the module, beside everything that can still be
/// emitted. In the module, because the compiler does not ask for the names of one that holds such an
/// error.
pub fn expand(args: TokenStream, item: TokenStream, here: &Here) -> TokenStream {
    let (args, wrong) = args::read(args);
    let Some((head, module, content)) = split(&item) else {
        let first = item.into_iter().next();
        return error(
            first.map_or_else(Span::call_site, |first| first.span()),
            "`#[space(..)]` belongs on a module with a body: `pub mod reasoning {}`",
        );
    };
    let body = args.map_or_else(
        // The module's name is all that is known.
        || unknown(&module, &module, &Read::default()),
        |args| match (place(&args, here), &args.composition) {
            (Err(message), _) => error(args.span, &message),
            (Ok((root, stem)), None) => fill(&args, &root, &stem, &module),
            (Ok((root, stem)), Some((name, at))) => together::fill(&args, &root, &stem, name, *at),
        },
    );
    let errors = wrong.iter().map(|(span, message)| error(*span, message));
    quote!(#head { #body #(#errors)* #content })
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
pub fn read_model(root: &Path, stem: &str) -> Result<Model, String> {
    let read = read(root, stem);
    match read.model {
        Some(model) if !failed(&read.diagnostics) => Ok(model),
        _ => Err(human(&read.diagnostics, &read.sources, Colour::Never)),
    }
}

/// What there is of a contract.
#[derive(Default)]
struct Read {
    /// The vocabulary, when the gates can say something sensible of it.
    base: Option<Base>,
    /// The behaviour, as far as it could be read.
    domain: Option<Domain>,
    /// Both, when there is no error in them.
    model: Option<Model>,
    /// The prefix of the types, when it is written where nothing else can be read.
    prefix: Option<String>,
    diagnostics: Vec<Diagnostic>,
    sources: Sources,
}

fn read(root: &Path, stem: &str) -> Read {
    let folder = folder::read_pair(root, stem);
    let mut found = Read {
        diagnostics: folder.diagnostics,
        sources: folder.sources,
        ..Read::default()
    };
    for one in folder.unpaired {
        let checked = one.base.as_ref().map(gates::check_base);
        found.diagnostics.extend(checked.into_iter().flatten());
        found.base = one.base.or(found.base);
        found.domain = one.domain.or(found.domain);
    }
    for pair in folder.pairs {
        if pair.sound {
            let checked = gates::check_with(&pair.base, &pair.domain, &triggers(root, stem));
            found.diagnostics.extend(checked.diagnostics);
            found.model = checked.model;
        } else if pair.base_sound {
            found.diagnostics.extend(gates::check_base(&pair.base));
        }
        found.base = pair.base_sound.then_some(pair.base);
        found.domain = Some(pair.domain);
    }
    if found.base.is_none() {
        found.prefix = written_prefix(&found.sources);
    }
    sort(&mut found.diagnostics, &found.sources);
    found
}

/// The prefix that a vocabulary gives its types, if a line of its file says so.
fn written_prefix(sources: &Sources) -> Option<String> {
    let mut bases = sources.iter().map(|(_, source)| source);
    let base = bases.find(|source| source.path.ends_with("_base.toml"))?;
    base.text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix("prefix")?.trim_start();
        let value = rest.strip_prefix('=')?.trim_start().strip_prefix('"')?;
        Some(value.split_once('"')?.0.to_owned())
    })
}

/// What the compositions of the folder feed the space: it may be all that a state waits for. What is
/// wrong with them is said where they are compiled.
fn triggers(root: &Path, stem: &str) -> gates::Triggers {
    let (below, name) = stem.rsplit_once('/').unwrap_or((".", stem));
    if !root.join(below).join("composition.toml").is_file() {
        return gates::Triggers::default();
    }
    let folder = folder::read(root, below);
    let mut checked = gates::check_folder(&folder);
    checked.triggers.remove(name).unwrap_or_default()
}

fn failed(diagnostics: &[Diagnostic]) -> bool {
    diagnostics
        .iter()
        .any(|one| one.severity() == Severity::Error)
}

/// What makes cargo expand again when one of these files changes.
fn tracked<'a>(files: impl Iterator<Item = &'a Path>) -> TokenStream {
    let files = files.filter(|path| path.is_file());
    let files = files.map(|path| path.to_string_lossy().into_owned());
    quote!(#(const _: &[u8] = ::core::include_bytes!(#files);)*)
}

/// Body, error if any, and what makes cargo expand again when a file changes.
fn fill(args: &Args, root: &Path, stem: &str, module_name: &str) -> TokenStream {
    let read = read(root, stem);
    let files = ["base", "domain"].map(|kind| root.join(format!("{stem}_{kind}.toml")));
    let beside = files[0].with_file_name("composition.toml");
    let tracked = tracked(files.iter().chain([&beside]).map(AsRef::as_ref));
    // Warnings have no way out of a macro; beside an error they would hide it.
    let mut errors = read.diagnostics.clone();
    errors.retain(|one| one.severity() == Severity::Error);
    if let Some(model) = read.model.as_ref().filter(|_| errors.is_empty()) {
        let body = module(model, &args.settings);
        return quote!(#body #tracked);
    }
    let text = format!(
        "the contract `{stem}` has {}\n\n{}",
        summary(&errors),
        human(&errors, &read.sources, Colour::Never).trim_end()
    );
    let error = error(args.span, &text);
    let model = salvaged(&read, &errors).or_else(|| meant(root, stem, module_name));
    let body = match model {
        Some(model) => module(&model, &args.settings),
        None => unknown(stem, module_name, &read),
    };
    quote!(#body #error #tracked)
}

/// What can still be emitted.
fn salvaged(read: &Read, errors: &[Diagnostic]) -> Option<Model> {
    let nothing = Domain::default();
    let domain = read.domain.as_ref().unwrap_or(&nothing);
    salvage(read.base.as_ref()?, domain, errors)
}

/// Of a stem that there is nothing of, what was probably meant: the contract that is named like the
/// module, or the nearest.
fn meant(root: &Path, stem: &str, module_name: &str) -> Option<Model> {
    let below = stem.rsplit_once('/').map_or("", |(below, _)| below);
    let meant = folder::meant(root, stem, module_name)?;
    let meant = match below {
        "" => meant,
        below => format!("{below}/{meant}"),
    };
    let read = read(root, &meant);
    let whole = read.model.clone();
    whole.or_else(|| salvaged(&read, &read.diagnostics))
}

/// The names of a vocabulary that is not known, imported from nowhere: beside a `compile_error!`
/// the compiler takes each for something that it was told of, and says nothing about what is done
/// with it. That holds for names that are not here, too, unless they are imported by a `*`.
fn unknown(stem: &str, module_name: &str, read: &Read) -> TokenStream {
    let stem = stem.rsplit('/').next().unwrap_or(stem);
    let (base, domain) = (read.base.as_ref(), read.domain.as_ref());
    let mut names = salvaged_names(stem, base, domain, read.prefix.as_deref());
    if stem != module_name {
        names.extend(salvaged_names(module_name, base, domain, None));
    }
    let names = names.iter().map(|name| quote::format_ident!("{name}"));
    quote!(pub use self::the_contract_that_could_not_be_read::{#(#names),*};)
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

/// The tokens before a module's braces, its name, and the tokens in them.
fn split(item: &TokenStream) -> Option<(TokenStream, String, TokenStream)> {
    let mut head: Vec<TokenTree> = item.clone().into_iter().collect();
    let Some(TokenTree::Group(body)) = head.pop() else {
        return None;
    };
    let is_mod = |at: usize, word: &str| matches!(head.get(at), Some(TokenTree::Ident(ident)) if word.is_empty() || ident == word);
    let ends_in_name =
        head.len() >= 2 && is_mod(head.len() - 1, "") && is_mod(head.len() - 2, "mod");
    let name = head.last()?.to_string();
    let name = name.trim_start_matches("r#").to_owned();
    (ends_in_name && body.delimiter() == Delimiter::Brace)
        .then(|| (head.into_iter().collect(), name, Group::stream(&body)))
}

fn error(span: Span, message: &str) -> TokenStream {
    quote_spanned!(span=> ::core::compile_error!(#message);)
}
