//! Points of a pattern that might as well not be there.

use super::observer::{AFTER, FIRST, MUST, OF, RESET, Roles, THEN, UNTIL, name, positions};
use crate::contract::{Pattern, Point, Spanned};

/// A point that can be left out of its position, and the promise is the same for every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle<'p> {
    /// The point.
    pub point: &'p Spanned<Point>,
    /// Where it stands.
    pub position: &'static str,
    /// The other position that takes away what it says; `None` when it is in its own twice.
    pub other: Option<&'static str>,
}

/// The points of a pattern that change nothing, given the letters that each point stands for, by its
/// number in the order of the positions: each with all positions that it fills.
///
/// An `of` that closes the scope is never judged; an `until` that opens the scope again does not
/// close it; a `then` or an `after` that satisfies itself asks for nothing; a `first` remembers what
/// it resets.
pub fn idle(pattern: &Pattern, letters: impl Fn(usize) -> Vec<Roles>) -> Vec<Idle<'_>> {
    let (taken, unless): (&[(Roles, Roles)], Roles) = match pattern {
        Pattern::Absence { .. } => (&[(OF, UNTIL), (UNTIL, AFTER)], OF),
        Pattern::Precedence { .. } => (&[(THEN, FIRST), (RESET, FIRST)], 0),
        Pattern::Response { .. } => (&[(AFTER, MUST)], 0),
        _ => (&[], 0),
    };
    let mut found = Vec::new();
    let mut number = 0..;
    for (points, role) in positions(pattern) {
        for (at, point) in points.iter().enumerate() {
            let all = number.next().map(&letters).unwrap_or_default();
            let fill = |other| all.iter().all(|roles| roles & other != 0);
            // An `of` that the scope would hold is kept out of it by its `until`.
            let kept = role == UNTIL && all.iter().any(|roles| roles & unless != 0);
            let other = taken
                .iter()
                .find(|(one, other)| *one == role && fill(*other));
            let twice = points[..at].iter().any(|one| one.value == point.value);
            let other = match other {
                Some((_, other)) if !all.is_empty() && !kept => Some(*other),
                _ if twice => None,
                _ => continue,
            };
            found.push(Idle {
                point,
                position: name(pattern, role),
                other: other.map(|other| name(pattern, other)),
            });
        }
    }
    found
}
