//! States without a move, as a decision diagram.

use std::collections::HashMap;

use super::mdd::{FALSE, Memo, NodeId, TRUE, pair};
use super::net::Net;
use super::saturation::Symbolic;

/// The states of a set in which no event is enabled. One walk from the top level down, which
/// carries the events that the levels above allow: a value that completes one is left out.
pub(super) fn dead_ends(space: &mut Symbolic, root: NodeId) -> Option<NodeId> {
    let mut walk = Walk {
        memo: Memo::new(),
        numbers: HashMap::from([(Vec::new(), 0)]),
        lists: vec![Vec::new()],
        listed: 0,
    };
    walk.dead(space, root, 0)
}

/// The states of a set in which some component is not final.
pub(super) fn deadlocks(space: &mut Symbolic, net: &Net, dead: NodeId) -> Option<NodeId> {
    not_final(space, net, dead, &mut Memo::new())
}

struct Walk {
    memo: Memo,
    /// Numbers of lists of events.
    numbers: HashMap<Vec<usize>, u32>,
    lists: Vec<Vec<usize>>,
    /// Events in all lists.
    listed: u64,
}

impl Walk {
    /// The tuples of a node that complete none of the listed events and no event further down.
    fn dead(&mut self, space: &mut Symbolic, node: NodeId, list: u32) -> Option<NodeId> {
        if node == FALSE || node == TRUE {
            return Some(node);
        }
        let key = pair(list, node);
        if let Some(known) = self.memo.get(key) {
            return Some(known);
        }
        let level = space.diagram.level(node);
        let mut children = space.diagram.children(node).to_vec();
        for (value, child) in children.iter_mut().enumerate() {
            if *child == FALSE {
                continue;
            }
            let events = self.lists[list as usize].iter().chain(&space.by_top[level]);
            let allowed: Vec<usize> = events
                .copied()
                .filter(|event| space.events[*event].allows(level, value))
                .collect();
            if allowed
                .iter()
                .any(|event| space.events[*event].bottom == level)
            {
                *child = FALSE;
            } else {
                let list = self.number(allowed)?;
                *child = self.dead(space, *child, list)?;
            }
        }
        let dead = space.diagram.node(level, &children)?;
        // Each list is held twice.
        let lists = 16 * self.listed + 160 * self.lists.len() as u64;
        let more = self.memo.bytes() + self.memo.growth() + lists;
        space.diagram.room(more)?;
        self.memo.put(key, dead);
        Some(dead)
    }

    fn number(&mut self, list: Vec<usize>) -> Option<u32> {
        if let Some(known) = self.numbers.get(&list) {
            return Some(*known);
        }
        let number = u32::try_from(self.lists.len()).ok()?;
        self.listed += list.len() as u64;
        self.lists.push(list.clone());
        self.numbers.insert(list, number);
        Some(number)
    }
}

fn not_final(space: &mut Symbolic, net: &Net, node: NodeId, memo: &mut Memo) -> Option<NodeId> {
    if node == FALSE || node == TRUE {
        // All levels above were final.
        return Some(FALSE);
    }
    if let Some(known) = memo.get(u64::from(node)) {
        return Some(known);
    }
    let level = space.diagram.level(node);
    let finals = &net.components[space.components[level]].finals;
    let mut children = space.diagram.children(node).to_vec();
    for (value, child) in children.iter_mut().enumerate() {
        if finals.contains(&value) {
            *child = not_final(space, net, *child, memo)?;
        }
    }
    let rest = space.diagram.node(level, &children)?;
    space.diagram.room(memo.bytes() + memo.growth())?;
    memo.put(u64::from(node), rest);
    Some(rest)
}
