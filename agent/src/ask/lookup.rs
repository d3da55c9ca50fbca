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

    #[test]
    fn the_flag_can_only_lower_the_contracts_limit() {
        assert_eq!(Lookup::new(None).unwrap().rounds(), 3);
        assert_eq!(Lookup::new(Some(1)).unwrap().rounds(), 1);
        let error = Lookup::new(Some(4)).err().unwrap();
        let said = "4 rounds are more than the contract allows: at most 3";
        assert_eq!(error.to_string(), said);
    }
}
