//! The sentences below a picture.

use std::fmt::Write as _;

use super::markup::{N, escaped};
use super::paint::{INK, SHARED};
use super::text::{LINE, SIZE, wrapped};
use crate::contract::Invariant;
use crate::emit::promise::promise;

/// Sentences broken into lines.
pub(super) struct Legend {
    sentences: Vec<Sentence>,
    wide: f64,
}

struct Sentence {
    /// How it begins, in bold.
    lead: String,
    color: &'static str,
    lines: Vec<String>,
}

impl Legend {
    /// Nothing yet, below a picture of this width.
    pub(super) fn new(wide: f64) -> Self {
        Self {
            sentences: Vec::new(),
            wide,
        }
    }

    /// With promises.
    pub(super) fn promises<'i>(
        mut self,
        invariants: impl IntoIterator<Item = &'i Invariant>,
    ) -> Self {
        for one in invariants {
            let rest = format!(": {}", promise(one));
            self.push(&one.name.value, INK, &rest);
        }
        self
    }

    /// With an event that several take at once.
    pub(super) fn shared(mut self, event: &str, rest: &str) -> Self {
        self.push(event, SHARED, &format!(" {rest}"));
        self
    }

    fn push(&mut self, lead: &str, color: &'static str, rest: &str) {
        // The lead is bold, so a little wider.
        let lines = wrapped(&format!("{lead}{rest}"), SIZE, (self.wide - 48.0) * 0.96);
        self.sentences.push(Sentence {
            lead: lead.to_owned(),
            color,
            lines,
        });
    }

    pub(super) fn height(&self) -> f64 {
        if self.sentences.is_empty() {
            return 0.0;
        }
        let lines: usize = self.sentences.iter().map(|one| one.lines.len()).sum();
        f64::from(u32::try_from(lines).unwrap_or(u32::MAX)) * LINE + 24.0
    }

    pub(super) fn paint(&self, out: &mut String, top: f64) {
        if self.sentences.is_empty() {
            return;
        }
        let _ = writeln!(
            out,
            "<path d=\"M18 {}H{}\" stroke=\"#d0d7de\"/>",
            N(top + 4.0),
            N(self.wide - 18.0)
        );
        let mut y = top + 8.0;
        for one in &self.sentences {
            for (at, line) in one.lines.iter().enumerate() {
                y += LINE;
                let (x, text) = match line.strip_prefix(one.lead.as_str()).filter(|_| at == 0) {
                    Some(rest) => {
                        let (lead, rest) = (escaped(&one.lead), escaped(rest));
                        let fill = match one.color {
                            INK => String::new(),
                            color => format!(" fill=\"{color}\""),
                        };
                        (
                            18.0,
                            format!("<tspan font-weight=\"bold\"{fill}>{lead}</tspan>{rest}"),
                        )
                    }
                    None => (30.0, escaped(line)),
                };
                let _ = writeln!(out, "<text x=\"{}\" y=\"{}\">{text}</text>", N(x), N(y));
            }
        }
    }
}
