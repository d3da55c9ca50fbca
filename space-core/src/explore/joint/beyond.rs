//! Promises about compositions that have more configurations than are looked at one by one.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::composition::ComposedNet;
use super::super::engine::sliced;
use super::super::net::Net;
use super::super::observer::{AFTER, OF, THEN};
use super::super::report::Limits;
use super::super::symbolic::{symbolic_meets, symbolic_run};
use super::super::trace::{Found, Goal};
use super::super::verdict::{Counterexample, Vacuity, Verdict};
use super::graph::Joint;
use super::judge::{JointPoint, broken};
use super::part::Part;
use crate::contract::Pattern;

/// The bytes that diagrams may take for one promise, so that a build stays within memory and time.
const MEMORY: u64 = 48 << 20;

/// Judges promises about how runs begin by nets: all that the promise's observer and the part can come
/// to, loops never being used up. What holds of that holds. A run that breaks it is gone through once
/// more, step by step and with the limits of loops, and believed if it still does.
///
/// A few components may suffice; else decision diagrams are asked.
#[derive(Debug, Default)]
pub(super) struct Beyond {
    /// Parts that have too many moves, or too large diagrams: nothing more is tried of these.
    given_up: BTreeSet<Vec<usize>>,
}

impl Beyond {
    /// `None` when the promise is another one, its net or its diagrams are too large, or the run that
    /// breaks it cannot happen.
    pub(super) fn judge(
        &mut self,
        part: &Part<'_>,
        pattern: &Pattern,
        points: &[JointPoint],
    ) -> Option<(Verdict, Arc<Joint>)> {
        let Ok(watched) = ComposedNet::watched(part.composed(), pattern, points) else {
            self.given_up.insert(part.kept().to_vec());
            return None;
        };
        let (net, goal) = watched?;
        let (found, shortest) = self.find(part, &net.net, &goal)?;
        let Found::Run(run) = found else {
            let holds = match vacuity(part, pattern, points) {
                Some(why) => Verdict::Vacuous(why),
                None => Verdict::Holds,
            };
            return Some((holds, Arc::new(Joint::along(part, &[]))));
        };
        let path: Vec<_> = run.iter().map(|state| net.row(state)).collect();
        let joint = Joint::along(part, &path);
        let found = broken(&joint, pattern, points)?;
        let run = Counterexample {
            shortest: shortest && found.run.len() + 1 == run.len(),
            ..found
        };
        Some((Verdict::Violated(run), Arc::new(joint)))
    }

    /// Whether a part was given up.
    pub(super) fn has_given_up(&self, part: &Part<'_>) -> bool {
        self.given_up.contains(part.kept())
    }

    /// A run to the goal, and whether it is known to be a shortest one.
    fn find(&mut self, part: &Part<'_>, net: &Net, goal: &Goal) -> Option<(Found, bool)> {
        let limits = limits();
        if let Some(found) = sliced(net, goal, &limits) {
            return Some((found, true));
        }
        match symbolic_meets(net, goal, &limits) {
            Some(false) => return Some((Found::Never, true)),
            Some(true) => {}
            None => {
                self.given_up.insert(part.kept().to_vec());
                return None;
            }
        }
        match symbolic_run(net, goal, &limits) {
            (Found::Bound(_), _) => None,
            found => Some(found),
        }
    }
}

/// Whether a promise holds because no run comes to what it is about.
fn vacuity(part: &Part<'_>, pattern: &Pattern, points: &[JointPoint]) -> Option<Vacuity> {
    let (position, role) = match pattern {
        Pattern::Absence { after, .. } if !after.is_empty() => ("after", AFTER),
        Pattern::Precedence { .. } => ("then", THEN),
        Pattern::BoundedExistence { at_most, .. } if at_most.value > 0 => ("of", OF),
        _ => return None,
    };
    let of = points.iter().filter(|(.., roles)| roles & role != 0);
    let of: Vec<_> = of.map(|(at, row, _)| (*at, *row, OF)).collect();
    let (net, goal) = ComposedNet::watched_for(part.composed(), &of).ok()?;
    let limits = limits();
    let never = match sliced(&net.net, &goal, &limits) {
        Some(found) => found == Found::Never,
        None => !symbolic_meets(&net.net, &goal, &limits)?,
    };
    never.then_some(Vacuity::NeverOccurs(position))
}

fn limits() -> Limits {
    Limits {
        memory: MEMORY,
        ..Limits::default()
    }
}
