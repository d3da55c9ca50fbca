//! The transport against a loopback server that misbehaves.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

#[path = "common/mock.rs"]
mod mock;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agent::provider::pairing::PairingError;
use agent::provider::registry::{Choice, Resolved, resolve};
use agent::provider::{
    Arguments, Attempt, Client, Finish, Message, ModelProvider, ProviderError, Reply, Request,
    RetryPolicy, Settings, ToolCall,
};
use mock::{Mock, Play};

const KEY: &str = "sk-loopback-test";

struct Outcome {
    result: Result<Reply, ProviderError>,
    attempts: Vec<Attempt>,
    mock: Mock,
    elapsed: Duration,
}

async fn chat(plays: Vec<Play>) -> Outcome {
    chat_with(
        plays,
        Request {
            messages: vec![Message::user("Say hello.")],
            ..Request::default()
        },
    )
    .await
}

async fn chat_with(plays: Vec<Play>, request: Request) -> Outcome {
    let mock = Mock::start(plays).await;
    let choice = Choice {
        provider: "deepseek",
        model: None,
        base_url: Some(&mock.base_url),
    };
    let env = |name: &str| (name == "DEEPSEEK_API_KEY").then(|| KEY.to_owned());
    let Ok(Resolved::Server(endpoint)) = resolve(choice, &env) else {
        panic!("no endpoint");
    };
    let attempts = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&attempts);
    let settings = Settings {
        timeout: Duration::from_millis(700),
        retry: RetryPolicy {
            attempts: 3,
            first_wait: Duration::from_millis(10),
            longest_asked: Duration::from_secs(5),
            ..RetryPolicy::default()
        },
        observer: Some(Arc::new(move |attempt: &Attempt| {
            seen.lock().unwrap().push(attempt.clone());
        })),
    };
    let began = Instant::now();
    let result = Client::new(endpoint, settings)
        .unwrap()
        .chat(&request)
        .await;
    let elapsed = began.elapsed();
    let attempts = attempts.lock().unwrap().clone();
    Outcome {
        result,
        attempts,
        mock,
        elapsed,
    }
}

fn hello() -> Play {
    Play::Answer(
        200,
        "",
        r#"{"choices":[{"message":{"content":"Hello."},"finish_reason":"stop"}],
            "usage":{"prompt_tokens":5,"completion_tokens":2}}"#
            .to_owned(),
    )
}

fn error(status: u16, headers: &'static str, message: &str) -> Play {
    let body = serde_json::json!({ "error": { "message": message } });
    Play::Answer(status, headers, body.to_string())
}

#[tokio::test]
async fn a_good_server_needs_one_attempt() {
    let outcome = chat(vec![hello()]).await;
    let reply = outcome.result.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.finish),
        ("Hello.", Finish::EndOfTurn)
    );
    assert_eq!(outcome.attempts.len(), 1);
    let received = &outcome.mock.received()[0];
    assert!(received.head.starts_with("POST /v1/chat/completions "));
    assert!(received.head.contains(&format!("Bearer {KEY}")));
    assert_eq!(received.body["model"], "deepseek-chat");
}

#[tokio::test]
async fn retry_after_is_honoured() {
    let outcome = chat(vec![error(429, "retry-after: 1\r\n", "slow down"), hello()]).await;
    outcome.result.unwrap();
    assert!(outcome.elapsed >= Duration::from_secs(1));
    assert_eq!(outcome.attempts.len(), 2);
    assert_eq!(outcome.attempts[0].status, Some(429));
    assert_eq!(outcome.attempts[0].next_in, Some(Duration::from_secs(1)));
    assert_eq!(outcome.attempts[1].error, None);
}

#[tokio::test]
async fn a_wait_that_is_too_long_ends_the_attempts() {
    let outcome = chat(vec![error(429, "retry-after: 3600\r\n", "tomorrow")]).await;
    assert!(matches!(
        outcome.result,
        Err(ProviderError::RateLimited { .. })
    ));
    assert_eq!(outcome.attempts.len(), 1);
}

#[tokio::test]
async fn failing_and_dropping_servers_are_tried_again() {
    for play in [
        error(503, "", "busy"),
        error(529, "", "overloaded"),
        error(408, "", "too slow"),
        Play::Answer(502, "", "<html>Bad Gateway</html>".to_owned()),
        Play::Answer(
            200,
            "",
            r#"{"error":{"code":503,"message":"upstream"}}"#.to_owned(),
        ),
        Play::Drop,
        Play::Cut,
    ] {
        let outcome = chat(vec![play.clone(), hello()]).await;
        assert!(outcome.result.is_ok(), "{play:?}: {:?}", outcome.result);
        assert_eq!(outcome.attempts.len(), 2, "{play:?}");
    }
}

