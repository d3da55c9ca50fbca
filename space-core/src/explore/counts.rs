//! How often something can occur in a run.

use super::configurations::{Configurations, START};
use super::observer::{Labels, OF, Observer};
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
    graph: &Configurations<'_>,
    labels: &Labels,
    at_most: u32,
) -> Option<Counterexample> {
    let counts = Counts::new(graph, labels);
    if counts.turn.is_none() && counts.most <= u64::from(at_most) {
        return None;
    }
    let observer = Observer::BoundedExistence { at_most };
    if observer.states().saturating_mul(graph.len() as u64) <= PLACES {
        return shortest_break(graph, labels, observer).map(Counterexample::shortest);
    }
    Some(match counts.turn {
        Some((node, rule)) => counts.lasso(node, rule),
        None => counts.longest(at_most),
    })
}

struct Counts<'a, 'm> {
    graph: &'a Configurations<'m>,
    labels: &'a Labels,
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

impl<'a, 'm> Counts<'a, 'm> {
    fn new(graph: &'a Configurations<'m>, labels: &'a Labels) -> Self {
        let (order, component) = components(graph);
        let count = order.last().map_or(0, |node| component[*node] + 1);
        let mut counts = Self {
            graph,
            labels,
            component,
            best: vec![(0, None); count],
            most: 0,
            turn: None,
        };
        // Components come sinks first, so the targets of a step are settled before it is looked at.
        for node in order {
            let here = counts.component[node];
            for rule in graph.moves(node) {
                let there = counts.component[graph.into(rule)];
                let occurs = counts.occurs(rule);
                if here == there && occurs > 0 {
                    counts.turn.get_or_insert((node, rule));
                } else if here != there && counts.best[there].0 + occurs > counts.best[here].0 {
                    counts.best[here] = (counts.best[there].0 + occurs, Some((node, rule)));
                }
            }
        }
        let initial = labels.states[graph.model.initial] & OF;
        counts.most = counts.best[counts.component[START]].0 + u64::from(initial != 0);
        counts
    }

    fn occurs(&self, rule: usize) -> u64 {
        let rule = &self.graph.model.rules[rule];
        let one = |roles: u8| u64::from(roles & OF != 0);
        one(self.labels.events[rule.on])
            + one(self.labels.states[rule.to])
            + rule
                .effect
                .map_or(0, |effect| one(self.labels.effects[effect]))
    }

    /// To the cycle and once around it.
    fn lasso(&self, node: usize, rule: usize) -> Counterexample {
        let anywhere = |_| true;
        let mut run = self.path(START, node, anywhere);
        let repeats = run.len();
        run.push(rule);
        let within = |one: usize| self.component[one] == self.component[node];
        run.extend(self.path(self.graph.into(rule), node, within));
        Counterexample {
            run,
            shortest: false,
            repeats: Some(repeats),
        }
    }

    /// Along the largest counts until there is one too many.
    fn longest(&self, at_most: u32) -> Counterexample {
        let mut count = u64::from(self.labels.states[self.graph.model.initial] & OF != 0);
        let mut run = Vec::new();
        let mut node = START;
        while count <= u64::from(at_most)
            && let (_, Some((last, rule))) = self.best[self.component[node]]
        {
            let within = |one: usize| self.component[one] == self.component[node];
            run.extend(self.path(node, last, within));
            run.push(rule);
            count += self.occurs(rule);
            node = self.graph.into(rule);
        }
        Counterexample {
            run,
            shortest: false,
            repeats: None,
        }
    }

    /// The rules of a shortest way between two configurations inside a set of them.
    fn path(&self, from: usize, to: usize, within: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut came = std::collections::HashMap::from([(from, None)]);
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                break;
            }
            for rule in self.graph.moves(node) {
                let next = self.graph.into(rule);
                if within(next) && !came.contains_key(&next) {
                    came.insert(next, Some((node, rule)));
                    queue.push_back(next);
                }
            }
        }
        let mut run = Vec::new();
        let mut at = to;
        while let Some(Some((node, rule))) = came.get(&at) {
            run.push(*rule);
            at = *node;
        }
        run.reverse();
        run
    }
}

/// Reachable configurations grouped by strongly connected component, sinks first, and the number
/// of each one's component in that order. Tarjan, *Depth-first search and linear graph
/// algorithms*, SIAM J. Comput. 1972, with an explicit stack; linear.
fn components(graph: &Configurations<'_>) -> (Vec<usize>, Vec<usize>) {
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
        if let Some(rule) = moves.next() {
            let next = graph.into(rule);
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
