//! Runs that are not started.

use std::sync::Arc;

use space_core::machine::GuardTable;
use space_core::runtime::{EffectPolicy, Limits, Policy, Refusal, Runner};

use crate::kit::{Script, desk, event, guards};

#[tokio::test]
async fn everything_wrong_is_said_at_once() {
    let handler = Script::default();
    let retried = EffectPolicy {
        retries: 1,
        ..EffectPolicy::default()
    };
    let policy = Policy::new()
        .effect("Act", retried.clone())
        .effect("Ask", retried.clone())
        .effect("Bake", retried);
    let guards = GuardTable::default().with("sound", |_, _| true);
    let refused = Runner::new(desk().space(), Arc::new(guards), handler.clone())
        .limits(Limits::new().effect("Brew", 1))
        .policy(policy)
        .run(event(&desk().space(), "Start", "tea"))
        .await
        .err()
        .unwrap();
    assert_eq!(
        refused.to_string(),
        "a run of `desk` cannot start\n\
         - guard `has_goal` is not implemented\n\
         - guard `locked` is not implemented\n\
         - unbounded cycle: the rules can go in a circle, and neither rounds nor clock are \
         limited: Asking --Note--> Asking\n\
         - the limits name `Brew`, which is no effect of the contract\n\
         - the policy name `Bake`, which is no effect of the contract\n\
         - the policy retries `Act`, which is a command and not declared idempotent"
    );
    assert!(handler.calls().is_empty());
}

#[tokio::test]
async fn either_bound_will_do_and_tokens_will_not() {
    let refused = |limits| async {
        Runner::new(desk().space(), guards(), Script::default())
            .limits(limits)
            .run(event(&desk().space(), "Ping", ""))
            .await
            .err()
    };
    assert!(refused(Limits::new().rounds(1)).await.is_none());
    let hour = std::time::Duration::from_hours(1);
    assert!(refused(Limits::new().clock(hour)).await.is_none());
    let reasons = refused(Limits::new().tokens(1)).await.unwrap().reasons;
    assert!(matches!(reasons[..], [Refusal::UnboundedCycle { .. }]));
}

#[test]
fn a_cycle_is_told_step_by_step() {
    let step = |event: &str, to: &str| (event.to_owned(), to.to_owned());
    let cycle = Refusal::UnboundedCycle {
        start: "Asking".to_owned(),
        steps: vec![step("Answered", "Acting"), step("Again", "Asking")],
    };
    let said = cycle.to_string();
    assert!(
        said.ends_with(": Asking --Answered--> Acting --Again--> Asking"),
        "{said}"
    );
}
