//! The simulation against runs: on random pairs of machines its verdict, and the length of its
//! counterexample, are those of replaying every bounded run with the interpreter.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use space_core::contract::{
    Base, Domain, Effect, Event, Field, FromStates, Guard, GuardUse, Ignored, Json, Meta,
    Semantics, Slot, SlotArg, SlotAssign, Span, Spanned, State, Transition, Type, Value,
};
use space_core::diff::{Run, simulate, simulate_within};
use space_core::graph::Cell;
use space_core::machine::{EffectSpace, GuardTable, Rejection, Space as _, StateId, Step, Values};

/// What a random machine is made from: numbers, taken modulo what there is to choose.
#[derive(Clone, Debug)]
struct Plan {
    /// Of each living state, the rules for `Alpha`, `Beta` and `Cancel`.
    rules: Vec<[[u8; COLUMNS]; 3]>,
    /// Whether the second slot starts otherwise, the semantics of the first effect, the name of the
    /// second event, the names of the states.
    head: [u8; 4],
}

const COLUMNS: usize = 7;
const FIELDS: [&str; 2] = ["text", "other"];
const SLOTS: [&str; 2] = ["kept", "also"];
const ENDS: usize = 2;

fn plan() -> impl Strategy<Value = Plan> {
    let rule = prop::array::uniform7(0..24_u8);
    let rules = prop::collection::vec(prop::array::uniform3(rule), 2..4);
    rules.prop_map(|rules| Plan {
        rules,
        head: [0, 1, 1, 0],
    })
}

/// Where a change goes: state, event, column, and what is put there; a fifth of them change the head.
type Change = (usize, usize, usize, u8);

fn pair() -> impl Strategy<Value = (Plan, Plan)> {
    let change = (0..5_usize, 0..3_usize, 0..COLUMNS, 0..24_u8);
    (plan(), prop::collection::vec(change, 0..5)).prop_map(|(old, changes)| {
        let mut new = old.clone();
        for change in changes {
            apply(&mut new, change);
        }
        (old, new)
    })
}

fn apply(plan: &mut Plan, (state, event, column, value): Change) {
    if state == 4 {
        plan.head[column % 4] = value % 4;
    } else {
        let states = plan.rules.len();
        plan.rules[state % states][event][column] = value;
    }
}

fn build(plan: &Plan) -> (Base, Domain) {
    let living = plan.rules.len();
    let letter = if plan.head[3] == 2 { "T" } else { "S" };
    let name = |at: usize| format!("{letter}{at}");
    let second = if plan.head[2] == 0 { "Gamma" } else { "Beta" };
    let events = ["Alpha", second, "Cancel"];
    let meta = Meta {
        name: "random".into(),
        ..Meta::default()
    };
    let base = Base {
        meta: meta.clone(),
        doc: None,
        states: (0..living + ENDS)
            .map(|at| State {
                name: name(at).into(),
                is_initial: (at == 0).then(|| true.into()),
                ..State::default()
            })
            .collect(),
        events: (events.iter())
            .map(|event| Event {
                name: (*event).into(),
                payload: FIELDS.map(text).into(),
                external: (*event == "Cancel").then(|| true.into()),
                ..Event::default()
            })
            .collect(),
        effects: (0..2)
            .map(|at| Effect {
                name: format!("E{at}").into(),
                doc: None,
                args: FIELDS.map(text).into(),
                semantics: Some(match (at, plan.head[1]) {
                    (0, 0) => Semantics::Command,
                    _ => Semantics::Query,
                })
                .into(),
                returns: Some(vec!["Alpha".into(), second.into()].into()),
                sentinel: None,
            })
            .collect(),
        guards: ["may", "can"]
            .map(|guard| Guard {
                name: guard.into(),
                doc: None,
            })
            .into(),
        ctx: (SLOTS.iter().enumerate())
            .map(|(at, slot)| Slot {
                name: (*slot).into(),
                ty: Some(Type::Text).into(),
                default: Some(Spanned::from(Json::Text(match (at, plan.head[0]) {
                    (1, 3) => "x".to_owned(),
                    _ => String::new(),
                }))),
                doc: None,
            })
            .collect(),
    };
    let mut domain = Domain {
        meta,
        ..Domain::default()
    };
    for (state, rules) in plan.rules.iter().enumerate() {
        let from = || FromStates::States(vec![name(state).into()]).into();
        for (numbers, event) in rules.iter().zip(events) {
            if event == "Cancel" && numbers[6] % 3 == 0 {
                domain.ignored.push(Ignored {
                    from: from(),
                    on: vec![event.into()],
                    span: Span::default(),
                });
                continue;
            }
            let to = usize::from(numbers[0]) % (living + ENDS);
            let mut row = Transition {
                from: from(),
                on: event.into(),
                to: name(to).into(),
                guard: None,
                effect: None,
                args: Vec::new(),
                args_from: Vec::new(),
                assign: Vec::new(),
                assign_from: Vec::new(),
                doc: None,
                span: Span::default(),
            };
            fill(&mut row, numbers, to < living);
            domain.transitions.push(row);
        }
    }
    (base, domain)
}

