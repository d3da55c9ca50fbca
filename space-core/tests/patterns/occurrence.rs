//! What must never, or must always, occur.

use space_core::explore::{Vacuity, Verdict, verdict};

use crate::common::{machine, pattern};
use crate::kit::{LINE, check};

#[test]
fn absence() {
    check(
        LINE,
        &[
            ("absence of state:Keeping", "go answer done"),
            ("absence of state:Idle", "-"),
            ("absence of event:go", "go"),
            ("absence of effect:Do", "go answer"),
            ("absence of semantics:rollback", "holds"),
            (
                "absence of semantics:rollback semantics:commit",
                "go answer done",
            ),
            // Scopes: the letters that open and close them are outside.
            ("absence of event:go after event:go", "holds"),
            ("absence of state:Idle after state:Idle", "holds"),
            ("absence of event:go after state:Idle", "go"),
            ("absence of state:Idle until event:go", "-"),
            ("absence of state:Asking until event:go", "holds"),
            ("absence of state:Asking until state:Doing", "go"),
            (
                "absence of state:Doing after event:go until event:answer",
                "holds",
            ),
            (
                "absence of event:answer after event:go until effect:Do",
                "go answer",
            ),
            // Inside one step: event, state, effect.
            ("absence of state:Asking after event:go", "go"),
            ("absence of effect:Ask after event:go", "go"),
            ("absence of effect:Ask after state:Asking", "go"),
            ("absence of event:go after state:Asking", "holds"),
            ("absence of state:Asking after effect:Ask", "holds"),
            ("absence of effect:Ask until event:go", "holds"),
            ("absence of effect:Ask until state:Asking", "holds"),
            ("absence of event:go until state:Asking", "go"),
            // An effect and its semantics are one letter.
            ("absence of semantics:query after effect:Ask", "holds"),
            ("absence of semantics:query until effect:Ask", "vacuous"),
            // What never happens triggers nothing.
            ("absence of state:Idle after semantics:rollback", "vacuous"),
            ("absence of event:done until event:done", "vacuous"),
            (
                "absence of event:done until semantics:rollback",
                "go answer done",
            ),
        ],
    );
    check(
        "
        external a
        external b
        external x
        S a S
        S b S
        S x S
        ",
        &[
            // A closed scope opens again, and one that is open from the start does not.
            ("absence of event:x after event:a until event:b", "a x"),
            ("absence of event:x until event:b", "x"),
            ("absence of event:x after event:b until event:b", "b x"),
            ("absence of event:x after event:a", "a x"),
            ("absence of event:a after event:a", "a a"),
            // A self-loop enters its state.
            ("absence of state:S after event:a until event:b", "a"),
            ("absence of state:S after state:S", "a"),
        ],
    );
    // Absent from the start until `b`, and free afterwards.
    check(
        "
        external a
        external b
        external x
        S b T
        T x T
        T b T
        ",
        &[
            ("absence of event:x until event:b", "holds"),
            ("absence of event:x until event:x", "vacuous"),
            ("absence of event:x after event:b until event:x", "vacuous"),
        ],
    );
}

#[test]
fn existence() {
    check(
        LINE,
        &[
            ("existence of state:Idle", "vacuous"),
            ("existence of state:End", "holds"),
            ("existence of effect:Halt", "holds"),
            ("existence of semantics:stop", "holds"),
            ("existence of semantics:rollback", "go answer done kept"),
            ("existence of semantics:rollback event:done", "holds"),
        ],
    );
    // A diamond, a short cut, a cycle and a self-loop: only complete runs count.
    check(
        "
        effect Ask query = left right
        effect Next query = on
        effect Turn query = again out
        A go B / Ask
        B left C / Next
        B right D / Next
        C on E / Turn
        D on E / Turn
        E again E / Turn
        E out F
        external quit
        B quit F
        ",
        &[
            ("existence of state:C", "go quit"),
            ("existence of state:C state:D", "go quit"),
            ("existence of state:B", "holds"),
            ("existence of event:again", "go quit"),
            ("existence of state:E event:quit", "holds"),
            ("existence of state:C event:quit", "go right on out"),
            ("existence of event:out event:quit", "holds"),
        ],
    );
    // No run completes: the terminal state is out of reach.
    check(
        "
        external tick
        A tick A
        B tick C
        ",
        &[("existence of event:tick", "vacuous")],
    );
    // A run that gets stuck is not complete.
    check(
        "
        effect Ask query = answer
        external quit
        A go B / Ask
        B never C
        A quit D
        ",
        &[
            ("existence of event:quit", "holds"),
            ("existence of event:go", "quit"),
        ],
    );
    // The initial state is terminal: the empty run is complete.
    let model = machine("A go A");
    let mut lone = model.clone();
    lone.rules.clear();
    lone.starts = vec![0, 0];
    lone.states[0].terminal = true;
    assert_eq!(
        verdict(&lone, &pattern("existence of state:A")),
        Verdict::Vacuous(Vacuity::FromTheStart("of"))
    );
    assert!(matches!(
        verdict(&lone, &pattern("existence of event:go")),
        Verdict::Violated(found) if found.run.is_empty()
    ));
    assert_eq!(
        verdict(&lone, &pattern("reachable point event:go")),
        Verdict::Vacuous(Vacuity::NoRun)
    );
}
