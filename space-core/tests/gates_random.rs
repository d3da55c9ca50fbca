//! Random contracts: the gates never panic, and what they let pass keeps its promises.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use space_core::contract::{
    Base, Domain, Effect, Event, Field, FromStates, Guard, GuardUse, Ignored, Json, Meta,
    Semantics, Slot, SlotArg, SlotAssign, Span, Spanned, State, Transition, Type, Value,
};
use space_core::diagnostic::Severity;
use space_core::gates::check;
use space_core::graph::{Cell, Digraph, Model, components, cycle, reachable};
use space_core::machine::{EffectSpace, GuardTable, Rejection, Space, Step};

/// What a random contract is made from: lists by living state.
#[derive(Clone, Debug)]
struct Plan {
    /// Which outcomes the state's effect returns: bits.
    returns: Vec<u8>,
    /// Where each outcome leads.
    to: Vec<[usize; 3]>,
    /// Which outcomes' rules write the slot, and which read it: bits.
    writes: Vec<u8>,
    reads: Vec<u8>,
    semantics: Vec<usize>,
    /// The state whose rules have a guard.
    guarded: usize,
    defaults: bool,
    /// Whether the external event is a wildcard rule, that and an ignored row, or ignored.
    external: usize,
}

fn plan() -> impl Strategy<Value = Plan> {
    (1_usize..7).prop_flat_map(|states| {
        let bits = |low: u8| prop::collection::vec(low..8, states);
        let to = [0..=states, 0..=states, 0..=states];
        let lists = (
            bits(1),
            prop::collection::vec(to, states),
            bits(0),
            bits(0),
            prop::collection::vec(0..4_usize, states),
        );
        let rest = (0..10_usize, prop::bool::weighted(0.2), 0..3_usize);
        (lists, rest).prop_map(|(lists, rest)| {
            let (returns, to, writes, reads, semantics) = lists;
            let (guarded, defaults, external) = rest;
            Plan {
                returns,
                to,
                writes,
                reads,
                semantics,
                guarded,
                defaults,
                external,
            }
        })
    })
}

const OUTCOMES: [&str; 3] = ["Alpha", "Beta", "Gamma"];

/// State `S<n>` is always entered with effect `E<n>`; the last state is the end.
fn build(plan: &Plan) -> (Base, Domain) {
    let count = plan.returns.len();
    let meta = Meta {
        name: "random".into(),
        ..Meta::default()
    };
    let states = (0..=count).map(|at| State {
        name: Spanned::from(format!("S{at}")),
        is_initial: (at == 0).then(|| true.into()),
        ..State::default()
    });
    let outcomes = OUTCOMES.iter().map(|name| Event {
        name: (*name).into(),
        payload: vec![text_field()],
        ..Event::default()
    });
    let cancel = Event {
        name: "Cancel".into(),
        external: Some(true.into()),
        ..Event::default()
    };
    let effects = (0..count).map(|at| Effect {
        name: Spanned::from(format!("E{at}")),
        doc: None,
        args: vec![text_field()],
        semantics: Some(Semantics::ALL[plan.semantics[at]]).into(),
        returns: Some(Spanned::from(
            returned(plan, at)
                .map(|(_, name)| name.into())
                .collect::<Vec<_>>(),
        )),
        sentinel: None,
    });
    let slot = Slot {
        name: "kept".into(),
        ty: Spanned::from(Some(Type::Text)),
        default: plan.defaults.then(|| Json::Text(String::new()).into()),
        doc: None,
    };
    let base = Base {
        meta: meta.clone(),
        doc: None,
        states: states.collect(),
        events: outcomes.chain([cancel]).collect(),
        effects: effects.collect(),
        guards: vec![Guard {
            name: "may".into(),
            doc: None,
        }],
        ctx: vec![slot],
    };
    let rules = (0..count).flat_map(|state| {
        let rules = returned(plan, state);
        rules.map(move |(at, name)| outcome_rule(plan, state, at, name))
    });
    let mut transitions: Vec<_> = rules.collect();
    let mut ignored = Vec::new();
    if plan.external < 2 {
        transitions.push(rule(FromStates::Any, "Cancel", &format!("S{count}")));
    }
    if plan.external > 0 {
        let from = if plan.external == 1 {
            named("S0")
        } else {
            FromStates::Any
        };
        ignored.push(Ignored {
            from: from.into(),
            on: vec!["Cancel".into()],
            span: Span::default(),
        });
    }
    let domain = Domain {
        meta,
        transitions,
        ignored,
        invariants: Vec::new(),
    };
    (base, domain)
}

