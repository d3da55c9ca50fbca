//! The composition `ask`: looking up, thinking, and looking again.

use std::sync::Arc;

use space_core::compose::{ComposedGuards, ComposedSpace as _, Product, Tagged};
use space_core::runtime::{ComposedFinished, ComposedRunner};
use space_out::ask::{Ask, AskGuards, AskRun};
use space_out::reasoning::Reasoning;
use space_out::retrieval::{Retrieval, RetrievalEvent};

use super::handler::{Guards, Retrieve, Think};

/// A look-up that can be run.
pub struct Lookup {
    product: Arc<Product>,
    rounds: u32,
}

/// More rounds than the contract allows.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{asked} rounds are more than the contract allows: at most {allowed}")]
pub struct TooMany {
    /// What was asked for.
    pub asked: u32,
    /// What the contract says.
    pub allowed: u32,
}

impl Lookup {
    /// The look-up of the contract, looking again at most as often as it says, or less often.
    ///
    /// # Errors
    /// When `rounds` is more than the contract allows.
    pub fn new(rounds: Option<u32>) -> Result<Self, TooMany> {
        let mut composed = Ask.composed().clone();
        let mut rounds = rounds;
        for row in &mut composed.loops {
            let allowed = row.max_rounds;
            let asked = *rounds.get_or_insert(allowed);
            // No limit of rounds is written as none.
            if allowed > 0 && asked > allowed {
                return Err(TooMany { asked, allowed });
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
        let guards = AskGuards {
            retrieval: Box::new(Guards),
            reasoning: Box::new(Guards),
        };
        let guards = ComposedGuards::typed(Ask, guards);
        ComposedRunner::new(Arc::clone(&self.product), guards)
            .typed("retrieval", Retrieval, retrieve)
            .typed("reasoning", Reasoning, think)
    }

    /// The event that starts a run.
    pub fn question(&self, prompt: &str) -> Tagged {
        let (prompt, notes) = (prompt.to_owned(), String::new());
        Ask.tagged(&RetrievalEvent::Question { prompt, notes }.into())
    }

    /// What a run ended in; none when it was no run of this look-up.
    pub fn ended<O>(&self, finished: &ComposedFinished<O>) -> Option<AskRun> {
        Ask.decode(&finished.state).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::note::Notes;
    use crate::provider::{ChatFuture, ModelProvider, Request};
    use space_core::runtime::Termination;
    use space_out::reasoning::ReasoningState;
    use space_out::retrieval::RetrievalState;

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
        let start = lookup.question(text);
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
        assert_eq!(ended.state.retrieval, RetrievalState::Idle);
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
            lookup.ended(&finished).unwrap().state.reasoning,
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
