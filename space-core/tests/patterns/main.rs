//! For each pattern, small machines with the verdict worked out by hand.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "a test that stops is a test that fails")]

mod bounds;
#[path = "../common/mod.rs"]
mod common;
mod kit;
mod occurrence;
mod order;
mod paths;
mod words;
