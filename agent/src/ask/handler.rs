//! Interprets the effects of the look-up's spaces: searching and thinking.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use space_core::machine::Fault;
use space_core::runtime::Meter;
use space_out::reasoning::{
    ReasoningCtx, ReasoningEvent, ReasoningGuards, ReasoningHandler, ThinkOutcome,
};
use space_out::retrieval::{
    RetrievalCtx, RetrievalEvent, RetrievalGuards, RetrievalHandler, SearchOutcome,
};

use super::judge::{Verdict, judge};
use super::note::{Judgement, Note, Notes};
use super::passage::source_of;
use super::search::search;
use crate::provider::{Finish, Message, ModelProvider, Reply, Request};

/// The guards of both spaces.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guards;

impl RetrievalGuards for Guards {
    fn has_question(&self, _: &RetrievalCtx, event: &RetrievalEvent) -> bool {
        matches!(event, RetrievalEvent::Question { prompt, .. } if !prompt.trim().is_empty())
    }
}

impl ReasoningGuards for Guards {
    fn has_prompt(&self, _: &ReasoningCtx, event: &ReasoningEvent) -> bool {
        matches!(event, ReasoningEvent::ContextReady { prompt, .. } if !prompt.trim().is_empty())
    }
}

/// Searches a repository.
pub struct Retrieve {
    root: PathBuf,
    notes: Notes,
}

impl Retrieve {
    /// Searches the folder `root`.
    pub fn new(root: &Path, notes: Notes) -> Self {
        Self {
            root: root.to_owned(),
            notes,
        }
    }
}

/// Tells a search on another thread to end when nobody waits for it any more.
struct EndsWithMe(Arc<AtomicBool>);

impl Drop for EndsWithMe {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl RetrievalHandler for Retrieve {
    async fn search(&mut self, prompt: &str, notes: &str) -> Result<SearchOutcome, Fault> {
        let started = Instant::now();
        let stop = EndsWithMe(Arc::default());
        let (root, flag) = (self.root.clone(), Arc::clone(&stop.0));
        let (prompt, notes) = (prompt.to_owned(), notes.to_owned());
        let searched = tokio::task::spawn_blocking(move || search(&root, &prompt, &notes, &flag));
        let found = searched
            .await
            .map_err(Fault::escape)?
            .map_err(Fault::domain)?;
        let sources = found.passages.iter().filter_map(|one| source_of(one));
        (self.notes)(&Note::Searched {
            terms: found.terms.clone(),
            passages: sources.map(|source| source.to_string()).collect(),
            files: found.files,
            skipped: found.skipped,
            partial: found.partial,
            took: started.elapsed(),
        });
        let passages = found.passages;
        if passages.is_empty() {
            return Ok(SearchOutcome::NothingMatched { tried: found.terms });
        }
        Ok(SearchOutcome::PassagesFound { passages })
    }

    async fn halt(&mut self, _: &str) -> Result<(), Fault> {
        Ok(())
    }
}

/// Puts the question and its passages to a model, and judges what it replies.
pub struct Think {
    root: PathBuf,
    provider: Box<dyn ModelProvider>,
    meter: Meter,
    notes: Notes,
    /// Why the last answer was none, for the model to know.
    refused: Vec<String>,
}

impl Think {
    /// Asks `provider`, and looks into the folder `root` whether it is right about its sources.
    pub fn new(root: &Path, provider: Box<dyn ModelProvider>, notes: Notes) -> Self {
        Self {
            root: root.to_owned(),
            provider,
            meter: Meter::new(),
            notes,
            refused: Vec::new(),
        }
    }

    /// Counts the model's tokens.
    pub fn meter(&self) -> Meter {
        self.meter.clone()
    }

    async fn ask(&self, prompt: &str, context: &[String]) -> Result<Reply, String> {
        (self.notes)(&Note::Asking);
        let started = Instant::now();
        let request = Request {
            messages: vec![
                Message::system(super::PROMPT),
                Message::user(question(prompt, context, &self.refused)),
            ],
            ..Request::default()
        };
        let reply = self.provider.chat(&request).await;
        let reply = reply.map_err(|error| error.to_string())?;
        let tokens = reply.usage.input.saturating_add(reply.usage.output);
        self.meter.add_tokens(tokens);
        (self.notes)(&Note::Replied {
            text: reply.text.clone(),
            finish: reply.finish,
            usage: reply.usage,
            took: started.elapsed(),
        });
        Ok(reply)
    }

