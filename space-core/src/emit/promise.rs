//! An invariant as a sentence.

use crate::contract::{Invariant, Pattern, Points};

/// What an invariant promises, in words.
pub(super) fn promise(invariant: &Invariant) -> String {
    let any = |points: &Points| {
        let names: Vec<_> = points.iter().map(|one| one.value.to_string()).collect();
        names.join(" or ")
    };
    let scope = |word: &str, points: &Points| match points.as_slice() {
        [] => String::new(),
        _ => format!(" {word} {}", any(points)),
    };
    match &invariant.pattern.value {
        Pattern::Absence { of, after, until } => {
            let (after, until) = (scope("after", after), scope("until", until));
            format!("never {}{after}{until}", any(of))
        }
        Pattern::Existence { of } => format!("every complete run passes {}", any(of)),
        Pattern::Precedence { first, then, reset } => {
            let reset = scope("since the last", reset);
            format!("{} only after {}{reset}", any(then), any(first))
        }
        Pattern::Response { after, must } => {
            format!(
                "after {} every complete run passes {}",
                any(after),
                any(must)
            )
        }
        Pattern::BoundedExistence { of, at_most } => {
            let plural = if at_most.value == 1 { "" } else { "s" };
            format!(
                "{} at most {} time{plural} in a run",
                any(of),
                at_most.value
            )
        }
        Pattern::Exclusion { points } => {
            let names: Vec<_> = points.iter().map(|one| one.value.to_string()).collect();
            format!("never together: {}", names.join(", "))
        }
        Pattern::Reachable { point } => format!("{} can always still be reached", any(point)),
    }
}
