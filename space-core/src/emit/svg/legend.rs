//! The promises below a picture.

use std::fmt::Write as _;

use super::markup::{N, escaped};
use super::text::{LINE, SIZE, wrapped};
use crate::contract::Invariant;
use crate::emit::promise::promise;

/// The names of promises, and their sentences broken into lines.
pub(super) struct Legend<'a> {
    promises: Vec<(&'a str, Vec<String>)>,
    wide: f64,
}

impl<'a> Legend<'a> {
    /// The promises of a machine, below a picture of this width.
    pub(super) fn of(invariants: &'a [Invariant], wide: f64) -> Self {
        let line = |one: &'a Invariant| {
            let name = one.name.value.as_str();
            let text = format!("{name}: {}", promise(one));
            // The name is bold, so a little wider.
            (name, wrapped(&text, SIZE, (wide - 48.0) * 0.96))
        };
        Self {
            promises: invariants.iter().map(line).collect(),
            wide,
        }
    }

    pub(super) fn height(&self) -> f64 {
        if self.promises.is_empty() {
            return 0.0;
        }
        let lines: usize = self.promises.iter().map(|(_, lines)| lines.len()).sum();
        f64::from(u32::try_from(lines).unwrap_or(u32::MAX)) * LINE + 24.0
    }

    pub(super) fn paint(&self, out: &mut String, top: f64) {
        if self.promises.is_empty() {
            return;
        }
        let _ = writeln!(
            out,
            "<path d=\"M18 {}H{}\" stroke=\"#d0d7de\"/>",
            N(top + 4.0),
            N(self.wide - 18.0)
        );
        let mut y = top + 8.0;
        for (name, lines) in &self.promises {
            for (at, line) in lines.iter().enumerate() {
                y += LINE;
                let (x, text) = match line.strip_prefix(name).filter(|_| at == 0) {
                    Some(rest) => {
                        let (name, rest) = (escaped(name), escaped(rest));
                        (
                            18.0,
                            format!("<tspan font-weight=\"bold\">{name}</tspan>{rest}"),
                        )
                    }
                    None => (30.0, escaped(line)),
                };
                let _ = writeln!(out, "<text x=\"{}\" y=\"{}\">{text}</text>", N(x), N(y));
            }
        }
    }
}
