//! Compositions as nets against the machines that the runner steps: every state that a run of the
//! product can come to, on random compositions.
//!
//! `SPACE_ORACLE=n` looks at n random compositions instead of the usual number.

#![expect(
    clippy::disallowed_methods,
    reason = "the number of cases is the environment's to say"
)]
#![allow(missing_docs)]
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "small numbers, and a test that stops is a test that fails"
)]

mod common;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use common::machine;
use space_core::compose::{ComposedGuards, FeedStep, Product, ProductState, ProductStep, Tagged};
use space_core::contract::{Semantics, Span};
use space_core::explore::{
    Cause, ComposedNet, Engine, Found, Goal, Joint, Limits, Natural, Part, explore, explore_with,
    find_run,
};
use space_core::graph::{BridgeRow, Component, Composed, LoopRow, PointRow, SyncRow};
use space_core::machine::{GuardTable, Values};

/// What the net knows of a run: states, pending effects, waiting bridges.
type Place = (Vec<usize>, Vec<Asked>, Vec<usize>);

/// What a machine waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    /// The event that begins its run.
    Start,
    Nothing,
    Effect(usize),
}

impl Asked {
    fn of(effect: Option<usize>) -> Self {
        effect.map_or(Self::Nothing, Self::Effect)
    }

    fn effect(self) -> Option<usize> {
        match self {
            Self::Effect(effect) => Some(effect),
            _ => None,
        }
    }
}

/// Every place of a product, with its distance from the start and whether something follows.
struct Naive {
    depth: BTreeMap<Place, u64>,
    dead: Vec<Place>,
    /// The distance of the first handling of each event, by component.
    events: BTreeMap<(usize, usize), u64>,
}

struct Walk<'p> {
    product: &'p Product,
    guards: [ComposedGuards; 2],
}

impl Walk<'_> {
    /// The runs of a product, as the runner steps it: what waits is fed first unless what it would
    /// interrupt is no query, then come answers, external events, and the event that begins.
    fn explore(&self) -> Naive {
        let composed = self.product.composed();
        let start = self.product.initial();
        // Nobody else begins it, and it is begun by what does not come later as well.
        let first = |at: usize| {
            let model = &composed.components[at].model;
            let rules = model.rules.iter().filter(|rule| rule.from == model.initial);
            let own = rules
                .map(|rule| rule.on)
                .any(|on| !model.events[on].external);
            if composed.after[at].is_empty() && own {
                Asked::Start
            } else {
                Asked::Nothing
            }
        };
        let idle: Vec<_> = (0..composed.components.len()).map(first).collect();
        let mut naive = Naive {
            depth: BTreeMap::from([(place(&start, &idle), 0)]),
            dead: Vec::new(),
            events: BTreeMap::new(),
        };
        let mut open = VecDeque::from([(start, idle, 0)]);
        while let Some((state, pending, depth)) = open.pop_front() {
            let next = self.next(&state, &pending);
            if next.is_empty() {
                naive.dead.push(place(&state, &pending));
            }
            for (state, pending, handled) in next {
                for event in handled {
                    naive.events.entry(event).or_insert(depth + 1);
                }
                let here = place(&state, &pending);
                if let Entry::Vacant(new) = naive.depth.entry(here) {
                    new.insert(depth + 1);
                    open.push_back((state, pending, depth + 1));
                }
            }
        }
        naive
    }

    #[allow(clippy::type_complexity, reason = "one use")]
    fn next(
        &self,
        state: &ProductState,
        pending: &[Asked],
    ) -> Vec<(ProductState, Vec<Asked>, Vec<(usize, usize)>)> {
        let composed = self.product.composed();
        let mut next = Vec::new();
        let semantics = |at: usize| {
            let model = &composed.components[at].model;
            let effect = pending[at].effect();
            effect.map(|effect| model.effects[effect].semantics)
        };
        let busy = |at| {
            !matches!(
                semantics(at),
                None | Some(Semantics::Query | Semantics::Stop)
            )
        };
        if let Some(bridge) = self.product.due(state, busy) {
            for guards in &self.guards {
                let (mut state, mut pending) = (state.clone(), pending.to_vec());
                state.rounds.fill(0);
                let fed = self
                    .product
                    .feed(&mut state, bridge, Duration::ZERO, guards);
                let FeedStep::Stepped {
                    restarted, step, ..
                } = fed
                else {
                    panic!("no loop is used up");
                };
                state.rounds.fill(0);
                for at in restarted {
                    pending[at] = Asked::Nothing;
                }
                let moved = match step {
                    ProductStep::Handled(moved) => moved,
                    _ => Vec::new(),
                };
                let mut handled = Vec::new();
                for one in moved {
                    handled.push((one.component, one.event));
                    pending[one.component] = Asked::of(one.effect.map(|effect| effect.index));
                }
                next.push((state, pending, handled));
            }
            return next;
        }
        let waits = |at: usize| {
            state
                .waiting
                .iter()
                .any(|fed| composed.bridges[fed.bridge].to == at)
        };
        let idle = |at: usize| semantics(at).is_none_or(|one| one == Semantics::Stop) && !waits(at);
        if self.product.is_complete(state, idle) {
            return next;
        }
        for (component, at) in state.states.iter().enumerate() {
            let model = &composed.components[component].model;
            let at = usize::from(at.0);
            if model.states[at].terminal {
                continue;
            }
            for event in 0..model.events.len() {
                let effect = pending[component].effect();
                let answer = effect.is_some_and(|effect| model.returns(effect).contains(&event));
                let fresh = pending[component] == Asked::Start;
                let outside = model.events[event].external || fresh;
                // An answer waits until what the others do can be interrupted.
                let tagged = Tagged {
                    component,
                    event: Values {
                        index: event,
                        values: Vec::new(),
                    },
                };
                let blocked =
                    self.product
                        .participants(state, &tagged)
                        .into_iter()
                        .any(|(other, event)| {
                            let model = &composed.components[other].model;
                            let meets = pending[other]
                                .effect()
                                .is_some_and(|effect| model.returns(effect).contains(&event));
                            other != component && busy(other) && !meets
                        });
                if !(outside || answer && !blocked) {
                    continue;
                }
                let (mut state, mut pending) = (state.clone(), pending.to_vec());
                let step = self.product.step(&mut state, tagged, &self.guards[0]);
                if let ProductStep::Handled(moved) = step {
                    let mut handled = Vec::new();
                    for one in moved {
                        handled.push((one.component, one.event));
                        pending[one.component] = Asked::of(one.effect.map(|effect| effect.index));
                    }
                    next.push((state, pending, handled));
                }
            }
        }
        next
    }
}

