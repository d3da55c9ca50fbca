//! Compositions: their configurations as one graph, and promises about their runs.

#[cfg(feature = "explore")]
mod beyond;
mod graph;
mod judge;
mod layout;
mod moves;
mod part;
mod tell;

pub use graph::Joint;
pub use judge::{JointJudge, JointPoint, Judged};
pub use moves::JointStep;
pub use part::Part;
