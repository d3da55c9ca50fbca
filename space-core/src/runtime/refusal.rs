//! What must be right before the first step.

use std::fmt;

use super::{Limits, Policy};
use crate::graph::{self, Model};
use crate::machine::{Semantics, Space};

/// A run that was not started, with all that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The space.
    pub space: String,
    /// All reasons; at least one.
    pub reasons: Vec<Refusal>,
}

/// Why a run was not started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A rule names a guard that nobody implements.
    MissingGuard {
        /// The guard.
        guard: String,
    },
    /// A component of a composition asks for effects, and has no handler.
    MissingHandler {
        /// The component.
        component: String,
    },
    /// The rules have a cycle, and neither rounds nor clock are limited.
    UnboundedCycle {
        /// Where the cycle starts and ends.
        start: String,
        /// One cycle: event and the state it leads to.
        steps: Vec<(String, String)>,
    },
    /// A limit or policy names an effect that the contract does not declare.
    UnknownEffect {
        /// What was named.
        effect: String,
        /// Where: `limits` or `policy`.
        named_in: &'static str,
    },
    /// A policy retries an effect that is no query and is not declared idempotent.
    UnsafeRetry {
        /// The effect.
        effect: String,
        /// What it does to the world.
        semantics: Semantics,
    },
}

/// Everything that is wrong with a run before it starts.
pub(super) fn check<S: Space>(
    space: &S,
    guards: &S::Guards,
    limits: &Limits,
    policy: &Policy,
) -> Result<(), Refused> {
    let model = space.model();
    let mut reasons: Vec<_> = space
        .missing_guards(guards)
        .into_iter()
        .map(|guard| Refusal::MissingGuard { guard })
        .collect();
    if limits.rounds.is_none() && limits.clock.is_none() {
        reasons.extend(cycle(model));
    }
    reasons.extend(effects(limits, policy, |name| {
        let row = model.effect(name)?;
        Some(model.effects[row].semantics)
    }));
    if reasons.is_empty() {
        return Ok(());
    }
    Err(Refused {
        space: model.name.clone(),
        reasons,
    })
}

/// What is wrong with the effects that limits and policy name.
pub(super) fn effects(
    limits: &Limits,
    policy: &Policy,
    semantics: impl Fn(&str) -> Option<Semantics>,
) -> Vec<Refusal> {
    let mut reasons = Vec::new();
    let limited = limits.counts.keys().chain(limits.times.keys());
    let named = limited
        .map(|name| (name, "limits"))
        .chain(policy.effects.keys().map(|name| (name, "policy")));
    for (effect, named_in) in named.filter(|(name, _)| semantics(name).is_none()) {
        let unknown = Refusal::UnknownEffect {
            effect: effect.clone(),
            named_in,
        };
        if !reasons.contains(&unknown) {
            reasons.push(unknown);
        }
    }
    for (name, policy) in &policy.effects {
        let Some(semantics) = semantics(name) else {
            continue;
        };
        if policy.retries > 0 && !policy.idempotent && semantics != Semantics::Query {
            reasons.push(Refusal::UnsafeRetry {
                effect: name.clone(),
                semantics,
            });
        }
    }
    reasons
}

/// A cycle of the rules that a run can get into: the one that the gates note.
pub(super) fn cycle(model: &Model) -> Option<Refusal> {
    let rules: Vec<_> = graph::cycle(model)?
        .into_iter()
        .map(|at| &model.rules[at])
        .collect();
    let steps = rules.iter().map(|rule| {
        (
            model.events[rule.on].name.clone(),
            model.states[rule.to].name.clone(),
        )
    });
    Some(Refusal::UnboundedCycle {
        start: model.states[rules.first()?.from].name.clone(),
        steps: steps.collect(),
    })
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a run of `{}` cannot start", self.space)?;
        for reason in &self.reasons {
            write!(f, "\n- {reason}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingGuard { guard } => write!(f, "guard `{guard}` is not implemented"),
            Self::MissingHandler { component } => {
                write!(f, "component `{component}` has no handler")
            }
            Self::UnboundedCycle { start, steps } => {
                write!(
                    f,
                    "unbounded cycle: the rules can go in a circle, and neither rounds nor clock \
                     are limited: {start}"
                )?;
                for (event, state) in steps {
                    write!(f, " --{event}--> {state}")?;
                }
                Ok(())
            }
            Self::UnknownEffect { effect, named_in } => {
                write!(
                    f,
                    "the {named_in} name `{effect}`, which is no effect of the contract"
                )
            }
            Self::UnsafeRetry { effect, semantics } => write!(
                f,
                "the policy retries `{effect}`, which is a {} and not declared idempotent",
                semantics.name()
            ),
        }
    }
}
