//! Change classes, and the one table of rules. A rule's number never changes its meaning.

use std::fmt::{self, Write as _};

/// Whom a change breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Callers must change code: names, signatures, outcomes, what may be sent.
    Source,
    /// A persisted state or context no longer loads, or loads as something else.
    State,
    /// A recorded run no longer replays.
    Trace,
}

impl Class {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Source, Self::State, Self::Trace];

    /// The word that reports print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "SOURCE",
            Self::State => "STATE",
            Self::Trace => "TRACE",
        }
    }

    /// What it means, in one line.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Source => "callers must change code",
            Self::State => {
                "a persisted state or context no longer loads, or loads as something else"
            }
            Self::Trace => "a recorded run no longer replays",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of classes; the empty set is NONE.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Classes(u8);

impl Classes {
    /// Nothing is broken.
    pub const NONE: Self = Self(0);

    /// The set of these.
    pub const fn of(classes: &[Class]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < classes.len() {
            bits |= classes[at].bit();
            at += 1;
        }
        Self(bits)
    }

    /// Whether nothing is broken.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether a class is in it.
    pub const fn has(self, class: Class) -> bool {
        self.0 & class.bit() != 0
    }

    /// What is in either.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in this and not in the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Its classes, in order.
    pub fn iter(self) -> impl Iterator<Item = Class> {
        Class::ALL.into_iter().filter(move |class| self.has(*class))
    }
}

impl FromIterator<Class> for Classes {
    fn from_iter<I: IntoIterator<Item = Class>>(classes: I) -> Self {
        let bits = classes.into_iter().map(Class::bit);
        Self(bits.fold(0, |all, bit| all | bit))
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("NONE");
        }
        for (at, class) in self.iter().enumerate() {
            let plus = if at > 0 { "+" } else { "" };
            write!(f, "{plus}{class}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A rule's stable id: `D0103` is `RuleId(103)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub u16);

/// What a rule says.
#[derive(Clone, Copy, Debug)]
pub struct RuleInfo {
    /// The rule.
    pub id: RuleId,
    /// What a change that it finds breaks.
    pub classes: Classes,
    /// What was changed, in one line.
    pub title: &'static str,
    /// Why that is in its classes, in one line.
    pub purpose: &'static str,
}

impl RuleId {
    /// Reads `D0103`, in either case.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(['D', 'd'])?;
        if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let id = Self(digits.parse().ok()?);
        RULES.iter().any(|info| info.id == id).then_some(id)
    }

    /// What it says.
    pub fn info(self) -> &'static RuleInfo {
        let at = RULES.partition_point(|info| info.id < self);
        &RULES[at.min(RULES.len() - 1)]
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "D{:04}", self.0)
    }
}

impl fmt::Debug for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The long text of a rule, in Markdown: what `explain` prints.
pub fn explain(rule: RuleId) -> String {
    let info = rule.info();
    let mut out = format!(
        "# {rule}: {} ({})\n\n{}.\n\n",
        info.title, info.classes, info.purpose
    );
    if info.classes.is_none() {
        out.push_str("NONE: nothing breaks\n");
    }
    for class in info.classes.iter() {
        let _ = writeln!(out, "{class}: {}", class.meaning());
    }
    out
}

/// The rules as a Markdown table: what `rules.md`, and with it the docs of this module, hold.
pub fn rules_table() -> String {
    let mut out = String::from("| rule | class | what changed | why that is its class |\n");
    out.push_str("|---|---|---|---|\n");
    for info in RULES {
        let RuleInfo {
            id,
            classes,
            title,
            purpose,
        } = info;
        let _ = writeln!(out, "| {id} | {classes} | {title} | {purpose} |");
    }
    out
}

macro_rules! rules {
    ($($name:ident = $number:literal, [$($class:ident),*], $title:literal, $purpose:literal;)*) => {
        #[allow(missing_docs)]
        impl RuleId {
            $(pub const $name: Self = Self($number);)*
        }

        /// Every rule, in order.
        pub static RULES: &[RuleInfo] = &[
            $(RuleInfo {
                id: RuleId($number),
                classes: Classes::of(&[$(Class::$class),*]),
                title: $title,
                purpose: $purpose,
            },)*
        ];
    };
}

