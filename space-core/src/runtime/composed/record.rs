//! What a run of a composition does, one fact at a time.

use std::fmt;
use std::time::Duration;

use super::{Termination, Usage, effect_name};
use crate::compose::{Exhausted, Moved, Product, Tagged};
use crate::machine::{Rejection, Semantics, Space, Values};

/// A fact of a run, as it becomes one.
///
/// The [`ComposedRecord::Event`]s alone, with their causes, determine the machines' part of a run.
/// Each is followed by exactly one of `Stepped`, `Ignored` and `Rejected`.
#[derive(Debug)]
pub enum ComposedRecord<'a> {
    /// The run begins.
    Started,
    /// An event is about to be stepped.
    Event {
        /// Why.
        cause: &'a Cause,
        /// What happened.
        event: &'a Tagged,
    },
    /// These components handled it.
    Stepped {
        /// What each did.
        moved: &'a [Moved],
        /// Components that were put back to their initial states before.
        restarted: &'a [usize],
    },
    /// It was ignored, and nothing changed.
    Ignored {
        /// The event.
        event: &'a Tagged,
        /// Who ignored it.
        by: usize,
    },
    /// It was rejected, and nothing changed.
    Rejected {
        /// The event.
        event: &'a Tagged,
        /// Who did not take it.
        by: usize,
        /// Why.
        reason: Rejection,
    },
    /// An effect is about to start.
    Intent {
        /// Whose.
        component: usize,
        /// Which.
        effect: &'a Values,
        /// What it does to the world.
        semantics: Semantics,
        /// Which of the run's effects, from 1, in the order of their starts.
        sequence: u64,
        /// Which attempt, from 1.
        attempt: u32,
    },
    /// An attempt failed, and there will be another.
    Retried {
        /// Whose.
        component: usize,
        /// Which start failed.
        sequence: u64,
        /// Which attempt failed.
        attempt: u32,
        /// Why.
        fault: &'a str,
        /// How long until the next.
        pause: Duration,
    },
    /// Something else took the place of an effect.
    Superseded {
        /// Whose.
        component: usize,
        /// Which.
        effect: &'a Values,
        /// Which start was dropped in flight; none when it had not started.
        sequence: Option<u64>,
    },
    /// A loop is used up. The run ends.
    Exhausted(&'a Exhausted),
    /// An external event that the run ended without looking at.
    Unread {
        /// Which.
        event: &'a Tagged,
    },
    /// The run ended. Always the last.
    Ended {
        /// How.
        termination: &'a Termination,
        /// What it used.
        usage: &'a Usage,
    },
}

/// Why an event is stepped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The run was started with it.
    Start,
    /// A handler answered with it.
    Outcome {
        /// Which start it answers.
        sequence: u64,
    },
    /// A handler's failure became it.
    Sentinel {
        /// Which start failed.
        sequence: u64,
        /// Why.
        fault: String,
    },
    /// An effect took too long, and became it.
    TimedOut {
        /// Which start.
        sequence: u64,
        /// How long it was given.
        after: Duration,
    },
    /// It was sent through a handle.
    External,
    /// A bridge feeds it.
    Fed {
        /// The bridge, by row.
        bridge: usize,
    },
    /// A loop feeds it back.
    LoopBack {
        /// The bridge, by row.
        bridge: usize,
        /// Which round of the loop it would be, from 1.
        round: u32,
    },
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("start"),
            Self::Outcome { sequence } => write!(f, "outcome #{sequence}"),
            Self::Sentinel { sequence, fault } => write!(f, "sentinel #{sequence} [{fault}]"),
            Self::TimedOut { sequence, after } => {
                write!(f, "time-out #{sequence} [after {after:?}]")
            }
            Self::External => f.write_str("external"),
            Self::Fed { .. } => f.write_str("fed"),
            Self::LoopBack { round, .. } => write!(f, "loop round {round}"),
        }
    }
}