#[tokio::test]
async fn attempts_are_bounded() {
    let outcome = chat(vec![error(500, "", "no"); 9]).await;
    let Err(ProviderError::Server { status: 500, .. }) = outcome.result else {
        panic!("{:?}", outcome.result);
    };
    assert_eq!(outcome.attempts.len(), 3);
    assert_eq!(outcome.attempts[2].next_in, None);
}

#[tokio::test]
async fn a_hanging_server_times_out_once() {
    let outcome = chat(vec![Play::Hang, hello()]).await;
    assert!(matches!(
        outcome.result,
        Err(ProviderError::TimedOut { .. })
    ));
    assert_eq!(outcome.attempts.len(), 1);
    assert!(outcome.elapsed < Duration::from_secs(5));
}

#[tokio::test]
async fn the_client_errors_are_final_and_the_key_is_redacted() {
    let words = format!("Incorrect API key provided: {KEY}.");
    let outcome = chat(vec![error(401, "", &words), hello()]).await;
    let error = outcome.result.unwrap_err();
    assert!(matches!(error, ProviderError::Key { status: 401, .. }));
    let shown = format!("{error} {error:?} {:?}", outcome.attempts);
    assert!(
        shown.contains("[redacted]") && !shown.contains(KEY),
        "{shown}"
    );
    assert_eq!(outcome.attempts.len(), 1);
}

#[tokio::test]
async fn an_unpaired_request_never_leaves() {
    let call = ToolCall {
        id: "a".to_owned(),
        name: "read".to_owned(),
        arguments: Arguments::Object(serde_json::Map::new()),
    };
    let request = Request {
        messages: vec![
            Message::user("go"),
            Message::Assistant {
                text: String::new(),
                calls: vec![call],
                reasoning: None,
            },
        ],
        ..Request::default()
    };
    let outcome = chat_with(vec![hello()], request).await;
    assert!(matches!(
        outcome.result,
        Err(ProviderError::Unsendable(
            PairingError::CallWithoutResult { .. }
        ))
    ));
    assert!(outcome.mock.received().is_empty());
    assert!(outcome.attempts.is_empty());
}

/// How a connection to this address fails.
///
/// No key leaves in plain text, so that a server elsewhere gets none.
async fn refused(base_url: &str) -> String {
    let choice = Choice {
        provider: "llama.cpp",
        model: None,
        base_url: Some(base_url),
    };
    let local = base_url.contains("127.0.0.1");
    let key = |_: &str| local.then(|| KEY.to_owned());
    let Ok(Resolved::Server(endpoint)) = resolve(choice, &key) else {
        panic!("no endpoint");
    };
    let settings = Settings {
        retry: RetryPolicy {
            attempts: 2,
            first_wait: Duration::from_millis(1),
            ..RetryPolicy::default()
        },
        ..Settings::default()
    };
    let request = Request {
        messages: vec![Message::user("hello")],
        ..Request::default()
    };
    let client = Client::new(endpoint, settings).unwrap();
    let error = client.chat(&request).await.unwrap_err();
    assert!(matches!(error, ProviderError::Connection { .. }), "{error}");
    let said = error.to_string();
    assert!(!said.contains(KEY), "{said}");
    said
}

#[tokio::test]
async fn a_connection_error_begins_with_its_cause() {
    let head = "the connection to the provider failed: ";
    // Port 1 is privileged and unused.
    let said = refused("http://127.0.0.1:1/v1").await;
    assert_eq!(said, format!("{head}Connection refused (127.0.0.1:1)"));

    // No label of a name is this long, so that no server is asked for it.
    let name = "x".repeat(64);
    let said = refused(&format!("http://{name}.invalid/v1")).await;
    assert!(
        said.starts_with(&format!("{head}failed to lookup address")),
        "{said}"
    );

    // A server that speaks no TLS.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let said = refused(&format!("https://127.0.0.1:{port}/v1")).await;
    server.join().unwrap();
    assert!(said.starts_with(head), "{said}");
    assert!(
        said.contains("corrupt message") && said.ends_with(&format!("(127.0.0.1:{port})")),
        "{said}"
    );
}
