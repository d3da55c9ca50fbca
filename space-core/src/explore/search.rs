//! Searches over configurations: shortest runs, backward reach, longest counts.

use std::collections::VecDeque;

use super::configurations::START;
use super::observer::{Observer, Roles};
use super::runs::{Letters, Runs};

const NONE: u32 = u32::MAX;

/// The steps of a shortest run that breaks the observer's promise. Breadth-first over pairs of
/// configuration and observer state: linear in their number times the steps out of one.
pub(super) fn shortest_break(
    graph: &impl Runs,
    letters: &impl Letters,
    observer: Observer,
) -> Option<Vec<usize>> {
    let Some(start) = observer.read(observer.start(), letters.first()) else {
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
        for step in graph.moves(node) {
            let mut read = letters.step(step).into_iter();
            let Some(next) = read.try_fold(state, |state, letter| observer.read(state, letter))
            else {
                let mut run = came.run(here);
                run.push(step);
                return Some(run);
            };
            let node = graph.target(step);
            if came.enter(at(node, next), Some((here, step))) {
                queue.push_back((node, next));
            }
        }
    }
    None
}

/// The steps of a shortest run to a configuration of this kind.
pub(super) fn shortest_to(graph: &impl Runs, wanted: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    shortest_step(graph, wanted, |_| false)
}

/// The steps of a shortest run to a configuration, or with a step, of this kind.
pub(super) fn shortest_step(
    graph: &impl Runs,
    wanted: impl Fn(usize) -> bool,
    last: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    let mut came = Came::new(graph.len());
    let mut queue = VecDeque::from([START]);
    came.enter(START, None);
    if wanted(START) {
        return Some(Vec::new());
    }
    while let Some(node) = queue.pop_front() {
        for step in graph.moves(node) {
            let next = graph.target(step);
            let new = came.enter(next, Some((node, step)));
            if last(step) || new && wanted(next) {
                let mut run = came.run(node);
                run.push(step);
                return Some(run);
            }
            if new {
                queue.push_back(next);
            }
        }
    }
    None
}

/// Which configurations can be reached, and what occurs on the way.
pub(super) struct Reach {
    pub(super) nodes: Vec<bool>,
    pub(super) steps: Vec<bool>,
}

impl Reach {
    pub(super) fn new(graph: &impl Runs) -> Self {
        let mut nodes = vec![false; graph.len()];
        let mut steps = vec![false; graph.steps()];
        nodes[START] = true;
        let mut stack = vec![START];
        while let Some(node) = stack.pop() {
            for step in graph.moves(node) {
                steps[step] = true;
                let next = graph.target(step);
                if !std::mem::replace(&mut nodes[next], true) {
                    stack.push(next);
                }
            }
        }
        Self { nodes, steps }
    }

    /// Whether a letter that fills one of these positions occurs in any run.
    pub(super) fn occurs(&self, letters: &impl Letters, roles: Roles) -> bool {
        let fills = |step| letters.step(step).iter().any(|letter| letter & roles != 0);
        let mut used = self.steps.iter().enumerate().filter(|(_, used)| **used);
        letters.first() & roles != 0 || used.any(|(step, _)| fills(step))
    }
}

/// The configurations that a backward walk from `targets` over the steps finds.
pub(super) fn backward(graph: &impl Runs, targets: Vec<usize>) -> Vec<bool> {
    // Steps by the configuration that they lead to.
    let mut starts = vec![0usize; graph.len() + 1];
    for step in 0..graph.steps() {
        starts[graph.target(step) + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut entering = vec![0usize; graph.steps()];
    for step in 0..graph.steps() {
        let node = graph.target(step);
        entering[next[node]] = step;
        next[node] += 1;
    }
    let mut found = vec![false; graph.len()];
    for node in &targets {
        found[*node] = true;
    }
    let mut stack = targets;
    while let Some(node) = stack.pop() {
        for step in &entering[starts[node]..starts[node + 1]] {
            for source in graph.sources(*step) {
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
            Some((place, step)) => (small(place), small(step)),
            None => (small(place), NONE),
        };
        true
    }

    fn run(&self, mut place: usize) -> Vec<usize> {
        let mut run = Vec::new();
        while let (from, step) = self.from[place]
            && step != NONE
        {
            run.push(step as usize);
            place = from as usize;
        }
        run.reverse();
        run
    }
}
