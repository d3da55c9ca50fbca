//! What may be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A coding agent whose loop is a compiled contract.
#[derive(Debug, Parser)]
#[command(name = "agent", version, about, disable_help_subcommand = true)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Look a question up in a repository, and answer with sources.
    Ask(AskArgs),
    /// Work on a goal until its checks pass.
    Run(RunArgs),
    /// Prove a command line from outside.
    Accept(AcceptArgs),
    /// Tools over contracts.
    #[command(subcommand)]
    Space(SpaceVerb),
}

/// Without a question: a bundled one about a bundled repository, with its scripted model.
#[derive(Debug, Args)]
#[command(after_long_help = ASK_HELP)]
pub(super) struct AskArgs {
    /// What is to be looked up.
    pub(super) question: Option<String>,
    /// The repository; the current folder when absent.
    #[arg(long, value_name = "DIR", requires = "question")]
    pub(super) dir: Option<PathBuf>,
    /// Who answers: a name that `--provider help` lists.
    #[arg(long, value_name = "NAME")]
    pub(super) provider: Option<String>,
    /// Which of the provider's models; for `script`, the file of replies.
    #[arg(long, value_name = "NAME")]
    pub(super) model: Option<String>,
    /// Where the provider listens, instead of its usual address.
    #[arg(long, value_name = "URL")]
    pub(super) base_url: Option<String>,
    /// How often an unanswered question is looked up again, at most and not more often than the
    /// contract allows.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_rounds: Option<u32>,
    /// Time for all of it, for example `90s`, `10m`, `1h`.
    #[arg(long, value_parser = duration, default_value = "10m")]
    pub(super) timeout: std::time::Duration,
    /// JSON Lines on standard output, nothing else; `--help` names the types.
    #[arg(long)]
    pub(super) json: bool,
}

const ASK_HELP: &str = "\
Files that .gitignore or .ignore name, hidden files, binary files and files of more than 1 MiB are not
searched.

Exit status:
  0 answered, with sources that hold   1 not answered   2 usage, configuration   3 a limit
  5 escape   130 interrupted

Lines of --json, told apart by `type`:
  begun           question, model, scripted, repository, max_rounds
  step            round, component, from, event, to, effect, cause, loop (its round, when looped
                  back), restarted, tokens (so far), ms (of the effect before)
  ignored, rejected  round, component, event, reason
  searched        terms, passages, files, skipped, partial, ms
  asking          the model is asked
  attempt_failed  number, status, error, next_in_ms, ms
  replied         text, finish, usage {input, output, estimated}, ms
  judged          verdict (answered, missing, refused, unusable), citations, reasons, missing
  exhausted       feedback, rounds, limit
  ended           answered, status, termination, reason, answer, citations, missing, usage";

/// Without a goal, a task or a provider: the bundled task with its scripted model.
#[derive(Debug, Args)]
#[command(after_long_help = RUN_HELP)]
pub(super) struct RunArgs {
    /// What is to be done, in the current folder. Without checks the end is unproved.
    #[arg(long, conflicts_with = "task")]
    pub(super) goal: Option<String>,
    /// A task folder: `task.toml`, workspace files, checks.
    #[arg(long, value_name = "DIR")]
    pub(super) task: Option<PathBuf>,
    /// Who answers: a name that `--provider help` lists.
    #[arg(long, value_name = "NAME")]
    pub(super) provider: Option<String>,
    /// Which of the provider's models; for `script`, the file of replies.
    #[arg(long, value_name = "NAME")]
    pub(super) model: Option<String>,
    /// Where the provider listens, instead of its usual address.
    #[arg(long, value_name = "URL")]
    pub(super) base_url: Option<String>,
    /// Steps of the loop, at most.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) max_rounds: Option<u64>,
    /// Time for the whole run, for example `90s`, `10m`, `1h`.
    #[arg(long, value_parser = duration)]
    pub(super) timeout: Option<std::time::Duration>,
    /// Where the run keeps its workspace and output; a new folder under `.space/runs` when absent.
    #[arg(long, value_name = "DIR")]
    pub(super) dir: Option<PathBuf>,
    /// Take what is said on standard input while the run goes on; `--help` says what that may be.
    #[arg(long)]
    pub(super) listen: bool,
    /// JSON Lines on standard output, nothing else; `--help` names the types.
    #[arg(long)]
    pub(super) json: bool,
}

