//! For people, in the look of rustc.

use std::fmt::Write as _;

use super::place::Place;
use super::summary;
use super::trace;
use crate::contract::{Source, Sources, Span};
use crate::diagnostic::{Diagnostic, Edit, Related, Severity, Trace};

/// Whether to write terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Colour {
    /// Plain text.
    #[default]
    Never,
    /// ANSI escapes.
    Always,
}

/// How many characters of a line are shown.
const WIDTH: usize = 120;

/// How many characters are shown before the caret on a line that is too long.
const LEAD: usize = 40;

/// How many lines of an edit are shown.
const EDIT_LINES: usize = 8;

/// The most findings that a person is shown whole.
const MOST: usize = 100;

/// The most findings of a line each that a person is shown.
const MOST_LINES: usize = 10;

/// Where all findings are.
const ALL: &str = "`agent space check --format json` names all of them";

/// The findings in rustc's look, with an empty line after each. Tabs are shown as four spaces;
/// characters that would move the cursor or turn the direction of writing as `�`; of a line
/// longer than 120 characters only the part around the place. Of more than 100 findings the first
/// are shown, and the rest is counted.
pub fn human(diagnostics: &[Diagnostic], sources: &Sources, colour: Colour) -> String {
    let mut out = String::new();
    let (shown, rest) = diagnostics.split_at(diagnostics.len().min(MOST));
    for one in shown {
        let severity = one.severity();
        let said = Said {
            word: format!("{}[{}]", severity.name(), one.code),
            tint: tint(severity),
            message: &one.message,
            span: one.span,
            label: &one.label,
            related: &one.related,
            trace: one.trace.as_ref(),
            help: one.help.as_deref(),
            edit: one.edit.as_ref(),
        };
        block(&said, sources, colour, &mut out);
        out.push('\n');
    }
    if !rest.is_empty() {
        let _ = writeln!(out, "… and {} more: {ALL}\n", summary(rest));
    }
    out
}

/// The findings in a line each, and an empty line after them: word, message, place. Of more than ten
/// the first are shown, and the rest is counted.
pub fn lines(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    let (shown, rest) = diagnostics.split_at(diagnostics.len().min(MOST_LINES));
    for one in shown {
        let place = Place::of(one.span, sources);
        let place = format!("{}:{}:{}", clean(place.path), place.line, place.column);
        let (word, message) = (one.severity().name(), clean(&one.message));
        let _ = writeln!(out, "{word}[{}]: {message}  {place}", one.code);
    }
    if !rest.is_empty() {
        let _ = writeln!(out, "… and {} more: {ALL}", summary(rest));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// What a block says: a finding of the gates, or of another room.
pub(crate) struct Said<'d> {
    /// The word before the message, with its code.
    pub(crate) word: String,
    /// Its ANSI colour, and that of the caret.
    pub(crate) tint: &'static str,
    pub(crate) message: &'d str,
    pub(crate) span: Span,
    pub(crate) label: &'d str,
    pub(crate) related: &'d [Related],
    /// The run that shows it.
    pub(crate) trace: Option<&'d Trace>,
    pub(crate) help: Option<&'d str>,
    pub(crate) edit: Option<&'d Edit>,
}

/// Writes a block, without an empty line after it.
pub(crate) fn block(said: &Said<'_>, sources: &Sources, colour: Colour, out: &mut String) {
    Block::new(said, sources, colour).write(out);
}

/// A place to underline.
struct Mark<'d> {
    span: Span,
    text: &'d str,
    primary: bool,
}

struct Block<'d> {
    finding: &'d Said<'d>,
    sources: &'d Sources,
    colour: Colour,
    /// Width of the line numbers.
    gutter: usize,
}

impl<'d> Block<'d> {
    fn new(finding: &'d Said<'d>, sources: &'d Sources, colour: Colour) -> Self {
        let spans = std::iter::once(finding.span)
            .chain(finding.related.iter().map(|related| related.span))
            .chain(finding.edit.map(|edit| edit.span));
        let last = spans.map(|span| Place::of(span, sources).line).max();
        Self {
            finding,
            sources,
            colour,
            gutter: last.unwrap_or(1).to_string().len(),
        }
    }

