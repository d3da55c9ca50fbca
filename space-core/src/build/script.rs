//! The build script of a golden crate.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads its environment"
)]

use std::path::PathBuf;
use std::process::exit;

use super::{Failure, Job, Mode, Report, run};
use crate::contract::Sources;
use crate::diagnostic::render::{Colour, human, summary};
use crate::diagnostic::{Diagnostic, Severity};
use crate::emit::Settings;

/// Everything that `build.rs` of a golden crate does: it writes or verifies the products of
/// `../domain`, and tells cargo what to watch.
///
/// Without a `domain` folder, or in a registry checkout, it does nothing. On a failure it says why on
/// stderr and ends the process with status 1.
#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "how a build script speaks to cargo and to people"
)]
pub fn script() {
    let Some(job) = job() else {
        println!("cargo::rerun-if-changed=build.rs");
        return;
    };
    let report = Mode::from_env().and_then(|mode| run(&job, mode).map_err(|why| said(&job, &why)));
    match report {
        Ok(report) => done(&job, &report),
        // Cargo shows what a script that failed wrote on either stream. It runs one again in any
        // case, so that nothing need be said to it.
        Err(text) => {
            eprintln!("{}", text.trim_end());
            exit(1);
        }
    }
}

/// The folder above the crate, when there are contracts in it that belong to this checkout.
fn job() -> Option<Job> {
    let out = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    let published = [".cargo-ok", ".cargo_vcs_info.json"];
    if published.iter().any(|mark| out.join(mark).exists()) {
        return None;
    }
    let root = out.parent()?.to_owned();
    root.join("domain").is_dir().then(|| Job {
        root,
        domain: "domain".to_owned(),
        out: out
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        krate: std::env::var("CARGO_PKG_NAME")
            .unwrap_or_default()
            .replace('-', "_"),
        settings: Settings::default(),
    })
}

#[expect(clippy::print_stdout, reason = "how a build script speaks to cargo")]
fn done(job: &Job, report: &Report) {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SPACE_GOLDEN");
    println!("cargo::rerun-if-env-changed=CI");
    let out = job.root.join(&job.out);
    let domain = job.root.join(&job.domain);
    let products = report.products.iter().map(|path| out.join(path));
    let watched = std::iter::once(domain).chain(report.inputs.iter().cloned());
    for path in watched.chain(products) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    for one in &report.diagnostics {
        if one.severity() == Severity::Warning {
            println!("cargo::warning={}", line(one, &report.sources));
        }
    }
    for path in &report.removed {
        let out = &job.out;
        println!("cargo::warning=removed {out}/{path}: no contract asks for it any more");
    }
    for path in &report.strays {
        println!(
            "cargo::warning={}/{path}: no contract asks for it, and it does not say that it was \
             generated: remove it yourself",
            job.out
        );
    }
}

/// What a person reads.
fn said(job: &Job, failure: &Failure) -> String {
    match failure {
        Failure::Contracts {
            diagnostics,
            sources,
        } => {
            // Notes are facts, not faults.
            let mut faults = diagnostics.clone();
            faults.retain(|one| one.severity() != Severity::Note);
            let text = human(&faults, sources, Colour::Never);
            format!("{text}{}: {}", job.domain, summary(&faults))
        }
        Failure::Stale { .. } => {
            let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
            format!(
                "{failure}\n{}/ is not what {}/ says. Refresh it with:\n\n    \
                 SPACE_GOLDEN=write cargo build -p {package}\n",
                job.out, job.domain
            )
        }
        Failure::Io { .. } => failure.to_string(),
    }
}

/// `path:line:column: [code] message (help)`.
fn line(one: &Diagnostic, sources: &Sources) -> String {
    let place = sources
        .get(one.span.file)
        .map_or_else(String::new, |source| {
            let (line, column) = source.position(one.span.start);
            format!("{}:{line}:{column}: ", source.path)
        });
    let help = one
        .help
        .as_ref()
        .map_or_else(String::new, |help| format!(" ({help})"));
    format!("{place}[{}] {}{help}", one.code, one.message).replace('\n', " ")
}