fn place(state: &ProductState, pending: &[Asked]) -> Place {
    let states = state.states.iter().map(|one| usize::from(one.0));
    let waiting = state.waiting.iter().map(|fed| fed.bridge);
    (states.collect(), pending.to_vec(), waiting.collect())
}

fn net_place(net: &ComposedNet<'_>, state: &[usize]) -> Place {
    let locals = 0..net.composed().components.len();
    let locals: Vec<_> = locals.map(|at| net.state(at, state[at])).collect();
    let mut waiting: Vec<_> = locals.iter().flat_map(|one| one.waiting.clone()).collect();
    waiting.sort_unstable();
    (
        locals.iter().map(|one| one.state).collect(),
        locals
            .iter()
            .map(|one| {
                if one.fresh {
                    Asked::Start
                } else {
                    Asked::of(one.effect)
                }
            })
            .collect(),
        waiting,
    )
}

#[test]
fn nets_are_what_the_product_does() {
    let cases = std::env::var("SPACE_ORACLE")
        .ok()
        .and_then(|text| text.parse().ok());
    let (mut dead, mut fed, mut large, mut same) = (0, 0, 0, 0);
    for seed in 0..cases.unwrap_or(400u64) {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let composed = Arc::new(random(&mut dice));
        let product = Product::of(Arc::clone(&composed));
        let guards = [true, false].map(|answer| {
            let table = |guards: ComposedGuards, one: &Component| {
                let table = GuardTable::default().with("may", move |_, _| answer);
                guards.with(one.name.clone(), table)
            };
            composed
                .components
                .iter()
                .fold(ComposedGuards::new(), table)
        });
        let walk = Walk {
            product: &product,
            guards,
        };
        let naive = walk.explore();
        let net = ComposedNet::new(&composed).unwrap();
        net.net.validate().unwrap();
        // The graph that promises are judged over has the same configurations: with loops that are
        // never used up, and where a stop is one.
        let stops = |one: &Component| {
            let mut rules = one.model.rules.iter();
            rules.any(|rule| {
                let stop = |at: usize| one.model.effects[at].semantics == Semantics::Stop;
                rule.effect.is_some_and(stop) && !one.model.states[rule.to].terminal
            })
        };
        if composed.loops.is_empty() && !composed.components.iter().any(stops) {
            let joint = Joint::new(Arc::clone(&composed));
            assert_eq!(joint.size().0, naive.depth.len(), "seed {seed}");
            same += 1;
        }
        for engine in [Engine::Dense, Engine::Hashed, Engine::Symbolic] {
            let report = explore_with(engine, &net.net, &Limits::default(), &mut |_| {});
            let report = report.unwrap().unwrap();
            let what = format!("seed {seed}, {engine:?}");
            assert_eq!(
                report.states.to_u64(),
                Some(naive.depth.len() as u64),
                "{what}"
            );
            assert_eq!(
                report.dead_ends.to_u64(),
                Some(naive.dead.len() as u64),
                "{what}"
            );
            if engine == Engine::Dense {
                assert_eq!(report.depth, naive.depth.values().max().copied(), "{what}");
            }
            let mut seen: Vec<_> = composed
                .components
                .iter()
                .map(|one| vec![false; one.model.states.len()])
                .collect();
            for (states, ..) in naive.depth.keys() {
                for (at, state) in states.iter().enumerate() {
                    seen[at][*state] = true;
                }
            }
            for (component, state) in net.unreachable(&report) {
                assert!(!seen[component][state], "{what}");
                seen[component][state] = true;
            }
            assert!(seen.iter().flatten().all(|seen| *seen), "{what}");
        }
        let first = naive.dead.iter().map(|place| naive.depth[place]).min();
        dead += usize::from(first.is_some());
        large += usize::from(naive.depth.len() > 100);
        match find_run(&net.net, &Goal::DeadEnd, &Limits::default()).unwrap() {
            Found::Run(run) => {
                assert_eq!(Some(run.len() as u64 - 1), first);
                fed += check_run(&net, &run, &naive);
            }
            found => assert_eq!((found, first), (Found::Never, None)),
        }
        for (component, one) in composed.components.iter().enumerate() {
            let event = dice.below(one.model.events.len() as u64) as usize;
            let part = Part::whole(&composed);
            let (net, goal) =
                ComposedNet::with_goal(&part, component, PointRow::Event(event)).unwrap();
            let first = naive.events.get(&(component, event)).copied();
            match find_run(&net.net, &goal, &Limits::default()).unwrap() {
                Found::Run(run) => {
                    assert_eq!(Some(run.len() as u64 - 1), first, "seed {seed}");
                    fed += check_run(&net, &run, &naive);
                    let last = net.step(&run[run.len() - 2], &run[run.len() - 1]).unwrap();
                    let model = &one.model;
                    let handles = |(at, rule): &(usize, usize)| {
                        *at == component && model.rules[*rule].on == event
                    };
                    assert!(last.moved.iter().any(handles), "seed {seed}");
                }
                found => assert_eq!((found, first), (Found::Never, None), "seed {seed}"),
            }
        }
    }
    assert!(dead > 100 && fed > 20 && large > 3, "{dead} {fed} {large}");
    assert!(same > 10, "{same}");
}

