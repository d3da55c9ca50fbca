//! What keeps a conversation one that can be sent.

use space_core::machine::Json;

use crate::provider::{Arguments, Message, ToolCall};

const NO_RESULT: &str = "no result: something else came first, and whether it ran is not known";

/// Answers the calls at the end of the conversation that have no result: a person's message
/// overtook them, or they were dropped when the time was over.
///
/// They have to be answered before anything else is said.
pub(super) fn settle(messages: &mut Vec<Message>) {
    let results = messages
        .iter()
        .rev()
        .take_while(|message| matches!(message, Message::Tool { .. }))
        .count();
    let (before, after) = messages.split_at(messages.len() - results);
    let Some(Message::Assistant { calls, .. }) = before.last() else {
        return;
    };
    let is_answered = |call: &&ToolCall| {
        after
            .iter()
            .any(|message| matches!(message, Message::Tool { call_id, .. } if *call_id == call.id))
    };
    let open: Vec<_> = calls
        .iter()
        .filter(|call| !is_answered(call))
        .map(|call| Message::tool(&call.id, NO_RESULT))
        .collect();
    messages.extend(open);
}

/// The call as it can be kept and run. Arguments with a number that would have to be rounded are
/// the model's mistake, which it is told like any other.
pub(super) fn kept_call(call: ToolCall) -> ToolCall {
    let Arguments::Object(object) = &call.arguments else {
        return call;
    };
    let value = serde_json::Value::Object(object.clone());
    let text = value.to_string();
    match Json::try_from(value) {
        Ok(_) => call,
        Err(error) => ToolCall {
            arguments: Arguments::Malformed {
                text,
                reason: error.to_string(),
            },
            ..call
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{Request, pairing};

    fn call(id: &str, arguments: &str) -> ToolCall {
        ToolCall {
            id: id.into(),
            name: "read".into(),
            arguments: crate::provider::openai::parse_arguments(arguments),
        }
    }

    fn asked(ids: &[&str]) -> Message {
        Message::Assistant {
            text: String::new(),
            calls: ids.iter().map(|id| call(id, "{}")).collect(),
            reasoning: None,
        }
    }

    #[test]
    fn open_calls_are_answered_and_nothing_else_is_touched() {
        let user = || Message::user("go");
        let result = |id: &str| Message::tool(id, "done");
        for (messages, added) in [
            (vec![], 0),
            (vec![user()], 0),
            (vec![user(), asked(&[])], 0),
            (vec![user(), asked(&["a", "b"])], 2),
            (vec![user(), asked(&["a", "b"]), result("b")], 1),
            (vec![user(), asked(&["a"]), result("a")], 0),
            (vec![user(), asked(&["a"]), result("a"), user()], 0),
        ] {
            let mut settled = messages.clone();
            settle(&mut settled);
            assert_eq!(settled[..messages.len()], messages);
            assert_eq!(settled.len(), messages.len() + added);
            settled.push(user());
            let request = Request {
                messages: settled,
                ..Request::default()
            };
            pairing::check(&request).unwrap();
        }
    }

    #[test]
    fn a_number_that_does_not_fit_is_the_models_mistake() {
        let fine = call("a", r#"{"start": 9223372036854775807}"#);
        assert_eq!(kept_call(fine.clone()), fine);
        let kept = kept_call(call("a", r#"{"start": 9223372036854775808}"#));
        assert!(
            matches!(&kept.arguments, Arguments::Malformed { reason, .. } if reason.contains("64")),
            "{kept:?}"
        );
    }
}
