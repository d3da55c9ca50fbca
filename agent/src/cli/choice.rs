//! Who answers for the model.

use std::fmt::Write as _;
use std::path::Path;

use super::args::RunArgs;
use super::{Plain, eprint};
use agent::provider::registry::{self, Choice, PROVIDERS, SCRIPT};
use agent::provider::{ModelProvider, Script, Settings};
use agent::work::task::Task;

/// The model that answers.
pub(super) struct Chosen {
    pub(super) provider: Box<dyn ModelProvider>,
    /// Whether it is a script, so that nobody takes it for a model.
    pub(super) scripted: bool,
}

/// Chooses by what was typed, what the environment has keys for, and what the task brings along.
/// `task` is absent for the bundled one.
pub(super) fn choose(
    args: &RunArgs,
    task: Option<&Task>,
    settings: Settings,
) -> Result<Chosen, Plain> {
    let env = |name: &str| std::env::var(name).ok();
    let has_key = |name: &str| env(name).is_some_and(|key| !key.trim().is_empty());
    let with_key = PROVIDERS
        .iter()
        .find(|provider| provider.key_env.is_some_and(has_key));
    let script = task.and_then(|task| task.script.as_deref());
    let named = args.provider.as_deref();
    // The bundled task stands for "show me": it asks no paid model unless it is told to.
    let name = match (named, task, with_key, script) {
        (Some(name), ..) => name,
        (None, Some(_), Some(provider), _) => provider.name,
        (None, None, ..) | (None, Some(_), None, Some(_)) => SCRIPT,
        (None, Some(_), None, None) => return Err(nobody().into()),
    };
    let scripted = name == SCRIPT;
    if scripted && named.is_none() && !args.json {
        match with_key {
            Some(provider) => eprint(&format!(
                "`--provider {}` would ask a real model; without it the task's script answers",
                provider.name
            )),
            None => eprint("no provider is configured: the task's script answers for the model"),
        }
    }
    let provider = if scripted && task.is_none() && args.model.is_none() {
        Box::new(Script::parse("bundled", Task::bundled_script())?)
    } else {
        let script = script.map(Path::to_string_lossy);
        let choice = Choice {
            provider: name,
            model: args
                .model
                .as_deref()
                .or(script.as_deref().filter(|_| scripted)),
            base_url: args.base_url.as_deref(),
        };
        registry::open(registry::resolve(choice, &env)?, settings)?
    };
    Ok(Chosen { provider, scripted })
}

fn nobody() -> String {
    let keys: Vec<_> = PROVIDERS
        .iter()
        .filter_map(|provider| provider.key_env)
        .collect();
    let names: Vec<_> = PROVIDERS.iter().map(|provider| provider.name).collect();
    format!(
        "nobody answers for the model: set one of {}, or name a provider with --provider ({}, \
         {SCRIPT})",
        keys.join(", "),
        names.join(", ")
    )
}

/// The providers, one a line.
pub(super) fn list() -> String {
    let mut text = String::new();
    for provider in PROVIDERS {
        let model = provider.default_model.unwrap_or("named with --model");
        let key = provider.key_env.unwrap_or("no key");
        let (name, url) = (provider.name, provider.base_url);
        let _ = writeln!(text, "{name:<10} {model:<20} {key:<18} {url}");
    }
    let _ = write!(text, "{SCRIPT:<10} a file of replies, named with --model");
    text
}
