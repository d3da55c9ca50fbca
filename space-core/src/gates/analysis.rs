//! S05: what the rules come to as a whole.

use std::collections::BTreeMap;

use super::report::{Report, clip, listed};
use super::triggers::Jumps;
use crate::contract::{Semantics, Span};
use crate::diagnostic::{Code, Diagnostic};
use crate::graph::{
    ArgSource, Digraph, Rules, Use, components, cycle_in, empty_reads, reachable, shortest,
};

/// How many findings show a path; the others are of the same kind.
const PATHS: usize = 16;

pub(super) fn check(rules: &Rules<'_>, jumps: &Jumps, out: &mut Report<'_>) {
    let paths = Paths::of(rules, jumps);
    unused(rules, out);
    if paths.roots.is_empty() {
        return;
    }
    unreachable(rules, &paths, out);
    no_end(rules, &paths, out);
    unassigned(rules, jumps, &paths, out);
    commits(rules, &paths, out);
    cycle(rules, &paths, out);
}

/// The rules as a graph, labels being rows of `[[transitions]]`.
struct Paths {
    /// Without the jumps of feedback loops.
    plain: Digraph,
    /// With them.
    graph: Digraph,
    /// Initial states; more than one is reported elsewhere.
    roots: Vec<usize>,
    reached: Vec<bool>,
}

impl Paths {
    fn of(rules: &Rules<'_>, jumps: &Jumps) -> Self {
        let states = rules.base.states.len();
        let edges = rules.edges.iter();
        let mut edges: Vec<_> = edges
            .filter_map(|edge| Some((edge.from, rules.rows[edge.row].to?, edge.row)))
            .collect();
        let plain = Digraph::new(states, &edges);
        for (from, edge) in &jumps.loops {
            if let Some(to) = rules.rows[edge.row].to {
                edges.push((*from, to, edge.row));
            }
        }
        let graph = Digraph::new(states, &edges);
        let rows = rules.base.states.iter().enumerate();
        let initial = rows.filter(|(_, row)| row.is_initial.as_ref().is_some_and(|one| one.value));
        let roots: Vec<_> = initial.map(|(at, _)| at).collect();
        let reached = reachable(&graph, roots.iter().copied(), |_| true);
        Self {
            plain,
            graph,
            roots,
            reached,
        }
    }
}

/// Every state can be reached. Of a part that cannot, only where it begins is reported.
fn unreachable(rules: &Rules<'_>, paths: &Paths, out: &mut Report<'_>) {
    if rules.holes.to {
        return;
    }
    let base = rules.base;
    // A rule that leaves a state that is not declared may have been meant to start anywhere.
    let lost = rules.rows.iter().zip(&rules.domain.transitions);
    let lost = lost.filter(|(row, written)| row.from.len() < written.from.states().len());
    let lost = lost.filter_map(|(row, _)| row.to);
    let roots = paths.roots.iter().copied().chain(lost);
    let reached = reachable(&paths.graph, roots, |_| true);
    let component = components(&paths.graph).of;
    let open = |state: &usize| !reached[*state];
    let mut entered = vec![false; base.states.len()];
    for from in (0..base.states.len()).filter(open) {
        for (to, _) in paths.graph.edges_of(from) {
            entered[component[*to]] |= component[*to] != component[from];
        }
    }
    let mut told = vec![false; base.states.len()];
    for state in (0..base.states.len()).filter(open) {
        let part = component[state];
        let name = &base.states[state].name;
        let first = rules.names.states.get(name.as_str()) == Some(&state);
        if entered[part] || !first || std::mem::replace(&mut told[part], true) {
            continue;
        }
        let message = format!("state `{}` cannot be reached", clip(name));
        out.push(
            Diagnostic::new(Code::UNREACHABLE, name.span, message)
                .help("enter it by a rule, or remove it"),
        );
    }
}

/// From every reachable state a terminal one can be reached. Of a part from which none can, only
/// the part where it ends up is reported.
fn no_end(rules: &Rules<'_>, paths: &Paths, out: &mut Report<'_>) {
    if rules.holes.from {
        return;
    }
    let base = rules.base;
    let states = || 0..base.states.len();
    let ends = states().filter(|state| rules.ends(*state) != Some(false));
    let lost = rules.rows.iter().filter(|row| row.to.is_none());
    let lost = lost.flat_map(|row| row.from.iter().copied());
    let wild = rules.rows.iter().any(|row| row.any && row.to.is_none());
    if wild {
        return;
    }
    let ending = reachable(&paths.graph.reversed(), ends.chain(lost), |_| true);
    let component = components(&paths.graph).of;
    let mut closed = vec![true; base.states.len()];
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for state in states().filter(|state| paths.reached[*state] && !ending[*state]) {
        let mut edges = paths.graph.edges_of(state).iter();
        closed[component[state]] &= edges.all(|(to, _)| component[*to] == component[state]);
        members.entry(component[state]).or_default().push(state);
    }
    for (part, members) in members {
        if !closed[part] {
            continue;
        }
        let names = members
            .iter()
            .map(|state| base.states[*state].name.as_str());
        let message = format!(
            "from {} no terminal state can be reached",
            listed(names, members.len())
        );
        let finding = Diagnostic::new(Code::NO_END, base.states[members[0]].name.span, message);
        out.push(finding.help("add a rule into a terminal state: one that no rule leaves"));
    }
}

