//! What several tests, and the fuzz target, share.

// A failed check is a finding.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "test support"
)]

pub mod front;
