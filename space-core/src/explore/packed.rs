//! A net compiled to tables over packed states.

use super::net::Net;

/// The moves of a net over packed states.
///
/// Components are packed into *groups* in mixed radix, as many as keep a group's table small. What
/// a group can do alone (local moves, and syncs inside it) is a list for each of its values; a
/// sync across groups is a bit for each value of each group and is enabled where all agree. So a
/// successor costs an addition, whatever the number of components in a group.
///
/// The first group is the *low* one: its values are neighbours in the numbering of states.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) groups: Vec<Group>,
    pub(super) cross: Vec<Cross>,
    /// Words of a mask over [`Tables::cross`].
    pub(super) words: usize,
}

/// Some components, packed.
#[derive(Debug)]
pub(super) struct Group {
    /// Its components.
    pub(super) members: std::ops::Range<usize>,
    /// How many values it has.
    pub(super) size: usize,
    /// Where it starts.
    pub(super) initial: usize,
    /// What it can do alone: differences of its value.
    pub(super) moves: Lists,
    /// The syncs across groups that each value allows.
    pub(super) masks: Vec<u64>,
    /// Values in which all components are final.
    pub(super) finals: Vec<bool>,
}

/// A sync across groups.
#[derive(Debug)]
pub(super) struct Cross {
    /// What it may do to the low group, by value, when that takes part.
    pub(super) low: Option<Lists>,
    /// What it does to the other groups that take part, by value.
    pub(super) high: Vec<(usize, Vec<i32>)>,
}

/// A list for each value.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    starts: Vec<u32>,
    items: Vec<i32>,
}

impl Lists {
    pub(super) fn of(&self, value: usize) -> &[i32] {
        &self.items[self.starts[value] as usize..self.starts[value + 1] as usize]
    }

    fn new(lists: &[Vec<i32>]) -> Self {
        let mut starts = vec![0];
        let mut items = Vec::new();
        for list in lists {
            items.extend_from_slice(list);
            starts.push(u32::try_from(items.len()).unwrap_or(u32::MAX));
        }
        Self { starts, items }
    }
}

/// Groups hold more values only when one component does.
const GROUP: usize = 8192;

impl Tables {
    pub(super) fn new(net: &Net) -> Self {
        let ranges = ranges(net);
        let group_of = |component: usize| ranges.partition_point(|range| range.end <= component);
        let mut groups: Vec<Group> = Vec::new();
        let mut inside = vec![Vec::new(); ranges.len()];
        let mut across = Vec::new();
        for sync in &net.syncs {
            let mut parts: Vec<Vec<&Part>> = vec![Vec::new(); ranges.len()];
            for part in &sync.parts {
                parts[group_of(part.0)].push(part);
            }
            let taking: Vec<usize> = (0..ranges.len())
                .filter(|at| !parts[*at].is_empty())
                .collect();
            match taking.as_slice() {
                [] => {}
                [one] => inside[*one].push(std::mem::take(&mut parts[*one])),
                _ => across.push((taking, parts)),
            }
        }
        for (range, syncs) in ranges.iter().zip(inside) {
            groups.push(Group::new(net, range.clone(), &syncs));
        }
        let mut cross = Vec::new();
        for (taking, parts) in &across {
            let lists = |at: usize| groups[at].joint(net, &parts[at]);
            let mut rows = vec![Cross {
                low: None,
                high: Vec::new(),
            }];
            for at in taking {
                let lists = lists(*at);
                if *at == 0 {
                    rows[0].low = Some(Lists::new(&lists));
                    continue;
                }
                // One row for each choice, so that a row does one thing to a value.
                let most = lists.iter().map(Vec::len).max().unwrap_or(0);
                let choice = |nth: usize| {
                    let pick = |list: &Vec<i32>| list.get(nth).copied().unwrap_or(NO_MOVE);
                    lists.iter().map(pick).collect::<Vec<_>>()
                };
                rows = (0..most)
                    .flat_map(|nth| {
                        rows.iter().map(move |row| {
                            let mut high = row.high.clone();
                            high.push((*at, choice(nth)));
                            Cross {
                                low: row.low.clone(),
                                high,
                            }
                        })
                    })
                    .collect();
            }
            cross.extend(rows);
        }
        let words = cross.len().div_ceil(64);
        for (at, group) in groups.iter_mut().enumerate() {
            group.masks = (0..group.size)
                .flat_map(|_| (0..words).map(|word| all(cross.len(), word)))
                .collect();
            for (row, sync) in cross.iter().enumerate() {
                for value in (0..group.size).filter(|value| !sync.allows(at, *value)) {
                    group.masks[value * words + row / 64] &= !(1 << (row % 64));
                }
            }
        }
        Self {
            groups,
            cross,
            words,
        }
    }
}

