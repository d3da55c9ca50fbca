//! Text for people: cut, cleaned, aligned, and coloured where that is wanted.

use std::io::IsTerminal as _;
use std::time::Duration;

use serde_json::Value;

/// Columns of a line of somebody else's text.
const WIDTH: usize = 84;

/// Colours, or none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    on: bool,
}

impl Paint {
    /// Colours when standard output is a terminal and nobody has asked for none.
    pub(super) fn of_stdout() -> Self {
        let says = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = says("TERM").is_none_or(|term| term == "dumb");
        let on = std::io::stdout().is_terminal() && says("NO_COLOR").is_none() && !dumb;
        Self { on }
    }

    pub(super) fn is_on(self) -> bool {
        self.on
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    pub(super) fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    pub(super) fn bad(self, text: &str) -> String {
        self.with("31", text)
    }
}

/// One round.
pub(super) struct Round<'a> {
    pub(super) number: u64,
    pub(super) state: &'a str,
    pub(super) event: &'a str,
    pub(super) effect: Option<&'a str>,
    /// Tokens of the exchange that led here, and whether they are a guess.
    pub(super) tokens: Option<(u64, bool)>,
    /// How long the effect before took.
    pub(super) took: Option<Duration>,
}

impl Round<'_> {
    /// The line above the rounds.
    pub(super) fn head(paint: Paint) -> String {
        let line = format!(
            "{:>3}  {:<9}  {:<14}    {:<15}  {:>9}  {:>7}",
            "#", "state", "event", "effect", "tokens", "time"
        );
        paint.dim(&line)
    }

    pub(super) fn line(&self, paint: Paint) -> String {
        let effect = self.effect.unwrap_or_default();
        let arrow = if effect.is_empty() { ' ' } else { '→' };
        let tokens = self.tokens.map_or_else(String::new, |(tokens, guess)| {
            // A guess is marked as one.
            format!("{}{}", if guess { "~" } else { "" }, grouped(tokens))
        });
        let took = self.took.map_or_else(String::new, seconds);
        let state = paint.bold(&format!("{:<9}", self.state));
        let right = paint.dim(&format!("{tokens:>9}  {took:>7}"));
        let line = format!(
            "{:>3}  {state}  {:<14}  {arrow} {effect:<15}  {right}",
            self.number, self.event
        );
        line.trim_end().to_owned()
    }
}

/// `1234567` as `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time as people say it.
pub(super) fn seconds(time: Duration) -> String {
    let whole = time.as_secs();
    match whole {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        60..3_600 => format!("{} m {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} m", whole / 3_600, whole / 60 % 60),
    }
}

/// The first line that says something, without what would steer a terminal, cut to a width.
pub(super) fn cut(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty());
    let line = clean(line.unwrap_or_default().trim_end());
    match line.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line,
    }
}

/// Without what would steer a terminal.
pub(super) fn clean(line: &str) -> String {
    line.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// A call's arguments as a person would write them: a command, a path, or else the JSON.
pub(super) fn arguments(text: &str) -> String {
    let parsed: Value = serde_json::from_str(text).unwrap_or_default();
    let words = |list: &Value| {
        let words: Option<Vec<_>> = list.as_array()?.iter().map(Value::as_str).collect();
        Some(words?.join(" "))
    };
    let plain = words(&parsed["argv"])
        .or_else(|| parsed["path"].as_str().map(str::to_owned))
        .or_else(|| parsed["file"].as_str().map(str::to_owned))
        .or_else(|| {
            parsed["checks"]
                .as_str()
                .map(|_| "checks of its own".to_owned())
        });
    cut(plain.as_deref().unwrap_or(text))
}

/// The reasons of a failed proof: each heading with its first reasons, and how many more there are.
pub(super) fn reasons(text: &str) -> Vec<String> {
    const SHOWN: usize = 2;
    const LINES: usize = 24;
    let mut lines = Vec::new();
    let mut below = 0;
    let more = |lines: &mut Vec<String>, below: usize| {
        if below > SHOWN {
            lines.push(format!("  … and {} more", below - SHOWN));
        }
    };
    for line in text.lines() {
        if line.starts_with("  - ") {
            below += 1;
            if below <= SHOWN {
                lines.push(cut(line));
            }
        } else {
            more(&mut lines, below);
            below = 0;
            lines.push(cut(line));
        }
    }
    more(&mut lines, below);
    if lines.len() > LINES {
        let rest = lines.len() - LINES;
        lines.truncate(LINES);
        lines.push(format!("… and {rest} more lines"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Paint = Paint { on: false };

    #[test]
    fn rounds_are_aligned_below_their_head() {
        let round = Round {
            number: 7,
            state: "Thinking",
            event: "ModelToolCalls",
            effect: Some("RunTools"),
            tokens: Some((12_345, true)),
            took: Some(Duration::from_millis(1_250)),
        };
        let head = Round::head(PLAIN);
        let line = round.line(PLAIN);
        assert_eq!(
            [&*head, &*line].join("\n"),
            "  #  state      event             effect              tokens     time\n  \
               7  Thinking   ModelToolCalls  → RunTools           ~12,345    1.2 s"
        );
        let end = Round {
            effect: None,
            tokens: None,
            took: None,
            ..round
        };
        assert_eq!(end.line(PLAIN), "  7  Thinking   ModelToolCalls");
        assert!(end.line(Paint { on: true }).contains("\x1b[1mThinking"));
    }

    #[test]
    fn somebody_elses_text_does_not_steer_the_terminal() {
        assert_eq!(cut("\n \n\x1b[2Jone\ttwo\r\nthree"), " [2Jone two");
        let long = cut(&"ä".repeat(500));
        assert_eq!(long.chars().count(), WIDTH + 1);
    }

    #[test]
    fn arguments_are_shown_as_a_person_writes_them() {
        assert_eq!(arguments(r#"{"argv":["cargo","test"]}"#), "cargo test");
        assert_eq!(arguments(r#"{"edits":[],"path":"src/a.rs"}"#), "src/a.rs");
        assert_eq!(arguments(r#"{"checks":"x"}"#), "checks of its own");
        assert_eq!(arguments(r#"{"other":1}"#), r#"{"other":1}"#);
        assert_eq!(arguments("{broken"), "{broken");
    }

    #[test]
    fn reasons_are_few_and_counted() {
        let text = "check \"a\":\n  - one\n  - two\n  - three\n  - four\ncheck \"b\":\n  - one";
        assert_eq!(
            reasons(text),
            [
                "check \"a\":",
                "  - one",
                "  - two",
                "  … and 2 more",
                "check \"b\":",
                "  - one"
            ]
        );
        assert_eq!(reasons(&"line\n".repeat(100)).len(), 25);
    }

    #[test]
    fn numbers_and_times() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "1,234,567"]
        );
        let shown = |secs| seconds(Duration::from_secs(secs));
        assert_eq!([5, 65, 3_700].map(shown), ["5.0 s", "1 m 05 s", "1 h 01 m"]);
    }
}