/// A slot that an effect's argument is read from was written on every path.
fn unassigned(rules: &Rules<'_>, jumps: &Jumps, paths: &Paths, out: &mut Report<'_>) {
    // A slot that is not declared may have been meant to be this one.
    if rules.holes.slot {
        return;
    }
    let base = rules.base;
    let may_be_empty = |slot: usize| {
        let row = &base.ctx[slot];
        row.default.is_none() && row.ty.value.as_ref().is_some_and(|ty| !ty.is_optional())
    };
    // An optional argument is none when its slot is empty.
    let needed = |row: usize| {
        let row = &rules.rows[row];
        let args = row
            .effect
            .row()
            .map(|effect| base.effects[effect].args.as_slice());
        let args = args.unwrap_or_default().iter().zip(&row.args);
        args.filter_map(move |(arg, source)| match source {
            ArgSource::Slot(slot) if may_be_empty(*slot) => {
                let optional = arg
                    .ty
                    .value
                    .as_ref()
                    .is_none_or(crate::contract::Type::is_optional);
                (!optional).then_some(*slot)
            }
            _ => None,
        })
    };
    let plain = rules.edges.iter().map(|edge| (edge.from, edge.row));
    let loops = jumps.loops.iter().map(|(from, edge)| (*from, edge.row));
    let mut reads = Vec::new();
    let mut rows = Vec::new();
    for (from, row) in plain.chain(loops) {
        for slot in needed(row) {
            reads.push((from, slot));
            rows.push(row);
        }
    }
    let writes = rules.rows.iter().enumerate();
    let writes: Vec<_> = writes
        .flat_map(|(at, row)| row.assigns.iter().map(move |(slot, _)| (at, *slot)))
        .collect();
    // One finding for a slot: what lacks is the write, however many rules read.
    let mut empty: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    for read in empty_reads(&paths.graph, &paths.roots, &writes, &reads) {
        let (from, slot) = reads[read];
        empty
            .entry(slot)
            .or_default()
            .entry(rows[read])
            .or_insert(from);
    }
    for (at, (slot, reads)) in empty.into_iter().enumerate() {
        let name = &base.ctx[slot].name;
        let place = |row: usize| {
            let written = rules.written(row);
            let mut slots = written.args_from.iter().map(|one| &one.slot);
            let slot = slots.find(|one| one.value == name.value);
            slot.map_or(written.span, |one| one.span)
        };
        let mut reads = reads.into_iter();
        let Some((row, from)) = reads.next() else {
            continue;
        };
        let shown = clip(name);
        let state = &base.states[from].name;
        let message = format!("slot `{shown}` may be empty in state `{}`", clip(state));
        let mut finding = Diagnostic::new(Code::UNASSIGNED, place(row), message);
        let skips = |_, row: usize| rules.rows[row].assigns.iter().all(|(one, _)| *one != slot);
        if paths.roots.contains(&from) {
            finding = finding.related(state.span, "runs start here");
        } else if at < PATHS {
            let mut roots = paths.roots.iter();
            let path = roots.find_map(|root| shortest(&paths.graph, *root, from, skips));
            let how = format!("without writing `{shown}`");
            finding = way(rules, finding, &path.unwrap_or_default(), &how);
        }
        for (row, _) in reads.take(3) {
            finding = finding.related(place(row), "it is read here, too");
        }
        out.push(finding.help(format!(
            "write `{shown}` on every way here, or give it a `default` or an optional type"
        )));
    }
}

/// Adds the rules of a path, the last with what is special about it.
fn way(rules: &Rules<'_>, mut finding: Diagnostic, path: &[usize], how: &str) -> Diagnostic {
    const SHOWN: usize = 8;
    let shown = path.len().saturating_sub(SHOWN);
    for (at, row) in path.iter().enumerate().skip(shown) {
        let written = rules.written(*row);
        let mut text = format!("`{}` enters `{}`", clip(&written.on), clip(&written.to));
        if at + 1 == path.len() {
            text = format!("{text} {how}");
        }
        finding = finding.related(written.to.span, text);
    }
    finding
}

