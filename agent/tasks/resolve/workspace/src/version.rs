//! Versions and requirements.

use std::fmt;

/// A version: three numbers, compared in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Reads `1.2.3`; missing parts are zero.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = [0; 3];
        let words: Vec<_> = text.split('.').collect();
        if words.len() > 3 {
            return None;
        }
        for (part, word) in parts.iter_mut().zip(words) {
            *part = word.parse().ok()?;
        }
        Some(Self(parts[0], parts[1], parts[2]))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// A half-open range of versions, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    pub text: String,
    low: Version,
    high: Option<Version>,
}

impl Requirement {
    /// Reads `^1.2`, `~1.2.3`, `=1.2.3`, `>=1.0.0`, `<2.0.0` or `*`.
    pub fn parse(text: &str) -> Option<Self> {
        let (low, high) = if text == "*" {
            (Version(0, 0, 0), None)
        } else if let Some(rest) = text.strip_prefix(">=") {
            (Version::parse(rest)?, None)
        } else if let Some(rest) = text.strip_prefix('<') {
            (Version(0, 0, 0), Some(Version::parse(rest)?))
        } else if let Some(rest) = text.strip_prefix('^') {
            let low = Version::parse(rest)?;
            let high = match low {
                Version(0, 0, patch) => Version(0, 0, patch + 1),
                Version(0, minor, _) => Version(0, minor + 1, 0),
                Version(major, ..) => Version(major + 1, 0, 0),
            };
            (low, Some(high))
        } else if let Some(rest) = text.strip_prefix('~') {
            let low = Version::parse(rest)?;
            (low, Some(Version(low.0, low.1 + 1, 0)))
        } else {
            let low = Version::parse(text.strip_prefix('=')?)?;
            (low, Some(Version(low.0, low.1, low.2 + 1)))
        };
        Some(Self { text: text.to_owned(), low, high })
    }

    /// Whether a version meets it.
    pub fn meets(&self, version: Version) -> bool {
        self.low <= version && self.high.map_or(true, |high| version < high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let meets = |requirement: &str, version: &str| {
            Requirement::parse(requirement).unwrap().meets(Version::parse(version).unwrap())
        };
        assert!(meets("^1.2", "1.9.0") && !meets("^1.2", "2.0.0") && !meets("^1.2", "1.1.9"));
        assert!(meets("^0.3.1", "0.3.9") && !meets("^0.3.1", "0.4.0"));
        assert!(meets("~1.2.3", "1.2.9") && !meets("~1.2.3", "1.3.0"));
        assert!(meets("=1.2.3", "1.2.3") && !meets("=1.2.3", "1.2.4"));
        assert!(meets("*", "0.0.1") && meets(">=1", "7.0.0") && !meets("<2", "2.0.0"));
        assert_eq!(Requirement::parse("1.2.3"), None);
    }
}
