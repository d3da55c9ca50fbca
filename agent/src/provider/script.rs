//! A provider that plays a file of replies: for tests, and for a first run without a key.
//!
//! ```toml
//! [[step]]                                  # the first reply
//! text = "Let me look."
//! [[step.call]]
//! tool = "read"
//! arguments = { path = "src/lib.rs" }
//!
//! [[step]]                                  # the second
//! expect = { tool_contains = "fn main" }    # about the request that asks for it
//! text = "It prints a greeting."
//! ```
//!
//! A step's `expect` holds the script to what really happened: when a tool answers differently from
//! what the author saw, the script fails at that step instead of drifting on. Asking for more
//! replies than there are is an error.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::ProviderError;
use super::message::{Arguments, Finish, Message, Reply, Request, ToolCall, Usage};
use super::openai::{encode, estimate_tokens, parse_arguments};
use super::{ChatFuture, ModelProvider, pairing};

/// A file of replies.
#[derive(Debug)]
pub struct Script {
    name: String,
    steps: Vec<Step>,
    next: AtomicUsize,
}

impl Script {
    /// Reads the script in `file`.
    pub fn open(file: &Path) -> Result<Self, ScriptError> {
        let text = std::fs::read_to_string(file).map_err(|error| ScriptError::File {
            file: file.display().to_string(),
            message: error.to_string(),
        })?;
        let name = file
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Self::parse(&name, &text)
    }

    /// Reads a script from its text; `name` is used in [`ModelProvider::name`].
    pub fn parse(name: &str, text: &str) -> Result<Self, ScriptError> {
        let file: File = toml::from_str(text).map_err(|error| ScriptError::Syntax {
            message: error.to_string().trim_end().to_owned(),
        })?;
        if file.step.is_empty() {
            return Err(ScriptError::Empty);
        }
        let fault = |(index, step): (usize, &Step)| {
            let message = step.fault()?;
            let step = index + 1;
            Some(ScriptError::Step { step, message })
        };
        if let Some(error) = file.step.iter().enumerate().find_map(fault) {
            return Err(error);
        }
        Ok(Self {
            name: format!("script/{name}"),
            steps: file.step,
            next: AtomicUsize::new(0),
        })
    }

    /// Continues after `done` replies, for a run that is resumed.
    #[must_use]
    pub fn after(mut self, done: usize) -> Self {
        self.next = AtomicUsize::new(done);
        self
    }

    /// Replies that were not asked for.
    pub fn remaining(&self) -> usize {
        self.steps
            .len()
            .saturating_sub(self.next.load(Ordering::SeqCst))
    }

    fn play(&self, request: &Request) -> Result<Reply, ProviderError> {
        pairing::check(request)?;
        let index = self.next.fetch_add(1, Ordering::SeqCst);
        let failed = |message: String| ProviderError::Script {
            step: index + 1,
            message,
        };
        let Some(step) = self.steps.get(index) else {
            return Err(failed(format!(
                "the script has only {} steps",
                self.steps.len()
            )));
        };
        step.expect.check(request).map_err(failed)?;
        if let Some(message) = &step.fail {
            return Err(ProviderError::Server {
                status: 500,
                retry_after: None,
                message: message.clone(),
            });
        }
        Ok(step.reply(index, request, &self.name))
    }
}

impl ModelProvider for Script {
    fn name(&self) -> &str {
        &self.name
    }

    fn chat<'a>(&'a self, request: &'a Request) -> ChatFuture<'a> {
        Box::pin(async move { self.play(request) })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    step: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    text: Option<String>,
    #[serde(default)]
    call: Vec<Call>,
    finish: Option<Finish>,
    /// A server error instead of a reply.
    fail: Option<String>,
    #[serde(default)]
    expect: Expect,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    id: Option<String>,
    arguments: Option<Map<String, Value>>,
    /// The arguments as text, to play a model that writes broken JSON.
    raw: Option<String>,
}

impl Step {
    fn fault(&self) -> Option<&'static str> {
        let replies = self.text.is_some() || !self.call.is_empty() || self.finish.is_some();
        let both = |call: &Call| call.arguments.is_some() && call.raw.is_some();
        if self.call.iter().any(both) {
            return Some("a call has both `arguments` and `raw`");
        }
        match self.finish {
            _ if self.fail.is_some() && replies => Some("a step that fails has no reply"),
            _ if self.fail.is_some() => None,
            None if !replies => Some("it says nothing: give it `text`, `call`, `finish` or `fail`"),
            Some(Finish::ToolUse) if self.call.is_empty() => {
                Some("`finish = \"tool_use\"` needs a `call`")
            }
            Some(Finish::EndOfTurn) if !self.call.is_empty() => {
                Some("a step with calls cannot be the end of the turn")
            }
            _ => None,
        }
    }

