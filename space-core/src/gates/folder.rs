//! A folder of contracts, through the parser's findings and all gates.

use super::check;
use crate::diagnostic::{Diagnostic, Severity, sort};
use crate::graph::Model;
use crate::parse::folder::{Folder, Pair};

/// What parser and gates say of a folder.
#[derive(Clone, Debug)]
pub struct FolderCheck<'a> {
    /// All findings, sorted by path and place.
    pub diagnostics: Vec<Diagnostic>,
    /// The contracts that passed, in the order of their names.
    pub passed: Vec<(&'a Pair, Model)>,
}

impl FolderCheck<'_> {
    /// Whether nothing may be made from the folder.
    pub fn failed(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|one| one.severity() == Severity::Error)
    }
}

/// Passes every contract of a folder through the gates, as far as it could be parsed.
pub fn check_folder(folder: &Folder) -> FolderCheck<'_> {
    let mut diagnostics = folder.diagnostics.clone();
    let mut passed = Vec::new();
    for pair in folder.pairs.iter().filter(|pair| pair.sound) {
        let checked = check(&pair.base, &pair.domain);
        diagnostics.extend(checked.diagnostics);
        passed.extend(checked.model.map(|model| (pair, model)));
    }
    sort(&mut diagnostics, &folder.sources);
    FolderCheck {
        diagnostics,
        passed,
    }
}
