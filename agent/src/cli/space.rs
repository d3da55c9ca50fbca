//! `agent space …`: tools over contracts.

mod diff;
mod explore;
mod graph;
mod named;
mod prepare;
mod regress;
mod schema;
mod stub;
mod trace;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use space_core::build::{Failure, Job, Mode, run};
use space_core::contract::Span;
use space_core::diagnostic::render::{Colour, Format, human, lines, render, summary};
use space_core::diagnostic::{CODES, Code, Diagnostic, Severity};
use space_core::diff::{RULES, RuleId};
use space_core::emit::Settings;
use space_core::gates::{FolderCheck, check_folder};
use space_core::parse::folder::{self, Folder};

use super::args::{FindingFormat, SpaceVerb};
use super::lines::Paint;
use super::{Plain, eprint, print};

pub(super) fn space(verb: &SpaceVerb) -> Result<u8, Plain> {
    match verb {
        SpaceVerb::Init {
            name,
            front,
            dir,
            path,
        } => prepare::init(dir, name, *front, path.as_deref()),
        SpaceVerb::New { name, dir } => prepare::new(dir, name),
        SpaceVerb::Check {
            dir,
            format,
            write_regressions,
        } => check(dir, *format, write_regressions.as_deref()),
        SpaceVerb::Build { domain, out } => build(domain, out),
        SpaceVerb::Stub(args) => stub::stub(args),
        SpaceVerb::Graph(args) => graph::graph(args),
        SpaceVerb::Explore(args) => explore::explore(args),
        SpaceVerb::Trace(args) => trace::trace(args),
        SpaceVerb::Diff(args) => diff::diff(args),
        SpaceVerb::Schema(args) => schema::schema(args),
        SpaceVerb::Explain { code } => explain(code.as_deref()),
    }
}

/// The contracts of a folder. A folder that is not there is a mistyped argument, not a finding.
fn read(dir: &Path) -> Result<Folder, Plain> {
    if !dir.is_dir() {
        return Err(format!(
            "there is no folder {}: name the one with the contracts",
            dir.display()
        )
        .into());
    }
    // Findings show the path as it was typed.
    let (root, shown) = if dir.is_absolute() {
        (dir, String::new())
    } else {
        (Path::new("."), slashes(dir))
    };
    Ok(folder::read(root, &shown))
}

