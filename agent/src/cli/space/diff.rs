//! `agent space diff`: what a new version of the contracts breaks.

mod revision;

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use space_core::contract::Sources;
use space_core::diagnostic::render::{Colour, human};
use space_core::diagnostic::{Diagnostic, Severity};
use space_core::diff::{
    Class, Classes, ComposedVersion, Finding, Version, added, compare, compare_compositions,
    removed, report,
};
use space_core::gates::{Triggers, check_folder, check_with};
use space_core::graph::Model;
use space_core::parse::folder::{self, Folder, Pair};

use super::super::args::{BrokenClass, ChangeFormat, DiffArgs};
use super::super::{Plain, eprint, print};
use revision::Revision;

/// Compares two versions; 1 when something breaks that is not allowed to.
pub(super) fn diff(args: &DiffArgs) -> Result<u8, Plain> {
    let new = Side::read(&args.new)?;
    let old = match args.old.strip_prefix("git:") {
        Some(name) => {
            let revision = Revision::of(name, &new.dir)?;
            Side::of_revision(&revision, new.only.clone())
        }
        None => Side::read(Path::new(&args.old))?,
    };
    let mut sources = Sources::default();
    sources.append(&new.folder.sources, &new.before);
    let first_file = sources.append(&old.folder.sources, &old.before);
    let old_spaces = old.spaces(&new, args.space.as_deref())?;
    let new_spaces = new.spaces(&old, args.space.as_deref())?;
    if let Some(name) = &args.space
        && old_spaces.is_empty()
        && new_spaces.is_empty()
    {
        return Err(format!("neither version has a space `{name}`").into());
    }
    let (before, after) = (
        models(&old_spaces, Gate::Resolve, &old)?,
        models(&new_spaces, Gate::Pass, &new)?,
    );
    let mut findings = findings(&before, &after, first_file);
    // One space was asked for, or all.
    let whole = args.space.is_none() && old.only.is_none() && new.only.is_none();
    let mut compositions = 0;
    if whole {
        let (was, is) = (&old.folder.compositions, &new.folder.compositions);
        compositions = was.names().count().max(is.names().count());
        findings.extend(compare_compositions(
            ComposedVersion {
                compositions: was,
                first_file,
            },
            ComposedVersion {
                compositions: is,
                first_file: 0,
            },
        ));
    }
    let broken = broken(&findings, &args.allow);
    match args.format {
        ChangeFormat::Json => {
            let text = report::json(&findings, &sources);
            if !text.is_empty() {
                print(text.trim_end());
            }
        }
        ChangeFormat::Human => {
            let colour = if std::io::stdout().is_terminal() {
                Colour::Always
            } else {
                Colour::Never
            };
            let text = report::human(&findings, &sources, colour);
            let counts = match report::summary(&findings) {
                counts if counts.is_empty() => "no changes".to_owned(),
                counts => counts,
            };
            let verdict = if broken.is_none() {
                String::new()
            } else {
                format!("; breaks {broken}")
            };
            let spaces = before.len().max(after.len());
            let many = |count: usize, what: &str| {
                let plural = if count == 1 { "" } else { "s" };
                format!("{count} {what}{plural}")
            };
            let mut all = many(spaces, "space");
            if compositions > 0 {
                all = format!("{all} and {}", many(compositions, "composition"));
            }
            print(&format!("{text}{all} compared: {counts}{verdict}"));
        }
    }
    Ok(u8::from(!broken.is_none()))
}

/// One side of the comparison.
struct Side {
    folder: Folder,
    /// The folder itself, for what else is read there.
    dir: PathBuf,
    /// What goes before the paths of its files.
    before: String,
    /// The one space that a file was named of.
    only: Option<String>,
}

