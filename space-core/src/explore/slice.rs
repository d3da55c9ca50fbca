//! Runs of a net found in a few of its components.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::net::{Cube, Moves, Net, Sync};
use super::report::Limits;
use super::trace::{Found, Goal, explicit_run};

/// So many cubes are looked for one by one, each in the components that matter to it alone.
const ONE_BY_ONE: usize = 256;

/// A shortest run to one of the cubes, found in the components that matter to it; `None` when these
/// are too many.
///
/// A slice has some of the components and what the net's moves do to them, as if the others never
/// kept a move from happening. So what no run of the slice comes to no run of the net does, and no
/// run of the net is shorter than the shortest of the slice. That is a run of the net when each of
/// the others can follow it, starting where it starts; who cannot is taken into the slice.
/// Source: Clarke, Grumberg, Jha, Lu, Veith, *Counterexample-guided abstraction refinement*, CAV 2000.
pub(super) fn sliced_run(net: &Net, cubes: &[Cube], limits: &Limits) -> Option<Found> {
    if cubes.len() > ONE_BY_ONE {
        return run_to(net, cubes, limits);
    }
    let mut shortest = Found::Never;
    for cube in cubes {
        let found = run_to(net, std::slice::from_ref(cube), limits)?;
        let shorter = match (&found, &shortest) {
            (Found::Run(run), Found::Run(other)) => run.len() < other.len(),
            (Found::Run(_), _) => true,
            _ => false,
        };
        if shorter {
            shortest = found;
        }
    }
    Some(shortest)
}

fn run_to(net: &Net, cubes: &[Cube], limits: &Limits) -> Option<Found> {
    let named = cubes.iter().flat_map(|cube| &cube.parts);
    let mut kept: BTreeSet<usize> = named.map(|(component, _)| *component).collect();
    let limits = Limits {
        // What needs more is left to engines that hold all of the net.
        memory: limits.memory / 8,
        ..*limits
    };
    while !kept.is_empty() && kept.len() < net.components.len() {
        let slice = Slice::new(net, kept.iter().copied().collect());
        let goal = Goal::Any(cubes.iter().map(|cube| slice.cube(cube)).collect());
        let run = match explicit_run(&slice.net, &goal, &limits)? {
            Found::Run(run) => run,
            Found::Never => return Some(Found::Never),
            Found::Bound(_) => return None,
        };
        match slice.follow(net, &run) {
            Ok(run) => return Some(Found::Run(run)),
            Err(others) => kept.extend(others),
        }
    }
    None
}

struct Slice {
    /// The components, in order.
    kept: Vec<usize>,
    net: Net,
    /// For each sync of the slice those of the net that it stands for.
    syncs: Vec<Vec<usize>>,
}

impl Slice {
    fn new(net: &Net, kept: Vec<usize>) -> Self {
        let place = |component: usize| kept.binary_search(&component).ok();
        let mut known: HashMap<Vec<Moves<'_>>, usize> = HashMap::new();
        let mut syncs: Vec<Vec<usize>> = Vec::new();
        let mut rows = Vec::new();
        for (at, sync) in net.syncs.iter().enumerate() {
            let parts = sync.parts.iter();
            let parts = parts.filter_map(|(one, moves)| Some((place(*one)?, moves.as_slice())));
            let parts: Vec<_> = parts.collect();
            if parts.is_empty() {
                continue;
            }
            let row = *known.entry(parts).or_insert_with_key(|parts| {
                let parts = parts.iter().map(|(one, moves)| (*one, moves.to_vec()));
                rows.push(Sync {
                    name: String::new(),
                    parts: parts.collect(),
                });
                syncs.push(Vec::new());
                syncs.len() - 1
            });
            syncs[row].push(at);
        }
        let components = kept.iter().map(|at| net.components[*at].clone());
        let net = Net {
            components: components.collect(),
            syncs: rows,
        };
        Self { kept, net, syncs }
    }

    fn cube(&self, cube: &Cube) -> Cube {
        let parts = cube.parts.iter().map(|(component, states)| {
            let place = self.kept.binary_search(component);
            (place.unwrap_or_default(), states.clone())
        });
        Cube {
            parts: parts.collect(),
        }
    }

