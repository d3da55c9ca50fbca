//! All configurations that a composition can be in, and the steps between them.

#[cfg(feature = "explore")]
use std::collections::HashSet;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::super::Bound;
#[cfg(feature = "explore")]
use super::super::composition::LocalState;
use super::super::configurations::{Pending, START};
use super::super::runs::Runs;
use super::layout::{Layout, Row, narrow};
use super::moves::{JointStep, Moves, Table};
#[cfg(feature = "explore")]
use super::part::Part;
use crate::graph::Composed;

/// The graph of configurations of a composition, made breadth first up to a bound.
///
/// A configuration is, for each component, its state and the effect that it has asked for; which
/// bridges' events wait to be fed; and how often each loop has been gone through. What may happen
/// next is what may happen next in one machine, for each component that has not ended, and:
///
/// * a component that another starts waits for it, any other is begun by any event that its initial
///   state knows;
/// * an event that waits is fed before anything else happens, in the order of the bridges, unless
///   its component waits for an effect that must not be dropped. It may be refused like any other,
///   which is a step without a point;
/// * a sync event moves all participants that have not ended, or none. An outcome that is one waits
///   until what the others do can be interrupted;
/// * a loop that is used up ends the run. Such a run is not complete.
///
/// Holds only delay, so the runs with them are among these.
#[derive(Debug)]
pub struct Joint {
    composed: Arc<Composed>,
    layout: Layout,
    rows: Vec<u32>,
    hashes: Vec<u64>,
    ends: Vec<End>,
    /// `starts[n]..starts[n + 1]` are the steps out of a configuration, for those looked at.
    starts: Vec<u32>,
    from: Vec<u32>,
    to: Vec<u32>,
    kinds: Vec<u32>,
    steps: Vec<JointStep>,
    refused: BTreeMap<usize, (usize, usize)>,
    fed: BTreeSet<(usize, usize)>,
    /// How far from the start the last configuration is that was looked at.
    depth: usize,
}

/// How runs end in a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Not,
    Complete,
    Exhausted,
}

/// How much of a composition is looked at.
#[derive(Clone, Copy, Debug)]
struct Most {
    /// Configurations.
    nodes: usize,
    /// Numbers that they consist of.
    cells: usize,
    /// Numbers that are written or compared, steps to known configurations included.
    work: usize,
}

impl Joint {
    /// How many configurations are looked at.
    pub const MOST: usize = 1 << 17;

    const WITHIN: Most = Most {
        nodes: Self::MOST,
        cells: 1 << 23,
        work: 1 << 25,
    };

    /// Explores a composition, up to [`Joint::MOST`] configurations; fewer when each is large, so
    /// that time and memory are bounded whatever its size.
    pub fn new(composed: Arc<Composed>) -> Self {
        Self::of(composed, true, false, Self::MOST)
    }

    /// The same, with loops that are `counted`, or never used up, and for a part of a composition
    /// that is `open`: whose runs go on after it has ended, because others have not.
    pub(super) fn of(composed: Arc<Composed>, counted: bool, open: bool, most: usize) -> Self {
        let most = Most {
            nodes: most,
            ..Self::WITHIN
        };
        Self::within(composed, counted, open, most, |_| true)
    }

    /// The graph of a part of a composition, of those configurations alone that are on a path, loops
    /// aside: each with what its components are in. Without a path the start alone.
    #[cfg(feature = "explore")]
    pub(super) fn along(part: &Part<'_>, path: &[Vec<LocalState>]) -> Self {
        let composed = Arc::new(part.composed().clone());
        let layout = Layout::new(&composed, false);
        let place = |states: &Vec<LocalState>| {
            let mut row = layout.start(&composed);
            for (component, one) in states.iter().enumerate() {
                let pending = match one.effect {
                    Some(effect) => Pending::Effect(effect),
                    None if one.fresh => Pending::Start,
                    None => Pending::Nothing,
                };
                layout.set(&mut row, component, one.state, pending);
                for bridge in &one.waiting {
                    layout.wait(&mut row, *bridge, true);
                }
            }
            row.cells
        };
        let kept: HashSet<_> = path.iter().map(place).collect();
        let counted = Layout::new(&composed, true);
        let is_kept = |row: &[u32]| kept.contains(&counted.without_rounds(row));
        Self::within(composed, true, !part.is_whole(), Self::WITHIN, is_kept)
    }

