//! Provider and tools together: a script plays the model, the tools are real, and every request
//! that goes out is checked.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

use agent::policy::Policy;
use agent::provider::script::Script;
use agent::provider::{Finish, Message, ModelProvider, ProviderError, Request};
use agent::tools::{Context, Outcome, ToolSet};
use agent::workspace::Workspace;

const SCRIPT: &str = r#"
[[step]]
expect = { user_contains = "greeting", offers = ["read", "edit", "run"] }
text = "I look first."
call = [{ tool = "read", arguments = { path = "hello.txt" } }]

[[step]]
expect = { tool_contains = ["lines 1–2 of 2", "Hello, wrold"] }
[[step.call]]
tool = "edit"
arguments = { path = "hello.txt", edits = [{ old = "wrold", new = "world" }] }
[[step.call]]
tool = "run"
arguments = { argv = ["sh", "-c", "rm -rf /"] }

[[step]]
expect = { results = 2, tool_contains = "not run", tool_lacks = "exit status" }
call = [{ tool = "read", raw = '{"path": "hello' }]

[[step]]
expect = { tool_contains = ["no JSON object", "path: string"] }
call = [{ tool = "run", arguments = { argv = ["cat", "hello.txt"] } }]

[[step]]
expect = { tool_contains = "Hello, world" }
text = "Done."
"#;

struct Scene {
    folder: tempfile::TempDir,
    tools: ToolSet,
}

impl Scene {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("hello.txt"), text).unwrap();
        let workspace = Workspace::open(folder.path(), &[]).unwrap();
        let path = std::env::var_os("PATH");
        let policy = Policy::builtin(&workspace, path.as_deref());
        let output = folder.path().join(".space");
        let tools = ToolSet::new(Context::new(workspace, policy, output));
        Self { folder, tools }
    }

    /// The outcomes of all calls, in order.
    async fn converse(&self, script: &Script) -> Result<Vec<Outcome>, ProviderError> {
        let mut outcomes = Vec::new();
        let mut request = Request {
            messages: vec![Message::user("Correct the greeting.")],
            tools: self.tools.specs(),
            ..Request::default()
        };
        loop {
            let reply = script.chat(&request).await?;
            request.messages.push(reply.to_message());
            if reply.finish != Finish::ToolUse {
                return Ok(outcomes);
            }
            for call in &reply.calls {
                let result = self.tools.call(&call.name, &call.arguments).await;
                outcomes.push(result.outcome);
                request.messages.push(Message::tool(&call.id, result.text));
            }
        }
    }
}

#[tokio::test]
async fn a_scripted_model_works_with_real_tools() {
    let scene = Scene::new("Hello, wrold\nBye.\n");
    let script = Script::parse("greeting", SCRIPT).unwrap();
    let outcomes = scene.converse(&script).await.unwrap();
    let (seen, changed) = (Outcome::Observed, Outcome::Changed);
    assert_eq!(outcomes, [seen, changed, seen, seen, seen]);
    assert_eq!(script.remaining(), 0);
    let text = std::fs::read_to_string(scene.folder.path().join("hello.txt")).unwrap();
    assert_eq!(text, "Hello, world\nBye.\n");
}

#[tokio::test]
async fn a_script_for_another_workspace_stops_at_once() {
    let scene = Scene::new("Hello, world\nBye.\n");
    let script = Script::parse("greeting", SCRIPT).unwrap();
    let error = scene.converse(&script).await.unwrap_err();
    assert!(
        matches!(error, ProviderError::Script { step: 2, .. }),
        "{error}"
    );
}
