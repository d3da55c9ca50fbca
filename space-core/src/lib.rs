//! Contracts for agent loops.
//!
//! A *space* is a pure Mealy machine, `State × Event → State × Effect`, written as two TOML
//! files. This crate reads them ([`contract`], `parse`), refuses the wrong ones ([`gates`]),
//! turns the rest into Rust (`emit`, `build`), and runs them: with generated code through
//! [`machine::Space`], or straight from the data through [`machine::EffectSpace`].
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | none | contract model, gates, machine, interpreter; no dependency |
//! | `parse` | TOML to contract, with positions; findings as text |
//! | `emit` | contract to tokens and text |
//! | `build` | golden products for build scripts |
//! | `runtime` | the runner: handlers, inbox, limits, observer |
//! | `serde` | serde of JSON and, where the emitter is asked, of generated types |
//! | `verify` | strategies, differential tests, triples |

pub mod compose;
pub mod contract;
pub mod diagnostic;
pub mod diff;
pub mod explore;
pub mod gates;
pub mod graph;
pub mod machine;
pub mod schema;

#[cfg(all(feature = "parse", feature = "emit"))]
pub mod attribute;
#[cfg(feature = "build")]
pub mod build;
#[cfg(feature = "emit")]
pub mod emit;
#[cfg(feature = "parse")]
pub mod parse;
#[cfg(feature = "runtime")]
pub mod runtime;
#[cfg(feature = "verify")]
pub mod verify;
