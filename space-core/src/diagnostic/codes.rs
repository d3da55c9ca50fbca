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

/// The long text of a code, in Markdown: what `explain` prints.
pub fn explain(code: Code) -> String {
    let info = code.info();
    let head = format!("# {code}: {} ({})\n", info.title, info.severity.name());
    match info.explain.trim() {
        "" => head,
        text => format!("{head}\n{text}\n"),
    }
}

macro_rules! codes {
    ($($name:ident = $number:literal, $severity:ident, $title:literal, $explain:expr;)*) => {
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
    SYNTAX = 101, Error, "the file is not TOML", include_str!("explain/S0101.md");
    MISSING_KEY = 102, Error, "a required key is missing", include_str!("explain/S0102.md");
    WRONG_TYPE = 103, Error, "a key has the wrong type", include_str!("explain/S0103.md");
    BAD_VALUE = 104, Error, "a key has a value that it cannot have", include_str!("explain/S0104.md");
    DUPLICATE_NAME = 105, Error, "a name is declared twice", include_str!("explain/S0105.md");
    UNKNOWN_KEY = 106, Warning, "a key is not part of the format", include_str!("explain/S0106.md");
    UNREADABLE = 107, Error, "the file cannot be read as a contract", include_str!("explain/S0107.md");
    STEM = 108, Error, "the file name and `meta.name` differ", include_str!("explain/S0108.md");
    UNPAIRED = 109, Error, "a base or domain file has no partner", include_str!("explain/S0109.md");
    DUPLICATE_SPACE = 110, Error, "two files declare one space", include_str!("explain/S0110.md");

    INITIAL = 201, Error, "not exactly one initial state", include_str!("explain/S0201.md");
    SEMANTICS = 202, Error, "unknown effect semantics", include_str!("explain/S0202.md");
    TYPE = 203, Error, "unknown type", include_str!("explain/S0203.md");
    NAME = 204, Error, "a name is not legal", include_str!("explain/S0204.md");
    COLLISION = 205, Error, "two names become one in Rust", include_str!("explain/S0205.md");
    RETURNS = 206, Error, "`returns` or `sentinel` names no declared event", include_str!("explain/S0206.md");
    SENTINEL_RETURNS = 207, Error, "the sentinel is not one of `returns`", include_str!("explain/S0207.md");
    SENTINEL_PAYLOAD = 208, Error, "the sentinel cannot be made from an error text", include_str!("explain/S0208.md");
    STOP_RETURNS = 209, Error, "a `stop` effect has `returns`", include_str!("explain/S0209.md");
    DEFAULT = 210, Error, "a default does not fit its slot's type", include_str!("explain/S0210.md");
    NO_RETURNS = 211, Warning, "an effect does not say what it returns", include_str!("explain/S0211.md");
    TOO_MANY = 212, Error, "a table is too long", include_str!("explain/S0212.md");
    NO_OUTCOME = 213, Error, "an effect that does not stop the run returns nothing", include_str!("explain/S0213.md");

    PAIR = 301, Error, "base and domain have different names", include_str!("explain/S0301.md");
    AMBIGUOUS = 302, Error, "two rules answer one event in one state", include_str!("explain/S0302.md");
    UNDECLARED = 303, Error, "a rule names something that is not declared", include_str!("explain/S0303.md");
    NOT_IN_PAYLOAD = 304, Error, "the event does not carry that field", include_str!("explain/S0304.md");
    ARGUMENTS = 305, Error, "the arguments are not those that the effect declares", include_str!("explain/S0305.md");
    TYPES_DIFFER = 306, Error, "a value is stored where another type is declared", include_str!("explain/S0306.md");
    ASSIGN_FORM = 307, Error, "the other form of assignment is meant", include_str!("explain/S0307.md");
    TERMINAL = 308, Error, "a terminal state has a rule, or `is_terminal` disagrees with the rules", include_str!("explain/S0308.md");
    STOP_PLACE = 309, Error, "`stop` belongs on rules into terminal states, and nothing else does", include_str!("explain/S0309.md");
    IGNORED = 310, Error, "only an external event can be ignored", include_str!("explain/S0310.md");
    ASSIGNED_TWICE = 311, Error, "a rule writes one slot twice", include_str!("explain/S0311.md");
    IGNORED_AND_HANDLED = 312, Error, "an event is handled and ignored in one state", include_str!("explain/S0312.md");
    UNHANDLED_RETURN = 320, Error, "an outcome is not handled where it arrives", include_str!("explain/S0320.md");
    STUCK = 321, Error, "a rule without effect enters a state that waits for nothing", include_str!("explain/S0321.md");
    EXTERNAL = 322, Error, "an external event is neither handled nor ignored", include_str!("explain/S0322.md");
    GUARDED_RETURN = 323, Warning, "an outcome is handled only under a guard", include_str!("explain/S0323.md");

    TOO_FEW_SPACES = 401, Error, "a composition names too few spaces", include_str!("explain/S0401.md");
    UNKNOWN_SPACE = 402, Error, "a name is neither a space nor a composition", include_str!("explain/S0402.md");
    NAMING_CYCLE = 403, Error, "compositions name each other in a circle", include_str!("explain/S0403.md");
    SPACE_TWICE = 404, Error, "a composition holds one space twice", include_str!("explain/S0404.md");
    SYNC_UNSHARED = 405, Error, "fewer than two spaces declare a sync event", include_str!("explain/S0405.md");
    SYNC_PAYLOAD = 406, Error, "spaces declare one sync event with different payloads", include_str!("explain/S0406.md");
    SYNC_REFUSED = 407, Error, "a sync event can come where a participant has no rule for it", include_str!("explain/S0407.md");
    MERGE_EFFECTS = 408, Error, "effects can only be merged as a union", include_str!("explain/S0408.md");
    BRIDGE_POINT = 409, Error, "a point is not one of the composition's", include_str!("explain/S0409.md");
    BRIDGE_EVENT = 410, Error, "no space there declares the event that is fed", include_str!("explain/S0410.md");
    BRIDGE_FIELD = 411, Error, "a field of the event that is fed has no source", include_str!("explain/S0411.md");
    BRIDGE_TYPE = 412, Error, "a slot does not fit the field that it is fed into", include_str!("explain/S0412.md");
    UNBOUNDED_LOOP = 413, Error, "a loop has no limit", include_str!("explain/S0413.md");
    UNDECIDED = 414, Error, "something of a composition cannot be judged", include_str!("explain/S0414.md");
    NAME_TAKEN = 415, Error, "a composition has a name that is taken", include_str!("explain/S0415.md");

    UNREACHABLE = 501, Error, "a state cannot be reached", include_str!("explain/S0501.md");
    UNUSED = 502, Warning, "a declaration is never used", include_str!("explain/S0502.md");
    UNASSIGNED = 503, Error, "a slot is read that may be empty", include_str!("explain/S0503.md");
    NO_END = 504, Error, "no terminal state can be reached", include_str!("explain/S0504.md");
    NOTHING_TO_COMMIT = 505, Warning, "a commit can come with no command before it", include_str!("explain/S0505.md");
    CYCLE = 506, Note, "the rules have a cycle", include_str!("explain/S0506.md");

    VIOLATED = 601, Error, "an invariant does not hold", include_str!("explain/S0601.md");
    VACUOUS = 602, Warning, "an invariant says nothing", include_str!("explain/S0602.md");
    UNKNOWN_POINT = 603, Error, "an invariant names a point that is not declared", include_str!("explain/S0603.md");
    EXCLUSION = 604, Error, "an exclusion outside a composition", include_str!("explain/S0604.md");
    CERTAIN = 605, Error, "an invariant that no rules could break", include_str!("explain/S0605.md");
    IDLE_POINT = 606, Warning, "a point of an invariant changes nothing", include_str!("explain/S0606.md");
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
