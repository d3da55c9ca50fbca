//! `retrieval` from its contract.

#[space_macros::space(domain = "domain/retrieval")]
pub mod retrieval {}
