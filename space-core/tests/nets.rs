//! The engines for products against each other, against a naive search, and against families of
//! nets with known counts.
//!
//! `SPACE_ORACLE=n` looks at n random nets instead of the usual number.

#![expect(
    clippy::disallowed_methods,
    reason = "the number of cases is the environment's to say"
)]
#![allow(missing_docs)]
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "small numbers, and a test that stops is a test that fails"
)]

#[path = "common/nets.rs"]
mod nets;

use std::collections::{BTreeMap, BTreeSet};

use nets::{ring, ring_states};
use space_core::explore::{
    Component, Cube, Engine, Found, Goal, Limits, Natural, Net, NetError, Report, Sync, explore,
    explore_with, find_run, find_run_sliced, find_run_with,
};

const NETS: u64 = 2000;
const ENGINES: [Engine; 3] = [Engine::Dense, Engine::Hashed, Engine::Symbolic];

#[test]
fn engines_agree_on_random_nets() {
    let nets = std::env::var("SPACE_ORACLE")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut large = 0;
    let mut dead = 0;
    let mut runs = 0;
    let mut slices = 0;
    for seed in 0..nets.unwrap_or(NETS) {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let net = random_net(&mut dice);
        let Some(naive) = Naive::explore(&net, 500) else {
            continue;
        };
        large += u64::from(
            net.components
                .iter()
                .map(|one| one.states)
                .product::<usize>()
                > 8192,
        );
        dead += u64::from(naive.dead_ends > 0);
        for engine in ENGINES {
            for threads in [1, 2] {
                let limits = Limits {
                    threads,
                    memory: 4 << 20,
                    // Two threads share frontiers of any size once in a while.
                    shared_from: if seed % 8 == 0 { 0 } else { u64::MAX },
                };
                if engine == Engine::Symbolic && threads > 1 {
                    continue;
                }
                let Some(report) = explore_with(engine, &net, &limits, &mut |_| {}).unwrap() else {
                    assert!(engine == Engine::Dense && states_of_product(&net) > 8 << 20);
                    continue;
                };
                naive.compare(&report, &format!("seed {seed} {engine:?} {threads}"));
            }
        }
        for _ in 0..3 {
            let goal = random_goal(&mut dice, &net);
            let expected = naive.distance(&net, &goal);
            runs += u64::from(expected.is_some());
            let limits = Limits::default();
            let by = |engine| find_run_with(engine, &net, &goal, &limits).unwrap();
            let part = find_run_sliced(&net, &goal, &limits).unwrap();
            slices += u64::from(part.is_some());
            let all = [by(Engine::Hashed), by(Engine::Symbolic), part];
            for (at, found) in all.into_iter().enumerate() {
                match (found, expected) {
                    (Some(Found::Never), None) => {}
                    (Some(Found::Run(run)), Some(length)) => {
                        assert_eq!(run.len(), length + 1, "seed {seed} {at} {goal:?}");
                        check_run(&net, &goal, &run);
                    }
                    (None, _) if at == 2 => {}
                    other => panic!("seed {seed} {at} {goal:?}: {other:?}"),
                }
            }
        }
    }
    assert!(
        large > 100 && dead > 300 && runs > 1000 && slices > 1000,
        "{large} {dead} {runs} {slices}"
    );
}

fn states_of_product(net: &Net) -> usize {
    net.components.iter().map(|one| one.states).product()
}

#[test]
fn families_have_their_known_counts() {
    for (k, n, h, t) in [
        (3, 4, 1, 1),
        (4, 5, 2, 2),
        (6, 12, 5, 3),
        (1, 3, 1, 0),
        (2, 3, 0, 1),
    ] {
        let net = ring(k, n, h, t);
        for engine in ENGINES {
            if k < 2 {
                continue;
            }
            let report = explore_with(engine, &net, &Limits::default(), &mut |_| {});
            let report = report.unwrap().unwrap();
            let expected = ring_states(k, n, h, t).unwrap().to_string();
            assert_eq!(
                report.states.to_string(),
                expected,
                "{k} {n} {h} {t} {engine:?}"
            );
        }
    }
    // Beyond words: 40 components, C(40, 20) 5^20 5^20.
    let report = explore(&ring(40, 10, 4, 20), &Limits::default(), &mut |_| {}).unwrap();
    assert_eq!(report.engine, Engine::Symbolic);
    assert_eq!(report.product.to_string(), format!("1{}", "0".repeat(40)));
    assert_eq!(
        report.states.to_string(),
        // 137846528820 * 5^40
        "1253706876195792574435472488403320312500"
    );
}

