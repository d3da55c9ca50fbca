//! All ways in which a composition can move.

use std::collections::BTreeMap;

use super::local::Local;
use super::row::{Moves, Parts, Row};
use super::watch::{Letter, Watch};
use super::{Cause, Ways};
use crate::graph::{Cell, Composed, Rule};

/// How many moves of components all rows may have together, and those of a watched net, of which there
/// is one for each promise.
const MOVES: usize = 1 << 22;
const WATCHED: usize = 1 << 19;

/// What a rule does beyond its component: the bridges whose point it reaches, and what is watched
/// of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Wake {
    bridges: Vec<usize>,
    letter: Letter,
}

/// Parts and causes of all rows; `None` when they are too many.
pub(super) fn rows(
    composed: &Composed,
    locals: &[Local],
    watch: Option<&Watch>,
    ways: Ways,
) -> Option<(Vec<Parts>, Vec<Cause>)> {
    let mut rows = Rows {
        composed,
        locals,
        watch,
        ways,
        parts: Vec::new(),
        causes: Vec::new(),
        left: if watch.is_some() { WATCHED } else { MOVES },
    };
    for component in 0..locals.len() {
        rows.own(component)?;
    }
    for sync in 0..composed.syncs.len() {
        rows.shared(sync)?;
    }
    for bridge in 0..composed.bridges.len() {
        rows.fed(bridge)?;
    }
    Some((rows.parts, rows.causes))
}

struct Rows<'c> {
    composed: &'c Composed,
    locals: &'c [Local],
    watch: Option<&'c Watch>,
    ways: Ways,
    parts: Vec<Parts>,
    causes: Vec<Cause>,
    left: usize,
}

impl<'c> Rows<'c> {
    /// Answers, external events and first events that one component takes alone.
    fn own(&mut self, component: usize) -> Option<()> {
        let (composed, local) = (self.composed, &self.locals[component]);
        let model = &composed.components[component].model;
        // Who was never started is moved only while something else still goes on.
        let mut moves: BTreeMap<(Wake, bool), Moves> = BTreeMap::new();
        for at in (0..local.len()).filter(|at| !local.terminal(*at)) {
            for rule in model.rules_of(local.state(at).state) {
                let comes = local.comes(model, at, rule.on) || local.answers(model, at, rule.on);
                if comes && composed.sync_of(component, rule.on).is_none() {
                    let key = (self.wake(component, rule), local.ended(at));
                    moves
                        .entry(key)
                        .or_default()
                        .push((at, local.into(at, rule)));
                }
            }
        }
        for ((wake, ended), moves) in moves {
            let mut row = Row::of(component, moves);
            self.wakes(&mut row, &wake);
            self.add(Cause::Own { component }, row, &wake.letter, ended)?;
        }
        Some(())
    }

    /// An event that moves all who are not at their end, or none.
    fn shared(&mut self, sync: usize) -> Option<()> {
        let composed = self.composed;
        let parts = &composed.syncs[sync].parts;
        let mut rows = vec![(Row::default(), Wake::default())];
        for (component, event) in parts {
            let mut ways: BTreeMap<Wake, Moves> = BTreeMap::new();
            let local = &self.locals[*component];
            for at in 0..local.len() {
                if local.terminal(at) {
                    // With any way of the others; a way of its own only when it has no other.
                    continue;
                }
                if let Cell::Rule(rule) = self.cell(*component, at, *event) {
                    let wake = self.wake(*component, rule);
                    ways.entry(wake)
                        .or_default()
                        .push((at, local.into(at, rule)));
                }
            }
            let ended = (0..local.len()).filter(|at| local.terminal(*at));
            let ended: Moves = ended.map(|at| (at, at)).collect();
            if !ended.is_empty() {
                ways.entry(Wake::default()).or_default().extend(ended);
            }
            rows = rows
                .into_iter()
                .flat_map(|(row, wake)| {
                    let more = ways.iter().map(move |(also, moves)| {
                        let (mut row, mut wake) = (row.clone(), wake.clone());
                        row.join(*component, moves.clone());
                        wake.bridges.extend(&also.bridges);
                        wake.letter.join(&also.letter);
                        (row, wake)
                    });
                    more.collect::<Vec<_>>()
                })
                .take(MOVES)
                .collect();
            if rows.len() * parts.len() > MOVES {
                return None;
            }
        }
        for (row, wake) in rows {
            self.caused(sync, &row, &wake)?;
        }
        Some(())
    }

