//! The reachable set of a net as a decision diagram.

use std::collections::HashMap;
use std::rc::Rc;

use super::mdd::{Diagram, FALSE, Memo, NodeId, TRUE, pair};
use super::net::{Moves, Net};

/// A net over the levels of a diagram, and what is computed of it.
///
/// *Saturation* fires an event only where its top level is, on sets that are closed under all
/// events further down, and closes what it makes at once. The diagrams in between stay close to
/// the final one, unlike those of breadth-first search. Source: Ciardo, Lüttgen, Siminiceanu,
/// *Saturation: an efficient iteration strategy for symbolic state-space generation*, TACAS 2001.
pub(super) struct Symbolic {
    pub(super) diagram: Diagram,
    pub(super) events: Vec<Event>,
    /// The component of each level; the first entry is not used.
    pub(super) components: Vec<usize>,
    initial: Vec<usize>,
    /// Events by their top level.
    pub(super) by_top: Vec<Vec<usize>>,
    fired: Memo,
    images: Memo,
    /// The bytes of the events' relations.
    events_bytes: u64,
}

/// A sync, or all moves that a component makes alone.
pub(super) struct Event {
    pub(super) top: usize,
    pub(super) bottom: usize,
    /// From `bottom` to `top`: the targets of each value; `None` where it changes nothing.
    relations: Vec<Option<Rc<Relation>>>,
}

/// The targets of each value of a level. Events that do the same at a level share it.
type Relation = Vec<Vec<usize>>;

impl Event {
    fn new(mut parts: Vec<(usize, Rc<Relation>)>) -> Self {
        parts.sort_by_key(|(level, _)| *level);
        let bottom = parts[0].0;
        let top = parts[parts.len() - 1].0;
        let mut relations = vec![None; top - bottom + 1];
        for (level, relation) in parts {
            relations[level - bottom] = Some(relation);
        }
        Self {
            top,
            bottom,
            relations,
        }
    }

    /// Whether it may happen, as far as a value of a level says.
    pub(super) fn allows(&self, level: usize, value: usize) -> bool {
        self.at(level)
            .is_none_or(|relation| !relation[value].is_empty())
    }

    /// What it does at a level, if anything.
    pub(super) fn at(&self, level: usize) -> Option<&Relation> {
        let above = level.checked_sub(self.bottom)?;
        self.relations.get(above)?.as_deref()
    }
}