#[test]
fn tokens_that_swap_reach_every_permutation() {
    for k in 2..7 {
        let net = swaps(k);
        let expected: usize = (1..=k).product();
        for engine in ENGINES {
            let report = explore_with(engine, &net, &Limits::default(), &mut |_| {});
            let report = report.unwrap().unwrap();
            assert_eq!(
                report.states.to_u64(),
                Some(expected as u64),
                "{k} {engine:?}"
            );
            assert_eq!(report.dead_ends.to_u64(), Some(0));
        }
    }
}

/// `k` places in a row that hold `k` different tokens; neighbours swap in one direction or back.
fn swaps(k: usize) -> Net {
    let component = |at: usize| Component {
        name: format!("p{at}"),
        states: k,
        initial: at,
        ..Component::default()
    };
    let swap = |at: usize, a: usize, b: usize| Sync {
        name: format!("{at} {a} {b}"),
        parts: vec![(at, vec![(a, b)]), (at + 1, vec![(b, a)])],
    };
    let pairs = (0..k)
        .flat_map(|a| (0..k).map(move |b| (a, b)))
        .filter(|(a, b)| a != b);
    let pairs: Vec<_> = pairs.collect();
    Net {
        components: (0..k).map(component).collect(),
        syncs: (0..k - 1)
            .flat_map(|at| pairs.iter().map(move |(a, b)| swap(at, *a, *b)))
            .collect(),
    }
}

#[test]
fn philosophers_deadlock_with_all_left_forks_taken() {
    for k in [3, 7, 10] {
        let net = philosophers(k);
        let report = explore(&net, &Limits::default(), &mut |_| {}).unwrap();
        assert_eq!(report.deadlocks.to_u64(), Some(1), "{k}");
        assert_eq!(report.dead_ends.to_u64(), Some(1), "{k}");
        assert!(report.unreachable.is_empty());
        let Found::Run(run) = find_run(&net, &Goal::Deadlock, &Limits::default()).unwrap() else {
            panic!("{k}");
        };
        assert_eq!(run.len(), k + 1);
        assert!(run[k][..k].iter().all(|state| *state == 1));
        // Neighbours never eat at once, and others do.
        let eat = |a, b| Goal::Any(vec![Cube::both((a, 2), (b, 2))]);
        let found = |goal| find_run(&net, &goal, &Limits::default()).unwrap();
        if k < 10 {
            assert_eq!(found(eat(0, 1)), Found::Never);
        }
        if k > 3 {
            assert!(matches!(found(eat(0, 2)), Found::Run(run) if run.len() == 5));
        }
    }
}

/// Think, take the left fork, take the right one and eat, put both back.
fn philosophers(k: usize) -> Net {
    let mut net = Net::default();
    for at in 0..k {
        net.components.push(Component {
            name: format!("philosopher {at}"),
            states: 3,
            ..Component::default()
        });
    }
    for at in 0..k {
        net.components.push(Component {
            name: format!("fork {at}"),
            states: 2,
            ..Component::default()
        });
        let (left, right) = (k + at, k + (at + 1) % k);
        let mut sync = |parts: Vec<(usize, Vec<(usize, usize)>)>| {
            net.syncs.push(Sync {
                name: String::new(),
                parts,
            });
        };
        sync(vec![(at, vec![(0, 1)]), (left, vec![(0, 1)])]);
        sync(vec![(at, vec![(1, 2)]), (right, vec![(0, 1)])]);
        sync(vec![
            (at, vec![(2, 0)]),
            (left, vec![(1, 0)]),
            (right, vec![(1, 0)]),
        ]);
    }
    net
}

