//! Interprets the effects of the agent space: the one place where the loop meets the world.

use std::time::Instant;

use space_core::machine::{Fault, Json};
use space_core::runtime::Meter;
use space_out::agent::{
    AgentCtx, AgentEvent, AgentGuards, AgentHandler, AskModelOutcome, AskNextOutcome,
    AskRepairOutcome, AskShorterOutcome, AskSteeredOutcome, ProveOutcome, RunToolsOutcome,
};

use super::answer::{Answer, judge};
use super::conversation::{kept_call, settle};
use super::delivery::Delivery;
use super::note::{Asked, Note, Notes};
use super::proof::{Proof, Prover};
use super::stop::Stop;
use super::stuck::Rounds;
use super::task::Model;
use crate::provider::{Arguments, Message, ModelProvider, Request, ToolCall};
use crate::tools::{Failure, Outcome, ToolResult, ToolSet};

/// The agent space's guards.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guards;

impl AgentGuards for Guards {
    fn has_goal(&self, _: &AgentCtx, event: &AgentEvent) -> bool {
        matches!(event, AgentEvent::GoalGiven { goal } if !goal.trim().is_empty())
    }
}

/// A model, its tools and the checks that judge it.
pub struct Work {
    provider: Box<dyn ModelProvider>,
    tools: ToolSet,
    prover: Prover,
    request: Request,
    rounds: Rounds,
    meter: Meter,
    notes: Notes,
    stop: Stop,
    delivery: Option<Delivery>,
    changed_since: bool,
    reason: Option<String>,
}

/// The answer as the outcome of the effect that asked: five effects have the same answers.
macro_rules! outcome {
    ($outcome:ident, $answer:expr) => {
        match $answer {
            Answer::Final(answer) => $outcome::ModelFinal { answer },
            Answer::ToolCalls(calls) => $outcome::ModelToolCalls { calls },
            Answer::CutOff(text) => $outcome::ModelCutOff { text },
            Answer::Refused(reason) => $outcome::ModelRefused { reason },
            Answer::Failed(error) => $outcome::ModelFailed { error },
        }
    };
}

impl Work {
    /// A handler that starts a conversation with these instructions.
    pub fn new(
        provider: Box<dyn ModelProvider>,
        tools: ToolSet,
        prover: Prover,
        instructions: &str,
        notes: Notes,
    ) -> Self {
        let request = Request {
            messages: vec![Message::system(instructions)],
            tools: tools.specs(),
            ..Request::default()
        };
        Self {
            provider,
            tools,
            prover,
            request,
            rounds: Rounds::default(),
            meter: Meter::new(),
            notes,
            stop: Stop::default(),
            delivery: None,
            changed_since: false,
            reason: None,
        }
    }

    /// With rules about how the model is asked.
    #[must_use]
    pub fn model(mut self, model: Model) -> Self {
        self.request = Request {
            tool_choice: model.tool_choice,
            parallel_calls: model.parallel_calls,
            max_tokens: model.max_tokens,
            temperature: model.temperature,
            seed: model.seed,
            ..self.request
        };
        self
    }

    /// Ends the tool at work when somebody asks.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Counts the model's tokens.
    pub fn meter(&self) -> Meter {
        self.meter.clone()
    }

    /// The conversation so far.
    pub fn messages(&self) -> &[Message] {
        &self.request.messages
    }

    /// What the last proof looked at.
    pub fn delivery(&self) -> Option<&Delivery> {
        self.delivery.as_ref()
    }

    /// Whether the tools changed the workspace after the last proof.
    pub fn changed_since_proof(&self) -> bool {
        self.changed_since
    }

