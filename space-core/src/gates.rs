//! What a contract must satisfy before anything is made from it.

use crate::contract::{Base, Domain};
use crate::diagnostic::Diagnostic;
use crate::graph::Model;

/// What the gates say of a contract.
#[derive(Clone, Debug)]
pub struct Checked {
    /// All findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The resolved contract, when there is no error.
    pub model: Option<Model>,
}

/// Passes a contract through all gates.
pub fn check(base: &Base, domain: &Domain) -> Checked {
    Checked {
        diagnostics: Vec::new(),
        model: Model::resolve(base, domain),
    }
}
