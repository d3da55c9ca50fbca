//! The model checker: is a promise true of every run, and if not, which run breaks it?
//!
//! [`check()`] turns the invariants of a contract into diagnostics; [`verdict()`] judges one pattern
//! and answers in plain data. The meaning of the patterns is in [`observer`], the meaning of a run
//! in [`Configurations`], and what a verdict proves in [`Judge`].
//!
//! Products of machines are [`Net`]s: [`explore()`] counts what can be reached, [`find_run()`] finds
//! a run to a state. Three engines do both, and agree wherever more than one of them can:
//!
//! | engine | holds | for |
//! |---|---|---|
//! | dense | two bits a state of the product | products that fit in memory; all that can be counted, depth included |
//! | hashed | the states seen | large products of which little is reachable, and what has no small diagram |
//! | symbolic | a decision diagram | products beyond memory; no depth |
//!
//! An `exclusion` of a composition is a [`Goal`] of [`Cube::both`] for each two of its points: it
//! holds when no run leads there.

mod bits;
mod check;
mod configurations;
mod counts;
mod dead;
mod explicit;
mod hashed;
mod layout;
mod mdd;
mod natural;
mod net;
pub mod observer;
mod order;
mod packed;
mod report;
mod saturation;
mod search;
mod survey;
mod symbolic;
mod trace;
mod verdict;
mod words;

pub use check::{check, check_with, trace};
pub use configurations::{Configuration, Configurations, Pending, START};
pub use natural::Natural;
pub use net::{Component, Cube, Net, NetError, Sync};
pub use report::{Bound, Engine, Limits, Progress, Report};
pub use trace::{Found, Goal};
pub use verdict::{Counterexample, Judge, Vacuity, Verdict, verdict};

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
    let tables = || packed::Tables::new(net);
    Ok(match engine {
        Engine::Dense => explicit::dense(net, &tables(), limits, progress),
        Engine::Hashed => hashed::hashed(net, &tables(), limits, progress),
        Engine::Symbolic => symbolic::symbolic(net, limits, progress),
    })
}

/// A run of a net to a goal: a shortest one from the explicit engine when that finishes within the
/// bounds, else from decision diagrams, where it may be longer than the shortest.
///
/// # Errors
/// When the net is none.
pub fn find_run(net: &Net, goal: &Goal, limits: &Limits) -> Result<Found, NetError> {
    net.validate()?;
    let explicit = Limits {
        memory: if is_small(net) {
            limits.memory
        } else {
            limits.memory.min(TRY)
        },
        ..*limits
    };
    match trace::explicit_run(net, goal, &explicit) {
        Some(found @ (Found::Run(_) | Found::Never)) => Ok(found),
        _ => Ok(symbolic::symbolic_run(net, goal, limits)),
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
        Engine::Symbolic => Some(symbolic::symbolic_run(net, goal, limits)),
    })
}
