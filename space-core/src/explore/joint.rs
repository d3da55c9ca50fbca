//! Compositions: their configurations as one graph, and promises about their runs.

#[cfg(feature = "explore")]
mod beyond;
mod graph;
mod judge;
mod layout;
mod moves;
mod part;
#[cfg(any(feature = "explore", feature = "verify"))]
mod replay;
mod tell;

pub use graph::Joint;
pub use judge::{JointJudge, JointPoint, Judged};
pub use moves::JointStep;
pub use part::Part;
#[cfg(any(feature = "explore", feature = "verify"))]
pub use replay::NamedMove;
