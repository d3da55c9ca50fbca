//! Contracts → golden files, or what differs from them.

#![expect(clippy::disallowed_methods, reason = "the room that writes products")]

use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::orphans::{self, Orphans};
use crate::contract::Sources;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::render::{Colour, human};
use crate::emit::{Contract, Nature, Place, Product, Settings, Together, products};
use crate::gates::check_folder;
use crate::parse::folder;

/// Whether products are written or compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Rewrite what changed, and only that.
    Write,
    /// Write nothing; fail when something differs.
    Verify,
}

impl Mode {
    /// `SPACE_GOLDEN=write` or `verify`; without it `verify` where `CI` is set, else `write`.
    ///
    /// # Errors
    /// When `SPACE_GOLDEN` is neither.
    pub fn from_env() -> Result<Self, String> {
        match std::env::var("SPACE_GOLDEN").as_deref() {
            Ok("write") => Ok(Self::Write),
            Ok("verify") => Ok(Self::Verify),
            Ok(other) => Err(format!(
                "SPACE_GOLDEN is `{other}`; it can be `write` or `verify`"
            )),
            Err(_) if std::env::var_os("CI").is_some_and(|ci| !ci.is_empty()) => Ok(Self::Verify),
            Err(_) => Ok(Self::Write),
        }
    }
}

/// Which contracts, and where their products go.
#[derive(Clone, Debug)]
pub struct Job {
    /// The folder that paths in findings are relative to.
    pub root: PathBuf,
    /// The contract folder, relative to `root`, with `/`.
    pub domain: String,
    /// The golden crate, relative to `root`, with `/`.
    pub out: String,
    /// The golden crate's name in Rust.
    pub krate: String,
    /// Options of the emitted code.
    pub settings: Settings,
}

/// What a run found and did. Paths are relative to the golden crate.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The contract files, for findings.
    pub sources: Sources,
    /// Findings that are no errors.
    pub diagnostics: Vec<Diagnostic>,
    /// Everything that was read: a build is stale when one of them changes.
    pub inputs: Vec<PathBuf>,
    /// All products.
    pub products: Vec<String>,
    /// The products that were written.
    pub written: Vec<String>,
    /// Generated files that no contract asks for any more, and that were removed.
    pub removed: Vec<String>,
    /// Files named like products that no contract asks for, and that do not say that they were
    /// generated: they are a person's to remove.
    pub strays: Vec<String>,
}

/// A product that is not what the contracts say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the job's root.
    pub path: String,
    /// A unified diff from the file to the product.
    pub diff: String,
}

/// What was tried with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To read it, or to list it.
    Read,
    /// To write it, or to remove it.
    Write,
}

/// Why there are no products.
#[derive(Debug)]
pub enum Failure {
    /// The contracts do not pass their gates. Nothing was written.
    Contracts {
        /// All findings, sorted by place.
        diagnostics: Vec<Diagnostic>,
        /// The contract files.
        sources: Sources,
    },
    /// In [`Mode::Verify`]: products differ.
    Stale {
        /// What differs.
        changes: Vec<Change>,
        /// Generated files that no contract asks for any more, relative to the job's root.
        orphans: Vec<String>,
    },
    /// A file could not be read or written.
    Io {
        /// Which of the two.
        access: Access,
        /// The file, relative to the job's root where it is below it.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contracts {
                diagnostics,
                sources,
            } => f.write_str(&human(diagnostics, sources, Colour::Never)),
            Self::Stale { changes, orphans } => {
                for change in changes {
                    f.write_str(&change.diff)?;
                }
                for orphan in orphans {
                    writeln!(f, "{orphan}: no contract asks for it any more")?;
                }
                Ok(())
            }
            Self::Io {
                access,
                path,
                error,
            } => {
                let (verb, path) = match access {
                    Access::Read => ("read", path.display()),
                    Access::Write => ("write", path.display()),
                };
                write!(f, "cannot {verb} {path}: {error}")?;
                let denied = matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                );
                match access {
                    Access::Write if denied => f.write_str(
                        "; make it writable, or set SPACE_GOLDEN=verify, which writes nothing",
                    ),
                    _ => Ok(()),
                }
            }
        }
    }
}

impl std::error::Error for Failure {}

/// Makes the products, or verifies them.
///
/// # Errors
/// See [`Failure`].
pub fn run(job: &Job, mode: Mode) -> Result<Report, Failure> {
    make(job, mode).map_err(|failure| match failure {
        Failure::Io {
            access,
            path,
            error,
        } => Failure::Io {
            access,
            path: path.strip_prefix(&job.root).unwrap_or(&path).to_owned(),
            error,
        },
        failure => failure,
    })
}

