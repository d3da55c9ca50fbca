//! Contracts and handlers to test with.

use std::collections::{BTreeMap, VecDeque};
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use space_core::contract::{
    Base, Bridge, Domain, Effect, Event, Feedback, Field, FromStates, Guard, GuardUse, Ignored,
    Meta, Point, Semantics, Slot, SlotArg, Span, Spanned, State, Transition, Type, Value,
};
use space_core::machine::{
    EffectCall, EffectSpace, Fault, GuardTable, NamedEvent, ValueHandler, Values,
};
use space_core::runtime::{Finished, Limits, Log, Runner};
use tokio::time::sleep;

/// A contract in the making. Lists of names are separated by blanks, payloads are texts, and a
/// rule passes and assigns whatever has the same name.
#[derive(Clone, Default)]
pub(crate) struct Contract {
    base: Base,
    domain: Domain,
    feedbacks: Vec<Feedback>,
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split_whitespace()
}

fn fields(list: &str) -> Vec<Field> {
    let field = |name: &str| Field {
        name: name.into(),
        ty: Some(Type::Text).into(),
        doc: None,
    };
    names(list).map(field).collect()
}

impl Contract {
    pub(crate) fn new(states: &str) -> Self {
        let meta = Meta {
            name: "desk".into(),
            ..Meta::default()
        };
        let states = names(states).enumerate().map(|(at, name)| State {
            name: name.into(),
            is_initial: (at == 0).then(|| true.into()),
            ..State::default()
        });
        Self {
            base: Base {
                states: states.collect(),
                meta: meta.clone(),
                ..Base::default()
            },
            domain: Domain {
                meta,
                ..Domain::default()
            },
            feedbacks: Vec::new(),
        }
    }

    pub(crate) fn event(mut self, name: &str, payload: &str, external: bool) -> Self {
        self.base.events.push(Event {
            name: name.into(),
            payload: fields(payload),
            external: external.then(|| true.into()),
            ..Event::default()
        });
        self
    }

    pub(crate) fn effect(
        mut self,
        name: &str,
        args: &str,
        semantics: Semantics,
        returns: &str,
        sentinel: &str,
    ) -> Self {
        let returns: Vec<Spanned<String>> = names(returns).map(Spanned::from).collect();
        self.base.effects.push(Effect {
            name: name.into(),
            doc: None,
            args: fields(args),
            semantics: Some(semantics).into(),
            returns: (!returns.is_empty()).then(|| returns.into()),
            sentinel: (!sentinel.is_empty()).then(|| sentinel.into()),
        });
        self
    }

    pub(crate) fn slot(mut self, name: &str) -> Self {
        self.base.ctx.push(Slot {
            name: name.into(),
            ty: Some(Type::Text).into(),
            default: None,
            doc: None,
        });
        self
    }

    pub(crate) fn guard(mut self, name: &str) -> Self {
        self.base.guards.push(Guard {
            name: name.into(),
            ..Guard::default()
        });
        self
    }

    pub(crate) fn rule(self, from: &str, on: &str, to: &str, effect: &str) -> Self {
        self.guarded(from, on, to, effect, "")
    }

    pub(crate) fn guarded(
        mut self,
        from: &str,
        on: &str,
        to: &str,
        effect: &str,
        guard: &str,
    ) -> Self {
        let payload = self.base.events.iter().find(|row| row.name.value == on);
        let payload = payload.map_or(&[][..], |row| &row.payload);
        let carried = |name: &str| payload.iter().any(|field| field.name.value == name);
        let mut effects = self.base.effects.iter();
        let args = effects.find(|row| row.name.value == effect);
        let args = args.map_or(&[][..], |row| &row.args);
        let (args, read): (Vec<_>, Vec<_>) = args
            .iter()
            .map(|field| field.name.clone())
            .partition(|name| carried(name));
        let slots = self.base.ctx.iter().map(|row| row.name.clone());
        self.domain.transitions.push(Transition {
            from: sources(from),
            on: on.into(),
            to: to.into(),
            guard: (!guard.is_empty()).then(|| {
                GuardUse {
                    name: guard.trim_start_matches('!').to_owned(),
                    negated: guard.starts_with('!'),
                }
                .into()
            }),
            effect: (!effect.is_empty()).then(|| effect.into()),
            args,
            args_from: read
                .into_iter()
                .map(|name| SlotArg {
                    arg: name.clone(),
                    slot: name,
                })
                .collect(),
            assign: slots.filter(|name| carried(name)).collect(),
            assign_from: Vec::new(),
            doc: None,
            span: Span::default(),
        });
        self
    }

