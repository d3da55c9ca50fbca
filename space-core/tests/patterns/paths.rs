//! What can still be reached, and what may come next.

use space_core::explore::{Judge, Verdict};

use crate::common::{machine, pattern};
use crate::kit::{LINE, check};

#[test]
fn reachable() {
    check(
        LINE,
        &[
            ("reachable point state:End", "holds"),
            ("reachable point effect:Halt", "holds"),
            ("reachable point event:kept", "holds"),
            ("reachable point event:go", "go"),
            ("reachable point state:Idle", "go"),
            // A pending effect is present, as the state is.
            ("reachable point effect:Keep", "holds"),
            ("reachable point effect:Do", "go answer done"),
            ("reachable point event:done", "go answer done"),
            ("reachable point event:done event:kept", "holds"),
            ("reachable point semantics:rollback", "-"),
        ],
    );
    // A trap: a cycle without a way out.
    check(
        "
        external enter
        external tick
        external quit
        A tick A
        A enter B
        A quit D
        B tick C
        C tick B
        ",
        &[
            ("reachable point state:D", "enter"),
            ("reachable point state:A", "enter"),
            ("reachable point state:C", "holds"),
            ("reachable point event:tick", "holds"),
        ],
    );
    // A state that waits for what never comes.
    check(
        "
        effect Ask query = yes
        external quit
        A go B / Ask
        B yes C
        B no D
        C yes D
        A quit D
        ",
        &[("reachable point state:D", "go")],
    );
    // Either answer of a guard is possible, so a guarded way out is a way out.
    check(
        "
        effect Ask query = yes
        A go B / Ask
        B yes C ? sure
        ",
        &[("reachable point state:C", "holds")],
    );
    // A self-loop reaches its state and its event again.
    check(
        "
        external tick
        A tick A
        ",
        &[
            ("reachable point state:A", "holds"),
            ("reachable point event:tick", "holds"),
        ],
    );
}

#[test]
fn what_may_come_next() {
    let text = "
        effect Ask query = yes
        effect Any query
        effect Halt stop
        external quit
        A yes B / Ask
        B yes C / Any
        B no X
        B quit C
        C no D
        C quit E / Halt
        E no X
        D quit D
        D no X
    ";
    check(
        text,
        &[
            // `Ask` answers `yes` only; the external event may come at any time.
            ("absence of event:no", "yes yes no"),
            ("absence of state:X", "holds"),
            // Handling the external event dropped the effect: after it, only external events.
            ("absence of state:D", "yes yes no"),
            ("absence of event:yes after event:quit", "holds"),
            // Nothing comes after a stop, wherever it is.
            ("existence of event:no", "yes yes quit"),
        ],
    );
}

#[test]
fn loopbacks() {
    let model = machine(
        "
        effect Think query = done unsure
        A ready B / Think
        B done C
        B unsure D
        external quit
        B quit C
        E never F
        ",
    );
    let at = |name: &str| model.state(name).unwrap();
    let ready = model.event("ready").unwrap();
    let never = model.event("never").unwrap();
    let events = |judge: &Judge<'_>, what: &str| match judge.verdict(&pattern(what)) {
        Verdict::Violated(found) if found.run.is_empty() => "-".to_owned(),
        Verdict::Violated(found) => found
            .run
            .iter()
            .map(|rule| model.events[model.rules[*rule].on].name.as_str())
            .collect::<Vec<_>>()
            .join(" "),
        other => format!("{other:?}"),
    };
    let judge = Judge::new(&model, &[(at("D"), ready)]);
    // Back to the source of the first rule that accepts the event; landing there is no point.
    assert_eq!(
        events(&judge, "bounded of event:ready at_most 1"),
        "ready unsure ready"
    );
    assert_eq!(
        events(&judge, "absence of state:A after event:ready"),
        "Holds"
    );
    // Feedback takes precedence over completion.
    assert_eq!(events(&judge, "existence of state:C"), "Holds");
    assert_eq!(events(&judge, "reachable point state:C"), "Holds");
    assert_eq!(
        events(&judge, "response after event:unsure must event:ready"),
        "Holds"
    );
    let plain = Judge::new(&model, &[]);
    assert_eq!(events(&plain, "existence of state:C"), "ready unsure");
    assert_eq!(events(&plain, "bounded of event:ready at_most 1"), "Holds");
    // A loop may lead where no other run does.
    let jump = Judge::new(&model, &[(at("D"), never), (at("C"), ready)]);
    assert_eq!(events(&jump, "absence of state:F"), "ready unsure never");
    assert_eq!(events(&jump, "existence of event:never"), "Holds");
    // From a state that goes on, it is one of the next events.
    let on = Judge::new(&model, &[(at("B"), ready)]);
    assert_eq!(
        events(&on, "bounded of event:ready at_most 2"),
        "ready ready ready"
    );
    assert_eq!(events(&on, "existence of state:C"), "ready unsure");
    // Nothing is entered at the start.
    let start = Judge::new(&model, &[(at("A"), never)]);
    assert_eq!(events(&start, "absence of state:F"), "Holds");
    // `reachable` looks through loops backwards too.
    assert_eq!(events(&plain, "reachable point event:never"), "-");
    assert_eq!(events(&jump, "reachable point event:never"), "Holds");
    // A trigger state is terminal all the same: `reachable` does not judge it.
    let on = Judge::new(&model, &[(at("D"), never)]);
    assert_eq!(events(&on, "reachable point state:C"), "Holds");
    assert_eq!(events(&on, "existence of state:C"), "ready unsure never");
}

#[test]
fn a_loopback_lands_at_the_first_rule_of_the_file() {
    // `Z` is declared before `B`, and its rule comes after.
    let model = machine(
        "
        effect Think query = done
        A go Z / Think
        Z done End
        B ready C
        Z ready End
        D ready C
        external quit
        C quit End
        A never B
        A never D
        ",
    );
    let end = model.state("End").unwrap();
    let ready = model.event("ready").unwrap();
    let judge = Judge::new(&model, &[(end, ready)]);
    let Verdict::Violated(found) = judge.verdict(&pattern("absence of state:C")) else {
        panic!("the loopback leads to C");
    };
    let rules = found
        .run
        .iter()
        .map(|rule| (model.rules[*rule].from, model.rules[*rule].to));
    let name = |state: usize| model.states[state].name.as_str();
    let steps: Vec<_> = rules.map(|(from, to)| (name(from), name(to))).collect();
    assert_eq!(steps, [("A", "Z"), ("Z", "End"), ("B", "C")]);
}