    fn write(&self, out: &mut String) {
        let finding = self.finding;
        let head = self.paint(finding.tint, &finding.word);
        let message = self.paint("1", &format!(": {}", clean(finding.message)));
        let _ = writeln!(out, "{head}{message}");

        let related = finding.related.iter().map(|related| Mark {
            span: related.span,
            text: &related.message,
            primary: false,
        });
        let mut marks: Vec<Mark<'_>> = related.collect();
        marks.insert(
            0,
            Mark {
                span: finding.span,
                text: finding.label,
                primary: true,
            },
        );
        // The primary file comes first, the others by their first mention.
        let mut files = Vec::new();
        for mark in &marks {
            if !files.contains(&mark.span.file) {
                files.push(mark.span.file);
            }
        }
        for (at, file) in files.iter().enumerate() {
            let mut here: Vec<&Mark<'_>> = Vec::new();
            let mut first = None;
            for mark in marks.iter().filter(|mark| mark.span.file == *file) {
                first.get_or_insert(mark.span);
                let before = here.iter().take_while(|other| other.span <= mark.span);
                here.insert(before.count(), mark);
            }
            let first = Place::of(first.unwrap_or_default(), self.sources);
            let arrow = if at == 0 { "-->" } else { ":::" };
            let arrow = self.paint("1;34", arrow);
            let pad = " ".repeat(self.gutter);
            let Place {
                path, line, column, ..
            } = first;
            let _ = writeln!(out, "{pad}{arrow} {}:{line}:{column}", clean(path));
            if let Some(source) = self.sources.get(*file).filter(|file| !file.text.is_empty()) {
                self.snippet(source, &here, out);
            }
        }
        self.run(out);
        self.way_out(out);
    }

    /// The run that shows it.
    fn run(&self, out: &mut String) {
        let Some(run) = self.finding.trace else {
            return;
        };
        let pad = " ".repeat(self.gutter);
        self.bar("", out);
        let sign = self.paint("1;34", "=");
        for (at, line) in trace::lines(run, self.sources).iter().enumerate() {
            if at == 0 {
                let _ = writeln!(out, "{pad} {sign} {}", clean(line));
            } else {
                let _ = writeln!(out, "{pad}     {}", clean(line));
            }
        }
    }

    /// The lines of the marks, each with its caret runs below.
    fn snippet(&self, source: &Source, marks: &[&Mark<'_>], out: &mut String) {
        self.bar("", out);
        let mut shown = None;
        for mark in marks {
            let (line, _) = source.position(mark.span.start);
            let window = Window::around(source, line, mark.span);
            if shown != Some(line) || window.cut {
                if shown.is_some_and(|before| before + 1 < line) {
                    out.push_str("...\n");
                }
                self.numbered(line, "|", &window.text, out);
                shown = Some(line);
            }
            let (sign, tint) = if mark.primary {
                ("^", self.finding.tint)
            } else {
                ("-", "1;34")
            };
            let run = sign.repeat(window.length);
            let label = clean(mark.text);
            let run = self.paint(tint, format!("{run} {label}").trim_end());
            self.bar(&format!("{}{run}", " ".repeat(window.start)), out);
        }
    }

    /// Help, and the suggested edit as a diff.
    fn way_out(&self, out: &mut String) {
        let (help, edit) = (self.finding.help, self.finding.edit);
        let diff = edit.and_then(|edit| {
            let source = self.sources.get(edit.span.file)?;
            diff(source, edit)
        });
        let word = self.paint("1;36", "help");
        if let Some((first, removed, added)) = diff {
            let text = clean(help.unwrap_or("make this edit"));
            let _ = writeln!(out, "{word}: {text}");
            self.bar("", out);
            for (sign, tint, lines) in [("-", "31", removed), ("+", "32", added)] {
                for (number, text) in (first..).zip(&lines) {
                    self.numbered(number, &self.paint(tint, sign), text, out);
                }
            }
        } else if let Some(help) = help {
            let pad = " ".repeat(self.gutter);
            self.bar("", out);
            let sign = self.paint("1;34", "=");
            for (at, line) in help.lines().enumerate() {
                if at == 0 {
                    let _ = writeln!(out, "{pad} {sign} {word}: {}", clean(line));
                } else {
                    let _ = writeln!(out, "{pad}         {}", clean(line));
                }
            }
        }
    }

    fn numbered(&self, line: u32, sign: &str, text: &str, out: &mut String) {
        let number = self.paint("1;34", &format!("{line:>width$}", width = self.gutter));
        let _ = writeln!(out, "{}", format!("{number} {sign} {text}").trim_end());
    }

    fn bar(&self, text: &str, out: &mut String) {
        let bar = self.paint("1;34", "|");
        let line = format!("{} {bar} {text}", " ".repeat(self.gutter));
        let _ = writeln!(out, "{}", line.trim_end());
    }

    fn paint(&self, tint: &str, text: &str) -> String {
        match self.colour {
            Colour::Never => text.to_owned(),
            Colour::Always => format!("\u{1b}[{tint}m{text}\u{1b}[0m"),
        }
    }
}

const fn tint(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Note => "1;32",
    }
}

