//! All gates.

use super::report::Report;
use super::triggers::{Jumps, Triggers};
use super::{analysis, base, behaviour, data, names, totality};
use crate::contract::{Base, Domain};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::explore;
use crate::graph::{Model, Rules};

/// What the gates say of a contract.
#[derive(Clone, Debug)]
pub struct Checked {
    /// All findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The resolved contract, when there is no error.
    pub model: Option<Model>,
}

/// Passes a contract through all gates, as a space that no composition names.
///
/// Linear in the size of the contract and of its expansion.
pub fn check(base: &Base, domain: &Domain) -> Checked {
    check_with(base, domain, &Triggers::default())
}

/// Passes a contract through all gates. A trigger of a composition counts as something that a
/// state waits for, and a `LoopBack` as a path.
pub fn check_with(base: &Base, domain: &Domain, triggers: &Triggers) -> Checked {
    let rules = Rules::of(base, domain);
    let mut out = Report::new(base);
    base::check(&rules, &mut out);
    names::check(&rules, &mut out);
    behaviour::check(&rules, &mut out);
    data::check(&rules, &mut out);
    // Without its wildcards a contract is another one.
    if !rules.overflow {
        let jumps = Jumps::of(&rules, triggers);
        totality::check(&rules, &jumps, &mut out);
        analysis::check(&rules, &jumps, &mut out);
    }
    let mut diagnostics = out.finish();
    // What the analysis finds wrong with the graph leaves its runs well defined, so that promises
    // are judged beside it.
    let unsound = |one: &Diagnostic| is_error(one) && one.code < Code::UNREACHABLE;
    let sound = if diagnostics.iter().any(unsound) {
        None
    } else {
        rules.model()
    };
    if let Some(model) = &sound {
        let loopbacks = triggers.loopbacks(model);
        diagnostics.extend(explore::check_with(model, domain, &loopbacks));
        diagnostics.sort_by_key(|one| one.span);
    }
    Checked {
        model: sound.filter(|_| !diagnostics.iter().any(is_error)),
        diagnostics,
    }
}

/// Passes a vocabulary whose behaviour is not known through the gates that need none.
pub fn check_base(base: &Base) -> Vec<Diagnostic> {
    let domain = Domain::default();
    let rules = Rules::of(base, &domain);
    let mut out = Report::new(base);
    base::check(&rules, &mut out);
    names::check(&rules, &mut out);
    out.finish()
}

fn is_error(one: &Diagnostic) -> bool {
    one.severity() == Severity::Error
}
