//! Which engine explores which net.

use super::packed::Tables;
use super::{
    Engine, Found, Goal, Limits, Net, NetError, Progress, Report, explicit, hashed, report, slice,
    symbolic, trace,
};

/// Explores the reachable product of a net.
///
/// Small products (up to 2²⁸ states) take a bit set, which also gives the depth. Larger ones take
/// decision diagrams, and what has no small diagram a bit set after all or, beyond the memory for
/// that, a hash set of the states seen, which stops at the bound with what it saw.
///
/// # Errors
/// When the net is none.
pub fn explore(
    net: &Net,
    limits: &Limits,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Report, NetError> {
    net.validate()?;
    let small = report::product(net)
        .to_u64()
        .is_some_and(|states| states <= 1 << 28);
    let mut order = [Engine::Dense, Engine::Symbolic, Engine::Hashed];
    if !small {
        order = [Engine::Symbolic, Engine::Dense, Engine::Hashed];
    }
    for engine in order {
        if let Some(report) = explore_with(engine, net, limits, progress)? {
            return Ok(report);
        }
    }
    Ok(report::unexplored(net))
}

/// Bytes that the explicit engine may take to look for a run in a large product, before decision
/// diagrams are asked: some ten million states.
const TRY: u64 = 256 << 20;

fn is_small(net: &Net) -> bool {
    report::product(net)
        .to_u64()
        .is_some_and(|states| states <= 1 << 28)
}

/// Explores with one engine; `None` when the product or its diagram is too large for it.
///
/// # Errors
/// When the net is none.
pub fn explore_with(
    engine: Engine,
    net: &Net,
    limits: &Limits,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Option<Report>, NetError> {
    net.validate()?;
    // Before the tables, which of a large net take long: states are numbers of 64 bits there.
    let numbered = report::product(net).to_u64().is_some();
    if engine != Engine::Symbolic && !numbered {
        return Ok(None);
    }
    let tables = || Tables::new(net);
    Ok(match engine {
        Engine::Dense => explicit::dense(net, &tables(), limits, progress),
        Engine::Hashed => hashed::hashed(net, &tables(), limits, progress),
        Engine::Symbolic => symbolic::symbolic(net, limits, progress),
    })
}

/// A run of a net to a goal: a shortest one from the explicit engine when that finishes within the
/// bounds, for all of the net or the components that matter; else from decision diagrams, where it may
/// be longer than the shortest.
///
/// # Errors
/// When the net is none.
pub fn find_run(net: &Net, goal: &Goal, limits: &Limits) -> Result<Found, NetError> {
    find_run_known(net, goal, limits).map(|(found, _)| found)
}

/// The same, and whether a run that is found is known to be a shortest one.
///
/// # Errors
/// When the net is none.
pub fn find_run_known(net: &Net, goal: &Goal, limits: &Limits) -> Result<(Found, bool), NetError> {
    net.validate()?;
    if is_small(net)
        && let Some(found @ (Found::Run(_) | Found::Never)) = trace::explicit_run(net, goal, limits)
    {
        return Ok((found, true));
    }
    if let Some(found) = sliced(net, goal, limits) {
        return Ok((found, true));
    }
    let explicit = Limits {
        memory: limits.memory.min(TRY),
        ..*limits
    };
    match trace::explicit_run(net, goal, &explicit) {
        Some(found @ (Found::Run(_) | Found::Never)) => Ok((found, true)),
        _ => Ok(symbolic::symbolic_run(net, goal, limits)),
    }
}

/// A shortest run of a net, found in the components that matter to the goal; `None` when these are too
/// many, or the goal is no set of states.
///
/// # Errors
/// When the net is none.
pub fn find_run_sliced(net: &Net, goal: &Goal, limits: &Limits) -> Result<Option<Found>, NetError> {
    net.validate()?;
    Ok(sliced(net, goal, limits))
}

pub(super) fn sliced(net: &Net, goal: &Goal, limits: &Limits) -> Option<Found> {
    match goal {
        Goal::Any(cubes) => slice::sliced_run(net, cubes, limits),
        Goal::DeadEnd | Goal::Deadlock => None,
    }
}

/// The same with one engine; `None` when the product is too large for it.
///
/// # Errors
/// When the net is none.
pub fn find_run_with(
    engine: Engine,
    net: &Net,
    goal: &Goal,
    limits: &Limits,
) -> Result<Option<Found>, NetError> {
    net.validate()?;
    Ok(match engine {
        Engine::Dense | Engine::Hashed => trace::explicit_run(net, goal, limits),
        Engine::Symbolic => Some(symbolic::symbolic_run(net, goal, limits).0),
    })
}
