//! The pairs of slots, one of each machine, that are compared anywhere.

use std::collections::{BTreeMap, BTreeSet};

use super::step::Names;
use crate::graph::{ArgSource, Model, Rule};

/// A pair of slots: its place in [`Pairs`].
pub(super) type Pair = usize;

/// Pairs of an old slot and a new one.
pub(super) struct Pairs {
    list: Vec<(usize, usize)>,
    index: BTreeMap<(usize, usize), Pair>,
    /// The pairs of each old slot, and of each new one.
    of_old: BTreeMap<usize, Vec<Pair>>,
    of_new: BTreeMap<usize, Vec<Pair>>,
    /// The pairs of one name, which guards look at.
    named: Vec<Option<String>>,
}

impl Pairs {
    /// Slots that one argument of one effect is read from, and those of one name where a guard may look.
    pub(super) fn of(old: &Model, new: &Model, names: &Names<'_>) -> Self {
        let mut set = BTreeSet::new();
        let reads = [reads(old), reads(new)];
        for ((old_effect, arg), old_slots) in &reads[0] {
            let Some(effect) = names.effect(*old_effect) else {
                continue;
            };
            let name = &old.effects[*old_effect].args[*arg].name;
            let args = &new.effects[effect].args;
            let Some(arg) = args.iter().position(|one| one.name == *name) else {
                continue;
            };
            for slot in old_slots {
                let others = reads[1].get(&(effect, arg)).into_iter().flatten();
                set.extend(others.map(|other| (*slot, *other)));
            }
        }
        let asks = |model: &Model| model.rules.iter().any(|rule| rule.guard.is_some());
        let by_name: Vec<_> = (0..old.slots.len())
            .filter_map(|slot| Some((slot, new.slot(&old.slots[slot].name)?)))
            .collect();
        if asks(old) && asks(new) {
            set.extend(by_name.iter().copied());
        }
        let list: Vec<_> = set.into_iter().collect();
        let mut pairs = Self {
            index: BTreeMap::new(),
            of_old: BTreeMap::new(),
            of_new: BTreeMap::new(),
            named: Vec::new(),
            list: Vec::new(),
        };
        for (at, pair) in list.iter().enumerate() {
            pairs.index.insert(*pair, at);
            pairs.of_old.entry(pair.0).or_default().push(at);
            pairs.of_new.entry(pair.1).or_default().push(at);
            let named = by_name.contains(pair);
            pairs
                .named
                .push(named.then(|| old.slots[pair.0].name.clone()));
        }
        pairs.list = list;
        pairs
    }

    /// The pair of these slots.
    pub(super) fn find(&self, old: usize, new: usize) -> Option<Pair> {
        self.index.get(&(old, new)).copied()
    }

    /// The name that both slots of a pair have.
    pub(super) fn name(&self, pair: Pair) -> Option<&str> {
        self.named[pair].as_deref()
    }

    /// The pairs that start with different values.
    pub(super) fn at_start(&self, old: &Model, new: &Model) -> Vec<Pair> {
        let starts =
            |model: &Model, slot: usize| model.slots[slot].default.clone().unwrap_or_default();
        let pairs = self.list.iter().enumerate();
        pairs
            .filter(|(_, (one, other))| starts(old, *one) != starts(new, *other))
            .map(|(at, _)| at)
            .collect()
    }

    /// The pairs that both rules together leave apart, whatever was before.
    pub(super) fn torn(&self, names: &Names<'_>, old: &Rule, new: &Rule) -> Vec<Pair> {
        let mut torn = BTreeSet::new();
        for (slot, _) in &old.assigns {
            torn.extend(self.of_old.get(slot).into_iter().flatten().copied());
        }
        for (slot, _) in &new.assigns {
            torn.extend(self.of_new.get(slot).into_iter().flatten().copied());
        }
        torn.retain(|pair| self.writes(names, *pair, old, new) == Write::Torn);
        torn.into_iter().collect()
    }

    /// Whether a pair that was apart still is.
    pub(super) fn stays_apart(
        &self,
        names: &Names<'_>,
        pair: Pair,
        old: &Rule,
        new: &Rule,
    ) -> bool {
        self.writes(names, pair, old, new) != Write::Joined
    }

    fn writes(&self, names: &Names<'_>, pair: Pair, old: &Rule, new: &Rule) -> Write {
        let (one, other) = self.list[pair];
        let field = |rule: &Rule, slot: usize| {
            let assigns = rule.assigns.iter();
            let mut of_slot = assigns.filter(|(to, _)| *to == slot);
            of_slot.next_back().map(|(_, field)| *field)
        };
        match (field(old, one), field(new, other)) {
            (None, None) => Write::Neither,
            (Some(one), Some(other)) if names.same_field(old.on, one, new.on, other) => {
                Write::Joined
            }
            _ => Write::Torn,
        }
    }
}

/// What two rules do to a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Write {
    Neither,
    /// Both write the same value.
    Joined,
    /// They write different values, or only one writes.
    Torn,
}

/// The slots that each argument of each effect is read from.
fn reads(model: &Model) -> BTreeMap<(usize, usize), BTreeSet<usize>> {
    let mut reads = BTreeMap::<_, BTreeSet<_>>::new();
    for rule in &model.rules {
        let Some(effect) = rule.effect else { continue };
        for (arg, source) in rule.args.iter().enumerate() {
            if let ArgSource::Slot(slot) = source {
                reads.entry((effect, arg)).or_default().insert(*slot);
            }
        }
    }
    reads
}
