//! The runner, from outside, on interpreted contracts. Time is paused: no test waits.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

mod endings;
mod faults;
mod inbox;
mod kit;
mod limits;
mod loops;
mod random;
mod refusals;
