//! Who answers the effects of an interpreted machine.

use std::future::Future;

use super::{Dispatch, EffectSpace, Fault, Space, Values};
use crate::contract::{Semantics, Value};

/// An effect as a handler of an interpreted machine sees it.
#[derive(Clone, Debug)]
pub struct EffectCall<'a> {
    /// The effect's name.
    pub name: &'a str,
    /// What it does to the world.
    pub semantics: Semantics,
    /// Argument names and values, in declared order.
    pub args: Vec<(&'a str, &'a Value)>,
}

impl EffectCall<'_> {
    /// An argument by name.
    pub fn arg(&self, name: &str) -> Option<&Value> {
        self.args
            .iter()
            .find(|(one, _)| *one == name)
            .map(|(_, value)| *value)
    }
}

/// An event as a handler of an interpreted machine answers it: a name and a payload.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedEvent {
    /// The event's name.
    pub name: String,
    /// Payload by field name; a field left out is none.
    pub payload: Vec<(String, Value)>,
}

/// Answers the effects of an interpreted machine.
pub trait ValueHandler {
    /// Answers one effect with one event of its `returns`; `None` only for `stop`.
    fn perform(
        &mut self,
        effect: EffectCall<'_>,
    ) -> impl Future<Output = Result<Option<NamedEvent>, Fault>> + Send;
}

impl<H: ValueHandler + Send + ?Sized> Dispatch<H> for EffectSpace {
    async fn dispatch(&self, handler: &mut H, effect: &Values) -> Result<Option<Values>, Fault> {
        let row = &self.model().effects[effect.index];
        let call = EffectCall {
            name: &row.name,
            semantics: row.semantics,
            args: row
                .args
                .iter()
                .map(|arg| arg.name.as_str())
                .zip(&effect.values)
                .collect(),
        };
        let Some(answer) = handler.perform(call).await? else {
            return Ok(None);
        };
        let payload = answer
            .payload
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()));
        let event = self.event(&answer.name, payload).map_err(Fault::escape)?;
        let allowed = row
            .returns
            .as_ref()
            .is_none_or(|returns| returns.contains(&event.index));
        if allowed {
            Ok(Some(event))
        } else {
            Err(Fault::Escape(format!(
                "`{}` is none of the returns of `{}`",
                answer.name, row.name
            )))
        }
    }
}
