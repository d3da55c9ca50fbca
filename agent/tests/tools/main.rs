//! Each tool, as the model calls it: with what works, and with what has to fail well.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

mod commands;
mod files;
mod offer;
mod scene;
