//! Does every run of the old machine replay on the new one?
//!
//! Both machines are driven by the same events through the product of their configurations: the old
//! one's state and pending effect beside the new one's state. What is recorded must come out the same:
//! whether an event is handled, ignored or rejected, which guard is asked, which effect is asked for
//! with which arguments, and where the run ends. Names of states do not matter, so that a renamed state
//! is found as the one that does the same.
//!
//! *Which runs there are.* With an effect pending the next event is one that it may return, or an
//! external one, as the model checker has it. With none pending it is any that the old state answers: the
//! start of a run, or what a composition feeds in. Guards may answer either way. A start that the old
//! machine rejects leaves no run behind, so that accepting it breaks none.
//!
//! *Values.* Every field of every event is a value of its own, equal to no other. Two slots, one of each
//! machine, are *apart* when a run has left different values in them: one that was written from another
//! field, or on one side only, or that started otherwise. An argument that is read from slots that are
//! apart differs, and so may the answer of a guard, which may look at every slot: guards are compared by
//! name and taken to be the same function of the slots that both contracts declare. Each pair of slots
//! is followed on its own, which is exact (what a rule writes does not depend on another pair) and
//! keeps the search linear in the product times the pairs that are compared.
//!
//! *Events* are recorded by name, their fields by name. A field that only the new contract has is none
//! when an old record is read, which an optional type allows; a field whose type takes all old values is
//! read.
//!
//! Not followed: the jumps of feedback loops, which compositions add.

mod cursor;
mod pairs;
mod step;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::{RuleId, Run};
use crate::graph::Model;
use cursor::{Node, Trail};
use pairs::Pairs;
use step::{Met, Names, Row, meet};

/// The most nodes of a product that are looked at.
pub const MAX_NODES: usize = 1 << 21;

/// What the simulation found.
#[derive(Clone, Debug, Default)]
pub struct Simulation {
    /// The ways in which runs do not replay, shortest runs first: one for each rule, row of the old
    /// contract and row of the new.
    pub mismatches: Vec<Mismatch>,
    /// Whether the whole product was looked at.
    pub decided: bool,
    /// The new states that each old state was beside.
    partners: BTreeMap<usize, BTreeSet<usize>>,
    /// The old states that each new state was beside.
    back: BTreeMap<usize, BTreeSet<usize>>,
}

/// A way in which runs do not replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Which difference it is.
    pub rule: RuleId,
    /// What differs in the last step.
    pub message: String,
    /// A shortest run that ends in it. Its places are those of each version's own sources.
    pub run: Run,
    /// The step, from 0, after which what is read in the last one differed, where it was not so from
    /// the start.
    pub torn: Option<usize>,
}

impl Simulation {
    /// Whether every run of the old machine replays on the new one.
    pub fn replays(&self) -> bool {
        self.decided && self.mismatches.is_empty()
    }

    /// The new states that an old one was beside in some run.
    pub(super) fn partners(&self, old: usize) -> BTreeSet<usize> {
        self.partners.get(&old).cloned().unwrap_or_default()
    }

    /// The new state that an old one became: each is beside the other only.
    pub(super) fn renamed(&self, old: usize) -> Option<usize> {
        let only = |map: &BTreeMap<usize, BTreeSet<usize>>, at| match map.get(&at) {
            Some(set) if set.len() == 1 => set.first().copied(),
            _ => None,
        };
        only(&self.partners, old).filter(|new| only(&self.back, *new) == Some(old))
    }
}

/// Drives both machines side by side, breadth first. Linear in the part of the product that runs reach,
/// for each pair of slots that is compared.
pub fn simulate(old: &Model, new: &Model) -> Simulation {
    simulate_within(old, new, MAX_NODES)
}

/// As [`simulate`], looking at no more than so many nodes of the product.
pub fn simulate_within(old: &Model, new: &Model, most: usize) -> Simulation {
    let names = Names::of(old, new);
    let pairs = Pairs::of(old, new, &names);
    let mut search = Search {
        trail: Trail::default(),
        seen: HashMap::new(),
        open: VecDeque::new(),
        most,
        overflow: false,
        told: BTreeSet::new(),
        out: Simulation::default(),
    };
    let start = Node {
        old: old.initial,
        pending: None,
        new: new.initial,
        apart: None,
    };
    if let Some(message) = names.ends_apart(old.initial, new.initial) {
        search.out.mismatches.push(Mismatch {
            rule: RuleId::END,
            message,
            run: search.trail.run(&names, None),
            torn: None,
        });
        search.out.decided = true;
        return search.out;
    }
    search.visit(start, None);
    for apart in pairs.at_start(old, new) {
        let apart = Some(apart);
        search.visit(Node { apart, ..start }, None);
    }
    while let Some(at) = search.open.pop_front() {
        search.expand(at, &names, &pairs);
    }
    search.out.decided = !search.overflow;
    search.out
}

struct Search {
    trail: Trail,
    seen: HashMap<Node, usize>,
    open: VecDeque<usize>,
    most: usize,
    overflow: bool,
    /// What was reported: rule, old row and new row.
    told: BTreeSet<(RuleId, Row, Row)>,
    out: Simulation,
}

impl Search {
    fn visit(&mut self, node: Node, from: Option<cursor::Arrival>) {
        if self.seen.contains_key(&node) {
            return;
        }
        if self.seen.len() >= self.most {
            self.overflow = true;
            return;
        }
        let at = self.trail.push(node, from);
        self.seen.insert(node, at);
        self.open.push_back(at);
        if node.apart.is_none() {
            let partners = self.out.partners.entry(node.old).or_default();
            partners.insert(node.new);
            self.out.back.entry(node.new).or_default().insert(node.old);
        }
    }

    fn expand(&mut self, at: usize, names: &Names<'_>, pairs: &Pairs) {
        let node = self.trail.node(at);
        for event in names.events(node.old, node.pending) {
            for &refused in names.answers(node.old, event) {
                let met = meet(names, pairs, node, event, refused);
                let arrival = cursor::Arrival {
                    from: at,
                    event,
                    refused,
                };
                match met {
                    Met::Apart { rule, message } => self.tell(rule, message, arrival, names),
                    Met::Stays => {}
                    Met::Goes { next, freshly } => {
                        self.visit(next, Some(arrival));
                        for apart in freshly {
                            let apart = Some(apart);
                            self.visit(Node { apart, ..next }, Some(arrival));
                        }
                    }
                }
            }
        }
    }

    fn tell(&mut self, rule: RuleId, message: String, arrival: cursor::Arrival, names: &Names<'_>) {
        let node = self.trail.node(arrival.from);
        let key = names.rows(node, arrival.event);
        if self.told.insert((rule, key.0, key.1)) {
            self.out.mismatches.push(Mismatch {
                rule,
                message,
                run: self.trail.run(names, Some(arrival)),
                torn: self.trail.torn(arrival.from),
            });
        }
    }
}
