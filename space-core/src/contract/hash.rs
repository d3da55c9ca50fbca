//! The identity of a contract.

use std::fmt;

use super::{Base, Compositions, Domain, normalise, normalise_compositions};

/// SHA-256 of the normalised contract: the same over comments, white space, key order and `doc`;
/// the order of tables counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash(pub [u8; 32]);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The hash of a contract.
pub fn contract_hash(base: &Base, domain: &Domain) -> Hash {
    Hash(hmac_sha256::Hash::hash(
        normalise(base, domain).to_string().as_bytes(),
    ))
}

/// The hash of a composition file, over what [`contract_hash`] is. The spaces that it names have
/// hashes of their own.
pub fn compositions_hash(compositions: &Compositions) -> Hash {
    Hash(hmac_sha256::Hash::hash(
        normalise_compositions(compositions).to_string().as_bytes(),
    ))
}
