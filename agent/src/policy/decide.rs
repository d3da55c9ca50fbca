//! From a command to a verdict.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::rules::{AfterDashes, Need, OWN_TARGET, Operands, Policy, Rule, Words};
use super::wrappers::is_wrapper;
use crate::process::find_program;
use crate::workspace::{Digest, Workspace};

/// What a caller wants to run.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    /// The program and its arguments.
    pub argv: &'a [String],
    /// The folder it runs in, inside the workspace.
    pub cwd: &'a Path,
    /// What kind of change it makes, where a rule wants that stated.
    pub kind: Option<&'a str>,
    /// Why, where a rule wants that stated.
    pub reason: Option<&'a str>,
}

/// What may be done with a command; the greater is the stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Run it.
    Allow,
    /// Run it when a person agrees; without a person, do not.
    Ask,
    /// Do not run it.
    Deny,
}

/// A verdict with its grounds, for the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What may be done.
    pub verdict: Verdict,
    /// The rule that decided, or a fixed name in parentheses when none did.
    pub rule: String,
    /// Why, in words for the model.
    pub reason: String,
    /// The file to execute, when one was found.
    pub program: Option<PathBuf>,
    /// The policy that decided.
    pub policy: Digest,
}

impl Decision {
    /// The decision without a person to ask: `ask` becomes `deny`.
    #[must_use]
    pub fn unattended(mut self) -> Self {
        if self.verdict == Verdict::Ask {
            self.verdict = Verdict::Deny;
            self.reason = format!("{}; nobody is there to be asked", self.reason);
        }
        self
    }
}

impl Policy {
    /// Decides on a command. Looks at files, and runs nothing.
    pub fn decide(&self, command: &Command<'_>, workspace: &Workspace) -> Decision {
        let deny = |rule: &str, reason: String, program| Decision {
            verdict: Verdict::Deny,
            rule: rule.to_owned(),
            reason,
            program,
            policy: self.hash,
        };
        if let Some(reason) = &self.broken {
            return deny("(policy does not load)", reason.clone(), None);
        }
        let Some((name, arguments)) = command.argv.split_first() else {
            return deny("(empty)", "there is no program".to_owned(), None);
        };
        if command.argv.iter().any(|word| word.contains('\0')) {
            return deny("(malformed)", "an argument holds a NUL".to_owned(), None);
        }
        if let Some(word) = arguments.iter().find(|word| is_shell_syntax(word)) {
            let reason = format!("{word:?} is shell syntax and there is no shell; run one program");
            return deny("(shell syntax)", reason, None);
        }
        let Some(program) = self.identify(name, command.cwd, workspace) else {
            let hint = if name.contains(|c: char| c.is_whitespace() || c == '=') {
                "; argv is a list of arguments, not a shell line"
            } else {
                ""
            };
            return deny(
                "(no program)",
                format!("no executable {name:?} was found{hint}"),
                None,
            );
        };
        let file = || Some(program.file.clone());

        let may_use = |path: &str, operands: Operands| {
            let path = from_root(path, command.cwd, workspace);
            match operands {
                Operands::Writable => workspace.writable(&path).is_ok(),
                _ => workspace.inside(&path).is_ok(),
            }
        };
        let fits = |rule: &&Rule| {
            rule.programs()
                .any(|known| Some(known) == program.known.as_deref())
                && (!program.wrapper || rule.exact.is_some() || rule.verdict != Verdict::Allow)
                && rule.fits(arguments, &|path| may_use(path, rule.operands))
        };
        let strictest = self
            .rules
            .iter()
            .filter(fits)
            .max_by_key(|rule| rule.verdict);
        let Some(rule) = strictest else {
            let (rule, reason) = if program.wrapper {
                (
                    "(wrapper)",
                    format!("{name} runs other programs; call the program itself"),
                )
            } else if program.known.is_some() {
                (
                    "(no rule)",
                    format!("no rule permits {name} with these arguments"),
                )
            } else {
                ("(no rule)", format!("no rule names the program {name}"))
            };
            return deny(rule, reason, file());
        };
        if let Some(missing) = rule.needs.iter().find(|need| !command.states(**need)) {
            let field = match missing {
                Need::Kind => "kind",
                Need::Reason => "reason",
            };
            let reason = format!("this command needs `{field}` to be stated");
            return deny(&rule.name, reason, file());
        }
        Decision {
            verdict: rule.verdict,
            rule: rule.name.clone(),
            reason: rule.because.clone().unwrap_or_else(|| match rule.verdict {
                Verdict::Allow => "permitted".to_owned(),
                Verdict::Ask => "a person has to agree".to_owned(),
                Verdict::Deny => "forbidden".to_owned(),
            }),
            program: file(),
            policy: self.hash,
        }
    }

