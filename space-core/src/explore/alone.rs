//! What the runs of one space look like.

use std::collections::VecDeque;

use super::configurations::{Configurations, START};
use super::verdict::Counterexample;
use crate::graph::{Digraph, Model, components};

/// The shape of a space: what its runs reach, how far that is, and where they go round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Configurations (a state, and what the run waits for there) that a run can reach.
    pub configurations: usize,
    /// Rules that some run uses.
    pub rules: usize,
    /// The most steps that a shortest run to a configuration takes.
    pub depth: usize,
    /// States that no run reaches.
    pub unreachable: Vec<usize>,
    /// Terminal states that a run reaches.
    pub ends: Vec<usize>,
    /// The states of each part of the space that a run can go round in, loops on one state included.
    pub cycles: Vec<Vec<usize>>,
    /// Configurations in which a run stands still and is not complete: the state, and a shortest run.
    pub dead_ends: Vec<(usize, Counterexample)>,
}

/// The shape of a space with these loopbacks, each a trigger state and an event. Linear in
/// configurations times rules of a state.
pub fn shape(model: &Model, loopbacks: &[(usize, usize)]) -> Shape {
    let graph = Configurations::new(model, loopbacks);
    let came = breadth_first(&graph);
    let seen = |node: &usize| came[*node].is_some();
    let nodes: Vec<usize> = (0..graph.len()).filter(seen).collect();
    let mut states = vec![false; model.states.len()];
    let mut used = vec![false; model.rules.len()];
    let mut edges = Vec::new();
    let mut dead_ends = Vec::new();
    for node in &nodes {
        let from = graph.node(*node).state;
        states[from] = true;
        let mut still = true;
        for rule in graph.moves(*node) {
            still = false;
            used[rule] = true;
            edges.push((from, model.rules[rule].to, rule));
        }
        if still && !graph.complete(*node) {
            dead_ends.push((from, Counterexample::shortest(run(&came, *node))));
        }
    }
    let depth = nodes.iter().filter_map(|node| came[*node]);
    Shape {
        configurations: nodes.len(),
        rules: used.iter().filter(|used| **used).count(),
        depth: depth.map(|came| came.depth).max().unwrap_or(0),
        unreachable: (0..states.len()).filter(|at| !states[*at]).collect(),
        ends: (0..states.len())
            .filter(|at| states[*at] && model.states[*at].terminal)
            .collect(),
        cycles: cycles(model.states.len(), &edges),
        dead_ends,
    }
}

/// How a configuration was first come to.
#[derive(Clone, Copy)]
struct Came {
    from: usize,
    rule: usize,
    depth: usize,
}

fn breadth_first(graph: &Configurations<'_>) -> Vec<Option<Came>> {
    let mut came = vec![None; graph.len()];
    came[START] = Some(Came {
        from: START,
        rule: 0,
        depth: 0,
    });
    let mut open = VecDeque::from([(START, 0)]);
    while let Some((from, depth)) = open.pop_front() {
        for rule in graph.moves(from) {
            let node = graph.into(rule);
            if came[node].is_none() {
                let depth = depth + 1;
                came[node] = Some(Came { from, rule, depth });
                open.push_back((node, depth));
            }
        }
    }
    came
}

fn run(came: &[Option<Came>], mut node: usize) -> Vec<usize> {
    let mut run = Vec::new();
    while node != START
        && let Some(one) = came[node]
    {
        run.push(one.rule);
        node = one.from;
    }
    run.reverse();
    run
}

/// The strongly connected parts with an edge inside, in the order of their first states.
fn cycles(states: usize, edges: &[(usize, usize, usize)]) -> Vec<Vec<usize>> {
    let of = components(&Digraph::new(states, edges)).of;
    let mut round = vec![false; states];
    for (from, to, _) in edges {
        if of[*from] == of[*to] {
            round[of[*from]] = true;
        }
    }
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); states];
    for (state, part) in of.iter().enumerate().filter(|(_, part)| round[**part]) {
        parts[*part].push(state);
    }
    parts.retain(|part| !part.is_empty());
    parts.sort_unstable();
    parts
}
