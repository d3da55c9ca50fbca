//! OpenAI's Chat Completions as bytes: pure functions, no sockets.
//!
//! Reading is tolerant where real servers depart from the format and the meaning is still clear;
//! each departure is noted as an [`Oddity`]. It is strict where a guess could execute something:
//! calls are only handed out when the reply says that it is finished.

use serde_json::{Map, Value, json};

use super::error::ProviderError;
use super::message::{
    Arguments, Finish, Message, Oddity, Reasoning, Reply, Request, ToolCall, ToolChoice, Usage,
};
use super::openai_error::{from_value, unreadable};

/// How a server's dialect of the format differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The field for the longest reply: `max_tokens`, or `max_completion_tokens` with OpenAI's
    /// reasoning models, which reject the older name.
    pub max_tokens_field: &'static str,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            max_tokens_field: "max_tokens",
        }
    }
}

/// The JSON body of a request.
pub fn encode(request: &Request, model: &str, dialect: Dialect) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert(
        "messages".into(),
        request.messages.iter().map(encode_message).collect(),
    );
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "type": "function", "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            }})
        });
        body.insert("tools".into(), tools.collect());
        let choice = match &request.tool_choice {
            ToolChoice::Auto => json!("auto"),
            ToolChoice::None => json!("none"),
            ToolChoice::Required => json!("required"),
            ToolChoice::Named(name) => json!({ "type": "function", "function": { "name": name } }),
        };
        body.insert("tool_choice".into(), choice);
        if let Some(parallel) = request.parallel_calls {
            body.insert("parallel_tool_calls".into(), parallel.into());
        }
    }
    if let Some(max) = request.max_tokens {
        body.insert(dialect.max_tokens_field.into(), max.into());
    }
    if let Some(temperature) = request.temperature {
        body.insert("temperature".into(), temperature.into());
    }
    if let Some(seed) = request.seed {
        body.insert("seed".into(), seed.into());
    }
    body.insert("stream".into(), false.into());
    Value::Object(body)
}

fn encode_message(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({ "role": "system", "content": text }),
        Message::User { text } => json!({ "role": "user", "content": text }),
        Message::Tool { call_id, text } => {
            json!({ "role": "tool", "tool_call_id": call_id, "content": text })
        }
        Message::Assistant {
            text,
            calls,
            reasoning,
        } => {
            // Strict servers want `content: null` present beside calls, and a string without.
            let content = if text.is_empty() && !calls.is_empty() {
                Value::Null
            } else {
                text.as_str().into()
            };
            let mut body = Map::new();
            body.insert("role".into(), "assistant".into());
            body.insert("content".into(), content);
            if let Some(reasoning) = reasoning {
                body.insert(reasoning.field.clone(), reasoning.value.clone());
            }
            if !calls.is_empty() {
                body.insert("tool_calls".into(), calls.iter().map(encode_call).collect());
            }
            Value::Object(body)
        }
    }
}

fn encode_call(call: &ToolCall) -> Value {
    let arguments = match &call.arguments {
        Arguments::Object(object) => Value::Object(object.clone()),
        // Servers parse the history's arguments for their chat template and fail on broken JSON.
        Arguments::Malformed { text, .. } => json!({ "malformed_arguments": text }),
    };
    json!({
        "id": call.id,
        "type": "function",
        "function": { "name": wire_name(&call.name), "arguments": arguments.to_string() },
    })
}

/// A name that servers accept in the history: models invent `functions.read` and worse, and one
/// such name would get every later request rejected.
fn wire_name(name: &str) -> String {
    name.chars()
        .take(64)
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => c,
            _ => '_',
        })
        .collect()
}

/// Reads the body of a successful response (HTTP 2xx).
///
/// `request_bytes` is the size of the body that was sent, from which a missing usage is estimated.
pub fn decode(body: &[u8], request_bytes: usize) -> Result<Reply, ProviderError> {
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| unreadable(&format!("not JSON: {error}"), body))?;
    if let Some(error) = from_value(&value) {
        return Err(error);
    }
    let mut oddities = Vec::new();
    let choices = value["choices"].as_array().map_or(&[][..], Vec::as_slice);
    let Some(choice) = choices.first() else {
        return Err(unreadable("no choices", body));
    };
    if choices.len() > 1 {
        oddities.push(Oddity::SeveralChoices(choices.len()));
    }
    let message = &choice["message"];
    if !message.is_object() {
        return Err(unreadable("the choice has no message", body));
    }

    let mut text = read_text(&message["content"], &mut oddities);
    let refusal = message["refusal"].as_str().filter(|text| !text.is_empty());
    let read = read_calls(message, &mut oddities);
    let finish = if let Some(refusal) = refusal {
        refusal.clone_into(&mut text);
        Finish::Refused
    } else {
        read_finish(&choice["finish_reason"], !read.is_empty(), &mut oddities)?
    };
    let usage = read_usage(&value["usage"], request_bytes, &text, &read, &mut oddities);
    let calls = if finish == Finish::ToolUse {
        read
    } else {
        if !read.is_empty() {
            oddities.push(Oddity::DroppedCalls(read.len()));
        }
        Vec::new()
    };
    Ok(Reply {
        text,
        calls,
        finish,
        reasoning: read_reasoning(message),
        usage,
        model: value["model"].as_str().map(str::to_owned),
        oddities,
    })
}

fn read_text(content: &Value, oddities: &mut Vec<Oddity>) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            oddities.push(Oddity::ContentParts);
            parts
                .iter()
                .filter_map(|part| part["text"].as_str())
                .collect()
        }
        _ => String::new(),
    }
}

