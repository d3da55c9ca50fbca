//! What an error body means: the classes a caller acts on.

use std::time::Duration;

use serde_json::Value;

use super::error::ProviderError;

/// The error of a response with a status that is no success.
pub fn decode_error(status: u16, retry_after: Option<Duration>, body: &[u8]) -> ProviderError {
    let value: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let said = Said::find(&value).unwrap_or_else(|| Said {
        message: excerpt(body),
        code: String::new(),
    });
    classify(status, retry_after, said)
}

/// The error object inside a body that came with a successful status, if there is one.
pub(super) fn from_value(value: &Value) -> Option<ProviderError> {
    let is_error = !value["error"].is_null() || value["object"] == "error";
    if !is_error {
        return None;
    }
    let said = Said::find(value).unwrap_or_else(|| Said {
        message: clip(&value.to_string()),
        code: String::new(),
    });
    let code = [&value["error"]["code"], &value["code"]]
        .into_iter()
        .find_map(Value::as_u64)
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code));
    Some(match code {
        Some(status) => classify(status, None, said),
        None if said.is_quota() || said.is_too_long() => classify(400, None, said),
        None if said.code.contains("rate_limit") => classify(429, None, said),
        None if said.code.contains("overloaded") => classify(529, None, said),
        None => ProviderError::InBand {
            message: said.message,
        },
    })
}

/// A body that cannot be read, with its beginning.
pub(super) fn unreadable(what: &str, body: &[u8]) -> ProviderError {
    ProviderError::Unreadable {
        message: format!("{what}; {} bytes beginning {:?}", body.len(), excerpt(body)),
    }
}

/// The server's words and its code or type.
struct Said {
    message: String,
    code: String,
}

impl Said {
    fn find(value: &Value) -> Option<Self> {
        let error = &value["error"];
        let message = [
            &error["message"],
            error,
            &value["message"],
            &value["detail"],
            &value["msg"],
        ]
        .into_iter()
        .find_map(|value| match value {
            Value::String(text) if !text.is_empty() => Some(clip(text)),
            Value::Array(_) => Some(clip(&value.to_string())),
            _ => None,
        })?;
        let code = [
            &error["code"],
            &error["type"],
            &value["code"],
            &value["type"],
        ]
        .into_iter()
        .filter_map(Value::as_str)
        .collect::<Vec<_>>()
        .join(" ");
        Some(Self { message, code })
    }

    fn is_quota(&self) -> bool {
        self.code.contains("insufficient_quota") || self.code.contains("insufficient_balance")
    }

    fn is_too_long(&self) -> bool {
        self.code.contains("context_length_exceeded")
            || self.code.contains("exceed_context_size")
            || self.message.contains("maximum context length")
    }
}

fn classify(status: u16, retry_after: Option<Duration>, said: Said) -> ProviderError {
    if status == 402 || said.is_quota() {
        return ProviderError::Quota {
            message: said.message,
        };
    }
    if said.is_too_long() {
        return ProviderError::TooLong {
            message: said.message,
        };
    }
    let message = said.message;
    match status {
        401 | 403 => ProviderError::Key { status, message },
        429 => ProviderError::RateLimited {
            retry_after,
            message,
        },
        408 | 500.. => ProviderError::Server {
            status,
            retry_after,
            message,
        },
        _ => ProviderError::Rejected { status, message },
    }
}

fn excerpt(body: &[u8]) -> String {
    // Decoding only the start keeps a huge body from being copied for its first line.
    let text = clip(&String::from_utf8_lossy(&body[..body.len().min(2_000)]));
    if text.is_empty() {
        "the body is empty".to_owned()
    } else {
        text
    }
}

fn clip(text: &str) -> String {
    const LONGEST: usize = 500;
    let mut clipped: String = text.trim().chars().take(LONGEST).collect();
    if clipped.len() < text.trim().len() {
        clipped.push('…');
    }
    clipped
}
