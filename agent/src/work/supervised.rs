//! An agent's run with somebody who watches over it: the composition `supervised_agent`.

use space_core::compose::{ComposedSpace as _, Tagged};
use space_core::machine::Fault;
use space_core::runtime::{ComposedFinished, ComposedHandle, ComposedRunner};
use space_out::agent::{Agent, AgentEvent};
use space_out::supervised_agent::{
    SupervisedAgent, SupervisedAgentEvent, SupervisedAgentGuards, SupervisedAgentRun,
};
use space_out::supervisor::{DeliverOutcome, Supervisor, SupervisorEvent, SupervisorHandler};

use super::handler::{Guards, Work};
use super::stop::Stop;

/// A runner with its handlers, and the voice of who watches; limits and observer are the caller's.
///
/// What the watch passes on it says with a voice of its own, so that a run that is paused waits
/// for its clock even when nobody is left to resume it.
pub fn runner(work: Work) -> (ComposedRunner, Voice) {
    let guards = SupervisedAgentGuards {
        agent: Box::new(Guards),
        supervisor: Box::new(()),
    };
    let (stop, meter) = (work.stop(), work.meter());
    let mut runner = ComposedRunner::of(SupervisedAgent, guards)
        .meter(meter)
        .typed("agent", Agent, work);
    let voice = Voice {
        handle: runner.handle(),
        stop,
    };
    let passing = Passing(voice.clone());
    (runner.typed("supervisor", Supervisor, passing), voice)
}

/// The event that starts a run.
pub fn goal(goal: &str) -> Tagged {
    let goal = goal.to_owned();
    SupervisedAgent.tagged(&AgentEvent::GoalGiven { goal }.into())
}

/// What a run ended in; none when it was no run of this composition.
pub fn ended<O>(finished: &ComposedFinished<O>) -> Option<SupervisedAgentRun> {
    SupervisedAgent.decode(&finished.state).ok()
}

/// What who watches can say. Clones speak to the same run.
#[derive(Clone)]
pub struct Voice {
    handle: ComposedHandle,
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
        self.send("Pause", SupervisorEvent::Pause)
    }

    /// Lets the run go on.
    ///
    /// # Errors
    /// When the run does not hear.
    pub fn resume(&self) -> Result<(), Unheard> {
        self.send("Resume", SupervisorEvent::Resume)
    }

    /// Passes a message to the model, now or, while paused, when the run goes on.
    ///
    /// # Errors
    /// When the run does not hear.
    pub fn say(&self, message: &str) -> Result<(), Unheard> {
        let message = message.to_owned();
        self.send("Say", SupervisorEvent::Say { message })
    }

    /// Ends the run. A tool that is at work is ended with it.
    ///
    /// # Errors
    /// When the run does not hear.
    pub fn cancel(&self, reason: &str) -> Result<(), Unheard> {
        self.stop.ask();
        let reason = reason.to_owned();
        self.send("Cancel", SupervisorEvent::Cancel { reason })
    }

    /// Stops the run where it is. A tool that is at work is ended; what else is in flight and
    /// changes something comes home.
    pub fn suspend(&self) {
        self.stop.ask();
        self.handle.suspend();
    }

    fn send(
        &self,
        said: &'static str,
        event: impl Into<SupervisedAgentEvent>,
    ) -> Result<(), Unheard> {
        let sent = self.handle.send(SupervisedAgent.tagged(&event.into()));
        sent.map_err(|error| Unheard {
            said,
            why: error.to_string(),
        })
    }
}

/// Interprets the supervisor's effects.
struct Passing(Voice);

impl SupervisorHandler for Passing {
    async fn deliver(&mut self, message: &str) -> Result<DeliverOutcome, Fault> {
        let message = message.to_owned();
        let passed = self.0.send("Steer", AgentEvent::Steer { message });
        passed.map_err(Fault::domain)?;
        Ok(DeliverOutcome::Delivered)
    }

    async fn close(&mut self, _: &str) -> Result<(), Fault> {
        Ok(())
    }
}