impl Tables {
    /// The values of the groups in a block, and the syncs that they allow; the low group, whose
    /// value differs from state to state, counts as allowing all.
    pub(super) fn decode(&self, block: usize, values: &mut Vec<usize>, mask: &mut Vec<u64>) {
        values.clear();
        values.push(0);
        mask.clear();
        mask.extend((0..self.words).map(|word| all(self.cross.len(), word)));
        let mut rest = block;
        for group in &self.groups[1..] {
            let value = rest % group.size;
            rest /= group.size;
            values.push(value);
            let row = &group.masks[value * self.words..(value + 1) * self.words];
            for (mask, allowed) in mask.iter_mut().zip(row) {
                *mask &= allowed;
            }
        }
    }
}

/// A word of a mask of so many bits.
fn all(bits: usize, word: usize) -> u64 {
    match bits - word * 64 {
        rest @ 0..64 => (1 << rest) - 1,
        _ => u64::MAX,
    }
}

/// Marks a value from which a sync has no move.
pub(super) const NO_MOVE: i32 = i32::MAX;

impl Cross {
    /// Whether it has a move from a value of a group, or asks nothing of it.
    fn allows(&self, group: usize, value: usize) -> bool {
        let low = group != 0
            || self
                .low
                .as_ref()
                .is_none_or(|lists| !lists.of(value).is_empty());
        let high = |(at, moves): &(usize, Vec<i32>)| *at != group || moves[value] != NO_MOVE;
        low && self.high.iter().all(high)
    }
}

impl Group {
    fn new(net: &Net, members: std::ops::Range<usize>, syncs: &[Vec<&Part>]) -> Self {
        let components = &net.components[members.clone()];
        let size = components.iter().map(|one| one.states).product();
        let mut group = Self {
            initial: components
                .iter()
                .rev()
                .fold(0, |value, one| value * one.states + one.initial),
            members,
            size,
            moves: Lists::default(),
            masks: Vec::new(),
            finals: vec![false; size],
        };
        let mut lists = vec![Vec::new(); size];
        for at in group.members.clone() {
            let part = (at, net.components[at].moves.clone());
            for (list, more) in lists.iter_mut().zip(group.joint(net, &[&part])) {
                list.extend(more);
            }
        }
        for parts in syncs {
            for (list, more) in lists.iter_mut().zip(group.joint(net, parts)) {
                list.extend(more);
            }
        }
        group.moves = Lists::new(&lists);
        for value in 0..size {
            let states = group.unpack(net, value);
            group.finals[value] = group
                .members
                .clone()
                .zip(states)
                .all(|(at, state)| net.components[at].finals.contains(&state));
        }
        group
    }

    /// The states of its components.
    pub(super) fn unpack(&self, net: &Net, mut value: usize) -> Vec<usize> {
        let mut states = Vec::with_capacity(self.members.len());
        for component in &net.components[self.members.clone()] {
            states.push(value % component.states);
            value /= component.states;
        }
        states
    }

    /// What moving some of its components together does to each value; each way once.
    fn joint(&self, net: &Net, parts: &[&Part]) -> Vec<Vec<i32>> {
        let part = |(component, moves): &&Part| {
            let below = &net.components[self.members.start..*component];
            let weight: usize = below.iter().map(|one| one.states).product();
            let mut differences = vec![Vec::new(); net.components[*component].states];
            for (from, to) in moves {
                differences[*from].push(small(to * weight) - small(from * weight));
            }
            for list in &mut differences {
                list.sort_unstable();
                list.dedup();
            }
            (weight, differences)
        };
        let parts: Vec<(usize, Vec<Vec<i32>>)> = parts.iter().map(part).collect();
        let mut lists = vec![Vec::new(); self.size];
        for (value, list) in lists.iter_mut().enumerate() {
            let choices = parts
                .iter()
                .map(|(weight, ways)| &ways[value / weight % ways.len()]);
            if choices.clone().all(|ways| !ways.is_empty()) {
                *list = choices.fold(vec![0], |sums, ways| {
                    let more =
                        |sum: &i32| ways.iter().map(move |way| *sum + *way).collect::<Vec<_>>();
                    sums.iter().flat_map(more).collect()
                });
            }
        }
        lists
    }
}

/// A component and how it moves.
type Part = (usize, Vec<(usize, usize)>);

/// Groups are small: a component of 2³¹ states is refused by the tables of contracts.
fn small(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// Splits the components into groups, in order.
fn ranges(net: &Net) -> Vec<std::ops::Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut size = 1;
    for (at, component) in net.components.iter().enumerate() {
        if at > start && size * component.states > GROUP {
            ranges.push(start..at);
            start = at;
            size = 1;
        }
        size *= component.states;
    }
    ranges.push(start..net.components.len());
    ranges
}
