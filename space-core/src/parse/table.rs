//! Typed access to spanned TOML: what is missing or of the wrong type is reported with its path.

use std::fmt;

use toml::de::{DeTable, DeValue};

use super::findings::Findings;
use crate::contract::{Json, Span, Spanned};
use crate::diagnostic::{Code, Diagnostic, nearest};

/// The way from the root to a value: `events[2].payload[0].type`.
#[derive(Clone, Copy)]
pub(super) enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(Self::Root, key) => f.write_str(&clip(key)),
            Self::Key(parent, key) => write!(f, "{parent}.{}", clip(key)),
            Self::Item(parent, at) => write!(f, "{parent}[{at}]"),
        }
    }
}

/// A text of the file as a message may quote it: short, on one line.
pub(super) fn clip(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut clipped: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        clipped.push('…');
    }
    clipped
}

/// A table.
pub(super) struct Table<'a> {
    entries: &'a DeTable<'a>,
    /// Its header, or its braces.
    pub(super) span: Span,
    path: Path<'a>,
}

/// A value.
pub(super) struct Node<'a> {
    value: &'a DeValue<'a>,
    pub(super) span: Span,
    path: Path<'a>,
}

impl<'a> Table<'a> {
    /// A table that may have the keys `known`; all others are reported.
    pub(super) fn new(
        entries: &'a DeTable<'a>,
        span: Span,
        path: Path<'a>,
        known: &[&'static str],
        out: &mut Findings<'_>,
    ) -> Self {
        let keys = entries.keys();
        for key in keys.filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let place = out.span(&key.span());
            if out.overflows(Code::UNKNOWN_KEY, place) {
                continue;
            }
            let name = key.get_ref().as_ref();
            let free = known
                .iter()
                .copied()
                .filter(|one| !entries.contains_key(*one));
            let path = Path::Key(&path, name);
            let finding =
                Diagnostic::new(Code::UNKNOWN_KEY, place, format!("unknown key `{path}`"));
            out.report(match nearest(name, free) {
                Some(meant) => finding
                    .help(format!("did you mean `{meant}`?"))
                    .edit(place, meant),
                None => finding.help(format!("the keys here are {}", listed(known))),
            });
        }
        Self {
            entries,
            span,
            path,
        }
    }

