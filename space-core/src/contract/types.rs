//! The closed vocabularies of a contract: value types and effect semantics.

use std::fmt;

/// The type of a payload field, an effect argument or a context slot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `text`: a string.
    Text,
    /// `int`: a 64-bit signed integer.
    Int,
    /// `float`: a finite 64-bit float.
    Float,
    /// `bool`.
    Bool,
    /// `json`: any JSON value.
    Json,
    /// `list<T>`.
    List(Box<Type>),
    /// `T?`: a value of `T`, or none.
    Optional(Box<Type>),
}

impl Type {
    /// Reads the notation of the contract, for example `list<int>?`. `None` when it is none of
    /// ours; `json?` inside a list and `T??` are not, because none could not be told from a value.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(inner) = text.strip_suffix('?') {
            // Asked before the recursion, which a long run of marks would carry too deep.
            if inner.trim_end().ends_with('?') {
                return None;
            }
            return Self::parse(inner).map(|inner| Self::Optional(Box::new(inner)));
        }
        if let Some(inner) = text
            .strip_prefix("list<")
            .and_then(|rest| rest.strip_suffix('>'))
        {
            let depth = text.matches("list<").count();
            if depth > Self::MAX_DEPTH {
                return None;
            }
            let inner = Self::parse(inner)?;
            if inner == Self::Optional(Box::new(Self::Json)) {
                return None;
            }
            return Some(Self::List(Box::new(inner)));
        }
        match text {
            "text" => Some(Self::Text),
            "int" => Some(Self::Int),
            "float" => Some(Self::Float),
            "bool" => Some(Self::Bool),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// How deep lists may nest.
    pub const MAX_DEPTH: usize = 8;

    /// Whether a value of `source` may be stored where `self` is declared: the same type, or
    /// `T` where `T?` is declared.
    pub fn accepts(&self, source: &Self) -> bool {
        match self {
            Self::Optional(inner) => self == source || **inner == *source,
            _ => self == source,
        }
    }

    /// Whether none is a value of this type.
    pub fn is_optional(&self) -> bool {
        matches!(self, Self::Optional(_))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text"),
            Self::Int => f.write_str("int"),
            Self::Float => f.write_str("float"),
            Self::Bool => f.write_str("bool"),
            Self::Json => f.write_str("json"),
            Self::List(inner) => write!(f, "list<{inner}>"),
            Self::Optional(inner) => write!(f, "{inner}?"),
        }
    }
}

/// What an effect does to the world: all that the tools know about the business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Semantics {
    /// Reads only; may run again on resume and on retry.
    Query,
    /// Changes the world; never silently run twice.
    #[default]
    Command,
    /// Makes earlier commands final.
    Commit,
    /// Undoes earlier commands.
    Rollback,
    /// Ends the run.
    Stop,
}

impl Semantics {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [
        Self::Query,
        Self::Command,
        Self::Commit,
        Self::Rollback,
        Self::Stop,
    ];

    /// The word of the contract.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Command => "command",
            Self::Commit => "commit",
            Self::Rollback => "rollback",
            Self::Stop => "stop",
        }
    }

    /// Reads the word of the contract.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == text)
    }
}

impl fmt::Display for Semantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_read_what_they_print() {
        for text in [
            "text",
            "int",
            "float?",
            "list<bool>",
            "list<list<int?>>?",
            "json",
            "json?",
        ] {
            assert_eq!(
                Type::parse(text).map(|t| t.to_string()).as_deref(),
                Some(text)
            );
        }
        for text in [
            "",
            "Text",
            "text??",
            "list<json?>",
            "list<>",
            "list<int",
            "map<int>",
        ] {
            assert_eq!(Type::parse(text), None, "{text}");
        }
        let deep = format!("{}int{}", "list<".repeat(100_000), ">".repeat(100_000));
        assert_eq!(Type::parse(&deep), None);
        let marks = format!("int{}", "?".repeat(100_000));
        assert_eq!(Type::parse(&marks), None);
    }

    #[test]
    fn optional_accepts_its_inner_type() {
        let optional = Type::Optional(Box::new(Type::Int));
        assert!(optional.accepts(&Type::Int) && optional.accepts(&optional));
        assert!(!Type::Int.accepts(&optional));
    }
}
