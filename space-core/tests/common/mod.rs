//! Machines and patterns from a line of text each.
#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::unwrap_used, reason = "a test that stops is a test that fails")]

use space_core::contract::{
    Base, Domain, Effect, Event, FromStates, Guard, GuardUse, Meta, Pattern, Point, Points,
    Semantics, Span, Spanned, State, Transition,
};
use space_core::graph::Model;

/// A machine from lines:
///
/// * `A go B`, `A go B / Think`, `A go B ? guard`, `A go B ? guard / Think`: rules;
/// * `effect Think query = Done Failed`: an effect; without `=` it answers with every event;
/// * `external Cancel`: an external event.
///
/// States and events are declared by use; the first state is the initial one. The rule in line n
/// (from 1, every line counted) has the span n..n.
pub(crate) fn contract(text: &str) -> (Base, Domain) {
    let mut base = Base::default();
    let mut domain = Domain::default();
    base.meta = meta();
    domain.meta = meta();
    for (at, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["external", event] => {
                let at = declare_event(&mut base, event);
                base.events[at].external = Some(true.into());
            }
            ["effect", name, semantics, returns @ ..] => {
                let returns = match returns {
                    ["=", events @ ..] => {
                        for event in events {
                            declare_event(&mut base, event);
                        }
                        Some(Spanned::from(
                            events.iter().map(|one| (*one).into()).collect::<Vec<_>>(),
                        ))
                    }
                    _ => None,
                };
                base.effects.push(Effect {
                    name: (*name).into(),
                    doc: None,
                    args: Vec::new(),
                    semantics: Semantics::parse(semantics).into(),
                    returns,
                    sentinel: None,
                });
            }
            [from, on, to, rest @ ..] => {
                declare_state(&mut base, from);
                declare_state(&mut base, to);
                declare_event(&mut base, on);
                let after = |mark| {
                    let at = rest.iter().position(|word| *word == mark)?;
                    Some(rest[at + 1])
                };
                let guard = after("?");
                if let Some(guard) = guard
                    && !base.guards.iter().any(|row| row.name.value == guard)
                {
                    base.guards.push(Guard {
                        name: guard.into(),
                        doc: None,
                    });
                }
                let place = u32::try_from(at + 1).unwrap();
                domain.transitions.push(Transition {
                    from: FromStates::States(vec![(*from).into()]).into(),
                    on: (*on).into(),
                    to: (*to).into(),
                    guard: guard.map(|name| {
                        Spanned::from(GuardUse {
                            name: name.to_owned(),
                            negated: false,
                        })
                    }),
                    effect: after("/").map(Into::into),
                    args: Vec::new(),
                    args_from: Vec::new(),
                    assign: Vec::new(),
                    assign_from: Vec::new(),
                    doc: None,
                    span: Span {
                        start: place,
                        end: place,
                        ..Span::default()
                    },
                });
            }
            _ => panic!("not a line of a machine: {line}"),
        }
    }
    base.states[0].is_initial = Some(true.into());
    (base, domain)
}

/// The model of [`contract`].
pub(crate) fn machine(text: &str) -> Model {
    let (base, domain) = contract(text);
    Model::resolve(&base, &domain).expect("a machine of the tests resolves")
}

/// A pattern from `absence of .. after .. until ..` and so on, points separated by spaces.
pub(crate) fn pattern(text: &str) -> Pattern {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap();
    let mut parts: Vec<(&str, Vec<&str>)> = Vec::new();
    for word in words {
        if word.contains(':') || word.parse::<u32>().is_ok() {
            parts.last_mut().unwrap().1.push(word);
        } else {
            parts.push((word, Vec::new()));
        }
    }
    let part = |key: &str| {
        parts
            .iter()
            .find(|(one, _)| *one == key)
            .map(|(_, words)| words)
    };
    let points = |key: &str| -> Points {
        let point = |word: &&str| Spanned::from(Point::parse(word).unwrap());
        part(key)
            .map(|words| words.iter().map(point).collect())
            .unwrap_or_default()
    };
    match name {
        "absence" => Pattern::Absence {
            of: points("of"),
            after: points("after"),
            until: points("until"),
        },
        "existence" => Pattern::Existence { of: points("of") },
        "precedence" => Pattern::Precedence {
            first: points("first"),
            then: points("then"),
            reset: points("reset"),
        },
        "response" => Pattern::Response {
            after: points("after"),
            must: points("must"),
        },
        "bounded" => Pattern::BoundedExistence {
            of: points("of"),
            at_most: part("at_most").unwrap()[0].parse::<u32>().unwrap().into(),
        },
        "exclusion" => Pattern::Exclusion {
            points: points("points"),
        },
        "reachable" => Pattern::Reachable {
            point: points("point"),
        },
        _ => panic!("no pattern: {text}"),
    }
}

fn meta() -> Meta {
    Meta {
        name: "test".into(),
        prefix: None,
        version: None,
    }
}

fn declare_state(base: &mut Base, name: &str) {
    if !base.states.iter().any(|row| row.name.value == name) {
        base.states.push(State {
            name: name.into(),
            ..State::default()
        });
    }
}

fn declare_event(base: &mut Base, name: &str) -> usize {
    base.events
        .iter()
        .position(|row| row.name.value == name)
        .unwrap_or_else(|| {
            base.events.push(Event {
                name: name.into(),
                ..Event::default()
            });
            base.events.len() - 1
        })
}
