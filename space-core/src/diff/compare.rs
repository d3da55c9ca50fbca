//! Two versions of a contract, and everything that changed between them.

use super::behaviour::behaviour;
use super::context::empty_reads;
use super::simulation::{Simulation, simulate};
use super::vocabulary::vocabulary;
use super::{Finding, RuleId};
use crate::contract::{Base, Domain, FileId, Span};
use crate::graph::Model;

/// A version of a contract.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// Its vocabulary.
    pub base: &'a Base,
    /// Its behaviour.
    pub domain: &'a Domain,
    /// Both, resolved. The answers are sound for contracts that pass their gates.
    pub model: &'a Model,
    /// How many files come before this version's in the sources that findings point into: each
    /// version was read on its own.
    pub first_file: u32,
}

impl Version<'_> {
    /// A place of this version, in the sources that findings point into.
    pub(super) fn at(&self, span: Span) -> Span {
        let file = FileId(span.file.0.saturating_add(self.first_file));
        Span { file, ..span }
    }

    /// The place that stands for the whole of it: its name.
    pub(super) fn name(&self) -> Span {
        self.at(self.base.span())
    }
}

/// What changed from an old version to a new one, by rule and then by place. Empty when both have the
/// same contract hash.
pub fn compare(old: Version<'_>, new: Version<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    let simulation = simulate(old.model, new.model);
    vocabulary(old, new, &simulation, &mut out);
    replay(old, new, &simulation, &mut out);
    out.extend(empty_reads(old, new));
    behaviour(old, new, &simulation, &mut out);
    out.sort_by_key(|one| (one.rule, one.span));
    out
}

/// The findings of the simulation.
fn replay(old: Version<'_>, new: Version<'_>, simulation: &Simulation, out: &mut Vec<Finding>) {
    if !simulation.decided {
        let message = "the simulation was stopped: too many pairs of configurations";
        let finding = Finding::new(RuleId::UNDECIDED, new.name(), message);
        out.push(finding.help("replay the recorded runs that matter, one by one"));
    }
    for mismatch in &simulation.mismatches {
        let mut run = mismatch.run.clone();
        for step in &mut run.steps {
            step.old_place = step.old_place.map(|span| old.at(span));
            step.new_place = step.new_place.map(|span| new.at(span));
        }
        let last = run.steps.last();
        // Where no rule answers, the event is what can be shown.
        let event = last.and_then(|step| {
            let mut events = new.base.events.iter();
            let row = events.find(|row| row.name.value == step.event)?;
            Some(new.at(row.name.span))
        });
        let place = last.and_then(|step| step.new_place).or(event);
        let place = place.unwrap_or(new.name());
        let mut finding = Finding::new(mismatch.rule, place, mismatch.message.clone());
        if let Some(before) = last.and_then(|step| step.old_place) {
            finding = finding.related(before, "the recorded run took this rule");
        }
        let torn = mismatch.torn.and_then(|at| run.steps[at].new_place);
        if let Some(torn) = torn {
            finding = finding.related(torn, "this rule leaves another value in the slot");
        }
        finding.run = Some(run);
        out.push(finding);
    }
}

/// A space that only the new version has.
pub fn added(new: Version<'_>) -> Finding {
    let message = format!("space `{}` was added", new.model.name);
    Finding::new(RuleId::SPACE_ADDED, new.name(), message)
}

/// A space that only the old version has.
pub fn removed(old: Version<'_>) -> Finding {
    let message = format!("space `{}` was removed", old.model.name);
    Finding::new(RuleId::SPACE_REMOVED, old.name(), message).label("it was declared here")
}
