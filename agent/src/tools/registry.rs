//! The set of tools on offer, and the one way to call them.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::schema::{schema_of, signature};
use super::shape::{Cap, shape};
use super::{accept, edit, read, run, write};
use crate::policy::{Decision, Policy};
use crate::provider::{Arguments, ToolSpec};
use crate::workspace::{Digest, Workspace};

/// The tools of one run.
pub struct ToolSet {
    tools: Vec<Tool>,
    context: Context,
}

impl ToolSet {
    /// The tools that ship: `read`, `edit`, `write`, `run` and `accept`.
    pub fn new(context: Context) -> Self {
        Self {
            tools: vec![
                read::tool(),
                edit::tool(),
                write::tool(),
                run::tool(),
                accept::tool(),
            ],
            context,
        }
    }

    /// Adds a tool, unless its name is taken.
    pub fn add(&mut self, tool: Tool) -> Result<(), NameTaken> {
        let name = &tool.spec.name;
        if self.tools.iter().any(|other| other.spec.name == *name) {
            return Err(NameTaken { name: name.clone() });
        }
        self.tools.push(tool);
        Ok(())
    }

    /// Keeps only the tools of these names, so that no other can be called.
    pub fn keep(&mut self, names: &[String]) -> Result<(), UnknownTool> {
        if let Some(name) = names
            .iter()
            .find(|name| !self.tools.iter().any(|tool| tool.spec.name == **name))
        {
            return Err(UnknownTool {
                name: name.clone(),
                known: self.names(),
            });
        }
        self.tools.retain(|tool| names.contains(&tool.spec.name));
        Ok(())
    }

    fn names(&self) -> String {
        let names: Vec<_> = self.tools.iter().map(|tool| &*tool.spec.name).collect();
        names.join(", ")
    }

    /// The tools as offered to the model, in a fixed order.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.spec.clone()).collect()
    }

    /// What the tools work with.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Calls a tool. Every fault is a result that the model can act on; the text is never longer
    /// than [`Cap::RESULT`] allows.
    pub async fn call(&self, name: &str, arguments: &Arguments) -> ToolResult {
        let Some(tool) = self.tools.iter().find(|tool| tool.spec.name == name) else {
            let known = self.names();
            return ToolResult::failed(
                Failure::BadArguments,
                format!("there is no tool {name:?}; the tools are {known}"),
            );
        };
        let mut result = match arguments {
            Arguments::Object(object) => (tool.run)(&self.context, object.clone()).await,
            Arguments::Malformed { reason, .. } => ToolResult::failed(
                Failure::BadArguments,
                format!(
                    "{name}: the arguments are no JSON object: {reason}; it takes {}",
                    signature(&tool.spec.parameters)
                ),
            ),
        };
        let shaped = shape(&result.text, Cap::RESULT);
        result.omitted_bytes += shaped.omitted_bytes;
        result.text = shaped.text;
        result
    }
}

/// There is a tool of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are two tools named {name:?}")]
pub struct NameTaken {
    /// The name.
    pub name: String,
}

/// No tool has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no tool {name:?}; the tools are {known}")]
pub struct UnknownTool {
    /// The name.
    pub name: String,
    /// The names that there are.
    pub known: String,
}

/// A tool: how it is offered, and what it does.
pub struct Tool {
    /// How it is offered to the model.
    pub spec: ToolSpec,
    run: Box<Run>,
}

type Run = dyn for<'a> Fn(&'a Context, Map<String, Value>) -> ToolFuture<'a> + Send + Sync;

/// A tool at work.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = ToolResult> + Send + 'a>>;

impl Tool {
    /// A tool whose schema is that of the type `A` of its arguments. Arguments that do not fit `A`
    /// are answered without calling `run`.
    pub fn new<A: DeserializeOwned + JsonSchema + 'static>(
        name: &'static str,
        description: &str,
        run: impl for<'a> Fn(&'a Context, A) -> ToolFuture<'a> + Send + Sync + 'static,
    ) -> Self {
        let parameters = schema_of::<A>();
        let takes = signature(&parameters);
        Self {
            spec: ToolSpec {
                name: name.to_owned(),
                description: description.to_owned(),
                parameters,
            },
            run: Box::new(move |context, object| {
                match serde_json::from_value(Value::Object(object)) {
                    Ok(arguments) => run(context, arguments),
                    Err(error) => {
                        let text = format!("{name}: {error}; it takes {takes}");
                        Box::pin(std::future::ready(ToolResult::failed(
                            Failure::BadArguments,
                            text,
                        )))
                    }
                }
            }),
        }
    }
}

/// What the tools of a run work with.
pub struct Context {
    /// The folder and its boundary.
    pub workspace: Workspace,
    /// Which commands may run.
    pub policy: Policy,
    /// Receives the whole output of commands; outside the workspace or below `.space`.
    pub output: PathBuf,
    /// What each file's content was when a tool last showed or wrote it.
    seen: Mutex<BTreeMap<PathBuf, Digest>>,
    commands: AtomicUsize,
}

impl Context {
    /// A context in which no file has been seen.
    pub fn new(workspace: Workspace, policy: Policy, output: PathBuf) -> Self {
        Self {
            workspace,
            policy,
            output,
            seen: Mutex::default(),
            commands: AtomicUsize::new(0),
        }
    }

    /// Notes that the model knows `file` with this content.
    pub(super) fn saw(&self, file: &Path, content: Digest) {
        self.lock().insert(file.to_owned(), content);
    }

    /// The content with which the model knows `file`.
    pub(super) fn seen(&self, file: &Path) -> Option<Digest> {
        self.lock().get(file).copied()
    }

    /// A number for the next command's output.
    pub(super) fn next_command(&self) -> usize {
        self.commands.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<PathBuf, Digest>> {
        // Every change of the map is one call, so a panic elsewhere leaves it whole.
        self.seen
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// What a tool did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// What the model is shown.
    pub text: String,
    /// Whether the workspace is as it was.
    pub outcome: Outcome,
    /// Why the tool did not do what was asked; a command that exits with another status than 0
    /// failed, and may have changed the workspace all the same.
    pub failure: Option<Failure>,
    /// Bytes of the tool's full answer that `text` leaves out.
    pub omitted_bytes: usize,
    /// The files that hold a command's whole output.
    pub output: Vec<PathBuf>,
    /// The policy's decision, when one was taken.
    pub decision: Option<Decision>,
}

/// Whether a tool changed the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The content is as it was, whatever was asked.
    Observed,
    /// The content is different.
    Changed,
}

/// Why a tool did not do what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// There is no such tool, or the arguments do not fit it.
    BadArguments,
    /// The workspace's boundary, the policy or a guard does not permit it.
    Refused,
    /// It was tried and did not work.
    Failed,
    /// It was ended because it took too long or wrote too much.
    Ended,
}

impl ToolResult {
    /// A look at something.
    pub fn observed(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            outcome: Outcome::Observed,
            failure: None,
            omitted_bytes: 0,
            output: Vec::new(),
            decision: None,
        }
    }

    /// A change of the workspace.
    pub fn changed(text: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Changed,
            ..Self::observed(text)
        }
    }

    /// Nothing was done.
    pub fn failed(failure: Failure, text: impl Into<String>) -> Self {
        Self {
            failure: Some(failure),
            ..Self::observed(text)
        }
    }
}
