//! What the user is told about invariants.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "a test that stops is a test that fails")]

mod common;

use std::fmt::Write;

use common::{contract, pattern};
use space_core::contract::{FileId, Invariant, Pattern, Point, Span, Spanned};
use space_core::diagnostic::Diagnostic;
use space_core::explore;
use space_core::graph::Model;

const MACHINE: &str = "
effect Think query = Done Unsure
effect Halt stop
external Cancel
Waiting Ready Thinking / Think
Thinking Done Answered
Thinking Unsure Waiting
Thinking Cancel Cancelled / Halt
Waiting Cancel Cancelled / Halt
";

/// The diagnostics of invariants given as patterns, named `one`, `two`, …, as text.
fn check(machine: &str, patterns: &[&str]) -> String {
    let names = ["one", "two", "three", "four"];
    let found = diagnostics(
        machine,
        names
            .into_iter()
            .zip(patterns.iter().map(|text| pattern(text))),
    );
    let mut text = String::new();
    for one in found {
        writeln!(text, "{} {:?} {}", one.code, one.span, one.message).unwrap();
        if let Some(help) = one.help {
            writeln!(text, "  help: {help}").unwrap();
        }
        let trace = one.trace.unwrap_or_default();
        for (at, line) in trace.lines.iter().enumerate() {
            let place = line.span.map_or(0, |span| span.start);
            let event = line.event.as_deref().unwrap_or("-");
            let effect = line.effect.as_deref().unwrap_or("-");
            writeln!(text, "  {at} {event} {} {effect} @{place}", line.state).unwrap();
        }
        if let Some(line) = trace.repeats {
            writeln!(text, "  again from {line}").unwrap();
        }
    }
    text
}

/// The pattern of invariant n has the span n in file 7, its points the spans 100 n + 1, ….
fn diagnostics<'a>(
    machine: &str,
    invariants: impl Iterator<Item = (&'a str, Pattern)>,
) -> Vec<Diagnostic> {
    let (base, mut domain) = contract(machine);
    let place = |at: u32| Span::new(FileId(7), at, at);
    for ((name, mut pattern), at) in invariants.zip(1..) {
        let mut point = 100 * at;
        let lists = match &mut pattern {
            Pattern::Precedence { first, then, reset } => vec![first, then, reset],
            Pattern::Absence { of, after, until } => vec![of, after, until],
            Pattern::Response { after, must } => vec![after, must],
            Pattern::Existence { of } | Pattern::BoundedExistence { of, .. } => vec![of],
            Pattern::Exclusion { points } => vec![points],
            Pattern::Reachable { point } => vec![point],
        };
        for one in lists.into_iter().flatten() {
            point += 1;
            one.span = place(point);
        }
        domain.invariants.push(Invariant {
            name: name.into(),
            pattern: Spanned::new(pattern, place(at)),
            doc: None,
            span: Span::default(),
        });
    }
    let model = Model::resolve(&base, &domain).unwrap();
    explore::check(&model, &domain)
}

#[test]
fn each_violation_has_its_own_trace() {
    let found = check(
        MACHINE,
        &[
            "precedence first event:Unsure then state:Answered",
            "precedence first event:Done then state:Answered",
            "bounded of effect:Think at_most 2",
            "reachable point state:Answered",
        ],
    );
    assert_eq!(
        found,
        "\
S0601 #7:1..1 `one` does not hold: `state:Answered` can occur without `event:Unsure` before it
  0 - Waiting - @0
  1 Ready Thinking Think @5
  2 Done Answered - @6
S0601 #7:4..4 `four` does not hold: from `Waiting` no run leads to `state:Answered`
  0 - Waiting - @0
  1 Ready Thinking Think @5
  2 Unsure Waiting - @7
"
    );
}

