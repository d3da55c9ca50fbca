//! Exploration with decision diagrams: counts, dead ends, and runs.

use super::Bound;
use super::dead::{dead_ends, deadlocks};
use super::mdd::{FALSE, NodeId, TRUE};
use super::natural::Natural;
use super::net::{Cube, Net};
use super::order::order;
use super::report::{Engine, Limits, Progress, Report, product};
use super::saturation::{Event, Symbolic};
use super::survey::unseen;
use super::trace::{Found, Goal};

/// Explores a net of any size; `None` when the diagram takes more memory than allowed.
pub(super) fn symbolic(
    net: &Net,
    limits: &Limits,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Option<Report> {
    on_a_deep_stack(net, || {
        let mut space = Symbolic::new(net, &order(net), limits.memory);
        let root = space.reachable(&mut |nodes| {
            progress(&Progress {
                states: nodes as u64,
                frontier: 0,
                depth: 0,
            });
        })?;
        let dead = dead_ends(&mut space, root)?;
        let stuck = deadlocks(&mut space, net, dead)?;
        let most = space.bytes();
        space.forget();
        // Numbers for each node: a head, and for those of a set a block of the size of the largest.
        let largest = product(net).bytes() + 16;
        let numbers = |set: NodeId| {
            let parts = space.diagram.parts(set).into_iter().filter(|part| *part);
            25 * u64::from(set) + largest * parts.count() as u64
        };
        // Dead ends are counted while all numbers are there.
        space.diagram.room(2 * numbers(root))?;
        let below = below(&space, root);
        let countable = space.diagram.room(3 * numbers(root)).is_some();
        let times = if countable { 3 } else { 2 };
        let bytes = most.max(space.bytes() + times * numbers(root));
        Some(Report {
            engine: Engine::Symbolic,
            states: below[root as usize].clone(),
            transitions: countable.then(|| transitions(&space, root, &below)),
            depth: None,
            dead_ends: count(&space, dead),
            deadlocks: count(&space, stuck),
            unreachable: unreachable(&space, net, root),
            product: product(net),
            bytes,
            bound: None,
        })
    })
}

/// A run to the goal, and whether it is a shortest one: it is when breadth-first search by diagrams
/// stays within a quarter of the memory; else it is a short one, found by firing events one after the
/// other on all that was reached so far. Whether there is one is asked of all that can be reached first,
/// which takes a smaller diagram.
pub(super) fn symbolic_run(net: &Net, goal: &Goal, limits: &Limits) -> (Found, bool) {
    on_a_deep_stack(net, || {
        let order = order(net);
        let new = |memory| Symbolic::new(net, &order, memory);
        if meets(&mut new(limits.memory), net, goal) == Some(false) {
            return (Found::Never, true);
        }
        for (chained, memory) in [(false, limits.memory / 4), (true, limits.memory)] {
            if let Some(found) = search(&mut new(memory), net, goal, chained) {
                return (found, !chained);
            }
        }
        let bound = Bound {
            seen: 0,
            frontier: 1,
        };
        (Found::Bound(bound), false)
    })
}

/// Whether some reachable state of a net is a goal; `None` when the diagram takes more memory than
/// allowed.
pub(super) fn symbolic_meets(net: &Net, goal: &Goal, limits: &Limits) -> Option<bool> {
    on_a_deep_stack(net, || {
        meets(
            &mut Symbolic::new(net, &order(net), limits.memory),
            net,
            goal,
        )
    })
}

fn meets(space: &mut Symbolic, net: &Net, goal: &Goal) -> Option<bool> {
    let root = space.reachable(&mut |_| {})?;
    let (part, cubes) = goals(space, net, goal, root)?;
    let mut all = cubes.iter();
    Some(part != FALSE && all.any(|cube| holds(space, cube, part)))
}

fn holds(space: &Symbolic, cube: &Cube, set: NodeId) -> bool {
    allowed(space, cube).is_some_and(|one| pick(space, &one, set).is_some())
}

/// The algorithms recur from level to level; a net may have thousands.
fn on_a_deep_stack<T: Send>(net: &Net, work: impl FnOnce() -> T + Send) -> T {
    let bytes = (16 << 20) + net.components.len() * (16 << 10);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(bytes)
            .spawn_scoped(scope, work);
        let joined = thread.map(std::thread::ScopedJoinHandle::join);
        match joined {
            Ok(Ok(found)) => found,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => panic!("no thread for the search: {error}"),
        }
    })
}

