//! What real servers send, and what is made of it. Bytes in, reply out; no sockets.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

use agent::provider::openai::{Dialect, decode, encode};
use agent::provider::openai_error::decode_error;
use agent::provider::{
    Arguments, Finish, Message, Oddity, ProviderError, Reasoning, Reply, Request, ToolCall,
    ToolChoice, ToolSpec,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn reply(message: &Value, finish: &Value) -> Reply {
    let body = json!({
        "model": "m",
        "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        "usage": { "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 },
    });
    decode(body.to_string().as_bytes(), 100).unwrap()
}

fn call(id: &Value, arguments: &Value) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": "read", "arguments": arguments } })
}

fn object(call: &ToolCall) -> Value {
    match &call.arguments {
        Arguments::Object(object) => Value::Object(object.clone()),
        Arguments::Malformed { text, reason } => panic!("{text}: {reason}"),
    }
}

#[test]
fn a_plain_answer() {
    let reply = reply(
        &json!({ "role": "assistant", "content": "Hi." }),
        &json!("stop"),
    );
    assert_eq!(reply.text, "Hi.");
    assert_eq!(reply.finish, Finish::EndOfTurn);
    assert_eq!(
        (reply.usage.input, reply.usage.output, reply.usage.estimated),
        (7, 3, false)
    );
    assert!(reply.oddities.is_empty());
}