const RUN_HELP: &str = "\
Exit status:
  0 proved   1 not proved, failed, or nothing could prove it   2 usage, configuration, policy
  3 a limit   4 in doubt   5 escape   130 interrupted

Lines of --json, told apart by `type`:
  begun           task, model, scripted, workspace
  step            component (agent, supervisor), round, from, event, to, effect, tokens (so far),
                  ms (of the agent's effect before)
  ignored, rejected  component, round, state, event
  unheard         line, why; of what was said on standard input
  asking          the model is asked
  attempt_failed  number, status, error, next_in_ms, ms
  replied         text, finish, calls [{id, tool}], usage {input, output, estimated}, ms
  called          id, tool, arguments, outcome, failure, rule, shown, ms; one for each call
  proving         the checks run
  checked         passed, checks_passed, checks, reasons, ms
  ended           proof (proved, unproved, not_proved), status, termination, reason, answer,
                  delivery, changed_since_proof, usage, workspace, kept

Lines of standard input with --listen:
  /pause          what is in flight comes home, and nothing else starts
  /resume         the run goes on
  /cancel WHY     the run ends; a tool that is at work is ended with it
  anything else   is a message for the model

A task folder's task.toml:
  [task]    name, goal, workspace, in_place, script, profile, checks, tools
  [limits]  max_rounds, timeout_ms, max_proofs
  [model]   tool_choice (auto, none, required), parallel_calls, max_tokens, temperature, seed";

/// Check files, in the order given.
#[derive(Debug, Args)]
pub(super) struct AcceptArgs {
    /// Check files.
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// The folder that relative programs are looked up in; the current one when absent.
    #[arg(long, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,
    /// How many checks run at once; one a core when absent.
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<usize>,
    /// Keep each check's folder and output here.
    #[arg(long, value_name = "DIR")]
    pub(super) keep: Option<PathBuf>,
    /// How the verdict is written.
    #[arg(long, value_enum, default_value_t = VerdictFormat::Human)]
    pub(super) format: VerdictFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum VerdictFormat {
    Human,
    Json,
}

#[derive(Debug, Subcommand)]
pub(super) enum SpaceVerb {
    /// Prepare this crate: a first pair, the dependencies, and the front that compiles it.
    Init {
        /// The first space's name, `lower_snake`.
        #[arg(default_value = "work")]
        name: String,
        /// Which front compiles it.
        #[arg(long, value_enum, default_value_t = Front::Attribute)]
        front: Front,
        /// The crate's folder.
        #[arg(long, value_name = "DIR", default_value = ".")]
        dir: PathBuf,
        /// A checkout of this project to depend on, instead of published crates.
        #[arg(long, value_name = "DIR")]
        path: Option<PathBuf>,
    },
    /// Write a commented pair that passes the gates.
    New {
        /// The space's name, `lower_snake`.
        name: String,
        /// The contract folder.
        #[arg(long, value_name = "DIR", default_value = "domain")]
        dir: PathBuf,
    },
    /// Pass every contract of a folder through the gates.
    Check {
        /// The contract folder.
        #[arg(default_value = "domain")]
        dir: PathBuf,
        /// How findings are written.
        #[arg(long, value_enum, default_value_t = FindingFormat::Human)]
        format: FindingFormat,
        /// Write the run that breaks each promise of a space as a Rust test, into this folder of a
        /// crate's tests. A test that is there already is left alone.
        #[arg(long, value_name = "DIR")]
        write_regressions: Option<PathBuf>,
    },
    /// Regenerate the golden products, or verify them where `SPACE_GOLDEN` says so.
    Build {
        /// The contract folder.
        #[arg(long, value_name = "DIR", default_value = "domain")]
        domain: PathBuf,
        /// The crate of products.
        #[arg(long, value_name = "DIR", default_value = "out")]
        out: PathBuf,
    },
    /// Print what to copy and fill: a handler, a scripted mock, or properties of your own.
    Stub(StubArgs),
    /// Draw a space or a composition.
    Graph(GraphArgs),
    /// Say what can be reached: the shape of a space, or the reachable product of a composition.
    Explore(ExploreArgs),
    /// Print a shortest run to a point; 1 when none leads there.
    Trace(TraceArgs),
    /// Say what a new version of the contracts breaks; 1 when it breaks something.
    Diff(DiffArgs),
    /// Print the JSON Schemas of the contract's forms, or keep them in a folder.
    Schema(SchemaArgs),
    /// Say what a diagnostic means.
    Explain {
        /// The code, for example `S0203`; all of them when absent.
        code: Option<String>,
    },
}

/// A space as a picture: states, events, guards, effects with their semantics, and the promises below.
#[derive(Debug, Args)]
pub(super) struct GraphArgs {
    /// The name of a space or a composition.
    pub(super) name: String,
    /// The contract folder.
    #[arg(long, value_name = "DIR", default_value = "domain")]
    pub(super) dir: PathBuf,
    /// How it is drawn.
    #[arg(long, value_enum, default_value_t = GraphFormat::Mermaid)]
    pub(super) format: GraphFormat,
    /// Let a run stand out, its steps numbered: that of the first promise that is broken.
    #[arg(long, value_name = "RUN", value_enum, conflicts_with = "trace_to")]
    pub(super) highlight: Option<Highlight>,
    /// Let a shortest run to a point stand out, for example `state:X`, or of a composition
    /// `space.state:X`.
    #[arg(long, value_name = "POINT")]
    pub(super) trace_to: Option<String>,
    /// How much memory the search for it in a composition may take, for example `2GiB`.
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = size)]
    pub(super) memory: u64,
}