    /// A shared row for each participant that may be the first cause of it, so that what several
    /// cause is one move.
    fn caused(&mut self, sync: usize, row: &Row, wake: &Wake) -> Option<()> {
        let composed = self.composed;
        let locals = self.locals;
        let parts = &composed.syncs[sync].parts;
        let live = |part: &(usize, usize), at: usize| !locals[part.0].terminal(at);
        let free = |part: &(usize, usize), at: usize| {
            let model = &composed.components[part.0].model;
            live(part, at) && locals[part.0].comes(model, at, part.1)
        };
        let meets = |part: &(usize, usize), at: usize| {
            let model = &composed.components[part.0].model;
            live(part, at) && locals[part.0].answers(model, at, part.1)
        };
        let blocks = |part: &(usize, usize), at: usize| {
            live(part, at) && locals[part.0].busy(at) && !meets(part, at)
        };
        let some = |is: &dyn Fn(&(usize, usize), usize) -> bool, part: &(usize, usize)| {
            (0..locals[part.0].len()).any(|at| is(part, at))
        };
        let cause = Cause::Shared { sync };
        let often = self.ways != Ways::Once;
        let causes =
            |part: &(usize, usize), at: usize| !live(part, at) || free(part, at) || meets(part, at);
        // Whoever has not ended causes it, and when all have, nothing moves.
        if often
            && parts
                .iter()
                .all(|part| row.from(part.0).all(|at| causes(part, at)))
        {
            let mut row = row.clone();
            self.wakes(&mut row, wake);
            return self.add(cause, row, &wake.letter, true);
        }
        for (nth, first) in parts.iter().enumerate() {
            if some(&free, first) {
                let mut row = row.clone();
                for part in parts[..nth].iter().filter(|_| !often) {
                    row.only(part.0, locals[part.0].len(), |at| !free(part, at));
                }
                row.only(first.0, locals[first.0].len(), |at| free(first, at));
                self.wakes(&mut row, wake);
                self.add(cause, row, &wake.letter, true)?;
            }
            if some(&meets, first) {
                let mut row = row.clone();
                for (at, part) in parts.iter().enumerate() {
                    let new = |value| !free(part, value) && (at >= nth || !meets(part, value));
                    let may = |value| {
                        (often || new(value))
                            && !blocks(part, value)
                            && (at != nth || meets(part, value))
                    };
                    row.only(part.0, locals[part.0].len(), may);
                }
                self.wakes(&mut row, wake);
                self.add(cause, row, &wake.letter, true)?;
            }
        }
        Some(())
    }

    /// What a bridge feeds, before anything else happens.
    fn fed(&mut self, bridge: usize) -> Option<()> {
        let (composed, locals) = (self.composed, self.locals);
        let link = &composed.bridges[bridge];
        let local = &locals[link.to];
        let bit = local.bit(bridge);
        let mut handled: BTreeMap<Wake, Moves> = BTreeMap::new();
        let mut refused = Moves::new();
        for at in (0..local.len()).filter(|at| local.waiting(*at) & bit != 0 && !local.busy(*at)) {
            let from = composed.landing(bridge, local.state(at).state);
            let model = &composed.components[link.to].model;
            let cell = model.cell(from, link.event);
            if let Cell::Rule(rule) = cell {
                let wake = self.wake(link.to, rule);
                let to = local.into(at, rule) & !bit;
                handled.entry(wake).or_default().push((at, to));
            }
            if !matches!(cell, Cell::Rule(rule) if rule.guard.is_none()) {
                refused.push((at, at & !bit));
            }
        }
        for (wake, moves) in handled {
            let mut rows = vec![(Row::of(link.to, moves), wake.clone())];
            for component in link.restarts.iter().filter(|one| **one != link.to) {
                let other = &locals[*component];
                let anew = |at: usize| composed.restarts(bridge, *component, other.state(at).state);
                let letter = self
                    .watch
                    .map(|watch| watch.restarted(composed, *component));
                let letter = letter.unwrap_or_default();
                for (row, _) in &mut rows {
                    row.then(*component, other.len(), |from, to| {
                        if anew(from) { other.restarted(to) } else { to }
                    });
                }
                if letter == Letter::default() {
                    continue;
                }
                let mut more = rows.clone();
                for (row, _) in &mut rows {
                    row.only(*component, other.len(), |at| !anew(at));
                }
                for (row, wake) in &mut more {
                    row.only(*component, other.len(), anew);
                    wake.letter.join(&letter);
                }
                rows.extend(more);
                if rows.len() > MOVES {
                    return None;
                }
            }
            for (mut row, wake) in rows {
                self.first(&mut row, bridge);
                self.wakes(&mut row, &wake);
                self.push(Cause::Fed { bridge }, row, &wake.letter)?;
            }
        }
        let mut row = Row::of(link.to, refused);
        self.first(&mut row, bridge);
        self.push(Cause::Refused { bridge }, row, &Letter::default())
    }

