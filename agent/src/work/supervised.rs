//! An agent's run with somebody who watches over it: the composition `supervised_agent`.

use std::sync::Arc;

use space_core::compose::{ComposedGuards, Product, Tagged};
use space_core::contract::Value;
use space_core::machine::{Fault, GuardTable, NameError, Space as _};
use space_core::runtime::{ComposedFinished, ComposedHandle, ComposedRunner};
use space_out::agent::{Agent, AgentCtx, AgentGuards as _, AgentState};
use space_out::supervisor::{DeliverOutcome, Supervisor, SupervisorHandler, SupervisorState};

use super::handler::{Guards, Work};
use super::stop::Stop;
use crate::composition::{self, Wrong};

/// The composition that is run.
const COMPOSITION: &str = "supervised_agent";
const AGENT: &str = "agent";
const SUPERVISOR: &str = "supervisor";

/// A supervised run that can be started.
pub struct Supervised {
    product: Arc<Product>,
}

/// Where a supervised run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The state of the agent.
    pub agent: AgentState,
    /// What the agent kept.
    pub ctx: AgentCtx,
    /// The state of the watch.
    pub supervisor: SupervisorState,
}

impl Supervised {
    /// The composition of the contract. This is the one place that knows how it is made.
    ///
    /// # Errors
    /// When the contract that was compiled in is wrong.
    pub fn new() -> Result<Self, Wrong> {
        let composed = composition::composed(COMPOSITION)?;
        Ok(Self {
            product: Arc::new(Product::of(Arc::new(composed))),
        })
    }

    /// A runner with its handlers, and the voice of who watches; limits and observer are the
    /// caller's.
    ///
    /// What the watch passes on it says with a voice of its own, so that a run that is paused waits
    /// for its clock even when nobody is left to resume it.
    pub fn runner(&self, work: Work) -> (ComposedRunner, Voice) {
        let has_goal = |ctx: &_, event: &_| Guards.has_goal(ctx, event);
        let guards = composition::guard(GuardTable::default(), "has_goal", Agent, has_goal);
        let guards = ComposedGuards::new().with(AGENT, guards);
        let (stop, meter) = (work.stop(), work.meter());
        let mut runner = ComposedRunner::new(Arc::clone(&self.product), guards)
            .meter(meter)
            .typed(AGENT, Agent, work);
        let voice = Voice {
            handle: runner.handle(),
            product: Arc::clone(&self.product),
            stop,
        };
        let passing = Passing(voice.clone());
        (runner.typed(SUPERVISOR, Supervisor, passing), voice)
    }

    /// The event that starts a run.
    ///
    /// # Errors
    /// When the contract has no such event.
    pub fn goal(&self, goal: &str) -> Result<Tagged, NameError> {
        let payload = [("goal", Value::Text(goal.to_owned()))];
        self.product.event(AGENT, "GoalGiven", payload)
    }

    /// Where a run ended, in the spaces' types; none when it was no run of this composition.
    pub fn ended<O>(&self, finished: &ComposedFinished<O>) -> Option<Ended> {
        let composed = self.product.composed();
        let (agent, supervisor) = (composed.component(AGENT)?, composed.component(SUPERVISOR)?);
        let state = |at: usize| Some(usize::from(finished.state.states.get(at)?.0));
        let slots = finished.state.ctx.get(agent)?.clone();
        Some(Ended {
            agent: Agent.state_at(state(agent)?)?,
            ctx: Agent.ctx_from(slots).ok()?,
            supervisor: Supervisor.state_at(state(supervisor)?)?,
        })
    }
}

/// What who watches can say. Clones speak to the same run.
#[derive(Clone)]
pub struct Voice {
    handle: ComposedHandle,
    product: Arc<Product>,
    stop: Stop,
}

/// The run does not hear: it has ended, or it has heard more than it can keep.
#[derive(Debug, thiserror::Error)]
#[error("the run does not hear `{said}`: {why}")]
pub struct Unheard {
    /// What was said.
    pub said: &'static str,
    /// Why.
    pub why: String,
}

impl Voice {
    /// Lets what is in flight come home, and nothing else start.
    ///
    /// # Errors
    /// When the run does not hear.
    pub fn pause(&self) -> Result<(), Unheard> {
        self.say_to(SUPERVISOR, "Pause", None)
    }

    /// Lets the run go on.
    ///
    /// # Errors
    /// When the run does not hear.
    pub fn resume(&self) -> Result<(), Unheard> {
        self.say_to(SUPERVISOR, "Resume", None)
    }

    /// Passes a message to the model, now or, while paused, when the run goes on.
    ///
    /// # Errors
    /// When the run does not hear.
    pub fn say(&self, message: &str) -> Result<(), Unheard> {
        self.say_to(SUPERVISOR, "Say", Some(("message", message)))
    }

    /// Ends the run. A tool that is at work is ended with it.
    ///
    /// # Errors
    /// When the run does not hear.
    pub fn cancel(&self, reason: &str) -> Result<(), Unheard> {
        self.stop.ask();
        self.say_to(SUPERVISOR, "Cancel", Some(("reason", reason)))
    }

    fn say_to(
        &self,
        component: &str,
        event: &'static str,
        field: Option<(&str, &str)>,
    ) -> Result<(), Unheard> {
        let unheard = |why: String| Unheard { said: event, why };
        let payload = field.map(|(name, text)| (name, Value::Text(text.to_owned())));
        let tagged = self.product.event(component, event, payload);
        let tagged = tagged.map_err(|error| unheard(error.to_string()))?;
        let sent = self.handle.send(tagged);
        sent.map_err(|error| unheard(error.to_string()))
    }
}

/// Interprets the supervisor's effects.
struct Passing(Voice);

impl SupervisorHandler for Passing {
    async fn deliver(&mut self, message: &str) -> Result<DeliverOutcome, Fault> {
        let passed = self.0.say_to(AGENT, "Steer", Some(("message", message)));
        passed.map_err(Fault::domain)?;
        Ok(DeliverOutcome::Delivered)
    }

    async fn close(&mut self, _: &str) -> Result<(), Fault> {
        Ok(())
    }
}
