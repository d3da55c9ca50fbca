//! Runs that broke a promise of a composition once.

use std::sync::Arc;

use super::{findings, not_promised, step};
use crate::contract::Pattern;
use crate::diagnostic::render::trace as render;
use crate::explore::{Counterexample, Joint, JointJudge, Judged, NamedMove, Teller as _, Verdict};
use crate::gates::check_folder;
use crate::parse::folder::Folder;

/// Whether a folder declares a composition.
pub(super) fn is_declared(folder: &Folder, name: &str) -> bool {
    folder.compositions.names().any(|one| one.value == name)
}

pub(super) fn judge(folder: &Folder, name: &str, promise: &str, run: &str) -> Result<(), String> {
    let rows = &folder.compositions.invariants;
    let mut own = rows.iter().filter(|row| row.composition.value == name);
    let invariant = own
        .find(|row| row.invariant.name.value == promise)
        .ok_or_else(|| not_promised(name, promise))?;
    let pattern = &invariant.invariant.pattern.value;
    let composed = check_folder(folder).composed;
    let composed = composed.into_iter().find(|one| one.name == name);
    let composed = Arc::new(composed.ok_or_else(|| findings(folder))?);

    let mut lines = run.lines().map(str::trim).filter(|line| !line.is_empty());
    let initial = lines.next().ok_or("the run has no line")?;
    let steps = lines.map(read).collect::<Result<Vec<_>, _>>()?;
    let begins = |state: &str| {
        let (space, state) = state.split_once('.')?;
        let one = &composed.components[composed.component(space)?];
        (one.model.states[one.model.initial].name == state).then_some(())
    };
    if !initial.split(", ").all(|state| begins(state).is_some()) {
        return Ok(());
    }
    let Some(joint) = Joint::replay(&composed, &steps) else {
        return Ok(());
    };
    let (found, joint) = match pattern {
        // Whether it is still reached from there is a question about everything that may follow.
        Pattern::Reachable { .. } => {
            match JointJudge::new(Arc::clone(&composed)).judge_named(pattern) {
                Some(Judged::Known(Verdict::Violated(found), joint)) => (found, joint),
                _ => return Ok(()),
            }
        }
        _ => match joint.breaks(pattern) {
            Some(found) => (found, Arc::new(joint)),
            None => return Ok(()),
        },
    };
    let found = Counterexample {
        shortest: false,
        ..found
    };
    let run = render::human(&joint.trace(&found), &folder.sources);
    Err(format!(
        "`{promise}` of `{name}` is broken again by a recorded {run}"
    ))
}

/// Reads `space.Event -> State / Effect`, several joined by ` + `, or `space.Event refused`.
fn read(line: &str) -> Result<NamedMove, String> {
    let of_space = |text: &str| {
        let parts = text.split_once('.');
        let (space, rest) = parts.ok_or_else(|| format!("`{text}` does not say of which space"))?;
        Ok::<_, String>((space.to_owned(), rest.to_owned()))
    };
    if let Some(refused) = line.strip_suffix(" refused") {
        let (component, event) = of_space(refused)?;
        return Ok(NamedMove::Refused { component, event });
    }
    let moved = line.split(" + ").map(|part| {
        let (component, rest) = of_space(part)?;
        Ok((component, step(&rest)?))
    });
    Ok(NamedMove::Moved(moved.collect::<Result<_, String>>()?))
}
