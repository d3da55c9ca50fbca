//! A passage of a file: some of its lines, under the name of where they stand.

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

/// Characters of a line that are shown; generated files have lines that nobody reads.
const WIDTH: usize = 240;

/// Where lines stand: `path:first-last`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Relative to the repository, with `/` between its parts.
    pub path: String,
    /// The first line, from 1.
    pub first: usize,
    /// The last line.
    pub last: usize,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}-{}", self.path, self.first, self.last)
    }
}

/// Not of the form `path:first-last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotASource;

impl FromStr for Source {
    type Err = NotASource;

    fn from_str(text: &str) -> Result<Self, NotASource> {
        let (path, lines) = text.rsplit_once(':').ok_or(NotASource)?;
        let (first, last) = lines.split_once('-').ok_or(NotASource)?;
        let number = |text: &str| text.parse::<usize>().map_err(|_| NotASource);
        Ok(Self {
            path: path.to_owned(),
            first: number(first)?,
            last: number(last)?,
        })
    }
}

/// The passage of a file's text: its source on the first line, then its lines with their numbers.
/// None when the file has no such lines.
pub fn render(text: &str, source: &Source) -> Option<String> {
    let count = source.last.checked_sub(source.first)? + 1;
    let skipped = source.first.checked_sub(1)?;
    let mut out = source.to_string();
    let mut number = skipped;
    for line in text.lines().skip(skipped).take(count) {
        number += 1;
        let line = line.trim_end();
        let _ = match line.char_indices().nth(WIDTH) {
            Some((cut, _)) => write!(out, "\n{number:>4} | {}…", &line[..cut]),
            None => write!(out, "\n{number:>4} | {line}"),
        };
    }
    (number == source.last).then_some(out)
}

/// Where a passage stands, by its first line.
pub fn source_of(passage: &str) -> Option<Source> {
    passage.lines().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_reads_as_it_is_written() {
        let source = Source {
            path: "docs/a: b.md".into(),
            first: 3,
            last: 14,
        };
        assert_eq!(source.to_string(), "docs/a: b.md:3-14");
        assert_eq!("docs/a: b.md:3-14".parse(), Ok(source));
        for wrong in ["", "a.rs", "a.rs:1", "a.rs:1-", "a.rs:x-2", "a.rs:1-2-3"] {
            assert_eq!(wrong.parse::<Source>(), Err(NotASource), "{wrong}");
        }
    }

    #[test]
    fn a_passage_has_its_source_and_numbered_lines() {
        let source = |first, last| Source {
            path: "a.rs".into(),
            first,
            last,
        };
        let text = "one\ntwo  \r\nthree\n";
        let passage = render(text, &source(2, 3)).unwrap();
        assert_eq!(passage, "a.rs:2-3\n   2 | two\n   3 | three");
        assert_eq!(source_of(&passage), Some(source(2, 3)));
        for (first, last) in [(0, 1), (3, 4), (3, 2), (9, 9)] {
            assert_eq!(render(text, &source(first, last)), None, "{first}-{last}");
        }
        let long = render(&"ä".repeat(500), &source(1, 1)).unwrap();
        assert_eq!(long.chars().filter(|c| *c == 'ä').count(), WIDTH);
    }
}
