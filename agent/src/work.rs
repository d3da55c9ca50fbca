//! A task and its proof, and the handler that interprets the agent space.

mod answer;
mod conversation;
pub mod delivery;
pub mod handler;
pub mod note;
pub mod proof;
pub mod stop;
pub mod stuck;
pub mod supervised;
pub mod task;

/// What the model is told before the goal: how to work here.
pub const PROMPT: &str = include_str!("work/prompt.txt");
