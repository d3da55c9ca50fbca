//! What a run looks like while it runs: lines for people with a spinner while waiting, or JSON
//! Lines.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use space_core::compose::{Moved, Product, Tagged};
use space_core::machine::{Space as _, StateId};
use space_core::runtime::{Cause, ComposedObserver, ComposedRecord};

use super::lines::{Paint, Round, arguments, cut, reasons, seconds};
use super::listen;
use super::report::{self, Ending};
use super::spinner::Spinner;
use agent::tools::Outcome;
use agent::work::note::{Note, Notes};

/// The component that works, beside the one that watches over it.
const AGENT: &str = "agent";

/// The state of who watches in which the agent waits.
const PAUSED: &str = "Paused";

/// What is about to begin.
pub(super) struct Begun<'a> {
    pub(super) task: &'a str,
    pub(super) model: &'a str,
    pub(super) scripted: bool,
    pub(super) workspace: &'a Path,
    /// Whether the person may say something meanwhile.
    pub(super) listens: bool,
}

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
    /// Whether the event that is being stepped is a round of its own.
    counted: bool,
    /// Where each component is that has moved.
    at: BTreeMap<usize, StateId>,
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
            counted: true,
            at: BTreeMap::new(),
            tokens: 0,
            exchange: None,
            took: None,
        };
        Self {
            inner: Arc::new(Mutex::new(inner)),
        }
    }

    pub(super) fn begin(&self, begun: &Begun<'_>) {
        self.with(|watch| {
            let Begun {
                task,
                model,
                scripted,
                listens,
                ..
            } = *begun;
            let workspace = begun.workspace.display().to_string();
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
            if listens {
                watch.line(&row("say      ", listen::HELP));
            }
            watch.line("");
            watch.line(&Round::head(paint));
        });
    }

    /// Where the handler tells what it does.
    pub(super) fn notes(&self) -> Notes {
        let watch = self.clone();
        Arc::new(move |note| watch.with(|inner| inner.note(note)))
    }

    /// What the person said, and why nothing came of it.
    pub(super) fn unheard(&self, line: &str, why: &str) {
        self.with(|watch| {
            if watch.json {
                watch.value(&json!({ "type": "unheard", "line": line, "why": why }));
            } else {
                watch.line(&format!("     {}", watch.paint.bad(&cut(why))));
            }
        });
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

impl ComposedObserver for Watch {
    fn record(&mut self, product: &Product, record: &ComposedRecord<'_>) {
        self.with(|watch| watch.record(product, record));
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

    fn record(&mut self, product: &Product, record: &ComposedRecord<'_>) {
        match record {
            ComposedRecord::Intent {
                component, effect, ..
            } => {
                let effects = &product.space(*component).model().effects;
                match effects[effect.index].name.as_str() {
                    "RunTools" => self.spinner.wait("running the tools"),
                    "Prove" => self.spinner.wait("running the checks"),
                    name if name.starts_with("Ask") => self.spinner.wait("asking the model"),
                    _ => {}
                }
            }
            // What follows from the end of the agent's run is no round.
            ComposedRecord::Event { cause, .. } => {
                self.round += u64::from(!matches!(cause, Cause::Fed { .. }));
                self.counted = !matches!(cause, Cause::Fed { .. });
            }
            ComposedRecord::Stepped { moved, .. } => {
                for one in *moved {
                    self.step(product, one);
                }
            }
            ComposedRecord::Ignored { event, by } => self.unmoved(product, "ignored", event, *by),
            ComposedRecord::Rejected { event, by, .. } => {
                self.unmoved(product, "rejected", event, *by);
            }
            _ => {}
        }
    }

    fn step(&mut self, product: &Product, moved: &Moved) {
        self.at.insert(moved.component, moved.to);
        let component = &product.composed().components[moved.component];
        let model = &component.model;
        let state = |at: StateId| model.states[usize::from(at.0)].name.as_str();
        let event = &model.events[moved.event].name;
        let effect = moved.effect.as_ref();
        let effect = effect.map(|effect| model.effects[effect.index].name.as_str());
        let is_agent = component.name == AGENT;
        if state(moved.to) == PAUSED {
            self.spinner.wait("paused");
        }
        let (took, exchange) = if is_agent {
            (self.took.take(), self.exchange.take())
        } else {
            (None, None)
        };
        if self.json {
            self.value(&json!({
                "type": "step", "component": component.name, "round": self.round,
                "from": state(moved.from), "event": event, "to": state(moved.to),
                "effect": effect, "tokens": self.tokens,
                "ms": took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
            }));
            return;
        }
        if !self.counted {
            return;
        }
        let round = Round {
            number: self.round,
            state: &labelled(is_agent, state(moved.to)),
            event,
            effect,
            tokens: exchange,
            took,
        };
        self.line(&round.line(self.paint));
    }

    fn unmoved(&mut self, product: &Product, kind: &str, event: &Tagged, by: usize) {
        let component = &product.composed().components[by];
        let of_event = &product.composed().components[event.component].model;
        let event = &of_event.events[event.event.index].name;
        let at = self.at.get(&by).copied();
        let at = at.unwrap_or_else(|| product.initial().states[by]);
        let at = component.model.states[usize::from(at.0)].name.as_str();
        if self.json {
            self.value(&json!({
                "type": kind, "component": component.name, "round": self.round,
                "state": at, "event": event,
            }));
        } else {
            let at = labelled(component.name == AGENT, at);
            self.line(&format!("{:>3}  {at:<9}  {event:<14}  {kind}", self.round));
        }
    }
}

/// A state of who watches, apart from those of the agent.
fn labelled(is_agent: bool, state: &str) -> String {
    if is_agent {
        state.to_owned()
    } else {
        format!("({state})")
    }
}
