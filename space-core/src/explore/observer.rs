//! The patterns of invariants as small automata over the points of a run.
//!
//! A run is read one *letter* at a time. The initial state is the first letter; then every handled
//! step yields up to three, in this order: its event, the state it enters (also when it was there
//! already), the effect it asks for. `effect:X` and `semantics:x` of one effect are one letter. An
//! ignored or rejected event yields none. A position of a pattern that lists several points is
//! filled by any of them, and a letter that fills one position twice fills it once.
//!
//! | pattern | broken at a letter … | what one letter does in several positions |
//! |---|---|---|
//! | absence | `of`, while the scope is open | `until` closes first, then `of` is judged, then `after` opens: the scope holds neither the letter that opens it nor the one that closes it |
//! | precedence | `then`, when no `first` came since the last `reset` | `then` is judged, and `first` in the same letter counts; then `reset` forgets; then `first` is remembered |
//! | bounded existence | the one `of` too many | – |
//! | existence | the end of a complete run without `of` | – |
//! | response | the end of a complete run after an `after` without a later `must` | `after` asks first, then `must` answers: the same letter does both, and one `must` answers all that was asked |
//!
//! So within one step an event comes before the state it leads to: `absence` of `state:X` after
//! `event:E` is broken by the very step in which `E` leads to `X`, and a `response` that must
//! reach `event:E` after `state:X` is not answered by the step in which `E` leads to `X`.
//! `precedence` with one point as `then` and as `reset` is the promise that every `then` has a
//! `first` of its own.
//!
//! An absence without `after` is open from the start, the initial state included; once `until`
//! has closed it, it stays closed, because nothing opens it again.
//!
//! `reachable` speaks of what a run could still become and `exclusion` of what holds at one
//! moment: neither is a property of a word of letters, so neither has an automaton here.

use crate::contract::{Pattern, Point, PointKind, Points, Semantics, Spanned};
use crate::diagnostic::nearest;
use crate::graph::{Model, PointRow};

/// A set of positions of a pattern, one bit each.
pub type Roles = u8;

/// `of` of absence, existence and bounded existence; `point` of reachable.
pub const OF: Roles = 1;
/// `after` of absence and response.
pub const AFTER: Roles = 2;
/// `until` of absence.
pub const UNTIL: Roles = 4;
/// `first` of precedence.
pub const FIRST: Roles = 8;
/// `then` of precedence.
pub const THEN: Roles = 16;
/// `reset` of precedence.
pub const RESET: Roles = 32;
/// `must` of response.
pub const MUST: Roles = 64;

/// The automaton of one pattern. Its states are small numbers from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observer {
    /// 1 while the scope is open.
    Absence {
        /// Whether the scope is open at the start.
        open: bool,
    },
    /// 1 once the point occurred.
    Existence,
    /// 1 when `first` occurred since the last `reset`.
    Precedence,
    /// 1 while an answer is owed.
    Response,
    /// How often the point occurred.
    BoundedExistence {
        /// The most.
        at_most: u32,
    },
}

impl Observer {
    /// The automaton of a pattern, where it has one.
    pub fn of(pattern: &Pattern) -> Option<Self> {
        match pattern {
            Pattern::Absence { after, .. } => Some(Self::Absence {
                open: after.is_empty(),
            }),
            Pattern::Existence { .. } => Some(Self::Existence),
            Pattern::Precedence { .. } => Some(Self::Precedence),
            Pattern::Response { .. } => Some(Self::Response),
            Pattern::BoundedExistence { at_most, .. } => Some(Self::BoundedExistence {
                at_most: at_most.value,
            }),
            Pattern::Exclusion { .. } | Pattern::Reachable { .. } => None,
        }
    }

    /// The state before the first letter.
    pub fn start(self) -> u32 {
        u32::from(self == Self::Absence { open: true })
    }

    /// How many states it has.
    pub fn states(self) -> u64 {
        match self {
            Self::BoundedExistence { at_most } => u64::from(at_most) + 1,
            _ => 2,
        }
    }

    /// The state after a letter that fills these positions; `None` when the letter breaks the
    /// promise.
    pub fn read(self, state: u32, letter: Roles) -> Option<u32> {
        let fills = |position| letter & position != 0;
        match self {
            Self::Absence { .. } => {
                let open = state == 1 && !fills(UNTIL);
                (!(open && fills(OF))).then_some(u32::from(open || fills(AFTER)))
            }
            Self::Existence => Some(state | u32::from(fills(OF))),
            Self::Precedence => {
                let seen = state == 1;
                let kept = fills(FIRST) || seen && !fills(RESET);
                (!fills(THEN) || seen || fills(FIRST)).then_some(u32::from(kept))
            }
            Self::Response => Some(u32::from((state == 1 || fills(AFTER)) && !fills(MUST))),
            Self::BoundedExistence { at_most } => {
                if !fills(OF) {
                    Some(state)
                } else if state < at_most {
                    Some(state + 1)
                } else {
                    None
                }
            }
        }
    }

    /// Whether a complete run that ends in this state breaks the promise.
    pub fn broken_at_end(self, state: u32) -> bool {
        match self {
            Self::Existence => state == 0,
            Self::Response => state == 1,
            _ => false,
        }
    }
}