/// How many tuples each part of a set stands for.
fn below(space: &Symbolic, root: NodeId) -> Vec<Natural> {
    let parts = space.diagram.parts(root);
    let mut below = vec![Natural::default(); parts.len().max(2)];
    below[TRUE as usize] = Natural::from(1);
    for node in (2..=root).filter(|node| parts[*node as usize]) {
        let mut sum = Natural::default();
        for child in space.diagram.children(node) {
            sum.add(&below[*child as usize]);
        }
        below[node as usize] = sum;
    }
    below
}

fn count(space: &Symbolic, root: NodeId) -> Natural {
    below(space, root).swap_remove(root as usize)
}

/// Enabled moves of all states of a set. For one event, only the levels from its top to its
/// bottom are looked at: above are the paths that lead there, below the tuples that remain.
fn transitions(space: &Symbolic, root: NodeId, below: &[Natural]) -> Natural {
    let diagram = &space.diagram;
    let parts = diagram.parts(root);
    let mut by_level = vec![Vec::new(); diagram.top() + 1];
    let mut above = vec![Natural::default(); parts.len().max(2)];
    above[root as usize] = Natural::from(1);
    for node in (2..=root).rev().filter(|node| parts[*node as usize]) {
        by_level[diagram.level(node)].push(node);
        let paths = above[node as usize].clone();
        for child in diagram.children(node) {
            above[*child as usize].add(&paths);
        }
    }
    let mut total = Natural::default();
    let mut ways = vec![Natural::default(); parts.len().max(2)];
    for event in &space.events {
        let levels = by_level.iter().enumerate().take(event.top + 1);
        for (level, nodes) in levels.skip(event.bottom) {
            let lowest = level == event.bottom;
            for node in nodes {
                let mut sum = Natural::default();
                for (value, child) in diagram.children(*node).iter().enumerate() {
                    let targets = event.at(level).map_or(1, |relation| relation[value].len());
                    if *child != FALSE && targets > 0 {
                        let known = if lowest { below } else { &ways };
                        sum.add(&known[*child as usize].times(targets as u64));
                    }
                }
                ways[*node as usize] = sum;
            }
        }
        for node in &by_level[event.top] {
            total.add(&ways[*node as usize].times_all(&above[*node as usize]));
        }
    }
    total
}

fn unreachable(space: &Symbolic, net: &Net, root: NodeId) -> Vec<(usize, usize)> {
    let mut seen: Vec<Vec<bool>> = net
        .components
        .iter()
        .map(|one| vec![false; one.states])
        .collect();
    let parts = space.diagram.parts(root);
    for node in (2..=root).filter(|node| parts[*node as usize]) {
        let component = space.components[space.diagram.level(node)];
        for (value, child) in space.diagram.children(node).iter().enumerate() {
            seen[component][value] |= *child != FALSE;
        }
    }
    unseen(&seen)
}

/// Grows the set of states seen until it holds a goal, then walks back through what it was.
/// `None` when the memory bound is reached.
fn search(space: &mut Symbolic, net: &Net, goal: &Goal, chained: bool) -> Option<Found> {
    // Each set holds the one before it, and what one round or one event adds.
    let mut sets = vec![space.start()?];
    loop {
        let now = sets[sets.len() - 1];
        let (part, cubes) = goals(space, net, goal, now)?;
        let mut found = cubes.iter();
        if let Some(state) = found.find_map(|cube| pick(space, &allowed(space, cube)?, part)) {
            return Some(Found::Run(walk_back(space, &sets, state)));
        }
        let mut next = now;
        for event in 0..space.events.len() {
            let from = if chained { next } else { now };
            let image = space.image(event, space.diagram.top(), from)?;
            let grown = space.diagram.union(next, image)?;
            if chained && grown != next {
                sets.push(grown);
            }
            next = grown;
        }
        if next == now {
            return Some(Found::Never);
        }
        if !chained {
            sets.push(next);
        }
    }
}

