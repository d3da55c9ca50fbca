//! The command line: parse arguments, call one room, print.

mod accept;
mod args;
mod ask;
mod choice;
mod folder;
mod lines;
mod listen;
mod report;
mod run;
mod signal;
mod space;
mod spinner;
mod watch;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};

/// Exit status of a command that could not start: usage, configuration, policy.
const USAGE: u8 = 2;

/// Runs the command that the process's arguments name.
pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    let status = match cli.command {
        Command::Ask(args) => ask::ask(&args),
        Command::Run(args) => run::run(&args),
        Command::Accept(args) => accept::accept(&args),
        Command::Space(verb) => space::space(&verb),
    };
    match status {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprint(&format!("agent: {error}"));
            ExitCode::from(USAGE)
        }
    }
}

/// An error in one line, as the person reads it.
type Plain = Box<dyn std::error::Error>;

/// Prints a line. A closed pipe ends output, not the command.
fn print(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints a line on standard error.
fn eprint(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{text}");
}
