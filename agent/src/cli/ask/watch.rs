//! What a look-up looks like while it runs: lines for people with a spinner while waiting, or JSON
//! Lines.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use space_core::compose::{LoopLimit, Moved, Product};
use space_core::machine::Space as _;
use space_core::runtime::{Cause, ComposedObserver, ComposedRecord};

use super::super::lines::{Paint, cut, grouped, seconds};
use super::super::spinner::Spinner;
use super::report::{self, Ending};
use agent::ask::note::{Judgement, Note, Notes, whole_millis};

/// Watches one look-up. Clones watch the same one.
#[derive(Clone)]
pub(super) struct Watch {
    inner: Arc<Mutex<Inner>>,
}

/// What is about to begin.
pub(super) struct Begun<'a> {
    pub(super) question: &'a str,
    pub(super) model: &'a str,
    pub(super) scripted: bool,
    pub(super) repository: &'a str,
    pub(super) max_rounds: u32,
}

struct Inner {
    json: bool,
    paint: Paint,
    spinner: Spinner,
    /// How often may be looked again.
    most: u32,
    round: u64,
    tokens: u64,
    /// Tokens of the last exchange that no step has shown, and whether they are a guess.
    exchange: Option<(u64, bool)>,
    /// When each effect started.
    started: BTreeMap<u64, Instant>,
    /// Of the event that is being stepped: why, which round of the loop, how long its effect took.
    cause: String,
    looped: Option<u32>,
    took: Option<Duration>,
}

impl Watch {
    /// A watch that prints; `terminal` says whether somebody can see a spinner, `most` how often may
    /// be looked again.
    pub(super) fn new(json: bool, terminal: bool, most: u32) -> Self {
        let inner = Inner {
            json,
            paint: Paint::of_stdout(),
            spinner: Spinner::new(terminal && !json),
            most,
            round: 0,
            tokens: 0,
            exchange: None,
            started: BTreeMap::new(),
            cause: String::new(),
            looped: None,
            took: None,
        };
        Self {
            inner: Arc::new(Mutex::new(inner)),
        }
    }

    pub(super) fn begin(&self, begun: &Begun<'_>) {
        self.with(|watch| watch.begin(begun));
    }

    /// Where the handlers tell what they do.
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

    fn below(&self, text: &str) {
        self.line(&format!("     {text}"));
    }

    fn begin(&self, begun: &Begun<'_>) {
        if self.json {
            self.value(&json!({
                "type": "begun", "question": begun.question, "model": begun.model,
                "scripted": begun.scripted, "repository": begun.repository,
                "max_rounds": begun.max_rounds,
            }));
            return;
        }
        let paint = self.paint;
        let scripted = if begun.scripted {
            "  (scripted: no model is asked)"
        } else {
            ""
        };
        let row = |name: &str, text: &str| format!("{} {text}", paint.dim(&format!("{name:<10}")));
        self.line(&row("question", &cut(begun.question)));
        let model = format!("{}{}", begun.model, paint.dim(scripted));
        self.line(&row("model", &model));
        self.line(&row("repository", begun.repository));
        self.line("");
        let head = columns(
            "#",
            "component",
            "state",
            "event",
            "  effect",
            "tokens",
            "time",
        );
        self.line(&paint.dim(&head));
    }

    fn note(&mut self, note: &Note) {
        if let Note::Replied { usage, .. } = note {
            let tokens = usage.input.saturating_add(usage.output);
            self.tokens = self.tokens.saturating_add(tokens);
            self.exchange = Some((tokens, usage.estimated));
        }
        if self.json {
            if let Ok(value) = serde_json::to_value(note) {
                self.value(&value);
            }
            return;
        }
        for line in self.lines_of(note) {
            self.below(&line);
        }
    }

    fn lines_of(&self, note: &Note) -> Vec<String> {
        let paint = self.paint;
        match note {
            Note::Asking | Note::Replied { .. } => Vec::new(),
            Note::Searched {
                terms,
                passages,
                files,
                partial,
                ..
            } => {
                let more = if *partial { ", and there is more" } else { "" };
                let terms = cut(&terms.join(", "));
                let searched = paint.dim(&format!("{files} files searched{more}: {terms}"));
                let passages = passages.iter().map(|source| format!("· {}", cut(source)));
                std::iter::once(searched).chain(passages).collect()
            }
            Note::AttemptFailed {
                number,
                error,
                next_in_ms,
                ..
            } => {
                let next = match next_in_ms {
                    Some(wait) => format!("again in {}", seconds(Duration::from_millis(*wait))),
                    None => "given up".into(),
                };
                vec![paint.bad(&format!("attempt {number}, {next}: {}", cut(error)))]
            }
            Note::Judged {
                verdict,
                citations,
                reasons,
                missing,
            } => match verdict {
                Judgement::Answered => {
                    let held = format!("+ an answer, {} sources hold", citations.len());
                    vec![paint.good(&held)]
                }
                Judgement::Missing => vec![format!("? missing: {}", cut(missing))],
                Judgement::Refused => {
                    let refused = reasons.iter().map(|why| format!("! refused: {}", cut(why)));
                    refused.map(|line| paint.bad(&line)).collect()
                }
                Judgement::Unusable => {
                    let failed = reasons.iter().map(|why| format!("! {}", cut(why)));
                    failed.map(|line| paint.bad(&line)).collect()
                }
            },
        }
    }

