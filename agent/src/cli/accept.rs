//! `agent accept`: a command line, proved from outside.

use std::path::Path;

use super::args::{AcceptArgs, VerdictFormat};
use super::{Plain, eprint, print};
use agent::accept::{Options, Suite};

pub(super) fn accept(args: &AcceptArgs) -> Result<u8, Plain> {
    let suite = match Suite::load(&args.files) {
        Ok(suite) => suite,
        Err(errors) => {
            for error in &errors {
                eprint(&error.to_string());
            }
            return Ok(super::USAGE);
        }
    };
    let root = args.root.as_deref().unwrap_or(Path::new("."));
    let options = Options {
        jobs: args.jobs.unwrap_or(0),
        keep: args.keep.as_deref().map(std::path::absolute).transpose()?,
        ..Options::new(std::path::absolute(root)?)
    };
    let report = tokio::runtime::Runtime::new()?.block_on(suite.run(&options))?;
    match args.format {
        VerdictFormat::Human => print(report.human().trim_end()),
        VerdictFormat::Json => print(&report.json().to_string()),
    }
    Ok(report.exit_status())
}