#[test]
fn every_pattern_says_what_broke() {
    for (text, message) in [
        ("absence of state:Answered", "`state:Answered` can occur"),
        (
            "absence of event:Done event:Unsure after event:Ready until event:Cancel",
            "`event:Done` or `event:Unsure` can occur after `event:Ready` and before `event:Cancel`",
        ),
        (
            "existence of event:Done",
            "a run can complete without `event:Done`",
        ),
        (
            "precedence first event:Ready then effect:Halt reset event:Unsure",
            "`effect:Halt` can occur with no `event:Ready` since the start or the last `event:Unsure`",
        ),
        (
            "response after effect:Think must event:Done",
            "after `effect:Think` a run can complete without `event:Done`",
        ),
        (
            "bounded of event:Cancel at_most 0",
            "`event:Cancel` can occur more than 0 times",
        ),
        (
            "reachable point event:Ready",
            "from `Thinking` no run leads to `event:Ready`",
        ),
    ] {
        let found = check(&MACHINE.replace("Thinking Unsure Waiting", ""), &[text]);
        let line = found.lines().next().unwrap_or_default();
        assert_eq!(
            line,
            format!("S0601 #7:1..1 `one` does not hold: {message}"),
            "{text}"
        );
    }
}

#[test]
fn cycles_say_where_they_begin() {
    let machine = "external tick\nexternal tock\nA tick B\nB tock B\n";
    assert_eq!(
        check(machine, &["bounded of event:tock at_most 4294967295"]),
        "\
S0601 #7:1..1 `one` does not hold: `event:tock` can occur any number of times
  0 - A - @0
  1 tick B - @3
  2 tock B - @4
  again from 2
"
    );
}

#[test]
fn promises_about_nothing_are_warned_of() {
    let machine = "effect Ask query = yes\nA go B / Ask\nB yes A\nC never C\n";
    assert_eq!(
        check(
            machine,
            &[
                "precedence first event:go then state:C",
                "response after event:never state:C must event:go",
                "absence of event:go after state:C",
                "existence of event:go",
            ]
        ),
        "\
S0602 #7:1..1 `one` says nothing: no run passes `state:C` (`then`)
S0602 #7:2..2 `two` says nothing: no run passes `event:never` or `state:C` (`after`)
S0602 #7:3..3 `three` says nothing: no run passes `state:C` (`after`)
S0602 #7:4..4 `four` says nothing: no run ever completes
"
    );
    assert_eq!(
        check(
            machine,
            &[
                "bounded of event:never at_most 3",
                "absence of event:go until event:go",
                "precedence first event:go event:yes then event:yes",
                "response after effect:Ask must semantics:query",
            ]
        ),
        "\
S0602 #7:1..1 `one` says nothing: no run passes `event:never` (`of`)
S0605 #7:201..201 `two` cannot be broken: all of `of` is in `until` too, which satisfies it at once
S0605 #7:303..303 `three` cannot be broken: all of `then` is in `first` too, which satisfies it at once
S0605 #7:401..401 `four` cannot be broken: all of `after` is in `must` too, which satisfies it at once
"
    );
    assert_eq!(
        check(
            machine,
            &["absence of event:never", "bounded of event:never at_most 0"]
        ),
        ""
    );
}

#[test]
fn unknown_points_are_all_named() {
    assert_eq!(
        check(
            MACHINE,
            &[
                "precedence first event:Dnoe then state:Answered reset state:Nowhere",
                "absence of effect:Cancel after semantics:querry",
                "existence of event:Stop state:Done",
                "exclusion points state:Waiting state:Thinking",
            ]
        ),
        "\
S0603 #7:101..101 `one` names `event:Dnoe`, which is not declared
  help: did you mean `event:Done`?
S0603 #7:103..103 `one` names `state:Nowhere`, which is not declared
S0603 #7:201..201 `two` names `effect:Cancel`, which is not declared
  help: did you mean `event:Cancel`?
S0603 #7:202..202 `two` names `semantics:querry`, which is not declared
  help: did you mean `semantics:query`?
S0603 #7:301..301 `three` names `event:Stop`, which is not declared
S0603 #7:302..302 `three` names `state:Done`, which is not declared
  help: did you mean `event:Done`?
S0604 #7:4..4 `four` is an exclusion, and one machine is in one state at a time
  help: move it to an `[[invariants]]` of composition.toml, or state it as an absence
"
    );
    for (text, help) in [
        ("test.state:Waiting", "did you mean `state:Waiting`?"),
        (
            "other.state:Nowhere",
            "only the invariants of a composition name a space",
        ),
    ] {
        let of = vec![Spanned::from(Point::parse(text).unwrap())];
        let found = diagnostics(MACHINE, std::iter::once(("one", Pattern::Existence { of })));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].help.as_deref(), Some(help));
    }
}

#[test]
fn no_invariants_nothing_said() {
    assert_eq!(check(MACHINE, &[]), "");
}
