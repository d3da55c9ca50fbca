//! How often something can occur in a run.

use super::configurations::START;
use super::observer::{OF, Observer, Roles};
use super::runs::{Letters, Runs};
use super::search::shortest_break;
use super::verdict::Counterexample;

/// Up to so many pairs of configuration and count, the counterexample is the shortest.
const PLACES: u64 = 1 << 22;

/// A run in which `of` occurs more than `at_most` times.
///
/// The verdict comes from the strongly connected components: an occurrence inside one can be
/// repeated for ever, and between them the longest count is a sum along an acyclic graph. So it is
/// linear whatever the bound. The shortest counterexample takes a search over configurations
/// times counts; where that is too much, the witness is one turn of a cycle or a run with the
/// largest count.
pub(super) fn too_many(
    graph: &impl Runs,
    letters: &impl Letters,
    at_most: u32,
) -> Option<Counterexample> {
    let counts = Counts::new(graph, letters);
    if counts.turn.is_none() && counts.most <= u64::from(at_most) {
        return None;
    }
    let observer = Observer::BoundedExistence { at_most };
    if observer.states().saturating_mul(graph.len() as u64) <= PLACES {
        return shortest_break(graph, letters, observer).map(Counterexample::shortest);
    }
    Some(match counts.turn {
        Some((node, step)) => counts.lasso(node, step),
        None => counts.longest(at_most),
    })
}

struct Counts<'a, G, L> {
    graph: &'a G,
    letters: &'a L,
    /// The component of each reachable configuration.
    component: Vec<usize>,
    /// Of each component, the most occurrences after entering it, and the step out of it that
    /// leads there.
    best: Vec<(u64, Option<(usize, usize)>)>,
    /// The most occurrences in a run, when there is a most.
    most: u64,
    /// A step with an occurrence inside a component.
    turn: Option<(usize, usize)>,
}

impl<'a, G: Runs, L: Letters> Counts<'a, G, L> {
    fn new(graph: &'a G, letters: &'a L) -> Self {
        let (order, component) = components(graph);
        let count = order.last().map_or(0, |node| component[*node] + 1);
        let mut counts = Self {
            graph,
            letters,
            component,
            best: vec![(0, None); count],
            most: 0,
            turn: None,
        };
        // Components come sinks first, so the targets of a step are settled before it is looked at.
        for node in order {
            let here = counts.component[node];
            for step in graph.moves(node) {
                let there = counts.component[graph.target(step)];
                let occurs = counts.occurs(step);
                if here == there && occurs > 0 {
                    counts.turn.get_or_insert((node, step));
                } else if here != there && counts.best[there].0 + occurs > counts.best[here].0 {
                    counts.best[here] = (counts.best[there].0 + occurs, Some((node, step)));
                }
            }
        }
        counts.most = counts.best[counts.component[START]].0 + one(letters.first());
        counts
    }

    fn occurs(&self, step: usize) -> u64 {
        self.letters.step(step).into_iter().map(one).sum()
    }

    /// To the cycle and once around it.
    fn lasso(&self, node: usize, step: usize) -> Counterexample {
        let anywhere = |_| true;
        let mut run = self.path(START, node, anywhere);
        let repeats = run.len();
        run.push(step);
        let within = |one: usize| self.component[one] == self.component[node];
        run.extend(self.path(self.graph.target(step), node, within));
        Counterexample {
            run,
            shortest: false,
            repeats: Some(repeats),
        }
    }

    /// Along the largest counts until there is one too many.
    fn longest(&self, at_most: u32) -> Counterexample {
        let mut count = one(self.letters.first());
        let mut run = Vec::new();
        let mut node = START;
        while count <= u64::from(at_most)
            && let (_, Some((last, step))) = self.best[self.component[node]]
        {
            let within = |one: usize| self.component[one] == self.component[node];
            run.extend(self.path(node, last, within));
            run.push(step);
            count += self.occurs(step);
            node = self.graph.target(step);
        }
        Counterexample {
            run,
            shortest: false,
            repeats: None,
        }
    }

    /// The steps of a shortest way between two configurations inside a set of them.
    fn path(&self, from: usize, to: usize, within: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut came = std::collections::HashMap::from([(from, None)]);
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                break;
            }
            for step in self.graph.moves(node) {
                let next = self.graph.target(step);
                if within(next) && !came.contains_key(&next) {
                    came.insert(next, Some((node, step)));
                    queue.push_back(next);
                }
            }
        }
        let mut run = Vec::new();
        let mut at = to;
        while let Some(Some((node, step))) = came.get(&at) {
            run.push(*step);
            at = *node;
        }
        run.reverse();
        run
    }
}

/// Whether a letter is an occurrence.
fn one(letter: Roles) -> u64 {
    u64::from(letter & OF != 0)
}

/// Reachable configurations grouped by strongly connected component, sinks first, and the number
/// of each one's component in that order. Tarjan, *Depth-first search and linear graph
/// algorithms*, SIAM J. Comput. 1972, with an explicit stack; linear.
fn components(graph: &impl Runs) -> (Vec<usize>, Vec<usize>) {
    const NEW: usize = usize::MAX;
    let mut low = vec![NEW; graph.len()];
    let mut component = vec![NEW; graph.len()];
    let mut order = Vec::new();
    let mut open = Vec::new();
    let mut found = 0;
    let mut done = 0;
    let mut stack = vec![(START, graph.moves(START), 0)];
    low[START] = 0;
    open.push(START);
    while let Some((node, moves, number)) = stack.last_mut() {
        let (node, number) = (*node, *number);
        if let Some(step) = moves.next() {
            let next = graph.target(step);
            if low[next] == NEW {
                found += 1;
                low[next] = found;
                open.push(next);
                stack.push((next, graph.moves(next), found));
            } else if component[next] == NEW {
                low[node] = low[node].min(low[next]);
            }
            continue;
        }
        stack.pop();
        if let Some((parent, _, _)) = stack.last() {
            low[*parent] = low[*parent].min(low[node]);
        }
        if low[node] == number {
            while let Some(member) = open.pop() {
                component[member] = done;
                order.push(member);
                if member == node {
                    break;
                }
            }
            done += 1;
        }
    }
    (order, component)
}