    /// The run of the net that a run of the slice is, or who cannot follow it.
    fn follow(&self, net: &Net, run: &[Vec<usize>]) -> Result<Vec<Vec<usize>>, Vec<usize>> {
        let mut others = Others {
            net,
            trails: BTreeMap::new(),
        };
        for (at, pair) in run.windows(2).enumerate() {
            if self.alone(&pair[0], &pair[1]) {
                continue;
            }
            let mut fewest: Option<Vec<usize>> = None;
            let moved = self.moved(&pair[0], &pair[1]).any(|sync| {
                let parts = &net.syncs[sync].parts;
                let parts = parts
                    .iter()
                    .filter(|(one, _)| self.kept.binary_search(one).is_err());
                let stuck = others.step(at, parts);
                let fewer = fewest.as_ref().is_none_or(|few| stuck.len() < few.len());
                let done = stuck.is_empty();
                if fewer {
                    fewest = Some(stuck);
                }
                done
            });
            if !moved {
                return Err(fewest.unwrap_or_default());
            }
        }
        let initial: Vec<_> = net.components.iter().map(|one| one.initial).collect();
        let mut states = vec![initial; run.len()];
        for (states, run) in states.iter_mut().zip(run) {
            for (component, state) in self.kept.iter().zip(run) {
                states[*component] = *state;
            }
        }
        for (component, trail) in &others.trails {
            let mut until = run.len();
            let mut state = trail[trail.len() - 1].places[0];
            for step in trail.iter().rev() {
                for row in &mut states[step.at + 1..until] {
                    row[*component] = state;
                }
                until = step.at + 1;
                state = others.before(*component, step, state);
            }
        }
        Ok(states)
    }

    /// Whether one component moves alone.
    fn alone(&self, from: &[usize], to: &[usize]) -> bool {
        let mut changed = (0..from.len()).filter(|at| from[*at] != to[*at]);
        let (first, second) = (changed.next(), changed.next());
        let moves = |at: usize| self.net.components[at].moves.contains(&(from[at], to[at]));
        match first {
            Some(at) => second.is_none() && moves(at),
            None => (0..from.len()).any(moves),
        }
    }

    /// The syncs of the net that may be what the slice does.
    fn moved(&self, from: &[usize], to: &[usize]) -> impl Iterator<Item = usize> {
        let changed: Vec<_> = (0..from.len()).filter(|at| from[*at] != to[*at]).collect();
        let leads = move |sync: &Sync| {
            let has = |at: &usize| sync.parts.iter().any(|(one, _)| one == at);
            changed.iter().all(has)
                && sync
                    .parts
                    .iter()
                    .all(|(at, moves)| moves.contains(&(from[*at], to[*at])))
        };
        let rows = self.net.syncs.iter().zip(&self.syncs);
        let rows = rows.filter(move |(sync, _)| leads(sync));
        rows.flat_map(|(_, of)| of.iter().copied())
    }
}

/// Where the components outside of a slice may be, given the moves that they took part in.
struct Others<'n> {
    net: &'n Net,
    trails: BTreeMap<usize, Vec<Step<'n>>>,
}

/// A move that a component took part in.
struct Step<'n> {
    /// The number of the step.
    at: usize,
    moves: &'n [(usize, usize)],
    /// Where it may be now.
    places: Vec<usize>,
    /// Where it may have been.
    before: Vec<usize>,
}

impl<'n> Others<'n> {
    /// Lets all take part in a step, or none: those that cannot.
    fn step<'p>(
        &mut self,
        at: usize,
        parts: impl Iterator<Item = &'n (usize, Vec<(usize, usize)>)> + 'p,
    ) -> Vec<usize>
    where
        'n: 'p,
    {
        let mut stuck = Vec::new();
        let mut steps = Vec::new();
        for (component, moves) in parts {
            let last = self.trails.get(component).and_then(|trail| trail.last());
            let before = match last {
                Some(step) => step.places.clone(),
                None => vec![self.net.components[*component].initial],
            };
            let places = moves.iter().filter(|(from, _)| before.contains(from));
            let mut places: Vec<_> = places.map(|(_, to)| *to).collect();
            places.sort_unstable();
            places.dedup();
            if places.is_empty() {
                stuck.push(*component);
            }
            let step = Step {
                at,
                moves,
                places,
                before,
            };
            steps.push((*component, step));
        }
        if stuck.is_empty() {
            for (component, step) in steps {
                self.trails.entry(component).or_default().push(step);
            }
        }
        stuck
    }

    /// Where a component was before a step that led it to a state.
    fn before(&self, component: usize, step: &Step<'_>, state: usize) -> usize {
        let mut moves = step.moves.iter();
        let found = moves.find(|(from, to)| *to == state && step.before.contains(from));
        found.map_or(self.net.components[component].initial, |(from, _)| *from)
    }
}
