//! The providers by name. A name is resolved to an endpoint before anything is connected; what is
//! not known is an error that names what is, never a silent default.

use std::fmt;
use std::path::PathBuf;

use super::client::Client;
use super::openai::Dialect;
use super::script::{Script, ScriptError};
use super::transport::{Settings, TransportError};
use super::{ModelProvider, Secret};

/// What is known of a provider.
#[derive(Clone, Copy, Debug)]
pub struct Provider {
    /// The name given on the command line.
    pub name: &'static str,
    /// The base URL, to which `/chat/completions` is appended.
    pub base_url: &'static str,
    /// The environment variable that holds the key.
    pub key_env: Option<&'static str>,
    /// Whether there is no use in asking without a key.
    pub key_required: bool,
    /// The model when none is named.
    pub default_model: Option<&'static str>,
    /// Beginnings of this provider's model names; empty when it serves whatever was loaded.
    ///
    /// Beginnings and not a list: a list is out of date with the next release, while a name with
    /// another beginning is a mix-up of provider and model.
    pub families: &'static [&'static str],
    /// The server's dialect of the wire format.
    pub dialect: Dialect,
}

const PLAIN: Dialect = Dialect {
    max_tokens_field: "max_tokens",
};

/// The providers reached over HTTP, in the order shown.
pub const PROVIDERS: &[Provider] = &[
    Provider {
        name: "openai",
        base_url: "https://api.openai.com/v1",
        key_env: Some("OPENAI_API_KEY"),
        key_required: true,
        default_model: Some("gpt-5"),
        families: &["gpt-", "o1", "o3", "o4", "chatgpt-", "codex-"],
        dialect: Dialect {
            max_tokens_field: "max_completion_tokens",
        },
    },
    Provider {
        name: "deepseek",
        base_url: "https://api.deepseek.com",
        key_env: Some("DEEPSEEK_API_KEY"),
        key_required: true,
        default_model: Some("deepseek-chat"),
        families: &["deepseek-"],
        dialect: PLAIN,
    },
    Provider {
        name: "kimi",
        base_url: "https://api.moonshot.ai/v1",
        key_env: Some("MOONSHOT_API_KEY"),
        key_required: true,
        default_model: Some("kimi-latest"),
        families: &["kimi-", "moonshot-"],
        dialect: PLAIN,
    },
    Provider {
        name: "glm",
        base_url: "https://api.z.ai/api/paas/v4",
        key_env: Some("ZAI_API_KEY"),
        key_required: true,
        default_model: Some("glm-4.6"),
        families: &["glm-"],
        dialect: PLAIN,
    },
    Provider {
        name: "ollama",
        base_url: "http://127.0.0.1:11434/v1",
        key_env: None,
        key_required: false,
        default_model: None,
        families: &[],
        dialect: PLAIN,
    },
    Provider {
        name: "llama.cpp",
        base_url: "http://127.0.0.1:8080/v1",
        key_env: Some("LLAMA_API_KEY"),
        key_required: false,
        // The server answers with the model it was started with, whatever the name.
        default_model: Some("default"),
        families: &[],
        dialect: PLAIN,
    },
    Provider {
        name: "vllm",
        base_url: "http://127.0.0.1:8000/v1",
        key_env: Some("VLLM_API_KEY"),
        key_required: false,
        default_model: None,
        families: &[],
        dialect: PLAIN,
    },
];

/// The name of the provider that plays a file of replies; its model is the file.
pub const SCRIPT: &str = "script";

/// What a person asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice<'a> {
    /// The provider's name.
    pub provider: &'a str,
    /// The model, or the provider's default.
    pub model: Option<&'a str>,
    /// Another base URL, for a gateway, another host or a test.
    pub base_url: Option<&'a str>,
}

/// A choice that makes sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// A server.
    Server(Endpoint),
    /// A file of replies.
    Script(PathBuf),
}

/// Where to send requests, as which model, with which key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The provider's name.
    pub provider: &'static str,
    /// The base URL without a slash at the end.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// The key.
    pub key: Option<Secret>,
    /// The server's dialect.
    pub dialect: Dialect,
}

impl Endpoint {
    /// Whether requests travel unencrypted.
    pub fn is_plain_http(&self) -> bool {
        self.base_url.starts_with("http://")
    }

    /// Whether the server is on this machine.
    pub fn is_loopback(&self) -> bool {
        reqwest::Url::parse(&self.base_url).is_ok_and(|url| is_loopback(&url))
    }
}

