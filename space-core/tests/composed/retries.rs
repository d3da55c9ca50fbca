//! A component's effects that fail or hang, and are tried again.

use std::sync::Arc;
use std::time::Duration;

use space_core::machine::{EffectCall, Fault, NamedEvent, ValueHandler};
use space_core::runtime::{
    Backoff, ComposedFinished, ComposedLog, ComposedRunner, EffectPolicy, Limits, Policy,
};

use crate::{Script, guards, product, question, text, texts};

/// Fails so often, each time after so long, before it answers.
struct Flaky {
    fails: u32,
    seconds: u64,
}

impl ValueHandler for Flaky {
    async fn perform(&mut self, _: EffectCall<'_>) -> Result<Option<NamedEvent>, Fault> {
        tokio::time::sleep(Duration::from_secs(self.seconds)).await;
        if self.fails > 0 {
            self.fails -= 1;
            return Err(Fault::domain("no line"));
        }
        Ok(Some(NamedEvent {
            name: "PassagesFound".to_owned(),
            payload: [("passages".to_owned(), texts(&["a"]))].into(),
        }))
    }
}

fn patient(retries: u32, timeout: Option<u64>) -> Policy {
    let policy = EffectPolicy {
        timeout: timeout.map(Duration::from_secs),
        retries,
        backoff: Backoff {
            first: Duration::from_secs(10),
            longest: Duration::from_secs(15),
            jitter: 0,
        },
        idempotent: false,
    };
    Policy::new().effect("retrieval.Search", policy)
}

/// A look-up whose search is flaky, up to the end of the search.
async fn searched(search: Flaky, policy: Policy, limits: Limits) -> ComposedFinished<ComposedLog> {
    let product = product("lookup");
    let start = question(&product, "why?");
    let think = Script::default().on("Think", 0, "ThinkDone", vec![("answer", text("so"))]);
    ComposedRunner::new(product, guards())
        .handler("retrieval", search)
        .handler("reasoning", think)
        .limits(limits.rounds(100))
        .policy(policy)
        .observe(ComposedLog::new())
        .run([start])
        .await
        .unwrap()
}

fn of_the_search(finished: &ComposedFinished<ComposedLog>) -> Vec<&str> {
    let lines = finished.observer.lines.iter().map(String::as_str);
    lines.filter(|line| line.contains("#1")).collect()
}

#[tokio::test(start_paused = true)]
async fn a_query_of_a_component_is_tried_again_after_a_pause() {
    let began = tokio::time::Instant::now();
    let flaky = Flaky {
        fails: 3,
        seconds: 1,
    };
    let finished = searched(flaky, patient(3, None), Limits::new()).await;
    let asked = r#"retrieval.Search(prompt: "why?", notes: "")"#;
    assert_eq!(
        of_the_search(&finished),
        [
            format!("query #1: {asked}"),
            "#1 attempt 1 failed: no line; again in 10s".into(),
            format!("query #1 attempt 2: {asked}"),
            "#1 attempt 2 failed: no line; again in 15s".into(),
            format!("query #1 attempt 3: {asked}"),
            "#1 attempt 3 failed: no line; again in 15s".into(),
            format!("query #1 attempt 4: {asked}"),
            r#"outcome #1: retrieval.PassagesFound(passages: ["a"])"#.into(),
        ]
    );
    assert_eq!(began.elapsed(), Duration::from_secs(4 + 10 + 15 + 15));
    assert_eq!(finished.usage.retries, 3);
    assert_eq!(finished.usage.effects["retrieval.Search"], 1);
}

#[tokio::test(start_paused = true)]
async fn the_last_failure_becomes_the_sentinel() {
    let flaky = Flaky {
        fails: 9,
        seconds: 0,
    };
    let finished = searched(flaky, patient(1, None), Limits::new()).await;
    let last = of_the_search(&finished).pop().unwrap().to_owned();
    assert!(last.starts_with("sentinel #1 [no line]: "), "{last}");
    assert_eq!(finished.usage.retries, 1);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_hangs_is_tried_again_until_the_effect_has_taken_too_long() {
    let began = tokio::time::Instant::now();
    let hangs = || Flaky {
        fails: 0,
        seconds: 1_000_000,
    };
    let finished = searched(hangs(), patient(1, Some(2)), Limits::new()).await;
    let lines = of_the_search(&finished);
    assert_eq!(
        lines[1],
        "#1 attempt 1 failed: timed out after 2s; again in 10s"
    );
    assert!(
        lines[3].starts_with("time-out #1 [after 2s]: "),
        "{lines:?}"
    );
    assert_eq!(began.elapsed(), Duration::from_secs(2 + 10 + 2));

    // The time of all attempts ends in the middle of the pause.
    let began = tokio::time::Instant::now();
    let limits = Limits::new().effect_time("retrieval.Search", Duration::from_secs(7));
    let finished = searched(hangs(), patient(9, Some(2)), limits).await;
    let last = of_the_search(&finished).pop().unwrap().to_owned();
    assert!(last.starts_with("time-out #1 [after 7s]: "), "{last}");
    assert_eq!(began.elapsed(), Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn who_rests_before_another_attempt_hears_the_outside() {
    let product = product("lookup");
    let start = question(&product, "why?");
    let cancel = product
        .event("retrieval", "Cancel", [("reason", text("enough"))])
        .unwrap();
    let mut runner = ComposedRunner::new(Arc::clone(&product), guards())
        .handler(
            "retrieval",
            Flaky {
                fails: 9,
                seconds: 0,
            },
        )
        .handler("reasoning", Script::default())
        .limits(Limits::new().rounds(100))
        .policy(patient(9, None))
        .observe(ComposedLog::new());
    let handle = runner.handle();
    let said = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(5)).await;
        handle.send(cancel).unwrap();
        handle
    });
    let began = tokio::time::Instant::now();
    let finished = runner.run([start]).await.unwrap();
    said.await.unwrap();
    assert_eq!(began.elapsed(), Duration::from_secs(5));
    let lines = &finished.observer.lines;
    assert!(
        lines.iter().any(|line| line.starts_with("superseded #1: ")),
        "{lines:?}"
    );
}

#[tokio::test]
async fn only_queries_are_tried_again_unless_said_to_be_idempotent() {
    let product = product("supervised_agent");
    let policy = |idempotent| {
        let policy = EffectPolicy {
            retries: 1,
            idempotent,
            ..EffectPolicy::default()
        };
        Policy::new()
            .effect("supervisor.Deliver", policy.clone())
            .effect("supervisor.Nothing", policy)
    };
    let refused = |idempotent| {
        let product = Arc::clone(&product);
        async move {
            let runner = ComposedRunner::new(product, guards())
                .handler("agent", Script::default())
                .handler("supervisor", Script::default())
                .limits(Limits::new().rounds(9))
                .policy(policy(idempotent));
            runner.run([]).await.err().unwrap().to_string()
        }
    };
    let unknown = "a run of `supervised_agent` cannot start\n\
        - the policy name `supervisor.Nothing`, which is no effect of the contract";
    assert_eq!(
        refused(false).await,
        format!(
            "{unknown}\n- the policy retries `supervisor.Deliver`, which is a command and not \
             declared idempotent"
        )
    );
    assert_eq!(refused(true).await, unknown);
}
