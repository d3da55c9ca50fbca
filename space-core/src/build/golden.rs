//! Contracts → golden files, or what differs from them.

#![expect(clippy::disallowed_methods, reason = "the room that writes products")]

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::contract::Sources;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::render::{Colour, human};
use crate::emit::{Contract, Nature, Place, Product, Settings, is_generated, products};
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
    /// Generated files that no contract asks for any more.
    pub orphans: Vec<String>,
}

/// A product that is not what the contracts say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the golden crate.
    pub path: String,
    /// A unified diff from the file to the product.
    pub diff: String,
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
        /// Generated files that no contract asks for any more.
        orphans: Vec<String>,
    },
    /// A file could not be read or written.
    Io {
        /// The file.
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
                    writeln!(f, "{orphan}: no contract asks for it any more; remove it")?;
                }
                Ok(())
            }
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Failure {}

/// Makes the products, or verifies them.
///
/// # Errors
/// See [`Failure`].
pub fn run(job: &Job, mode: Mode) -> Result<Report, Failure> {
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
    let files = products(&contracts, &job.settings, &place, &super::format);
    let diagnostics = checked.diagnostics;
    let out = job.root.join(&job.out);
    let orphans = orphans(&out, &files)?;
    let changed = changed(&out, &files)?;
    let mut report = Report {
        sources: folder.sources,
        diagnostics,
        products: files.iter().map(|file| file.path.clone()).collect(),
        written: Vec::new(),
        orphans,
        inputs: folder.inputs,
    };
    match mode {
        Mode::Verify if changed.is_empty() && report.orphans.is_empty() => {}
        Mode::Verify => {
            let diff = |(file, before): &(&Product, String)| Change {
                path: file.path.clone(),
                diff: diff(&file.path, before, &file.text),
            };
            return Err(Failure::Stale {
                changes: changed.iter().map(diff).collect(),
                orphans: report.orphans,
            });
        }
        Mode::Write => {
            let time = newest(&report.inputs);
            for (file, _) in changed {
                write(&out.join(&file.path), &file.text, time)?;
                report.written.push(file.path.clone());
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
            Err(error) => return Err(Failure::Io { path, error }),
        }
    }
    Ok(changed)
}

/// Generated files where products are, that are no product.
fn orphans(out: &Path, files: &[Product]) -> Result<Vec<String>, Failure> {
    let wanted: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let folders: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.path.rsplit_once('/').map(|(folder, _)| folder))
        .chain([
            "src",
            "tests",
            "tests/properties",
            "stub_out",
            "graph",
            "fixtures",
        ])
        .collect();
    let mut orphans = Vec::new();
    for folder in folders {
        let entries = match fs::read_dir(out.join(folder)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                let path = out.join(folder);
                return Err(Failure::Io { path, error });
            }
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{folder}/{name}");
            if wanted.contains(path.as_str()) {
                continue;
            }
            // Data cannot carry the mark: there its folder and ending say whose it is.
            let ours = match folder {
                "graph" => has_ending(&name, &[".mmd", ".dot", ".svg"]),
                "fixtures" => has_ending(&name, &["_sample.json"]),
                _ => {
                    has_ending(&name, &[".rs"])
                        && fs::read_to_string(entry.path()).is_ok_and(|text| is_generated(&text))
                }
            };
            if ours {
                orphans.push(path);
            }
        }
    }
    orphans.sort();
    Ok(orphans)
}

fn has_ending(name: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| name.ends_with(ending))
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