    /// Why the run ended without a proved answer, when it ended by itself.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Asks the model, after telling it something.
    ///
    /// The message is added here and the reply only when it came: an ask that is dropped half-way
    /// leaves a conversation that the next one can go on from, and one that is tried again says
    /// nothing twice. Calls that a steering message overtook are answered first.
    async fn ask(&mut self, message: Option<&str>) -> Answer {
        settle(&mut self.request.messages);
        if let Some(message) = message.map(Message::user)
            && self.request.messages.last() != Some(&message)
        {
            self.request.messages.push(message);
        }
        (self.notes)(&Note::Asking);
        let started = Instant::now();
        let mut reply = match self.provider.chat(&self.request).await {
            Ok(reply) => reply,
            Err(error) => return Answer::Failed(error.to_string()),
        };
        self.meter
            .add_tokens(reply.usage.input.saturating_add(reply.usage.output));
        reply.calls = reply.calls.into_iter().map(kept_call).collect();
        (self.notes)(&Note::Replied {
            text: reply.text.clone(),
            finish: reply.finish,
            calls: reply.calls.iter().map(Asked::of).collect(),
            usage: reply.usage,
            took: started.elapsed(),
        });
        // Judged before it is kept: calls that cannot be run must not stand there without results.
        let answer = judge(&reply);
        let says_something = !reply.text.is_empty() || !reply.calls.is_empty();
        // Servers reject a conversation with an empty turn in it.
        if says_something && !matches!(answer, Answer::Failed(_)) {
            self.request.messages.push(reply.to_message());
        }
        answer
    }

    /// Runs one call, unless somebody asks to stop first.
    async fn call(&self, call: &ToolCall) -> ToolResult {
        let started = Instant::now();
        let before = self.stop.is_asked();
        let result = tokio::select! {
            biased;
            () = self.stop.asked() => stopped(before),
            result = self.tools.call(&call.name, &call.arguments) => result,
        };
        (self.notes)(&Note::Called {
            id: call.id.clone(),
            tool: call.name.clone(),
            arguments: one_line(&call.arguments),
            outcome: result.outcome,
            failure: result.failure,
            rule: result
                .decision
                .as_ref()
                .map(|decision| decision.rule.clone()),
            shown: result.text.lines().next().unwrap_or_default().to_owned(),
            took: started.elapsed(),
        });
        result
    }
}

/// The result of a call that was not to be finished.
fn stopped(before_it_started: bool) -> ToolResult {
    if before_it_started {
        return ToolResult::failed(Failure::Ended, "not run: the run was interrupted");
    }
    ToolResult {
        // What it did until then is unknown, so a proof has to be made again.
        outcome: Outcome::Changed,
        ..ToolResult::failed(
            Failure::Ended,
            "ended before it was done: the run was interrupted; what it did until then is unknown",
        )
    }
}

fn one_line(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Object(object) => serde_json::to_string(object).unwrap_or_default(),
        Arguments::Malformed { text, .. } => text.replace('\n', " "),
    }
}

impl AgentHandler for Work {
    async fn ask_model(&mut self, goal: &str) -> Result<AskModelOutcome, Fault> {
        Ok(outcome!(AskModelOutcome, self.ask(Some(goal)).await))
    }

    async fn ask_next(&mut self) -> Result<AskNextOutcome, Fault> {
        Ok(outcome!(AskNextOutcome, self.ask(None).await))
    }

    async fn ask_shorter(&mut self, _: &str) -> Result<AskShorterOutcome, Fault> {
        let message = "Your reply was cut off at the length limit and nothing of it was executed. \
                       Say it again in less: fewer or smaller tool calls, shorter text.";
        Ok(outcome!(AskShorterOutcome, self.ask(Some(message)).await))
    }

    async fn ask_repair(&mut self, report: &str) -> Result<AskRepairOutcome, Fault> {
        let message = format!(
            "You are not done: your answer did not pass the task's checks, which you can neither \
             see nor change.\n\n{report}\n\nFind the cause, repair it, and then answer again."
        );
        Ok(outcome!(AskRepairOutcome, self.ask(Some(&message)).await))
    }

    async fn ask_steered(&mut self, message: &str) -> Result<AskSteeredOutcome, Fault> {
        Ok(outcome!(AskSteeredOutcome, self.ask(Some(message)).await))
    }