fn read_reasoning(message: &Value) -> Option<Reasoning> {
    ["reasoning_content", "reasoning"].iter().find_map(|field| {
        let value = &message[*field];
        // An empty one is left out: some servers reject it when it comes back.
        let empty = match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(parts) => parts.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        };
        (!empty).then(|| Reasoning {
            field: (*field).to_owned(),
            value: value.clone(),
        })
    })
}

fn read_finish(
    reason: &Value,
    has_calls: bool,
    oddities: &mut Vec<Oddity>,
) -> Result<Finish, ProviderError> {
    Ok(match reason.as_str() {
        Some("length" | "max_tokens" | "model_length") => Finish::CutOff,
        Some("content_filter" | "sensitive" | "refusal") => Finish::Refused,
        Some("stop" | "end_turn" | "stop_sequence" | "eos") if has_calls => {
            oddities.push(Oddity::StopWithCalls);
            Finish::ToolUse
        }
        Some("stop" | "end_turn" | "stop_sequence" | "eos") => Finish::EndOfTurn,
        Some("tool_calls" | "tool_use" | "function_call") if has_calls => Finish::ToolUse,
        Some("tool_calls" | "tool_use" | "function_call") => {
            oddities.push(Oddity::ToolUseWithoutCalls);
            Finish::EndOfTurn
        }
        // The server's way to say that it gave up half way.
        Some("insufficient_system_resource" | "network_error" | "error") => {
            return Err(ProviderError::Server {
                status: 200,
                retry_after: None,
                message: format!("generation ended with finish_reason {reason}"),
            });
        }
        // Without the server's word that the reply is whole, nothing in it may be executed.
        _ => {
            oddities.push(Oddity::UnknownFinish(match reason {
                Value::Null => "absent".to_owned(),
                other => other.to_string().chars().take(60).collect(),
            }));
            Finish::CutOff
        }
    })
}

fn read_calls(message: &Value, oddities: &mut Vec<Oddity>) -> Vec<ToolCall> {
    let legacy = &message["function_call"];
    let listed = message["tool_calls"].as_array();
    let found: Vec<(&Value, &Value)> = match listed {
        Some(calls) if !calls.is_empty() => calls
            .iter()
            .map(|call| (&call["id"], &call["function"]))
            .collect(),
        _ if legacy.is_object() => vec![(&Value::Null, legacy)],
        _ => Vec::new(),
    };
    let mut calls: Vec<ToolCall> = Vec::with_capacity(found.len());
    for (index, (id, function)) in found.into_iter().enumerate() {
        let given = match id {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let taken = |id: &str| calls.iter().any(|call| call.id == id);
        let id = if given.is_empty() {
            oddities.push(Oddity::MissingId);
            fresh_id(&format!("call_{index}"), taken)
        } else if taken(&given) {
            oddities.push(Oddity::RepeatedId);
            fresh_id(&format!("{given}_{index}"), taken)
        } else {
            given
        };
        let name = function["name"].as_str().map_or("", str::trim);
        let arguments = read_arguments(&function["arguments"], oddities);
        calls.push(ToolCall {
            id,
            name: if name.is_empty() { "unnamed" } else { name }.to_owned(),
            arguments,
        });
    }
    calls
}

fn fresh_id(wish: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut id = wish.to_owned();
    while taken(&id) {
        id.push('_');
    }
    id
}

fn read_arguments(arguments: &Value, oddities: &mut Vec<Oddity>) -> Arguments {
    match arguments {
        Value::String(text) => parse_arguments(text),
        // A call without arguments: written as nothing by some servers.
        Value::Null => Arguments::Object(Map::new()),
        Value::Object(object) => {
            oddities.push(Oddity::ArgumentsNotText);
            Arguments::Object(object.clone())
        }
        other => {
            oddities.push(Oddity::ArgumentsNotText);
            malformed(&other.to_string(), "not a JSON object")
        }
    }
}

/// Reads the text of a call's arguments; blank text is an empty object.
pub fn parse_arguments(text: &str) -> Arguments {
    if text.trim().is_empty() {
        return Arguments::Object(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Arguments::Object(object),
        Ok(_) => malformed(text, "not a JSON object"),
        Err(error) => malformed(text, &error.to_string()),
    }
}

fn malformed(text: &str, reason: &str) -> Arguments {
    Arguments::Malformed {
        text: text.to_owned(),
        reason: reason.to_owned(),
    }
}

fn read_usage(
    usage: &Value,
    request_bytes: usize,
    text: &str,
    calls: &[ToolCall],
    oddities: &mut Vec<Oddity>,
) -> Usage {
    // A request of zero tokens does not exist: gateways write 0 for "unknown".
    let input = usage["prompt_tokens"].as_u64().filter(|&tokens| tokens > 0);
    let output = usage["completion_tokens"]
        .as_u64()
        .filter(|_| input.is_some());
    if input.is_none() || output.is_none() {
        oddities.push(Oddity::MissingUsage);
    }
    let reply_bytes = || {
        let calls = calls.iter().map(|call| {
            call.name.len()
                + match &call.arguments {
                    Arguments::Object(object) => Value::Object(object.clone()).to_string().len(),
                    Arguments::Malformed { text, .. } => text.len(),
                }
        });
        text.len() + calls.sum::<usize>()
    };
    Usage {
        input: input.unwrap_or_else(|| estimate_tokens(request_bytes)),
        output: output.unwrap_or_else(|| estimate_tokens(reply_bytes())),
        estimated: input.is_none() || output.is_none(),
    }
}

/// A guess at the tokens in so many bytes of text: four bytes a token, rounded up.
pub fn estimate_tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}