    pub(crate) fn ignored(mut self, from: &str, on: &str) -> Self {
        self.domain.ignored.push(Ignored {
            from: sources(from),
            on: names(on).map(Spanned::from).collect(),
            span: Span::default(),
        });
        self
    }

    /// A loop from a state back to an event, with limits of rounds and of milliseconds.
    pub(crate) fn feedback(mut self, state: &str, event: &str, rounds: u32, millis: u32) -> Self {
        let point = Point::parse(&format!("state:{state}")).unwrap();
        self.feedbacks.push(Feedback {
            name: Spanned::from(format!("from_{}", state.to_lowercase())),
            space: "desk".into(),
            router: vec![Bridge {
                when: vec![point.into()],
                to_event: event.into(),
                map: Vec::new(),
                span: Span::default(),
            }],
            max_rounds: Some(rounds.into()),
            timeout_ms: Some(millis.into()),
            ..Feedback::default()
        });
        self
    }

    pub(crate) fn space(&self) -> EffectSpace {
        EffectSpace::from_contract(&self.base, &self.domain, &self.feedbacks).unwrap()
    }
}

fn sources(from: &str) -> Spanned<FromStates> {
    match from {
        "*" => FromStates::Any,
        list => FromStates::States(names(list).map(Spanned::from).collect()),
    }
    .into()
}

/// Asks, acts on the answer, and ends; can be paused, interrupted, and cancelled.
pub(crate) fn desk() -> Contract {
    use Semantics::{Command, Query, Stop};
    Contract::new("Idle Asking Acting Waiting Done Cancelled")
        .event("Start", "goal", false)
        .event("Answered", "text", false)
        .event("Failed", "error", false)
        .event("Acted", "", false)
        .event("Again", "", false)
        .event("ActFailed", "error", false)
        .event("Note", "goal", true)
        .event("Knock", "", true)
        .event("Ping", "", true)
        .event("Pause", "", true)
        .event("Resume", "", true)
        .event("Cancel", "", true)
        .effect("Ask", "goal", Query, "Answered Failed", "Failed")
        .effect("Act", "text", Command, "Acted Again ActFailed", "ActFailed")
        .effect("Close", "", Stop, "", "")
        .slot("goal")
        .slot("error")
        .guard("has_goal")
        .guard("sound")
        .guard("locked")
        .guarded("Idle", "Start", "Asking", "Ask", "has_goal")
        .guarded("Asking", "Answered", "Acting", "Act", "sound")
        .rule("Asking", "Failed", "Done", "Close")
        .rule("Acting", "Acted", "Done", "Close")
        .rule("Acting", "Again", "Asking", "Ask")
        .rule("Acting", "ActFailed", "Done", "Close")
        .rule("Asking Acting Waiting", "Note", "Asking", "Ask")
        .guarded("Asking Acting Waiting", "Knock", "Asking", "Ask", "!locked")
        .rule("Asking Acting", "Pause", "Waiting", "")
        .rule("Waiting", "Resume", "Asking", "Ask")
        .rule("*", "Cancel", "Cancelled", "Close")
        .ignored("Idle", "Note Knock Pause Resume")
        .ignored("Waiting", "Pause")
        .ignored("Asking Acting", "Resume")
        .ignored("*", "Ping")
}

/// `locked` always; `sound` unless the answer is empty.
pub(crate) fn guards() -> Arc<GuardTable> {
    let filled = |_: &[Value], event: &Values| event.values[0] != Value::Text(String::new());
    Arc::new(
        GuardTable::default()
            .with("has_goal", filled)
            .with("sound", filled)
            .with("locked", |_, _| true),
    )
}