fn make(job: &Job, mode: Mode) -> Result<Report, Failure> {
    let folder = folder::read(&job.root, &job.domain);
    let checked = check_folder(&folder);
    if checked.failed() {
        return Err(Failure::Contracts {
            diagnostics: checked.diagnostics,
            sources: folder.sources,
        });
    }
    let contracts: Vec<_> = checked
        .passed
        .iter()
        .map(|(pair, model)| Contract {
            base: &pair.base,
            domain: &pair.domain,
            model,
        })
        .collect();
    let place = Place {
        krate: job.krate.clone(),
        domain: relative(&job.out, &job.domain),
        shown: job.domain.clone(),
    };
    let together = Together {
        compositions: &folder.compositions,
        composed: &checked.composed,
    };
    let files = products(&contracts, together, &job.settings, &place, &super::format);
    let diagnostics = checked.diagnostics;
    let out = job.root.join(&job.out);
    let Orphans { marked, strays } = orphans::find(&out, &files)?;
    let changed = changed(&out, &files)?;
    let mut report = Report {
        sources: folder.sources,
        diagnostics,
        products: files.iter().map(|file| file.path.clone()).collect(),
        written: Vec::new(),
        removed: Vec::new(),
        strays,
        inputs: folder.inputs,
    };
    match mode {
        Mode::Verify if changed.is_empty() && marked.is_empty() => {}
        Mode::Verify => {
            let below_root = |path: &str| match job.out.as_str() {
                "" | "." => path.to_owned(),
                out => format!("{out}/{path}"),
            };
            let change = |(file, before): &(&Product, String)| {
                let path = below_root(&file.path);
                let diff = diff(&path, before, &file.text);
                Change { path, diff }
            };
            return Err(Failure::Stale {
                changes: changed.iter().map(change).collect(),
                orphans: marked.iter().map(|path| below_root(path)).collect(),
            });
        }
        Mode::Write => {
            let time = newest(&report.inputs);
            for (file, _) in changed {
                write(&out.join(&file.path), &file.text, time)?;
                report.written.push(file.path.clone());
            }
            for path in marked {
                orphans::remove(&out.join(&path))?;
                report.removed.push(path);
            }
        }
    }
    Ok(report)
}

/// The way from one folder to another, both relative to the same root.
fn relative(from: &str, to: &str) -> String {
    let parts = |path: &str| {
        let parts = path
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".");
        parts.map(str::to_owned).collect::<Vec<_>>()
    };
    let (from, to) = (parts(from), parts(to));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut way = vec!["..".to_owned(); from.len() - shared];
    way.extend_from_slice(&to[shared..]);
    way.join("/")
}

/// Products whose file is missing or says something else, and what it says.
fn changed<'a>(out: &Path, files: &'a [Product]) -> Result<Vec<(&'a Product, String)>, Failure> {
    let mut changed = Vec::new();
    for file in files {
        let path = out.join(&file.path);
        match fs::read_to_string(&path) {
            Ok(text) if text == file.text || file.nature == Nature::Once => {}
            // A checkout with other line ends is the same text.
            Ok(text) if text.replace("\r\n", "\n") == file.text => {}
            Ok(text) => changed.push((file, text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                changed.push((file, String::new()));
            }
            Err(error) => {
                let access = Access::Read;
                return Err(Failure::Io {
                    access,
                    path,
                    error,
                });
            }
        }
    }
    Ok(changed)
}

fn diff(path: &str, before: &str, after: &str) -> String {
    let (old, new) = (format!("a/{path}"), format!("b/{path}"));
    similar::TextDiff::from_lines(before, after)
        .unified_diff()
        .header(&old, &new)
        .to_string()
}

/// When the last of these files was changed.
fn newest(inputs: &[PathBuf]) -> Option<SystemTime> {
    let files = inputs.iter().filter(|path| path.is_file());
    files
        .filter_map(|path| path.metadata().and_then(|data| data.modified()).ok())
        .max()
}

/// Replaces a file whole, as old as its inputs: cargo shall not take it for an edit.
fn write(path: &Path, text: &str, time: Option<SystemTime>) -> Result<(), Failure> {
    let failed = |error| Failure::Io {
        access: Access::Write,
        path: path.to_owned(),
        error,
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = folder.join(format!(".{name}.{}", std::process::id()));
    let written = fs::File::create(&draft).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        if let Some(time) = time {
            file.set_modified(time)?;
        }
        drop(file);
        fs::rename(&draft, path)
    });
    written.map_err(|error| {
        let _ = fs::remove_file(&draft);
        failed(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_between_folders() {
        assert_eq!(relative("out", "domain"), "../domain");
        assert_eq!(relative("", "domain"), "domain");
        assert_eq!(relative("crates/out", "crates/domain"), "../domain");
    }
}
