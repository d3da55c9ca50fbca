//! What a model's reply comes to. Judged here, so that the table never branches on values.

use space_core::machine::Json;

use crate::provider::{Finish, Reply, ToolCall};

/// What the model's reply comes to.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    Final(String),
    ToolCalls(Json),
    CutOff(String),
    Refused(String),
    Failed(String),
}

/// Judges a reply. Calls are looked at only when the reply says that it is whole.
pub(super) fn judge(reply: &Reply) -> Answer {
    match reply.finish {
        Finish::EndOfTurn => Answer::Final(reply.text.clone()),
        // A request for no tool is no request.
        Finish::ToolUse if reply.calls.is_empty() => Answer::Final(reply.text.clone()),
        Finish::CutOff => Answer::CutOff(reply.text.clone()),
        Finish::Refused if reply.text.trim().is_empty() => {
            Answer::Refused("the model declined and gave no reason".into())
        }
        Finish::Refused => Answer::Refused(reply.text.clone()),
        Finish::ToolUse => match calls_json(&reply.calls) {
            Ok(calls) => Answer::ToolCalls(calls),
            Err(error) => Answer::Failed(error),
        },
    }
}

fn calls_json(calls: &[ToolCall]) -> Result<Json, String> {
    let value = serde_json::to_value(calls).map_err(|error| error.to_string())?;
    Json::try_from(value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Usage;
    use crate::provider::openai::parse_arguments;

    fn reply(finish: Finish, text: &str, arguments: &[&str]) -> Reply {
        let call = |(index, arguments): (usize, &&str)| ToolCall {
            id: format!("call-{index}"),
            name: "read".into(),
            arguments: parse_arguments(arguments),
        };
        Reply {
            text: text.into(),
            calls: arguments.iter().enumerate().map(call).collect(),
            finish,
            reasoning: None,
            usage: Usage::default(),
            model: None,
            oddities: Vec::new(),
        }
    }

    #[test]
    fn only_a_whole_reply_has_calls() {
        let calls = [r#"{"path": "a"}"#];
        let judged = |finish| judge(&reply(finish, "text", &calls));
        assert_eq!(judged(Finish::CutOff), Answer::CutOff("text".into()));
        assert_eq!(judged(Finish::Refused), Answer::Refused("text".into()));
        assert_eq!(judged(Finish::EndOfTurn), Answer::Final("text".into()));
        assert!(matches!(judged(Finish::ToolUse), Answer::ToolCalls(_)));
    }

    #[test]
    fn calls_come_back_as_they_were() {
        // Broken arguments are the model's to repair, and are handed on as what they are.
        let reply = reply(
            Finish::ToolUse,
            "",
            &[r#"{"a": [1, 2.5, null]}"#, "{broken"],
        );
        let Answer::ToolCalls(json) = judge(&reply) else {
            panic!("{reply:?}");
        };
        let back: Vec<ToolCall> = serde_json::from_value((&json).into()).unwrap();
        assert_eq!(back, reply.calls);
    }

    #[test]
    fn what_says_nothing_has_a_meaning_all_the_same() {
        let silent = |finish| judge(&reply(finish, "", &[]));
        assert_eq!(silent(Finish::ToolUse), Answer::Final(String::new()));
        assert_eq!(silent(Finish::EndOfTurn), Answer::Final(String::new()));
        assert!(matches!(silent(Finish::Refused), Answer::Refused(reason) if !reason.is_empty()));
    }
}
