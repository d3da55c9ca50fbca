//! A contract compiled by the attribute, and stepped by hand.

use space_core::machine::{Space, Step};

#[space_macros::space(domain = "../../../domain/reasoning")]
pub mod reasoning {}

use reasoning::{Reasoning, ReasoningCtx, ReasoningEvent, ReasoningGuards, step};

struct Guards;

impl ReasoningGuards for Guards {
    fn has_prompt(&self, _ctx: &ReasoningCtx, event: &ReasoningEvent) -> bool {
        matches!(event, ReasoningEvent::ContextReady { prompt, .. } if !prompt.trim().is_empty())
    }
}

#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn main() {
    let mut ctx = Reasoning.context();
    let event = ReasoningEvent::ContextReady {
        context: vec!["notes.md\nThe answer is 42.".to_owned()],
        prompt: "What is the answer?".to_owned(),
    };
    match step(Reasoning.initial(), &mut ctx, event, &Guards) {
        Step::Handled { state, effect } => println!("{state}: {effect:?}"),
        Step::Ignored { event } => println!("{} is ignored", event.name()),
        Step::Rejected { event, reason } => {
            println!("{}: {}", event.name(), reason.describe(Reasoning.model()));
        }
    }
}
