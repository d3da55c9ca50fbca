//! Places in source files.

use std::fmt;
use std::ops::Deref;

/// Index of a file in [`Sources`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u32);

impl fmt::Debug for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// A byte range in a file. The default is the empty range at the start of the first file: the
/// place of data that was built in code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}:{}..{}", self.file, self.start, self.end)
    }
}

impl Span {
    /// The range `start..end` of `file`.
    pub const fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }
}

/// A value and where it was written. Compares and hashes with its place: strip spans first
/// where two files may say the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// `value`, written at `span`.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> From<T> for Spanned<T> {
    fn from(value: T) -> Self {
        Self::new(value, Span::default())
    }
}

impl From<&str> for Spanned<String> {
    fn from(value: &str) -> Self {
        Self::new(value.to_owned(), Span::default())
    }
}

/// One file: its display path and its text.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as diagnostics show it: relative, with `/`.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// The first byte of each line.
    lines: Vec<u32>,
    /// How many characters start before each multiple of [`STRIDE`], so that a position on a
    /// very long line costs no more than one on a short one.
    characters: Vec<u32>,
}

const STRIDE: usize = 1024;

/// How many characters start in `bytes`, a part of UTF-8 text.
fn characters(bytes: &[u8]) -> u32 {
    let starts = bytes.iter().filter(|byte| **byte & 0xC0 != 0x80);
    u32::try_from(starts.count()).unwrap_or(u32::MAX)
}

impl Source {
    /// A file of this path and text.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut lines = vec![0];
        lines.extend(
            text.bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX)),
        );
        let mut before = 0;
        let chunks = text.as_bytes().chunks(STRIDE);
        let characters = std::iter::once(0)
            .chain(chunks.map(|chunk| {
                before += characters(chunk);
                before
            }))
            .collect();
        Self {
            path: path.into(),
            text,
            lines,
            characters,
        }
    }

    /// Line and column of a byte, both from 1; the column counts characters.
    pub fn position(&self, byte: u32) -> (u32, u32) {
        let line = self.lines.partition_point(|start| *start <= byte).max(1) - 1;
        let column = self.before(byte) - self.before(self.lines[line]);
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        (line.saturating_add(1), column + 1)
    }

    /// How many characters start before a byte.
    fn before(&self, byte: u32) -> u32 {
        let byte = (byte as usize).min(self.text.len());
        let mark = byte / STRIDE;
        self.characters[mark] + characters(&self.text.as_bytes()[mark * STRIDE..byte])
    }

    /// The first byte of a line, counted from 1; of a line past the last, the end of the text.
    pub fn line_start(&self, number: u32) -> u32 {
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        let at = (number.max(1) - 1) as usize;
        self.lines.get(at).copied().unwrap_or(end)
    }

    /// The text of a line, counted from 1, without its line end.
    pub fn line(&self, number: u32) -> &str {
        let at = (number.max(1) - 1) as usize;
        let Some(start) = self.lines.get(at) else {
            return "";
        };
        let end = self
            .lines
            .get(at + 1)
            .map_or(self.text.len(), |next| *next as usize);
        self.text
            .get(*start as usize..end)
            .unwrap_or("")
            .trim_end_matches(['\n', '\r'])
    }
}

/// The files that spans point into.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a file.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(Source::new(path, text));
        id
    }

    /// Adds the files of others, with something before their paths. Gives how many files were here
    /// before: what an id of the others grows by.
    pub fn append(&mut self, others: &Self, before: &str) -> u32 {
        let first = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        for file in &others.files {
            self.add(format!("{before}{}", file.path), file.text.clone());
        }
        first
    }

    /// The file of an id, when it is one of ours.
    pub fn get(&self, id: FileId) -> Option<&Source> {
        self.files.get(id.0 as usize)
    }

    /// All files, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        self.files
            .iter()
            .enumerate()
            .map(|(at, file)| (FileId(u32::try_from(at).unwrap_or(u32::MAX)), file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        let source = Source::new("a.toml", "a = 1\nname = \"é\" # x\n");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position(6), (2, 1));
        // `é` is two bytes and one column.
        assert_eq!(source.position(6 + 11), (2, 11));
        assert_eq!(source.line(2), "name = \"é\" # x");
        assert_eq!(source.line(9), "");
    }

    #[test]
    fn positions_on_long_lines_are_exact() {
        let text = format!("x\n{}", "aé€".repeat(2_000));
        let source = Source::new("a.toml", text.clone());
        let line = &text[2..];
        for (column, (byte, _)) in line.char_indices().enumerate() {
            let place = source.position(u32::try_from(byte + 2).unwrap());
            assert_eq!(place, (2, u32::try_from(column + 1).unwrap()));
        }
        assert_eq!(source.position(u32::MAX), (2, 6_001));
    }
}
