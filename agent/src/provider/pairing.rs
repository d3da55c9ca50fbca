//! The check every request passes before it leaves: each call has a result, each result a call.
//!
//! A conversation with an orphan is rejected by every server, for ever, because it is sent again
//! with each round. So it is caught here, where the fault is made.

use std::collections::BTreeSet;

use super::message::{Message, Request, ToolCall};

/// Checks that `request` can be sent.
///
/// The results of a reply's calls follow it directly, in any order, before anything else is said.
/// Ids are unique within one reply only: servers reuse them from turn to turn.
pub fn check(request: &Request) -> Result<(), PairingError> {
    if request.messages.is_empty() {
        return Err(PairingError::NoMessages);
    }
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for (at, message) in request.messages.iter().enumerate() {
        match message {
            Message::Tool { call_id, .. } => {
                if call_id.trim().is_empty() {
                    return Err(PairingError::EmptyId { at });
                }
                if !open.remove(call_id.as_str()) {
                    return Err(PairingError::ResultWithoutCall {
                        at,
                        id: call_id.clone(),
                    });
                }
            }
            _ if !open.is_empty() => return Err(unanswered(&open, at)),
            Message::Assistant { calls, .. } => open = open_calls(calls, at)?,
            Message::System { .. } | Message::User { .. } => {}
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(unanswered(&open, request.messages.len()))
    }
}

fn open_calls(calls: &[ToolCall], at: usize) -> Result<BTreeSet<&str>, PairingError> {
    let mut open = BTreeSet::new();
    for call in calls {
        if call.id.trim().is_empty() {
            return Err(PairingError::EmptyId { at });
        }
        if call.name.trim().is_empty() {
            return Err(PairingError::EmptyName { at });
        }
        if !open.insert(call.id.as_str()) {
            return Err(PairingError::RepeatedId {
                at,
                id: call.id.clone(),
            });
        }
    }
    Ok(open)
}

fn unanswered(open: &BTreeSet<&str>, at: usize) -> PairingError {
    PairingError::CallWithoutResult {
        at,
        ids: open.iter().map(ToString::to_string).collect(),
    }
}

/// Why a request must not be sent. `at` is the index of the message where it shows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairingError {
    /// Nothing is asked.
    #[error("the conversation has no messages")]
    NoMessages,
    /// An id is empty or blank.
    #[error("message {at} has a tool call or result with an empty id")]
    EmptyId {
        /// Index of the message.
        at: usize,
    },
    /// A call names no tool.
    #[error("message {at} has a tool call without a name")]
    EmptyName {
        /// Index of the message.
        at: usize,
    },
    /// Two calls of one reply share an id.
    #[error("message {at} has two tool calls with the id {id:?}")]
    RepeatedId {
        /// Index of the message.
        at: usize,
        /// The id.
        id: String,
    },
    /// Calls were not answered before the conversation went on.
    #[error("no result for the tool calls {ids:?} before message {at}")]
    CallWithoutResult {
        /// Index of the message that came instead.
        at: usize,
        /// The ids without a result.
        ids: Vec<String>,
    },
    /// A result answers no open call.
    #[error("message {at} is a result for {id:?}, which no open call has")]
    ResultWithoutCall {
        /// Index of the message.
        at: usize,
        /// The id.
        id: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::message::Arguments;

    fn calls(ids: &[&str]) -> Message {
        Message::Assistant {
            text: String::new(),
            calls: ids
                .iter()
                .map(|id| ToolCall {
                    id: (*id).to_owned(),
                    name: "read".to_owned(),
                    arguments: Arguments::Object(serde_json::Map::new()),
                })
                .collect(),
            reasoning: None,
        }
    }

    fn verdict(messages: Vec<Message>) -> Result<(), PairingError> {
        check(&Request {
            messages,
            ..Request::default()
        })
    }

    #[test]
    fn paired_conversations_pass() {
        let user = || Message::user("go");
        verdict(vec![user()]).unwrap();
        verdict(vec![
            user(),
            calls(&["a", "b"]),
            Message::tool("b", "2"),
            Message::tool("a", "1"),
            calls(&["a"]),
            Message::tool("a", "again"),
            calls(&[]),
        ])
        .unwrap();
    }

    #[test]
    fn unpaired_conversations_are_named() {
        let user = || Message::user("go");
        assert_eq!(verdict(vec![]), Err(PairingError::NoMessages));
        assert_eq!(
            verdict(vec![user(), calls(&["a", "b"]), Message::tool("a", "1")]),
            Err(PairingError::CallWithoutResult {
                at: 3,
                ids: vec!["b".to_owned()]
            })
        );
        assert_eq!(
            verdict(vec![user(), calls(&["a"]), user(), Message::tool("a", "1")]),
            Err(PairingError::CallWithoutResult {
                at: 2,
                ids: vec!["a".to_owned()]
            })
        );
        assert_eq!(
            verdict(vec![user(), Message::tool("a", "1")]),
            Err(PairingError::ResultWithoutCall {
                at: 1,
                id: "a".to_owned()
            })
        );
        assert_eq!(
            verdict(vec![
                user(),
                calls(&["a"]),
                Message::tool("a", "1"),
                Message::tool("a", "1")
            ]),
            Err(PairingError::ResultWithoutCall {
                at: 3,
                id: "a".to_owned()
            })
        );
        assert_eq!(
            verdict(vec![user(), calls(&["a", "a"])]),
            Err(PairingError::RepeatedId {
                at: 1,
                id: "a".to_owned()
            })
        );
        assert_eq!(
            verdict(vec![user(), calls(&[" "])]),
            Err(PairingError::EmptyId { at: 1 })
        );
    }
}