fn fill(row: &mut Transition, numbers: &[u8], asks: bool) {
    let pick = |column: usize, of: u8| usize::from(numbers[column] % of);
    row.guard = match numbers[1] % 12 {
        0 => Some(("may", false)),
        1 => Some(("may", true)),
        2 => Some(("can", false)),
        _ => None,
    }
    .map(|(name, negated)| GuardUse {
        name: name.into(),
        negated,
    })
    .map(Spanned::from);
    if asks {
        row.effect = Some(format!("E{}", pick(2, 2)).into());
        for (arg, column) in FIELDS.into_iter().zip([3, 4]) {
            match SLOTS.get(pick(column, 3)) {
                Some(slot) => row.args_from.push(SlotArg {
                    arg: arg.into(),
                    slot: (*slot).into(),
                }),
                None => row.args.push(arg.into()),
            }
        }
    }
    for (slot, column) in SLOTS.into_iter().zip([5, 6]) {
        if let Some(field) = FIELDS.get(pick(column, 4)) {
            row.assign_from.push(SlotAssign {
                slot: slot.into(),
                from_field: (*field).into(),
            });
        }
    }
}

fn text(name: &str) -> Field {
    Field {
        name: name.into(),
        ty: Some(Type::Text).into(),
        doc: None,
    }
}

/// A machine, and the guards that answer it: as they are told, writing down what they were asked.
struct Machine {
    space: EffectSpace,
    guards: GuardTable,
    answer: Arc<Mutex<bool>>,
    asked: Arc<Mutex<Option<&'static str>>>,
}

impl Machine {
    fn of(plan: &Plan) -> Option<Self> {
        let (base, domain) = build(plan);
        let space = EffectSpace::from_contract(&base, &domain, &[]).ok()?;
        let answer = Arc::new(Mutex::new(true));
        let asked = Arc::new(Mutex::new(None));
        let mut guards = GuardTable::default();
        for name in ["may", "can"] {
            let (answer, asked) = (answer.clone(), asked.clone());
            guards = guards.with(name, move |_, _| {
                *asked.lock().unwrap() = Some(name);
                *answer.lock().unwrap()
            });
        }
        Some(Self {
            space,
            guards,
            answer,
            asked,
        })
    }

    fn step(&self, at: &mut Place, name: &str, number: usize, answer: bool) -> Option<Seen> {
        *self.answer.lock().unwrap() = answer;
        *self.asked.lock().unwrap() = None;
        let value = |field: &str| Value::Text(format!("{number}.{field}"));
        let payload = FIELDS.map(|field| (field, value(field)));
        let event = self.space.event(name, payload).ok()?;
        let before = at.ctx.clone();
        let step = (self.space).step(at.state, &mut at.ctx, event, &self.guards);
        let model = self.space.model();
        let (kind, effect) = match step {
            Step::Handled { state, effect } => {
                at.state = state;
                at.pending = effect.as_ref().map(|effect| effect.index);
                let ends = model.states[usize::from(state.0)].terminal;
                (if ends { "ends" } else { "goes on" }, effect)
            }
            Step::Ignored { .. } => ("ignored", None),
            Step::Rejected {
                reason: Rejection::NoRule,
                ..
            } => ("no rule", None),
            Step::Rejected { .. } => ("refused", None),
        };
        let asked = *self.asked.lock().unwrap();
        let named = |effect: Values| {
            let row = &model.effects[effect.index];
            (row.name.clone(), row.semantics, effect.values)
        };
        Some(Seen {
            kind,
            effect: effect.map(named),
            asked: asked.map(|name| (name, before)),
        })
    }
}

/// Where a run is.
#[derive(Clone)]
struct Place {
    state: StateId,
    ctx: Vec<Value>,
    pending: Option<usize>,
}

/// What a record holds of a step, and what a guard saw.
#[derive(PartialEq)]
struct Seen {
    kind: &'static str,
    effect: Option<(String, Semantics, Vec<Value>)>,
    asked: Option<(&'static str, Vec<Value>)>,
}

struct Both {
    old: Machine,
    new: Machine,
}

impl Both {
    fn start(&self) -> (Place, Place) {
        let place = |machine: &Machine| Place {
            state: machine.space.initial(),
            ctx: machine.space.context(),
            pending: None,
        };
        (place(&self.old), place(&self.new))
    }

