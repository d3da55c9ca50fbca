//! Any contract as a machine, straight from its data.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::looped::Looped;
use super::{DecodeError, Rejection, Space, Step};
use super::{LoopBack, StateId, Values};
use crate::contract::{Base, Domain, Feedback, Value};
use crate::diagnostic::{Diagnostic, Severity};
use crate::gates;
use crate::graph::{ArgSource, Cell, LoopRow, Model, Param, Rule};

/// A machine that interprets a contract: no generated code, no compile step.
///
/// Held equal to the generated step by the tests that every space's products carry.
#[derive(Clone, Debug)]
pub struct EffectSpace {
    model: Arc<Model>,
    looped: Option<Looped>,
}

type GuardFn = Box<dyn Fn(&[Value], &Values) -> bool + Send + Sync>;

/// Guards of an interpreted machine, by name: predicates of the slots and the event.
#[derive(Default)]
pub struct GuardTable {
    guards: BTreeMap<String, GuardFn>,
}

impl GuardTable {
    /// With one more guard; the last of one name counts.
    #[must_use]
    pub fn with(
        mut self,
        name: impl Into<String>,
        guard: impl Fn(&[Value], &Values) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.guards.insert(name.into(), Box::new(guard));
        self
    }
}

impl fmt::Debug for GuardTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.guards.keys()).finish()
    }
}

impl EffectSpace {
    /// A machine of this contract with these loops around it, after passing both through the gates.
    ///
    /// # Errors
    /// All findings of the gates, when one of them is an error.
    pub fn from_contract(
        base: &Base,
        domain: &Domain,
        feedbacks: &[Feedback],
    ) -> Result<Self, Vec<Diagnostic>> {
        let resolved = Model::resolve(base, domain).filter(|_| !feedbacks.is_empty());
        let (looped, triggers, mut diagnostics) = Looped::of(base, resolved.as_ref(), feedbacks);
        let checked = gates::check_with(base, domain, &triggers);
        diagnostics.extend(checked.diagnostics);
        let failed = diagnostics
            .iter()
            .any(|one| one.severity() == Severity::Error);
        match checked.model {
            Some(model) if !failed => Ok(Self {
                model: Arc::new(model),
                looped,
            }),
            _ => Err(diagnostics),
        }
    }

    /// A machine of a contract that has passed its gates.
    pub(crate) fn of(model: Arc<Model>) -> Self {
        Self {
            model,
            looped: None,
        }
    }

    /// An event by name, its payload by field name; a field left out is none.
    ///
    /// # Errors
    /// When the contract declares no such event, or the values do not fit it.
    pub fn event<'a>(
        &self,
        name: &str,
        payload: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<Values, NameError> {
        let unknown = |name: &str| NameError::Unknown(name.to_owned());
        let index = self.model.event(name).ok_or_else(|| unknown(name))?;
        let fields = &self.model.events[index].payload;
        let mut values = vec![Value::None; fields.len()];
        for (field, value) in payload {
            let at = fields.iter().position(|one| one.name == field);
            values[at.ok_or_else(|| unknown(field))?] = value;
        }
        self.event_from(index, values).map_err(NameError::Values)
    }

    fn handle(
        &self,
        rule: &Rule,
        ctx: &mut [Value],
        event: Values,
    ) -> Step<StateId, Values, Values> {
        let empty = rule.effect.and_then(|effect| {
            let args = self.model.effects[effect].args.iter().zip(&rule.args);
            args.filter(|(param, _)| !param.ty.is_optional())
                .find_map(|(_, source)| match source {
                    ArgSource::Slot(slot) if ctx[*slot] == Value::None => Some(*slot),
                    _ => None,
                })
        });
        if let Some(slot) = empty {
            return Step::Rejected {
                event,
                reason: Rejection::EmptySlot { slot: small(slot) },
            };
        }
        let effect = rule.effect.map(|index| Values {
            index,
            values: rule
                .args
                .iter()
                .map(|source| match source {
                    ArgSource::Field(field) => event.values[*field].clone(),
                    ArgSource::Slot(slot) => ctx[*slot].clone(),
                })
                .collect(),
        });
        for (slot, field) in &rule.assigns {
            ctx[*slot] = event.values[*field].clone();
        }
        Step::Handled {
            state: StateId(small(rule.to)),
            effect,
        }
    }
}

/// The gates refuse longer tables.
fn small(index: usize) -> u16 {
    u16::try_from(index).unwrap_or(u16::MAX)
}

fn decode(
    rows: Option<&Vec<Param>>,
    index: usize,
    values: Vec<Value>,
) -> Result<Values, DecodeError> {
    let params = rows.ok_or(DecodeError::NoRow { index })?;
    if params.len() != values.len() {
        return Err(DecodeError::Count {
            expected: params.len(),
            found: values.len(),
        });
    }
    let wrong = params
        .iter()
        .zip(&values)
        .position(|(param, value)| !value.is(&param.ty));
    match wrong {
        Some(field) => Err(DecodeError::wrong(field, &params[field].ty, &values[field])),
        None => Ok(Values { index, values }),
    }
}

