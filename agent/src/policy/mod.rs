//! Which commands may run.
//!
//! A command is a list of arguments, never a shell string. Its program is resolved to a real file
//! first; then every rule is asked, and the strictest verdict counts. What no rule names is denied,
//! and so is everything when the policy does not load.
//!
//! **Architecture invariant:** putting a wrapper or an interpreter before a command never gains
//! anything. Programs that run other programs are a class of their own; a rule can permit such a
//! command only whole, argument for argument.
//!
//! A policy judges a command line, not what the program does: a test may do anything its author
//! could. That bound is the sandbox's.

mod decide;
mod rules;
mod wrappers;

pub use decide::{Command, Decision, Verdict};
pub use rules::{Operands, Policy, PolicyError};
pub use wrappers::is_wrapper;
