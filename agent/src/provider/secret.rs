//! Keys that cannot be printed by accident.

use std::fmt;

/// A key or token.
///
/// It has no `Display`, its `Debug` is a placeholder, and it does not serialise.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key; surrounding white space, such as a file's last line end, is dropped.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The key itself, for the one place that puts it into a header.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with every occurrence of the key replaced. Servers like to quote a wrong key.
    pub fn redact(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        text.replace(&self.0, "[redacted]")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_print() {
        let key = Secret::new("sk-very-private\n");
        assert!(!format!("{key:?}").contains("private"));
        assert_eq!(
            key.redact("Incorrect API key: sk-very-private."),
            "Incorrect API key: [redacted]."
        );
        assert_eq!(Secret::new("").redact("text"), "text");
    }
}
