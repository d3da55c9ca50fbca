//! What a contract must satisfy before anything is made from it.
//!
//! A name that is not declared is reported once. What would follow from it (an outcome that nothing
//! handles, a state that nothing enters, a declaration that nothing uses) is not.

mod analysis;
mod base;
mod behaviour;
mod check;
mod data;
mod names;
mod report;
mod totality;
mod triggers;

pub use check::{Checked, check, check_with};
pub use triggers::Triggers;