    /// The graph of those configurations alone that are `kept`, and the start.
    #[cfg(any(feature = "explore", feature = "verify"))]
    pub(super) fn of_these(composed: Arc<Composed>, kept: impl Fn(&[u32]) -> bool) -> Self {
        Self::within(composed, true, false, Self::WITHIN, kept)
    }

    fn within(
        composed: Arc<Composed>,
        counted: bool,
        open: bool,
        most: Most,
        kept: impl Fn(&[u32]) -> bool,
    ) -> Self {
        let layout = Layout::new(&composed, counted);
        let table = Table::new(&composed);
        let width = layout.width;
        let start = layout.start(&composed);
        let mut joint = Self {
            rows: start.cells,
            hashes: vec![start.hash],
            ends: Vec::new(),
            starts: vec![0],
            from: Vec::new(),
            to: Vec::new(),
            kinds: Vec::new(),
            steps: Vec::new(),
            refused: BTreeMap::new(),
            fed: BTreeSet::new(),
            depth: 0,
            composed,
            layout,
        };
        let mut seen = HashMap::from([(joint.hashes[0], 0)]);
        let mut kinds: BTreeMap<JointStep, u32> = BTreeMap::new();
        let mut depths = vec![0];
        let mut work = 0;
        let fits = |nodes: usize, work: usize| {
            nodes < most.nodes && nodes * width < most.cells && work < most.work
        };
        while joint.ends.len() < joint.len() && fits(joint.len(), work) {
            let node = joint.ends.len();
            let now = Row {
                cells: joint.row(node).to_vec(),
                hash: joint.hashes[node],
            };
            let moves = Moves::of(&joint.composed, &joint.layout, &table, &now, open);
            let Moves {
                found,
                refused,
                complete,
                exhausted,
                ..
            } = moves;
            joint.ends.push(match (complete, exhausted) {
                (true, _) => End::Complete,
                (_, true) => End::Exhausted,
                _ => End::Not,
            });
            joint.depth = depths[node];
            for (sync, by) in refused {
                joint.refused.entry(sync).or_insert((node, by));
            }
            work += width;
            for (row, step) in found {
                if !kept(&row.cells) {
                    continue;
                }
                work += width;
                let known = joint.len();
                let to = joint.find(row, &mut seen);
                if to == known {
                    depths.push(depths[node] + 1);
                }
                joint.step(node, to, step, &mut kinds);
            }
            joint.starts.push(narrow(joint.to.len()));
        }
        joint
    }

    /// The number of a configuration, a new one where it is new. `seen` holds numbers by hash, and
    /// where another has the hash by the next that is free.
    fn find(&mut self, row: Row, seen: &mut HashMap<u64, usize>) -> usize {
        let mut key = row.hash;
        while let Some(node) = seen.get(&key) {
            if self.row(*node) == row.cells {
                return *node;
            }
            key = key.wrapping_add(1);
        }
        let node = self.len();
        seen.insert(key, node);
        self.rows.extend(row.cells);
        self.hashes.push(row.hash);
        node
    }

    fn step(
        &mut self,
        node: usize,
        to: usize,
        step: JointStep,
        kinds: &mut BTreeMap<JointStep, u32>,
    ) {
        if let Some(bridge) = step.fed {
            let state = self
                .layout
                .state(self.row(node), self.composed.bridges[bridge].to);
            self.fed.insert((bridge, state));
        }
        let kind = *kinds.entry(step).or_insert_with_key(|step| {
            self.steps.push(step.clone());
            narrow(self.steps.len() - 1)
        });
        self.from.push(narrow(node));
        self.to.push(narrow(to));
        self.kinds.push(kind);
    }

    fn row(&self, node: usize) -> &[u32] {
        let width = self.layout.width;
        &self.rows[node * width..][..width]
    }

    /// The composition.
    pub fn composed(&self) -> &Composed {
        &self.composed
    }

