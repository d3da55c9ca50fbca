//! The one table of diagnostic codes. A code's number never changes its meaning.

use std::fmt;

use super::Severity;
use super::Severity::{Error, Note, Warning};

/// A stable code: `S0203` is `Code(203)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u16);

/// What a code means.
#[derive(Clone, Copy, Debug)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What it says, in one line.
    pub title: &'static str,
    /// What it means, why it is checked, and the way out, in Markdown.
    pub explain: &'static str,
}

impl Code {
    /// Reads `S0203`, in either case.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(['S', 's'])?;
        if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let code = Self(digits.parse().ok()?);
        CODES.iter().any(|info| info.code == code).then_some(code)
    }

    /// What it means.
    pub fn info(self) -> &'static CodeInfo {
        let at = CODES.partition_point(|info| info.code < self);
        &CODES[at.min(CODES.len() - 1)]
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S{:04}", self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

macro_rules! codes {
    ($($name:ident = $number:literal, $severity:ident, $title:literal, $explain:literal;)*) => {
        #[allow(missing_docs)]
        impl Code {
            $(pub const $name: Self = Self($number);)*
        }

        /// Every code, in order.
        pub static CODES: &[CodeInfo] = &[
            $(CodeInfo { code: Code($number), severity: $severity, title: $title, explain: $explain },)*
        ];
    };
}

codes! {
    SYNTAX = 101, Error, "the file is not TOML", "";
    MISSING_KEY = 102, Error, "a required key is missing", "";
    WRONG_TYPE = 103, Error, "a key has the wrong type", "";
    BAD_VALUE = 104, Error, "a key has a value that it cannot have", "";
    DUPLICATE_NAME = 105, Error, "a name is declared twice", "";
    UNKNOWN_KEY = 106, Warning, "a key is not part of the format", "";
    UNREADABLE = 107, Error, "the file cannot be read as a contract", "";
    STEM = 108, Error, "the file name and `meta.name` differ", "";
    UNPAIRED = 109, Error, "a base or domain file has no partner", "";
    DUPLICATE_SPACE = 110, Error, "two files declare one space", "";

    INITIAL = 201, Error, "not exactly one initial state", "";
    SEMANTICS = 202, Error, "unknown effect semantics", "";
    TYPE = 203, Error, "unknown type", "";
    NAME = 204, Error, "a name is not legal", "";
    COLLISION = 205, Error, "two names become one in Rust", "";
    RETURNS = 206, Error, "`returns` or `sentinel` names no declared event", "";
    SENTINEL_RETURNS = 207, Error, "the sentinel is not one of `returns`", "";
    SENTINEL_PAYLOAD = 208, Error, "the sentinel cannot be made from an error text", "";
    STOP_RETURNS = 209, Error, "a `stop` effect has `returns`", "";
    DEFAULT = 210, Error, "a default does not fit its slot's type", "";
    NO_RETURNS = 211, Warning, "an effect does not say what it returns", "";
    TOO_MANY = 212, Error, "a table is too long", "";

    PAIR = 301, Error, "base and domain have different names", "";
    AMBIGUOUS = 302, Error, "two rules answer one event in one state", "";
    UNDECLARED = 303, Error, "a rule names something that is not declared", "";
    NOT_IN_PAYLOAD = 304, Error, "the event does not carry that field", "";
    ARGUMENTS = 305, Error, "an effect argument is missing, or supplied twice", "";
    TYPES_DIFFER = 306, Error, "a value is stored where another type is declared", "";
    ASSIGN_FORM = 307, Error, "the other form of assignment is meant", "";
    TERMINAL = 308, Error, "a terminal state has a rule, or `is_terminal` disagrees with the rules", "";
    STOP_PLACE = 309, Error, "`stop` belongs on rules into terminal states, and nothing else does", "";
    IGNORED = 310, Error, "only an external event without a rule can be ignored", "";
    ASSIGNED_TWICE = 311, Error, "a rule writes one slot twice", "";
    UNHANDLED_RETURN = 320, Error, "an outcome is not handled where it arrives", "";
    STUCK = 321, Error, "a rule without effect enters a state that waits for nothing", "";
    EXTERNAL = 322, Error, "an external event is neither handled nor ignored", "";
    GUARDED_RETURN = 323, Warning, "an outcome is handled only under a guard", "";

    UNREACHABLE = 501, Error, "a state cannot be reached", "";
    UNUSED = 502, Warning, "a declaration is never used", "";
    UNASSIGNED = 503, Error, "a slot is read that may be empty", "";
    NO_END = 504, Error, "no terminal state can be reached", "";
    NOTHING_TO_COMMIT = 505, Warning, "a commit can come with no command before it", "";
    CYCLE = 506, Note, "the rules have a cycle", "";

    VIOLATED = 601, Error, "an invariant does not hold", "\
Some run breaks the promise. The trace below the message is a shortest such run: the initial state,
then one line a step with its event, the state it leads to, the effect it asks for, and the rule.

The checker follows every answer that an effect's `returns` allow, every external event at any time,
and both answers of every guard. Where the run could not happen because a guard would always refuse,
say so in the table: let the handler judge and answer with one of two events.

Either the rules are wrong (remove or redirect one rule of the trace) or the promise is (scope it
with `after`, `until` or `reset`).";
    VACUOUS = 602, Warning, "an invariant says nothing", "\
The promise is kept because nothing can break it: no run passes the point that triggers it, each
trigger satisfies it on the spot, or no run completes. That is often a misspelt point or a missing
rule. Point it at something that happens, or remove it.";
    UNKNOWN_POINT = 603, Error, "an invariant names a point that is not declared", "\
A point is `state:X`, `event:X` or `effect:X` with a declared name, or `semantics:x` with one of
query, command, commit, rollback, stop. Only the invariants of a composition put the space's name
in front: `space.state:X`.";
    EXCLUSION = 604, Error, "an exclusion outside a composition", "\
`exclusion` promises that two machines are never at these points at once. One machine is in one
state at a time, so for it the promise is empty. State it in composition.toml, or as an absence.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_reads_back() {
        assert!(CODES.is_sorted_by_key(|info| info.code));
        for info in CODES {
            assert_eq!(Code::parse(&info.code.to_string()), Some(info.code));
            assert_eq!(info.code.info().title, info.title);
        }
        assert_eq!(Code::parse("S9999"), None);
        assert_eq!(Code::parse("S203"), None);
    }
}