/// The positions that each letter of a model fills.
#[derive(Clone, Debug)]
pub struct Labels {
    /// By event.
    pub events: Vec<Roles>,
    /// By state.
    pub states: Vec<Roles>,
    /// By effect; its semantics included.
    pub effects: Vec<Roles>,
}

/// A point that names nothing of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPoint {
    /// The point as written.
    pub point: Spanned<Point>,
    /// What was probably meant.
    pub meant: Option<Point>,
}

impl Labels {
    /// Finds the points of a pattern in a model.
    ///
    /// # Errors
    /// All points that name nothing, in the order of the pattern's positions.
    pub fn resolve(model: &Model, pattern: &Pattern) -> Result<Self, Vec<UnknownPoint>> {
        let mut labels = Self::none(model);
        let mut unknown = Vec::new();
        for (points, role) in positions(pattern) {
            for point in points {
                let own = point.space.is_none();
                match PointRow::of(model, point).filter(|_| own) {
                    Some(row) => labels.mark(model, row, role),
                    None => unknown.push(UnknownPoint {
                        point: point.clone(),
                        meant: meant(model, point),
                    }),
                }
            }
        }
        if unknown.is_empty() {
            Ok(labels)
        } else {
            Err(unknown)
        }
    }

    /// The letters of a model, of which none fills a position.
    pub fn none(model: &Model) -> Self {
        Self {
            events: vec![0; model.events.len()],
            states: vec![0; model.states.len()],
            effects: vec![0; model.effects.len()],
        }
    }

    /// Every letter.
    pub fn all(&self) -> impl Iterator<Item = Roles> {
        let letters = self.events.iter().chain(&self.states).chain(&self.effects);
        letters.copied()
    }

    /// Whether any letter fills this position.
    pub fn fill(&self, role: Roles) -> bool {
        self.all().any(|roles| roles & role != 0)
    }

    /// The letters that a point stands for, each with all positions that it fills.
    pub fn letters(&self, model: &Model, point: PointRow) -> Vec<Roles> {
        match point {
            PointRow::State(row) => vec![self.states[row]],
            PointRow::Event(row) => vec![self.events[row]],
            PointRow::Effect(row) => vec![self.effects[row]],
            PointRow::Semantics(semantics) => {
                let rows = model.effects.iter().zip(&self.effects);
                let rows = rows.filter(|(row, _)| row.semantics == semantics);
                rows.map(|(_, roles)| *roles).collect()
            }
        }
    }

    /// Lets a point of the model fill a position.
    pub fn mark(&mut self, model: &Model, point: PointRow, role: Roles) {
        match point {
            PointRow::State(row) => self.states[row] |= role,
            PointRow::Event(row) => self.events[row] |= role,
            PointRow::Effect(row) => self.effects[row] |= role,
            PointRow::Semantics(semantics) => {
                for (row, roles) in model.effects.iter().zip(&mut self.effects) {
                    if row.semantics == semantics {
                        *roles |= role;
                    }
                }
            }
        }
    }
}

/// The positions of a pattern, in the order in which they are written.
pub fn positions(pattern: &Pattern) -> Vec<(&Points, Roles)> {
    match pattern {
        Pattern::Absence { of, after, until } => vec![(of, OF), (after, AFTER), (until, UNTIL)],
        Pattern::Existence { of } | Pattern::BoundedExistence { of, .. } => vec![(of, OF)],
        Pattern::Precedence { first, then, reset } => {
            vec![(first, FIRST), (then, THEN), (reset, RESET)]
        }
        Pattern::Response { after, must } => vec![(after, AFTER), (must, MUST)],
        Pattern::Exclusion { points } => vec![(points, OF)],
        Pattern::Reachable { point } => vec![(point, OF)],
    }
}

/// What a position of a pattern is called in the contract.
pub fn name(pattern: &Pattern, role: Roles) -> &'static str {
    match (role, pattern) {
        (AFTER, _) => "after",
        (UNTIL, _) => "until",
        (FIRST, _) => "first",
        (THEN, _) => "then",
        (RESET, _) => "reset",
        (MUST, _) => "must",
        (_, Pattern::Exclusion { .. }) => "points",
        (_, Pattern::Reachable { .. }) => "point",
        _ => "of",
    }
}

/// What was probably meant: the point without its prefix, another name of the kind, or the name
/// under another kind.
fn meant(model: &Model, point: &Point) -> Option<Point> {
    let of = |kind, name: &str| Point {
        space: None,
        kind,
        name: name.to_owned(),
    };
    let known = |kind| PointRow::of(model, &of(kind, &point.name)).is_some();
    if known(point.kind) {
        return Some(of(point.kind, &point.name));
    }
    let near = match point.kind {
        PointKind::State => nearest(&point.name, model.states.iter().map(|row| &*row.name)),
        PointKind::Event => nearest(&point.name, model.events.iter().map(|row| &*row.name)),
        PointKind::Effect => nearest(&point.name, model.effects.iter().map(|row| &*row.name)),
        PointKind::Semantics => nearest(&point.name, Semantics::ALL.map(Semantics::name)),
    };
    near.map(|name| of(point.kind, name)).or_else(|| {
        [
            PointKind::State,
            PointKind::Event,
            PointKind::Effect,
            PointKind::Semantics,
        ]
        .into_iter()
        .find(|kind| known(*kind))
        .map(|kind| of(kind, &point.name))
    })
}