#[test]
fn what_has_no_small_diagram_stops_at_the_bound() {
    // Unrelated orders of moves leave a diagram nothing to share.
    let net = swaps(10);
    let limits = Limits {
        memory: 1 << 16,
        ..Limits::default()
    };
    let report = explore(&net, &limits, &mut |_| {}).unwrap();
    let bound = report.bound.unwrap();
    assert!(bound.seen > 1000 && bound.frontier > 0, "{bound:?}");
    assert_eq!(report.states.to_u64(), Some(bound.seen));
    assert_eq!(
        bound.to_string(),
        format!(
            "bound reached: {} states seen, {} on the frontier",
            bound.seen, bound.frontier
        )
    );
    // Far from the start, so no search within the bound comes there.
    let last = Goal::Any(vec![Cube {
        parts: (0..10).map(|at| (at, vec![9 - at])).collect(),
    }]);
    let found = find_run(&net, &last, &limits).unwrap();
    assert!(matches!(found, Found::Bound(_)), "{found:?}");
}

/// States of many machines are no numbers of 64 bits: without memory for the diagram nothing else is
/// tried, and no table is made for it.
#[test]
fn a_thousand_components_without_memory_stop_at_the_bound() {
    let net = ring(1_000, 3, 0, 500);
    for engine in [Engine::Dense, Engine::Hashed] {
        let report = explore_with(engine, &net, &Limits::default(), &mut |_| {});
        assert!(report.unwrap().is_none());
    }
    let limits = Limits {
        memory: 1 << 10,
        ..Limits::default()
    };
    let report = explore(&net, &limits, &mut |_| {}).unwrap();
    assert!(report.bound.is_some());
}

#[test]
fn hundreds_of_components_are_counted() {
    let report = explore(&ring(120, 3, 0, 60), &Limits::default(), &mut |_| {}).unwrap();
    // C(120, 60) 2^60.
    assert_eq!(
        report.states.to_string(),
        "111389406067685043069207823735747800245685707662688256"
    );
    assert_eq!(report.bound, None);
}

#[test]
fn progress_is_told() {
    let mut told = Vec::new();
    let net = ring(6, 5, 2, 3);
    let limits = Limits::default();
    let report = explore_with(Engine::Dense, &net, &limits, &mut |now| told.push(*now));
    let report = report.unwrap().unwrap();
    assert_eq!(told.len() as u64, report.depth.unwrap() + 1);
    assert!(told.is_sorted_by_key(|now| (now.depth, now.states)));
    assert_eq!(
        told.iter().map(|now| now.frontier).sum::<u64>(),
        report.states.to_u64().unwrap()
    );
    told.clear();
    let report = explore_with(Engine::Hashed, &net, &limits, &mut |now| told.push(*now));
    let report = report.unwrap().unwrap();
    assert!(told.len() > 1 && told.is_sorted_by_key(|now| now.states));
    assert!(told.iter().all(|now| now.frontier > 0 && now.depth == 0));
    assert!(told.last().unwrap().states <= report.states.to_u64().unwrap());
}

/// A run through all ranges of the hash set, one step in each at a time: what is done for a range
/// must not cost more than what was found for it.
#[test]
fn the_hash_set_follows_a_single_run() {
    let counter = |at: usize| Component {
        name: format!("c{at}"),
        states: 200,
        initial: 0,
        finals: Vec::new(),
        moves: Vec::new(),
    };
    // The first counts the steps; the last, whose values are far apart, goes around with it.
    let net = Net {
        components: (0..4).map(counter).collect(),
        syncs: vec![Sync {
            name: "step".to_owned(),
            parts: vec![
                (0, (0..199).map(|x| (x, x + 1)).collect()),
                (3, (0..200).map(|x| (x, (x + 77) % 200)).collect()),
            ],
        }],
    };
    let limits = Limits::default();
    let report = explore_with(Engine::Hashed, &net, &limits, &mut |_| {});
    let report = report.unwrap().unwrap();
    assert_eq!(report.states.to_u64(), Some(200));
    assert_eq!(report.dead_ends.to_u64(), Some(1));
    assert_eq!(report.bound, None);
}

/// At whatever bound it stops, it says no more than there is, and counts moves of what it expanded.
#[test]
fn the_hash_set_stops_at_any_bound() {
    let net = ring(4, 12, 5, 2);
    let all = ring_states(4, 12, 5, 2).unwrap() as u64;
    let mut stopped = 0;
    let mut seen = 0;
    for memory in (12..22).map(|bits| 1 << bits) {
        let limits = Limits {
            memory,
            ..Limits::default()
        };
        let report = explore_with(Engine::Hashed, &net, &limits, &mut |_| {});
        let report = report.unwrap().unwrap();
        let states = report.states.to_u64().unwrap();
        assert!(states <= all && states >= seen);
        seen = states;
        match report.bound {
            Some(bound) => {
                assert_eq!(bound.seen, states);
                assert!(bound.frontier > 0 && bound.frontier <= states, "{bound:?}");
                stopped += 1;
            }
            None => assert_eq!(states, all),
        }
    }
    assert!(stopped > 0 && seen == all, "{stopped} {seen} {all}");
}