    async fn run_tools(&mut self, calls: &Json) -> Result<RunToolsOutcome, Fault> {
        let calls: Vec<ToolCall> = serde_json::from_value(calls.into()).map_err(Fault::escape)?;
        let mut changed = false;
        let mut results = Vec::new();
        for call in &calls {
            let ToolResult { text, outcome, .. } = self.call(call).await;
            changed |= outcome == Outcome::Changed;
            self.changed_since |= changed;
            self.request.messages.push(Message::tool(&call.id, &text));
            results.push(Json::object([
                ("id", Json::Text(call.id.clone())),
                ("text", Json::Text(text)),
            ]));
        }
        let results = Json::List(results);
        let asked: Vec<_> = calls
            .iter()
            .map(|call| (&call.name, one_line(&call.arguments)))
            .collect();
        if let Some(reason) = self.rounds.add(&format!("{asked:?}"), &texts(&results)) {
            return Ok(RunToolsOutcome::ToolsStuck { reason });
        }
        Ok(if changed {
            RunToolsOutcome::ToolsChanged { results }
        } else {
            RunToolsOutcome::ToolsObserved { results }
        })
    }

    async fn prove(&mut self, _: &str) -> Result<ProveOutcome, Fault> {
        (self.notes)(&Note::Proving);
        let started = Instant::now();
        let (delivery, passed) = match self.prover.prove().await.map_err(Fault::domain)? {
            Proof::Passed(delivery) => (delivery, true),
            Proof::Failed(delivery) => (delivery, false),
            Proof::Waived => {
                let reason = "the task declares no checks".to_owned();
                return Ok(ProveOutcome::ProofWaived { reason });
            }
            Proof::Broken(error) => return Ok(ProveOutcome::ProofBroken { error }),
        };
        self.changed_since = false;
        let (checks_passed, checks) = delivery.counts();
        let reasons = delivery.reasons();
        (self.notes)(&Note::Checked {
            passed,
            checks_passed,
            checks,
            reasons: reasons.clone(),
            took: started.elapsed(),
        });
        self.delivery = Some(delivery);
        Ok(if passed {
            ProveOutcome::ProofPassed {
                report: format!("{checks_passed} of {checks} checks passed"),
            }
        } else {
            ProveOutcome::ProofFailed { report: reasons }
        })
    }

    async fn deliver(&mut self, _: &str, _: &str) -> Result<(), Fault> {
        Ok(())
    }

    async fn deliver_unproved(&mut self, _: &str, reason: &str) -> Result<(), Fault> {
        self.reason = Some(reason.to_owned());
        Ok(())
    }

    async fn give_up(&mut self, error: &str) -> Result<(), Fault> {
        self.reason = Some(error.to_owned());
        Ok(())
    }

    async fn decline(&mut self, reason: &str) -> Result<(), Fault> {
        self.reason = Some(reason.to_owned());
        Ok(())
    }
}

/// The results without the calls' ids, which differ from round to round.
fn texts(results: &Json) -> String {
    match results {
        Json::List(items) => {
            let text = |item| Json::get(item, "text").and_then(Json::as_text);
            items
                .iter()
                .filter_map(text)
                .collect::<Vec<_>>()
                .join("\u{0}")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_has_to_say_something() {
        let given = |goal: &str| AgentEvent::GoalGiven { goal: goal.into() };
        let has_goal = |event: &AgentEvent| Guards.has_goal(&AgentCtx::default(), event);
        assert!(has_goal(&given("Repair it.")));
        for blank in ["", " ", "\n\t "] {
            assert!(!has_goal(&given(blank)), "{blank:?}");
        }
        // The guard is asked of one event only, and holds of no other.
        assert!(!has_goal(&AgentEvent::Steer {
            message: "go".into()
        }));
    }

    #[test]
    fn results_are_compared_without_their_ids() {
        let results = |id: &str, text: &str| {
            Json::List(vec![Json::object([
                ("id", Json::Text(id.into())),
                ("text", Json::Text(text.into())),
            ])])
        };
        assert_eq!(texts(&results("a", "x")), texts(&results("b", "x")));
        assert_ne!(texts(&results("a", "x")), texts(&results("a", "y")));
    }

    /// What did not start changed nothing; of what was cut short nobody knows.
    #[test]
    fn a_stopped_call_says_what_is_known_of_it() {
        assert_eq!(stopped(true).outcome, Outcome::Observed);
        assert_eq!(stopped(false).outcome, Outcome::Changed);
        assert_eq!(stopped(false).failure, Some(Failure::Ended));
    }
}
