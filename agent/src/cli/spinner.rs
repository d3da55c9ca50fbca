//! What turns while something is waited for, where somebody can see it.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::print;

/// A spinner below the lines printed, or none.
pub(super) struct Spinner {
    bar: Option<ProgressBar>,
    /// Whether anything has been waited for: before that there is nothing to draw.
    turns: bool,
}

impl Spinner {
    /// One that turns only when it is `seen`.
    pub(super) fn new(seen: bool) -> Self {
        let bar = seen.then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("     {spinner} {msg}, {elapsed}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, turns: false }
    }

    /// Prints a line above it.
    pub(super) fn print(&self, text: &str) {
        match &self.bar {
            Some(bar) if self.turns => bar.suspend(|| print(text)),
            _ => print(text),
        }
    }

    /// Turns, and says what is waited for.
    pub(super) fn wait(&mut self, for_what: &'static str) {
        self.turns = true;
        if let Some(bar) = &self.bar {
            bar.reset_elapsed();
            bar.set_message(for_what);
            bar.enable_steady_tick(Duration::from_millis(100));
        }
    }

    /// Goes away.
    pub(super) fn rest(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