    /// The value of an optional key.
    pub(super) fn get<'n>(&'n self, key: &'n str, out: &Findings<'_>) -> Option<Node<'n>> {
        let value = self.entries.get(key)?;
        Some(Node {
            value: value.get_ref(),
            span: out.span(&value.span()),
            path: Path::Key(&self.path, key),
        })
    }

    /// The value of a required key.
    pub(super) fn need<'n>(&'n self, key: &'n str, out: &mut Findings<'_>) -> Option<Node<'n>> {
        self.need_as(key, || format!("add `{key} = …`"), out)
    }

    /// The value of a required key, with what to write where it is missing.
    pub(super) fn need_as<'n>(
        &'n self,
        key: &'n str,
        help: impl FnOnce() -> String,
        out: &mut Findings<'_>,
    ) -> Option<Node<'n>> {
        let node = self.get(key, out);
        if node.is_none() {
            let path = Path::Key(&self.path, key);
            let message = format!("`{path}` is missing");
            let misspelt = self.misspelt(&[key], out);
            out.report(match misspelt {
                Some((place, written, meant)) => Diagnostic::new(Code::MISSING_KEY, place, message)
                    .help(format!(
                        "`{written}` is no key here; did you mean `{meant}`?"
                    ))
                    .edit(place, meant),
                None => Diagnostic::new(Code::MISSING_KEY, self.span, message).help(help()),
            });
        }
        node
    }

    /// The key that is written where one of these was probably meant, with its place and what was meant.
    /// It is no longer reported as unknown.
    pub(super) fn misspelt<'k>(
        &self,
        keys: &[&'k str],
        out: &mut Findings<'_>,
    ) -> Option<(Span, String, &'k str)> {
        self.entries.keys().find_map(|key| {
            let place = out.span(&key.span());
            let meant = out.take_misspelt(place, keys)?;
            Some((place, clip(key.get_ref()), meant))
        })
    }

    /// An optional text; the empty text is one.
    pub(super) fn prose(&self, key: &str, out: &mut Findings<'_>) -> Option<String> {
        let node = self.get(key, out)?;
        out.leaf(|out| node.text(out)).map(|text| text.value)
    }

    /// An optional name.
    pub(super) fn name(&self, key: &str, out: &mut Findings<'_>) -> Option<Spanned<String>> {
        self.get(key, out)?.name(out)
    }

    /// A required name.
    pub(super) fn need_name(&self, key: &str, out: &mut Findings<'_>) -> Option<Spanned<String>> {
        self.need(key, out)?.name(out)
    }

    /// An optional flag.
    pub(super) fn flag(&self, key: &str, out: &mut Findings<'_>) -> Option<Spanned<bool>> {
        self.get(key, out)?.flag(out)
    }

    /// An optional list of names; missing is empty.
    pub(super) fn names(&self, key: &str, out: &mut Findings<'_>) -> Vec<Spanned<String>> {
        self.get(key, out)
            .map(|node| node.list(out, a_name))
            .unwrap_or_default()
    }

    /// The rows of an optional list of tables; missing is empty. Rows that `read` refuses are
    /// left out.
    pub(super) fn rows<T>(
        &self,
        key: &str,
        known: &[&'static str],
        out: &mut Findings<'_>,
        mut read: impl FnMut(&Table<'_>, &mut Findings<'_>) -> Option<T>,
    ) -> Vec<T> {
        let mut rows = Vec::new();
        self.each_row(key, known, out, &mut |row, out| rows.extend(read(row, out)));
        rows
    }

    fn each_row(
        &self,
        key: &str,
        known: &[&'static str],
        out: &mut Findings<'_>,
        read: &mut dyn FnMut(&Table<'_>, &mut Findings<'_>),
    ) {
        let Some(node) = self.get(key, out) else {
            return;
        };
        if node.value.is_table() {
            let help = format!("write `[[{}]]`", node.path);
            out.report(node.wrong("a list of tables").help(help));
            return;
        }
        node.each(out, &mut |row, out| {
            if let Some(table) = row.table(known, out) {
                read(&table, out);
            }
        });
    }
}

impl Node<'_> {
    /// A text.
    pub(super) fn text(&self, out: &mut Findings<'_>) -> Option<Spanned<String>> {
        if let DeValue::String(text) = self.value {
            return Some(Spanned::new(text.as_ref().to_owned(), self.span));
        }
        out.report(self.wrong("a string"));
        None
    }

    /// A text that is not empty.
    pub(super) fn name(&self, out: &mut Findings<'_>) -> Option<Spanned<String>> {
        let name = self.text(out)?;
        if name.value.is_empty() {
            self.bad("is empty", out);
            return None;
        }
        Some(name)
    }

    /// A flag.
    pub(super) fn flag(&self, out: &mut Findings<'_>) -> Option<Spanned<bool>> {
        if let DeValue::Boolean(value) = self.value {
            return Some(Spanned::new(*value, self.span));
        }
        let finding = self.wrong("a boolean");
        out.report(match self.value.as_str() {
            Some(word @ ("true" | "false")) => finding
                .help("write it without quotes")
                .edit(self.span, word),
            _ => finding.help("write `true` or `false`"),
        });
        None
    }

    /// A count.
    pub(super) fn count(&self, out: &mut Findings<'_>) -> Option<Spanned<u32>> {
        let DeValue::Integer(integer) = self.value else {
            out.report(self.wrong("an integer"));
            return None;
        };
        let count = u32::from_str_radix(integer.as_str(), integer.radix()).ok();
        if count.is_none() {
            self.bad(&format!("is not between 0 and {}", u32::MAX), out);
        }
        count.map(|count| Spanned::new(count, self.span))
    }

    /// The items of a list that `read` accepts.
    pub(super) fn list<T>(
        &self,
        out: &mut Findings<'_>,
        mut read: impl FnMut(&Node<'_>, &mut Findings<'_>) -> Option<T>,
    ) -> Vec<T> {
        let mut accepted = Vec::new();
        self.each(out, &mut |node, out| accepted.extend(read(node, out)));
        accepted
    }

    fn each(&self, out: &mut Findings<'_>, read: &mut dyn FnMut(&Node<'_>, &mut Findings<'_>)) {
        let DeValue::Array(items) = self.value else {
            let finding = self.wrong("an array");
            let written = out.written(self.span);
            out.report(if self.value.is_str() && written.len() < 80 {
                let list = format!("[{written}]");
                finding
                    .help(format!("write `{list}`"))
                    .edit(self.span, list)
            } else {
                finding
            });
            return;
        };
        for (at, item) in items.iter().enumerate() {
            let node = Node {
                value: item.get_ref(),
                span: out.span(&item.span()),
                path: Path::Item(&self.path, at),
            };
            read(&node, out);
        }
    }

    /// One item, or a list of at least one. `None` when any of them was refused.
    pub(super) fn one_or_more<T>(
        &self,
        out: &mut Findings<'_>,
        mut read: impl FnMut(&Node<'_>, &mut Findings<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let DeValue::Array(items) = self.value else {
            return read(self, out).map(|one| vec![one]);
        };
        if items.is_empty() {
            self.bad("is an empty list", out);
            return None;
        }
        let read = self.list(out, read);
        (read.len() == items.len()).then_some(read)
    }

    /// A table with the keys `known`.
    pub(super) fn table<'n>(
        &'n self,
        known: &[&'static str],
        out: &mut Findings<'_>,
    ) -> Option<Table<'n>> {
        if let DeValue::Table(entries) = self.value {
            return Some(Table::new(entries, self.span, self.path, known, out));
        }
        out.report(self.wrong("a table"));
        None
    }

    /// Whether it is a string.
    pub(super) fn is_text(&self) -> bool {
        self.value.is_str()
    }

    /// Any value, as JSON. TOML's dates and its floats that are not finite have none.
    pub(super) fn json(&self, out: &mut Findings<'_>) -> Option<Spanned<Json>> {
        match json(self.value) {
            Ok(json) => Some(Spanned::new(json, self.span)),
            Err(what) => {
                self.bad(&format!("holds {what}, which JSON cannot say"), out);
                None
            }
        }
    }

    /// Reports a value that the key cannot have.
    pub(super) fn bad(&self, what: &str, out: &mut Findings<'_>) {
        let message = format!("`{}` {what}", self.path);
        out.report(Diagnostic::new(Code::BAD_VALUE, self.span, message));
    }

    /// Reports a value that the key cannot have, with the way out.
    pub(super) fn bad_but(&self, what: &str, help: &str, out: &mut Findings<'_>) {
        let message = format!("`{}` {what}", self.path);
        out.report(Diagnostic::new(Code::BAD_VALUE, self.span, message).help(help));
    }

    /// The finding that the value has another type.
    fn wrong(&self, expected: &str) -> Diagnostic {
        let message = format!("`{}` is {}", self.path, kind(self.value));
        Diagnostic::new(Code::WRONG_TYPE, self.span, message).label(format!("expected {expected}"))
    }
}