    /// Nothing that comes before the bridge can be fed.
    fn first(&self, row: &mut Row, bridge: usize) {
        for (at, local) in self.locals.iter().enumerate() {
            let before = local.before(bridge);
            if before != 0 {
                let free = |value| local.waiting(value) & before == 0 || local.busy(value);
                row.only(at, local.len(), free);
            }
        }
    }

    fn cell(&self, component: usize, at: usize, event: usize) -> Cell<'c> {
        let model = &self.composed.components[component].model;
        model.cell(self.locals[component].state(at).state, event)
    }

    fn wake(&self, component: usize, rule: &Rule) -> Wake {
        Wake {
            bridges: self.composed.reached(component, rule).collect(),
            letter: self
                .watch
                .map(|watch| watch.letter(component, rule))
                .unwrap_or_default(),
        }
    }

    /// Lets the events wait whose points were reached.
    fn wakes(&self, row: &mut Row, wake: &Wake) {
        for bridge in &wake.bridges {
            let to = self.composed.bridges[*bridge].to;
            let local = &self.locals[to];
            row.then(to, local.len(), |_, at| at | local.bit(*bridge));
        }
    }

    /// Adds a row that happens only while nothing can be fed and, when a component may take part
    /// that was never started, only while something still goes on.
    fn add(
        &mut self,
        cause: Cause,
        mut row: Row,
        letter: &Letter,
        unless_complete: bool,
    ) -> Option<()> {
        let locals = self.locals;
        for (at, local) in locals.iter().enumerate() {
            if !local.bridges.is_empty() {
                row.only(at, local.len(), |value| local.quiet(value));
            }
        }
        // Without a series nothing that can move is at its end; and of a part, others may go on.
        let never = self.ways == Ways::Part || self.composed.after.iter().all(Vec::is_empty);
        if !unless_complete || never {
            return self.push(cause, row, letter);
        }
        // The first component that is not at its end tells the ways apart.
        for (at, local) in locals.iter().enumerate() {
            let mut one = row.clone();
            one.only(at, local.len(), |value| !local.ended(value));
            self.push(cause, one, letter)?;
            row.only(at, local.len(), |value| local.ended(value));
        }
        Some(())
    }

    /// Adds a row, and what the watch makes of its letter.
    fn push(&mut self, cause: Cause, row: Row, letter: &Letter) -> Option<()> {
        let Some(watch) = self.watch else {
            return self.finish(cause, row);
        };
        let at = self.locals.len();
        for (component, states) in watch.alarms(letter) {
            let mut row = row.clone();
            row.ends(*component, self.locals[*component].len(), |to| {
                states.contains(&to)
            });
            row.join(at, watch.broken());
            self.finish(cause, row)?;
        }
        let mut row = row;
        row.join(at, watch.moves(letter));
        self.finish(cause, row)
    }

    fn finish(&mut self, cause: Cause, row: Row) -> Option<()> {
        let states = |component: usize| match self.locals.get(component) {
            Some(local) => local.len(),
            None => self.watch.map_or(0, Watch::states),
        };
        if let Some(parts) = row.finish(states) {
            let moves: usize = parts.iter().map(|(_, moves)| moves.len() + 1).sum();
            self.left = self.left.checked_sub(moves)?;
            self.parts.push(parts);
            self.causes.push(cause);
        }
        Some(())
    }
}
