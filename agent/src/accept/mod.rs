//! Proves what a program does, from outside: its exit status, its streams, its files.
//!
//! A check file says what to run and what to expect; [`Suite::load`] reads it and refuses
//! everything that could only pass; [`Suite::run`] carries it out; the [`Report`] holds a
//! [`Verdict`] for each check and every [`Reason`] against it.

pub mod check;
mod content;
mod execute;
mod expect;
pub mod forbid;
pub mod json;
mod judge;
mod lines;
mod load;
pub mod number;
mod op;
mod operand;
mod parity;
pub mod predicate;
mod report;
mod rule;
mod sandbox;
mod side;
mod strict;
mod suite;
mod table;
mod text;
mod verdict;

pub use report::{Report, Summary};
pub use suite::{Options, Suite};
pub use table::{LoadCode, LoadError};
pub use verdict::{
    Channel, Code, Exit, Flaw, Origin, Outcome, OutputRecord, Place, Reason, RunRecord, Verdict,
};
