//! Runs programs: one process group each, a time-out that ends the whole group, output that
//! never exhausts memory, and no way to hang on an open stdin or a forgotten grandchild.

mod capture;
mod environment;
mod follow;
mod keeper;
mod run;

pub use capture::Captured;
pub use environment::{base_environment, find_program};
pub use run::{Command, Finished, Limits, RunError, Status, Stdin};
