//! `agent run`: one task, worked on until its checks pass, with a person who may watch over it.

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;

use space_core::runtime::{ComposedFinished, Limits, Refused, Termination};
use space_out::agent::AgentState;

use super::args::RunArgs;
use super::choice::Wanted;
use super::listen;
use super::report::{Ending, Proof};
use super::signal::interrupted;
use super::watch::{Begun, Watch};
use super::{Plain, choice, folder, print, signal};
use agent::policy::Policy;
use agent::provider::{Attempt, Settings};
use agent::tools::{Context, ToolSet};
use agent::work;
use agent::work::handler::Work;
use agent::work::note::Note;
use agent::work::proof::{Prover, Sealed};
use agent::work::supervised::{self, Voice};
use agent::work::task::Task;
use agent::workspace::Workspace;

/// Exit statuses of a run that could start.
const PROVED: u8 = 0;
const NOT_PROVED: u8 = 1;
const LIMIT: u8 = 3;
const IN_DOUBT: u8 = 4;
const ESCAPE: u8 = 5;
const INTERRUPTED: u8 = 130;

type Ran = Result<ComposedFinished<Watch>, Refused>;

pub(super) fn run(args: &RunArgs) -> Result<u8, Plain> {
    if args.provider.as_deref() == Some("help") {
        print(&choice::list());
        return Ok(PROVED);
    }
    let watch = Watch::new(args.json, std::io::stderr().is_terminal());
    // What can be wrong is found before a folder is made.
    let named = named_task(args)?;
    let sealed = named.as_ref().map(Sealed::of).transpose()?;
    let wanted = Wanted {
        provider: args.provider.as_deref(),
        model: args.model.as_deref(),
        base_url: args.base_url.as_deref(),
        json: args.json,
        work: match &named {
            Some(task) => choice::Work::Own(task.script.as_deref()),
            None => choice::Work::Bundled(Task::bundled_script()),
        },
    };
    let chosen = choice::choose(&wanted, settings(&watch))?;
    let worked_on = named.as_ref().map(|task| task.workspace.as_path());
    let dir = folder::run_folder(args.dir.as_deref(), worked_on)?;
    let task = match named {
        Some(task) => task,
        None => bundled(&dir)?,
    };
    let sealed = match sealed {
        Some(sealed) => sealed,
        None => Sealed::of(&task)?,
    };
    let root = folder::workspace(&task, &dir)?;

    let workspace = Workspace::open(&root, &task.in_workspace(sealed.paths()))?;
    let prover = Prover::new(sealed, workspace.clone(), dir.join("proofs"));
    let path = std::env::var_os("PATH");
    let policy = Policy::builtin(&workspace, path.as_deref());
    let mut tools = ToolSet::new(Context::new(workspace, policy, dir.join("output")));
    if let Some(names) = &task.tools {
        tools.keep(names)?;
    }
    let rounds = args.max_rounds.unwrap_or(task.limits.max_rounds);
    let clock = args.timeout.unwrap_or(task.limits.timeout());
    let limits = Limits::new()
        .rounds(rounds)
        .clock(clock)
        .effect("agent.Prove", task.limits.max_proofs);
    watch.begin(&Begun {
        task: &task.name,
        model: chosen.provider.name(),
        scripted: chosen.scripted,
        workspace: &root,
        listens: args.listen,
    });
    let work = Work::new(chosen.provider, tools, prover, work::PROMPT, watch.notes())
        .model(task.model.clone());
    let mut finished = drive(work, limits, &watch, &task.goal, args.listen)??;

    let ended = supervised::ended(&finished).ok_or("the run ended in no state of its spaces")?;
    let work: Work = finished
        .handler("agent")
        .ok_or("the run has lost what it did")?;
    let state = ended.state.agent;
    let status = status(state, &finished.termination);
    watch.end(&Ending {
        proof: match (status, state) {
            (PROVED, _) => Proof::Proved,
            (_, AgentState::Unproved) => Proof::Waived,
            _ => Proof::Missing,
        },
        answer: ended.ctx.agent.answer.as_deref(),
        reason: work.reason(),
        termination: &finished.termination,
        usage: &finished.usage,
        rounds,
        clock,
        delivery: work.delivery(),
        changed_since_proof: work.changed_since_proof(),
        workspace: &root,
        kept: &dir,
        status,
    });
    Ok(status)
}

/// Runs to an end, with an ear for signals, and for what the person types when it `listens`.
fn drive(
    work: Work,
    limits: Limits,
    watch: &Watch,
    goal: &str,
    listens: bool,
) -> std::io::Result<Ran> {
    let (runner, voice) = supervised::runner(work);
    if listens {
        listen::start(voice.clone(), watch.clone())?;
    }
    let runtime = tokio::runtime::Runtime::new()?;
    let finished = runtime.block_on(async {
        tokio::spawn(end_when_asked(voice));
        let runner = runner.limits(limits).observe(watch.clone());
        runner.run([supervised::goal(goal)]).await
    });
    // Whatever is still at work is dropped, and with it the programs that it runs.
    runtime.shutdown_timeout(signal::LAST);
    Ok(finished)
}

/// Ends the run when the person, or the system, asks for it; at once when they ask again.
async fn end_when_asked(voice: Voice) {
    interrupted().await;
    voice.suspend();
    interrupted().await;
    std::process::exit(INTERRUPTED.into());
}

fn status(state: AgentState, termination: &Termination) -> u8 {
    match termination {
        Termination::Completed { .. } if state == AgentState::Answered => PROVED,
        Termination::Completed { .. } if state == AgentState::Cancelled => INTERRUPTED,
        Termination::Completed { .. } | Termination::Rejected { .. } => NOT_PROVED,
        Termination::Limit { .. } | Termination::FeedbackExhausted { .. } => LIMIT,
        Termination::Suspended { .. } | Termination::Cancelled { .. } => INTERRUPTED,
        Termination::InDoubt { .. } => IN_DOUBT,
        Termination::Escape { .. } => ESCAPE,
    }
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

/// The task that was asked for; none for the bundled one.
fn named_task(args: &RunArgs) -> Result<Option<Task>, Plain> {
    if let Some(goal) = &args.goal {
        if goal.trim().is_empty() {
            return Err("the goal is blank: say what is to be done, --goal TEXT".into());
        }
        return Ok(Some(Task::of_goal(goal, Path::new("."))));
    }
    Ok(args.task.as_deref().map(Task::load).transpose()?)
}

fn bundled(dir: &Path) -> Result<Task, Plain> {
    let folder = dir.join("task");
    Task::unpack_bundled(&folder)
        .map_err(|error| format!("cannot unpack the bundled task: {error}"))?;
    Ok(Task::load(&folder)?)
}
