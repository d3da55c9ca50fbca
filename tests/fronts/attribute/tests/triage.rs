//! The test that the README shows, and what it rests on.

use std::sync::Arc;

use front_attribute::triage::{CheckOutcome, Triage, TriageEvent, WorkOutcome};
use front_attribute::{Desk, Rules, take_in};
use space_core::runtime::{Limits, Runner};

#[path = "triage/mock.rs"]
#[rustfmt::skip]
#[expect(unreachable_pub, reason = "a copy for consumers")]
mod mock;

use mock::TriageMock;

#[tokio::test]
async fn what_fails_its_check_is_done_again() {
    let done = || {
        Ok(WorkOutcome::WorkDone {
            result: "a draft".to_owned(),
        })
    };
    let mock = TriageMock::default()
        .on_work(done())
        .on_check(Ok(CheckOutcome::CheckFailed {
            reason: "too thin".to_owned(),
        }))
        .on_rework(done())
        .on_check(Ok(CheckOutcome::CheckPassed));
    let given = TriageEvent::WorkGiven {
        request: "parser: it hangs".to_owned(),
    };
    let limits = Limits::new().rounds(10);
    let finished = Runner::new(Triage, Arc::new(Rules), mock)
        .limits(limits)
        .run(given)
        .await
        .unwrap();
    // Without the second `on_check` this would be "escape in `Checking` during `Check`: …".
    assert_eq!(finished.termination.to_string(), "completed in `Done`");
    assert_eq!(finished.handler.calls.len(), 4);
}

#[tokio::test]
async fn a_script_that_runs_dry_is_no_pass() {
    let done = WorkOutcome::WorkDone {
        result: "a draft".to_owned(),
    };
    let mock = TriageMock::default().on_work(Ok(done));
    let given = TriageEvent::WorkGiven {
        request: "parser: it hangs".to_owned(),
    };
    let limits = Limits::new().rounds(10);
    let run = Runner::new(Triage, Arc::new(Rules), mock)
        .limits(limits)
        .run(given);
    let said = run.await.unwrap().termination.to_string();
    assert!(
        said.starts_with("escape in `Checking` during `Check`: "),
        "{said}"
    );
    assert!(
        said.ends_with("TriageMock: `check` has no scripted answer left"),
        "{said}"
    );
}

#[tokio::test]
async fn the_desk_does_what_it_says() {
    for (report, ends) in [
        ("parser: it hangs", "completed in `Done`"),
        ("no topic", "completed in `Failed`"),
    ] {
        let desk = Desk {
            on_duty: vec!["parser"],
        };
        let ended = take_in(report, desk).await.unwrap();
        assert_eq!(ended.to_string(), ends);
    }
}