fn returned(plan: &Plan, state: usize) -> impl Iterator<Item = (usize, &'static str)> {
    let bits = plan.returns[state];
    let outcomes = OUTCOMES.into_iter().enumerate();
    outcomes.filter(move |(at, _)| bits & (1 << at) != 0)
}

fn outcome_rule(plan: &Plan, state: usize, at: usize, on: &str) -> Transition {
    let to = plan.to[state][at];
    let mut row = rule(named(&format!("S{state}")), on, &format!("S{to}"));
    let has = |bits: &[u8]| bits[state] & (1 << at) != 0;
    if to < plan.returns.len() {
        row.effect = Some(Spanned::from(format!("E{to}")));
        if has(&plan.reads) {
            row.args_from.push(SlotArg {
                arg: "text".into(),
                slot: "kept".into(),
            });
        } else {
            row.args.push("text".into());
        }
    }
    if has(&plan.writes) {
        row.assign_from.push(SlotAssign {
            slot: "kept".into(),
            from_field: "text".into(),
        });
    }
    let guard = GuardUse {
        name: "may".to_owned(),
        negated: at == 1,
    };
    row.guard = (plan.guarded == state).then(|| guard.into());
    row
}

fn text_field() -> Field {
    Field {
        name: "text".into(),
        ty: Spanned::from(Some(Type::Text)),
        doc: None,
    }
}

fn rule(from: FromStates, on: &str, to: &str) -> Transition {
    Transition {
        from: from.into(),
        on: on.into(),
        to: to.into(),
        guard: None,
        effect: None,
        args: Vec::new(),
        args_from: Vec::new(),
        assign: Vec::new(),
        assign_from: Vec::new(),
        doc: None,
        span: Span::default(),
    }
}

fn named(name: &str) -> FromStates {
    FromStates::States(vec![name.into()])
}

/// Puts another word in the place of one of the contract's words.
fn mutate(base: &mut Base, domain: &mut Domain, at: usize, word: usize) {
    const WORDS: [&str; 9] = [
        "S0", "S1", "E0", "Alpha", "Cancel", "kept", "text", "may", "ß",
    ];
    let mut places: Vec<&mut String> = vec![&mut base.meta.name.value];
    places.extend(base.states.iter_mut().map(|row| &mut row.name.value));
    for row in &mut base.events {
        places.push(&mut row.name.value);
        places.extend(row.payload.iter_mut().map(|field| &mut field.name.value));
    }
    for row in &mut base.effects {
        places.push(&mut row.name.value);
        places.extend(row.args.iter_mut().map(|field| &mut field.name.value));
        let returns = row.returns.iter_mut().flat_map(|list| &mut list.value);
        places.extend(returns.map(|one| &mut one.value));
    }
    places.push(&mut base.ctx[0].name.value);
    for row in &mut domain.transitions {
        if let FromStates::States(states) = &mut row.from.value {
            places.extend(states.iter_mut().map(|one| &mut one.value));
        }
        places.extend([&mut row.on.value, &mut row.to.value]);
        places.extend(row.effect.as_mut().map(|one| &mut one.value));
        places.extend(row.args.iter_mut().map(|one| &mut one.value));
        for one in &mut row.args_from {
            places.extend([&mut one.arg.value, &mut one.slot.value]);
        }
        for one in &mut row.assign_from {
            places.extend([&mut one.slot.value, &mut one.from_field.value]);
        }
    }
    for row in &mut domain.ignored {
        places.extend(row.on.iter_mut().map(|one| &mut one.value));
    }
    let count = places.len();
    WORDS[word % WORDS.len()].clone_into(places[at % count]);
}

/// Other holes: what a parser leaves where it could not read a word, and switches thrown.
fn damage(base: &mut Base, domain: &mut Domain, kind: usize, at: usize) {
    let (states, rules) = (base.states.len(), domain.transitions.len());
    if states == 0 || rules == 0 {
        return;
    }
    let effects = base.effects.len();
    let effect = &mut base.effects[at % effects];
    match kind {
        0 => effect.semantics.value = None,
        1 => effect.returns = None,
        2 => effect.semantics.value = Some(Semantics::Stop),
        3 => base.states[at % states].is_initial = Some(true.into()),
        4 => base.states[at % states].is_terminal = Some((at & 8 == 0).into()),
        5 => effect.sentinel = Some("Beta".into()),
        6 => base.events[0].payload[0].ty.value = None,
        7 => base.ctx[0].ty.value = None,
        8 => {
            let row = domain.transitions[at % rules].clone();
            domain.transitions.push(row);
        }
        9 => domain.transitions[at % rules].from.value = FromStates::Any,
        10 => base.states.truncate(at % states),
        11 => domain.transitions.truncate(at % rules),
        12 => effect.returns = Some(Vec::new().into()),
        _ => domain.transitions[at % rules].from.value = FromStates::States(Vec::new()),
    }
}

