//! Compositions: their configurations as one graph, and promises about their runs.

mod graph;
mod judge;
mod layout;
mod moves;
mod part;
mod tell;

pub use graph::Joint;
pub use judge::{JointJudge, JointPoint, Judged};
pub use moves::JointStep;
