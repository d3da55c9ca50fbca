//! Contracts for agent loops.
//!
//! A *space* is a pure Mealy machine, `State × Event → State × Effect`, written as two TOML
//! files. This crate reads them ([`contract`], `parse`), refuses the wrong ones (`gates`),
//! turns the rest into Rust (`emit`, `build`), and runs them: with generated code through
//! [`machine::Space`], or straight from the data through `machine::EffectSpace`.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | none | what generated code needs: the resolved model, values, typed machines; no dependency |
//! | `gates` | the contract as data, and what it must satisfy, its invariants among it |
//! | `interpreter` | machines and compositions straight from their contracts |
//! | `explore` | reachable products: explicit engines and a symbolic one |
//! | `diff` | what a new version of a contract breaks |
//! | `schema` | JSON Schemas of the contract's forms |
//! | `parse` | TOML to contract, with positions; findings as text |
//! | `emit` | contract to tokens and text |
//! | `build` | golden products for build scripts |
//! | `runtime` | the runner: handlers, inbox, limits, observer |
//! | `serde` | serde of JSON and, where the emitter is asked, of generated types |
//! | `verify` | strategies, differential tests, triples |

pub mod compose;
pub mod contract;
pub mod graph;
pub mod machine;

#[cfg(all(feature = "parse", feature = "emit"))]
pub mod attribute;
#[cfg(feature = "build")]
pub mod build;
#[cfg(feature = "gates")]
pub mod diagnostic;
#[cfg(feature = "diff")]
pub mod diff;
#[cfg(feature = "emit")]
pub mod emit;
#[cfg(feature = "gates")]
pub mod explore;
#[cfg(feature = "gates")]
pub mod gates;
#[cfg(feature = "parse")]
pub mod parse;
#[cfg(feature = "runtime")]
pub mod runtime;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(feature = "verify")]
pub mod verify;
