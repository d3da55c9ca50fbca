//! Nets: of compositions, of philosophers, of two-phase commit with messages.

use space_core::explore::{Component, Net, Sync};
use space_core::graph::{Composed, Model};

/// The net of a composition without bridges whose components meet: each move of a component is its
/// begin, an answer to what it asked for, or an event from outside.
///
/// A state of the net's component is a state of the space with the effect that it waits for. A sync
/// moves the components whose effect comes to it and who are not at their end; in these machines
/// nobody else can be interrupted. A component at its end takes part by staying there.
pub(crate) fn of(composed: &Composed) -> Net {
    assert!(composed.bridges.is_empty());
    let nodes: Vec<Vec<Node>> = composed
        .components
        .iter()
        .map(|one| nodes(&one.model))
        .collect();
    let mut components: Vec<Component> = composed
        .components
        .iter()
        .zip(&nodes)
        .map(|(one, nodes)| Component {
            name: one.name.clone(),
            states: nodes.len(),
            initial: 0,
            finals: terminal(&one.model, nodes),
            moves: Vec::new(),
        })
        .collect();
    for (at, one) in composed.components.iter().enumerate() {
        for event in 0..one.model.events.len() {
            if composed.sync_of(at, event).is_none() {
                components[at]
                    .moves
                    .extend(moves(&one.model, &nodes[at], event));
            }
        }
    }
    let syncs = composed.syncs.iter().map(|row| {
        let part = |(at, event): &(usize, usize)| {
            let model = &composed.components[*at].model;
            let stay = terminal(model, &nodes[*at]).into_iter();
            let moves = moves(model, &nodes[*at], *event);
            let all: Vec<_> = moves
                .into_iter()
                .chain(stay.map(|node| (node, node)))
                .collect();
            (*at, all)
        };
        Sync {
            name: row.name.clone(),
            parts: row.parts.iter().map(part).collect(),
        }
    });
    Net {
        syncs: syncs.collect(),
        components,
    }
}

/// A state and the effect that is waited for.
type Node = (usize, Option<usize>);

/// The start first.
fn nodes(model: &Model) -> Vec<Node> {
    let mut nodes = vec![(model.initial, None)];
    for rule in &model.rules {
        if !nodes.contains(&(rule.to, rule.effect)) {
            nodes.push((rule.to, rule.effect));
        }
    }
    nodes
}

fn terminal(model: &Model, nodes: &[Node]) -> Vec<usize> {
    let ends = nodes.iter().enumerate();
    ends.filter(|(_, node)| model.states[node.0].terminal)
        .map(|(at, _)| at)
        .collect()
}

fn moves(model: &Model, nodes: &[Node], event: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (at, (state, effect)) in nodes.iter().enumerate() {
        let comes = model.events[event].external
            || effect.is_some_and(|effect| model.returns(effect).contains(&event))
            || (*state == model.initial && effect.is_none());
        let rules = model.rules_of(*state).iter();
        for rule in rules.filter(|rule| comes && rule.on == event) {
            let to = nodes
                .iter()
                .position(|node| *node == (rule.to, rule.effect));
            found.push((at, to.unwrap()));
        }
    }
    found
}

/// `n` philosophers, then their forks. Each takes the left fork first; `turned`, the last one takes
/// the right one first.
pub(crate) fn philosophers(n: usize, turned: bool) -> Net {
    let component = |name: String| Component {
        name,
        states: 3,
        ..Component::default()
    };
    let names = (0..n)
        .map(|at| format!("phil{at}"))
        .chain((0..n).map(|at| format!("fork{at}")));
    let mut syncs = Vec::new();
    for at in 0..n {
        let (left, right) = (n + at, n + (at + 1) % n);
        // A fork is free, in the hand of whom it is left of, or of whom it is right of.
        let (mut first, mut second) = ((left, 1), (right, 2));
        if turned && at + 1 == n {
            (first, second) = (second, first);
        }
        let take = |(fork, hand): (usize, usize), from: usize| Sync {
            name: format!("take{fork}by{at}"),
            parts: vec![(at, vec![(from, from + 1)]), (fork, vec![(0, hand)])],
        };
        syncs.push(take(first, 0));
        syncs.push(take(second, 1));
        syncs.push(Sync {
            name: format!("drop{at}"),
            parts: vec![
                (at, vec![(2, 0)]),
                (left, vec![(1, 0)]),
                (right, vec![(2, 0)]),
            ],
        });
    }
    Net {
        components: names.map(component).collect(),
        syncs,
    }
}

/// Two-phase commit as Gray and Lamport specify it (Consensus on Transaction Commit, 2006): what is
/// sent stays there, and is received any number of times, or never.
///
/// The managers are working, prepared, committed, aborted; what each sent, and what was heard of it,
/// is a bit; the coordinator is undecided, or has sent one of the two decisions.
pub(crate) fn messages(n: usize) -> Net {
    let component = |name: String, states: usize| Component {
        name,
        states,
        ..Component::default()
    };
    let mut components = Vec::new();
    let (sent, heard, coordinator) = (n, 2 * n, 3 * n);
    components.extend((0..n).map(|at| component(format!("rm{at}"), 4)));
    components.extend((0..n).map(|at| component(format!("sent{at}"), 2)));
    components.extend((0..n).map(|at| component(format!("heard{at}"), 2)));
    components.push(component("coordinator".to_owned(), 3));
    let mut syncs = Vec::new();
    for at in 0..n {
        let mut sync = |name: &str, parts| {
            syncs.push(Sync {
                name: format!("{name}{at}"),
                parts,
            });
        };
        sync(
            "prepare",
            vec![(at, vec![(0, 1)]), (sent + at, vec![(0, 1)])],
        );
        sync(
            "hear",
            vec![
                (coordinator, vec![(0, 0)]),
                (sent + at, vec![(1, 1)]),
                (heard + at, vec![(0, 1)]),
            ],
        );
        for (name, decided, to) in [("commit", 1, 2), ("abort", 2, 3)] {
            let from = (0..4).map(|from| (from, to)).collect();
            sync(
                name,
                vec![(coordinator, vec![(decided, decided)]), (at, from)],
            );
        }
    }
    let all = (0..n).map(|at| (heard + at, vec![(1, 1)]));
    syncs.push(Sync {
        name: "decide_commit".to_owned(),
        parts: all.chain([(coordinator, vec![(0, 1)])]).collect(),
    });
    // Each manager may refuse, and the coordinator give up, alone.
    for manager in &mut components[..n] {
        manager.moves.push((0, 3));
    }
    components[coordinator].moves.push((0, 2));
    Net { components, syncs }
}
