//! The attribute's options, read by hand: a full parser would cost its user seconds.

use std::iter::Peekable;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree, token_stream};

use crate::emit::{Form, Settings};
use crate::parse::nearest;

/// What the attribute says.
pub(super) struct Args {
    /// Stem of the contract's files; with a composition, of its file.
    pub(super) domain: String,
    /// Which composition of the file, and where that is said.
    pub(super) composition: Option<(String, Span)>,
    /// The place of the stem.
    pub(super) span: Span,
    pub(super) settings: Settings,
}

type Wrong = (Span, String);
type Tokens = Peekable<token_stream::IntoIter>;

const KNOWN: &str = "`domain = \"…\"`, or `composition = \"…\"` with `name = \"…\"` and \
                     `spaces = path`; `crate = path`, `serde`, `handler = false`, \
                     `derive(..)`, `form = \"match\"` or `\"table\"`";

const OPTIONS: [&str; 9] = [
    "domain",
    "composition",
    "name",
    "spaces",
    "crate",
    "serde",
    "handler",
    "form",
    "derive",
];

/// Reads the options, in any order, each at most once: what they say as far as it can be understood, and
/// what is wrong with them.
pub(super) fn read(tokens: TokenStream) -> (Option<Args>, Vec<Wrong>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut said = Said::default();
    let mut wrong = Vec::new();
    while tokens.peek().is_some() {
        if let Err(one) = said.option(&mut tokens) {
            wrong.push(one);
            // The next option is another matter.
            while tokens.next_if(|token| !is_comma(token)).is_some() {}
            tokens.next();
        }
    }
    match said.args() {
        Ok(args) => (Some(args), wrong),
        // A stem that was not understood is not missing as well.
        Err(_) if !wrong.is_empty() => (None, wrong),
        Err(one) => (None, vec![one]),
    }
}

/// What was said so far.
#[derive(Default)]
struct Said {
    settings: Settings,
    domain: Option<(String, Span)>,
    composition: Option<(String, Span)>,
    name: Option<(String, Span)>,
    seen: Vec<String>,
}

impl Said {
    /// Reads one option and the comma after it.
    fn option(&mut self, tokens: &mut Tokens) -> Result<(), Wrong> {
        let settings = &mut self.settings;
        let Some(token) = tokens.next_if(|token| !is_comma(token)) else {
            tokens.next();
            return Ok(());
        };
        let span = token.span();
        let TokenTree::Ident(word) = token else {
            return Err((span, format!("expected an option: {KNOWN}")));
        };
        let word = word.to_string();
        if self.seen.contains(&word) {
            return Err((span, format!("`{word}` is given twice")));
        }
        self.seen.push(word.clone());
        match word.as_str() {
            "domain" => self.domain = Some(text(tokens, span)?),
            "composition" => self.composition = Some(text(tokens, span)?),
            "name" => self.name = Some(text(tokens, span)?),
            "spaces" => settings.spaces = path(tokens, span)?,
            "crate" => settings.krate = path(tokens, span)?,
            "serde" => settings.serde = true,
            "handler" => settings.handler = flag(tokens, span)?,
            "form" => settings.form = form(tokens, span)?,
            "derive" => settings.derives = derives(tokens, span)?,
            _ => {
                let meant = nearest(&word, OPTIONS.iter().copied());
                let meant =
                    meant.map_or_else(String::new, |meant| format!("did you mean `{meant}`? "));
                return Err((
                    span,
                    format!("unknown option `{word}`; {meant}there are {KNOWN}"),
                ));
            }
        }
        if let Some(token) = tokens.next_if(|token| !is_comma(token)) {
            return Err((token.span(), "expected `,`".to_owned()));
        }
        tokens.next();
        Ok(())
    }

