//! Searches over configurations: shortest runs, backward reach, longest counts.

use std::collections::VecDeque;

use super::configurations::{Configurations, START};
use super::observer::{Labels, Observer};

const NONE: u32 = u32::MAX;

/// The rules of a shortest run that breaks the observer's promise. Breadth-first over pairs of
/// configuration and observer state: linear in their number times the rules of a state.
pub(super) fn shortest_break(
    graph: &Configurations<'_>,
    labels: &Labels,
    observer: Observer,
) -> Option<Vec<usize>> {
    let initial = labels.states[graph.model.initial];
    let Some(start) = observer.read(observer.start(), initial) else {
        return Some(Vec::new());
    };
    let wide = usize::try_from(observer.states()).unwrap_or(usize::MAX);
    let at = |node: usize, state: u32| node * wide + state as usize;
    let mut came = Came::new(graph.len().saturating_mul(wide));
    let mut queue = VecDeque::from([(START, start)]);
    came.enter(at(START, start), None);
    while let Some((node, state)) = queue.pop_front() {
        let here = at(node, state);
        if graph.complete(node) && observer.broken_at_end(state) {
            return Some(came.run(here));
        }
        for rule in graph.moves(node) {
            let Some(next) = read_step(graph, labels, observer, state, rule) else {
                let mut run = came.run(here);
                run.push(rule);
                return Some(run);
            };
            let node = graph.into(rule);
            if came.enter(at(node, next), Some((here, rule))) {
                queue.push_back((node, next));
            }
        }
    }
    None
}

/// The rules of a shortest run to a configuration of this kind.
pub(super) fn shortest_to(
    graph: &Configurations<'_>,
    wanted: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    let mut came = Came::new(graph.len());
    let mut queue = VecDeque::from([START]);
    came.enter(START, None);
    while let Some(node) = queue.pop_front() {
        if wanted(node) {
            return Some(came.run(node));
        }
        for rule in graph.moves(node) {
            if came.enter(graph.into(rule), Some((node, rule))) {
                queue.push_back(graph.into(rule));
            }
        }
    }
    None
}

/// The letters of a step, read in order.
pub(super) fn read_step(
    graph: &Configurations<'_>,
    labels: &Labels,
    observer: Observer,
    state: u32,
    rule: usize,
) -> Option<u32> {
    let rule = &graph.model.rules[rule];
    let state = observer.read(state, labels.events[rule.on])?;
    let state = observer.read(state, labels.states[rule.to])?;
    match rule.effect {
        Some(effect) => observer.read(state, labels.effects[effect]),
        None => Some(state),
    }
}

/// Which configurations can be reached, and what occurs on the way.
pub(super) struct Reach {
    pub(super) nodes: Vec<bool>,
    pub(super) rules: Vec<bool>,
}

impl Reach {
    pub(super) fn new(graph: &Configurations<'_>) -> Self {
        let mut nodes = vec![false; graph.len()];
        let mut rules = vec![false; graph.model.rules.len()];
        nodes[START] = true;
        let mut stack = vec![START];
        while let Some(node) = stack.pop() {
            for rule in graph.moves(node) {
                rules[rule] = true;
                let next = graph.into(rule);
                if !std::mem::replace(&mut nodes[next], true) {
                    stack.push(next);
                }
            }
        }
        Self { nodes, rules }
    }

    /// Whether a letter that fills one of these positions occurs in any run.
    pub(super) fn occurs(&self, graph: &Configurations<'_>, labels: &Labels, roles: u8) -> bool {
        let model = graph.model;
        let step = |rule: &crate::graph::Rule| {
            labels.events[rule.on]
                | labels.states[rule.to]
                | rule.effect.map_or(0, |effect| labels.effects[effect])
        };
        labels.states[model.initial] & roles != 0
            || model
                .rules
                .iter()
                .zip(&self.rules)
                .any(|(rule, used)| *used && step(rule) & roles != 0)
    }
}

/// The configurations that a backward walk from `targets` over the rules finds.
pub(super) fn backward(graph: &Configurations<'_>, targets: Vec<usize>) -> Vec<bool> {
    let model = graph.model;
    // Rules by the configuration that they lead to.
    let mut starts = vec![0usize; graph.len() + 1];
    for rule in 0..model.rules.len() {
        starts[graph.into(rule) + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut entering = vec![0usize; model.rules.len()];
    for rule in 0..model.rules.len() {
        let node = graph.into(rule);
        entering[next[node]] = rule;
        next[node] += 1;
    }
    let mut found = vec![false; graph.len()];
    for node in &targets {
        found[*node] = true;
    }
    let mut stack = targets;
    while let Some(node) = stack.pop() {
        for rule in &entering[starts[node]..starts[node + 1]] {
            for source in graph.sources(*rule) {
                if !std::mem::replace(&mut found[source], true) {
                    stack.push(source);
                }
            }
        }
    }
    found
}

/// How each found place was first come to.
struct Came {
    from: Vec<(u32, u32)>,
}

impl Came {
    fn new(places: usize) -> Self {
        Self {
            from: vec![(NONE, NONE); places],
        }
    }

    /// Whether the place is new. The place of the start comes from itself.
    fn enter(&mut self, place: usize, from: Option<(usize, usize)>) -> bool {
        if self.from[place].0 != NONE {
            return false;
        }
        let small = |index: usize| u32::try_from(index).unwrap_or(NONE - 1);
        self.from[place] = match from {
            Some((place, rule)) => (small(place), small(rule)),
            None => (small(place), NONE),
        };
        true
    }

    fn run(&self, mut place: usize) -> Vec<usize> {
        let mut run = Vec::new();
        while let (from, rule) = self.from[place]
            && rule != NONE
        {
            run.push(rule as usize);
            place = from as usize;
        }
        run.reverse();
        run
    }
}
