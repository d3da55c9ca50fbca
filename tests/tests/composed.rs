//! Compositions in generated types on the runner: those of the repository, with their mocks.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

use space_core::compose::ComposedSpace as _;
use space_core::runtime::{ComposedRunner, Limits, Termination};
use space_out::agent::{Agent, AgentEvent, AgentState, AskModelOutcome, ProveOutcome};
use space_out::ask::{Ask, AskEvent, AskGuards};
use space_out::reasoning::{Reasoning, ReasoningCtx, ReasoningState, ThinkOutcome};
use space_out::retrieval::{Retrieval, RetrievalEvent, RetrievalState, SearchOutcome};
use space_out::supervised_agent::{SupervisedAgent, SupervisedAgentEvent, SupervisedAgentGuards};
use space_out::supervisor::{Supervisor, SupervisorState};

macro_rules! mock {
    ($name:ident, $path:literal) => {
        #[path = $path]
                                #[rustfmt::skip]
                                #[expect(unreachable_pub, reason = "a copy for consumers")]
                                #[allow(dead_code, reason = "not every answer is wanted here")]
        mod $name;
    };
}
mock!(agent_mock, "../../out/stub_out/agent_mock.rs");
mock!(reasoning_mock, "../../out/stub_out/reasoning_mock.rs");
mock!(retrieval_mock, "../../out/stub_out/retrieval_mock.rs");
mock!(supervisor_mock, "../../out/stub_out/supervisor_mock.rs");

use agent_mock::AgentMock;
use reasoning_mock::ReasoningMock;
use retrieval_mock::RetrievalMock;
use supervisor_mock::SupervisorMock;

/// A question is what is not blank.
struct Given;

impl space_out::retrieval::RetrievalGuards for Given {
    fn has_question(&self, _: &space_out::retrieval::RetrievalCtx, event: &RetrievalEvent) -> bool {
        matches!(event, RetrievalEvent::Question { prompt, .. } if !prompt.trim().is_empty())
    }
}

impl space_out::reasoning::ReasoningGuards for Given {
    fn has_prompt(&self, _: &ReasoningCtx, event: &space_out::reasoning::ReasoningEvent) -> bool {
        use space_out::reasoning::ReasoningEvent::ContextReady;
        matches!(event, ContextReady { prompt, .. } if !prompt.trim().is_empty())
    }
}

impl space_out::agent::AgentGuards for Given {
    fn has_goal(&self, _: &space_out::agent::AgentCtx, event: &AgentEvent) -> bool {
        matches!(event, AgentEvent::GoalGiven { goal } if !goal.is_empty())
    }
}

fn asking(retrieval: RetrievalMock, reasoning: ReasoningMock) -> ComposedRunner {
    let guards = AskGuards {
        retrieval: Box::new(Given),
        reasoning: Box::new(Given),
    };
    ComposedRunner::of(Ask, guards)
        .typed("retrieval", Retrieval, retrieval)
        .typed("reasoning", Reasoning, reasoning)
        .limits(Limits::new().rounds(50))
}

fn question(prompt: &str) -> AskEvent {
    let (prompt, notes) = (prompt.to_owned(), String::new());
    RetrievalEvent::Question { prompt, notes }.into()
}

fn found(passage: &str) -> SearchOutcome {
    let passages = vec![passage.to_owned()];
    SearchOutcome::PassagesFound { passages }
}

fn unsure(notes: &str) -> ThinkOutcome {
    let notes = notes.to_owned();
    ThinkOutcome::ThinkUnsure { notes }
}

