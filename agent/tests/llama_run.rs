//! The whole of `agent run` on a real server with a real model. What a model of this size does means
//! nothing; that the loop holds its form, whatever it does, is the test.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]
#![allow(clippy::print_stderr, reason = "a skipped test says why")]

#[path = "common/llama.rs"]
mod llama;
#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/scene.rs"]
mod scene;

use scene::Scene;

/// Six rounds are three exchanges, too few for a circle to be found.
///
/// The model cannot decide to call a tool, so the server's grammar makes it.
const TINY: &str = r#"checks = ["checks.toml"]
tools = ["read"]
[limits]
max_rounds = 6
timeout_ms = 300000
[model]
tool_choice = "required"
parallel_calls = false
max_tokens = 120
temperature = 0.0
seed = 1
"#;

#[tokio::test]
async fn a_real_model_works_until_a_limit() {
    let Some(server) = llama::Llama::start().await else {
        return;
    };
    let url = server.base_url.clone();
    let work = move || {
        let more = [
            "--provider",
            "llama.cpp",
            "--model",
            "smollm2",
            "--base-url",
            &url,
        ];
        Scene::new("", TINY).run(&more)
    };
    let run = tokio::task::spawn_blocking(work).await.unwrap();

    assert_eq!(run.lines[0]["model"], "llama.cpp/smollm2");
    assert_eq!(run.lines[0]["scripted"], false);
    let replied = run.all("replied");
    assert!(replied.len() >= 2, "{:#?}", run.lines);
    for reply in &replied {
        let usage = &reply["usage"];
        assert_eq!(usage["estimated"], false, "{reply}");
        assert!(usage["input"].as_u64() > Some(100) && usage["output"].as_u64() > Some(0));
        // It must call, except where it was cut off.
        let calls = reply["calls"].as_array().unwrap().len();
        assert_eq!(calls == 0, reply["finish"] == "cut_off", "{reply}");
    }
    // Every call got its one result: `Run` pairs them, and the provider checks before it sends.
    let calls = |reply: &&serde_json::Value| reply["calls"].as_array().unwrap().len();
    let asked: usize = replied.iter().map(calls).sum();
    let called = run.all("called");
    assert!(asked >= 1, "{:#?}", run.lines);
    // The last reply may have asked for what the limit kept from being run.
    let last = replied.last().map(calls).unwrap();
    assert!(
        called.len() == asked || called.len() + last == asked,
        "{:#?}",
        run.lines
    );
    for call in called {
        assert_eq!(call["tool"], "read", "{call}");
    }

    // A model that must call can never claim, so only the limit ends it.
    assert_eq!(run.status, Some(3), "{}", run.ended());
    assert!(run.termination().contains("6 of 6 rounds used"));
    assert_eq!(run.ended()["proof"], "not_proved");
    assert_eq!(run.all("step").len(), 6);
}
