//! What must come before, or after, another.

use crate::kit::{LINE, check};

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
            ("precedence first state:Idle then event:go", "vacuous"),
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
