//! The build script of a golden crate.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads its environment"
)]

use std::path::{Path, PathBuf};
use std::process::exit;

use super::{Failure, Job, Mode, Report, run};
use crate::contract::Sources;
use crate::diagnostic::{Diagnostic, Severity};
use crate::emit::Settings;

/// Everything that `build.rs` of a golden crate does: it writes or verifies the products of
/// `../domain`, and tells cargo what to watch.
///
/// Without a `domain` folder, or in a registry checkout, it does nothing.
#[expect(clippy::print_stdout, reason = "how a build script speaks to cargo")]
pub fn script() {
    println!("cargo::rerun-if-changed=build.rs");
    let Some(job) = job() else {
        return;
    };
    println!("cargo::rerun-if-env-changed=SPACE_GOLDEN");
    println!("cargo::rerun-if-env-changed=CI");
    println!(
        "cargo::rerun-if-changed={}",
        job.root.join(&job.domain).display()
    );
    let mode = match Mode::from_env() {
        Ok(mode) => mode,
        Err(text) => {
            println!("cargo::error={text}");
            return;
        }
    };
    match run(&job, mode) {
        Ok(report) => done(&job, &report),
        Err(failure) => failed(&job, &failure),
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
    for path in &report.inputs {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let out = job.root.join(&job.out);
    for path in &report.products {
        println!("cargo::rerun-if-changed={}", out.join(path).display());
    }
    for one in &report.diagnostics {
        if one.severity() == Severity::Warning {
            println!("cargo::warning={}", line(one, &report.sources));
        }
    }
    for orphan in &report.orphans {
        println!(
            "cargo::warning={0}/{orphan}: no contract asks for it any more; remove it with `git rm {0}/{orphan}`",
            job.out
        );
    }
}

/// One line a finding, and none of cargo's dump of what the script said.
#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "how a build script speaks to cargo and to people"
)]
fn failed(job: &Job, failure: &Failure) {
    match failure {
        Failure::Contracts {
            diagnostics,
            sources,
        } => {
            for one in diagnostics {
                match one.severity() {
                    Severity::Error => println!("cargo::error={}", line(one, sources)),
                    Severity::Warning => println!("cargo::warning={}", line(one, sources)),
                    Severity::Note => {}
                }
            }
        }
        Failure::Stale { .. } => {
            let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
            eprintln!("{failure}");
            eprintln!(
                "{}/ is not what {}/ says. Refresh it with:\n",
                job.out, job.domain
            );
            eprintln!("    SPACE_GOLDEN=write cargo build -p {package}\n");
            exit(1);
        }
        Failure::Io { path, error } => {
            let path = path.strip_prefix(&job.root).unwrap_or(path);
            println!("cargo::error=cannot write {}: {error}", shown(path));
        }
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/")
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