/// For crates without golden products: those have the same in `stub_out/`.
#[derive(Debug, Args)]
pub(super) struct StubArgs {
    /// The space's name.
    pub(super) name: String,
    /// What to print.
    #[arg(long, value_enum, default_value_t = StubKind::Handler)]
    pub(super) kind: StubKind,
    /// The contract folder.
    #[arg(long, value_name = "DIR", default_value = "domain")]
    pub(super) dir: PathBuf,
    /// The crate that has the space's module; `crate` when absent, for mock and properties the package of
    /// this folder.
    #[arg(long = "crate", value_name = "NAME")]
    pub(super) krate: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum StubKind {
    /// A handler with a method an effect, each to be filled.
    Handler,
    /// A handler that answers from a script, for tests.
    Mock,
    /// A skeleton for properties that the contract does not promise.
    Properties,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Highlight {
    /// A shortest run that breaks a promise.
    Counterexample,
}

/// Exit status: 0 explored, 2 usage or a contract that does not pass, 3 the memory did not suffice.
#[derive(Debug, Args)]
pub(super) struct ExploreArgs {
    /// The name of a space or a composition.
    pub(super) name: String,
    /// The contract folder.
    #[arg(long, value_name = "DIR", default_value = "domain")]
    pub(super) dir: PathBuf,
    /// How much memory the sets of states may take, for example `2GiB` or `512MiB`.
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = size)]
    pub(super) memory: u64,
    /// How the report is written.
    #[arg(long, value_enum, default_value_t = VerdictFormat::Human)]
    pub(super) format: VerdictFormat,
}

/// Exit status: 0 a run to each, 1 no run leads to one of them, 2 usage or a contract that does not
/// pass, 3 the memory did not suffice to tell.
#[derive(Debug, Args)]
pub(super) struct TraceArgs {
    /// The name of a space or a composition.
    pub(super) name: String,
    /// Where to: `state:X`, `event:X`, `effect:X`, `semantics:x`; of a composition `space.state:X`.
    /// Each one given has a run of its own.
    #[arg(long, value_name = "POINT", required = true)]
    pub(super) to: Vec<String>,
    /// The contract folder.
    #[arg(long, value_name = "DIR", default_value = "domain")]
    pub(super) dir: PathBuf,
    /// How much memory the search in a composition may take, for example `2GiB`.
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = size)]
    pub(super) memory: u64,
    /// How runs are written.
    #[arg(long, value_enum, default_value_t = VerdictFormat::Human)]
    pub(super) format: VerdictFormat,
}