#[test]
fn a_net_that_is_none_is_refused() {
    let good = ring(2, 4, 1, 1);
    let refused = |net: &Net| explore(net, &Limits::default(), &mut |_| {}).unwrap_err();
    assert_eq!(refused(&Net::default()), NetError::Empty);
    let mut net = good.clone();
    net.components[1].initial = 4;
    assert_eq!(
        refused(&net),
        NetError::State {
            component: 1,
            state: 4
        }
    );
    let mut net = good.clone();
    net.components[0].moves.push((0, 9));
    assert_eq!(
        refused(&net),
        NetError::State {
            component: 0,
            state: 9
        }
    );
    let mut net = good.clone();
    net.components[0].finals.push(4);
    assert_eq!(
        refused(&net),
        NetError::State {
            component: 0,
            state: 4
        }
    );
    let mut net = good.clone();
    net.syncs[1].parts[0].1.push((4, 0));
    assert_eq!(
        refused(&net),
        NetError::State {
            component: 1,
            state: 4
        }
    );
    let mut net = good.clone();
    net.syncs[1].parts[0].0 = 2;
    assert_eq!(
        refused(&net),
        NetError::Component {
            sync: 1,
            component: 2
        }
    );
    let mut net = good.clone();
    net.syncs[0].parts[1].0 = 0;
    assert_eq!(
        refused(&net),
        NetError::Component {
            sync: 0,
            component: 0
        }
    );
    assert_eq!(refused(&net).to_string(), "sync 0 cannot move component 0");
}

/// What one state leads to, by the definition.
fn successors(net: &Net, state: &[usize]) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let to = |state: &[usize], at: usize, value: usize| {
        let mut next = state.to_vec();
        next[at] = value;
        next
    };
    for (at, component) in net.components.iter().enumerate() {
        let moves: BTreeSet<_> = component
            .moves
            .iter()
            .filter(|one| one.0 == state[at])
            .collect();
        found.extend(moves.into_iter().map(|one| to(state, at, one.1)));
    }
    for sync in net.syncs.iter().filter(|sync| !sync.parts.is_empty()) {
        let mut ways = vec![state.to_vec()];
        for (at, moves) in &sync.parts {
            let moves: BTreeSet<_> = moves.iter().filter(|one| one.0 == state[*at]).collect();
            let more = |way: &Vec<usize>| {
                let way = way.clone();
                moves
                    .iter()
                    .map(move |one| to(&way, *at, one.1))
                    .collect::<Vec<_>>()
            };
            ways = ways.iter().flat_map(more).collect();
        }
        found.extend(ways);
    }
    found
}

fn is_goal(net: &Net, goal: &Goal, state: &[usize]) -> bool {
    let dead = || successors(net, state).is_empty();
    match goal {
        Goal::Any(cubes) => cubes.iter().any(|cube| {
            cube.parts
                .iter()
                .all(|(component, states)| states.contains(&state[*component]))
        }),
        Goal::DeadEnd => dead(),
        Goal::Deadlock => {
            let waits = |at: usize| !net.components[at].finals.contains(&state[at]);
            dead() && (0..state.len()).any(waits)
        }
    }
}

fn check_run(net: &Net, goal: &Goal, run: &[Vec<usize>]) {
    let initial: Vec<usize> = net.components.iter().map(|one| one.initial).collect();
    assert_eq!(run[0], initial);
    for pair in run.windows(2) {
        assert!(successors(net, &pair[0]).contains(&pair[1]), "{pair:?}");
    }
    assert!(is_goal(net, goal, &run[run.len() - 1]));
}

struct Naive {
    depths: BTreeMap<Vec<usize>, usize>,
    dead: BTreeSet<Vec<usize>>,
    transitions: u64,
    dead_ends: u64,
    deadlocks: u64,
    unreachable: Vec<(usize, usize)>,
}

