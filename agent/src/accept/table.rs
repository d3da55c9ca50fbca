use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::verdict::Place;

/// Something wrong with a check file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoadError {
    /// Where.
    pub place: Place,
    /// Which kind.
    pub code: LoadCode,
    /// What, and what to write instead.
    pub message: String,
}

/// The closed list of what can be wrong with a check file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadCode {
    /// A file cannot be read.
    Unreadable,
    /// Not TOML.
    Syntax,
    /// A key that nothing reads.
    UnknownKey,
    /// A key without which the rest means nothing.
    MissingKey,
    /// A value of another type.
    WrongType,
    /// A value that cannot be.
    BadValue,
    /// Two keys that exclude each other.
    Conflict,
    /// A name that is taken.
    Duplicate,
    /// A suite, a check or a list that could only pass.
    Vacuous,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for LoadError {}

pub(super) type Node<'t> = Spanned<DeValue<'t>>;

/// Reads a check file key by key and collects everything that is wrong with it.
pub(super) struct Reader<'t> {
    file: &'t str,
    text: &'t str,
    /// The first is 0, so that every offset has a line.
    line_starts: Vec<usize>,
    pub(super) errors: Vec<LoadError>,
}

/// A table whose keys are all known.
#[derive(Clone, Copy)]
pub(super) struct Table<'a, 't> {
    keys: &'a DeTable<'t>,
    pub(super) span: (usize, usize),
}

impl<'a, 't> Table<'a, 't> {
    pub(super) fn get(&self, key: &str) -> Option<&'a Node<'t>> {
        self.keys.get(key)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, &'a Node<'t>)> {
        self.keys
            .iter()
            .map(|(key, value)| (key.get_ref().as_ref(), value))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.span.0..self.span.1
    }
}

impl<'t> Reader<'t> {
    pub(super) fn new(file: &'t str, text: &'t str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            file,
            text,
            line_starts: std::iter::once(0).chain(ends).collect(),
            errors: Vec::new(),
        }
    }

    /// The document, also when parts of it are not TOML.
    pub(super) fn document(&mut self) -> Spanned<DeTable<'t>> {
        let (document, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            let message = format!("not TOML: {}", error.message().trim().replace('\n', "; "));
            self.error(span, LoadCode::Syntax, message);
        }
        document
    }

    pub(super) fn error(&mut self, span: Range<usize>, code: LoadCode, message: impl Into<String>) {
        let place = self.place(&span);
        self.errors.push(LoadError {
            place,
            code,
            message: message.into(),
        });
    }

    pub(super) fn place(&self, span: &Range<usize>) -> Place {
        let at = span.start.min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start <= at);
        let start = self.line_starts[line - 1];
        let before = self.text.get(start..at).unwrap_or_default();
        Place {
            file: self.file.to_owned(),
            line,
            column: before.chars().count() + 1,
        }
    }

    /// The top of the document.
    pub(super) fn root<'a>(
        &mut self,
        document: &'a Spanned<DeTable<'t>>,
        known: &[&str],
    ) -> Table<'a, 't> {
        let keys = document.get_ref();
        self.reject_unknown(keys, "a check file", known);
        Table { keys, span: (0, 0) }
    }

    /// A table that has no keys but the known ones.
    pub(super) fn table<'a>(
        &mut self,
        node: &'a Node<'t>,
        what: &str,
        known: &[&str],
    ) -> Option<Table<'a, 't>> {
        let table = self.open_table(node, what)?;
        self.reject_unknown(table.keys, what, known);
        Some(table)
    }

    /// A table with any keys.
    pub(super) fn open_table<'a>(
        &mut self,
        node: &'a Node<'t>,
        what: &str,
    ) -> Option<Table<'a, 't>> {
        let span = node.span();
        let Some(keys) = node.get_ref().as_table() else {
            self.wrong_type(node, what, "a table");
            return None;
        };
        Some(Table {
            keys,
            span: (span.start, span.end),
        })
    }

    pub(super) fn string(&mut self, node: &Node<'t>, what: &str) -> Option<String> {
        let text = node.get_ref().as_str().map(str::to_owned);
        if text.is_none() {
            self.wrong_type(node, what, "a string");
        }
        text
    }

    pub(super) fn boolean(&mut self, node: &Node<'t>, what: &str) -> Option<bool> {
        let value = node.get_ref().as_bool();
        if value.is_none() {
            self.wrong_type(node, what, "true or false");
        }
        value
    }

    pub(super) fn natural(&mut self, node: &Node<'t>, what: &str) -> Option<u64> {
        let Some(integer) = node.get_ref().as_integer() else {
            self.wrong_type(node, what, "an integer");
            return None;
        };
        let value = u64::from_str_radix(integer.as_str(), integer.radix()).ok();
        if value.is_none() {
            let message = format!("{what} is {integer}, which is not a count");
            self.error(node.span(), LoadCode::BadValue, message);
        }
        value
    }

    /// A list that holds something.
    pub(super) fn list<'a>(&mut self, node: &'a Node<'t>, what: &str) -> Option<Vec<&'a Node<'t>>> {
        let Some(items) = node.get_ref().as_array() else {
            self.wrong_type(node, what, "a list");
            return None;
        };
        if items.is_empty() {
            let message = format!(
                "{what} is empty: it would pass whatever the program does; leave it out or fill it"
            );
            self.error(node.span(), LoadCode::Vacuous, message);
            return None;
        }
        Some(items.iter().collect())
    }

    /// One string or a list of them.
    pub(super) fn strings(&mut self, node: &Node<'t>, what: &str) -> Vec<(String, Range<usize>)> {
        if let Some(text) = node.get_ref().as_str() {
            return vec![(text.to_owned(), node.span())];
        }
        let items = self.list(node, what).unwrap_or_default();
        let item = |node: &Node<'t>| {
            Some((
                self.string(node, &format!("an item of {what}"))?,
                node.span(),
            ))
        };
        items.into_iter().filter_map(item).collect()
    }

    pub(super) fn missing(&mut self, table: Table<'_, 't>, what: &str, key: &str) {
        let message = format!("{what} has no `{key}`");
        self.error(table.range(), LoadCode::MissingKey, message);
    }

    pub(super) fn wrong_type(&mut self, node: &Node<'t>, what: &str, wanted: &str) {
        let found = node.get_ref().type_str();
        let message = format!("{what} has to be {wanted}, not of type {found}");
        self.error(node.span(), LoadCode::WrongType, message);
    }

    /// A word out of a closed list.
    pub(super) fn unknown_word(
        &mut self,
        span: Range<usize>,
        what: &str,
        word: &str,
        known: &[&str],
    ) {
        let message = format!("{what} cannot be `{word}`{}", suggest(word, known));
        self.error(span, LoadCode::BadValue, message);
    }

    fn reject_unknown(&mut self, keys: &DeTable<'t>, what: &str, known: &[&str]) {
        for key in keys.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let message = format!("{what} has no key `{name}`{}", suggest(name, known));
                self.error(key.span(), LoadCode::UnknownKey, message);
            }
        }
    }
}

/// The nearest known word when there is a near one, all of them otherwise.
fn suggest(word: &str, known: &[&str]) -> String {
    let distance = |known: &str| strsim::damerau_levenshtein(&word.to_lowercase(), known);
    let nearest = known.iter().min_by_key(|known| distance(known));
    match nearest {
        Some(nearest) if distance(nearest) <= (nearest.len() / 3).max(1) => {
            format!("; did you mean `{nearest}`?")
        }
        _ => format!("; it may be {}", known.join(", ")),
    }
}
