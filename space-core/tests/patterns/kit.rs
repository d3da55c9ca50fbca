//! A machine, patterns, and the verdicts worked out by hand.

use space_core::explore::{Verdict, verdict};

use crate::common::{machine, pattern};

/// Expects a verdict written as `holds`, `vacuous`, or the events of the shortest
/// counterexample (`-` for none: the initial state breaks it).
#[track_caller]
pub(crate) fn check(text: &str, cases: &[(&str, &str)]) {
    let model = machine(text);
    for (what, expected) in cases {
        let found = match verdict(&model, &pattern(what)) {
            Verdict::Holds => "holds".to_owned(),
            Verdict::Vacuous(_) => "vacuous".to_owned(),
            Verdict::Violated(found) if found.run.is_empty() => "-".to_owned(),
            Verdict::Violated(found) => {
                let event = |rule: &usize| model.events[model.rules[*rule].on].name.as_str();
                found.run.iter().map(event).collect::<Vec<_>>().join(" ")
            }
            other => format!("{other:?}"),
        };
        assert_eq!(found, *expected, "{what}");
    }
}

/// A straight line with a query, a command, a commit and a stop.
pub(crate) const LINE: &str = "
    effect Ask query = answer
    effect Do command = done
    effect Keep commit = kept
    effect Halt stop
    Idle go Asking / Ask
    Asking answer Doing / Do
    Doing done Keeping / Keep
    Keeping kept End / Halt
";
