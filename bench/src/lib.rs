//! The machines that benches step, and how figures are taken.
//!
//! The machines are in this crate and the benches in others, as a consumer's would be: what is not
//! inlinable across crates shows.

pub mod hand;
pub mod large;
pub mod measure;
pub mod streams;
pub mod world;

/// 12 states × 20 events × 40 rules, from `contracts/station_*.toml`.
#[space_macros::space(domain = "contracts/station", derive(Copy))]
pub mod station {}

/// The same rules in the form of a table.
#[space_macros::space(domain = "contracts/station", derive(Copy), form = "table")]
pub mod station_table {}

/// The same rules with a context of 256 bytes.
#[space_macros::space(domain = "contracts/wide")]
pub mod wide {}
