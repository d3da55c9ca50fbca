//! The composition `ask`: looking up, thinking, and looking again.

use std::sync::Arc;

use space_core::compose::{ComposedGuards, Product, Tagged};
use space_core::contract::Value;
use space_core::machine::{GuardTable, NameError, Space as _};
use space_core::runtime::{ComposedFinished, ComposedRunner};
use space_out::reasoning::{Reasoning, ReasoningCtx, ReasoningGuards as _, ReasoningState};
use space_out::retrieval::{Retrieval, RetrievalCtx, RetrievalGuards as _, RetrievalState};

use super::handler::{Guards, Retrieve, Think};
use crate::composition::{self, Wrong};

/// The composition that is run.
const COMPOSITION: &str = "ask";
const RETRIEVAL: &str = "retrieval";
const REASONING: &str = "reasoning";

/// A look-up that can be run.
pub struct Lookup {
    product: Arc<Product>,
    rounds: u32,
}

/// Where a look-up ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The state of the search.
    pub retrieval: RetrievalState,
    /// What the search kept.
    pub found: RetrievalCtx,
    /// The state of the thought.
    pub reasoning: ReasoningState,
    /// What the thought kept.
    pub thought: ReasoningCtx,
}

/// Why there is no look-up.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// The contract is wrong.
    #[error(transparent)]
    Contract(#[from] Wrong),
    /// More than the contract allows.
    #[error("{asked} rounds are more than the contract allows: at most {allowed}")]
    Rounds {
        /// What was asked for.
        asked: u32,
        /// What the contract says.
        allowed: u32,
    },
}

impl Lookup {
    /// The look-up of the contract, looking again at most as often as it says, or less often. This is
    /// the one place that knows how the composition is made.
    ///
    /// # Errors
    /// When `rounds` is more than the contract allows.
    pub fn new(rounds: Option<u32>) -> Result<Self, LookupError> {
        let mut composed = composition::composed(COMPOSITION)?;
        let mut rounds = rounds;
        for row in &mut composed.loops {
            let allowed = row.max_rounds;
            let asked = *rounds.get_or_insert(allowed);
            // No limit of rounds is written as none.
            if allowed > 0 && asked > allowed {
                return Err(LookupError::Rounds { asked, allowed });
            }
            row.max_rounds = asked;
        }
        Ok(Self {
            product: Arc::new(Product::of(Arc::new(composed))),
            rounds: rounds.unwrap_or_default(),
        })
    }

    /// How often it looks again at most.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// A runner with its handlers; limits and observer are the caller's.
    pub fn runner(&self, retrieve: Retrieve, think: Think) -> ComposedRunner {
        let question = |ctx: &_, event: &_| Guards.has_question(ctx, event);
        let prompt = |ctx: &_, event: &_| Guards.has_prompt(ctx, event);
        let none = GuardTable::default;
        let retrieval = composition::guard(none(), "has_question", Retrieval, question);
        let reasoning = composition::guard(none(), "has_prompt", Reasoning, prompt);
        let guards = ComposedGuards::new()
            .with(RETRIEVAL, retrieval)
            .with(REASONING, reasoning);
        ComposedRunner::new(Arc::clone(&self.product), guards)
            .typed(RETRIEVAL, Retrieval, retrieve)
            .typed(REASONING, Reasoning, think)
    }

    /// The event that starts a run.
    ///
    /// # Errors
    /// When the contract has no such event.
    pub fn question(&self, prompt: &str) -> Result<Tagged, NameError> {
        let text = |text: &str| Value::Text(text.to_owned());
        let payload = [("prompt", text(prompt)), ("notes", text(""))];
        self.product.event(RETRIEVAL, "Question", payload)
    }

    /// Where a run ended, in the spaces' types; none when it was no run of this look-up.
    pub fn ended<O>(&self, finished: &ComposedFinished<O>) -> Option<Ended> {
        let composed = self.product.composed();
        let (retrieval, reasoning) = (
            composed.component(RETRIEVAL)?,
            composed.component(REASONING)?,
        );
        let state = |at: usize| Some(usize::from(finished.state.states.get(at)?.0));
        let slots = |at: usize| finished.state.ctx.get(at).cloned();
        Some(Ended {
            retrieval: Retrieval.state_at(state(retrieval)?)?,
            found: Retrieval.ctx_from(slots(retrieval)?).ok()?,
            reasoning: Reasoning.state_at(state(reasoning)?)?,
            thought: Reasoning.ctx_from(slots(reasoning)?).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::note::Notes;
    use crate::provider::{ChatFuture, ModelProvider, Request};
    use space_core::runtime::Termination;

    /// Never asked.
    struct Nobody;

    impl ModelProvider for Nobody {
        fn name(&self) -> &'static str {
            "nobody"
        }

        fn chat<'a>(&'a self, _: &'a Request) -> ChatFuture<'a> {
            panic!("somebody asks")
        }
    }

    async fn run(text: &str) -> (Lookup, ComposedFinished) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.txt"), "a retry").unwrap();
        let lookup = Lookup::new(None).unwrap();
        let notes: Notes = Arc::new(|_| ());
        let retrieve = Retrieve::new(folder.path(), Arc::clone(&notes));
        let think = Think::new(folder.path(), Box::new(Nobody), notes);
        let start = lookup.question(text).unwrap();
        let finished = lookup.runner(retrieve, think).run([start]).await.unwrap();
        (lookup, finished)
    }

    #[tokio::test]
    async fn a_blank_question_is_refused_by_the_guard() {
        let (lookup, finished) = run(" \n").await;
        let said = "rejected: `retrieval.Question` in `retrieval.Idle, reasoning.Waiting`: \
                    retrieval: guard `has_question` refused";
        assert_eq!(finished.termination.to_string(), said);
        let ended = lookup.ended(&finished).unwrap();
        assert_eq!(ended.retrieval, RetrievalState::Idle);
    }

    #[tokio::test]
    async fn what_the_contract_has_no_word_for_is_an_escape() {
        let (lookup, finished) = run("retry").await;
        let escape = matches!(
            finished.termination,
            Termination::Escape { panicked: true, .. }
        );
        assert!(escape, "{}", finished.termination);
        assert_eq!(
            lookup.ended(&finished).unwrap().reasoning,
            ReasoningState::Thinking
        );
    }

    #[test]
    fn the_flag_can_only_lower_the_contracts_limit() {
        assert_eq!(Lookup::new(None).unwrap().rounds(), 3);
        assert_eq!(Lookup::new(Some(1)).unwrap().rounds(), 1);
        let error = Lookup::new(Some(4)).err().unwrap();
        let said = "4 rounds are more than the contract allows: at most 3";
        assert_eq!(error.to_string(), said);
    }
}
