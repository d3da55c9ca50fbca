//! What the model may use: each tool has a schema from its Rust type, a bounded answer, and says
//! whether it changed the workspace.

mod accept;
mod edit;
mod file;
mod read;
mod registry;
mod run;
mod schema;
pub mod shape;
mod write;

pub use registry::{
    Context, Failure, NameTaken, Outcome, Tool, ToolFuture, ToolResult, ToolSet, UnknownTool,
};
pub use schema::schema_of;