impl Naive {
    fn explore(net: &Net, most: usize) -> Option<Self> {
        let initial: Vec<usize> = net.components.iter().map(|one| one.initial).collect();
        let mut depths = BTreeMap::from([(initial.clone(), 0)]);
        let mut level = vec![initial];
        let mut dead = BTreeSet::new();
        let (mut transitions, mut deadlocks) = (0, 0);
        for depth in 1.. {
            let mut next = Vec::new();
            for state in &level {
                let found = successors(net, state);
                transitions += found.len() as u64;
                if found.is_empty() {
                    dead.insert(state.clone());
                    deadlocks += u64::from(is_goal(net, &Goal::Deadlock, state));
                }
                for one in found {
                    if !depths.contains_key(&one) {
                        depths.insert(one.clone(), depth);
                        next.push(one);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            if depths.len() > most {
                return None;
            }
            level = next;
        }
        let all = net.components.iter().enumerate();
        let unreachable = all
            .flat_map(|(at, one)| (0..one.states).map(move |state| (at, state)))
            .filter(|(at, state)| !depths.keys().any(|one| one[*at] == *state))
            .collect();
        Some(Self {
            depths,
            transitions,
            dead_ends: dead.len() as u64,
            dead,
            deadlocks,
            unreachable,
        })
    }

    fn compare(&self, report: &Report, what: &str) {
        assert_eq!(
            report.states.to_u64(),
            Some(self.depths.len() as u64),
            "{what}"
        );
        assert_eq!(
            report.transitions,
            Some(Natural::from(self.transitions)),
            "{what}"
        );
        assert_eq!(report.dead_ends.to_u64(), Some(self.dead_ends), "{what}");
        assert_eq!(report.deadlocks.to_u64(), Some(self.deadlocks), "{what}");
        assert_eq!(report.unreachable, self.unreachable, "{what}");
        assert_eq!(report.bound, None, "{what}");
        if let Some(depth) = report.depth {
            assert_eq!(
                Some(&(depth as usize)),
                self.depths.values().max(),
                "{what}"
            );
        }
        let pruned = 1.0 - self.depths.len() as f64 / report.product.to_f64();
        assert!((report.pruned() - pruned).abs() < 1e-9, "{what}");
    }

    fn distance(&self, net: &Net, goal: &Goal) -> Option<usize> {
        let may = |state: &Vec<usize>| matches!(goal, Goal::Any(_)) || self.dead.contains(state);
        let all = self.depths.iter();
        let goals = all.filter(|(state, _)| may(state) && is_goal(net, goal, state));
        goals.map(|(_, depth)| *depth).min()
    }
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

fn random_net(dice: &mut Dice) -> Net {
    let mut net = Net::default();
    let widest = [3, 3, 4, 4, 6, 9, 24, 100][dice.roll(8)];
    for at in 0..=dice.roll(5) {
        let states = 1 + dice.roll(widest);
        let mut moves = Vec::new();
        for _ in 0..dice.roll(states.min(12) + 1) {
            moves.push((dice.roll(states), dice.roll(states)));
        }
        net.components.push(Component {
            name: format!("c{at}"),
            states,
            initial: dice.roll(states),
            finals: (0..states).filter(|_| dice.roll(2) == 0).collect(),
            moves,
        });
    }
    for at in 0..dice.roll(5) {
        let mut parts: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
        for (component, row) in net.components.iter().enumerate() {
            if dice.roll(2) == 0 {
                let pairs = 1 + dice.roll(row.states.min(8));
                let pair = |dice: &mut Dice| (dice.roll(row.states), dice.roll(row.states));
                let mut moves: Vec<_> = (0..pairs).map(|_| pair(dice)).collect();
                moves.push((row.initial, dice.roll(row.states)));
                parts.push((component, moves));
            }
        }
        net.syncs.push(Sync {
            name: format!("s{at}"),
            parts,
        });
    }
    net
}

fn random_goal(dice: &mut Dice, net: &Net) -> Goal {
    match dice.roll(5) {
        0 => Goal::DeadEnd,
        1 => Goal::Deadlock,
        _ => {
            let cube = |dice: &mut Dice| {
                let mut parts = Vec::new();
                for (component, row) in net.components.iter().enumerate() {
                    if dice.roll(2) == 0 {
                        parts.push((
                            component,
                            vec![dice.roll(row.states), dice.roll(row.states)],
                        ));
                    }
                }
                Cube { parts }
            };
            Goal::Any((0..=dice.roll(2)).map(|_| cube(dice)).collect())
        }
    }
}