#[test]
fn calls_are_tolerated_in_many_forms() {
    let id = || json!("c1");
    let path = json!({ "path": "a" });
    // (calls, finish_reason, ids, arguments of the first, oddities)
    let table = [
        (
            vec![call(&id(), &json!(r#"{"path":"a"}"#))],
            "tool_calls",
            vec!["c1"],
            path.clone(),
            Vec::new(),
        ),
        (
            vec![call(&id(), &path)],
            "tool_calls",
            vec!["c1"],
            path.clone(),
            vec![Oddity::ArgumentsNotText],
        ),
        (
            vec![call(&id(), &json!(""))],
            "tool_calls",
            vec!["c1"],
            json!({}),
            vec![],
        ),
        (
            vec![call(&id(), &Value::Null)],
            "tool_calls",
            vec!["c1"],
            json!({}),
            vec![],
        ),
        (
            vec![call(&id(), &json!(r#"{"path":"a"}"#))],
            "stop",
            vec!["c1"],
            path.clone(),
            vec![Oddity::StopWithCalls],
        ),
        (
            vec![call(&Value::Null, &path), call(&json!(" "), &path)],
            "tool_calls",
            vec!["call_0", "call_1"],
            path.clone(),
            vec![
                Oddity::MissingId,
                Oddity::ArgumentsNotText,
                Oddity::MissingId,
                Oddity::ArgumentsNotText,
            ],
        ),
        (
            vec![call(&id(), &json!("{}")), call(&id(), &json!("{}"))],
            "tool_calls",
            vec!["c1", "c1_1"],
            json!({}),
            vec![Oddity::RepeatedId],
        ),
        (
            vec![call(&json!(17), &json!("{}"))],
            "function_call",
            vec!["17"],
            json!({}),
            vec![],
        ),
    ];
    for (calls, finish, ids, arguments, oddities) in table {
        let message = json!({ "content": null, "tool_calls": calls });
        let reply = reply(&message, &json!(finish));
        assert_eq!(reply.finish, Finish::ToolUse, "{message}");
        assert_eq!(reply.text, "");
        let got: Vec<_> = reply.calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(got, ids, "{message}");
        assert_eq!(object(&reply.calls[0]), arguments, "{message}");
        assert_eq!(reply.oddities, oddities, "{message}");
    }
}

#[test]
fn unfinished_and_refused_replies_carry_no_calls() {
    let half =
        json!({ "content": "I", "tool_calls": [call(&json!("c1"), &json!(r#"{"path":"src/l"#))] });
    let whole = json!({ "tool_calls": [call(&json!("c1"), &json!("{}"))] });
    for (message, finish, expected) in [
        (&half, json!("length"), Finish::CutOff),
        (&whole, json!("length"), Finish::CutOff),
        (&whole, Value::Null, Finish::CutOff),
        (&whole, json!("something_new"), Finish::CutOff),
        (&whole, json!("content_filter"), Finish::Refused),
    ] {
        let reply = reply(message, &finish);
        assert_eq!(reply.finish, expected, "{finish}");
        assert!(reply.calls.is_empty(), "{finish}");
        assert!(
            reply.oddities.contains(&Oddity::DroppedCalls(1)),
            "{finish}"
        );
    }
    let refused = reply(
        &json!({ "content": null, "refusal": "I cannot." }),
        &json!("stop"),
    );
    assert_eq!(
        (refused.finish, refused.text.as_str()),
        (Finish::Refused, "I cannot.")
    );
}

#[test]
fn broken_arguments_of_a_finished_call_are_kept_as_text() {
    for text in [r#"{"path":"#, "[1]", "\"{}\"", "path=a"] {
        let message = json!({ "tool_calls": [call(&json!("c1"), &json!(text))] });
        let reply = reply(&message, &json!("tool_calls"));
        let Arguments::Malformed { text: kept, .. } = &reply.calls[0].arguments else {
            panic!("{text} was taken for arguments");
        };
        assert_eq!(kept, text);
    }
}

#[test]
fn content_parts_legacy_calls_and_missing_usage() {
    let parts =
        json!({ "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] });
    assert_eq!(reply(&parts, &json!("stop")).text, "ab");

    let legacy = json!({ "content": null, "function_call": { "name": "read", "arguments": "{}" } });
    assert_eq!(
        reply(&legacy, &json!("function_call")).calls[0].id,
        "call_0"
    );

    for usage in [
        Value::Null,
        json!({}),
        json!({ "prompt_tokens": 0, "completion_tokens": 0 }),
    ] {
        let body = json!({
            "choices": [{ "message": { "content": "12345678" }, "finish_reason": "stop" }],
            "usage": usage,
        });
        let reply = decode(body.to_string().as_bytes(), 400).unwrap();
        let usage = reply.usage;
        assert_eq!((usage.input, usage.output, usage.estimated), (100, 2, true));
        assert_eq!(reply.oddities, [Oddity::MissingUsage]);
    }

    let none = reply(&json!({ "content": "x" }), &json!("tool_calls"));
    assert_eq!(none.finish, Finish::EndOfTurn);
    assert_eq!(none.oddities, [Oddity::ToolUseWithoutCalls]);
}

#[test]
fn bodies_that_are_no_reply() {
    let read = |body: &str| decode(body.as_bytes(), 1).unwrap_err();
    for body in [
        "",
        "{",
        "<html>",
        "[]",
        "null",
        "{}",
        r#"{"choices":[]}"#,
        r#"{"choices":[{}]}"#,
    ] {
        assert!(
            matches!(read(body), ProviderError::Unreadable { .. }),
            "{body}"
        );
    }
    assert_eq!(
        read(r#"{"error":{"message":"no capacity"}}"#),
        ProviderError::InBand {
            message: "no capacity".to_owned()
        }
    );
    assert_eq!(
        read(r#"{"object":"error","message":"bad"}"#),
        ProviderError::InBand {
            message: "bad".to_owned()
        }
    );
    assert!(read(r#"{"error":{"type":"overloaded_error","message":"x"}}"#).retryable());
    assert!(read(r#"{"error":{"code":429,"message":"x"}}"#).retryable());
    let interrupted = r#"{"choices":[{"message":{"content":"x"},"finish_reason":"insufficient_system_resource"}]}"#;
    assert!(read(interrupted).retryable());
    // Keep-alive lines come before the body.
    let body =
        "\n\n\r\n{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}";
    assert_eq!(decode(body.as_bytes(), 1).unwrap().text, "x");
}

#[test]
fn errors_have_classes() {
    let class = |status, body: &str| decode_error(status, None, body.as_bytes());
    assert!(matches!(class(401, "{}"), ProviderError::Key { .. }));
    assert!(matches!(class(402, "{}"), ProviderError::Quota { .. }));
    assert!(matches!(
        class(
            429,
            r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#
        ),
        ProviderError::Quota { .. }
    ));
    for body in [
        r#"{"error":{"code":400,"message":"too big","type":"exceed_context_size_error","n_ctx":4096}}"#,
        r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#,
        r#"{"error":{"message":"This model's maximum context length is 65536 tokens."}}"#,
    ] {
        assert!(
            matches!(class(400, body), ProviderError::TooLong { .. }),
            "{body}"
        );
    }
    assert_eq!(
        class(404, r#"{"detail":"Not Found"}"#),
        ProviderError::Rejected {
            status: 404,
            message: "Not Found".to_owned()
        }
    );
    assert!(matches!(class(301, ""), ProviderError::Rejected { .. }));
}

#[test]
fn reasoning_goes_back_under_its_own_name() {
    let message = json!({
        "content": "", "reasoning_content": "hm",
        "tool_calls": [call(&json!("c1"), &json!("{}"))],
    });
    let first = reply(&message, &json!("tool_calls"));
    assert_eq!(
        first.reasoning,
        Some(Reasoning {
            field: "reasoning_content".to_owned(),
            value: json!("hm")
        })
    );
    let request = Request {
        messages: vec![first.to_message(), Message::tool("c1", "text")],
        ..Request::default()
    };
    let sent = encode(&request, "m", Dialect::default());
    assert_eq!(sent["messages"][0]["reasoning_content"], "hm");
    assert_eq!(sent["messages"][0]["content"], Value::Null);

    let empty = reply(
        &json!({ "content": "x", "reasoning_content": "" }),
        &json!("stop"),
    );
    assert_eq!(empty.reasoning, None);
}

#[test]
fn a_request_on_the_wire() {
    let calls = vec![
        ToolCall {
            id: "c1".to_owned(),
            name: "functions.read".to_owned(),
            arguments: Arguments::Object(json!({ "n": 1 }).as_object().unwrap().clone()),
        },
        ToolCall {
            id: "c2".to_owned(),
            name: "read".to_owned(),
            arguments: Arguments::Malformed {
                text: "{".to_owned(),
                reason: "cut".to_owned(),
            },
        },
    ];
    let request = Request {
        messages: vec![
            Message::system("s"),
            Message::user("u"),
            Message::Assistant {
                text: String::new(),
                calls,
                reasoning: None,
            },
            Message::tool("c1", "r1"),
            Message::tool("c2", "r2"),
        ],
        tools: vec![ToolSpec {
            name: "read".to_owned(),
            description: "Reads.".to_owned(),
            parameters: json!({ "type": "object" }),
        }],
        tool_choice: ToolChoice::Named("read".to_owned()),
        max_tokens: Some(9),
        ..Request::default()
    };
    let sent = encode(
        &request,
        "m",
        Dialect {
            max_tokens_field: "max_completion_tokens",
        },
    );
    assert_eq!(
        sent,
        json!({
            "model": "m",
            "messages": [
                { "role": "system", "content": "s" },
                { "role": "user", "content": "u" },
                { "role": "assistant", "content": null, "tool_calls": [
                    { "id": "c1", "type": "function",
                      "function": { "name": "functions_read", "arguments": "{\"n\":1}" } },
                    { "id": "c2", "type": "function",
                      "function": { "name": "read", "arguments": "{\"malformed_arguments\":\"{\"}" } },
                ] },
                { "role": "tool", "tool_call_id": "c1", "content": "r1" },
                { "role": "tool", "tool_call_id": "c2", "content": "r2" },
            ],
            "tools": [{ "type": "function", "function": {
                "name": "read", "description": "Reads.", "parameters": { "type": "object" } } }],
            "tool_choice": { "type": "function", "function": { "name": "read" } },
            "max_completion_tokens": 9,
            "stream": false,
        })
    );
}

/// JSON in the shape of a reply with anything at all in its places.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(json!("tool_calls")),
        Just(json!("stop")),
        Just(json!("{\"a\":1}")),
    ];
    let keys = proptest::sample::select(vec![
        "choices",
        "message",
        "content",
        "tool_calls",
        "function",
        "arguments",
        "name",
        "id",
        "finish_reason",
        "error",
        "code",
        "usage",
        "prompt_tokens",
        "text",
        "refusal",
        "reasoning_content",
        "function_call",
        "model",
    ]);
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(keys.clone(), inner, 0..6).prop_map(|map| {
                map.into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), status in 300..600_u16) {
        let _ = decode(&bytes, 1);
        let _ = decode_error(status, None, &bytes);
    }

    #[test]
    fn a_reply_only_has_calls_when_it_wants_tools(
        message in anything(), finish in anything(), extra in anything(),
    ) {
        let body = json!({
            "choices": [{ "message": message, "finish_reason": finish }, extra],
            "usage": extra,
        });
        if let Ok(reply) = decode(body.to_string().as_bytes(), 1) {
            prop_assert_eq!(reply.finish == Finish::ToolUse, !reply.calls.is_empty());
            // Whatever a server sent, our own next request is paired.
            let answers = reply.calls.iter().map(|call| Message::tool(&call.id, "done"));
            let messages = std::iter::once(reply.to_message()).chain(answers).collect();
            let request = Request { messages, ..Request::default() };
            prop_assert_eq!(agent::provider::pairing::check(&request), Ok(()));
        }
    }
}
