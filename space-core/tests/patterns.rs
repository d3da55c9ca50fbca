//! For each pattern, small machines with the verdict worked out by hand.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "a test that stops is a test that fails")]

mod common;

use std::fmt::Write;

use common::{machine, pattern};
use space_core::explore::{Judge, Vacuity, Verdict, verdict};

/// Expects a verdict written as `holds`, `vacuous`, or the events of the shortest
/// counterexample (`-` for none: the initial state breaks it).
#[track_caller]
fn check(text: &str, cases: &[(&str, &str)]) {
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
const LINE: &str = "
    effect Ask query = answer
    effect Do command = done
    effect Keep commit = kept
    effect Halt stop
    Idle go Asking / Ask
    Asking answer Doing / Do
    Doing done Keeping / Keep
    Keeping kept End / Halt
";

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
            ("existence of state:Idle", "holds"),
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
        Verdict::Holds
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

#[test]
fn precedence() {
    check(
        LINE,
        &[
            ("precedence first effect:Ask then effect:Do", "holds"),
            ("precedence first effect:Do then effect:Ask", "go"),
            (
                "precedence first semantics:command then semantics:commit",
                "holds",
            ),
            (
                "precedence first semantics:rollback then semantics:commit",
                "go answer done",
            ),
            ("precedence first state:Idle then event:go", "holds"),
            ("precedence first event:go then state:Idle", "-"),
            // Inside one step: event, state, effect.
            ("precedence first event:go then state:Asking", "holds"),
            ("precedence first state:Asking then effect:Ask", "holds"),
            ("precedence first state:Asking then event:go", "go"),
            ("precedence first effect:Ask then state:Asking", "go"),
            // One letter that is first and then.
            (
                "precedence first effect:Ask then semantics:query",
                "vacuous",
            ),
            (
                "precedence first effect:Do then semantics:rollback",
                "vacuous",
            ),
        ],
    );
    check(
        "
        external first
        external then
        external reset
        external both
        S first S
        S then S
        S reset S
        S both S
        ",
        &[
            (
                "precedence first event:first then event:then reset event:reset",
                "then",
            ),
            (
                "precedence first event:first event:both then event:both reset event:reset",
                "vacuous",
            ),
            (
                "precedence first state:S then event:then reset event:reset",
                "holds",
            ),
        ],
    );
    // Every use takes a permit of its own: the reset comes after the judgement.
    let uses = "
        external permit
        external use
        external drop
        A permit B
        B use A
        B drop A
        B permit B
    ";
    check(
        uses,
        &[
            (
                "precedence first event:permit then event:use reset event:use",
                "holds",
            ),
            (
                "precedence first event:permit then event:use reset event:drop",
                "holds",
            ),
            (
                "precedence first event:permit then event:drop reset event:permit",
                "holds",
            ),
            // Being in `B` by entering it resets what `permit` did: the step's state comes later.
            (
                "precedence first event:permit then event:use reset state:B",
                "permit use",
            ),
        ],
    );
    check(
        "
        external permit
        external use
        A permit B
        B use B
        ",
        &[
            (
                "precedence first event:permit then event:use reset event:use",
                "permit use use",
            ),
            (
                "precedence first event:permit then event:use reset state:A",
                "holds",
            ),
            (
                "precedence first state:A then event:use reset event:permit",
                "permit use",
            ),
        ],
    );
}

#[test]
fn response() {
    check(
        LINE,
        &[
            ("response after event:go must event:kept", "holds"),
            (
                "response after event:kept must event:go",
                "go answer done kept",
            ),
            (
                "response after event:go must semantics:rollback",
                "go answer done kept",
            ),
            ("response after semantics:rollback must event:go", "vacuous"),
            // Inside one step: event, state, effect; one letter may do both.
            ("response after event:kept must state:End", "holds"),
            ("response after event:kept must effect:Halt", "holds"),
            ("response after state:End must effect:Halt", "holds"),
            (
                "response after state:End must event:kept",
                "go answer done kept",
            ),
            (
                "response after effect:Halt must state:End",
                "go answer done kept",
            ),
            ("response after effect:Halt must semantics:stop", "vacuous"),
            (
                "response after effect:Halt state:Idle must semantics:stop",
                "holds",
            ),
            ("response after state:Idle must event:go", "holds"),
        ],
    );
    // Cycles: going round for ever is not a complete run; leaving with a debt is.
    check(
        "
        external ask
        external answer
        external leave
        A ask B
        B ask B
        B answer A
        A leave C
        ",
        &[
            ("response after event:ask must event:answer", "holds"),
            (
                "response after event:answer must event:ask",
                "ask answer leave",
            ),
            ("response after event:ask must event:leave", "holds"),
        ],
    );
    check(
        "
        external ask
        external answer
        external leave
        A ask B
        B ask B
        B answer A
        A leave C
        B leave C
        ",
        &[
            ("response after event:ask must event:answer", "ask leave"),
            // One answer answers all that was asked.
            (
                "response after event:ask must event:answer state:C",
                "holds",
            ),
        ],
    );
    // A diamond whose one side forgets.
    check(
        "
        effect Pick query = left right
        effect Do command = done
        A go B / Pick
        B left C / Do
        B right D / Do
        C done E
        D done E
        ",
        &[
            ("response after effect:Pick must state:C", "go right done"),
            ("response after effect:Pick must state:C state:D", "holds"),
            ("response after state:C state:D must event:done", "holds"),
        ],
    );
}

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