pub(crate) fn event(space: &EffectSpace, name: &str, text: &str) -> Values {
    let row = space_core::machine::Space::model(space)
        .event(name)
        .unwrap();
    let payload = &space_core::machine::Space::model(space).events[row].payload;
    let values = payload
        .iter()
        .map(|field| (field.name.as_str(), Value::Text(text.to_owned())));
    space.event(name, values).unwrap()
}

/// What a scripted handler does.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Answers with an event whose only field has this value.
    Event(&'static str, &'static str, &'static str),
    Domain(&'static str),
    Escape(&'static str),
    Panic(&'static str),
    /// Answers with nothing.
    Nothing,
    /// Never answers.
    Hang,
    /// Answers later.
    After(Duration, Box<Reply>),
}

pub(crate) fn after(seconds: u64, reply: Reply) -> Reply {
    Reply::After(Duration::from_secs(seconds), Box::new(reply))
}

pub(crate) const ANSWERED: Reply = Reply::Event("Answered", "text", "yes");
pub(crate) const ACTED: Reply = Reply::Event("Acted", "", "");
pub(crate) const AGAIN: Reply = Reply::Event("Again", "", "");

/// Answers each effect from its own list, the last one for ever.
#[derive(Clone, Default)]
pub(crate) struct Script {
    replies: BTreeMap<&'static str, VecDeque<Reply>>,
    /// What was called, and what was dropped before it answered.
    pub(crate) calls: Arc<Mutex<Vec<String>>>,
}

impl Script {
    pub(crate) fn on(
        mut self,
        effect: &'static str,
        replies: impl IntoIterator<Item = Reply>,
    ) -> Self {
        self.replies.entry(effect).or_default().extend(replies);
        self
    }

    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }
}

struct Flying {
    name: String,
    calls: Arc<Mutex<Vec<String>>>,
    landed: bool,
}

impl Drop for Flying {
    fn drop(&mut self) {
        if !self.landed {
            let line = format!("{} dropped", self.name);
            self.calls.lock().unwrap().push(line);
        }
    }
}

impl ValueHandler for Script {
    async fn perform(&mut self, effect: EffectCall<'_>) -> Result<Option<NamedEvent>, Fault> {
        let name = effect.name.to_owned();
        self.calls.lock().unwrap().push(name.clone());
        let mut flying = Flying {
            name,
            calls: Arc::clone(&self.calls),
            landed: false,
        };
        let mut reply = match self.replies.get_mut(effect.name) {
            Some(replies) if replies.len() > 1 => replies.pop_front().unwrap(),
            Some(replies) => replies[0].clone(),
            None => Reply::Nothing,
        };
        while let Reply::After(time, next) = reply {
            sleep(time).await;
            reply = *next;
        }
        if matches!(reply, Reply::Hang) {
            pending::<()>().await;
        }
        flying.landed = true;
        match reply {
            Reply::Event(name, field, value) => Ok(Some(NamedEvent {
                name: name.to_owned(),
                payload: (!field.is_empty())
                    .then(|| (field.to_owned(), Value::Text(value.to_owned())))
                    .into_iter()
                    .collect(),
            })),
            Reply::Domain(text) => Err(Fault::domain(text)),
            Reply::Escape(text) => Err(Fault::escape(text)),
            Reply::Panic(text) => panic!("{text}"),
            Reply::Nothing => Ok(None),
            Reply::Hang | Reply::After(..) => unreachable!(),
        }
    }
}

pub(crate) type Desk = Runner<EffectSpace, Script, Log>;
pub(crate) type Ended = Finished<EffectSpace, Script, Log>;

/// A desk with a generous limit and a log.
pub(crate) fn runner(script: Script) -> Desk {
    Runner::new(desk().space(), guards(), script)
        .limits(Limits::new().rounds(100))
        .observe(Log::new())
}

pub(crate) async fn run(runner: Desk) -> Ended {
    let start = event(&desk().space(), "Start", "tea");
    runner.run(start).await.unwrap()
}

pub(crate) fn lines(ended: &Ended) -> Vec<String> {
    ended.observer.lines()
}

/// How a run ended, in words.
pub(crate) fn end(ended: &Ended) -> String {
    ended.termination.to_string()
}
