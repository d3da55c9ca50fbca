//! Looking a question up in a repository: passages are searched, a model answers from them, and the
//! answer counts only with sources that are really there.
//!
//! ```text
//! question ─ terms ─→ files ─ search ─→ passages ─→ handler ─ model ─→ reply ─ judge ─→ answer
//!      ↑                                                                     │
//!      └──────────────── what was missing, at most so many times ────────────┘
//! ```
//!
//! What may follow what is `domain/`'s to say: [`lookup`] runs its composition `ask`.

pub mod bundled;
pub mod handler;
pub mod judge;
pub mod lookup;
pub mod note;
pub mod passage;
pub mod search;

mod citation;
mod files;
mod rank;
mod reply;
mod terms;

/// What the model is told before the question: how to answer.
pub const PROMPT: &str = include_str!("ask/prompt.txt");