    /// Finds the file and says which program it is to the rules.
    fn identify(&self, name: &str, cwd: &Path, workspace: &Workspace) -> Option<Program> {
        let file = find_program(OsStr::new(name), self.path.as_deref(), cwd)?;
        let real = file.canonicalize().ok()?;
        let file_name = file.file_name()?.to_str()?;
        let real_name = real.file_name()?.to_str()?;
        // The file that a rule's name stands for, wherever it was called from. A look-alike in
        // another place, even under the same name, is not it.
        if let Some(listed) = self.programs.get(file_name)
            && (*listed == file || listed.canonicalize().is_ok_and(|listed| listed == real))
        {
            return Some(Program {
                known: Some(file_name.to_owned()),
                wrapper: is_wrapper(file_name),
                // Not the link that led here: it could be changed before the start.
                file: listed.clone(),
            });
        }
        // What the workspace built is its own code under any name.
        let own = is_own_binary(&real, workspace);
        Some(Program {
            known: own.then(|| OWN_TARGET.to_owned()),
            wrapper: !own && (is_wrapper(file_name) || is_wrapper(real_name)),
            file: real,
        })
    }
}

/// Whether a word only makes sense to a shell. Passed on, it would be taken for a name, and the
/// outcome for that of the pipe that was meant.
fn is_shell_syntax(word: &str) -> bool {
    matches!(
        word,
        "|" | "||" | "&&" | "&" | ";" | ">" | ">>" | "<" | "<<" | "|&" | "2>&1"
    ) || word.starts_with("2>")
        || word.starts_with("&>")
}

struct Program {
    /// What rules call it.
    known: Option<String>,
    wrapper: bool,
    file: PathBuf,
}

impl Command<'_> {
    fn states(&self, need: Need) -> bool {
        let text = match need {
            Need::Kind => self.kind,
            Need::Reason => self.reason,
        };
        text.is_some_and(|text| !text.trim().is_empty())
    }
}

/// Whether a file is a binary that a build put into the workspace: directly in a profile's folder
/// of `target`, and no script.
fn is_own_binary(real: &Path, workspace: &Workspace) -> bool {
    let Ok(below) = real.strip_prefix(workspace.root().join("target")) else {
        return false;
    };
    let folders: Vec<_> = below.iter().rev().skip(1).collect();
    let folders = folders
        .strip_prefix(&[OsStr::new("examples")])
        .unwrap_or(&folders);
    let is_script = || {
        let mut start = [0; 2];
        let opened = std::fs::File::open(real).and_then(|mut file| file.read_exact(&mut start));
        opened.is_err() || start == *b"#!"
    };
    // `debug/x`, or `<triple>/debug/x`.
    let in_profile =
        (1..=2).contains(&folders.len()) && (folders[0] == "debug" || folders[0] == "release");
    in_profile && !is_script()
}

/// A path as the command's folder sees it, for the workspace to judge.
fn from_root(path: &str, cwd: &Path, workspace: &Workspace) -> String {
    if Path::new(path).is_absolute() {
        return path.to_owned();
    }
    match workspace.relative(cwd).to_str() {
        None | Some("") => path.to_owned(),
        Some(folder) => format!("{folder}/{path}"),
    }
}

