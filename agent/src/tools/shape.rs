//! Long text made short without losing what matters: the first and last lines, the lines that speak
//! of errors, and an exact account of what is left out.

use std::fmt::Write as _;

/// How much of a text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// Lines from the beginning.
    pub head: usize,
    /// Lines from the end, which has priority: verdicts stand there.
    pub tail: usize,
    /// Lines in between that speak of errors.
    pub errors: usize,
    /// Bytes in all, notices not counted.
    pub bytes: usize,
    /// Bytes of one line.
    pub line: usize,
}

impl Cap {
    /// One stream of a command.
    pub const STREAM: Self = Self {
        head: 40,
        tail: 80,
        errors: 40,
        bytes: 10_000,
        line: 500,
    };

    /// A tool's whole result: the last guard, above what the tools themselves show.
    pub const RESULT: Self = Self {
        head: 1_500,
        tail: 1_500,
        errors: 0,
        bytes: 40_000,
        line: 4_000,
    };
}

/// A text within its cap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shaped {
    /// What is shown, with a notice where something is left out.
    pub text: String,
    /// Lines shown, wholly or in part.
    pub shown_lines: usize,
    /// Lines left out; with those shown the number there were.
    pub omitted_lines: usize,
    /// Bytes left out, from lines shown in part as well.
    pub omitted_bytes: usize,
}

/// Begins every notice. Tools that write files refuse text that holds one: models copy what they
/// were shown.
pub const NOTICE: &str = "⟪omitted: ";

/// Fits `text` into `cap`.
pub fn shape(text: &str, cap: Cap) -> Shaped {
    let lines: Vec<&str> = text.lines().collect();
    let shown = choose(&lines, cap);
    let mut out = String::with_capacity(text.len().min(cap.bytes + 200));
    let mut omitted_lines = 0;
    let mut omitted_bytes = 0;
    let mut gap = 0;
    for (line, shown) in lines.iter().zip(&shown) {
        if !shown {
            gap += 1;
            omitted_lines += 1;
            omitted_bytes += line.len() + 1;
            continue;
        }
        notice(&mut out, gap);
        gap = 0;
        let kept = clip(line, cap.line);
        out.push_str(kept);
        if kept.len() < line.len() {
            let cut = line.len() - kept.len();
            omitted_bytes += cut;
            let _ = write!(out, "{NOTICE}{cut} bytes of this line⟫");
        }
        out.push('\n');
    }
    notice(&mut out, gap);
    if out.ends_with('\n') && !text.ends_with('\n') {
        out.pop();
    }
    Shaped {
        text: out,
        shown_lines: lines.len() - omitted_lines,
        omitted_lines,
        omitted_bytes,
    }
}

fn notice(out: &mut String, gap: usize) {
    if gap > 0 {
        let lines = if gap == 1 { "line" } else { "lines" };
        let _ = writeln!(out, "{NOTICE}{gap} {lines}⟫");
    }
}

/// Which lines are shown.
fn choose(lines: &[&str], cap: Cap) -> Vec<bool> {
    let mut shown = vec![false; lines.len()];
    let mut left = cap.bytes;
    let cost = |line: &str| line.len().min(cap.line) + 1;
    let mut take = |indexes: &mut dyn Iterator<Item = usize>, count: usize, reserve: usize| {
        for index in indexes.take(count) {
            let price = cost(lines[index]);
            if shown[index] || price + reserve > left {
                break;
            }
            shown[index] = true;
            left -= price;
        }
    };
    if lines.iter().map(|line| cost(line)).sum::<usize>() <= cap.bytes
        && lines.len() <= cap.head + cap.tail
    {
        return vec![true; lines.len()];
    }
    // The end leaves half of the room, the beginning half of that, the errors take the rest.
    take(&mut (0..lines.len()).rev(), cap.tail, cap.bytes / 2);
    take(&mut (0..lines.len()), cap.head, cap.bytes / 4);
    let mut errors = 0;
    for (index, line) in lines.iter().enumerate() {
        if errors == cap.errors {
            break;
        }
        if !shown[index] && speaks_of_error(line) && cost(line) <= left {
            shown[index] = true;
            left -= cost(line);
            errors += 1;
        }
    }
    shown
}

fn speaks_of_error(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "error",
        "panicked",
        "failed",
        "failure",
        "exception",
        "fatal",
        "mismatch",
        "not found",
    ];
    let line = line.to_lowercase();
    WORDS.iter().any(|word| line.contains(word)) && !line.contains("0 failed")
}

fn clip(line: &str, bytes: usize) -> &str {
    &line[..line.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn short_text_is_left_alone() {
        for text in ["", "a", "a\n", "a\n\nb\n"] {
            let shaped = shape(text, Cap::STREAM);
            assert_eq!(shaped.text, text);
            assert_eq!((shaped.omitted_lines, shaped.omitted_bytes), (0, 0));
        }
    }

    #[test]
    fn the_end_and_the_errors_survive() {
        let mut lines: Vec<String> = (0..30_000).map(|n| format!("compiling {n}")).collect();
        lines[15_000] = "error[E0308]: mismatched types".to_owned();
        lines.push("test result: FAILED. 1 passed; 1 failed".to_owned());
        let shaped = shape(&lines.join("\n"), Cap::STREAM);
        assert!(shaped.text.starts_with("compiling 0\n"));
        assert!(shaped.text.contains("error[E0308]"));
        assert!(shaped.text.ends_with("1 failed"));
        assert_eq!(shaped.shown_lines + shaped.omitted_lines, lines.len());
        assert_eq!(shaped.shown_lines, 121);
    }

    proptest! {
        #[test]
        fn the_account_is_exact(
            lines in proptest::collection::vec(".{0,60}|error .{0,9}", 0..80),
            head in 0..20_usize, tail in 0..20_usize, errors in 0..5_usize,
            bytes in 0..900_usize, line in 1..50_usize,
        ) {
            let text: String = lines
                .iter()
                .flat_map(|line| [line.replace(['\r', '\n'], " "), "\n".to_owned()])
                .collect();
            let cap = Cap { head, tail, errors, bytes, line };
            let shaped = shape(&text, cap);
            prop_assert_eq!(shaped.shown_lines + shaped.omitted_lines, lines.len());
            let shown = shaped.text.lines()
                .filter(|line| !line.starts_with(NOTICE) || line.contains("bytes of this"))
                .map(|line| line.split(NOTICE).next().map_or(0, str::len) + 1)
                .sum::<usize>();
            prop_assert_eq!(shown + shaped.omitted_bytes, text.len());
            prop_assert!(shown <= bytes.max(1) || shaped.omitted_lines == 0);
        }
    }
}