impl Space for EffectSpace {
    type State = StateId;
    type Event = Values;
    type Effect = Values;
    type Ctx = Vec<Value>;
    type Guards = GuardTable;

    fn model(&self) -> &Model {
        &self.model
    }

    fn initial(&self) -> StateId {
        StateId(small(self.model.initial))
    }

    fn context(&self) -> Vec<Value> {
        self.model
            .slots
            .iter()
            .map(|slot| slot.default.clone().unwrap_or_default())
            .collect()
    }

    fn step(
        &self,
        state: StateId,
        ctx: &mut Vec<Value>,
        event: Values,
        guards: &GuardTable,
    ) -> Step<StateId, Values, Values> {
        let rejected = |event, reason| Step::Rejected { event, reason };
        if usize::from(state.0) >= self.model.states.len() || event.index >= self.model.events.len()
        {
            return rejected(event, Rejection::NoRule);
        }
        let rule = match self.model.cell(state.0.into(), event.index) {
            Cell::Rule(rule) => rule,
            Cell::Ignored => return Step::Ignored { event },
            Cell::Empty => return rejected(event, Rejection::NoRule),
        };
        if let Some((guard, negated)) = rule.guard {
            // A guard that nobody implements refuses: nothing may happen that was not allowed.
            let answer = guards.guards.get(&self.model.guards[guard].name);
            if answer.is_none_or(|answer| answer(ctx, &event) == negated) {
                return rejected(
                    event,
                    Rejection::GuardRefused {
                        guard: small(guard),
                    },
                );
            }
        }
        self.handle(rule, ctx, event)
    }

    fn missing_guards(&self, guards: &GuardTable) -> Vec<String> {
        let named = |rule: &Rule| rule.guard.map(|(guard, _)| guard);
        let mut used: Vec<_> = self.model.rules.iter().filter_map(named).collect();
        used.sort_unstable();
        used.dedup();
        used.into_iter()
            .map(|guard| &self.model.guards[guard].name)
            .filter(|name| !guards.guards.contains_key(*name))
            .cloned()
            .collect()
    }

    fn state_index(&self, state: StateId) -> usize {
        state.0.into()
    }

    fn state_at(&self, index: usize) -> Option<StateId> {
        (index < self.model.states.len()).then(|| StateId(small(index)))
    }

    fn event_index(&self, event: &Values) -> usize {
        event.index
    }

    fn event_values(&self, event: &Values) -> Vec<Value> {
        event.values.clone()
    }

    fn event_from(&self, index: usize, values: Vec<Value>) -> Result<Values, DecodeError> {
        decode(
            self.model.events.get(index).map(|row| &row.payload),
            index,
            values,
        )
    }

    fn effect_index(&self, effect: &Values) -> usize {
        effect.index
    }

    fn effect_values(&self, effect: &Values) -> Vec<Value> {
        effect.values.clone()
    }

    fn effect_from(&self, index: usize, values: Vec<Value>) -> Result<Values, DecodeError> {
        decode(
            self.model.effects.get(index).map(|row| &row.args),
            index,
            values,
        )
    }

    fn ctx_values(&self, ctx: &Vec<Value>) -> Vec<Value> {
        ctx.clone()
    }

    fn ctx_from(&self, values: Vec<Value>) -> Result<Vec<Value>, DecodeError> {
        let slots = &self.model.slots;
        if slots.len() != values.len() {
            return Err(DecodeError::Count {
                expected: slots.len(),
                found: values.len(),
            });
        }
        let fits = |(slot, value): (&crate::graph::SlotRow, &Value)| {
            value.is(&slot.ty) || (slot.can_be_empty() && *value == Value::None)
        };
        match slots.iter().zip(&values).position(|pair| !fits(pair)) {
            Some(at) => Err(DecodeError::wrong(at, &slots[at].ty, &values[at])),
            None => Ok(values),
        }
    }

    fn loops(&self) -> &[LoopRow] {
        self.looped.as_ref().map_or(&[], Looped::loops)
    }

    fn loop_back(&self, state: StateId, ctx: &Vec<Value>) -> Option<LoopBack<StateId, Values>> {
        let back = self.looped.as_ref()?.back(state.0.into(), ctx)?;
        Some(LoopBack {
            feedback: back.feedback,
            from: StateId(small(back.from)),
            event: back.event,
        })
    }

    fn sentinel(&self, effect: &Values, error: String) -> Option<Values> {
        let index = self.model.effects.get(effect.index)?.sentinel?;
        let mut error = Some(error);
        let values = self.model.events[index].payload.iter().map(|field| {
            if field.ty.is_optional() {
                Value::None
            } else {
                Value::Text(error.take().unwrap_or_default())
            }
        });
        Some(Values {
            index,
            values: values.collect(),
        })
    }
}

/// An event or field that a contract does not declare, or values that do not fit.
#[derive(Clone, Debug, PartialEq)]
pub enum NameError {
    /// The contract declares no such name.
    Unknown(String),
    /// The values do not fit the declaration.
    Values(DecodeError),
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "the contract declares no `{name}`"),
            Self::Values(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NameError {}
