//! Points of a run that invariants speak of.

use std::fmt;

/// What a point names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PointKind {
    /// `state:X`: the machine is in `X`.
    State,
    /// `event:X`: `X` was handled.
    Event,
    /// `effect:X`: `X` was asked for.
    Effect,
    /// `semantics:x`: an effect of these semantics was asked for.
    Semantics,
}

impl PointKind {
    const ALL: [Self; 4] = [Self::State, Self::Event, Self::Effect, Self::Semantics];

    /// The word before the colon.
    pub const fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Event => "event",
            Self::Effect => "effect",
            Self::Semantics => "semantics",
        }
    }
}

/// A point: `state:X`, `event:X`, `effect:X`, `semantics:x`, in compositions `space.state:X`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// The component of a composition.
    pub space: Option<String>,
    /// What is named.
    pub kind: PointKind,
    /// The name.
    pub name: String,
}

impl Point {
    /// Reads the notation of the contract.
    pub fn parse(text: &str) -> Option<Self> {
        let (place, name) = text.split_once(':')?;
        let (space, kind) = match place.split_once('.') {
            Some((space, kind)) if !space.is_empty() => (Some(space.to_owned()), kind),
            Some(_) => return None,
            None => (None, place),
        };
        let kind = PointKind::ALL.into_iter().find(|one| one.name() == kind)?;
        (!name.is_empty()).then(|| Self {
            space,
            kind,
            name: name.to_owned(),
        })
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(space) = &self.space {
            write!(f, "{space}.")?;
        }
        write!(f, "{}:{}", self.kind.name(), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_read_what_they_print() {
        for text in [
            "state:X",
            "event:Done",
            "reasoning.effect:Think",
            "semantics:commit",
        ] {
            assert_eq!(
                Point::parse(text).map(|p| p.to_string()).as_deref(),
                Some(text)
            );
        }
        for text in ["", "X", "state:", "stat:X", ".state:X", "a.b.state:X"] {
            assert_eq!(Point::parse(text), None, "{text}");
        }
    }
}
