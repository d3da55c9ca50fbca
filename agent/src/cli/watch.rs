//! What a run looks like: lines for people with a spinner while waiting, or JSON Lines.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use space_core::machine::Space;
use space_core::runtime::{Observer, Record, Termination, Usage};
use space_out::agent::Agent;

use super::print;
use agent::accept::Verdict;
use agent::tools::Outcome;
use agent::work::note::{Note, Notes};
use agent::work::proof::Delivery;

/// Characters of a line of somebody else's text.
const WIDTH: usize = 96;

/// Watches one run. Clones watch the same one.
#[derive(Clone)]
pub(super) struct Watch {
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    json: bool,
    spinner: Option<ProgressBar>,
    round: u64,
    tokens: u64,
    estimated: bool,
    last: Option<Duration>,
}

/// How a run ended, for its report.
pub(super) struct Ending<'a> {
    pub(super) proved: bool,
    pub(super) answer: Option<&'a str>,
    pub(super) termination: &'a Termination,
    pub(super) usage: &'a Usage,
    pub(super) rounds: u64,
    pub(super) clock: Duration,
    pub(super) delivery: Option<&'a Delivery>,
    pub(super) workspace: &'a Path,
    pub(super) status: u8,
}

impl Watch {
    /// A watch that prints; `terminal` says whether somebody can see a spinner.
    pub(super) fn new(json: bool, terminal: bool) -> Self {
        let spinner = (terminal && !json).then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar
        });
        let inner = Inner {
            json,
            spinner,
            round: 0,
            tokens: 0,
            estimated: false,
            last: None,
        };
        Self {
            inner: Arc::new(Mutex::new(inner)),
        }
    }

    pub(super) fn begin(&self, task: &str, model: &str, scripted: bool, workspace: &Path) {
        self.with(|watch| {
            let workspace = workspace.display();
            if watch.json {
                watch.value(&json!({
                    "type": "begun", "task": task, "model": model, "scripted": scripted,
                    "workspace": workspace.to_string(),
                }));
            } else {
                let scripted = if scripted {
                    " (scripted: no model is asked)"
                } else {
                    ""
                };
                watch.line(&format!(
                    "task {task}   model {model}{scripted}\nin   {workspace}\n"
                ));
            }
        });
    }

    /// Where the handler tells what it does.
    pub(super) fn notes(&self) -> Notes {
        let watch = self.clone();
        Arc::new(move |note| watch.with(|inner| inner.note(note)))
    }

    pub(super) fn end(&self, ending: &Ending<'_>) {
        self.with(|watch| {
            if let Some(spinner) = watch.spinner.take() {
                spinner.finish_and_clear();
            }
            if watch.json {
                watch.value(&json_report(ending))
            } else {
                watch.line(&report(ending))
            }
        });
    }

    fn with(&self, tell: impl FnOnce(&mut Inner)) {
        tell(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Observer<Agent> for Watch {
    fn record(&mut self, space: &Agent, record: &Record<'_, Agent>) {
        self.with(|watch| watch.record(space, record));
    }
}

impl Inner {
    fn line(&self, text: &str) {
        match &self.spinner {
            Some(spinner) => spinner.suspend(|| print(text)),
            None => print(text),
        }
    }

    fn value(&self, value: &Value) {
        self.line(&value.to_string());
    }

    fn waiting(&self, for_what: &'static str) {
        if let Some(spinner) = &self.spinner {
            spinner.reset_elapsed();
            spinner.set_message(for_what);
            spinner.enable_steady_tick(Duration::from_millis(100));
        }
    }

    fn note(&mut self, note: &Note) {
        match note {
            Note::Asking => self.waiting("asking the model"),
            Note::Proving => self.waiting("running the checks"),
            Note::Replied { usage, took, .. } => {
                self.tokens += usage.input + usage.output;
                self.estimated |= usage.estimated;
                self.last = Some(*took);
            }
            Note::Called { took, .. } | Note::Proved { took, .. } => self.last = Some(*took),
        }
        if self.json {
            if let Ok(value) = serde_json::to_value(note) {
                self.value(&value);
            }
            return;
        }
        match note {
            Note::Asking | Note::Proving => {}
            Note::Replied { text, .. } => {
                if let Some(first) = text.lines().find(|line| !line.trim().is_empty()) {
                    self.line(&format!("     \" {}", cut(first)));
                }
            }
            Note::Called {
                tool,
                arguments,
                outcome,
                failure,
                shown,
                ..
            } => {
                let mark = match (failure, outcome) {
                    (Some(_), _) => '!',
                    (None, Outcome::Changed) => '+',
                    (None, Outcome::Observed) => '·',
                };
                self.line(&format!("     {mark} {tool} {}", cut(arguments)));
                if failure.is_some() {
                    self.line(&format!("       {}", cut(shown)));
                }
            }
            Note::Proved {
                passed, reasons, ..
            } => {
                if !passed {
                    self.line(&format!("     {}", reasons.replace('\n', "\n     ")));
                }
            }
        }
    }

    fn record(&mut self, space: &Agent, record: &Record<'_, Agent>) {
        let Record::Stepped {
            from,
            event,
            to,
            effect,
        } = record
        else {
            if let (Record::Ignored { event, .. } | Record::Rejected { event, .. }, false) =
                (record, self.json)
            {
                let event = &space.model().events[*event].name;
                self.line(&format!("     {event}: not answered here"));
            }
            return;
        };
        self.round += 1;
        let model = space.model();
        let state = |state| model.states[space.state_index(state)].name.as_str();
        let event = &model.events[*event].name;
        let effect = effect.map(|effect| model.effects[space.effect_index(effect)].name.as_str());
        let took = self.last.take();
        if self.json {
            self.value(&json!({
                "type": "step", "round": self.round, "from": state(*from), "event": event,
                "to": state(*to), "effect": effect, "tokens": self.tokens,
                "ms": took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
            }));
            return;
        }
        let arrow = effect.map_or_else(String::new, |effect| format!("  → {effect}"));
        let took = took.map_or_else(String::new, |took| format!("{:.1} s", took.as_secs_f64()));
        self.line(&format!(
            "{:>3}  {:<38} {:<22} {:>9} tok {took:>8}",
            self.round,
            format!("{} · {event}", state(*to)),
            arrow,
            // A guess is marked as one.
            format!("{}{}", if self.estimated { "~" } else { "" }, self.tokens)
        ));
    }
}

/// The first line of a text, cut to a width.
fn cut(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

fn report(ending: &Ending<'_>) -> String {
    let mut out = vec![String::new(), "delivery report".into()];
    let mut row = |name: &str, text: &str| out.push(format!("  {name:<10} {text}"));
    match ending.delivery {
        Some(delivery) => {
            let (passed, all) = delivery.counts();
            let proved = if ending.proved {
                "proved"
            } else {
                "NOT PROVED"
            };
            row(
                "proof",
                &format!("{proved}: {passed} of {all} checks passed"),
            );
            row("content", &delivery.content);
            for step in &delivery.steps {
                let mark = if step.passed { "pass" } else { "FAIL" };
                row("build", &format!("{mark}  {}", step.argv.join(" ")));
            }
            for check in &delivery.checks {
                let mark = match check.verdict {
                    Verdict::Pass => "pass",
                    Verdict::Skipped => "skip",
                    Verdict::Fail | Verdict::Error | Verdict::Timeout => "FAIL",
                };
                row("check", &format!("{mark}  {}", check.name));
            }
        }
        None => row("proof", "NOT PROVED: no check has run"),
    }
    let usage = ending.usage;
    row(
        "budget",
        &format!(
            "{} of {} rounds, {:.1} s of {} s, {} tokens",
            usage.rounds,
            ending.rounds,
            usage.elapsed.as_secs_f64(),
            ending.clock.as_secs(),
            usage.tokens
        ),
    );
    row("workspace", &ending.workspace.display().to_string());
    row("end", &ending.termination.to_string());
    if let Some(answer) = ending.answer {
        row("answer", &cut(answer));
    }
    out.join("\n")
}

fn json_report(ending: &Ending<'_>) -> Value {
    json!({
        "type": "ended",
        "proved": ending.proved,
        "status": ending.status,
        "termination": ending.termination.to_string(),
        "answer": ending.answer,
        "delivery": ending.delivery,
        "usage": {
            "rounds": ending.usage.rounds,
            "ms": u64::try_from(ending.usage.elapsed.as_millis()).unwrap_or(u64::MAX),
            "tokens": ending.usage.tokens,
            "effects": ending.usage.effects,
        },
        "workspace": ending.workspace.display().to_string(),
    })
}