    fn record(&mut self, product: &Product, record: &ComposedRecord<'_>) {
        match record {
            ComposedRecord::Intent {
                component,
                sequence,
                ..
            } => {
                self.started.insert(*sequence, Instant::now());
                let name = &product.composed().components[*component].name;
                self.spinner.wait(match name.as_str() {
                    "retrieval" => "searching",
                    _ => "asking the model",
                });
            }
            ComposedRecord::Event { cause, .. } => self.event(cause),
            ComposedRecord::Stepped { moved, restarted } => {
                let names = &product.composed().components;
                let restarted = restarted.iter().map(|at| names[*at].name.as_str());
                let restarted: Vec<_> = restarted.collect();
                for one in *moved {
                    self.step(product, one, &restarted);
                }
            }
            ComposedRecord::Ignored { event, by } => {
                self.unhandled(
                    product,
                    "ignored",
                    event.event.index,
                    *by,
                    "by its contract",
                );
            }
            ComposedRecord::Rejected { event, by, reason } => {
                let reason = reason.describe(product.space(*by).model());
                self.unhandled(product, "rejected", event.event.index, *by, &reason);
            }
            ComposedRecord::Exhausted(exhausted) => {
                if self.json {
                    let limit = match exhausted.limit {
                        LoopLimit::Rounds { used, allowed } => {
                            json!({ "rounds": { "used": used, "allowed": allowed } })
                        }
                        LoopLimit::Time { used, allowed } => json!({
                            "ms": { "used": whole_millis(used), "allowed": whole_millis(allowed) },
                        }),
                    };
                    self.value(&json!({
                        "type": "exhausted", "feedback": exhausted.feedback,
                        "rounds": exhausted.rounds, "limit": limit,
                    }));
                } else {
                    self.below(&self.paint.bad(&format!("! loop exhausted: {exhausted}")));
                }
            }
            ComposedRecord::Started
            | ComposedRecord::Retried { .. }
            | ComposedRecord::Superseded { .. }
            | ComposedRecord::Unread { .. }
            | ComposedRecord::Ended { .. } => {}
        }
    }

    fn event(&mut self, cause: &Cause) {
        self.round += 1;
        self.cause = cause.to_string();
        self.looped = match cause {
            Cause::LoopBack { round, .. } => Some(*round),
            _ => None,
        };
        self.took = match cause {
            Cause::Outcome { sequence }
            | Cause::Sentinel { sequence, .. }
            | Cause::TimedOut { sequence, .. } => {
                let started = self.started.remove(sequence);
                started.map(|started| started.elapsed())
            }
            _ => None,
        };
    }

    fn step(&mut self, product: &Product, moved: &Moved, restarted: &[&str]) {
        let component = &product.composed().components[moved.component];
        let model = &component.model;
        let state = |at: space_core::machine::StateId| &*model.states[usize::from(at.0)].name;
        let event = &*model.events[moved.event].name;
        let effect = moved.effect.as_ref();
        let effect = effect.map(|effect| &*model.effects[effect.index].name);
        let (took, exchange) = (self.took.take(), self.exchange.take());
        if self.json {
            self.value(&json!({
                "type": "step", "round": self.round, "component": component.name,
                "from": state(moved.from), "event": event, "to": state(moved.to),
                "effect": effect, "cause": self.cause, "loop": self.looped,
                "restarted": restarted, "tokens": self.tokens, "ms": took.map(whole_millis),
            }));
            return;
        }
        if let Some(round) = self.looped {
            let anew = match restarted {
                [] => String::new(),
                names => format!("; {} anew", names.join(", ")),
            };
            let again = format!("↻ looked up again, {round} of {}{anew}", self.most);
            self.below(&self.paint.bold(&again));
        }
        let tokens = exchange.map_or_else(String::new, |(tokens, guess)| {
            // A guess is marked as one.
            format!("{}{}", if guess { "~" } else { "" }, grouped(tokens))
        });
        let effect = effect.map_or_else(String::new, |effect| format!("→ {effect}"));
        let took = took.map_or_else(String::new, seconds);
        let round = self.round.to_string();
        let line = columns(
            &round,
            &component.name,
            state(moved.to),
            event,
            &effect,
            &tokens,
            &took,
        );
        self.line(&line);
    }

    fn unhandled(&self, product: &Product, kind: &str, event: usize, by: usize, reason: &str) {
        let component = &product.composed().components[by];
        let event = &component.model.events[event].name;
        if self.json {
            self.value(&json!({
                "type": kind, "round": self.round, "component": component.name, "event": event,
                "reason": reason,
            }));
        } else {
            let round = self.round;
            self.line(&format!(
                "{round:>3}  {} {event} {kind}: {reason}",
                component.name
            ));
        }
    }
}

/// One line of the table.
fn columns(
    round: &str,
    component: &str,
    state: &str,
    event: &str,
    effect: &str,
    tokens: &str,
    took: &str,
) -> String {
    let line = format!(
        "{round:>3}  {component:<9}  {state:<12}  {event:<14}  {effect:<8}  {tokens:>8}  {took:>7}"
    );
    line.trim_end().to_owned()
}
