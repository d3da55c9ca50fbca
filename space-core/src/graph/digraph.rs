//! A directed graph whose edges carry a label.

use super::Model;

/// A directed graph in compressed rows: nodes are `0..len`, each edge carries a label of the
/// caller's, and the edges of a node keep the order in which they were given.
#[derive(Clone, Debug)]
pub struct Digraph {
    starts: Vec<usize>,
    edges: Vec<(usize, usize)>,
}

impl Digraph {
    /// A graph of these `(from, to, label)`. Linear.
    pub fn new(nodes: usize, edges: &[(usize, usize, usize)]) -> Self {
        let mut starts = vec![0; nodes + 1];
        for (from, ..) in edges {
            starts[from + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut rows = vec![(0, 0); edges.len()];
        for (from, to, label) in edges {
            rows[next[*from]] = (*to, *label);
            next[*from] += 1;
        }
        Self {
            starts,
            edges: rows,
        }
    }

    /// States and rules of a contract; labels are indices of [`Model::rules`].
    pub fn of(model: &Model) -> Self {
        let rules = model.rules.iter().enumerate();
        let edges: Vec<_> = rules.map(|(at, rule)| (rule.from, rule.to, at)).collect();
        Self::new(model.states.len(), &edges)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The edges of a node: target and label.
    pub fn edges_of(&self, node: usize) -> &[(usize, usize)] {
        &self.edges[self.starts[node]..self.starts[node + 1]]
    }

    /// The graph with every edge turned round. Linear.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let turned: Vec<_> = (0..self.nodes())
            .flat_map(|from| {
                let edges = self.edges_of(from).iter();
                edges.map(move |(to, label)| (*to, from, *label))
            })
            .collect();
        Self::new(self.nodes(), &turned)
    }
}
