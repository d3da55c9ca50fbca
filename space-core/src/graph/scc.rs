//! Strongly connected components.

use super::Digraph;

/// The strongly connected components of a graph.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each node. An edge leads to the same component or to one of a smaller
    /// number: the numbers are a reverse topological order.
    pub of: Vec<usize>,
    /// How many there are.
    pub count: usize,
}

const UNSEEN: usize = usize::MAX;

/// The components of a graph: Tarjan's algorithm with its own stack, so that the depth of the
/// input is no matter. Linear.
///
/// Source: Tarjan, *Depth-first search and linear graph algorithms*, SIAM J. Comput. 1972.
pub fn components(graph: &Digraph) -> Components {
    let nodes = graph.nodes();
    let mut of = vec![UNSEEN; nodes];
    let mut order = vec![UNSEEN; nodes];
    let mut low = vec![0; nodes];
    let mut stack = Vec::new();
    let mut calls: Vec<(usize, usize)> = Vec::new();
    let (mut found, mut count) = (0, 0);
    for root in 0..nodes {
        if order[root] != UNSEEN {
            continue;
        }
        calls.push((root, 0));
        while let Some((node, edge)) = calls.pop() {
            if edge == 0 {
                order[node] = found;
                low[node] = found;
                found += 1;
                stack.push(node);
            }
            if let Some((to, _)) = graph.edges_of(node).get(edge) {
                calls.push((node, edge + 1));
                if order[*to] == UNSEEN {
                    calls.push((*to, 0));
                } else if of[*to] == UNSEEN {
                    low[node] = low[node].min(order[*to]);
                }
                continue;
            }
            if low[node] == order[node] {
                while let Some(member) = stack.pop() {
                    of[member] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
        }
    }
    Components { of, count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_numbered_against_the_edges() {
        // 0 → 1 ⇄ 2 → 3 with a loop, and 4 apart.
        let edges = [(0, 1, 0), (1, 2, 0), (2, 1, 0), (2, 3, 0), (3, 3, 0)];
        let found = components(&Digraph::new(5, &edges));
        assert_eq!(found.count, 4);
        assert_eq!(found.of[1], found.of[2]);
        for (from, to, _) in edges {
            assert!(found.of[from] >= found.of[to]);
        }
    }

    #[test]
    fn depth_is_no_matter() {
        let nodes = 200_000;
        let edges: Vec<_> = (0..nodes).map(|at| (at, (at + 1) % nodes, at)).collect();
        assert_eq!(components(&Digraph::new(nodes, &edges)).count, 1);
    }
}
