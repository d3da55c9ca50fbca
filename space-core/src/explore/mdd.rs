//! Multi-valued decision diagrams: sets of tuples as shared graphs.
#![allow(
    clippy::cast_possible_truncation,
    reason = "places of tables come from hashes"
)]

/// A node of a diagram, or [`FALSE`] or [`TRUE`].
pub(super) type NodeId = u32;

/// The empty set, at any level.
pub(super) const FALSE: NodeId = 0;
/// The set of the empty tuple, below the last level.
pub(super) const TRUE: NodeId = 1;

/// Sets of tuples, quasi-reduced: every path to [`TRUE`] passes every level, from the top level,
/// which has the largest number, down to level 1. Equal sets have equal nodes. Nodes are never
/// freed: the memory bound ends an exploration before they become too many.
#[derive(Debug)]
pub(super) struct Diagram {
    /// How many values each level has; the first entry is not used.
    widths: Vec<usize>,
    levels: Vec<u32>,
    starts: Vec<usize>,
    children: Vec<NodeId>,
    /// Open addressing over node numbers; [`FALSE`] marks an empty place.
    unique: Vec<NodeId>,
    unions: Memo,
    memory: u64,
    /// Bytes that whoever uses the diagram keeps beside it, out of the same memory.
    pub(super) beside: u64,
}

impl Diagram {
    /// A diagram over levels of these widths, the first for level 1.
    pub(super) fn new(widths: impl Iterator<Item = usize>, memory: u64) -> Self {
        Self {
            widths: std::iter::once(0).chain(widths).collect(),
            levels: vec![0, 0],
            starts: vec![0, 0],
            children: Vec::new(),
            unique: vec![FALSE; 1 << 10],
            unions: Memo::new(),
            memory,
            beside: 0,
        }
    }

    /// How many levels there are.
    pub(super) fn top(&self) -> usize {
        self.widths.len() - 1
    }

    /// How many values a level has.
    pub(super) fn width(&self, level: usize) -> usize {
        self.widths[level]
    }

    /// How many nodes there are, ends included.
    pub(super) fn len(&self) -> usize {
        self.levels.len()
    }

    /// The level of a node.
    pub(super) fn level(&self, node: NodeId) -> usize {
        self.levels[node as usize] as usize
    }

    /// The set that remains below a value of a node's level.
    pub(super) fn child(&self, node: NodeId, value: usize) -> NodeId {
        self.children[self.starts[node as usize] + value]
    }

    /// All of them.
    pub(super) fn children(&self, node: NodeId) -> &[NodeId] {
        let start = self.starts[node as usize];
        &self.children[start..start + self.widths[self.level(node)]]
    }

    /// The bytes taken, those beside it included.
    pub(super) fn bytes(&self) -> u64 {
        let words = self.children.capacity() + self.unique.len() + self.levels.capacity();
        let starts = 8 * self.starts.capacity();
        4 * words as u64 + starts as u64 + self.unions.bytes() + self.beside
    }

    /// `None` when so many more bytes are more than there may be.
    pub(super) fn room(&self, more: u64) -> Option<()> {
        (self.bytes() + more <= self.memory).then_some(())
    }

    /// Forgets what only speeds up further work.
    pub(super) fn forget(&mut self) {
        self.unions = Memo::new();
        self.beside = 0;
    }

    /// The node with these children; `None` when the memory bound is reached.
    pub(super) fn node(&mut self, level: usize, children: &[NodeId]) -> Option<NodeId> {
        if children.iter().all(|child| *child == FALSE) {
            return Some(FALSE);
        }
        let mask = self.unique.len() - 1;
        let mut at = hash_of(level, children) & mask;
        while self.unique[at] != FALSE {
            let node = self.unique[at];
            if self.level(node) == level && self.children(node) == children {
                return Some(node);
            }
            at = (at + 1) & mask;
        }
        self.reserve(children.len())?;
        let node = NodeId::try_from(self.levels.len()).ok()?;
        self.levels.push(u32::try_from(level).ok()?);
        self.starts.push(self.children.len());
        self.children.extend_from_slice(children);
        self.unique[at] = node;
        if 2 * self.levels.len() > self.unique.len() {
            // The old table and the new one.
            self.room(8 * self.unique.len() as u64)?;
            self.grow();
        }
        Some(node)
    }

