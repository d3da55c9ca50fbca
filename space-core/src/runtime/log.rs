//! An observer that keeps what it is told.

use std::fmt;
use std::time::Duration;

use super::record::event_name;
use super::{Observer, Record, Source, Termination, Usage};
use crate::graph::Param;
use crate::machine::{Semantics, Space, Value};

/// Keeps every record, for tests and small tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// The records so far.
    pub entries: Vec<Entry>,
}

impl Log {
    /// An empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// One line a record.
    pub fn lines(&self) -> Vec<String> {
        self.entries.iter().map(ToString::to_string).collect()
    }
}

impl<S: Space> Observer<S> for Log {
    fn record(&mut self, space: &S, record: &Record<'_, S>) {
        self.entries.push(Entry::new(space, record));
    }
}

/// A [`Record`] of any space, by names and values. `Display` writes it as one line.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of the record")]
pub enum Entry {
    Started {
        state: String,
    },
    Event {
        source: &'static str,
        sequence: Option<u64>,
        /// The fault or time-out it stands for.
        cause: Option<String>,
        event: Named,
    },
    Stepped {
        from: String,
        event: String,
        to: String,
        effect: Option<Named>,
        /// The row of `[[transitions]]`.
        rule: Option<usize>,
        guard: Option<(String, bool)>,
    },
    Ignored {
        state: String,
        event: String,
    },
    Rejected {
        state: String,
        event: String,
        reason: String,
        guard: Option<(String, bool)>,
    },
    Intent {
        effect: Named,
        semantics: Semantics,
        sequence: u64,
        attempt: u32,
    },
    Retried {
        sequence: u64,
        attempt: u32,
        fault: String,
        pause: Duration,
    },
    Superseded {
        effect: Named,
        sequence: Option<u64>,
    },
    Unread {
        event: Named,
    },
    Ended {
        termination: Termination,
        usage: Usage,
    },
}

/// An event or effect by name, its values by field.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Field names and values, in declared order.
    pub values: Vec<(String, Value)>,
}

impl Named {
    fn new(name: &str, params: &[Param], values: Vec<Value>) -> Self {
        Self {
            name: name.to_owned(),
            values: params
                .iter()
                .map(|param| param.name.clone())
                .zip(values)
                .collect(),
        }
    }

    fn event<S: Space>(space: &S, event: &S::Event) -> Self {
        let row = &space.model().events[space.event_index(event)];
        Self::new(&row.name, &row.payload, space.event_values(event))
    }

    fn effect<S: Space>(space: &S, effect: &S::Effect) -> Self {
        let row = &space.model().effects[space.effect_index(effect)];
        Self::new(&row.name, &row.args, space.effect_values(effect))
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (at, (name, value)) in self.values.iter().enumerate() {
            let open = if at == 0 { "(" } else { ", " };
            write!(f, "{open}{name}: {value}")?;
        }
        if self.values.is_empty() {
            return Ok(());
        }
        f.write_str(")")
    }
}

impl Entry {
    /// The record with everything it borrows made its own.
    pub fn new<S: Space>(space: &S, record: &Record<'_, S>) -> Self {
        let model = space.model();
        let state = |state| model.states[space.state_index(state)].name.clone();
        let event = |row| event_name(model, row).to_owned();
        let guard = || {
            let (guard, answer) = record.guard_answer(space)?;
            Some((model.guards[guard].name.clone(), answer))
        };
        match *record {
            Record::Started { state: at } => Self::Started { state: state(at) },
            Record::Event {
                source,
                event: what,
            } => {
                let (source, sequence, cause) = match source {
                    Source::Start => ("start", None, None),
                    Source::External => ("external", None, None),
                    Source::LoopBack { feedback, round } => {
                        let name = space.loops().get(feedback).map_or("?", |row| &row.name);
                        ("loop", None, Some(format!("{name} round {round}")))
                    }
                    Source::Outcome { sequence } => ("outcome", Some(sequence), None),
                    Source::Sentinel { sequence, fault } => {
                        ("sentinel", Some(sequence), Some(fault.to_owned()))
                    }
                    Source::TimedOut { sequence, after } => {
                        ("time-out", Some(sequence), Some(format!("after {after:?}")))
                    }
                };
                Self::Event {
                    source,
                    sequence,
                    cause,
                    event: Named::event(space, what),
                }
            }
            Record::Stepped {
                from,
                event: row,
                to,
                effect,
            } => Self::Stepped {
                from: state(from),
                event: event(row),
                to: state(to),
                effect: effect.map(|effect| Named::effect(space, effect)),
                rule: record.rule(space).map(|rule| rule.row),
                guard: guard(),
            },
            Record::Ignored {
                state: at,
                event: row,
            } => Self::Ignored {
                state: state(at),
                event: event(row),
            },
            Record::Rejected {
                state: at,
                event: row,
                reason,
            } => Self::Rejected {
                state: state(at),
                event: event(row),
                reason: reason.describe(model),
                guard: guard(),
            },
            Record::Intent {
                effect,
                semantics,
                sequence,
                attempt,
            } => Self::Intent {
                effect: Named::effect(space, effect),
                semantics,
                sequence,
                attempt,
            },
            Record::Retried {
                sequence,
                attempt,
                fault,
                pause,
            } => Self::Retried {
                sequence,
                attempt,
                fault: fault.to_owned(),
                pause,
            },
            Record::Superseded { effect, sequence } => Self::Superseded {
                effect: Named::effect(space, effect),
                sequence,
            },
            Record::Unread { event } => Self::Unread {
                event: Named::event(space, event),
            },
            Record::Ended { termination, usage } => Self::Ended {
                termination: termination.clone(),
                usage: usage.clone(),
            },
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started { state } => write!(f, "started in {state}"),
            Self::Event {
                source,
                sequence,
                cause,
                event,
            } => {
                write!(f, "{source}")?;
                if let Some(sequence) = sequence {
                    write!(f, " #{sequence}")?;
                }
                if let Some(cause) = cause {
                    write!(f, " [{cause}]")?;
                }
                write!(f, ": {event}")
            }
            Self::Stepped {
                from, to, effect, ..
            } => {
                write!(f, "{from} -> {to}")?;
                match effect {
                    Some(effect) => write!(f, ", {effect}"),
                    None => Ok(()),
                }
            }
            Self::Ignored { state, event } => write!(f, "{event} ignored in {state}"),
            Self::Rejected {
                state,
                event,
                reason,
                ..
            } => write!(f, "{event} rejected in {state}: {reason}"),
            Self::Intent {
                effect,
                semantics,
                sequence,
                attempt,
            } => {
                write!(f, "{} #{sequence}", semantics.name())?;
                if *attempt > 1 {
                    write!(f, " attempt {attempt}")?;
                }
                write!(f, ": {effect}")
            }
            Self::Retried {
                sequence,
                attempt,
                fault,
                pause,
            } => write!(
                f,
                "#{sequence} attempt {attempt} failed: {fault}; again in {pause:?}"
            ),
            Self::Superseded { effect, sequence } => {
                f.write_str("superseded")?;
                if let Some(sequence) = sequence {
                    write!(f, " #{sequence}")?;
                }
                write!(f, ": {effect}")
            }
            Self::Unread { event } => write!(f, "unread: {event}"),
            Self::Ended { termination, .. } => write!(f, "ended: {termination}"),
        }
    }
}
