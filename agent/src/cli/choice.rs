//! Who answers for the model.

use std::fmt::Write as _;
use std::path::Path;

use super::{Plain, eprint};
use agent::provider::registry::{self, Choice, PROVIDERS, SCRIPT};
use agent::provider::{ModelProvider, Script, Settings};

/// The model that answers.
pub(super) struct Chosen {
    pub(super) provider: Box<dyn ModelProvider>,
    /// Whether it is a script, so that nobody takes it for a model.
    pub(super) scripted: bool,
}

/// What decides who answers.
pub(super) struct Wanted<'a> {
    /// What was typed.
    pub(super) provider: Option<&'a str>,
    pub(super) model: Option<&'a str>,
    pub(super) base_url: Option<&'a str>,
    /// Whether people do not read along.
    pub(super) json: bool,
    /// What there is to do.
    pub(super) work: Work<'a>,
}

/// What there is to do, and the script that comes with it.
#[derive(Clone, Copy)]
pub(super) enum Work<'a> {
    /// Something bundled stands for "show me": it asks no paid model unless it is told to.
    Bundled(&'static str),
    /// The person's own, which may bring a file of replies along.
    Own(Option<&'a Path>),
}

/// Chooses by what was typed, what the environment has keys for, and what the work brings along.
pub(super) fn choose(wanted: &Wanted<'_>, settings: Settings) -> Result<Chosen, Plain> {
    let env = |name: &str| std::env::var(name).ok();
    let has_key = |name: &str| env(name).is_some_and(|key| !key.trim().is_empty());
    let with_key = PROVIDERS
        .iter()
        .find(|provider| provider.key_env.is_some_and(has_key));
    let name = match (wanted.provider, wanted.work, with_key) {
        (Some(name), ..) => name,
        (None, Work::Own(_), Some(provider)) => provider.name,
        (None, Work::Bundled(_), _) | (None, Work::Own(Some(_)), None) => SCRIPT,
        (None, Work::Own(None), None) => return Err(nobody().into()),
    };
    let scripted = name == SCRIPT;
    if scripted && wanted.provider.is_none() && !wanted.json {
        match with_key {
            Some(provider) => eprint(&format!(
                "`--provider {}` would ask a real model; without it a script answers",
                provider.name
            )),
            None => eprint("no provider is configured: a script answers for the model"),
        }
    }
    let provider = match (wanted.work, wanted.model) {
        (Work::Bundled(script), None) if scripted => Box::new(Script::parse("bundled", script)?),
        (work, model) => {
            let script = match work {
                Work::Own(script) => script.filter(|_| scripted).map(Path::to_string_lossy),
                Work::Bundled(_) => None,
            };
            let choice = Choice {
                provider: name,
                model: model.or(script.as_deref()),
                base_url: wanted.base_url,
            };
            registry::open(registry::resolve(choice, &env)?, settings)?
        }
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