    /// Makes room for one more node with so many children. Tables grow by a half, and are there
    /// twice while they are copied.
    fn reserve(&mut self, children: usize) -> Option<()> {
        if self.children.len() + children > self.children.capacity() {
            let more = children.max(self.children.len() / 2).max(1 << 10);
            self.room(4 * (self.children.len() + more) as u64)?;
            self.children.reserve_exact(more);
        }
        if self.levels.len() == self.levels.capacity()
            || self.starts.len() == self.starts.capacity()
        {
            let more = (self.levels.len() / 2).max(1 << 10);
            self.room(12 * (self.levels.len() + more) as u64)?;
            self.levels.reserve_exact(more);
            self.starts.reserve_exact(more);
        }
        Some(())
    }

    fn grow(&mut self) {
        let mask = 2 * self.unique.len() - 1;
        let mut unique = vec![FALSE; mask + 1];
        for node in self.unique.iter().filter(|node| **node != FALSE) {
            let mut at = hash_of(self.level(*node), self.children(*node)) & mask;
            while unique[at] != FALSE {
                at = (at + 1) & mask;
            }
            unique[at] = *node;
        }
        self.unique = unique;
    }

    /// The union of two sets of one level.
    pub(super) fn union(&mut self, a: NodeId, b: NodeId) -> Option<NodeId> {
        if a == b || b == FALSE {
            return Some(a);
        }
        if a == FALSE {
            return Some(b);
        }
        let key = pair(a.min(b), a.max(b));
        if let Some(known) = self.unions.get(key) {
            return Some(known);
        }
        let level = self.level(a);
        let mut children = Vec::with_capacity(self.widths[level]);
        for value in 0..self.widths[level] {
            let (left, right) = (self.child(a, value), self.child(b, value));
            children.push(self.union(left, right)?);
        }
        let union = self.node(level, &children)?;
        self.room(self.unions.growth())?;
        self.unions.put(key, union);
        Some(union)
    }

    /// Whether a tuple, level 1 first, is in a set.
    pub(super) fn holds(&self, mut node: NodeId, tuple: &[usize]) -> bool {
        for value in tuple.iter().rev() {
            if node == FALSE {
                return false;
            }
            node = self.child(node, *value);
        }
        node == TRUE
    }

    /// Which nodes a set consists of, by number. A child's number is less than its parent's.
    pub(super) fn parts(&self, root: NodeId) -> Vec<bool> {
        let mut parts = vec![false; root as usize + 1];
        parts[root as usize] = true;
        for node in (2..=root).rev() {
            if parts[node as usize] {
                for child in self.children(node) {
                    parts[*child as usize] = true;
                }
            }
        }
        parts
    }
}

fn hash_of(level: usize, children: &[NodeId]) -> usize {
    let mix = |sum: u64, child: &NodeId| {
        (sum ^ u64::from(*child))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    };
    hash(children.iter().fold(level as u64, mix)) as usize
}

/// The finaliser of `MurmurHash3`.
fn hash(key: u64) -> u64 {
    let mut hash = key ^ (key >> 33);
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

/// Two numbers as one key.
pub(super) fn pair(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// What was computed before. Open addressing; keys are pairs of small numbers, never all ones.
#[derive(Debug)]
pub(super) struct Memo {
    keys: Vec<u64>,
    values: Vec<NodeId>,
    len: usize,
}

const NO_KEY: u64 = u64::MAX;

impl Memo {
    pub(super) fn new() -> Self {
        Self {
            keys: vec![NO_KEY; 1 << 10],
            values: vec![FALSE; 1 << 10],
            len: 0,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        12 * self.keys.len() as u64
    }

    /// The bytes that one more entry takes, while the table is copied.
    pub(super) fn growth(&self) -> u64 {
        if 2 * (self.len + 1) > self.keys.len() {
            2 * self.bytes()
        } else {
            0
        }
    }

    pub(super) fn get(&self, key: u64) -> Option<NodeId> {
        let at = self.place(key);
        (self.keys[at] == key).then(|| self.values[at])
    }

    pub(super) fn put(&mut self, key: u64, value: NodeId) {
        let at = self.place(key);
        if self.keys[at] == NO_KEY {
            self.len += 1;
        }
        self.keys[at] = key;
        self.values[at] = value;
        if 2 * self.len > self.keys.len() {
            let size = 2 * self.keys.len();
            let keys = std::mem::replace(&mut self.keys, vec![NO_KEY; size]);
            let values = std::mem::replace(&mut self.values, vec![FALSE; size]);
            for (key, value) in keys
                .into_iter()
                .zip(values)
                .filter(|(key, _)| *key != NO_KEY)
            {
                let at = self.place(key);
                self.keys[at] = key;
                self.values[at] = value;
            }
        }
    }

    fn place(&self, key: u64) -> usize {
        let mask = self.keys.len() - 1;
        let mut at = hash(key) as usize & mask;
        while self.keys[at] != key && self.keys[at] != NO_KEY {
            at = (at + 1) & mask;
        }
        at
    }
}
