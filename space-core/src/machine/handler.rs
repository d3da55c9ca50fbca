//! Who answers effects. Traits only: running them is the runtime's.

use std::fmt;
use std::future::Future;

use super::Space;

/// Why a handler has no event to answer with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A failure that belongs to the domain: it becomes the effect's sentinel event, or an escape
    /// when the effect declares none.
    Domain(String),
    /// A failure that the contract has no word for: it ends the run.
    Escape(String),
}

impl Fault {
    /// A domain failure with this error's text.
    pub fn domain(error: impl fmt::Display) -> Self {
        Self::Domain(error.to_string())
    }

    /// An escape with this error's text.
    pub fn escape(error: impl fmt::Display) -> Self {
        Self::Escape(error.to_string())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Domain(text) => write!(f, "domain fault: {text}"),
            Self::Escape(text) => write!(f, "escape: {text}"),
        }
    }
}

impl std::error::Error for Fault {}

/// A space whose effects `H` can answer: effect → method → event. Generated for every typed
/// space over its handler trait.
pub trait Dispatch<H: ?Sized>: Space {
    /// Answers one effect with exactly one event; `None` only for `stop`.
    fn dispatch(
        &self,
        handler: &mut H,
        effect: &Self::Effect,
    ) -> impl Future<Output = Result<Option<Self::Event>, Fault>> + Send;
}
