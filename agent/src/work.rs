//! A task and its proof, and the handler that interprets the agent space.

pub mod stuck;
pub mod task;
