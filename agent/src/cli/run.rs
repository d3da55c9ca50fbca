//! `agent run`: one task, worked on until its checks pass.

use std::ffi::OsString;
use std::fs;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use space_core::runtime::{Limits, Runner, Termination};
use space_out::agent::{Agent, AgentEvent, AgentState};

use super::args::RunArgs;
use super::watch::{Ending, Watch};
use super::{Plain, eprint};
use agent::policy::Policy;
use agent::provider::registry::{self, Choice, PROVIDERS, SCRIPT};
use agent::provider::{ModelProvider, Settings};
use agent::tools::{Context, ToolSet};
use agent::work::handler::{Guards, Work};
use agent::work::proof::Prover;
use agent::work::task::Task;
use agent::workspace::Workspace;

const PROMPT: &str = include_str!("../work/prompt.txt");

/// Exit statuses of a run that could start.
const PROVED: u8 = 0;
const NOT_PROVED: u8 = 1;
const LIMIT: u8 = 3;
const IN_DOUBT: u8 = 4;
const ESCAPE: u8 = 5;
const INTERRUPTED: u8 = 130;

pub(super) fn run(args: &RunArgs) -> Result<u8, Plain> {
    let dir = run_folder(args.dir.as_deref())?;
    let bundled = args.goal.is_none() && args.task.is_none();
    let task = task(args, &dir)?;
    let (provider, scripted) = provider(args, &task, bundled)?;
    let root = workspace(&task, &dir)?;
    let workspace = Workspace::open(&root, &task.checks)?;
    let path = std::env::var_os("PATH");
    let policy = Policy::builtin(&workspace, path.as_deref());
    let prover = Prover::new(&task, workspace.clone(), dir.join("proofs"))?;
    let tools = ToolSet::new(Context::new(workspace, policy, dir.join("output")));
    let rounds = args.max_rounds.unwrap_or(task.limits.max_rounds);
    let clock = args.timeout.unwrap_or(task.limits.timeout());
    let limits = Limits::new()
        .rounds(rounds)
        .clock(clock)
        .effect("Prove", task.limits.max_proofs);
    let watch = Watch::new(args.json, std::io::stderr().is_terminal());
    watch.begin(&task.name, provider.name(), scripted, &root);
    let work = Work::new(provider, tools, prover, PROMPT, watch.notes());
    let meter = work.meter();
    let mut runner = Runner::new(Agent, Arc::new(Guards), work)
        .limits(limits)
        .meter(meter)
        .observe(watch.clone());
    let handle = runner.handle();
    let goal = AgentEvent::GoalGiven {
        goal: task.goal.clone(),
    };
    let finished = tokio::runtime::Runtime::new()?.block_on(async {
        tokio::spawn(async move {
            interrupted().await;
            handle.suspend();
        });
        runner.run(goal).await
    })?;
    let status = status(finished.state, &finished.termination);
    watch.end(&Ending {
        proved: status == PROVED,
        answer: finished.ctx.answer.as_deref(),
        termination: &finished.termination,
        usage: &finished.usage,
        rounds,
        clock,
        delivery: finished.handler.delivery(),
        workspace: &root,
        status,
    });
    Ok(status)
}

/// Waits for the person, or the system, to ask for an end.
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
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

fn task(args: &RunArgs, dir: &Path) -> Result<Task, Plain> {
    if let Some(goal) = &args.goal {
        return Ok(Task::of_goal(goal, Path::new(".")));
    }
    if let Some(folder) = &args.task {
        return Ok(Task::load(folder)?);
    }
    let folder = dir.join("task");
    Task::unpack_bundled(&folder)?;
    Ok(Task::load(&folder)?)
}

/// The model that answers, and whether it is a script.
fn provider(
    args: &RunArgs,
    task: &Task,
    bundled: bool,
) -> Result<(Box<dyn ModelProvider>, bool), Plain> {
    let env = |name: &str| std::env::var(name).ok();
    let with_key = || {
        let has_key = |name: Option<&str>| name.and_then(env).is_some_and(|key| !key.is_empty());
        PROVIDERS.iter().find(|provider| has_key(provider.key_env))
    };
    let script = task
        .script
        .as_ref()
        .map(|file| file.to_string_lossy().into_owned());
    let named = args.provider.as_deref();
    // The bundled task stands for "show me": it asks no paid model unless it is told to.
    let chosen = match named {
        Some(name) => name,
        None if bundled => SCRIPT,
        None => match (with_key(), &script) {
            (Some(provider), _) => provider.name,
            (None, Some(_)) => SCRIPT,
            (None, None) => return Err(no_provider().into()),
        },
    };
    if chosen == SCRIPT && named.is_none() && !args.json {
        match with_key() {
            Some(provider) if bundled => eprint(&format!(
                "`--provider {}` would ask a real model; without it the task's script answers",
                provider.name
            )),
            _ => eprint("no provider is configured: the task's script answers for the model"),
        }
    }
    let scripted = chosen == SCRIPT;
    let model = args
        .model
        .as_deref()
        .or(script.as_deref().filter(|_| scripted));
    let base_url = args.base_url.as_deref();
    let resolved = registry::resolve(
        Choice {
            provider: chosen,
            model,
            base_url,
        },
        &env,
    )?;
    Ok((registry::open(resolved, Settings::default())?, scripted))
}

fn no_provider() -> String {
    let keys: Vec<_> = PROVIDERS
        .iter()
        .filter_map(|provider| provider.key_env)
        .collect();
    let names: Vec<_> = PROVIDERS.iter().map(|provider| provider.name).collect();
    format!(
        "nobody answers for the model: set one of {}, or name a provider with --provider ({})",
        keys.join(", "),
        names.join(", ")
    )
}

/// A new folder for what the run keeps.
fn run_folder(named: Option<&Path>) -> Result<PathBuf, Plain> {
    if let Some(dir) = named {
        if fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(format!("{} is not empty: a run needs a new folder", dir.display()).into());
        }
        fs::create_dir_all(dir)?;
        return Ok(dir.to_owned());
    }
    let runs = Path::new(".space").join("runs");
    fs::create_dir_all(&runs)
        .map_err(|error| format!("cannot create {}: {error}", runs.display()))?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    // Names sort by time; two runs of one millisecond are told apart by who was first.
    for number in 0_u32.. {
        let dir = runs.join(format!("{}-{number}", now.as_millis()));
        match fs::create_dir(&dir) {
            Ok(()) => return Ok(dir),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err("no folder is free".into())
}

/// The folder that is worked on: the task's own, or a copy of it in the run's folder.
fn workspace(task: &Task, dir: &Path) -> Result<PathBuf, Plain> {
    if task.in_place {
        return Ok(task.workspace.clone());
    }
    let copy = dir.join("workspace");
    copy_folder(&task.workspace, &copy)?;
    Ok(copy)
}

/// Copies a folder without build products; links are copied as links.
fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    let mut entries: Vec<_> = fs::read_dir(from)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type()?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(source)?, target)?;
        } else if kind.is_dir() {
            if entry.file_name() != OsString::from("target") {
                copy_folder(&source, &target)?;
            }
        } else if kind.is_file() {
            fs::copy(source, target)?;
        }
    }
    Ok(())
}