    /// One event for both; `None` when they differ, otherwise whether it was handled.
    fn step(
        &self,
        at: &mut (Place, Place),
        event: &str,
        number: usize,
        answer: bool,
    ) -> Option<bool> {
        let old = self.old.step(&mut at.0, event, number, answer);
        let new = self.new.step(&mut at.1, event, number, answer);
        let handled = old
            .as_ref()
            .map(|seen| ["ends", "goes on"].contains(&seen.kind));
        (old == new).then_some(handled).flatten()
    }

    /// The events that may come next.
    fn events(&self, at: &Place) -> Vec<(String, bool)> {
        let model = self.old.space.model();
        let state = usize::from(at.state.0);
        let mut events = Vec::new();
        for (event, row) in model.events.iter().enumerate() {
            let cell = model.cell(state, event);
            let comes = !model.states[state].terminal
                && match at.pending {
                    _ if row.external => true,
                    Some(effect) => model.returns(effect).contains(&event),
                    None => cell != Cell::Empty,
                };
            let guarded = matches!(cell, Cell::Rule(rule) if rule.guard.is_some());
            if comes {
                events.push((row.name.clone(), true));
            }
            if comes && guarded {
                events.push((row.name.clone(), false));
            }
        }
        events
    }

    /// Length of the shortest run of at most `most` steps that does not replay.
    fn shortest(&self, most: usize) -> Option<usize> {
        let mut level = vec![self.start()];
        for number in 1..=most {
            let mut next = Vec::new();
            for at in &level {
                for (event, answer) in self.events(&at.0) {
                    let mut after = at.clone();
                    match self.step(&mut after, &event, number, answer) {
                        None => return Some(number),
                        Some(true) => next.push(after),
                        Some(false) => {}
                    }
                }
            }
            level = next;
        }
        None
    }

    /// Whether a run's last step differs, and no other.
    fn differs_at_the_end(&self, run: &Run) -> bool {
        let mut at = self.start();
        let steps = run.steps.iter().enumerate();
        let replayed = steps.take_while(|(number, step)| {
            let answer = step.guard.as_ref().is_none_or(|(_, answer)| *answer);
            self.step(&mut at, &step.event, *number, answer).is_some()
        });
        replayed.count() + 1 == run.steps.len()
    }
}

#[test]
fn the_simulation_is_the_replay_of_every_run() {
    const DEPTH: usize = 5;
    const PAIRS: usize = 3_000;
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let (mut compared, mut lengths, mut longer) = (0, [0_usize; DEPTH + 1], 0);
    while compared < PAIRS {
        let (old, new) = pair().new_tree(&mut runner).unwrap().current();
        let (Some(old_machine), Some(new_machine)) = (Machine::of(&old), Machine::of(&new)) else {
            continue;
        };
        compared += 1;
        let simulation = simulate(old_machine.space.model(), new_machine.space.model());
        let both = Both {
            old: old_machine,
            new: new_machine,
        };
        assert!(simulation.decided);
        let found = simulation.mismatches.first().map(|one| one.run.steps.len());
        if let Some(first) = simulation.mismatches.first() {
            assert!(
                both.differs_at_the_end(&first.run),
                "{old:?}\n{new:?}\n{first:?}"
            );
        }
        let brute = both.shortest(DEPTH);
        let expected = found.filter(|length| *length <= DEPTH);
        assert_eq!(
            brute, expected,
            "{old:?}\n{new:?}\n{:?}",
            simulation.mismatches
        );
        match found {
            Some(length) if length > DEPTH => longer += 1,
            found => lengths[found.unwrap_or(0)] += 1,
        }
    }
    // Each kind of verdict is there often enough to mean something.
    assert!(
        lengths.iter().take(4).all(|count| *count >= 50),
        "{lengths:?}"
    );
    assert!(lengths[4] + lengths[5] + longer > 5, "{lengths:?}");
}

#[test]
fn what_is_too_large_is_not_decided() {
    let mut runner = TestRunner::deterministic();
    let machine = loop {
        let plan = plan().new_tree(&mut runner).unwrap().current();
        if let Some(machine) = Machine::of(&plan) {
            break machine;
        }
    };
    let model = machine.space.model();
    assert!(simulate(model, model).replays());
    let stopped = simulate_within(model, model, 1);
    assert!(!stopped.decided && !stopped.replays());
}