impl Rule {
    /// Whether the arguments fit. `path_ok` judges the paths among them.
    pub(super) fn fits(&self, arguments: &[String], path_ok: PathOk<'_>) -> bool {
        if let Some(exact) = &self.exact {
            return exact.iter().any(|Words(words)| words == arguments);
        }
        if let Some(any) = &self.any {
            // What follows `--` belongs to another program.
            let mut own = arguments.iter().take_while(|word| *word != "--");
            if !own.any(|word| any.iter().any(|name| names(word, name))) {
                return false;
            }
        }
        let rest = match &self.first {
            None => arguments,
            Some(first) => match arguments.split_first() {
                Some((word, rest)) if first.contains(word) => rest,
                _ => return false,
            },
        };
        // A prohibition is not escaped by further arguments.
        self.verdict == Verdict::Deny || self.fits_rest(rest, path_ok)
    }

    fn fits_rest(&self, rest: &[String], path_ok: PathOk<'_>) -> bool {
        let mut words = rest.iter();
        let mut pattern = self.pattern_first;
        while let Some(word) = words.next() {
            let fits = if word == "--" {
                return self.fits_after_dashes(words.as_slice(), path_ok);
            } else if word.len() > 1 && word.starts_with('-') {
                self.fits_option(word, &mut words, path_ok)
            } else {
                std::mem::take(&mut pattern) || self.fits_operand(word, path_ok)
            };
            if !fits {
                return false;
            }
        }
        true
    }

    fn fits_after_dashes(&self, words: &[String], path_ok: PathOk<'_>) -> bool {
        let is_lint = |word: &String| {
            let name = ["-D", "-W", "-A", "-F"]
                .iter()
                .find_map(|level| word.strip_prefix(level))
                .unwrap_or(word);
            name.chars()
                .all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_' | ':'))
        };
        match self.after_dashes {
            AfterDashes::Free => true,
            AfterDashes::Lints => words.iter().all(is_lint),
            AfterDashes::Operands => words
                .iter()
                .all(|word| !word.starts_with('-') && self.fits_operand(word, path_ok)),
        }
    }

    fn fits_operand(&self, word: &str, path_ok: PathOk<'_>) -> bool {
        match self.operands {
            Operands::None => false,
            Operands::Any => true,
            Operands::Inside => !climbs(word) && (word == "-" || path_ok(word)),
            Operands::Writable => !climbs(word) && path_ok(word),
        }
    }

    fn fits_option<'a>(
        &self,
        word: &str,
        words: &mut impl Iterator<Item = &'a String>,
        path_ok: PathOk<'_>,
    ) -> bool {
        let Some(options) = &self.options else {
            return true;
        };
        let path_fits = |value: &str| !climbs(value) && path_ok(value);
        // An option that stands alone wins over one of that name with a value, and a value in a
        // word of its own has to be harmless as an operand, too: the program may see one there.
        if options.iter().any(|option| option == word) {
            return true;
        }
        let valued = options.iter().filter_map(|option| option.split_once('='));
        for (name, kind) in valued {
            if word == name {
                return words.next().is_some_and(|value| {
                    !value.starts_with('-')
                        && (kind != "path" || path_fits(value))
                        && (self.operands == Operands::None || self.fits_operand(value, path_ok))
                });
            }
            // `--jobs=4`, and `-j4` with a short name.
            let value = word.strip_prefix(name).and_then(|rest| {
                let short = (name.len() == 2).then_some(rest);
                rest.strip_prefix('=').or(short)
            });
            if let Some(value) = value {
                return kind != "path" || path_fits(value);
            }
        }
        false
    }
}

/// Judges a path as given on the command line.
pub(super) type PathOk<'a> = &'a dyn Fn(&str) -> bool;

/// Whether a path, or the path in git's `rev:path`, goes up.
fn climbs(word: &str) -> bool {
    Path::new(word)
        .components()
        .any(|part| part == Component::ParentDir)
        || word
            .split(':')
            .any(|part| part.starts_with("../") || part == "..")
}

/// Whether an argument is `name`, `name=…`, or with a short option `-nvalue`.
fn names(argument: &str, name: &str) -> bool {
    argument.strip_prefix(name).is_some_and(|rest| {
        rest.is_empty()
            || rest.starts_with('=')
            || (name.len() == 2 && name.starts_with('-') && !name.ends_with('-'))
    })
}
