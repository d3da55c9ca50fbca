//! Sources named in a text.

use std::collections::BTreeSet;

use regex::Regex;

use super::passage::Source;

/// Finds the sources that a text names.
///
/// The paths of passages are known and found wherever they stand with line numbers, whatever
/// characters are in them. In brackets, and in a list of sources, a known path alone stands for all
/// that was shown of it, and anything else that looks like a path with lines is a source as well: one
/// that nobody has shown.
pub(super) struct Finder {
    shown: Vec<Source>,
    /// A known path and, perhaps, lines.
    known: Option<Regex>,
    /// A path-like word and lines.
    other: Regex,
}

const LINES: &str = r"(?:[:#]\s*L?|,?\s+lines?\s+)(\d+)(?:\s*[-–—]\s*L?(\d+))?";

impl Finder {
    /// A finder for these passages' sources.
    pub(super) fn new(shown: Vec<Source>) -> Result<Self, regex::Error> {
        let paths: BTreeSet<_> = shown.iter().map(|source| source.path.as_str()).collect();
        let mut paths: Vec<_> = paths.into_iter().map(regex::escape).collect();
        // `a.rs.bak` before `a.rs`: the first alternative that matches is taken.
        paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
        let known = format!(
            r"(?:^|[^\w./-])`?(?:\./)?({})`?(?:{LINES})?",
            paths.join("|")
        );
        Ok(Self {
            known: (!paths.is_empty())
                .then(|| Regex::new(&known))
                .transpose()?,
            other: Regex::new(&format!(r"([\w./~@+-]*[./][\w./~@+-]*){LINES}"))?,
            shown,
        })
    }

    /// The sources in a text, in their order, each once. A `list` holds nothing but sources.
    pub(super) fn find(&self, text: &str, list: bool) -> Vec<Source> {
        let mut found = Found::default();
        let rest = self.known(text, list, &mut found);
        if list {
            self.other(&rest, &mut found);
        } else {
            for bracketed in bracketed(&rest) {
                self.other(bracketed, &mut found);
            }
        }
        found.sources
    }

    /// Takes known sources, and gives back the text without them.
    fn known(&self, text: &str, list: bool, found: &mut Found) -> String {
        let Some(known) = &self.known else {
            return text.to_owned();
        };
        let mut rest = String::new();
        let mut end = 0;
        for taken in known.captures_iter(text) {
            let (Some(whole), Some(path)) = (taken.get(0), taken.get(1)) else {
                continue;
            };
            let lines = lines(&taken, 2);
            let names_more = |c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '-');
            // `src/a.rs` is not named by `src/a.rs/more` and `src/a.rsx`.
            let goes_on = lines.is_none() && text[path.end()..].starts_with(names_more);
            let bare = lines.is_none() && (goes_on || !(list || is_bracketed(text, path.start())));
            if bare {
                continue;
            }
            rest.push_str(&text[end..path.start()]);
            end = whole.end();
            let named = lines.map(|(first, last)| Source {
                path: path.as_str().to_owned(),
                first,
                last,
            });
            let of_path = |one: &&Source| one.path == path.as_str();
            match named {
                Some(source) => found.add(source),
                None => self
                    .shown
                    .iter()
                    .filter(of_path)
                    .cloned()
                    .for_each(|one| found.add(one)),
            }
        }
        rest.push_str(&text[end..]);
        rest
    }

    fn other(&self, text: &str, found: &mut Found) {
        for taken in self.other.captures_iter(text) {
            let Some(((first, last), path)) = lines(&taken, 2).zip(taken.get(1)) else {
                continue;
            };
            found.add(Source {
                path: path.as_str().trim_start_matches("./").to_owned(),
                first,
                last,
            });
        }
    }
}

#[derive(Default)]
struct Found {
    sources: Vec<Source>,
}

impl Found {
    fn add(&mut self, source: Source) {
        if !self.sources.contains(&source) {
            self.sources.push(source);
        }
    }
}

/// First and last line. A number that is too large for any file stays too large.
fn lines(taken: &regex::Captures<'_>, group: usize) -> Option<(usize, usize)> {
    let number = |group: usize| {
        let digits = taken.get(group)?.as_str();
        Some(digits.parse().unwrap_or(usize::MAX))
    };
    let first = number(group)?;
    Some((first, number(group + 1).unwrap_or(first)))
}

/// Whether a place is in brackets, or parentheses, that close on the same line.
fn is_bracketed(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    let before = before.rsplit('\n').next().unwrap_or(before);
    let after = after.split('\n').next().unwrap_or(after);
    [('[', ']'), ('(', ')')].into_iter().any(|(open, close)| {
        let opened = before.rfind(open);
        opened > before.rfind(close) && opened.is_some() && after.contains(close)
    })
}

/// What stands in brackets or parentheses.
fn bracketed(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(['[', '(']).skip(1);
    pieces.filter_map(|piece| piece.split([']', ')', '\n']).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, list: bool) -> Vec<String> {
        let shown = [
            "src/a.rs:1-40",
            "src/a.rs:61-80",
            "app/[id]/page two.tsx:1-9",
            "Makefile:1-3",
        ];
        let shown = shown.map(|source| source.parse().unwrap());
        let finder = Finder::new(shown.to_vec()).unwrap();
        let sources = finder.find(text, list).into_iter();
        sources.map(|source| source.to_string()).collect()
    }

    #[test]
    fn sources_in_a_claim() {
        for (text, expected) in [
            ("It retries [src/a.rs:10-14].", &["src/a.rs:10-14"][..]),
            ("It retries [src/a.rs:10]", &["src/a.rs:10-10"]),
            ("See `src/a.rs:3`, line 4.", &["src/a.rs:3-3"]),
            (
                "[./src/a.rs:10–14; Makefile:2]",
                &["src/a.rs:10-14", "Makefile:2-2"],
            ),
            ("[src/a.rs:1,src/a.rs:1]", &["src/a.rs:1-1"]),
            ("(src/a.rs#L10-L14)", &["src/a.rs:10-14"]),
            ("[src/a.rs, lines 10-14]", &["src/a.rs:10-14"]),
            ("[src/a.rs]", &["src/a.rs:1-40", "src/a.rs:61-80"]),
            ("[app/[id]/page two.tsx:3]", &["app/[id]/page two.tsx:3-3"]),
            ("[src/gone.rs:3-9]", &["src/gone.rs:3-9"]),
            ("(../etc/passwd:1)", &["../etc/passwd:1-1"]),
            (
                "[src/a.rs:99999999999999999999]",
                &["src/a.rs:18446744073709551615-18446744073709551615"],
            ),
            // Another path that ends, or begins, like a known one.
            ("[other/src/a.rs:1]", &["other/src/a.rs:1-1"]),
            ("[src/a.rs/b:1]", &["src/a.rs/b:1-1"]),
            // Words, not sources.
            (
                "The file src/a.rs retries, list[0], at 12:30, f(x), std::fs.",
                &[],
            ),
            ("It listens on gone.rs:80.", &[]),
        ] {
            assert_eq!(found(text, false), expected, "{text}");
        }
    }

    #[test]
    fn sources_in_a_list() {
        let text = "- src/a.rs:1-2\n* `Makefile`\n1. gone/b.rs:7\nnone";
        assert_eq!(
            found(text, true),
            ["src/a.rs:1-2", "Makefile:1-3", "gone/b.rs:7-7"]
        );
        assert_eq!(found("", true), Vec::<String>::new());
    }
}