    fn args(self) -> Result<Args, Wrong> {
        let Self {
            settings,
            domain,
            composition,
            name,
            ..
        } = self;
        let (file, name) = match (domain, composition, name) {
            (Some(domain), None, None) => (domain, None),
            (None, Some(composition), Some(name)) => (composition, Some(name)),
            (Some(_), Some((_, span)), _) => {
                let message = "a module is made of a `domain` or of a `composition`, not of both";
                return Err((span, message.to_owned()));
            }
            (None, Some((_, span)), None) => {
                let message = "which composition of the file? Add `name = \"…\"`";
                return Err((span, message.to_owned()));
            }
            (_, None, Some((_, span))) => {
                let message = "`name` picks from a file of compositions: add `composition = \"domain/composition\"`";
                return Err((span, message.to_owned()));
            }
            (None, None, None) => {
                let message = "the contract is missing: `#[space(domain = \"domain/reasoning\")]`";
                return Err((Span::call_site(), message.to_owned()));
            }
        };
        Ok(Args {
            domain: file.0,
            span: file.1,
            composition: name,
            settings,
        })
    }
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')
}

/// Steps over `=`; gives the place of what follows.
fn equals(tokens: &mut Tokens, word: Span) -> Result<(), Wrong> {
    match tokens.next_if(|token| !is_comma(token)) {
        Some(TokenTree::Punct(punct)) if punct.as_char() == '=' => Ok(()),
        Some(token) => Err((token.span(), "expected `=`".to_owned())),
        None => Err((word, "expected `=` and a value".to_owned())),
    }
}

/// `= "text"`.
fn text(tokens: &mut Tokens, word: Span) -> Result<(String, Span), Wrong> {
    equals(tokens, word)?;
    let wrong = "expected the stem of the contract's files, as \"domain/reasoning\"";
    let Some(token) = tokens.next_if(|token| !is_comma(token)) else {
        return Err((word, wrong.to_owned()));
    };
    let span = token.span();
    let literal = token.to_string();
    let inner = literal
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    match inner {
        Some(inner) if !inner.is_empty() && !inner.contains(['\\', '"']) => {
            Ok((inner.to_owned(), span))
        }
        _ => Err((span, wrong.to_owned())),
    }
}

/// `= "match"` or `= "table"`.
fn form(tokens: &mut Tokens, word: Span) -> Result<Form, Wrong> {
    match text(tokens, word) {
        Ok((form, _)) if form == "match" => Ok(Form::Match),
        Ok((form, _)) if form == "table" => Ok(Form::Table),
        Ok((_, span)) | Err((span, _)) => {
            Err((span, "expected `\"match\"` or `\"table\"`".to_owned()))
        }
    }
}

/// `= a::path`, up to the next comma.
fn path(tokens: &mut Tokens, word: Span) -> Result<String, Wrong> {
    equals(tokens, word)?;
    let mut path = String::new();
    while let Some(token) = tokens.next_if(|token| !is_comma(token)) {
        match &token {
            TokenTree::Ident(_) => path.push_str(&token.to_string()),
            TokenTree::Punct(punct) if punct.as_char() == ':' => path.push(':'),
            _ => {
                return Err((
                    token.span(),
                    "expected a path, as `::space_core`".to_owned(),
                ));
            }
        }
    }
    if path.is_empty() {
        return Err((word, "expected a path, as `::space_core`".to_owned()));
    }
    Ok(path)
}

/// `= true` or `= false`.
fn flag(tokens: &mut Tokens, word: Span) -> Result<bool, Wrong> {
    equals(tokens, word)?;
    let token = tokens.next_if(|token| !is_comma(token));
    match token.as_ref().map(ToString::to_string).as_deref() {
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        _ => {
            let span = token.map_or(word, |token| token.span());
            Err((span, "expected `true` or `false`".to_owned()))
        }
    }
}

/// `(Path, other::Path)`.
fn derives(tokens: &mut Tokens, word: Span) -> Result<Vec<String>, Wrong> {
    let group = match tokens.next_if(|token| !is_comma(token)) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => group,
        Some(token) => return Err((token.span(), "expected `(Path, ..)`".to_owned())),
        None => return Err((word, "expected `derive(Path, ..)`".to_owned())),
    };
    let mut paths = vec![String::new()];
    for token in group.stream() {
        if is_comma(&token) {
            paths.push(String::new());
        } else if let Some(path) = paths.last_mut() {
            path.push_str(&token.to_string());
        }
    }
    paths.retain(|path| !path.is_empty());
    Ok(paths)
}
