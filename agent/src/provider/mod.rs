//! Talking to a model: what a conversation is, how it looks on the wire, and how it gets there.
//!
//! ```text
//! Request ─ check ─→ openai (pure: value → bytes) ─→ transport (sockets, retries)
//!                                                         │
//! Reply   ←───────── openai (pure: bytes → value) ←───────┘
//! ```
//!
//! The wire layer is a pure function on bytes and is tested without a socket; the transport knows
//! nothing of messages.

pub mod client;
pub mod message;
pub mod openai;
pub mod openai_error;
pub mod pairing;
pub mod registry;
pub mod script;
pub mod secret;
pub mod transport;

mod error;

use std::future::Future;
use std::pin::Pin;

pub use client::Client;
pub use error::ProviderError;
pub use message::{
    Arguments, Finish, Message, Oddity, Reasoning, Reply, Request, ToolCall, ToolChoice, ToolSpec,
    Usage,
};
pub use registry::{Endpoint, OpenError, RegistryError};
pub use script::Script;
pub use secret::Secret;
pub use transport::{Attempt, Observer, RetryPolicy, Settings, Transport};

/// A model that answers a conversation.
///
/// Boxed by hand so that the trait can be an object: which provider runs is chosen at run time, and
/// `record`/`replay` wrap any of them.
pub trait ModelProvider: Send + Sync {
    /// The provider and the model, as shown to people and written to the journal.
    fn name(&self) -> &str;

    /// One reply for one request.
    ///
    /// Every implementation checks the request with [`pairing::check`] before it does anything
    /// else, so that a conversation with an unanswered call never leaves the process.
    fn chat<'a>(&'a self, request: &'a Request) -> ChatFuture<'a>;
}

/// What [`ModelProvider::chat`] returns.
pub type ChatFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, ProviderError>> + Send + 'a>>;
