//! TOML to contract, with the place of every word.
//!
//! Parsing never fails: it gives a value and findings. The value holds what could be read, and
//! [`Parsed::sound`] says whether that is enough for the gates to say something sensible.

mod base;
mod composition;
mod domain;
mod findings;
pub mod folder;
mod invariant;
mod lists;
mod table;

pub use crate::diagnostic::nearest;
pub use base::parse_space_base;
pub use composition::parse_composition;
pub use domain::parse_space_domain;
pub use folder::{Folder, Pair, Unpaired};

use toml::de::DeTable;

use crate::contract::{FileId, Sources, Span};
use crate::diagnostic::{Code, Diagnostic, sort};
use findings::Findings;
use table::{Path, Table};

/// The most bytes that a contract file may have.
pub const MAX_BYTES: usize = 16 << 20;

/// What was read, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed<T> {
    /// What could be read. A row that lacks a required key, or repeats a name, is left out.
    pub value: T,
    /// All findings, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether nothing that the gates rely on is missing from the value. If not, most of what
    /// they would say follows from the findings here.
    pub sound: bool,
}

/// Reads a document: all syntax errors, or what `read` makes of the root table.
fn document<T: Default>(
    text: &str,
    file: FileId,
    known: &'static [&'static str],
    read: impl FnOnce(&Table<'_>, &mut Findings<'_>) -> T,
) -> Parsed<T> {
    let mut out = Findings::new(file, text);
    let start = Span::new(file, 0, 0);
    if text.len() > MAX_BYTES {
        out.report(
            Diagnostic::new(
                Code::UNREADABLE,
                start,
                format!("the file is larger than {} MiB", MAX_BYTES >> 20),
            )
            .help("split it: a contract is as long as a person reads"),
        );
        return out.finish(T::default());
    }
    let (root, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        syntax(&errors, &mut out);
        return out.finish(T::default());
    }
    let root = Table::new(root.get_ref(), start, Path::Root, known, &mut out);
    let value = read(&root, &mut out);
    out.finish(value)
}

/// Reports syntax errors, one for a line. The reader goes on after an error by guessing; what it
/// says later on the same line, "duplicate key" below, and everything below an array that is
/// never closed, follows from the guess.
fn syntax(errors: &[toml::de::Error], out: &mut Findings<'_>) {
    let mut errors: Vec<_> = errors
        .iter()
        .map(|error| {
            let span = error.span().filter(|span| !span.is_empty());
            if error.message() == "recursion limit" {
                let span = span.unwrap_or_else(|| longest_key(out.text));
                let message = "the key has too many parts";
                return Diagnostic::new(Code::SYNTAX, out.span(&span), message)
                    .help("no key of a contract has more than two: `space.doc`");
            }
            let span = out.span(&error.span().unwrap_or(0..0));
            if error.message().starts_with("cannot recurse further") {
                let message = "lists and tables are nested too deeply";
                return Diagnostic::new(Code::SYNTAX, span, message)
                    .help("no value of a contract is nested deeper than four levels");
            }
            Diagnostic::new(Code::SYNTAX, span, error.message())
        })
        .collect();
    sort(&mut errors, &Sources::default());
    let unclosed = errors
        .iter()
        .any(|error| error.message.starts_with("unclosed array, "));
    let mut line_end = None;
    let mut guessing = false;
    for mut error in errors {
        let start = error.span.start as usize;
        let duplicate = error.message == "duplicate key";
        if (duplicate && guessing) || line_end.is_some_and(|end| start <= end) {
            continue;
        }
        guessing |= !duplicate;
        let rest = out.text.as_bytes().get(start..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == b'\n');
        line_end = Some(start + length.unwrap_or(rest.len()));
        let last = unclosed && error.message.contains("array");
        if let Some(message) = error.message.strip_suffix(", expected nothing") {
            error.message.truncate(message.len());
        }
        out.report(if duplicate {
            error.help("a table has each key once; remove one of them")
        } else if last {
            error.help("an array is not closed: is a `]` missing here?")
        } else {
            error
        });
        if last {
            break;
        }
    }
}

/// The place of the key with the most parts, which the TOML reader does not tell. Dots in strings and
/// comments are none of a key.
fn longest_key(text: &str) -> std::ops::Range<usize> {
    let mut longest = (0, 0..0);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let (mut dots, mut quote) = (0, None);
        let mut end = line.trim_end().len();
        for (at, letter) in line.char_indices() {
            match letter {
                '"' | '\'' if quote.is_none() => quote = Some(letter),
                _ if quote == Some(letter) => quote = None,
                '#' | '=' if quote.is_none() && dots > longest.0 => {
                    end = line[..at].trim_end().len();
                    break;
                }
                '#' if quote.is_none() => break,
                '.' if quote.is_none() => dots += 1,
                _ => {}
            }
        }
        if dots > longest.0 {
            let indent = line.len() - line.trim_start().len();
            longest = (dots, start + indent..start + end);
        }
        start += line.len();
    }
    longest.1
}
