//! Where the search is, and how it came there.

use super::step::Names;
use crate::diff::{Run, RunStep};

/// A pair of configurations, and at most one pair of slots that is apart in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub(super) old: usize,
    /// The old machine's effect that was asked for and has not answered.
    pub(super) pending: Option<usize>,
    pub(super) new: usize,
    pub(super) apart: Option<usize>,
}

/// The step that led to a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) from: usize,
    /// The old machine's event.
    pub(super) event: usize,
    /// Whether the old rule's guard refused.
    pub(super) refused: bool,
}

/// Every node that was visited.
#[derive(Default)]
pub(super) struct Trail {
    nodes: Vec<(Node, Option<Arrival>)>,
}

impl Trail {
    pub(super) fn push(&mut self, node: Node, from: Option<Arrival>) -> usize {
        self.nodes.push((node, from));
        self.nodes.len() - 1
    }

    pub(super) fn node(&self, at: usize) -> Node {
        self.nodes[at].0
    }

    /// The run that ends in a step.
    pub(super) fn run(&self, names: &Names<'_>, last: Option<Arrival>) -> Run {
        let mut steps: Vec<RunStep> = Vec::new();
        let mut next = last;
        while let Some(arrival) = next {
            let (node, before) = self.nodes[arrival.from];
            steps.push(names.told(node, arrival.event, arrival.refused));
            next = before;
        }
        steps.reverse();
        Run {
            start: names.starts(),
            steps,
        }
    }

    /// The step of the run to a node, from 0, in which its pair of slots came apart.
    pub(super) fn torn(&self, at: usize) -> Option<usize> {
        let (node, mut before) = self.nodes[at];
        node.apart?;
        let mut steps = 0;
        let mut torn = None;
        while let Some(arrival) = before {
            let (node, earlier) = self.nodes[arrival.from];
            // Counted from the end.
            if torn.is_none() && node.apart.is_none() {
                torn = Some(steps);
            }
            steps += 1;
            before = earlier;
        }
        torn.map(|from_end| steps - 1 - from_end)
    }
}
