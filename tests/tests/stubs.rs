//! The text for consumers says what it must, and the mock does what it says.

use std::fs;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use space_core::attribute::read_model;
use space_core::contract::Semantics;
use space_core::machine::{Dispatch, Fault};
use space_out::reasoning::{Reasoning, ReasoningEffect, ReasoningEvent, ThinkOutcome};

#[path = "../../out/stub_out/reasoning_mock.rs"]
#[rustfmt::skip]
#[expect(unreachable_pub, reason = "a copy for consumers")]
mod reasoning_mock;

use reasoning_mock::ReasoningMock;

#[test]
fn a_handler_stub_instructs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["agent", "reasoning", "retrieval", "supervisor"] {
        let model = read_model(&root, &format!("domain/{name}")).unwrap();
        let path = root.join(format!("out/stub_out/{name}_handler_stub.rs"));
        let text = fs::read_to_string(path).unwrap();
        let prefix = &model.prefix;
        assert!(text.contains(&format!("pub struct {prefix}HandlerStub;")));
        assert!(text.contains(&format!("impl {prefix}Handler for {prefix}HandlerStub {{")));
        // One part for each method, in the order of the contract.
        let parts: Vec<_> = text.split("    async fn ").collect();
        assert_eq!(parts.len(), model.effects.len() + 1, "{name}");
        for (at, effect) in model.effects.iter().enumerate() {
            let docs = parts[at]
                .rsplit_once("\n\n")
                .map_or(parts[at], |(_, docs)| docs);
            let body = parts[at + 1].split("\n    }").next().unwrap();
            let instruction = match effect.semantics {
                Semantics::Query => "/// Query: read only.",
                Semantics::Command => "/// Command: change the world once.",
                Semantics::Commit => "/// Commit: ",
                Semantics::Rollback => "/// Rollback: ",
                Semantics::Stop => "/// Stop: the run ends here.",
            };
            assert!(
                parts[at].contains(instruction),
                "{name} {}: {docs}",
                effect.name
            );
            for event in effect.returns.iter().flatten() {
                let outcome = format!("Outcome::{}", model.events[*event].name);
                assert!(
                    parts[at].contains(&outcome),
                    "{name} {}: {outcome}",
                    effect.name
                );
            }
            if let Some(sentinel) = effect.sentinel {
                let becomes = format!(
                    "becomes `{}`: `Err(Fault::domain(error))`",
                    model.events[sentinel].name
                );
                assert!(body.contains(&becomes), "{name} {}: {body}", effect.name);
            }
            assert!(body.contains("ends the run: `Err(Fault::escape(error))`"));
            assert!(body.contains("todo!("));
        }
    }
}

/// The value of a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a mock waits for nothing"),
    }
}

fn think() -> ReasoningEffect {
    ReasoningEffect::Think {
        prompt: "why?".to_owned(),
        context: vec!["because".to_owned()],
    }
}

#[test]
fn a_mock_answers_in_order_and_keeps_what_it_was_asked() {
    let unsure = ThinkOutcome::ThinkUnsure {
        notes: "more".to_owned(),
    };
    let mut mock = ReasoningMock::default()
        .on_think(Ok(unsure))
        .on_think(Err(Fault::domain("down")));
    let answer = now(Reasoning.dispatch(&mut mock, &think()));
    let notes = "more".to_owned();
    assert_eq!(answer, Ok(Some(ReasoningEvent::ThinkUnsure { notes })));
    let answer = now(Reasoning.dispatch(&mut mock, &think()));
    assert_eq!(answer, Err(Fault::Domain("down".to_owned())));
    let halt = ReasoningEffect::Halt {
        reason: "done".to_owned(),
    };
    assert_eq!(now(Reasoning.dispatch(&mut mock, &halt)), Ok(None));
    assert_eq!(mock.calls, [think(), think(), halt]);
}

#[test]
fn a_mock_whose_script_runs_dry_ends_the_run() {
    let mut mock = ReasoningMock::default();
    let answer = now(Reasoning.dispatch(&mut mock, &think()));
    let said = "ReasoningMock: `think` has no scripted answer left";
    assert_eq!(answer, Err(Fault::Escape(said.to_owned())));
    assert_eq!(mock.calls, [think()]);
}
