//! The compositions of `domain/`, compiled in: the spaces as they were generated, and what puts them
//! together as it is written.

use std::sync::Arc;

use space_core::contract::{FileId, Span};
use space_core::diagnostic::{Diagnostic, Severity};
use space_core::gates::{Declared, check_compositions};
use space_core::graph::{Composed, Model};
use space_core::machine::{GuardTable, Space};
use space_core::parse::parse_composition;
use space_out::agent::Agent;
use space_out::reasoning::Reasoning;
use space_out::retrieval::Retrieval;
use space_out::supervisor::Supervisor;

const CONTRACT: &str = include_str!("../../domain/composition.toml");

/// A composition, resolved, by its name.
///
/// # Errors
/// What the gates say, when the contract that was compiled in does not pass them or has no such
/// composition; a test keeps that from happening.
pub fn composed(name: &str) -> Result<Composed, Wrong> {
    let parsed = parse_composition(CONTRACT, FileId(0));
    let models = [
        Agent.model(),
        Supervisor.model(),
        Retrieval.model(),
        Reasoning.model(),
    ];
    let declared = models.map(|model: &Model| Declared {
        name: &model.name,
        span: Span::default(),
        model: Some(Arc::new(model.clone())),
    });
    let checked = check_compositions(&parsed.value, &declared);
    let found = parsed.diagnostics.into_iter().chain(checked.diagnostics);
    let errors: Vec<_> = found
        .filter(|one| one.severity() == Severity::Error)
        .collect();
    let composed = checked.composed.into_iter().find(|one| one.name == name);
    composed.filter(|_| errors.is_empty()).ok_or(Wrong {
        name: name.to_owned(),
        errors,
    })
}

/// A composition that cannot be run.
#[derive(Debug, thiserror::Error)]
#[error("there is no composition `{name}` that passes its gates ({} errors)", errors.len())]
pub struct Wrong {
    /// Its name.
    pub name: String,
    /// What the gates say.
    pub errors: Vec<Diagnostic>,
}

/// A guard of a generated space in the form that compositions take.
pub fn guard<S>(
    table: GuardTable,
    name: &str,
    space: S,
    holds: impl Fn(&S::Ctx, &S::Event) -> bool + Send + Sync + 'static,
) -> GuardTable
where
    S: Space + Send + Sync + 'static,
{
    table.with(name, move |slots, event| {
        let ctx = space.ctx_from(slots.to_vec());
        let event = space.event_from(event.index, event.values.clone());
        ctx.is_ok_and(|ctx| event.is_ok_and(|event| holds(&ctx, &event)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_in_passes_its_gates() {
        for (name, components) in [
            ("supervised_agent", ["agent", "supervisor"]),
            ("ask", ["retrieval", "reasoning"]),
        ] {
            let composed = composed(name).unwrap_or_else(|wrong| panic!("{:?}", wrong.errors));
            let names = composed.components.iter().map(|one| one.name.as_str());
            assert_eq!(names.collect::<Vec<_>>(), components);
        }
        let absent = composed("absent").unwrap_err();
        assert!(absent.to_string().contains("`absent`"), "{absent}");
    }
}
