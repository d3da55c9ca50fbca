//! The model checker: is a promise true of every run, and if not, which run breaks it?
//!
//! [`check()`] turns the invariants of a contract into diagnostics; [`verdict()`] judges one pattern
//! and answers in plain data. The meaning of the patterns is in [`observer`], the meaning of a run
//! in [`Configurations`], and what a verdict proves in [`Judge`].
//!
//! Products of machines are [`Net`]s: [`explore()`] counts what can be reached, [`find_run()`] finds
//! a run to a state. [`ComposedNet`] is the net of a composition. Three engines do both, and agree
//! wherever more than one of them can:
//!
//! | engine | holds | for |
//! |---|---|---|
//! | dense | two bits a state of the product | products that fit in memory; all that can be counted, depth included |
//! | hashed | the states seen | large products of which little is reachable, and what has no small diagram; no depth |
//! | symbolic | a decision diagram | products beyond memory; no depth |
//!
//! Compositions are [`Joint`] graphs, whose steps have names and an order in which what waits is fed;
//! [`JointJudge`] judges the patterns over them, with the observers and searches of one machine.

mod bound;
mod check;
mod configurations;
mod counts;
mod idle;
mod joint;
pub mod observer;
mod replay;
mod runs;
mod search;
mod verdict;

#[cfg(feature = "explore")]
mod alone;
#[cfg(feature = "explore")]
mod bits;
#[cfg(feature = "explore")]
mod composition;
#[cfg(feature = "explore")]
mod dead;
#[cfg(feature = "explore")]
mod engine;
#[cfg(feature = "explore")]
mod explicit;
#[cfg(feature = "explore")]
mod hashed;
#[cfg(feature = "explore")]
mod layout;
#[cfg(feature = "explore")]
mod mdd;
#[cfg(feature = "explore")]
mod natural;
#[cfg(feature = "explore")]
mod net;
#[cfg(feature = "explore")]
mod order;
#[cfg(feature = "explore")]
mod packed;
#[cfg(feature = "explore")]
mod report;
#[cfg(feature = "explore")]
mod saturation;
#[cfg(feature = "explore")]
mod slice;
#[cfg(feature = "explore")]
mod survey;
#[cfg(feature = "explore")]
mod symbolic;
#[cfg(feature = "explore")]
mod trace;
#[cfg(feature = "explore")]
mod walk;
#[cfg(feature = "explore")]
mod words;

pub use bound::Bound;
pub use check::{Teller, check, check_with, tell, tell_idle, trace};
pub use configurations::{Configuration, Configurations, Pending, START};
pub use idle::{Idle, idle};
#[cfg(any(feature = "explore", feature = "verify"))]
pub use joint::NamedMove;
pub use joint::{Joint, JointJudge, JointPoint, JointStep, Judged, Part};
pub use replay::NamedStep;
pub use verdict::{Counterexample, Judge, Vacuity, Verdict, verdict};

#[cfg(feature = "explore")]
pub use {
    alone::{Shape, shape},
    composition::{Cause, ComposedNet, ComposedStep, LocalState, TooLarge},
    engine::{explore, explore_with, find_run, find_run_known, find_run_sliced, find_run_with},
    natural::Natural,
    net::{Component, Cube, Net, NetError, Sync},
    report::{Engine, Limits, Progress, Report},
    trace::{Found, Goal},
};