impl Symbolic {
    pub(super) fn new<'n>(net: &'n Net, order: &[usize], memory: u64) -> Self {
        let mut components = vec![0];
        components.extend(order);
        let mut levels = vec![0; order.len()];
        for (level, component) in components.iter().enumerate().skip(1) {
            levels[*component] = level;
        }
        let mut known: HashMap<Moves<'_>, Rc<Relation>> = HashMap::new();
        let mut bytes = 0;
        let mut relation = |component: usize, moves: &'n [(usize, usize)]| {
            let shared = known.entry((component, moves)).or_insert_with(|| {
                let mut targets = vec![Vec::new(); net.components[component].states];
                for (from, to) in moves {
                    targets[*from].push(*to);
                }
                for list in &mut targets {
                    list.sort_unstable();
                    list.dedup();
                    list.shrink_to_fit();
                }
                // A list has a head, and its block one of its own.
                bytes += 40 * targets.len() + 8 * moves.len() + 128;
                Rc::new(targets)
            });
            (levels[component], Rc::clone(shared))
        };
        let local = net
            .components
            .iter()
            .enumerate()
            .filter(|(_, one)| !one.moves.is_empty());
        let mut events: Vec<Event> = Vec::new();
        for (at, one) in local {
            events.push(Event::new(vec![relation(at, &one.moves)]));
        }
        for sync in net.syncs.iter().filter(|sync| !sync.parts.is_empty()) {
            let parts = sync.parts.iter().map(|(at, moves)| relation(*at, moves));
            events.push(Event::new(parts.collect()));
        }
        let spans = events.iter().map(|event| 64 + 8 * event.relations.len());
        let bytes = bytes + spans.sum::<usize>();
        let mut by_top = vec![Vec::new(); components.len()];
        for (at, event) in events.iter().enumerate() {
            by_top[event.top].push(at);
        }
        let mut space = Self {
            diagram: Diagram::new(order.iter().map(|one| net.components[*one].states), memory),
            initial: order
                .iter()
                .map(|one| net.components[*one].initial)
                .collect(),
            events,
            components,
            by_top,
            fired: Memo::new(),
            images: Memo::new(),
            events_bytes: bytes as u64,
        };
        space.beside();
        space
    }

    /// Tells the diagram what is kept beside it.
    fn beside(&mut self) {
        self.diagram.beside = self.events_bytes + self.fired.bytes() + self.images.bytes();
    }

    /// Forgets what only speeds up further work.
    pub(super) fn forget(&mut self) {
        self.fired = Memo::new();
        self.images = Memo::new();
        self.diagram.forget();
        self.beside();
    }

    pub(super) fn bytes(&self) -> u64 {
        self.diagram.bytes()
    }

    /// The initial state as a set.
    pub(super) fn start(&mut self) -> Option<NodeId> {
        let mut node = TRUE;
        for level in 1..=self.diagram.top() {
            let mut children = vec![FALSE; self.diagram.width(level)];
            children[self.initial[level - 1]] = node;
            node = self.diagram.node(level, &children)?;
        }
        Some(node)
    }

    /// All reachable states; `None` when the memory bound is reached.
    pub(super) fn reachable(&mut self, progress: &mut dyn FnMut(usize)) -> Option<NodeId> {
        let mut node = TRUE;
        for level in 1..=self.diagram.top() {
            let mut children = vec![FALSE; self.diagram.width(level)];
            children[self.initial[level - 1]] = node;
            node = self.saturate(level, children)?;
            progress(self.diagram.len());
        }
        Some(node)
    }

    /// The closure of a set under all events up to its level, given that each of its children is
    /// closed.
    fn saturate(&mut self, level: usize, mut children: Vec<NodeId>) -> Option<NodeId> {
        // Values whose set has grown since their events were fired.
        let mut grown: Vec<bool> = children.iter().map(|child| *child != FALSE).collect();
        while let Some(value) = grown.iter().position(|one| *one) {
            grown[value] = false;
            for nth in 0..self.by_top[level].len() {
                let event = self.by_top[level][nth];
                for target in 0..self.targets(event, level, value) {
                    let to = self.target(event, level, value, target);
                    let set = self.fire(event, level - 1, children[value])?;
                    let union = self.diagram.union(children[to], set)?;
                    if union != children[to] {
                        children[to] = union;
                        grown[to] = true;
                    }
                }
            }
        }
        self.diagram.node(level, &children)
    }

    fn targets(&self, event: usize, level: usize, value: usize) -> usize {
        self.events[event]
            .at(level)
            .map_or(1, |relation| relation[value].len())
    }

    fn target(&self, event: usize, level: usize, value: usize, nth: usize) -> usize {
        self.events[event]
            .at(level)
            .map_or(value, |relation| relation[value][nth])
    }

    /// What an event makes of a set, closed under all events up to its level.
    fn fire(&mut self, event: usize, level: usize, node: NodeId) -> Option<NodeId> {
        if node == FALSE || level < self.events[event].bottom {
            return Some(node);
        }
        let key = pair(u32::try_from(event).ok()?, node);
        if let Some(known) = self.fired.get(key) {
            return Some(known);
        }
        let mut children = vec![FALSE; self.diagram.width(level)];
        for value in 0..children.len() {
            let child = self.diagram.child(node, value);
            if child == FALSE || self.targets(event, level, value) == 0 {
                continue;
            }
            let set = self.fire(event, level - 1, child)?;
            for nth in 0..self.targets(event, level, value) {
                let to = self.target(event, level, value, nth);
                children[to] = self.diagram.union(children[to], set)?;
            }
        }
        let closed = self.saturate(level, children)?;
        self.diagram.room(self.fired.growth())?;
        self.fired.put(key, closed);
        self.beside();
        Some(closed)
    }

    /// What an event makes of a set of the top level, in one step.
    pub(super) fn image(&mut self, event: usize, level: usize, node: NodeId) -> Option<NodeId> {
        if node == FALSE || level < self.events[event].bottom {
            return Some(node);
        }
        let key = pair(u32::try_from(event).ok()?, node);
        if let Some(known) = self.images.get(key) {
            return Some(known);
        }
        let mut children = vec![FALSE; self.diagram.width(level)];
        for value in 0..children.len() {
            let child = self.diagram.child(node, value);
            if child == FALSE || self.targets(event, level, value) == 0 {
                continue;
            }
            let set = self.image(event, level - 1, child)?;
            for nth in 0..self.targets(event, level, value) {
                let to = self.target(event, level, value, nth);
                children[to] = self.diagram.union(children[to], set)?;
            }
        }
        let image = self.diagram.node(level, &children)?;
        self.diagram.room(self.images.growth())?;
        self.images.put(key, image);
        self.beside();
        Some(image)
    }
}