/// Of a set, the part in which the goal's cubes are goals, and the cubes.
fn goals(space: &mut Symbolic, net: &Net, goal: &Goal, set: NodeId) -> Option<(NodeId, Vec<Cube>)> {
    Some(match goal {
        Goal::Any(cubes) => (set, cubes.clone()),
        Goal::DeadEnd => (dead_ends(space, set)?, vec![Cube::default()]),
        Goal::Deadlock => {
            let dead = dead_ends(space, set)?;
            (deadlocks(space, net, dead)?, vec![Cube::default()])
        }
    })
}

/// By level, the values that are wanted; `None` is any.
type Allowed = Vec<Option<Vec<usize>>>;

/// A cube by level. `None` when it names a component that there is not.
fn allowed(space: &Symbolic, cube: &Cube) -> Option<Allowed> {
    let mut allowed: Allowed = vec![None; space.diagram.top() + 1];
    for (component, states) in &cube.parts {
        let mut levels = space.components.iter().skip(1);
        let level = levels.position(|one| one == component)? + 1;
        allowed[level] = Some(states.clone());
    }
    Some(allowed)
}

/// A state of a set whose values are allowed, by level. Linear in the set's diagram.
fn pick(space: &Symbolic, allowed: &Allowed, set: NodeId) -> Option<Vec<usize>> {
    let diagram = &space.diagram;
    let fits = |level: usize, value: usize| {
        let values = allowed[level].as_ref();
        values.is_none_or(|one| one.contains(&value))
    };
    let parts = diagram.parts(set);
    let mut meets = vec![false; parts.len().max(2)];
    meets[TRUE as usize] = true;
    let way = |meets: &[bool], node: NodeId| {
        let children = diagram.children(node).iter().enumerate();
        children
            .filter(|(value, child)| meets[**child as usize] && fits(diagram.level(node), *value))
            .map(|(value, child)| (value, *child))
            .next()
    };
    for node in (2..=set).filter(|node| parts[*node as usize]) {
        meets[node as usize] = way(&meets, node).is_some();
    }
    if !meets[set as usize] {
        return None;
    }
    let mut state = Vec::new();
    let mut node = set;
    while node != TRUE {
        let (value, child) = way(&meets, node)?;
        state.push(value);
        node = child;
    }
    state.reverse();
    Some(state)
}

/// From a state of the last set to the initial one: at each step to the predecessor that was seen
/// first. All were seen before their successor, so the walk ends.
fn walk_back(space: &Symbolic, sets: &[NodeId], end: Vec<usize>) -> Vec<Vec<usize>> {
    let seen = |state: &[usize]| sets.partition_point(|set| !space.diagram.holds(*set, state));
    let mut run = vec![end];
    while let Some(state) = run.last()
        && seen(state) > 0
    {
        let Some(first) = before(space, &sets[..seen(state)], state) else {
            break;
        };
        run.push(first);
    }
    run.reverse();
    let by_component = |state: Vec<usize>| {
        let mut states = vec![0; state.len()];
        for (level, value) in state.into_iter().enumerate() {
            states[space.components[level + 1]] = value;
        }
        states
    };
    run.into_iter().map(by_component).collect()
}

/// Of the states from which an event leads to this one, one that is in the earliest of the sets.
fn before(space: &Symbolic, sets: &[NodeId], state: &[usize]) -> Option<Vec<usize>> {
    let mut earliest = sets.len();
    let mut found = None;
    for event in &space.events {
        let Some(sources) = sources(event, state) else {
            continue;
        };
        // Each set holds those before it.
        while let Some(last) = earliest.checked_sub(1)
            && let Some(state) = pick(space, &sources, sets[last])
        {
            earliest = sets[..last].partition_point(|set| !space.diagram.holds(*set, &state));
            found = Some(state);
        }
    }
    found
}

/// The states from which an event leads to this one: any values that do at each level. `None` when
/// there is none.
fn sources(event: &Event, state: &[usize]) -> Option<Allowed> {
    let mut allowed: Allowed = vec![None];
    for (at, value) in state.iter().enumerate() {
        let values = match event.at(at + 1) {
            Some(relation) => {
                let leads = |from: &usize| relation[*from].contains(value);
                (0..relation.len()).filter(leads).collect()
            }
            None => vec![*value],
        };
        if values.is_empty() {
            return None;
        }
        allowed.push(Some(values));
    }
    Some(allowed)
}
