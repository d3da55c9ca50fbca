//! The model checker: is a promise true of every run, and if not, which run breaks it?
//!
//! [`check()`] turns the invariants of a contract into diagnostics; [`verdict()`] judges one pattern
//! and answers in plain data. The meaning of the patterns is in [`observer`], the meaning of a run
//! in [`Configurations`], and what a verdict proves in [`Judge`].

mod bits;
mod check;
mod configurations;
mod counts;
mod explicit;
mod hashed;
mod natural;
mod net;
pub mod observer;
mod packed;
mod report;
mod search;
mod trace;
mod verdict;

pub use check::{check, trace};
pub use configurations::{Configuration, Configurations, Pending, START};
pub use natural::Natural;
pub use net::{Component, Cube, Net, NetError, Sync};
pub use report::{Bound, Engine, Limits, Progress, Report};
pub use trace::{Found, Goal, shortest_run};
pub use verdict::{Counterexample, Judge, Vacuity, Verdict, verdict};

/// Explores the reachable product of a net with a bit set when that fits in memory, and a hash
/// set otherwise.
///
/// # Errors
/// When the net is none.
pub fn explore(
    net: &Net,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Report, NetError> {
    net.validate()?;
    let tables = packed::Tables::new(net);
    let found = explicit::dense(net, &tables, limits, progress)
        .or_else(|| hashed::hashed(net, &tables, limits, progress));
    Ok(found.unwrap_or_else(|| todo!()))
}

/// Explores with one engine; `None` when it cannot hold the product.
///
/// # Errors
/// When the net is none.
pub fn explore_with(
    engine: Engine,
    net: &Net,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Option<Report>, NetError> {
    net.validate()?;
    let tables = packed::Tables::new(net);
    Ok(match engine {
        Engine::Dense => explicit::dense(net, &tables, limits, progress),
        Engine::Hashed => hashed::hashed(net, &tables, limits, progress),
        Engine::Symbolic => None,
    })
}