    /// What stopped the exploration; `None` when all of it was looked at.
    pub fn bound(&self) -> Option<Bound> {
        let frontier = self.len() - self.ends.len();
        (frontier > 0).then_some(Bound {
            seen: self.len() as u64,
            frontier: frontier as u64,
        })
    }

    /// How many configurations were found, and how many steps.
    pub fn size(&self) -> (usize, usize) {
        (self.len(), self.to.len())
    }

    /// The states of the components in a configuration.
    pub fn states(&self, node: usize) -> Vec<usize> {
        let all = 0..self.composed.components.len();
        all.map(|at| self.state(node, at)).collect()
    }

    /// The state of a component in a configuration.
    pub fn state(&self, node: usize, component: usize) -> usize {
        self.layout.state(self.row(node), component)
    }

    /// What a component waits for in a configuration.
    pub fn pending(&self, node: usize, component: usize) -> Pending {
        self.layout.pending(self.row(node), component)
    }

    /// What happens in a step.
    pub fn step_of(&self, step: usize) -> &JointStep {
        &self.steps[self.kinds[step] as usize]
    }

    /// The different things that may happen in a step.
    pub(super) fn kinds(&self) -> &[JointStep] {
        &self.steps
    }

    /// The kind of a step, by its place in [`Joint::kinds`].
    pub(super) fn kind(&self, step: usize) -> usize {
        self.kinds[step] as usize
    }

    /// Syncs, by row, that may come where a participant has no rule for them: the first such
    /// configuration, and the participant.
    pub fn refused(&self) -> &BTreeMap<usize, (usize, usize)> {
        &self.refused
    }

    /// Bridges, and the state of the component that they feed, when they do.
    pub fn fed(&self) -> &BTreeSet<(usize, usize)> {
        &self.fed
    }

    /// The steps of a shortest run to a configuration.
    pub fn run_to(&self, node: usize) -> Vec<usize> {
        let mut run = Vec::new();
        let mut at = node;
        // Breadth first, so that the first step into a configuration is on a shortest run to it.
        let mut first = vec![usize::MAX; self.len()];
        for (step, to) in self.to.iter().enumerate() {
            let to = *to as usize;
            if first[to] == usize::MAX {
                first[to] = step;
            }
        }
        while at != START {
            run.push(first[at]);
            at = self.from[first[at]] as usize;
        }
        run.reverse();
        run
    }

    /// Whether a run goes through no loop more often than it may.
    pub(super) fn is_within_limits(&self, run: &[usize]) -> bool {
        let mut rounds = vec![0; self.composed.loops.len()];
        let fed = run.iter().map(|step| self.step_of(*step));
        for step in fed.filter(|step| !step.moved.is_empty()) {
            let bridge = step.fed.map(|at| &self.composed.bridges[at]);
            if let Some(feedback) = bridge.and_then(|row| row.feedback) {
                rounds[feedback] += 1;
            }
        }
        let all = self.composed.loops.iter().zip(rounds);
        all.into_iter()
            .all(|(row, rounds)| row.max_rounds == 0 || rounds <= row.max_rounds)
    }

    /// Whether no run can be shorter than one of this length that was found: all configurations
    /// closer to the start were looked at.
    pub(super) fn is_shortest(&self, length: usize) -> bool {
        self.bound().is_none() || length <= self.depth
    }
}

impl Runs for Joint {
    fn len(&self) -> usize {
        self.rows.len() / self.layout.width
    }

    fn steps(&self) -> usize {
        self.to.len()
    }

    fn moves(&self, node: usize) -> impl Iterator<Item = usize> {
        let looked_at = node < self.ends.len();
        let at = |node: usize| self.starts[node] as usize;
        if looked_at {
            at(node)..at(node + 1)
        } else {
            0..0
        }
    }

    fn target(&self, step: usize) -> usize {
        self.to[step] as usize
    }

    fn sources(&self, step: usize) -> impl Iterator<Item = usize> {
        std::iter::once(self.from[step] as usize)
    }

    fn complete(&self, node: usize) -> bool {
        self.ends.get(node) == Some(&End::Complete)
    }

    fn over(&self, node: usize) -> bool {
        self.ends.get(node).is_some_and(|end| *end != End::Not)
    }
}