impl Side {
    /// Reads a folder, or the pair of a file. Paths are shown as this one was typed.
    fn read(path: &Path) -> Result<Self, Plain> {
        let shown = path.display();
        let (dir, only) = if path.is_dir() {
            (path, None)
        } else if path.is_file() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let stem = ["_base.toml", "_domain.toml"]
                .into_iter()
                .find_map(|suffix| name.strip_suffix(suffix))
                .ok_or_else(|| format!("{shown} is neither a `_base.toml` nor a `_domain.toml`"))?;
            (path.parent().unwrap_or(path), Some(stem.to_owned()))
        } else {
            return Err(format!("there is no file or folder {shown}").into());
        };
        let here = Path::new(".");
        let typed = dir.to_string_lossy();
        let typed = typed.replace(std::path::MAIN_SEPARATOR, "/");
        let (dir, before) = match typed.trim_end_matches('/') {
            "" if dir.parent().is_none() && dir.is_absolute() => (dir, "/".to_owned()),
            "" | "." => (here, String::new()),
            typed => (dir, format!("{typed}/")),
        };
        let folder = match &only {
            None => folder::read(dir, ""),
            Some(stem) => folder::read_pair(dir, stem),
        };
        Ok(Self {
            folder,
            dir: dir.to_owned(),
            before,
            only,
        })
    }

    fn of_revision(revision: &Revision, only: Option<String>) -> Self {
        Self {
            folder: folder::read(revision.dir.path(), "."),
            dir: revision.dir.path().to_owned(),
            before: revision.shown.clone(),
            only,
        }
    }

    /// The pairs to compare. A file on either side, or a name, leaves one.
    fn spaces(&self, other: &Self, name: Option<&str>) -> Result<Vec<&Pair>, Plain> {
        let only = name.or(self.only.as_deref()).or(other.only.as_deref());
        let wanted = |pair: &&Pair| only.is_none_or(|only| pair.stem == only);
        let pairs: Vec<_> = self.folder.pairs.iter().filter(wanted).collect();
        // What cannot be read is not "removed".
        let found = &self.folder.diagnostics;
        let failed = found.iter().any(|one| one.severity() == Severity::Error);
        let sound = pairs.iter().all(|pair| pair.sound);
        if failed && !(only.is_some() && sound && !pairs.is_empty()) {
            self.complain(found);
            return Err("one of the versions cannot be read".into());
        }
        Ok(pairs)
    }

    /// What the compositions of the folder add to its spaces: without it one that they feed may not
    /// pass. Also of a pair that was named alone, whose folder is read for that.
    fn triggers(&self) -> BTreeMap<String, Triggers> {
        match &self.only {
            None => check_folder(&self.folder).triggers,
            Some(_) => check_folder(&folder::read(&self.dir, "")).triggers,
        }
    }

    /// Prints what is wrong with this side.
    fn complain(&self, diagnostics: &[Diagnostic]) {
        let mut sources = Sources::default();
        sources.append(&self.folder.sources, &self.before);
        let errors = diagnostics.iter();
        let errors: Vec<_> = errors
            .filter(|one| one.severity() == Severity::Error)
            .cloned()
            .collect();
        eprint(human(&errors, &sources, Colour::Never).trim_end());
    }
}

/// What is asked of a version before it is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gate {
    /// Its names are declared: an old version may have passed fewer gates than there are now.
    Resolve,
    /// It passes.
    Pass,
}

fn models<'a>(
    pairs: &[&'a Pair],
    gate: Gate,
    side: &Side,
) -> Result<Vec<(&'a Pair, Model)>, Plain> {
    let mut models = Vec::new();
    let (all, none) = (side.triggers(), Triggers::default());
    for pair in pairs {
        let triggers = all.get(&pair.stem).unwrap_or(&none);
        let checked = check_with(&pair.base, &pair.domain, triggers);
        let model = match gate {
            Gate::Resolve => Model::resolve(&pair.base, &pair.domain),
            Gate::Pass => checked.model,
        };
        let Some(model) = model else {
            side.complain(&checked.diagnostics);
            let which = match gate {
                Gate::Resolve => "old",
                Gate::Pass => "new",
            };
            let stem = &pair.stem;
            return Err(format!("the {which} version of `{stem}` does not pass its gates").into());
        };
        models.push((*pair, model));
    }
    Ok(models)
}

fn findings(before: &[(&Pair, Model)], after: &[(&Pair, Model)], first_file: u32) -> Vec<Finding> {
    let named = |list: &[(&Pair, Model)], name: &str| {
        let mut list = list.iter();
        list.position(|(pair, _)| pair.stem == name)
    };
    let mut out = Vec::new();
    for one in before {
        let old = version(one, first_file);
        match named(after, &one.0.stem) {
            Some(at) => out.extend(compare(old, version(&after[at], 0))),
            None => out.push(removed(old)),
        }
    }
    let fresh = after
        .iter()
        .filter(|(pair, _)| named(before, &pair.stem).is_none());
    out.extend(fresh.map(|one| added(version(one, 0))));
    out
}

fn version<'a>((pair, model): &'a (&Pair, Model), first_file: u32) -> Version<'a> {
    Version {
        base: &pair.base,
        domain: &pair.domain,
        model,
        first_file,
    }
}

fn broken(findings: &[Finding], allow: &[BrokenClass]) -> Classes {
    let classes = findings.iter().map(Finding::classes);
    let found = classes.fold(Classes::NONE, Classes::with);
    let allowed = allow.iter().map(|class| match class {
        BrokenClass::Source => Class::Source,
        BrokenClass::State => Class::State,
        BrokenClass::Trace => Class::Trace,
    });
    found.without(allowed.collect())
}
