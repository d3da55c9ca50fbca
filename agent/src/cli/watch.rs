//! What a run looks like while it runs: lines for people with a spinner while waiting, or JSON
//! Lines.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use space_core::machine::Space;
use space_core::runtime::{Observer, Record};
use space_out::agent::{Agent, AgentEffect};

use super::lines::{Paint, Round, arguments, cut, reasons, seconds};
use super::report::{self, Ending};
use super::spinner::Spinner;
use agent::tools::Outcome;
use agent::work::note::{Note, Notes};

/// Watches one run. Clones watch the same one.
#[derive(Clone)]
pub(super) struct Watch {
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    json: bool,
    paint: Paint,
    spinner: Spinner,
    round: u64,
    tokens: u64,
    /// Tokens of the last exchange that no round has shown, and whether they are a guess.
    exchange: Option<(u64, bool)>,
    /// How long the effect took that the next round follows from.
    took: Option<Duration>,
}

impl Watch {
    /// A watch that prints; `terminal` says whether somebody can see a spinner.
    pub(super) fn new(json: bool, terminal: bool) -> Self {
        let inner = Inner {
            json,
            paint: Paint::of_stdout(),
            spinner: Spinner::new(terminal && !json),
            round: 0,
            tokens: 0,
            exchange: None,
            took: None,
        };
        Self {
            inner: Arc::new(Mutex::new(inner)),
        }
    }

    pub(super) fn begin(&self, task: &str, model: &str, scripted: bool, workspace: &Path) {
        self.with(|watch| {
            let workspace = workspace.display().to_string();
            if watch.json {
                watch.value(&json!({
                    "type": "begun", "task": task, "model": model, "scripted": scripted,
                    "workspace": workspace,
                }));
                return;
            }
            let paint = watch.paint;
            let scripted = if scripted {
                "  (scripted: no model is asked)"
            } else {
                ""
            };
            let row = |name: &str, text: &str| format!("{} {text}", paint.dim(name));
            watch.line(&row("task     ", task));
            watch.line(&row(
                "model    ",
                &format!("{model}{}", paint.dim(scripted)),
            ));
            watch.line(&row("workspace", &workspace));
            watch.line("");
            watch.line(&Round::head(paint));
        });
    }

    /// Where the handler tells what it does.
    pub(super) fn notes(&self) -> Notes {
        let watch = self.clone();
        Arc::new(move |note| watch.with(|inner| inner.note(note)))
    }

    pub(super) fn end(&self, ending: &Ending<'_>) {
        self.with(|watch| {
            watch.spinner.rest();
            if watch.json {
                watch.value(&report::value(ending));
            } else {
                watch.line(&report::human(ending, watch.paint));
            }
        });
    }

    fn with(&self, tell: impl FnOnce(&mut Inner)) {
        tell(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Observer<Agent> for Watch {
    fn record(&mut self, space: &Agent, record: &Record<'_, Agent>) {
        self.with(|watch| watch.record(*space, record));
    }
}

impl Inner {
    fn line(&self, text: &str) {
        self.spinner.print(text);
    }

    fn value(&self, value: &Value) {
        self.line(&value.to_string());
    }

    fn note(&mut self, note: &Note) {
        match note {
            Note::Replied { usage, took, .. } => {
                let tokens = usage.input.saturating_add(usage.output);
                self.tokens = self.tokens.saturating_add(tokens);
                self.exchange = Some((tokens, usage.estimated));
                self.took = Some(*took);
            }
            // The calls of one reply are one effect.
            Note::Called { took, .. } => *self.took.get_or_insert_default() += *took,
            Note::Checked { took, .. } => self.took = Some(*took),
            Note::Asking | Note::AttemptFailed { .. } | Note::Proving => {}
        }
        if self.json {
            if let Ok(value) = serde_json::to_value(note) {
                self.value(&value);
            }
            return;
        }
        for line in self.lines_of(note) {
            self.line(&format!("     {line}"));
        }
    }

    fn lines_of(&self, note: &Note) -> Vec<String> {
        let paint = self.paint;
        match note {
            Note::Asking | Note::Proving | Note::Checked { passed: true, .. } => Vec::new(),
            Note::AttemptFailed {
                number,
                error,
                next_in,
                ..
            } => {
                let next = match next_in {
                    Some(wait) => format!("again in {}", seconds(*wait)),
                    None => "given up".into(),
                };
                vec![paint.bad(&format!("attempt {number}, {next}: {}", cut(error)))]
            }
            Note::Replied { text, .. } => {
                let said = Some(cut(text)).filter(|text| !text.is_empty());
                said.map(|text| paint.dim(&format!("“{text}”")))
                    .into_iter()
                    .collect()
            }
            Note::Called {
                tool,
                arguments: given,
                outcome,
                failure,
                shown,
                ..
            } => {
                let mark = match (failure, outcome) {
                    (Some(_), _) => paint.bad("!"),
                    (None, Outcome::Changed) => paint.good("+"),
                    (None, Outcome::Observed) => paint.dim("·"),
                };
                let call = format!("{mark} {tool:<6} {}", arguments(given));
                let why = failure.map(|_| paint.dim(&format!("         {}", cut(shown))));
                std::iter::once(call).chain(why).collect()
            }
            Note::Checked { reasons: why, .. } => reasons(why),
        }
    }

    fn record(&mut self, space: Agent, record: &Record<'_, Agent>) {
        let model = space.model();
        let state = |state| model.states[space.state_index(state)].name.as_str();
        match record {
            Record::Intent { effect, .. } => match effect {
                AgentEffect::RunTools { .. } => self.spinner.wait("running the tools"),
                AgentEffect::Prove { .. } => self.spinner.wait("running the checks"),
                AgentEffect::AskModel { .. }
                | AgentEffect::AskNext
                | AgentEffect::AskShorter { .. }
                | AgentEffect::AskRepair { .. }
                | AgentEffect::AskSteered { .. } => self.spinner.wait("asking the model"),
                AgentEffect::Deliver { .. }
                | AgentEffect::DeliverUnproved { .. }
                | AgentEffect::GiveUp { .. }
                | AgentEffect::Decline { .. } => {}
            },
            Record::Stepped {
                from,
                event,
                to,
                effect,
            } => {
                let effect = effect.map(|effect| &*model.effects[space.effect_index(effect)].name);
                self.round += 1;
                self.step(state(*from), &model.events[*event].name, state(*to), effect);
            }
            Record::Ignored { state: at, event }
            | Record::Rejected {
                state: at, event, ..
            } => {
                self.round += 1;
                let kind = match record {
                    Record::Ignored { .. } => "ignored",
                    _ => "rejected",
                };
                let (at, event) = (state(*at), &model.events[*event].name);
                if self.json {
                    self.value(&json!({
                        "type": kind, "round": self.round, "state": at, "event": event,
                    }));
                } else {
                    self.line(&format!("{:>3}  {at:<9}  {event:<14}  {kind}", self.round));
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, from: &str, event: &str, to: &str, effect: Option<&str>) {
        let (took, exchange) = (self.took.take(), self.exchange.take());
        if self.json {
            self.value(&json!({
                "type": "step", "round": self.round, "from": from, "event": event,
                "to": to, "effect": effect, "tokens": self.tokens,
                "ms": took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
            }));
            return;
        }
        let round = Round {
            number: self.round,
            state: to,
            event,
            effect,
            tokens: exchange,
            took,
        };
        self.line(&round.line(self.paint));
    }
}