/// Is told every fact of a run, in order, while the run waits. `()` watches nothing.
pub trait ComposedObserver {
    /// Takes note of a fact.
    fn record(&mut self, product: &Product, record: &ComposedRecord<'_>);
}

impl ComposedObserver for () {
    fn record(&mut self, _: &Product, _: &ComposedRecord<'_>) {}
}

impl<O: ComposedObserver + ?Sized> ComposedObserver for &mut O {
    fn record(&mut self, product: &Product, record: &ComposedRecord<'_>) {
        (**self).record(product, record);
    }
}

/// Keeps every record as a line, for tests and small tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComposedLog {
    /// One line a record.
    pub lines: Vec<String>,
}

impl ComposedLog {
    /// An empty log.
    pub fn new() -> Self {
        Self::default()
    }
}

impl ComposedObserver for ComposedLog {
    fn record(&mut self, product: &Product, record: &ComposedRecord<'_>) {
        self.lines.push(line(product, record));
    }
}

fn line(product: &Product, record: &ComposedRecord<'_>) -> String {
    let name = |component: usize| &product.composed().components[component].name;
    let effect = |component, effect: &Values| {
        let fields = &product.space(component).model().effects[effect.index].args;
        let fields = fields.iter().map(|field| &*field.name);
        called(
            &effect_name(product, component, effect.index),
            fields,
            effect,
        )
    };
    let event = |event: &Tagged| {
        let row = &product.space(event.component).model().events[event.event.index];
        let fields = row.payload.iter().map(|field| &*field.name);
        let name = format!("{}.{}", name(event.component), row.name);
        called(&name, fields, &event.event)
    };
    match *record {
        ComposedRecord::Started => "started".to_owned(),
        ComposedRecord::Event { cause, event: what } => format!("{cause}: {}", event(what)),
        ComposedRecord::Stepped { moved, restarted } => {
            let again = restarted.iter().map(|one| format!("{} anew", name(*one)));
            let moved = moved.iter().map(|one| {
                let states = &product.space(one.component).model().states;
                let state = |at: crate::machine::StateId| &states[usize::from(at.0)].name;
                let way = format!(
                    "{} {} -> {}",
                    name(one.component),
                    state(one.from),
                    state(one.to)
                );
                match &one.effect {
                    Some(asked) => format!("{way}, {}", effect(one.component, asked)),
                    None => way,
                }
            });
            moved.chain(again).collect::<Vec<_>>().join("; ")
        }
        ComposedRecord::Ignored { event: what, by } => {
            format!("{} ignored by {}", event(what), name(by))
        }
        ComposedRecord::Rejected {
            event: what,
            by,
            reason,
        } => {
            let why = reason.describe(product.space(by).model());
            format!("{} rejected by {}: {why}", event(what), name(by))
        }
        ComposedRecord::Intent {
            component,
            effect: asked,
            semantics,
            sequence,
            attempt,
        } => {
            let which = match attempt {
                1 => String::new(),
                _ => format!(" attempt {attempt}"),
            };
            let asked = effect(component, asked);
            format!("{} #{sequence}{which}: {asked}", semantics.name())
        }
        ComposedRecord::Retried {
            sequence,
            attempt,
            fault,
            pause,
            ..
        } => format!("#{sequence} attempt {attempt} failed: {fault}; again in {pause:?}"),
        ComposedRecord::Superseded {
            component,
            effect: asked,
            sequence,
        } => match sequence {
            Some(sequence) => format!("superseded #{sequence}: {}", effect(component, asked)),
            None => format!("superseded: {}", effect(component, asked)),
        },
        ComposedRecord::Exhausted(exhausted) => format!("exhausted: {exhausted}"),
        ComposedRecord::Unread { event: what } => format!("unread: {}", event(what)),
        ComposedRecord::Ended { termination, .. } => format!("ended: {termination}"),
    }
}

fn called<'n>(name: &str, fields: impl Iterator<Item = &'n str>, values: &Values) -> String {
    let given = fields
        .zip(&values.values)
        .map(|(name, value)| format!("{name}: {value}"));
    let given: Vec<_> = given.collect();
    if given.is_empty() {
        return name.to_owned();
    }
    format!("{name}({})", given.join(", "))
}
