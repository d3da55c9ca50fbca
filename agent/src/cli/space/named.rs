//! A space or a composition by its name.

use space_core::contract::Domain;
use space_core::diagnostic::{Code, Severity, nearest};
use space_core::gates::{FolderCheck, Triggers, check_folder, check_with};
use space_core::graph::{Composed, Model};
use space_core::parse::folder::Folder;

use super::super::Plain;

/// What a name stands for.
pub(super) enum Named<'f> {
    /// A space, with what compositions loop back to.
    Space {
        model: Box<Model>,
        domain: &'f Domain,
        loopbacks: Vec<(usize, usize)>,
    },
    /// A composition.
    Composition(Box<Composed>),
}

/// Finds a name in a folder. A space may break its invariants: they are what somebody wants to look
/// at. Everything else has to pass.
pub(super) fn named<'f>(folder: &'f Folder, name: &str) -> Result<Named<'f>, Plain> {
    let checked = check_folder(folder);
    if let Some(pair) = folder.pairs.iter().find(|pair| pair.stem == name) {
        let none = Triggers::default();
        let triggers = checked.triggers.get(name).unwrap_or(&none);
        let found = check_with(&pair.base, &pair.domain, triggers).diagnostics;
        let wrong = |code: Code| code < Code::VIOLATED;
        let errors = found.iter().filter(|one| one.severity() == Severity::Error);
        let model = Model::resolve(&pair.base, &pair.domain)
            .filter(|_| pair.sound && !errors.clone().any(|one| wrong(one.code)));
        let Some(model) = model else {
            return Err(format!("`{name}` does not pass its gates: `agent space check`").into());
        };
        return Ok(Named::Space {
            loopbacks: triggers.loopbacks(&model),
            model: Box::new(model),
            domain: &pair.domain,
        });
    }
    if let Some(composed) = checked.composed.iter().find(|one| one.name == name) {
        return Ok(Named::Composition(Box::new(composed.clone())));
    }
    Err(unknown(folder, &checked, name).into())
}

/// Why a name stands for nothing.
fn unknown(folder: &Folder, checked: &FolderCheck<'_>, name: &str) -> String {
    if folder.compositions.names().any(|one| one.value == name) {
        return format!("`{name}` does not pass its gates: `agent space check`");
    }
    let spaces: Vec<&str> = folder.pairs.iter().map(|pair| &*pair.stem).collect();
    let passed = checked.composed.iter().map(|one| one.name.as_str());
    let all: Vec<&str> = spaces.iter().copied().chain(passed).collect();
    let there = match all.as_slice() {
        [] => "there is no contract at all: `agent space new NAME` writes one".to_owned(),
        all => format!("there are {}", all.join(", ")),
    };
    match nearest(name, all.iter().copied()) {
        Some(meant) => {
            format!("there is no space `{name}`; did you mean `{meant}`? {there}")
        }
        None => format!("there is no space `{name}`; {there}"),
    }
}
