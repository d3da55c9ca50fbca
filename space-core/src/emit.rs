//! Contract → tokens and text: pure, deterministic, no IO.
//!
//! One emitter serves every front. [`module`] gives the body of a space's module; what a front adds
//! around it (file tracking, a header, a `mod` line) never changes the body.

mod arms;
mod chart;
mod composed;
mod composed_data;
#[cfg(feature = "build")]
mod composed_properties;
#[cfg(feature = "build")]
mod composed_sample;
mod diagram;
mod docs;
mod handler;
mod module;
mod names;
mod picture;
#[cfg(feature = "build")]
mod products;
mod promise;
#[cfg(feature = "build")]
mod properties;
mod rule;
mod salvage;
#[cfg(feature = "build")]
mod sample;
mod serde;
mod settings;
mod step_match;
mod step_table;
#[cfg(feature = "build")]
mod stub;
mod svg;
mod table;
mod types;
mod values;

pub use chart::{ComposedDrawing, Hop};
pub use composed::{composed_names, composition};
pub use diagram::{dot, mermaid};
pub use module::module;
pub use picture::Drawing;
#[cfg(feature = "build")]
pub use products::{Contract, Nature, Place, Product, Together, is_generated, products};
pub use salvage::{names as salvaged_names, salvage};
pub use settings::{Form, Settings};
pub use svg::MOST_STATES;

/// The number of the format of products. It changes when the emitter's output does, so that a
/// diff of products tells a new contract from a new emitter.
pub const FORMAT: u32 = 4;
