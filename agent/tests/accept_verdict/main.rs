//! Every reason code has a program that earns it and the nearest one that does not.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod kit;
mod operators;
mod programs;
mod reasons;
mod reports;