fn passes(base: &Base, domain: &Domain) -> Option<Model> {
    let checked = check(base, domain);
    let mut found = checked.diagnostics.iter();
    let failed = found.any(|one| one.severity() == Severity::Error);
    // Words that the parser could not read, and has reported, are holes without a finding here.
    let holes = base.effects.iter().any(|row| row.semantics.is_none())
        || base.ctx.iter().any(|row| row.ty.is_none())
        || (base.events.iter().flat_map(|row| &row.payload)).any(|field| field.ty.is_none());
    assert_eq!(failed || holes, checked.model.is_none());
    assert!(checked.diagnostics.is_sorted_by_key(|one| one.span));
    checked.model
}

/// What the gates promise of a contract that passes.
fn promises(model: &Model) {
    for (at, state) in model.states.iter().enumerate() {
        assert_eq!(state.terminal, model.rules_of(at).is_empty());
        for (on, event) in model.events.iter().enumerate() {
            let answered = model.cell(at, on) != Cell::Empty;
            assert!(answered || !event.external || state.terminal);
        }
    }
    for rule in &model.rules {
        let Some(effect) = rule.effect else { continue };
        let stops = model.effects[effect].semantics == Semantics::Stop;
        assert_eq!(stops, model.states[rule.to].terminal);
        for event in model.returns(effect) {
            assert!(matches!(model.cell(rule.to, event), Cell::Rule(_)));
        }
    }
    let graph = Digraph::of(model);
    let all = |reached: Vec<bool>| reached.into_iter().all(|reached| reached);
    assert!(all(reachable(&graph, [model.initial], |_| true)));
    let ends = (0..graph.nodes()).filter(|state| model.states[*state].terminal);
    assert!(all(reachable(&graph.reversed(), ends, |_| true)));
    let acyclic = components(&graph).count == graph.nodes()
        && model.rules.iter().all(|rule| rule.from != rule.to);
    let found = cycle(model);
    assert_eq!(found.is_none(), acyclic);
    let cycle = found.unwrap_or_default();
    for (at, rule) in cycle.iter().enumerate() {
        let next = cycle[(at + 1) % cycle.len()];
        assert_eq!(model.rules[*rule].to, model.rules[next].from);
    }
}

/// No step of a run reads an empty slot.
fn runs(base: &Base, domain: &Domain, choices: &[usize]) {
    let space = EffectSpace::from_contract(base, domain, &[]).expect("it passed");
    // The guard is `may` or its negation, by event: whoever is asked says yes.
    let guards = GuardTable::default().with("may", |_, event| event.index != 1);
    let (mut state, mut ctx) = (space.initial(), space.context());
    for choice in choices {
        let index = choice % space.model().events.len();
        let fields = space.model().events[index].payload.len();
        let values = vec![Value::Text("x".to_owned()); fields];
        let event = space
            .event_from(index, values)
            .expect("all fields are texts");
        match space.step(state, &mut ctx, event, &guards) {
            Step::Handled { state: next, .. } => state = next,
            Step::Ignored { .. } => {}
            Step::Rejected { reason, .. } => assert_eq!(reason, Rejection::NoRule),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_passes_keeps_its_promises(
        plan in plan(),
        choices in prop::collection::vec(0..64_usize, 40),
    ) {
        let (base, domain) = build(&plan);
        if let Some(model) = passes(&base, &domain) {
            assert_eq!(Model::resolve(&base, &domain).as_ref(), Some(&model));
            promises(&model);
            runs(&base, &domain, &choices);
        }
    }

    #[test]
    fn no_contract_makes_the_gates_panic(
        plan in plan(),
        words in prop::collection::vec((any::<usize>(), any::<usize>()), 0..4),
        damages in prop::collection::vec((0..14_usize, any::<usize>()), 0..3),
    ) {
        let (mut base, mut domain) = build(&plan);
        for (at, word) in words {
            mutate(&mut base, &mut domain, at, word);
        }
        for (kind, at) in damages {
            damage(&mut base, &mut domain, kind, at);
        }
        if let Some(model) = passes(&base, &domain) {
            promises(&model);
        }
    }
}

#[test]
fn enough_random_contracts_pass() {
    let mut runner = TestRunner::deterministic();
    let passed = (0..500).filter(|_| {
        let tree = plan().new_tree(&mut runner).unwrap();
        let (base, domain) = build(&tree.current());
        passes(&base, &domain).is_some()
    });
    let passed = passed.count();
    assert!(passed > 50, "{passed} of 500");
}
