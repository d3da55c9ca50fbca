//! How a look-up ended: the answer for people, and its line of JSON.

use std::time::Duration;

use serde_json::{Value, json};
use space_core::runtime::{Termination, Usage};
use space_out::ask::AskRun;
use space_out::reasoning::ReasoningState;
use space_out::retrieval::RetrievalState;

use super::super::lines::{Paint, clean, cut, grouped, seconds};
use agent::ask::note::whole_millis;

/// How a look-up ended, for its report.
pub(super) struct Ending<'a> {
    pub(super) status: u8,
    pub(super) ended: &'a AskRun,
    pub(super) termination: &'a Termination,
    pub(super) usage: &'a Usage,
    pub(super) clock: Duration,
}

impl Ending<'_> {
    fn answer(&self) -> Option<&str> {
        let answer = self.ended.ctx.reasoning.answer.as_deref();
        answer.filter(|_| self.status == 0)
    }

    fn citations(&self) -> &[String] {
        match self.answer() {
            Some(_) => &self.ended.ctx.reasoning.citations,
            None => &[],
        }
    }

    /// Why there is no answer.
    fn reason(&self) -> Option<String> {
        let (state, ctx) = (&self.ended.state, &self.ended.ctx);
        let (found, thought) = (&ctx.retrieval, &ctx.reasoning);
        let failed = |error: &Option<String>| error.clone().unwrap_or_default();
        match (self.termination, state.retrieval, state.reasoning) {
            _ if self.answer().is_some() => None,
            (Termination::Completed { .. }, RetrievalState::NothingFound, _) => {
                let tried = found.tried.join(", ");
                Some(format!("nothing in the repository speaks of: {tried}"))
            }
            (Termination::Completed { .. }, RetrievalState::Failed, _) => {
                Some(failed(&found.error))
            }
            (Termination::Completed { .. }, _, ReasoningState::Failed) => {
                Some(failed(&thought.error))
            }
            (Termination::FeedbackExhausted { rounds, .. }, ..) => {
                Some(format!("not answered in {} look-ups", rounds + 1))
            }
            _ => None,
        }
    }

    /// What the last reply missed.
    fn missing(&self) -> &str {
        match self.ended.state.reasoning {
            ReasoningState::Unanswered => &self.ended.ctx.reasoning.notes,
            _ => "",
        }
    }
}

/// The report for people: the answer with its sources, or why there is none.
pub(super) fn human(ending: &Ending<'_>, paint: Paint) -> String {
    let mut out = vec![String::new()];
    match ending.answer() {
        Some(answer) => {
            out.push(paint.bold("answer"));
            out.extend(answer.lines().map(|line| format!("  {}", clean(line))));
            out.push(paint.bold("sources"));
            let sources = ending.citations().iter();
            out.extend(sources.map(|source| format!("  {}", paint.good(&clean(source)))));
        }
        None => out.push(paint.bad("NOT ANSWERED")),
    }
    let mut row = |name: &str, text: &str| {
        out.push(format!("  {}  {text}", paint.dim(&format!("{name:<9}"))));
    };
    if let Some(reason) = ending.reason() {
        row("reason", &cut(&reason));
    }
    if !ending.missing().is_empty() {
        row("missing", &cut(ending.missing()));
    }
    let usage = ending.usage;
    let budget = format!(
        "{} steps, {} of {}, {} tokens",
        usage.rounds,
        seconds(usage.elapsed),
        seconds(ending.clock),
        grouped(usage.tokens)
    );
    row("budget", &budget);
    row("end", &ending.termination.to_string());
    out.join("\n")
}

/// The last line of `--json`.
pub(super) fn value(ending: &Ending<'_>) -> Value {
    json!({
        "type": "ended",
        "answered": ending.answer().is_some(),
        "status": ending.status,
        "termination": ending.termination.to_string(),
        "reason": ending.reason(),
        "answer": ending.answer(),
        "citations": ending.citations(),
        "missing": ending.missing(),
        "usage": {
            "rounds": ending.usage.rounds,
            "ms": whole_millis(ending.usage.elapsed),
            "tokens": ending.usage.tokens,
            "effects": ending.usage.effects,
        },
    })
}
