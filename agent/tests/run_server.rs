//! `agent run` against a server: what goes over the wire, and what is told when it fails.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/mock.rs"]
mod mock;
#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/scene.rs"]
mod scene;

use mock::{Mock, Play, Received};
use scene::{Run, Scene};
use serde_json::{Value, json};

const MODEL: &str = r#"checks = ["checks.toml"]
tools = ["read", "write"]
[model]
tool_choice = "required"
parallel_calls = false
max_tokens = 77
temperature = 0.5
seed = 3
"#;

fn reply(message: &Value, finish: &str) -> Play {
    let body = json!({
        "choices": [{ "message": message, "finish_reason": finish }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 10 },
    });
    Play::Answer(200, "", body.to_string())
}

/// A reply with calls; servers leave ids out, or use one twice.
fn calls(calls: &[(&str, &str, Value)]) -> Play {
    let call = |(id, name, arguments): &(&str, &str, Value)| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments.to_string() } });
    let calls: Vec<_> = calls.iter().map(call).collect();
    reply(
        &json!({ "role": "assistant", "content": null, "tool_calls": calls }),
        "tool_calls",
    )
}

fn says(text: &str) -> Play {
    reply(&json!({ "role": "assistant", "content": text }), "stop")
}

/// Each call of a request is followed by its results, and nothing else has one.
fn check_pairs(request: &Received) {
    let mut open: Vec<&str> = Vec::new();
    for message in request.body["messages"].as_array().unwrap() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap();
            let at = open.iter().position(|open| *open == id);
            open.remove(at.unwrap_or_else(|| panic!("nobody asked for {message}")));
        } else {
            assert!(open.is_empty(), "{open:?} before {message}");
            let calls = message["tool_calls"]
                .as_array()
                .map_or(&[][..], Vec::as_slice);
            open = calls
                .iter()
                .map(|call| call["id"].as_str().unwrap())
                .collect();
            // An empty turn is rejected by strict servers.
            assert!(!open.is_empty() || message["content"] != "", "{message}");
        }
    }
    assert!(open.is_empty(), "{open:?} at the end");
}

async fn run(scene: Scene, mock: &Mock) -> (Scene, Run) {
    let url = mock.base_url.clone();
    let work = move || {
        let more = [
            "--provider",
            "llama.cpp",
            "--model",
            "tiny",
            "--base-url",
            &url,
        ];
        let run = scene.run(&more);
        (scene, run)
    };
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[tokio::test]
async fn a_server_that_stumbles_is_asked_again_and_everybody_is_told() {
    let now = "retry-after: 0\r\n";
    let mock = Mock::start(vec![
        Play::Answer(503, now, "busy".into()),
        Play::Answer(
            429,
            now,
            json!({ "error": { "message": "slow down" } }).to_string(),
        ),
        says(""),
        calls(&[
            ("", "read", json!({ "path": "greeting.txt" })),
            ("x", "telepathy", json!({})),
            (
                "x",
                "read",
                json!({ "start": 18_446_744_073_709_551_615_u64, "path": "greeting.txt" }),
            ),
        ]),
        calls(&[(
            "x",
            "write",
            json!({ "path": "greeting.txt", "text": "hello" }),
        )]),
        says("Done."),
    ])
    .await;
    let (scene, run) = run(Scene::new("", MODEL), &mock).await;
    assert_eq!(run.status, Some(0), "{}", run.ended());
    assert_eq!(scene.read("run/workspace/greeting.txt"), "hello");

    let failed = run.all("attempt_failed");
    assert_eq!(failed.len(), 2);
    assert_eq!(
        (&failed[0]["number"], &failed[0]["status"]),
        (&1.into(), &503.into())
    );
    assert_eq!(
        (&failed[1]["number"], &failed[1]["status"]),
        (&2.into(), &429.into())
    );
    assert!(failed[1]["error"].as_str().unwrap().contains("slow down"));
    assert_eq!(failed[0]["next_in_ms"], 0);
    // An empty answer is a claim like any other.
    assert_eq!(
        run.events()[..3],
        ["GoalGiven", "ModelFinal", "ProofFailed"]
    );
    // Neither a tool that is not there nor a number that does not fit ends the run.
    let called = run.all("called");
    assert_eq!(called[1]["failure"], "bad_arguments");
    assert_eq!(called[2]["failure"], "bad_arguments");
    assert_eq!(run.ended()["usage"]["tokens"], 4 * 110);

    let received = mock.received();
    assert_eq!(received.len(), 6);
    for request in &received {
        check_pairs(request);
        let body = &request.body;
        assert_eq!(body["model"], "tiny");
        assert_eq!(body["tool_choice"], "required");
        assert_eq!(
            (&body["max_tokens"], &body["seed"]),
            (&77.into(), &3.into())
        );
        assert_eq!(
            (&body["temperature"], &body["parallel_tool_calls"]),
            (&0.5.into(), &false.into())
        );
        assert_eq!(body["tools"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn a_server_that_gives_up_ends_the_run() {
    let mock = Mock::start(vec![Play::Answer(401, "", "no such key".into())]).await;
    let (_scene, run) = run(Scene::new("", MODEL), &mock).await;
    assert_eq!(run.status, Some(1));
    assert_eq!(run.events(), ["GoalGiven", "ModelFailed"]);
    assert!(run.reason().contains("refused the key"), "{}", run.reason());
    let failed = run.all("attempt_failed");
    assert_eq!((failed.len(), &failed[0]["next_in_ms"]), (1, &Value::Null));
}

/// What a dying server leaves is no reply, and nothing of it is executed.
#[tokio::test]
async fn a_reply_without_its_end_executes_nothing() {
    let half = json!({ "choices": [{ "message": { "role": "assistant", "content": "", "tool_calls": [
        { "id": "a", "function": { "name": "write", "arguments": "{\"path\": \"half.txt\", \"text\": \"x\"}" } }
    ] }, "finish_reason": null }] });
    let mock = Mock::start(vec![
        Play::Answer(200, "", half.to_string()),
        Play::Answer(400, "", "enough".into()),
    ])
    .await;
    let (scene, run) = run(Scene::new("", MODEL), &mock).await;
    assert_eq!(run.events(), ["GoalGiven", "ModelCutOff", "ModelFailed"]);
    assert!(run.all("called").is_empty());
    assert!(!scene.path("run/workspace/half.txt").exists());
    mock.received().iter().for_each(check_pairs);
}
