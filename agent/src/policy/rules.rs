//! A policy as text, checked when it is loaded.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::decide::Verdict;
use super::wrappers::is_wrapper;
use crate::process::find_program;
use crate::workspace::{Digest, Workspace};

/// The rules of one or more policies, ready to decide.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(super) rules: Vec<Rule>,
    /// Where the programs that rules name are on this machine.
    pub(super) programs: BTreeMap<String, PathBuf>,
    pub(super) path: Option<std::ffi::OsString>,
    pub(super) hash: Digest,
    /// Why everything is denied.
    pub(super) broken: Option<String>,
}

const CARGO: &str = include_str!("profiles/cargo.toml");
const GIT: &str = include_str!("profiles/git.toml");
const LOOK: &str = include_str!("profiles/look.toml");

impl Policy {
    /// The profile that ships: cargo, reading git, looking at files, and the workspace's own
    /// binaries.
    pub fn builtin(workspace: &Workspace, path: Option<&OsStr>) -> Self {
        Self::load(&[CARGO, GIT, LOOK], workspace, path)
            .unwrap_or_else(|error| Self::broken(&error))
    }

    /// The text of a profile that ships: `cargo`, `git` or `look`.
    pub fn profile(name: &str) -> Option<&'static str> {
        match name {
            "cargo" => Some(CARGO),
            "git" => Some(GIT),
            "look" => Some(LOOK),
            _ => None,
        }
    }

    /// Loads policies that hold together. `path` is the value of `PATH` on which the programs named
    /// by rules are looked up; folders of it that are relative or inside the workspace are left out.
    pub fn load(
        texts: &[&str],
        workspace: &Workspace,
        path: Option<&OsStr>,
    ) -> Result<Self, PolicyError> {
        let mut rules = Vec::new();
        for text in texts {
            rules.extend(parse(text)?);
        }
        if rules.is_empty() {
            return Err(PolicyError::Empty);
        }
        for (index, rule) in rules.iter().enumerate() {
            if rules[..index].iter().any(|other| other.name == rule.name) {
                return Err(rule.fault("another rule has this name"));
            }
            rule.check()?;
        }
        let path = path.map(|path| trusted(path, workspace));
        let names = rules.iter().flat_map(Rule::programs);
        let programs = names
            .filter_map(|name| {
                let file = find_program(OsStr::new(name), path.as_deref(), Path::new("/"))?;
                Some((name.to_owned(), file))
            })
            .collect();
        Ok(Self {
            hash: Digest::of(texts.join("\0").as_bytes()),
            rules,
            programs,
            path,
            broken: None,
        })
    }

    /// The policy to use when another did not load: it denies everything and says why.
    pub fn broken(error: &PolicyError) -> Self {
        let reason = error.to_string();
        Self {
            rules: Vec::new(),
            programs: BTreeMap::new(),
            path: None,
            hash: Digest::of(reason.as_bytes()),
            broken: Some(reason),
        }
    }

    /// Identifies the policy in the journal.
    pub fn hash(&self) -> Digest {
        self.hash
    }
}

/// The folders of a `PATH` that the workspace's own files cannot be in.
fn trusted(path: &OsStr, workspace: &Workspace) -> std::ffi::OsString {
    let outside = |real: PathBuf| !real.starts_with(workspace.root());
    let kept = std::env::split_paths(path)
        .filter(|folder| folder.is_absolute() && folder.canonicalize().is_ok_and(outside));
    // Joining what was split cannot fail; without it nothing is found, which denies.
    std::env::join_paths(kept).unwrap_or_default()
}

fn parse(text: &str) -> Result<Vec<Rule>, PolicyError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(default)]
        rule: Vec<Rule>,
    }
    let file: File = toml::from_str(text).map_err(|error| PolicyError::Syntax {
        message: error.to_string().trim_end().to_owned(),
    })?;
    Ok(file.rule)
}

