//! The attribute's options, read by hand: a full parser would cost its user seconds.

use std::iter::Peekable;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree, token_stream};

use crate::emit::{Form, Settings};

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

/// Reads the options, in any order, each at most once.
pub(super) fn read(tokens: TokenStream) -> Result<Args, Wrong> {
    let mut tokens = tokens.into_iter().peekable();
    let mut settings = Settings::default();
    let (mut domain, mut composition, mut name) = (None, None, None);
    let mut seen: Vec<String> = Vec::new();
    while let Some(token) = tokens.next() {
        let span = token.span();
        let TokenTree::Ident(word) = token else {
            return Err((span, format!("expected an option: {KNOWN}")));
        };
        let word = word.to_string();
        if seen.contains(&word) {
            return Err((span, format!("`{word}` is given twice")));
        }
        match word.as_str() {
            "domain" => domain = Some(text(&mut tokens, span)?),
            "composition" => composition = Some(text(&mut tokens, span)?),
            "name" => name = Some(text(&mut tokens, span)?),
            "spaces" => settings.spaces = path(&mut tokens, span)?,
            "crate" => settings.krate = path(&mut tokens, span)?,
            "serde" => settings.serde = true,
            "handler" => settings.handler = flag(&mut tokens, span)?,
            "form" => settings.form = form(&mut tokens, span)?,
            "derive" => settings.derives = derives(&mut tokens, span)?,
            _ => return Err((span, format!("unknown option `{word}`; there are {KNOWN}"))),
        }
        seen.push(word);
        comma(&mut tokens)?;
    }
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

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')
}

fn comma(tokens: &mut Tokens) -> Result<(), Wrong> {
    match tokens.next() {
        Some(token) if !is_comma(&token) => Err((token.span(), "expected `,`".to_owned())),
        _ => Ok(()),
    }
}

/// Steps over `=`; gives the place of what follows.
fn equals(tokens: &mut Tokens, word: Span) -> Result<(), Wrong> {
    match tokens.next() {
        Some(TokenTree::Punct(punct)) if punct.as_char() == '=' => Ok(()),
        Some(token) => Err((token.span(), "expected `=`".to_owned())),
        None => Err((word, "expected `=` and a value".to_owned())),
    }
}

/// `= "text"`.
fn text(tokens: &mut Tokens, word: Span) -> Result<(String, Span), Wrong> {
    equals(tokens, word)?;
    let wrong = "expected the stem of the contract's files, as \"domain/reasoning\"";
    let Some(token) = tokens.next() else {
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
    let token = tokens.next();
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
    let group = match tokens.next() {
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
