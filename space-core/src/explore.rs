//! The model checker: is a promise true of every run, and if not, which run breaks it?
//!
//! [`check()`] turns the invariants of a contract into diagnostics; [`verdict()`] judges one pattern
//! and answers in plain data. The meaning of the patterns is in [`observer`], the meaning of a run
//! in [`Configurations`], and what a verdict proves in [`Judge`].

mod check;
mod configurations;
mod counts;
pub mod observer;
mod search;
mod verdict;

pub use check::{check, trace};
pub use configurations::{Configuration, Configurations, Pending, START};
pub use verdict::{Counterexample, Judge, Vacuity, Verdict, verdict};