/// One rule. A command fits when everything that is given fits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) verdict: Verdict,
    /// Names looked up on `PATH`, or `workspace:target` for the binaries that the workspace built.
    program: OneOrMore,
    /// The first argument is one of these.
    pub(super) first: Option<Vec<String>>,
    /// The arguments are these and no others; the only way to permit a wrapper.
    pub(super) exact: Option<Vec<Words>>,
    /// One of the arguments is one of these, or begins with one and `=`.
    pub(super) any: Option<Vec<String>>,
    /// The options it may have. `--name` stands alone; `--name=` takes any value; `--name=path`
    /// takes a path inside the workspace. Absent: any option. A prohibition does not look at them.
    pub(super) options: Option<Vec<String>>,
    /// What its other arguments may be.
    #[serde(default)]
    pub(super) operands: Operands,
    /// The first operand is a pattern to search for, and may be anything.
    #[serde(default)]
    pub(super) pattern_first: bool,
    /// What may follow a `--`.
    #[serde(default)]
    pub(super) after_dashes: AfterDashes,
    /// Facts that the caller has to state: `kind`, `reason`.
    #[serde(default)]
    pub(super) needs: Vec<Need>,
    /// Said when the rule decides.
    pub(super) because: Option<String>,
    #[serde(rename = "match")]
    matches: Vec<Words>,
    #[serde(default)]
    not_match: Vec<Words>,
}

/// What the arguments of a command that are no options may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operands {
    /// None at all.
    #[default]
    None,
    /// Anything.
    Any,
    /// Anything but a path that leads out of the workspace.
    Inside,
    /// Paths in the workspace that the tools may write.
    Writable,
}

/// What may follow a `--`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AfterDashes {
    /// Operands, as before it.
    #[default]
    Operands,
    /// Lint levels: `-D warnings`.
    Lints,
    /// Anything: it goes to a program of the workspace.
    Free,
}

/// A fact to state with a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Need {
    /// What kind of change it is.
    Kind,
    /// Why it is right.
    Reason,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// Arguments: a list, or words in one string where none holds a blank.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "WordsForm")]
pub(super) struct Words(pub(super) Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum WordsForm {
    Line(String),
    List(Vec<String>),
}

impl From<WordsForm> for Words {
    fn from(form: WordsForm) -> Self {
        Self(match form {
            WordsForm::Line(line) => line.split_whitespace().map(str::to_owned).collect(),
            WordsForm::List(list) => list,
        })
    }
}

/// The `program` that stands for the binaries built in the workspace.
pub(super) const OWN_TARGET: &str = "workspace:target";

impl Rule {
    pub(super) fn programs(&self) -> impl Iterator<Item = &str> {
        let list = match &self.program {
            OneOrMore::One(name) => std::slice::from_ref(name),
            OneOrMore::More(names) => names,
        };
        list.iter().map(String::as_str)
    }

    fn fault(&self, message: impl Into<String>) -> PolicyError {
        PolicyError::Rule {
            rule: self.name.clone(),
            message: message.into(),
        }
    }

    /// Checks that the rule can mean what it says, by its own examples.
    fn check(&self) -> Result<(), PolicyError> {
        if self.programs().next().is_none() {
            return Err(self.fault("it names no program"));
        }
        for program in self.programs() {
            if program.is_empty() || program.contains('/') {
                return Err(self.fault("`program` is a bare name or \"workspace:target\""));
            }
            if self.verdict == Verdict::Allow && self.exact.is_none() && is_wrapper(program) {
                return Err(self.fault(format!(
                    "{program} runs other programs: permit whole commands with `exact`"
                )));
            }
        }
        if self.exact.is_some()
            && (self.first.is_some() || self.any.is_some() || self.options.is_some())
        {
            return Err(self.fault("`exact` stands alone"));
        }
        if self.matches.is_empty() {
            return Err(self.fault("it has no `match` example"));
        }
        for (examples, expected) in [(&self.matches, true), (&self.not_match, false)] {
            for Words(example) in examples {
                let Some((program, arguments)) = example.split_first() else {
                    return Err(self.fault("an example is empty"));
                };
                let named = self
                    .programs()
                    .any(|name| name == program || name == OWN_TARGET);
                if (named && self.fits(arguments, &|_| true)) != expected {
                    let verb = if expected {
                        "does not match"
                    } else {
                        "matches"
                    };
                    return Err(self.fault(format!("{verb} its example {example:?}")));
                }
            }
        }
        Ok(())
    }
}

/// Why a policy cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// It is not the TOML expected.
    #[error("the policy is not well formed: {message}")]
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// It has no rules.
    #[error("the policy has no rules")]
    Empty,
    /// A rule is wrong.
    #[error("policy rule {rule:?}: {message}")]
    Rule {
        /// The rule's name.
        rule: String,
        /// What is wrong with it.
        message: String,
    },
}
