//! Promises about compositions that have more configurations than are looked at one by one.

use std::sync::Arc;

use super::super::composition::ComposedNet;
use super::super::engine::{find_run_beyond, meets};
use super::super::observer::{AFTER, OF, THEN};
use super::super::report::Limits;
use super::super::trace::Found;
use super::super::verdict::{Counterexample, Vacuity, Verdict};
use super::graph::Joint;
use super::judge::{JointPoint, broken};
use super::part::Part;
use crate::contract::Pattern;

/// The bytes that diagrams may take for one promise, so that a build stays within memory and time.
const MEMORY: u64 = 64 << 20;

/// Judges a promise about how runs begin with decision diagrams: all that its observer and the part
/// can come to, loops never being used up. What holds of that holds. A run that breaks it is gone
/// through once more, step by step and with the limits of loops, and believed if it still does.
///
/// `None` when the promise is another one, its diagrams are too large, or a limit keeps the run from
/// happening.
pub(super) fn beyond(
    part: &Part<'_>,
    pattern: &Pattern,
    points: &[JointPoint],
) -> Option<(Verdict, Arc<Joint>)> {
    let limits = Limits {
        memory: MEMORY,
        ..Limits::default()
    };
    let (net, goal) = ComposedNet::watched(part, pattern, points).ok()??;
    let (found, shortest) = find_run_beyond(&net.net, &goal, &limits);
    let run = match found {
        Found::Run(run) => run,
        Found::Never => {
            let holds = match vacuity(part, pattern, points, &limits) {
                Some(why) => Verdict::Vacuous(why),
                None => Verdict::Holds,
            };
            let start = Joint::along(part, &[]);
            return Some((holds, Arc::new(start)));
        }
        Found::Bound(_) => return None,
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

/// Whether a promise holds because no run comes to what it is about.
fn vacuity(
    part: &Part<'_>,
    pattern: &Pattern,
    points: &[JointPoint],
    limits: &Limits,
) -> Option<Vacuity> {
    let (position, role) = match pattern {
        Pattern::Absence { after, .. } if !after.is_empty() => ("after", AFTER),
        Pattern::Precedence { .. } => ("then", THEN),
        Pattern::BoundedExistence { at_most, .. } if at_most.value > 0 => ("of", OF),
        _ => return None,
    };
    let of = points.iter().filter(|(.., roles)| roles & role != 0);
    let of: Vec<_> = of.map(|(at, row, _)| (*at, *row, OF)).collect();
    let never = Pattern::Absence {
        of: Vec::new(),
        after: Vec::new(),
        until: Vec::new(),
    };
    let (net, goal) = ComposedNet::watched(part, &never, &of).ok()??;
    let occurs = meets(&net.net, &goal, limits)?;
    (!occurs).then_some(Vacuity::NeverOccurs(position))
}