    fn reply(&self, index: usize, request: &Request, name: &str) -> Reply {
        let finish = self.finish.unwrap_or(if self.call.is_empty() {
            Finish::EndOfTurn
        } else {
            Finish::ToolUse
        });
        let calls = self.call.iter().enumerate().map(|(n, call)| ToolCall {
            id: match &call.id {
                Some(id) => id.clone(),
                None => format!("call-{}-{}", index + 1, n + 1),
            },
            name: call.tool.clone(),
            arguments: match (&call.raw, &call.arguments) {
                (Some(raw), _) => parse_arguments(raw),
                (None, Some(object)) => Arguments::Object(object.clone()),
                (None, None) => Arguments::Object(Map::new()),
            },
        });
        let text = self.text.clone().unwrap_or_default();
        let sent = encode(request, name, super::openai::Dialect::default()).to_string();
        let said = text.len()
            + self
                .call
                .iter()
                .map(|call| call.tool.len() + 40)
                .sum::<usize>();
        Reply {
            calls: if finish == Finish::ToolUse {
                calls.collect()
            } else {
                Vec::new()
            },
            finish,
            reasoning: None,
            usage: Usage {
                input: estimate_tokens(sent.len()),
                output: estimate_tokens(said),
                estimated: true,
            },
            model: Some(name.to_owned()),
            oddities: Vec::new(),
            text,
        }
    }
}

/// What a step expects of the request that asks for it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    /// Text in the latest tool result.
    tool_contains: Option<OneOrMore>,
    /// Text not in the latest tool result.
    tool_lacks: Option<OneOrMore>,
    /// Text in the latest words of the user (a task, a failed proof).
    user_contains: Option<OneOrMore>,
    /// The tool results since the latest reply.
    results: Option<usize>,
    /// Tools that are on offer.
    offers: Option<OneOrMore>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn all(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::More(texts) => texts,
        }
    }
}

impl Expect {
    fn check(&self, request: &Request) -> Result<(), String> {
        let messages = || request.messages.iter().rev();
        let tool = messages().find_map(|message| match message {
            Message::Tool { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let user = messages().find_map(|message| match message {
            Message::User { text } => Some(text.as_str()),
            _ => None,
        });
        contains("the latest tool result", tool, self.tool_contains.as_ref())?;
        contains(
            "the user's latest message",
            user,
            self.user_contains.as_ref(),
        )?;
        for unwanted in self.tool_lacks.iter().flat_map(OneOrMore::all) {
            if tool.is_some_and(|text| text.contains(unwanted)) {
                return Err(format!("the latest tool result contains {unwanted:?}"));
            }
        }
        if let Some(expected) = self.results {
            let results = messages()
                .take_while(|message| !matches!(message, Message::Assistant { .. }))
                .filter(|message| matches!(message, Message::Tool { .. }))
                .count();
            if results != expected {
                return Err(format!("expected {expected} tool results, got {results}"));
            }
        }
        for name in self.offers.iter().flat_map(OneOrMore::all) {
            if !request.tools.iter().any(|tool| &tool.name == name) {
                return Err(format!("the tool {name:?} is not on offer"));
            }
        }
        Ok(())
    }
}

fn contains(what: &str, text: Option<&str>, wanted: Option<&OneOrMore>) -> Result<(), String> {
    for wanted in wanted.into_iter().flat_map(OneOrMore::all) {
        match text {
            None => return Err(format!("there is no {}", what.trim_start_matches("the "))),
            Some(text) if !text.contains(wanted) => {
                let start: String = text.chars().take(300).collect();
                return Err(format!("{what} lacks {wanted:?}; it begins {start:?}"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Why a script cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("the script {file} cannot be read: {message}")]
    File {
        /// The file.
        file: String,
        /// Why.
        message: String,
    },
    /// It is not the TOML expected.
    #[error("the script is not well formed: {message}")]
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// It has no steps.
    #[error("the script has no steps")]
    Empty,
    /// A step contradicts itself.
    #[error("script step {step}: {message}")]
    Step {
        /// Counted from 1.
        step: usize,
        /// What is wrong.
        message: &'static str,
    },
}