/// Every place of a run is one of the product, and every step has words. How many were fed.
fn check_run(net: &ComposedNet<'_>, run: &[Vec<usize>], naive: &Naive) -> usize {
    let mut fed = 0;
    for (at, state) in run.iter().enumerate() {
        assert!(naive.depth[&net_place(net, state)] <= at as u64);
    }
    for pair in run.windows(2) {
        let step = net.step(&pair[0], &pair[1]).unwrap();
        fed += usize::from(matches!(step.cause, Cause::Fed { .. }));
    }
    let trace = net.trace(run, true);
    assert!(trace.lines[1..].iter().all(|line| line.event.is_some()));
    fed
}

/// Hundreds of machines, with a sync event of all of them: counted exactly, in bounded time.
#[test]
fn hundreds_of_machines_are_explored() {
    let model = Arc::new(machine(
        "A go B / Work\neffect Work query = Done\nB Done C\nexternal Cancel\nA Cancel C\nB Cancel C",
    ));
    let count = 300;
    let component = |at| Component {
        name: format!("m{at}"),
        model: Arc::clone(&model),
    };
    let composed = Composed {
        name: "many".to_owned(),
        doc: None,
        components: (0..count).map(component).collect(),
        syncs: vec![SyncRow {
            name: "Cancel".to_owned(),
            parts: (0..count)
                .map(|at| (at, model.event("Cancel").unwrap()))
                .collect(),
            span: Span::default(),
        }],
        bridges: Vec::new(),
        loops: Vec::new(),
        holds: Vec::new(),
        after: vec![Vec::new(); count],
    };
    let net = ComposedNet::new(&composed).unwrap();
    let report = explore(&net.net, &Limits::default(), &mut |_| {}).unwrap();
    assert_eq!(report.bound, None);
    // Each begins, works and is done by itself; a cancel of the rest leads nowhere new.
    let every = (0..count).fold(Natural::from(1), |all, _| all.times(3));
    assert_eq!(report.states, every);
    assert_eq!(report.dead_ends.to_u64(), Some(1));
    assert_eq!(report.deadlocks.to_u64(), Some(0));
    let part = Part::around(&composed, &[7]);
    assert!(part.is_whole());
    let (net, goal) =
        ComposedNet::with_goal(&part, 7, PointRow::Event(model.event("Cancel").unwrap())).unwrap();
    let Found::Run(run) = find_run(&net.net, &goal, &Limits::default()).unwrap() else {
        panic!("a cancel is a step away");
    };
    assert_eq!(run.len(), 2);
}

