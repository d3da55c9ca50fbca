//! How often something may occur.

use std::fmt::Write;

use space_core::explore::{Verdict, verdict};

use crate::common::{machine, pattern};
use crate::kit::{LINE, check};

#[test]
fn bounded_existence() {
    check(
        LINE,
        &[
            ("bounded of event:go at_most 1", "holds"),
            ("bounded of event:go at_most 0", "go"),
            ("bounded of state:Idle at_most 0", "-"),
            ("bounded of state:Idle at_most 1", "holds"),
            ("bounded of semantics:rollback at_most 0", "holds"),
            ("bounded of semantics:rollback at_most 1", "vacuous"),
            // Three letters of one step, and one letter that is listed twice.
            (
                "bounded of event:go state:Asking effect:Ask at_most 2",
                "go",
            ),
            (
                "bounded of event:go state:Asking effect:Ask at_most 3",
                "holds",
            ),
            ("bounded of effect:Ask semantics:query at_most 1", "holds"),
            (
                "bounded of state:Idle state:Asking state:Doing at_most 2",
                "go answer",
            ),
        ],
    );
    check(
        "
        external tick
        external quit
        A tick A
        A quit B
        ",
        &[
            ("bounded of event:tick at_most 2", "tick tick tick"),
            ("bounded of state:A at_most 2", "tick tick"),
            ("bounded of event:quit at_most 1", "holds"),
        ],
    );
    // The most is taken along the longer side of a diamond, the counterexample as well.
    check(
        "
        effect Pick query = short long
        effect Do command = done
        A go B / Pick
        B short D
        B long C / Do
        C done D2 / Do
        D2 done D
        ",
        &[
            ("bounded of semantics:command at_most 2", "holds"),
            ("bounded of semantics:command at_most 1", "go long done"),
        ],
    );
}

#[test]
fn bounds_too_large_to_count_up_to() {
    let loops = machine(
        "
        external enter
        external tick
        external tock
        A enter B
        B tick C
        C tock B
        ",
    );
    let found = verdict(&loops, &pattern("bounded of event:tock at_most 4000000000"));
    let Verdict::Violated(found) = found else {
        panic!("{found:?}");
    };
    let events: Vec<&str> = found
        .run
        .iter()
        .map(|rule| &*loops.events[loops.rules[*rule].on].name)
        .collect();
    // In, to the step that counts, and once around.
    assert_eq!(events, ["enter", "tick", "tock", "tick"]);
    assert_eq!((found.shortest, found.repeats), (false, Some(2)));
    // What cannot be repeated holds however large the bound is.
    let held = verdict(
        &loops,
        &pattern("bounded of event:enter at_most 4000000000"),
    );
    assert_eq!(held, Verdict::Holds);
    // A long line without a cycle, with a bound that is exceeded but too large for the search.
    let mut line = "external go\n".to_owned();
    for state in 0..3000 {
        writeln!(line, "S{state} go S{}", state + 1).unwrap();
    }
    let line = machine(&line);
    let found = verdict(&line, &pattern("bounded of event:go at_most 2500"));
    let Verdict::Violated(found) = found else {
        panic!("{found:?}");
    };
    assert_eq!(
        (found.run.len(), found.shortest, found.repeats),
        (2501, false, None)
    );
    let held = verdict(&line, &pattern("bounded of event:go at_most 3000"));
    assert_eq!(held, Verdict::Holds);
    let states = verdict(&line, &pattern("bounded of state:S0 event:go at_most 3000"));
    assert!(matches!(states, Verdict::Violated(found) if found.run.len() == 3000));
}
