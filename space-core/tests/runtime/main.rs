//! The runner, from outside, on interpreted contracts. Time is paused: no test waits.

mod endings;
mod faults;
mod inbox;
mod kit;
mod limits;
mod random;
mod refusals;
