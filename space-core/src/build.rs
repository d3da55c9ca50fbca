//! Golden products: written on a developer's machine, verified in continuous integration.
//!
//! A golden crate's build script is one line, `space_core::build::script()`; the command line calls
//! [`run`], which it calls, too.

mod format;
mod golden;
mod orphans;
mod script;

pub use format::format;
pub use golden::{Access, Change, Failure, Job, Mode, Report, run};
pub use script::script;
