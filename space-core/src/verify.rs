//! Properties of machines, on random runs.
//!
//! The products of every space call these functions; a consumer's own tests may, too. They are
//! deterministic: `SPACE_SEED` picks other runs, `SPACE_EVENTS` says how many events a property
//! sees. A property that fails panics with the smallest run that still fails.

mod composed;
mod composed_kept;
mod differential;
mod kept;
mod oracle;
mod regression;
mod runs;
mod strategies;
mod triple;
mod walker;

pub use composed::{composed_differential, interpreted_composition, same_composition};
pub use composed_kept::composed_promises;
pub use differential::{
    closure, determinism, differential, interpreted, round_trip, same_contract,
};
pub use kept::promises;
pub use oracle::Oracle;
pub use regression::regression;
pub use runs::{Budget, Draw};
pub use strategies::{ctx, effect, event, extreme, json, value};
pub use triple::{Triple, check_triple};
