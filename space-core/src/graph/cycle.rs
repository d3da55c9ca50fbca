//! A concrete cycle.

use super::{Digraph, Model, components, reachable, shortest};

/// A cycle of rules that a run can enter, as indices of [`Model::rules`] in the order in which they
/// are taken; `None` when every run ends by itself. Linear.
///
/// Short rather than shortest: a rule that stays in its state if there is one, otherwise the
/// shortest cycle through the first state that lies on any.
pub fn cycle(model: &Model) -> Option<Vec<usize>> {
    cycle_in(&Digraph::of(model), [model.initial])
}

/// The labels of a cycle that can be reached from `roots`.
pub(crate) fn cycle_in(
    graph: &Digraph,
    roots: impl IntoIterator<Item = usize>,
) -> Option<Vec<usize>> {
    let seen = reachable(graph, roots, |_| true);
    let nodes = || (0..graph.nodes()).filter(|node| seen[*node]);
    let stays = |node: usize| graph.edges_of(node).iter().find(|(to, _)| *to == node);
    if let Some((_, label)) = nodes().find_map(stays) {
        return Some(vec![*label]);
    }
    let component = components(graph).of;
    let inside = |from: usize, to: usize| component[from] == component[to];
    // Without loops, an edge within a component lies on a cycle; a diamond has none.
    let start = nodes().find(|node| {
        let mut edges = graph.edges_of(*node).iter();
        edges.any(|(to, _)| inside(*node, *to))
    })?;
    shortest(graph, start, start, |to, _| inside(start, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(edges: &[(usize, usize)]) -> Option<Vec<usize>> {
        let labelled = edges.iter().enumerate();
        let labelled: Vec<_> = labelled.map(|(at, (from, to))| (*from, *to, at)).collect();
        cycle_in(&Digraph::new(6, &labelled), [0])
    }

    #[test]
    fn a_diamond_is_no_cycle() {
        assert_eq!(of(&[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]), None);
        // Nor are two rules side by side, nor a cycle that no run enters.
        assert_eq!(of(&[(0, 1), (0, 1), (2, 3), (3, 2)]), None);
    }

    #[test]
    fn a_cycle_is_walked_in_order() {
        assert_eq!(of(&[(0, 1), (1, 2), (2, 3), (3, 1)]), Some(vec![1, 2, 3]));
        assert_eq!(of(&[(0, 1), (1, 2), (2, 0), (1, 0)]), Some(vec![0, 3]));
        assert_eq!(of(&[(0, 1), (1, 0), (1, 1)]), Some(vec![2]));
    }
}