/// The part of a line that is shown, and where in it the caret run is.
struct Window {
    text: String,
    start: usize,
    length: usize,
    cut: bool,
}

impl Window {
    fn around(source: &Source, number: u32, span: Span) -> Self {
        let line = source.line(number);
        let offset = source.line_start(number);
        let at = |byte: u32| floor(line, byte.saturating_sub(offset) as usize);
        let (start, end) = (at(span.start), at(span.end.max(span.start)));
        let left = cut(line, start, end);
        let right = line[left..]
            .char_indices()
            .nth(WIDTH)
            .map_or(line.len(), |(length, _)| left + length);
        let ellipsis = if left > 0 { "..." } else { "" };
        let before = clean(&line[left..start]);
        let marked = clean(&line[start..end.min(right).max(start)]);
        let mut text = format!("{ellipsis}{}", clean(&line[left..right]));
        if right < line.len() {
            text.push_str("...");
        }
        Self {
            text,
            start: ellipsis.len() + before.chars().count(),
            length: marked.chars().count().max(1),
            cut: left > 0 || right < line.len(),
        }
    }
}

/// Where the shown part of a line starts: at its start when the marked part is shown then.
fn cut(line: &str, start: usize, end: usize) -> usize {
    if line.chars().nth(WIDTH).is_none() || line[..end].chars().nth(WIDTH).is_none() {
        return 0;
    }
    let mut before = line[..start].char_indices().rev();
    before.nth(LEAD - 1).map_or(0, |(at, _)| at)
}

/// The first line number, the lines before the edit, and those after it; `None` when it is too
/// large to show.
fn diff(source: &Source, edit: &Edit) -> Option<(u32, Vec<String>, Vec<String>)> {
    let Span { start, end, .. } = edit.span;
    let (first, _) = source.position(start);
    let (last, _) = source.position(end.max(start));
    let (from, to) = (source.line_start(first), source.line_start(last));
    let to = to + u32::try_from(source.line(last).len()).ok()?;
    let text = &source.text;
    let before = text.get(from as usize..to as usize)?;
    let head = text.get(from as usize..start as usize)?;
    let tail = text.get(end as usize..(to as usize).max(end as usize))?;
    let limit = EDIT_LINES * WIDTH;
    if before.len() > limit || edit.text.len() > limit {
        return None;
    }
    let lines = |text: &str| text.lines().map(clean).collect::<Vec<_>>();
    let (mut removed, mut added) = (lines(before), lines(&format!("{head}{}{tail}", edit.text)));
    // An insertion of whole lines shows only these.
    if start == end && added.ends_with(&removed) {
        added.truncate(added.len() - removed.len());
        removed.clear();
    }
    let shown = removed.len().max(added.len()) <= EDIT_LINES;
    shown.then_some((first, removed, added))
}

/// The nearest character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A text as a terminal may print it.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => cleaned.push_str("    "),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => cleaned.push('\u{fffd}'),
            c if c.is_control() => cleaned.push('\u{fffd}'),
            c => cleaned.push(c),
        }
    }
    cleaned
}
