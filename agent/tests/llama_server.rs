//! The provider against a real server with a real model. What a model of this size says means
//! nothing; the form in which it arrives is the test.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]
#![allow(clippy::print_stderr, reason = "a skipped test says why")]

#[path = "common/llama.rs"]
mod llama;

use std::collections::BTreeSet;

use agent::policy::Policy;
use agent::provider::registry::{Choice, open, resolve};
use agent::provider::{
    Arguments, Finish, Message, ModelProvider, ProviderError, Request, Settings, ToolChoice,
};
use agent::tools::{Context, ToolSet};
use agent::workspace::Workspace;

fn provider(base_url: &str) -> Box<dyn ModelProvider> {
    let choice = Choice {
        provider: "llama.cpp",
        model: None,
        base_url: Some(base_url),
    };
    open(resolve(choice, &|_| None).unwrap(), Settings::default()).unwrap()
}

#[tokio::test]
async fn a_conversation_with_tools() {
    let Some(server) = llama::Llama::start().await else {
        return;
    };
    let provider = provider(&server.base_url);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "The answer is 42.\n").unwrap();
    let workspace = Workspace::open(folder.path(), &[]).unwrap();
    let policy = Policy::builtin(&workspace, None);
    let output = folder.path().join(".space");
    let tools = ToolSet::new(Context::new(workspace, policy, output));

    let mut request = Request {
        messages: vec![
            Message::system("You read files."),
            Message::user("Read the file notes.txt."),
        ],
        // One tool keeps the prompt small enough for the model's window.
        tools: tools.specs().into_iter().take(1).collect(),
        tool_choice: ToolChoice::Required,
        parallel_calls: Some(false),
        max_tokens: Some(200),
        temperature: Some(0.0),
        seed: Some(1),
    };
    let reply = provider.chat(&request).await.unwrap();
    assert_eq!(reply.finish, Finish::ToolUse, "{reply:?}");
    assert_eq!(reply.calls.len(), 1, "{reply:?}");
    let call = &reply.calls[0];
    assert_eq!(call.name, "read");
    let Arguments::Object(arguments) = &call.arguments else {
        panic!("{call:?}");
    };
    assert!(arguments["path"].is_string(), "{call:?}");
    assert!(reply.usage.input > 20 && reply.usage.output > 5 && !reply.usage.estimated);
    let ids: BTreeSet<_> = reply.calls.iter().map(|call| &call.id).collect();
    assert_eq!(ids.len(), reply.calls.len());

    // Left unanswered, the call may not be followed by anything.
    request.messages.push(reply.to_message());
    let unpaired = provider.chat(&request).await.unwrap_err();
    assert!(
        matches!(unpaired, ProviderError::Unsendable(_)),
        "{unpaired}"
    );

    let result = tools.call(&call.name, &call.arguments).await;
    request.messages.push(Message::tool(&call.id, result.text));
    request
        .messages
        .push(Message::user("Thank you. Now say hello."));
    request.tools.clear();
    request.tool_choice = ToolChoice::Auto;
    request.max_tokens = Some(24);
    let reply = provider.chat(&request).await.unwrap();
    assert!(
        matches!(reply.finish, Finish::EndOfTurn | Finish::CutOff),
        "{reply:?}"
    );
    assert!(
        !reply.text.is_empty() && reply.calls.is_empty(),
        "{reply:?}"
    );

    // What runs out of tokens inside a call is no call.
    request.messages.truncate(2);
    request.tools = tools.specs().into_iter().take(1).collect();
    request.tool_choice = ToolChoice::Required;
    request.max_tokens = Some(8);
    match provider.chat(&request).await {
        Ok(reply) => {
            assert_eq!(reply.finish, Finish::CutOff, "{reply:?}");
            assert!(reply.calls.is_empty(), "{reply:?}");
        }
        Err(error) => assert!(matches!(error, ProviderError::Server { .. }), "{error}"),
    }

    request.messages = vec![Message::user("word ".repeat(6_000))];
    let long = provider.chat(&request).await.unwrap_err();
    assert!(matches!(long, ProviderError::TooLong { .. }), "{long}");
}
