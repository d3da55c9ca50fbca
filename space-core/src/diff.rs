//! What a new version of a contract breaks, compared with an old one.
//!
//! Two questions are answered by looking at the declarations: whether callers still compile
//! ([`Class::Source`]), and whether what was persisted still loads ([`Class::State`]). The third,
//! whether recorded runs still replay ([`Class::Trace`]), is answered by running both machines side by
//! side: see [`simulate`]. Changes that break none of these are named too.
//!
#![doc = include_str!("diff/rules.md")]

mod behaviour;
mod classes;
mod compare;
mod composed;
mod context;
mod finding;
#[cfg(feature = "parse")]
pub mod report;
mod run;
mod simulation;
mod table;
mod vocabulary;

pub use classes::{Class, Classes, RULES, RuleId, RuleInfo, explain, rules_table};
pub use compare::{Version, added, compare, removed};
pub use composed::{ComposedVersion, compare_compositions};
pub use finding::Finding;
pub use run::{Outcome, Run, RunStep};
pub use simulation::{MAX_NODES, Mismatch, Simulation, simulate, simulate_within};