/// Two or three machines, synced, bridged and looped at random.
fn random(dice: &mut Dice) -> Composed {
    let count = 2 + dice.below(2) as usize;
    let components: Vec<_> = (0..count)
        .map(|at| Component {
            name: format!("m{at}"),
            model: Arc::new(machine(&random_machine(dice))),
        })
        .collect();
    let events = |at: usize| components[at].model.events.len() as u64;
    let mut syncs = Vec::new();
    if dice.below(2) == 0 {
        // All declare `E0` in the order of use, so by name.
        let parts = components.iter().enumerate();
        let parts: Vec<_> = parts
            .filter_map(|(at, one)| Some((at, one.model.event("E0")?)))
            .collect();
        if parts.len() >= 2 {
            syncs.push(SyncRow {
                name: "E0".to_owned(),
                parts,
                span: Span::default(),
            });
        }
    }
    let mut after = vec![Vec::new(); count];
    let series = dice.below(2) == 0;
    if series {
        for (at, before) in after.iter_mut().enumerate().skip(1) {
            before.push(at - 1);
        }
    }
    let mut bridges = Vec::new();
    let mut loops = Vec::new();
    for _ in 0..dice.below(4) {
        let from = dice.below(count as u64) as usize;
        let to = dice.below(count as u64) as usize;
        let model = &components[from].model;
        let point = match dice.below(3) {
            0 => PointRow::State(dice.below(model.states.len() as u64) as usize),
            1 => PointRow::Event(dice.below(events(from)) as usize),
            _ => PointRow::Semantics(Semantics::Query),
        };
        let looped = from >= to;
        let event = dice.below(events(to)) as usize;
        let shared = syncs
            .iter()
            .any(|row: &SyncRow| row.parts.contains(&(to, event)));
        if shared {
            continue;
        }
        bridges.push(BridgeRow {
            from,
            points: vec![point],
            to,
            event,
            payload: Vec::new(),
            feedback: looped.then_some(loops.len()),
            restarts: if looped && series {
                (to + 1..count).collect()
            } else {
                Vec::new()
            },
            span: Span::default(),
        });
        if looped {
            loops.push(LoopRow {
                name: format!("l{}", loops.len()),
                max_rounds: 3,
                timeout_ms: 0,
            });
        }
    }
    Composed {
        name: "test".to_owned(),
        doc: None,
        components,
        syncs,
        bridges,
        loops,
        holds: Vec::new(),
        after,
    }
}

fn random_machine(dice: &mut Dice) -> String {
    let mut text = String::new();
    let states = 2 + dice.below(4);
    let mut taken = Vec::new();
    for _ in 0..3 + dice.below(9) {
        let (from, on) = (dice.below(states), dice.below(4));
        if taken.contains(&(from, on)) {
            continue;
        }
        taken.push((from, on));
        let guard = if dice.below(4) == 0 { " ? may" } else { "" };
        let effect = match dice.below(4) {
            0 => String::new(),
            at => format!(" / F{}", at - 1),
        };
        writeln!(text, "S{from} E{on} S{}{guard}{effect}", dice.below(states)).unwrap();
    }
    for at in 0..3 {
        let semantics = ["query", "command", "stop"][dice.below(3) as usize];
        if semantics == "stop" {
            writeln!(text, "effect F{at} stop").unwrap();
        } else {
            writeln!(
                text,
                "effect F{at} {semantics} = E{} E{}",
                dice.below(4),
                dice.below(4)
            )
            .unwrap();
        }
    }
    if dice.below(2) == 0 {
        writeln!(text, "external E{}", dice.below(4)).unwrap();
    }
    text
}

/// Xorshift: the same cases on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most
    }
}
