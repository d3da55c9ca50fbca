//! What a contract must satisfy before anything is made from it.
//!
//! A name that is not declared is reported once. What would follow from it (an outcome that nothing
//! handles, a state that nothing enters, a declaration that nothing uses) is not.

mod analysis;
mod base;
mod behaviour;
mod check;
mod composition;
mod data;
#[cfg(feature = "parse")]
mod folder;
mod names;
mod report;
mod totality;
mod triggers;

pub use check::{Checked, check, check_base, check_with};
pub use composition::{Composition, Declared, check_compositions};
#[cfg(feature = "parse")]
pub use folder::{FolderCheck, check_folder};
pub use triggers::Triggers;
