//! The generated property of promises has teeth: a promise that is not true is broken by some random
//! run, and its nearest true twin by none.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

use std::panic::catch_unwind;

use space_core::machine::Space as _;
use space_core::verify::{composed_promises, interpreted, promises};
use space_out::ask::{Ask, AskGuards};

const BASE: &str = include_str!("../../domain/agent_base.toml");
const DOMAIN: &str = include_str!("../../domain/agent_domain.toml");
const COMPOSITION: &str = include_str!("../../domain/composition.toml");

/// A pattern that the agent breaks, and one that it keeps.
const OF_THE_AGENT: &[(&str, &str)] = &[
    (
        "absence = { of = \"effect:RunTools\" }",
        "absence = { of = \"effect:RunTools\", after = \"event:Cancel\" }",
    ),
    (
        "absence = { of = \"event:ModelFinal\", until = \"event:ToolsChanged\" }",
        "absence = { of = \"event:ToolsChanged\", until = \"event:ModelToolCalls\" }",
    ),
    (
        "precedence = { first = \"event:ToolsChanged\", then = \"state:Proving\" }",
        "precedence = { first = \"event:ModelFinal\", then = \"state:Proving\" }",
    ),
    (
        "precedence = { first = \"event:ModelFinal\", then = \"effect:RunTools\", reset = \"event:GoalGiven\" }",
        "precedence = { first = \"event:ModelToolCalls\", then = \"effect:RunTools\", reset = \"event:GoalGiven\" }",
    ),
    (
        "existence = { of = \"event:ToolsChanged\" }",
        "existence = { of = [\"state:Answered\", \"state:Unproved\", \"state:Failed\", \"state:Cancelled\"] }",
    ),
    (
        "response = { after = \"event:ModelToolCalls\", must = \"event:ToolsChanged\" }",
        "response = { after = \"event:ModelToolCalls\", must = \"semantics:stop\" }",
    ),
    (
        "bounded_existence = { of = \"state:Thinking\", at_most = 1 }",
        "bounded_existence = { of = \"event:GoalGiven\", at_most = 1 }",
    ),
];

/// The same of the composition `ask`.
const OF_ASK: &[(&str, &str)] = &[
    (
        "exclusion = { points = [\"retrieval.state:Found\", \"reasoning.state:Thinking\"] }",
        "exclusion = { points = [\"retrieval.state:Searching\", \"reasoning.state:Thinking\"] }",
    ),
    (
        "bounded_existence = { of = \"retrieval.effect:Search\", at_most = 1 }",
        "bounded_existence = { of = \"retrieval.effect:Search\", at_most = 4 }",
    ),
    (
        "absence = { of = \"retrieval.event:Question\", after = \"reasoning.state:Unanswered\" }",
        "absence = { of = \"retrieval.event:Question\", after = \"reasoning.state:Answered\" }",
    ),
    (
        "precedence = { first = \"reasoning.state:Unanswered\", then = \"reasoning.effect:Think\" }",
        "precedence = { first = \"retrieval.state:Found\", then = \"reasoning.effect:Think\" }",
    ),
    (
        "existence = { of = \"reasoning.state:Answered\" }",
        "existence = { of = [\"retrieval.semantics:query\", \"retrieval.state:Cancelled\", \"reasoning.state:Cancelled\"] }",
    ),
];

/// What a property says against promises; none when they are kept.
fn said(property: impl FnOnce() + std::panic::UnwindSafe) -> Option<String> {
    let broken = catch_unwind(property).err()?;
    Some(broken.downcast_ref::<String>().unwrap().clone())
}

/// The rest of a contract after its promises.
fn with(text: &str, promise: &str) -> String {
    format!(
        "{}\n{promise}\n",
        text.split("[[invariants]]").next().unwrap()
    )
}

#[test]
fn a_broken_promise_of_a_space_is_found() {
    let space = interpreted(BASE, DOMAIN);
    let check = |pattern: &str| {
        let domain = with(
            DOMAIN,
            &format!("[[invariants]]\nname = \"tried\"\n{pattern}"),
        );
        said(|| {
            promises(&space, &domain, |oracle| {
                Box::new(oracle.table(space.model()))
            });
        })
    };
    for (broken, kept) in OF_THE_AGENT {
        let text = check(broken).unwrap_or_else(|| panic!("not found: {broken}"));
        assert!(
            text.contains("`tried` is broken by this run:\n  state:Idle\n"),
            "{text}"
        );
        assert_eq!(check(kept), None, "{kept}");
    }
}

#[test]
fn a_broken_promise_of_a_composition_is_found() {
    struct Yes;
    impl space_out::retrieval::RetrievalGuards for Yes {
        fn has_question(
            &self,
            _: &space_out::retrieval::RetrievalCtx,
            _: &space_out::retrieval::RetrievalEvent,
        ) -> bool {
            true
        }
    }
    impl space_out::reasoning::ReasoningGuards for Yes {
        fn has_prompt(
            &self,
            _: &space_out::reasoning::ReasoningCtx,
            _: &space_out::reasoning::ReasoningEvent,
        ) -> bool {
            true
        }
    }
    let check = |pattern: &str| {
        let promise = format!("[[invariants]]\ncomposition = \"ask\"\nname = \"tried\"\n{pattern}");
        let composition = with(COMPOSITION, &promise);
        said(|| {
            composed_promises(&Ask, &composition, |_| AskGuards {
                retrieval: Box::new(Yes),
                reasoning: Box::new(Yes),
            });
        })
    };
    for (broken, kept) in OF_ASK {
        let text = check(broken).unwrap_or_else(|| panic!("not found: {broken}"));
        let begins =
            "`tried` is broken by this run:\n  retrieval.state:Idle, reasoning.state:Waiting\n";
        assert!(text.contains(begins), "{text}");
        assert_eq!(check(kept), None, "{kept}");
    }
}