/// A text that is not empty: [`Node::name`] as a reader of list items.
pub(super) fn a_name(node: &Node<'_>, out: &mut Findings<'_>) -> Option<Spanned<String>> {
    node.name(out)
}

/// The depth of the recursion is that of the document, which the TOML reader limits.
fn json(value: &DeValue<'_>) -> Result<Json, &'static str> {
    Ok(match value {
        DeValue::String(text) => Json::Text(text.as_ref().to_owned()),
        DeValue::Integer(integer) => {
            let value = i64::from_str_radix(integer.as_str(), integer.radix());
            Json::Int(value.map_err(|_| "an integer beyond 64 bits")?)
        }
        DeValue::Float(float) => match float.as_str().parse::<f64>() {
            Ok(value) if value.is_finite() => Json::Float(value),
            _ => return Err("a float that is not finite"),
        },
        DeValue::Boolean(value) => Json::Bool(*value),
        DeValue::Datetime(_) => return Err("a date or time"),
        DeValue::Array(items) => Json::List(
            items
                .iter()
                .map(|item| json(item.get_ref()))
                .collect::<Result<_, _>>()?,
        ),
        DeValue::Table(entries) => {
            let members = entries
                .iter()
                .map(|(key, value)| Ok((key.get_ref().as_ref().to_owned(), json(value.get_ref())?)))
                .collect::<Result<Vec<_>, &'static str>>()?;
            Json::object(members)
        }
    })
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// `` `a`, `b` and `c` ``.
pub(super) fn listed(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
