//! Definite assignment: which reads may find a slot empty.

use std::collections::{BTreeMap, VecDeque};

use super::Digraph;

/// Which of `reads`, pairs of a node and a slot, may happen before the slot was written: there is a
/// path from `roots` to the node that no edge of which writes it. `writes` has the label and slot of
/// every write; slots that never are empty are the caller's to leave out of `reads`.
///
/// A forward data flow over sets of slots that may be empty, 64 slots at a time: linear in the graph
/// for each 64 distinct slots read.
pub(crate) fn empty_reads(
    graph: &Digraph,
    roots: &[usize],
    writes: &[(usize, usize)],
    reads: &[(usize, usize)],
) -> Vec<usize> {
    let mut bits: BTreeMap<usize, usize> = reads.iter().map(|(_, slot)| (*slot, 0)).collect();
    for (at, bit) in bits.values_mut().enumerate() {
        *bit = at;
    }
    let words = bits.len().div_ceil(64);
    let mut writes_of = vec![Vec::new(); words];
    for (label, slot) in writes {
        if let Some(bit) = bits.get(slot) {
            writes_of[bit / 64].push((*label, 1_u64 << (bit % 64)));
        }
    }
    let mut reads_of = vec![Vec::new(); words];
    for (at, (node, slot)) in reads.iter().enumerate() {
        let bit = bits[slot];
        reads_of[bit / 64].push((at, *node, 1_u64 << (bit % 64)));
    }
    let labels = writes.iter().map(|(label, _)| label + 1).max().unwrap_or(0);
    let mut written = vec![0_u64; labels];
    let mut found = Vec::new();
    for (writes, reads) in writes_of.iter().zip(&reads_of) {
        for (label, bit) in writes {
            written[*label] |= bit;
        }
        let empty = flow(graph, roots, &written);
        let late = reads
            .iter()
            .filter(|(_, node, bit)| empty[*node] & bit != 0);
        found.extend(late.map(|(at, ..)| *at));
        for (label, _) in writes {
            written[*label] = 0;
        }
    }
    found.sort_unstable();
    found
}

/// For every node the slots that may be empty there.
fn flow(graph: &Digraph, roots: &[usize], written: &[u64]) -> Vec<u64> {
    let mut empty = vec![0_u64; graph.nodes()];
    let mut waits = vec![false; graph.nodes()];
    let mut open = VecDeque::new();
    for root in roots {
        empty[*root] = u64::MAX;
        open.push_back(*root);
        waits[*root] = true;
    }
    while let Some(node) = open.pop_front() {
        waits[node] = false;
        for (to, label) in graph.edges_of(node) {
            let still = empty[node] & !written.get(*label).copied().unwrap_or(0);
            if still & !empty[*to] != 0 {
                empty[*to] |= still;
                if !std::mem::replace(&mut waits[*to], true) {
                    open.push_back(*to);
                }
            }
        }
    }
    empty
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_must_write() {
        // A diamond: slot 7 is written on both ways, slot 8 on one.
        let graph = Digraph::new(5, &[(0, 1, 0), (0, 2, 1), (1, 3, 2), (2, 3, 3)]);
        let writes = [(0, 7), (3, 7), (0, 8)];
        let reads = [(3, 7), (3, 8), (1, 8), (2, 7), (4, 7)];
        assert_eq!(empty_reads(&graph, &[0], &writes, &reads), [1, 3]);
    }

    #[test]
    fn more_slots_than_bits() {
        let nodes = 200;
        let edges: Vec<_> = (0..nodes - 1).map(|at| (at, at + 1, at)).collect();
        let graph = Digraph::new(nodes, &edges);
        // Edge `n` writes slot `n`; node `n` reads slot `n - 1`, which is written, and slot `n`, which
        // is not.
        let writes: Vec<_> = (0..nodes - 1).map(|at| (at, at)).collect();
        let reads: Vec<_> = (1..nodes).flat_map(|at| [(at, at - 1), (at, at)]).collect();
        let late: Vec<_> = (0..reads.len()).filter(|at| at % 2 == 1).collect();
        assert_eq!(empty_reads(&graph, &[0], &writes, &reads), late);
    }
}
