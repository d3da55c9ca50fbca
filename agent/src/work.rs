//! A task and its proof, and the handler that interprets the agent space.

pub mod handler;
pub mod note;
pub mod proof;
pub mod stuck;
pub mod task;
