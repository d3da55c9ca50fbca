//! What can be reached, and how.

use std::collections::VecDeque;

use super::Digraph;

/// Which nodes can be reached from `roots`, over edges whose label `allow` lets pass. Linear.
pub fn reachable(
    graph: &Digraph,
    roots: impl IntoIterator<Item = usize>,
    allow: impl Fn(usize) -> bool,
) -> Vec<bool> {
    let mut seen = vec![false; graph.nodes()];
    let mut open = Vec::new();
    for root in roots {
        if !std::mem::replace(&mut seen[root], true) {
            open.push(root);
        }
    }
    while let Some(node) = open.pop() {
        for (to, label) in graph.edges_of(node) {
            if allow(*label) && !std::mem::replace(&mut seen[*to], true) {
                open.push(*to);
            }
        }
    }
    seen
}

/// The labels of a shortest path of at least one edge from `start` to `goal`, over edges whose
/// target and label `allow` lets pass. Breadth first: linear.
pub fn shortest(
    graph: &Digraph,
    start: usize,
    goal: usize,
    allow: impl Fn(usize, usize) -> bool,
) -> Option<Vec<usize>> {
    // `came[node]` is how the node was found: where from, and over which label.
    let mut came: Vec<Option<(usize, usize)>> = vec![None; graph.nodes()];
    let mut open = VecDeque::from([start]);
    while came[goal].is_none() {
        let node = open.pop_front()?;
        for (to, label) in graph.edges_of(node) {
            if came[*to].is_none() && allow(*to, *label) {
                came[*to] = Some((node, *label));
                if *to != start {
                    open.push_back(*to);
                }
            }
        }
    }
    let mut path = Vec::new();
    let mut node = goal;
    while let Some((from, label)) = came[node] {
        path.push(label);
        node = from;
        if node == start {
            break;
        }
    }
    path.reverse();
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_way_is_found() {
        let edges = [(0, 1, 10), (1, 2, 11), (0, 2, 12), (2, 3, 13), (3, 0, 14)];
        let graph = Digraph::new(5, &edges);
        assert_eq!(shortest(&graph, 0, 3, |_, _| true), Some(vec![12, 13]));
        assert_eq!(
            shortest(&graph, 0, 3, |_, label| label != 12),
            Some(vec![10, 11, 13])
        );
        assert_eq!(shortest(&graph, 0, 0, |_, _| true), Some(vec![12, 13, 14]));
        assert_eq!(shortest(&graph, 0, 4, |_, _| true), None);
        assert_eq!(
            reachable(&graph, [1], |label| label != 14),
            [false, true, true, true, false]
        );
    }
}
