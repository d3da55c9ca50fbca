//! An order of components that keeps those close that move together.

use std::collections::VecDeque;

use super::net::Net;

/// Which component comes at each place: the best found of the given order, a breadth-first order
/// of the graph of syncs, and what FORCE makes of both. *Best* is the least sum of squared spans,
/// a span being the distance between the first and the last participant of a sync: what a decision
/// diagram has to remember between levels. Squared, because firing one sync across all levels costs
/// more than firing many across two: a ring is better folded than cut open.
///
/// Source: Aloul, Markov, Sakallah, *FORCE: a fast and easy-to-implement variable-ordering
/// heuristic*, GLSVLSI 2003. `O(s log n)` a round in the participants of all syncs, and a number
/// of rounds logarithmic in the components.
pub(super) fn order(net: &Net) -> Vec<usize> {
    let edges: Vec<Vec<usize>> = net
        .syncs
        .iter()
        .map(|sync| sync.parts.iter().map(|(component, _)| *component).collect())
        .filter(|edge: &Vec<usize>| edge.len() > 1)
        .collect();
    let count = net.components.len();
    let rounds = 10 * (usize::BITS - count.leading_zeros()) as usize;
    let starts = [(0..count).collect(), breadth_first(count, &edges)];
    let mut best: Option<(usize, Vec<usize>)> = None;
    for mut order in starts {
        let mut last = usize::MAX;
        for _ in 0..=rounds {
            let span = span(&order, &edges);
            if best.as_ref().is_none_or(|(least, _)| span < *least) {
                best = Some((span, order.clone()));
            }
            if span >= last {
                break;
            }
            last = span;
            order = pull(&order, &edges);
        }
    }
    best.map(|(_, order)| order).unwrap_or_default()
}

/// From a component with the fewest neighbours, and again for each part that hangs together.
fn breadth_first(count: usize, edges: &[Vec<usize>]) -> Vec<usize> {
    let mut around = vec![Vec::new(); count];
    for (edge, members) in edges.iter().enumerate() {
        for member in members {
            around[*member].push(edge);
        }
    }
    let mut by_degree: Vec<usize> = (0..count).collect();
    by_degree.sort_by_key(|component| around[*component].len());
    let mut seen = vec![false; count];
    let mut used = vec![false; edges.len()];
    let mut order = Vec::with_capacity(count);
    for start in by_degree {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut queue = VecDeque::from([start]);
        while let Some(component) = queue.pop_front() {
            order.push(component);
            for edge in &around[component] {
                if std::mem::replace(&mut used[*edge], true) {
                    continue;
                }
                for next in &edges[*edge] {
                    if !std::mem::replace(&mut seen[*next], true) {
                        queue.push_back(*next);
                    }
                }
            }
        }
    }
    order
}

fn places(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    for (place, component) in order.iter().enumerate() {
        places[*component] = place;
    }
    places
}

fn span(order: &[usize], edges: &[Vec<usize>]) -> usize {
    let places = places(order);
    let width = |edge: &Vec<usize>| {
        let ends = edge.iter().map(|one| places[*one]);
        (ends.clone().max().unwrap_or(0) - ends.min().unwrap_or(0)).pow(2)
    };
    edges.iter().map(width).sum()
}

/// One round of FORCE: every component moves to the mean of its syncs' centres.
#[allow(clippy::cast_precision_loss, reason = "places are small")]
fn pull(order: &[usize], edges: &[Vec<usize>]) -> Vec<usize> {
    let places = places(order);
    let mut sums: Vec<(f64, u32)> = vec![(0.0, 0); order.len()];
    for edge in edges {
        let sum: usize = edge.iter().map(|one| places[*one]).sum();
        let centre = sum as f64 / edge.len() as f64;
        for one in edge {
            sums[*one].0 += centre;
            sums[*one].1 += 1;
        }
    }
    let goal = |component: usize| match sums[component] {
        (_, 0) => places[component] as f64,
        (sum, count) => sum / f64::from(count),
    };
    let mut next = order.to_vec();
    next.sort_by(|a, b| goal(*a).total_cmp(&goal(*b)));
    next
}