/// A commit has something to commit.
fn commits(rules: &Rules<'_>, paths: &Paths, out: &mut Report<'_>) {
    // An effect that is not declared may have been meant to be a command.
    if rules.holes.effect {
        return;
    }
    let base = rules.base;
    let semantics = |row: usize| match rules.rows[row].effect {
        Use::Row(effect) => base.effects[effect].semantics.value,
        _ => None,
    };
    let unknown = base
        .effects
        .iter()
        .any(|effect| effect.semantics.value.is_none());
    let commits = (0..rules.rows.len()).any(|row| semantics(row) == Some(Semantics::Commit));
    if unknown || !commits {
        return;
    }
    let idle = |row: usize| semantics(row) != Some(Semantics::Command);
    let before = reachable(&paths.graph, paths.roots.iter().copied(), idle);
    let mut told = vec![false; rules.rows.len()];
    for edge in &rules.edges {
        let early = before[edge.from] && semantics(edge.row) == Some(Semantics::Commit);
        if !early || std::mem::replace(&mut told[edge.row], true) {
            continue;
        }
        let written = rules.written(edge.row);
        let (name, span) = written
            .effect
            .as_ref()
            .map_or(("?", written.span), |effect| (effect.as_str(), effect.span));
        let state = clip(&base.states[edge.from].name);
        let message = format!(
            "commit `{}` can come in `{state}` with no command before it",
            clip(name)
        );
        let finding = Diagnostic::new(Code::NOTHING_TO_COMMIT, span, message);
        let mut roots = paths.roots.iter().filter(|root| **root != edge.from);
        let path =
            roots.find_map(|root| shortest(&paths.graph, *root, edge.from, |_, row| idle(row)));
        let finding = way(
            rules,
            finding,
            &path.unwrap_or_default(),
            "without a command",
        );
        out.push(finding.help("ask for a command first, or use `command` itself"));
    }
}

/// One concrete cycle, for whoever sets the limits of a run.
fn cycle(rules: &Rules<'_>, paths: &Paths, out: &mut Report<'_>) {
    const SHOWN: usize = 12;
    let Some(cycle) = cycle_in(&paths.plain, paths.roots.iter().copied()) else {
        return;
    };
    let entered = |row: usize| clip(&rules.written(row).to);
    let last = cycle.last().copied().unwrap_or_default();
    let mut states = vec![format!("`{}`", entered(last))];
    states.extend(
        cycle
            .iter()
            .take(SHOWN)
            .map(|row| format!("`{}`", entered(*row))),
    );
    if cycle.len() > SHOWN {
        states.push("…".to_owned());
    }
    let first = rules.written(cycle[0]);
    let message = format!("the rules have a cycle: {}", states.join(" → "));
    let mut finding = Diagnostic::new(Code::CYCLE, first.to.span, message);
    finding = finding.label(format!("by `{}`", clip(&first.on)));
    for row in cycle.iter().skip(1).take(SHOWN) {
        let written = rules.written(*row);
        finding = finding.related(written.to.span, format!("then by `{}`", clip(&written.on)));
    }
    out.push(finding.help("a run of this space needs a limit of rounds or of time"));
}

/// Every event, effect, guard and slot is used by some rule.
fn unused(rules: &Rules<'_>, out: &mut Report<'_>) {
    let (base, holes) = (rules.base, &rules.holes);
    let mut events = vec![holes.event; base.events.len()];
    let mut effects = vec![holes.effect; base.effects.len()];
    let mut guards = vec![holes.guard; base.guards.len()];
    let mut slots = vec![holes.slot; base.ctx.len()];
    let set = |used: &mut Vec<bool>, at: Option<usize>| {
        if let Some(at) = at {
            used[at] = true;
        }
    };
    for (row, written) in rules.rows.iter().zip(&rules.domain.transitions) {
        set(&mut events, row.on);
        set(&mut effects, row.effect.row());
        set(&mut guards, row.guard.row());
        for (slot, _) in &row.assigns {
            set(&mut slots, Some(*slot));
        }
        for one in &written.args_from {
            set(
                &mut slots,
                rules.names.slots.get(one.slot.as_str()).copied(),
            );
        }
    }
    for row in &rules.domain.ignored {
        for on in rules.names.events_in(&row.on) {
            set(&mut events, Some(on));
        }
    }
    // Whether an outcome is handled is asked where it arrives.
    for effect in &base.effects {
        let returned = effect.returns.iter().flat_map(|list| &list.value);
        for name in returned.chain(&effect.sentinel) {
            match rules.names.events.get(name.as_str()) {
                Some(on) => events[*on] = true,
                None => events.fill(true),
            }
        }
    }
    let mut warn = |what: &str, key: &str, name: &str, span: Span, used: bool| {
        if !used {
            let message = format!("{what} `{}` is never used", clip(name));
            out.push(
                Diagnostic::new(Code::UNUSED, span, message)
                    .help(format!("name it in a rule, or remove it from `[[{key}]]`")),
            );
        }
    };
    for (row, used) in base.events.iter().zip(events) {
        // An external event that no state knows is an error already.
        let used = used || row.is_external();
        warn("event", "events", &row.name, row.name.span, used);
    }
    for (row, used) in base.effects.iter().zip(effects) {
        warn("effect", "effects", &row.name, row.name.span, used);
    }
    for (row, used) in base.guards.iter().zip(guards) {
        warn("guard", "guards", &row.name, row.name.span, used);
    }
    for (row, used) in base.ctx.iter().zip(slots) {
        warn("slot", "ctx", &row.name, row.name.span, used);
    }
}
