//! A folder of contracts, through the parser's findings and all gates.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::composition::{Composition, Declared, check_compositions};
use super::{Triggers, check_base, check_with};
use crate::diagnostic::{Diagnostic, Severity, sort};
use crate::graph::{Composed, Model};
use crate::parse::folder::{Folder, Pair};

/// What parser and gates say of a folder.
#[derive(Clone, Debug)]
pub struct FolderCheck<'a> {
    /// All findings, sorted by path and place.
    pub diagnostics: Vec<Diagnostic>,
    /// The contracts that passed, in the order of their names.
    pub passed: Vec<(&'a Pair, Model)>,
    /// The compositions that passed, and all of whose spaces did; those that are named before
    /// those that name them.
    pub composed: Vec<Composed>,
    /// What the compositions add to the spaces, by name.
    pub triggers: BTreeMap<String, Triggers>,
}

impl FolderCheck<'_> {
    /// Whether nothing may be made from the folder.
    pub fn failed(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|one| one.severity() == Severity::Error)
    }
}

/// Passes every contract of a folder through the gates, as far as it could be parsed, and then its
/// compositions.
pub fn check_folder(folder: &Folder) -> FolderCheck<'_> {
    let mut diagnostics = folder.diagnostics.clone();
    let mut passed = Vec::new();
    // Compositions come first: a contract is judged with what they feed it.
    let composition = compositions(folder);
    let none = Triggers::default();
    for pair in folder.pairs.iter().filter(|pair| pair.sound) {
        let triggers = composition.triggers.get(&pair.stem).unwrap_or(&none);
        let checked = check_with(&pair.base, &pair.domain, triggers);
        diagnostics.extend(checked.diagnostics);
        passed.extend(checked.model.map(|model| (pair, model)));
    }
    // A vocabulary is judged even where the behaviour cannot be.
    let pairs = folder
        .pairs
        .iter()
        .filter(|pair| !pair.sound && pair.base_sound);
    let bases = pairs.map(|pair| &pair.base);
    for base in bases.chain(folder.unpaired.iter().filter_map(|one| one.base.as_ref())) {
        diagnostics.extend(check_base(base));
    }
    diagnostics.extend(composition.diagnostics);
    sort(&mut diagnostics, &folder.sources);
    let names: BTreeSet<&str> = passed.iter().map(|(pair, _)| &*pair.stem).collect();
    let mut composed = composition.composed;
    composed.retain(|one| {
        one.components
            .iter()
            .all(|part| names.contains(&*part.name))
    });
    FolderCheck {
        diagnostics,
        passed,
        composed,
        triggers: composition.triggers,
    }
}

/// The gates of a folder's compositions. A space that does not even resolve is one that nothing is
/// said of.
fn compositions(folder: &Folder) -> Composition {
    if !folder.compositions_sound {
        return Composition::default();
    }
    let declared = folder.pairs.iter().map(|pair| {
        let model = pair.sound.then(|| Model::resolve(&pair.base, &pair.domain));
        Declared {
            name: &pair.stem,
            span: pair.base.meta.name.span,
            model: model.flatten().map(Arc::new),
        }
    });
    let unpaired = folder.unpaired.iter().map(|one| Declared {
        name: &one.stem,
        span: one.span,
        model: None,
    });
    let declared: Vec<_> = declared.chain(unpaired).collect();
    check_compositions(&folder.compositions, &declared)
}
