//! The provider that plays a file, and the registry that opens it.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

use agent::provider::registry::{Choice, RegistryError, open, resolve};
use agent::provider::script::{Script, ScriptError};
use agent::provider::{
    Arguments, Finish, Message, ModelProvider, ProviderError, Request, Settings,
};

const SCRIPT: &str = r#"
[[step]]
text = "Let me look."
[[step.call]]
tool = "read"
arguments = { path = "a.txt", start = 1 }
[[step.call]]
tool = "read"
raw = '{"path": '

[[step]]
expect = { tool_contains = "42", tool_lacks = ["error"], results = 2, user_contains = "answer" }
text = "It is 42."
"#;

fn ask(messages: &[Message]) -> Request {
    Request {
        messages: messages.to_vec(),
        ..Request::default()
    }
}

#[tokio::test]
async fn a_script_plays_in_order_and_ends() {
    let script = Script::parse("demo", SCRIPT).unwrap();
    assert_eq!(script.name(), "script/demo");
    let mut messages = vec![Message::user("What is the answer?")];
    let first = script.chat(&ask(&messages)).await.unwrap();
    assert_eq!(first.finish, Finish::ToolUse);
    assert_eq!(first.calls[0].id, "call-1-1");
    assert!(matches!(
        first.calls[1].arguments,
        Arguments::Malformed { .. }
    ));
    assert!(first.usage.estimated && first.usage.input > 0);

    messages.push(first.to_message());
    messages.push(Message::tool("call-1-1", "?"));
    messages.push(Message::tool("call-1-2", "line 1: 42"));
    let last = script.chat(&ask(&messages)).await.unwrap();
    assert_eq!(
        (last.finish, last.text.as_str()),
        (Finish::EndOfTurn, "It is 42.")
    );
    assert_eq!(script.remaining(), 0);
    let over = script.chat(&ask(&messages)).await.unwrap_err();
    assert!(
        matches!(over, ProviderError::Script { step: 3, .. }),
        "{over}"
    );

    let resumed = Script::parse("demo", SCRIPT).unwrap().after(1);
    assert_eq!(
        resumed.chat(&ask(&messages)).await.unwrap().text,
        "It is 42."
    );
}

#[tokio::test]
async fn a_script_does_not_drift() {
    for (result, complaint) in [("41", "lacks \"42\""), ("42 error", "contains \"error\"")] {
        let script = Script::parse("demo", SCRIPT).unwrap();
        let mut messages = vec![Message::user("answer?")];
        let reply = script.chat(&ask(&messages)).await.unwrap();
        messages.push(reply.to_message());
        messages.push(Message::tool("call-1-1", "?"));
        messages.push(Message::tool("call-1-2", result));
        let error = script.chat(&ask(&messages)).await.unwrap_err().to_string();
        assert!(
            error.starts_with("script step 2: ") && error.contains(complaint),
            "{error}"
        );
    }
}

#[test]
fn wrong_scripts_are_named() {
    let error = |text: &str| Script::parse("x", text).unwrap_err();
    assert_eq!(error(""), ScriptError::Empty);
    assert!(matches!(
        error("[[step]]\ntxt = 1"),
        ScriptError::Syntax { .. }
    ));
    for text in [
        "[[step]]",
        "[[step]]\nfinish = \"tool_use\"",
        "[[step]]\ntext = \"x\"\nfail = \"y\"",
        "[[step]]\nfinish = \"end_of_turn\"\ncall = [{ tool = \"read\" }]",
        "[[step]]\ncall = [{ tool = \"read\", raw = \"\", arguments = {} }]",
    ] {
        assert!(
            matches!(error(text), ScriptError::Step { step: 1, .. }),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_failing_step_is_a_server_error() {
    let script = Script::parse("x", "[[step]]\nfail = \"overloaded\"").unwrap();
    let error = script.chat(&ask(&[Message::user("x")])).await.unwrap_err();
    assert!(error.retryable(), "{error}");
}

#[tokio::test]
async fn the_registry_opens_a_script() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("demo.toml");
    std::fs::write(&file, "[[step]]\ntext = \"hi\"").unwrap();
    let choice = Choice {
        provider: "script",
        model: file.to_str(),
        base_url: None,
    };
    let resolved = resolve(choice, &|_| None).unwrap();
    let provider = open(resolved, Settings::default()).unwrap();
    assert_eq!(provider.name(), "script/demo.toml");
    let reply = provider.chat(&ask(&[Message::user("x")])).await.unwrap();
    assert_eq!(reply.text, "hi");
}

fn refused(provider: &str, model: Option<&str>, base_url: Option<&str>) -> String {
    let choice = Choice {
        provider,
        model,
        base_url,
    };
    let env = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-hidden".to_owned());
    resolve(choice, &env).unwrap_err().to_string()
}

#[test]
fn what_is_unknown_names_what_is_known() {
    assert_eq!(
        refused("opneai", None, None),
        "unknown provider \"opneai\"; known are openai, deepseek, kimi, glm, ollama, llama.cpp, \
         vllm, script"
    );
    assert_eq!(
        refused("deepseek", Some("gpt-5"), None),
        "deepseek has no model \"gpt-5\"; its models are named deepseek-…"
    );
    assert_eq!(
        refused("kimi", None, None),
        "kimi needs a key in the environment variable MOONSHOT_API_KEY"
    );
    assert!(refused("ollama", None, None).contains("--model"));
    assert!(refused("script", None, None).contains("FILE"));
    for url in [
        "ftp://x",
        "nonsense",
        "http://u:p@x/v1",
        "https://x/v1?key=1",
        "http://far.example/v1",
    ] {
        let text = refused("openai", None, Some(url));
        assert!(text.starts_with("the base URL cannot be used"), "{text}");
        assert!(!text.contains("u:p") && !text.contains("hidden"), "{text}");
    }
}

#[test]
fn a_key_never_shows() {
    let choice = Choice {
        provider: "openai",
        ..Choice::default()
    };
    let resolved = resolve(choice, &|_| Some("sk-hidden".to_owned())).unwrap();
    assert!(!format!("{resolved:?}").contains("sk-hidden"));
    let blank = resolve(choice, &|_| Some(" ".to_owned())).unwrap_err();
    assert!(matches!(blank, RegistryError::NoKey { .. }));
}