rules! {
    PREFIX = 101, [Source], "the prefix of type names changed", "every generated type has another name";
    STATE_ADDED = 102, [Source], "a state was added", "an exhaustive `match` over the states lacks an arm";
    STATE_REMOVED = 103, [Source, State], "a state was removed", "code that names it does not compile, and a persisted run in it does not load";
    STATE_RENAMED = 104, [Source, State], "a state was renamed", "runs replay, but code that names it does not compile, and a persisted run in it does not load";
    SPACE_REMOVED = 105, [Source, State, Trace], "a space was removed", "nothing of it is left to compile, load or replay";

    EVENT_ADDED = 111, [Source], "an event was added", "an exhaustive `match` over the events lacks an arm";
    EVENT_REMOVED = 112, [Source], "an event was removed", "code that sends or answers it does not compile";
    EVENT_EXTERNAL = 113, [Source], "an event became external", "there is something new to send, and every state answers it";
    EVENT_INTERNAL = 114, [Source], "an event is external no more", "whoever sends it is refused";
    FIELD_ADDED = 115, [Source], "an event carries a new field", "code that makes the event does not compile";
    FIELD_REMOVED = 116, [Source], "an event lost a field", "code that makes or reads the event does not compile";
    FIELD_TYPE = 117, [Source], "a field has another type", "code that makes or reads the event does not compile";

    EFFECT_ADDED = 121, [Source], "an effect was added", "handlers lack its method";
    EFFECT_REMOVED = 122, [Source], "an effect was removed", "handlers have a method that the trait has not";
    ARGUMENT_ADDED = 123, [Source], "an effect takes a new argument", "its method has another signature";
    ARGUMENT_REMOVED = 124, [Source], "an effect lost an argument", "its method has another signature";
    ARGUMENT_TYPE = 125, [Source], "an argument has another type", "its method has another signature";
    ARGUMENT_ORDER = 126, [Source], "an effect's arguments are in another order", "its method has another signature, which may even compile and swap them";
    SEMANTICS = 127, [Source], "an effect has other semantics", "what its handler must promise is another thing: whether it may run twice, whether it recovers";
    OUTCOME_ADDED = 128, [Source], "an effect may return a new event", "an exhaustive `match` over its outcomes lacks an arm";
    OUTCOME_REMOVED = 129, [Source], "an effect may no longer return an event", "a handler that answers with it does not compile";
    SENTINEL = 130, [Source], "an effect's sentinel was changed or removed", "a handler's own failure becomes another event, or ends the run";

    GUARD_ADDED = 131, [Source], "a guard was added", "whoever implements the guards lacks its method";
    GUARD_REMOVED = 132, [Source], "a guard was removed", "whoever implements the guards has a method that the trait has not";

    SLOT_ADDED = 141, [Source], "a context slot was added", "code that builds a context lacks it; a persisted context gets its default";
    SLOT_REMOVED = 142, [Source, State], "a context slot was removed", "code that reads it does not compile, and a persisted context holds a value that has no place";
    SLOT_WIDER = 143, [Source], "a slot takes more values", "code that reads it meets another type; persisted values load";
    SLOT_TYPE = 144, [Source, State], "a slot has another type", "code that reads it does not compile, and persisted values do not load";
    SLOT_FILLED = 145, [Source, State], "a slot can no longer be empty", "its type in code is no longer an `Option`, and a persisted empty one does not load";
    SLOT_EMPTY = 146, [Source], "a slot can be empty now", "its type in code becomes an `Option`";
    SLOT_DEFAULT = 147, [], "a slot starts with another value", "persisted contexts have theirs; whether runs replay is simulated";

    COMPOSITION_REMOVED = 151, [Source, State, Trace], "a composition was removed", "nothing of it is left to compile, load or replay";
    PART_ADDED = 152, [Source, State, Trace], "a composition has a new space", "its state has a new part, which a persisted one lacks, and a run is complete only when that has ended too";
    PART_REMOVED = 153, [Source, State, Trace], "a space was taken out of a composition", "code and records that name it have nothing to go to";
    SYNC_ADDED = 154, [Source, Trace], "an event became a sync event", "it is sent to all participants at once; a record has it move one of them";
    SYNC_REMOVED = 155, [Source, Trace], "an event is no sync event any more", "it is sent to each participant; a record has it move all of them";

    EMPTY_READ = 201, [State], "a rule reads a slot that a persisted context may hold empty", "new runs fill it first, but a run that was persisted before has passed that place";
    STATE_SWAPPED = 202, [State], "a state's name stands for another state", "runs replay through the other one, but a persisted name loads as this one";

    EVENT_UNREADABLE = 301, [Trace], "a recorded event cannot be read", "the event, or a value that it carries, is not declared any more";
    OUTCOME = 302, [Trace], "an event is answered otherwise", "handled, ignored and rejected are told apart in every record";
    GUARD = 303, [Trace], "another guard is asked", "a record has the answer of the guard that was asked, and of no other";
    EFFECT = 304, [Trace], "another effect is asked for", "each recorded effect must be the recomputed one, by name and semantics";
    ARGUMENT = 305, [Trace], "an effect is given something else", "each recorded effect must be the recomputed one, value by value";
    END = 306, [Trace], "runs end elsewhere", "a run that was complete is not, or the other way round";
    GUARD_CONTEXT = 307, [Trace], "a guard sees another context", "it may answer otherwise than the record says";
    UNDECIDED = 308, [Trace], "the machines are too large to compare", "what is not proved to replay is taken not to";

    KIND = 311, [Trace], "a composition is of another kind", "who begins, and when a run is complete, is another thing";
    SERIES_ORDER = 312, [Trace], "the spaces of a series are in another order", "who begins, and when a run is complete, is another thing";
    BRIDGE_ADDED = 313, [Trace], "a composition feeds something new", "a recorded run passed the point, and nothing was fed";
    BRIDGE_REMOVED = 314, [Trace], "a composition no longer feeds something", "a record has an event that nothing feeds";
    BRIDGE_PAYLOAD = 315, [Trace], "what is fed carries other slots", "each recorded event that was fed must be the recomputed one, value by value";
    BRIDGE_ORDER = 316, [Trace], "what waits is fed in another order", "where several events wait, records have another one first";
    LOOP_TIGHTER = 317, [Trace], "a limit of a loop was lowered or added", "a recorded run may have gone through it more often, or later";

    ORDER = 401, [], "the rows of a table are in another order", "names are what is persisted and recorded; the contract's hash changes";
    RULES = 402, [], "the rules changed", "the simulation proved that every recorded run replays";
    INVARIANTS = 403, [], "the invariants changed", "they are proved of the new version; nothing that was recorded depends on them";
    SPACE_ADDED = 404, [], "a space was added", "nothing depends on it yet";
    SENTINEL_ADDED = 405, [], "an effect got a sentinel", "a handler's own failure becomes an event instead of the run's end";

    COMPOSITION_ADDED = 411, [], "a composition was added", "nothing depends on it yet";
    PART_ORDER = 412, [], "the spaces of a composition are in another order", "names are what is persisted and recorded, and side by side none comes first";
    HOLDS = 413, [], "what holds effects changed", "effects start at another time, which no step depends on";
    LOOP_WIDER = 414, [], "a limit of a loop was raised or removed", "what was recorded was within it; a run that it ended can go on";
    PROMISES = 415, [], "the invariants of compositions changed", "they are proved of the new version; nothing that was recorded depends on them";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_reads_back() {
        assert!(RULES.is_sorted_by_key(|info| info.id));
        for info in RULES {
            assert_eq!(RuleId::parse(&info.id.to_string()), Some(info.id));
            assert_eq!(info.id.info().title, info.title);
        }
        assert_eq!(RuleId::parse("D9999"), None);
        assert_eq!(RuleId::parse("S0101"), None);
    }

    #[test]
    fn classes_are_a_set() {
        let both: Classes = [Class::Trace, Class::Source].into_iter().collect();
        assert_eq!(both.to_string(), "SOURCE+TRACE");
        assert_eq!(both, Classes::of(&[Class::Source, Class::Trace]));
        let source = Classes::of(&[Class::Source]);
        assert_eq!(both.without(source).to_string(), "TRACE");
        assert!(both.without(both).is_none());
        assert_eq!(Classes::NONE.to_string(), "NONE");
    }
}
