//! `agent ask`: one question, looked up in a repository.

mod report;
mod watch;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use space_core::runtime::{ComposedFinished, ComposedHandle, Limits, Refused, Termination};
use space_out::ask::AskRun;
use space_out::reasoning::ReasoningState;
use space_out::retrieval::RetrievalState;
use tempfile::TempDir;

use super::args::AskArgs;
use super::choice::{self, Wanted, Work};
use super::signal::{self, interrupted};
use super::{Plain, print};
use agent::ask::bundled;
use agent::ask::handler::{Retrieve, Think};
use agent::ask::lookup::Lookup;
use agent::ask::note::Note;
use agent::provider::{Attempt, Settings};
use report::Ending;
use watch::{Begun, Watch};

/// Exit statuses of a look-up that could start.
const ANSWERED: u8 = 0;
const UNANSWERED: u8 = 1;
const LIMIT: u8 = 3;
const IN_DOUBT: u8 = 4;
const ESCAPE: u8 = 5;
const INTERRUPTED: u8 = 130;

type Ran = Result<ComposedFinished<Watch>, Refused>;

/// What is asked, and of what.
struct Question<'a> {
    text: &'a str,
    root: PathBuf,
    /// As people read it.
    shown: String,
    work: Work<'a>,
    /// The folder of the bundled repository, which goes when the answer is there.
    _unpacked: Option<TempDir>,
}

pub(super) fn ask(args: &AskArgs) -> Result<u8, Plain> {
    if args.provider.as_deref() == Some("help") {
        print(&choice::list());
        return Ok(ANSWERED);
    }
    let question = question(args)?;
    let lookup = Lookup::new(args.max_rounds).map_err(|error| format!("--max-rounds: {error}"))?;
    let watch = Watch::new(args.json, std::io::stderr().is_terminal(), lookup.rounds());
    let wanted = Wanted {
        provider: args.provider.as_deref(),
        model: args.model.as_deref(),
        base_url: args.base_url.as_deref(),
        json: args.json,
        work: question.work,
    };
    let chosen = choice::choose(&wanted, settings(&watch))?;
    watch.begin(&Begun {
        question: question.text,
        model: chosen.provider.name(),
        scripted: chosen.scripted,
        repository: &question.shown,
        max_rounds: lookup.rounds(),
    });
    let retrieve = Retrieve::new(&question.root, watch.notes());
    let think = Think::new(&question.root, chosen.provider, watch.notes());
    let limits = Limits::new().clock(args.timeout);
    let finished = drive(&lookup, retrieve, think, limits, &watch, question.text)??;

    let ended = lookup
        .ended(&finished)
        .ok_or("the run ended in no state of its spaces")?;
    let status = status(&ended, &finished.termination);
    watch.end(&Ending {
        status,
        ended: &ended,
        termination: &finished.termination,
        usage: &finished.usage,
        clock: args.timeout,
    });
    Ok(status)
}

/// Runs to an end, with an ear for signals.
fn drive(
    lookup: &Lookup,
    retrieve: Retrieve,
    think: Think,
    limits: Limits,
    watch: &Watch,
    question: &str,
) -> Result<Ran, Plain> {
    let meter = think.meter();
    let mut runner = lookup
        .runner(retrieve, think)
        .limits(limits)
        .meter(meter)
        .observe(watch.clone());
    let handle = runner.handle();
    let start = lookup.question(question);
    let runtime = tokio::runtime::Runtime::new()?;
    let finished = runtime.block_on(async {
        tokio::spawn(listen(handle));
        runner.run([start]).await
    });
    runtime.shutdown_timeout(signal::LAST);
    Ok(finished)
}

/// Ends the run when somebody asks for it; at once when they ask again. Everything in flight only
/// reads, so that nothing is awaited.
async fn listen(handle: ComposedHandle) {
    interrupted().await;
    handle.suspend();
    interrupted().await;
    std::process::exit(INTERRUPTED.into());
}

fn status(ended: &AskRun, termination: &Termination) -> u8 {
    let cancelled = ended.state.retrieval == RetrievalState::Cancelled
        || ended.state.reasoning == ReasoningState::Cancelled;
    match termination {
        Termination::Completed { .. } if ended.state.reasoning == ReasoningState::Answered => {
            ANSWERED
        }
        Termination::Completed { .. } if cancelled => INTERRUPTED,
        Termination::Completed { .. }
        | Termination::Rejected { .. }
        | Termination::FeedbackExhausted { .. } => UNANSWERED,
        Termination::Limit { .. } => LIMIT,
        Termination::Suspended { .. } | Termination::Cancelled { .. } => INTERRUPTED,
        Termination::InDoubt { .. } => IN_DOUBT,
        Termination::Escape { .. } => ESCAPE,
    }
}

/// What was asked, or the bundled question.
fn question(args: &AskArgs) -> Result<Question<'_>, Plain> {
    let Some(text) = args.question.as_deref() else {
        let folder = TempDir::new()?;
        bundled::unpack(folder.path())
            .map_err(|error| format!("cannot unpack the bundled repository: {error}"))?;
        return Ok(Question {
            text: bundled::QUESTION,
            root: folder.path().to_owned(),
            shown: "the bundled one, a resolver of package versions".into(),
            work: Work::Bundled(bundled::SCRIPT),
            _unpacked: Some(folder),
        });
    };
    if text.trim().is_empty() {
        return Err("the question is blank: say what is to be looked up".into());
    }
    let dir = args.dir.as_deref().unwrap_or(Path::new("."));
    let no_folder = || {
        let dir = dir.display();
        format!("there is no folder {dir}: name the repository with --dir DIR")
    };
    let root = dir.canonicalize().map_err(|_| no_folder())?;
    if !root.is_dir() {
        return Err(no_folder().into());
    }
    Ok(Question {
        text,
        shown: root.display().to_string(),
        root,
        work: Work::Own(None),
        _unpacked: None,
    })
}

/// Tells of every attempt to reach the model that failed.
fn settings(watch: &Watch) -> Settings {
    let notes = watch.notes();
    let observer = move |attempt: &Attempt| {
        if let Some(note) = Note::of_attempt(attempt) {
            notes(&note);
        }
    };
    Settings {
        observer: Some(Arc::new(observer)),
        ..Settings::default()
    }
}