/// Resolves a choice. `env` looks up environment variables; keys come from nowhere else.
pub fn resolve(
    choice: Choice<'_>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Resolved, RegistryError> {
    if choice.provider == SCRIPT {
        return match (choice.model, choice.base_url) {
            (_, Some(_)) => Err(RegistryError::ScriptWithUrl),
            (None, None) => Err(RegistryError::ScriptWithoutFile),
            (Some(file), None) => Ok(Resolved::Script(PathBuf::from(file))),
        };
    }
    let provider = PROVIDERS
        .iter()
        .find(|provider| provider.name == choice.provider)
        .ok_or_else(|| RegistryError::UnknownProvider {
            name: choice.provider.to_owned(),
        })?;
    let model = match choice.model.or(provider.default_model) {
        Some(model) if !model.trim().is_empty() => model,
        _ => {
            return Err(RegistryError::NoModel {
                provider: provider.name,
            });
        }
    };
    // Behind another base URL is another server, which may serve anything.
    let fits = |family: &&str| model.starts_with(*family);
    if choice.base_url.is_none()
        && !provider.families.is_empty()
        && !provider.families.iter().any(fits)
    {
        return Err(RegistryError::UnknownModel {
            provider: provider.name,
            model: model.to_owned(),
            families: provider.families,
        });
    }
    let key = provider
        .key_env
        .and_then(env)
        .filter(|key| !key.trim().is_empty())
        .map(|key| Secret::new(&key));
    if key.is_none()
        && provider.key_required
        && choice.base_url.is_none()
        && let Some(variable) = provider.key_env
    {
        return Err(RegistryError::NoKey {
            provider: provider.name,
            variable,
        });
    }
    Ok(Resolved::Server(Endpoint {
        provider: provider.name,
        base_url: check_url(choice.base_url.unwrap_or(provider.base_url), key.is_some())?,
        model: model.to_owned(),
        key,
        dialect: provider.dialect,
    }))
}

/// Opens what was resolved. Nothing is sent.
pub fn open(resolved: Resolved, settings: Settings) -> Result<Box<dyn ModelProvider>, OpenError> {
    Ok(match resolved {
        Resolved::Server(endpoint) => Box::new(Client::new(endpoint, settings)?),
        Resolved::Script(file) => Box::new(Script::open(&file)?),
    })
}

fn check_url(text: &str, with_key: bool) -> Result<String, RegistryError> {
    // The text itself is not repeated: it may hold a password.
    let wrong = |reason| RegistryError::BaseUrl { reason };
    let url = reqwest::Url::parse(text).map_err(|_| wrong("it cannot be parsed"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(
            "it holds a user name or password; keys come from the environment",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("it has a query or a fragment"));
    }
    match url.scheme() {
        "http" if with_key && !is_loopback(&url) => {
            return Err(wrong("it would send the key unencrypted; use https"));
        }
        "http" | "https" => {}
        _ => return Err(wrong("it is neither http nor https")),
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

fn is_loopback(url: &reqwest::Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost"
            || host
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    })
}

/// Why a choice cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// No such provider.
    #[error("unknown provider {name:?}; known are {known}", known = Known)]
    UnknownProvider {
        /// What was asked for.
        name: String,
    },
    /// The provider has no such model.
    #[error(
        "{provider} has no model {model:?}; its models are named {families}",
        families = families.iter().map(|f| format!("{f}…")).collect::<Vec<_>>().join(", ")
    )]
    UnknownModel {
        /// The provider.
        provider: &'static str,
        /// What was asked for.
        model: String,
        /// How its models' names begin.
        families: &'static [&'static str],
    },
    /// The provider has no default model.
    #[error("{provider} serves whatever was loaded: name the model with --model")]
    NoModel {
        /// The provider.
        provider: &'static str,
    },
    /// The key is not in the environment.
    #[error("{provider} needs a key in the environment variable {variable}")]
    NoKey {
        /// The provider.
        provider: &'static str,
        /// The variable.
        variable: &'static str,
    },
    /// The base URL cannot be used.
    #[error("the base URL cannot be used: {reason}")]
    BaseUrl {
        /// Why.
        reason: &'static str,
    },
    /// The script provider needs a file.
    #[error("the script provider plays a file: name it with --model FILE")]
    ScriptWithoutFile,
    /// The script provider talks to nobody.
    #[error("the script provider plays a file and has no base URL")]
    ScriptWithUrl,
}

struct Known;

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for provider in PROVIDERS {
            write!(f, "{}, ", provider.name)?;
        }
        f.write_str(SCRIPT)
    }
}

/// Why a provider cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The HTTP client.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The script.
    #[error(transparent)]
    Script(#[from] ScriptError),
}