    fn judged(&self, verdict: Judgement, citations: &[String], reasons: &[String], missing: &str) {
        (self.notes)(&Note::Judged {
            verdict,
            citations: citations.to_vec(),
            reasons: reasons.to_vec(),
            missing: missing.to_owned(),
        });
    }

    fn outcome(&mut self, verdict: Verdict) -> ThinkOutcome {
        self.refused.clear();
        match verdict {
            Verdict::Answered { answer, citations } => {
                let citations: Vec<_> = citations.iter().map(ToString::to_string).collect();
                self.judged(Judgement::Answered, &citations, &[], "");
                ThinkOutcome::ThinkDone { answer, citations }
            }
            Verdict::Missing { notes } => {
                self.judged(Judgement::Missing, &[], &[], &notes);
                ThinkOutcome::ThinkUnsure { notes }
            }
            Verdict::Refused { reasons, notes } => {
                self.judged(Judgement::Refused, &[], &reasons, &notes);
                self.refused = reasons;
                ThinkOutcome::ThinkUnsure { notes }
            }
        }
    }
}

impl ReasoningHandler for Think {
    async fn think(&mut self, prompt: &str, context: &[String]) -> Result<ThinkOutcome, Fault> {
        let usable = match self.ask(prompt, context).await {
            Ok(reply) => usable(reply),
            Err(error) => Err(error),
        };
        Ok(match usable {
            Ok(text) => self.outcome(judge(&self.root, &text, context)),
            Err(error) => {
                self.judged(Judgement::Unusable, &[], std::slice::from_ref(&error), "");
                ThinkOutcome::ThinkFailed { error }
            }
        })
    }

    async fn halt(&mut self, _: &str) -> Result<(), Fault> {
        Ok(())
    }
}

/// The text of a reply that is whole.
fn usable(reply: Reply) -> Result<String, String> {
    let text = reply.text;
    match reply.finish {
        Finish::CutOff => Err("the reply was cut off at the length limit".into()),
        Finish::Refused if text.trim().is_empty() => {
            Err("the model declined and gave no reason".into())
        }
        Finish::Refused => Err(format!("the model declined: {text}")),
        Finish::EndOfTurn | Finish::ToolUse if text.trim().is_empty() => {
            Err("the model said nothing".into())
        }
        Finish::EndOfTurn | Finish::ToolUse => Ok(text),
    }
}

/// What the model is asked: the question stands last, where small models look.
fn question(prompt: &str, context: &[String], refused: &[String]) -> String {
    let mut parts = vec!["Passages:".to_owned()];
    parts.extend(context.iter().cloned());
    if !refused.is_empty() {
        parts.push(format!(
            "Your last answer did not count: {}.",
            refused.join("; ")
        ));
    }
    parts.push(format!("Question: {}", prompt.trim()));
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Usage;

    fn reply(finish: Finish, text: &str) -> Reply {
        Reply {
            text: text.into(),
            calls: Vec::new(),
            finish,
            reasoning: None,
            usage: Usage::default(),
            model: None,
            oddities: Vec::new(),
        }
    }

    #[test]
    fn only_a_whole_reply_is_judged() {
        let of = |finish, text| usable(reply(finish, text));
        assert_eq!(of(Finish::EndOfTurn, "so"), Ok("so".into()));
        assert!(of(Finish::CutOff, "so [a.rs:1]").is_err());
        assert!(of(Finish::EndOfTurn, " \n").is_err());
        assert!(
            of(Finish::Refused, "I would rather not.").is_err_and(|why| why.contains("rather"))
        );
        assert!(of(Finish::Refused, "").is_err_and(|why| why.contains("declined")));
    }

    #[test]
    fn the_question_stands_last_and_what_was_wrong_before_it() {
        let passages = ["a.rs:1-1\n   1 | x".to_owned()];
        assert_eq!(
            question(" Why? ", &passages, &["it names no source".into()]),
            "Passages:\n\na.rs:1-1\n   1 | x\n\n\
             Your last answer did not count: it names no source.\n\nQuestion: Why?"
        );
        assert!(!question("Why?", &passages, &[]).contains("last answer"));
    }

    #[test]
    fn a_question_has_to_say_something() {
        for (prompt, holds) in [("Why?", true), ("", false), (" \n\t", false)] {
            let asked = RetrievalEvent::Question {
                prompt: prompt.into(),
                notes: String::new(),
            };
            assert_eq!(Guards.has_question(&RetrievalCtx::default(), &asked), holds);
            let ready = ReasoningEvent::ContextReady {
                context: Vec::new(),
                prompt: prompt.into(),
            };
            assert_eq!(Guards.has_prompt(&ReasoningCtx::default(), &ready), holds);
        }
    }
}