#[tokio::test]
async fn a_question_is_asked_again_until_it_is_answered() {
    let retrieval = RetrievalMock::default()
        .on_search(Ok(found("a.rs:1-2")))
        .on_search(Ok(found("b.rs:3-4")));
    let answer = ThinkOutcome::ThinkDone {
        answer: "forty-two".to_owned(),
        citations: vec!["b.rs:3-4".to_owned()],
    };
    let reasoning = ReasoningMock::default()
        .on_think(Ok(unsure("the number")))
        .on_think(Ok(answer));
    let start = Ask.tagged(&question("how many?"));
    let finished = asking(retrieval, reasoning).run([start]).await.unwrap();
    assert!(matches!(
        finished.termination,
        Termination::Completed { .. }
    ));
    let run = Ask.decode(&finished.state).unwrap();
    assert_eq!(run.state.retrieval, RetrievalState::Found);
    assert_eq!(run.state.reasoning, ReasoningState::Answered);
    assert_eq!(run.ctx.reasoning.answer.as_deref(), Some("forty-two"));
    assert_eq!(run.ctx.reasoning.context, Some(vec!["b.rs:3-4".to_owned()]));
    assert_eq!(run.rounds, [1]);
}

#[tokio::test]
async fn a_loop_that_is_used_up_says_so() {
    let (mut retrieval, mut reasoning) = (RetrievalMock::default(), ReasoningMock::default());
    for _ in 0..4 {
        retrieval = retrieval.on_search(Ok(found("a.rs:1-2")));
        reasoning = reasoning.on_think(Ok(unsure("everything")));
    }
    let start = Ask.tagged(&question("why?"));
    let finished = asking(retrieval, reasoning).run([start]).await.unwrap();
    let Termination::FeedbackExhausted { .. } = &finished.termination else {
        panic!("{}", finished.termination);
    };
    let said = finished.termination.to_string();
    assert!(said.contains("ask") && said.contains('3'), "{said}");
    assert_eq!(Ask.decode(&finished.state).unwrap().rounds, [3]);
}

#[tokio::test]
async fn a_guard_in_generated_types_refuses() {
    let start = Ask.tagged(&question("  "));
    let runner = asking(RetrievalMock::default(), ReasoningMock::default());
    let finished = runner.run([start]).await.unwrap();
    assert!(matches!(finished.termination, Termination::Rejected { .. }));
    let run = Ask.decode(&finished.state).unwrap();
    assert_eq!(run, Ask.start());
}

fn watched(agent: AgentMock) -> ComposedRunner {
    let guards = SupervisedAgentGuards {
        agent: Box::new(Given),
        supervisor: Box::new(()),
    };
    ComposedRunner::of(SupervisedAgent, guards)
        .typed("agent", Agent, agent)
        .typed("supervisor", Supervisor, SupervisorMock::default())
        .limits(Limits::new().rounds(50))
}

fn goal() -> SupervisedAgentEvent {
    let goal = "mend it".to_owned();
    AgentEvent::GoalGiven { goal }.into()
}

#[tokio::test]
async fn the_end_of_a_run_is_the_end_of_the_watch() {
    let done = AskModelOutcome::ModelFinal {
        answer: "mended".to_owned(),
    };
    let proof = ProveOutcome::ProofPassed {
        report: "5 of 5".to_owned(),
    };
    let agent = AgentMock::default()
        .on_ask_model(Ok(done))
        .on_prove(Ok(proof));
    let start = SupervisedAgent.tagged(&goal());
    let finished = watched(agent).run([start]).await.unwrap();
    let run = SupervisedAgent.decode(&finished.state).unwrap();
    assert_eq!(run.state.agent, AgentState::Answered);
    assert_eq!(run.state.supervisor, SupervisorState::Finished);
}

/// A sync event moves both, whoever it is sent to.
#[tokio::test]
async fn a_cancel_ends_both_at_once() {
    let reason = || "enough".to_owned();
    let sent: [SupervisedAgentEvent; 2] = [
        AgentEvent::Cancel { reason: reason() }.into(),
        space_out::supervisor::SupervisorEvent::Cancel { reason: reason() }.into(),
    ];
    for cancel in sent {
        let starts = [goal(), cancel].map(|event| SupervisedAgent.tagged(&event));
        let finished = watched(AgentMock::default()).run(starts).await.unwrap();
        let run = SupervisedAgent.decode(&finished.state).unwrap();
        assert_eq!(
            run.state.agent,
            AgentState::Cancelled,
            "{}",
            finished.termination
        );
        assert_eq!(run.state.supervisor, SupervisorState::Cancelled);
    }
}
