//! The conversation as the agent sees it, independent of any provider's wire format.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What is asked of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// The tools on offer, in the order shown to the model.
    pub tools: Vec<ToolSpec>,
    /// Whether the model may, must or must not call a tool.
    pub tool_choice: ToolChoice,
    /// Whether one reply may hold several calls; `None` leaves it to the server.
    pub parallel_calls: Option<bool>,
    /// The longest reply in tokens; `None` leaves it to the server.
    pub max_tokens: Option<u32>,
    /// Sampling temperature; `None` leaves it to the server.
    pub temperature: Option<f64>,
    /// Sampling seed, where the server honours one.
    pub seed: Option<u64>,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Instructions that stand above the conversation.
    System {
        /// The instructions.
        text: String,
    },
    /// What the person, or the agent on their behalf, says.
    User {
        /// What is said.
        text: String,
    },
    /// What the model answered.
    Assistant {
        /// The visible answer; may be empty beside calls.
        text: String,
        /// The tools it wants called.
        calls: Vec<ToolCall>,
        /// Hidden reasoning that some servers want to see again.
        reasoning: Option<Reasoning>,
    },
    /// The result of one call.
    Tool {
        /// The [`ToolCall::id`] that this answers.
        call_id: String,
        /// The result as shown to the model.
        text: String,
    },
}

impl Message {
    /// Instructions.
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }

    /// A person's words.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// The result of the call `call_id`.
    pub fn tool(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Tool {
            call_id: call_id.into(),
            text: text.into(),
        }
    }
}

/// A call of a tool that a model asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Pairs the call with its result; unique within one reply, not across replies.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments.
    pub arguments: Arguments,
}

/// The arguments of a call.
///
/// A finished call with broken arguments is the model's mistake, not the server's: it is kept,
/// answered with an error the model can act on, and never executed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// A JSON object.
    Object(Map<String, Value>),
    /// Text that is no JSON object.
    Malformed {
        /// What the model wrote.
        text: String,
        /// Why it cannot be used.
        reason: String,
    },
}

/// Hidden reasoning, kept under the name the server used for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reasoning {
    /// The wire field, `reasoning_content` or `reasoning`.
    pub field: String,
    /// A string with most servers, an object or a list with some.
    pub value: Value,
}

/// A tool as it is offered to the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does, in a sentence or two for the model.
    pub description: String,
    /// JSON Schema of its arguments, always of type `object`.
    pub parameters: Value,
}

/// Whether the model may, must or must not call a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// It may.
    #[default]
    Auto,
    /// It must not.
    None,
    /// It must call at least one.
    Required,
    /// It must call this one. Some servers take this as [`ToolChoice::Auto`].
    Named(String),
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The visible text; empty when there was none.
    pub text: String,
    /// The calls to execute. Empty unless `finish` is [`Finish::ToolUse`]: calls of a reply that was
    /// cut off or refused are dropped here, so that nobody can execute them.
    pub calls: Vec<ToolCall>,
    /// Why the model stopped.
    pub finish: Finish,
    /// Hidden reasoning to send back.
    pub reasoning: Option<Reasoning>,
    /// Tokens used.
    pub usage: Usage,
    /// The model that answered, by the server's account.
    pub model: Option<String>,
    /// How the server departed from the format, for the journal.
    pub oddities: Vec<Oddity>,
}

impl Reply {
    /// The message that puts this reply into the conversation.
    pub fn to_message(&self) -> Message {
        Message::Assistant {
            text: self.text.clone(),
            calls: self.calls.clone(),
            reasoning: self.reasoning.clone(),
        }
    }
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It is done, with a text or, rarely, without one.
    EndOfTurn,
    /// It wants tools called.
    ToolUse,
    /// It ran out of tokens; the text is a fragment and calls are dropped.
    CutOff,
    /// It, or a filter before it, refused.
    Refused,
}

/// Tokens of one exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the reply.
    pub output: u64,
    /// Whether a figure is this program's guess because the server gave none.
    pub estimated: bool,
}

/// A departure from the wire format that was tolerated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Oddity {
    /// `finish_reason` said `stop` although there are calls.
    StopWithCalls,
    /// `finish_reason` said `tool_calls` although there are none.
    ToolUseWithoutCalls,
    /// There was no `finish_reason`, or one we do not know.
    UnknownFinish(String),
    /// `arguments` was a value, not a string holding JSON.
    ArgumentsNotText,
    /// A call had no id, or a blank one; one was made up.
    MissingId,
    /// Two calls had the same id; the later one was renamed.
    RepeatedId,
    /// `message.content` was a list of parts.
    ContentParts,
    /// There was no usage; it was estimated.
    MissingUsage,
    /// This many calls of an unfinished reply were dropped.
    DroppedCalls(usize),
    /// The server offered more than one choice; the first was taken.
    SeveralChoices(usize),
}
