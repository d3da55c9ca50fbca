//! Published state machines as contracts: `machines/<name>/`.
//!
//! Each folder holds contracts, a composition where the machine is one, and `mutations.md`: edits
//! that must fail, with what is printed of them. Where states are counted, `counts.txt` has the
//! numbers that SPIN found, and the command.
//!
//! `UPDATE=1 cargo test -p space-tests --test machines` writes the `text` blocks.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

mod counts;
mod mutations;
mod nets;
mod products;
mod walks;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use space_core::diagnostic::render::{Colour, human};
use space_core::diagnostic::{Diagnostic, Severity};
use space_core::gates;
use space_core::parse::folder;

/// The folders, by name.
fn machines() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("machines");
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The contracts of a machine, by file name.
fn files(machine: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(machine)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.extension().is_some_and(|ext| ext == "toml"))
        .map(|path| (name(&path), fs::read_to_string(&path).unwrap()))
        .collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// What parser and gates say of these files, notes left out: they are facts, not faults.
fn check(files: &BTreeMap<String, String>) -> (Vec<Diagnostic>, String) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let folder = folder::read(dir.path(), ".");
    let mut diagnostics = gates::check_folder(&folder).diagnostics;
    diagnostics.retain(|one| one.severity() != Severity::Note);
    let text = human(&diagnostics, &folder.sources, Colour::Never);
    (diagnostics, text)
}

#[test]
fn every_machine_passes_and_names_its_source() {
    let machines = machines();
    assert!(machines.len() >= 12, "{}", machines.len());
    for machine in machines {
        let (_, printed) = check(&files(&machine));
        assert!(printed.is_empty(), "{}\n{printed}", machine.display());
        let folder = folder::read(&machine, ".");
        assert!(!folder.pairs.is_empty());
        for pair in &folder.pairs {
            assert!(pair.base.doc.is_some(), "{}", pair.stem);
        }
    }
}