fn slashes(path: &Path) -> String {
    let parts = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

/// Passes every contract of a folder through the gates; 1 when one of them is wrong.
fn check(dir: &Path, format: FindingFormat, tests: Option<&Path>) -> Result<u8, Plain> {
    let folder = read(dir)?;
    let checked = check_folder(&folder);
    if folder.pairs.is_empty() && folder.unpaired.is_empty() && !checked.failed() {
        return Err(format!(
            "there is no contract in {}: `agent space new NAME --dir {0}` writes one",
            dir.display()
        )
        .into());
    }
    let (diagnostics, sources) = (&checked.diagnostics, &folder.sources);
    let text = match format {
        FindingFormat::Human => {
            let colour = if Paint::of_stdout().is_on() {
                Colour::Always
            } else {
                Colour::Never
            };
            let counts = match summary(diagnostics) {
                counts if counts.is_empty() => "no findings".to_owned(),
                counts => counts,
            };
            // Notes are facts, not faults: a line each, after everything else.
            let is_note = |one: &Diagnostic| one.severity() == Severity::Note;
            let (notes, faults): (Vec<_>, Vec<_>) = diagnostics.iter().cloned().partition(is_note);
            let faults = human(&faults, sources, colour);
            let notes = lines(&notes, sources);
            format!("{faults}{notes}{}: {counts}", passed(&folder, &checked))
        }
        FindingFormat::Json => render(Format::Json, diagnostics, sources),
        FindingFormat::Sarif => render(Format::Sarif, diagnostics, sources),
        FindingFormat::Github => render(Format::GitHub, diagnostics, sources),
    };
    if !text.trim().is_empty() {
        print(text.trim_end());
    }
    if let Some(tests) = tests {
        // Reports for programs are all that is on standard output.
        let say = match format {
            FindingFormat::Human => print,
            _ => eprint,
        };
        regress::write(&folder, &checked, (dir, tests), say)?;
    }
    Ok(u8::from(checked.failed()))
}

/// How many of the spaces and compositions of a folder pass. A space counts with one file, too, and
/// with files that cannot be read.
fn passed(folder: &Folder, checked: &FolderCheck<'_>) -> String {
    let pairs = folder.pairs.iter().map(|pair| &pair.stem);
    let stems = pairs.chain(folder.unpaired.iter().map(|one| &one.stem));
    let stems: BTreeSet<_> = stems.collect();
    let (passed, count) = (checked.passed.len(), stems.len());
    let spaces = share(passed, count, "space");
    let alone = if (passed, count) == (1, 1) {
        "passes"
    } else {
        "pass"
    };
    if folder.composition.is_none() {
        return format!("{spaces} {alone}");
    }
    let all = folder.compositions.names().count();
    match (all, folder.compositions_sound) {
        (0, true) => format!("{spaces} {alone}"),
        (0, false) => format!("{spaces} {alone}, and no composition could be read"),
        _ => {
            let broken = broken(folder, checked);
            let names = checked.composed.iter().map(|one| one.name.as_str());
            let pass = names.filter(|name| !broken.contains(name)).count();
            format!("{spaces} and {} pass", share(pass, all, "composition"))
        }
    }
}

/// `3 spaces`, or `2 of 3 spaces`.
fn share(some: usize, all: usize, word: &str) -> String {
    let plural = if all == 1 { "" } else { "s" };
    if some == all {
        return format!("{all} {word}{plural}");
    }
    format!("{some} of {all} {word}{plural}")
}

/// The compositions of which a promise is wrong or broken.
fn broken<'a>(folder: &'a Folder, checked: &FolderCheck<'_>) -> BTreeSet<&'a str> {
    let errors = checked.diagnostics.iter();
    let errors: Vec<_> = errors
        .filter(|one| {
            one.severity() == Severity::Error && Some(one.span.file) == folder.composition
        })
        .map(|one| one.span)
        .collect();
    let promises = folder.compositions.invariants.iter();
    promises
        .filter(|one| {
            let of = one.invariant.pattern.span;
            let within = |span: &Span| of.start <= span.start && span.end <= of.end;
            errors.iter().any(within)
        })
        .map(|one| one.composition.as_str())
        .collect()
}

/// The folder above the golden crate, and both as seen from there: products name their contracts
/// that way, wherever the command is called from, and so does the crate's build script.
fn beside(domain: &Path, out: &Path) -> Result<(PathBuf, String, String), Plain> {
    let real = |path: &Path| {
        path.canonicalize()
            .map_err(|error| format!("{}: {error}", path.display()))
    };
    let (contracts, golden) = (real(domain)?, real(out)?);
    let root = golden.parent().unwrap_or(&golden).to_owned();
    let below = contracts.strip_prefix(&root).map_err(|_| {
        format!(
            "{} is not beside {}: products cannot name their contracts without a path of this \
             machine",
            domain.display(),
            out.display()
        )
    })?;
    let name = golden.strip_prefix(&root).unwrap_or(&golden);
    Ok((root.clone(), slashes(below), slashes(name)))
}

fn build(domain: &Path, out: &Path) -> Result<u8, Plain> {
    let manifest = std::fs::read_to_string(out.join("Cargo.toml")).map_err(|error| {
        format!(
            "{} is no crate: {error}; `agent space init --front build` makes one",
            out.display()
        )
    })?;
    let manifest: toml_edit::DocumentMut = manifest
        .parse()
        .map_err(|error| format!("{}/Cargo.toml: {error}", out.display()))?;
    let name = manifest
        .get("package")
        .and_then(|package| package.get("name"));
    let name = name
        .and_then(toml_edit::Item::as_str)
        .ok_or("the crate has no name")?;
    let mode = Mode::from_env()?;
    let (root, domain_in, out_in) = beside(domain, out)?;
    let job = Job {
        root,
        domain: domain_in,
        out: out_in,
        krate: name.replace('-', "_"),
        settings: Settings::default(),
    };
    match run(&job, mode) {
        Ok(report) => {
            let warnings = human(&report.diagnostics, &report.sources, Colour::Never);
            if !warnings.is_empty() {
                eprint(warnings.trim_end());
            }
            for path in &report.written {
                print(&format!("wrote {}/{path}", job.out));
            }
            for path in &report.removed {
                print(&format!(
                    "removed {}/{path}: no contract asks for it any more",
                    job.out
                ));
            }
            for path in &report.strays {
                eprint(&format!(
                    "{}/{path}: no contract asks for it, and it does not say that it was generated: \
                     remove it yourself",
                    job.out
                ));
            }
            let (all, new) = (report.products.len(), report.written.len());
            print(&format!("{all} products, {new} written"));
            Ok(0)
        }
        Err(failure) => {
            eprint(failure.to_string().trim_end());
            if matches!(failure, Failure::Stale { .. }) {
                let named = |option: &str, path: &Path, usual: &str| {
                    if path == Path::new(usual) {
                        String::new()
                    } else {
                        format!(" {option} {}", path.display())
                    }
                };
                eprint(&format!(
                    "refresh with: SPACE_GOLDEN=write agent space build{}{}",
                    named("--domain", domain, "domain"),
                    named("--out", out, "out")
                ));
            }
            Ok(1)
        }
    }
}

/// What a diagnostic or a rule of the diff means; without a code, all of them.
fn explain(code: Option<&str>) -> Result<u8, Plain> {
    let Some(code) = code else {
        for info in CODES {
            let severity = info.severity.name();
            print(&format!("{}  {severity:<12}  {}", info.code, info.title));
        }
        for info in RULES {
            let classes = info.classes.to_string();
            print(&format!("{}  {classes:<12}  {}", info.id, info.title));
        }
        return Ok(0);
    };
    let text = match (Code::parse(code), RuleId::parse(code)) {
        (Some(code), _) => space_core::diagnostic::explain(code),
        (None, Some(rule)) => space_core::diff::explain(rule),
        (None, None) => {
            let message = format!("there is no code `{code}`; `agent space explain` lists them");
            return Err(message.into());
        }
    };
    print(text.trim_end());
    Ok(0)
}