/// Contracts before and after.
#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// The version before: a contract file, a folder, or `git:REV` for the new folder at a revision.
    pub(super) old: String,
    /// The version now: a contract file or a folder.
    #[arg(default_value = "domain")]
    pub(super) new: PathBuf,
    /// Compare this space only.
    #[arg(long, value_name = "NAME")]
    pub(super) space: Option<String>,
    /// How changes are written.
    #[arg(long, value_enum, default_value_t = ChangeFormat::Human)]
    pub(super) format: ChangeFormat,
    /// Classes that may be broken.
    #[arg(
        long,
        value_name = "CLASS",
        value_enum,
        ignore_case = true,
        value_delimiter = ','
    )]
    pub(super) allow: Vec<BrokenClass>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ChangeFormat {
    Human,
    Json,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum BrokenClass {
    /// Callers must change code.
    Source,
    /// A persisted state or context no longer loads.
    State,
    /// A recorded run no longer replays.
    Trace,
}

/// Without `--dir`: prints one schema, or the names of all.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// Which form: `base`, `domain` or `composition`.
    #[arg(conflicts_with = "dir")]
    pub(super) form: Option<String>,
    /// The folder of the schemas: written, or verified where `SPACE_GOLDEN` says so.
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "schema")]
    pub(super) dir: Option<PathBuf>,
    /// Write them, whatever `SPACE_GOLDEN` says, into the folder `schema` when no other is given.
    #[arg(long, conflicts_with = "form")]
    pub(super) write: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Front {
    /// `#[space(domain = "…")]` on a module.
    Attribute,
    /// A build script that keeps golden products.
    Build,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum FindingFormat {
    Human,
    Json,
    Sarif,
    Github,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum GraphFormat {
    Mermaid,
    Dot,
    Svg,
}

/// Reads `90s`, `10m`, `1h`, `1500ms`, or seconds.
fn duration(text: &str) -> Result<std::time::Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits
        .parse()
        .map_err(|_| format!("`{text}` is no duration: try `10m`"))?;
    let millis = match &text[digits.len()..] {
        "ms" => Some(number),
        "" | "s" => number.checked_mul(1_000),
        "m" => number.checked_mul(60_000),
        "h" => number.checked_mul(3_600_000),
        unit => return Err(format!("`{unit}` is no unit of time: ms, s, m or h")),
    };
    millis
        .map(std::time::Duration::from_millis)
        .ok_or_else(|| format!("`{text}` is too long"))
}

/// Reads `2GiB`, `512MiB`, `64KiB`, or bytes.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits
        .parse()
        .map_err(|_| format!("`{text}` is no size: try `2GiB`"))?;
    let unit: u64 = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        unit => return Err(format!("`{unit}` is no unit of memory: KiB, MiB or GiB")),
    };
    match number.checked_mul(unit) {
        Some(0) => Err(format!("`{text}` holds no state")),
        Some(bytes) => Ok(bytes),
        None => Err(format!("`{text}` is more than there is")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn durations() {
        let millis = |text| duration(text).map(|time| time.as_millis());
        assert_eq!(millis("90s"), Ok(90_000));
        assert_eq!(millis("2"), Ok(2_000));
        assert_eq!(millis("1h"), Ok(3_600_000));
        assert_eq!(millis("5ms"), Ok(5));
        for wrong in ["", "s", "1d", "-1s", "1.5m", "99999999999999999999h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size("2GiB"), Ok(2 << 30));
        assert_eq!(size("64kib"), Ok(64 << 10));
        assert_eq!(size("17"), Ok(17));
        for wrong in ["", "GiB", "1.5GiB", "0", "-1", "3 apples", "99999999999TiB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
