//! How wide text is, and where lines break.

use crate::contract::Semantics;
use crate::emit::picture::Label;

/// A piece of a line in one look.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) look: Look,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Event,
    /// An event of the run that stands out.
    Taken,
    /// An event that several machines take at once.
    Shared,
    /// What one machine has to do with another.
    Bridge,
    Guard,
    Effect(Semantics),
    Semantics(Semantics),
}

/// A line of a label.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub(super) spans: Vec<Span>,
}

/// Size of the text of labels.
pub(super) const SIZE: f64 = 11.0;
/// Height of a line of it.
pub(super) const LINE: f64 = 14.0;
/// Lines are broken where they would get wider.
const WIDE: f64 = 170.0;

impl Line {
    pub(super) fn width(&self) -> f64 {
        let spans = self.spans.iter();
        spans
            .map(|span| {
                width(
                    &span.text,
                    SIZE,
                    !matches!(
                        span.look,
                        Look::Guard | Look::Effect(_) | Look::Semantics(_)
                    ),
                )
            })
            .sum()
    }
}

/// Width and height of lines.
pub(super) fn size(lines: &[Line]) -> (f64, f64) {
    let wide = lines.iter().map(Line::width).fold(0.0, f64::max);
    let lines = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    (wide, f64::from(lines) * LINE + 4.0)
}

/// The lines of an arrow's labels: events, guard, effect, broken between words.
pub(super) fn label_lines(labels: &[Label]) -> Vec<Line> {
    let mut lines = Vec::new();
    for label in labels {
        let mut words: Vec<Vec<Span>> = Vec::new();
        let last = label.events.len().saturating_sub(1);
        for (at, event) in label.events.iter().enumerate() {
            let comma = if at < last { "," } else { "" };
            let look = match (event.steps.as_slice(), event.shared) {
                ([], false) => Look::Event,
                ([], true) => Look::Shared,
                _ => Look::Taken,
            };
            words.push(vec![Span {
                text: format!("{}{comma}", event.text()),
                look,
            }]);
        }
        if let Some(guard) = &label.guard {
            words.push(vec![Span {
                text: format!("[{guard}]"),
                look: Look::Guard,
            }]);
        }
        if let Some((effect, semantics)) = &label.effect {
            words.push(vec![
                Span {
                    text: format!("/ {effect}"),
                    look: Look::Effect(*semantics),
                },
                Span {
                    text: format!(" {semantics}"),
                    look: Look::Semantics(*semantics),
                },
            ]);
        }
        lines.extend(broken(words));
    }
    lines
}

fn broken(words: Vec<Vec<Span>>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for mut word in words {
        let more = Line {
            spans: word.clone(),
        };
        match lines.last_mut() {
            Some(line) if line.width() + more.width() <= WIDE => {
                word[0].text.insert(0, ' ');
                line.spans.extend(word);
            }
            _ => lines.push(more),
        }
    }
    lines
}

/// Breaks prose where it gets wider than so much.
pub(super) fn wrapped(text: &str, size: f64, wide: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let longer = if lines[last].is_empty() {
            word.to_owned()
        } else {
            format!("{} {word}", lines[last])
        };
        if width(&longer, size, false) <= wide || lines[last].is_empty() {
            lines[last] = longer;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// About how wide a text is in a font like Helvetica, in user units.
pub(super) fn width(text: &str, size: f64, bold: bool) -> f64 {
    let thousandths: u32 = text.chars().map(|c| advance(c, bold)).sum();
    f64::from(thousandths) * size / 1000.0
}

/// The advance of a character, by kinds of similar width.
fn advance(c: char, bold: bool) -> u32 {
    let regular = match c {
        'i' | 'j' | 'l' | '\'' => 222,
        ' ' | ',' | '.' | ':' | ';' | '/' | '!' | '[' | ']' | 'I' | 'f' | 't' => 280,
        '(' | ')' | '-' | 'r' => 333,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' | 'J' => 500,
        'm' | 'M' => 833,
        'w' | 'C' | 'D' | 'H' | 'N' | 'R' | 'U' => 722,
        'A' | 'B' | 'E' | 'K' | 'P' | 'S' | 'V' | 'X' | 'Y' => 667,
        'F' | 'T' | 'Z' => 611,
        'G' | 'O' | 'Q' => 778,
        'W' => 944,
        c if c.is_ascii() => 556,
        _ => 1000,
    };
    if bold { regular + 50 } else { regular }
}
