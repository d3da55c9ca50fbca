//! From invariants to diagnostics.

use super::idle::{Idle, idle};
use super::observer::{Labels, Roles, name, positions};
use super::verdict::{Counterexample, Judge, Vacuity, Verdict};
use crate::contract::{Domain, Invariant, Pattern, Points, Span};
use crate::diagnostic::{Code, Diagnostic, Trace, TraceLine};
use crate::graph::{Model, PointRow};

/// Judges every invariant of a contract: S0601 to S0606, in the order of the file.
///
/// Each violated invariant comes with its own counterexample. Linear in the model for each.
pub fn check(model: &Model, domain: &Domain) -> Vec<Diagnostic> {
    check_with(model, domain, &[])
}

/// The same for a space that compositions feed loopbacks to: trigger states and events.
pub fn check_with(model: &Model, domain: &Domain, loopbacks: &[(usize, usize)]) -> Vec<Diagnostic> {
    if domain.invariants.is_empty() {
        return Vec::new();
    }
    let judge = Judge::new(model, loopbacks);
    let report = |invariant: &Invariant| {
        let pattern = &invariant.pattern.value;
        let verdict = judge.verdict(pattern);
        let certain = matches!(verdict, Verdict::Vacuous(why) if why.is_certain());
        let mut found = tell(invariant, verdict, model);
        if !certain && let Ok(labels) = Labels::resolve(model, pattern) {
            let points = positions(pattern)
                .into_iter()
                .flat_map(|(points, _)| points);
            let rows: Vec<_> = points.map(|point| PointRow::of(model, point)).collect();
            let letters = |at: usize| rows[at].map(|row| labels.letters(model, row));
            found.extend(tell_idle(invariant, |at| letters(at).unwrap_or_default()));
        }
        found
    };
    domain.invariants.iter().flat_map(report).collect()
}

/// Who knows what a run is in words.
pub trait Teller {
    /// The state that a run leads to.
    fn place(&self, run: &[usize]) -> String;

    /// The lines of a counterexample: the initial state, then its steps.
    fn trace(&self, found: &Counterexample) -> Trace;
}

impl Teller for Model {
    fn place(&self, run: &[usize]) -> String {
        let last = run.last().map_or(self.initial, |rule| self.rules[*rule].to);
        self.states[last].name.clone()
    }

    fn trace(&self, found: &Counterexample) -> Trace {
        trace(self, found)
    }
}

/// What a verdict says of an invariant: nothing when it holds.
pub fn tell(invariant: &Invariant, verdict: Verdict, teller: &impl Teller) -> Vec<Diagnostic> {
    let name = &invariant.name.value;
    let span = invariant.pattern.span;
    let pattern = &invariant.pattern.value;
    match verdict {
        Verdict::Holds => Vec::new(),
        Verdict::Vacuous(why) if why.is_certain() => vec![
            Diagnostic::new(
                Code::CERTAIN,
                settled(pattern, why).unwrap_or(span),
                format!("`{name}` cannot be broken: {}", vacuity(pattern, why)),
            )
            .label("no rules could break this"),
        ],
        Verdict::Vacuous(why) => vec![
            Diagnostic::new(
                Code::VACUOUS,
                span,
                format!("`{name}` says nothing: {}", vacuity(pattern, why)),
            )
            .label("nothing can break this"),
        ],
        Verdict::Violated(found) => vec![
            Diagnostic::new(
                Code::VIOLATED,
                span,
                format!(
                    "`{name}` does not hold: {}",
                    broken(teller, pattern, &found)
                ),
            )
            .label("broken by the run below")
            .trace(teller.trace(&found)),
        ],
        Verdict::Unknown(points) => points
            .into_iter()
            .map(|unknown| {
                let point = &unknown.point;
                let one = Diagnostic::new(
                    Code::UNKNOWN_POINT,
                    point.span,
                    format!("`{name}` names `{}`, which is not declared", point.value),
                );
                match unknown.meant {
                    Some(meant) => one
                        .help(format!("did you mean `{meant}`?"))
                        .edit(point.span, format!("\"{meant}\"")),
                    None if point.space.is_some() => {
                        one.help("only the invariants of a composition name a space")
                    }
                    None => one,
                }
            })
            .collect(),
        Verdict::Misplaced => vec![
            Diagnostic::new(
                Code::EXCLUSION,
                span,
                format!("`{name}` is an exclusion, and one machine is in one state at a time"),
            )
            .help("move it to an `[[invariants]]` of composition.toml, or state it as an absence"),
        ],
    }
}

/// What is said of points that change nothing, given the letters that each stands for, by number.
pub fn tell_idle(invariant: &Invariant, letters: impl Fn(usize) -> Vec<Roles>) -> Vec<Diagnostic> {
    let found = idle(&invariant.pattern, letters);
    let one = |idle: Idle<'_>| {
        let Idle {
            point,
            position,
            other,
        } = idle;
        let why = match (position, other) {
            (_, None) => format!("it is in `{position}` twice"),
            ("of", Some(other)) => {
                format!("it is in `{other}` too, which closes the scope before `of` is judged")
            }
            ("until", Some(other)) => {
                format!("it is in `{other}` too, which opens the scope again at once")
            }
            ("reset", Some(other)) => {
                format!("it is in `{other}` too, which remembers at once what this forgets")
            }
            (_, Some(other)) => format!("it is in `{other}` too, which satisfies it at once"),
        };
        let message = format!(
            "`{}` in `{position}` of `{}` changes nothing: {why}",
            point.value, invariant.name.value
        );
        Diagnostic::new(Code::IDLE_POINT, point.span, message)
            .help("leave it out, or name the point that was meant")
    };
    found.into_iter().map(one).collect()
}

/// The first point of the position that settles a promise.
fn settled(pattern: &Pattern, why: Vacuity) -> Option<Span> {
    let (Vacuity::Contained(position, _) | Vacuity::FromTheStart(position)) = why else {
        return None;
    };
    let all = positions(pattern).into_iter();
    let mut all = all.filter(|(_, role)| name(pattern, *role) == position);
    let (points, _) = all.next()?;
    points.first().map(|point| point.span)
}

/// `a`, or `a or b`.
fn any(points: &Points) -> String {
    quoted(points).join(" or ")
}

/// `a, b`.
fn all(points: &Points) -> String {
    quoted(points).join(", ")
}

fn quoted(points: &Points) -> Vec<String> {
    let points = points.iter();
    points.map(|point| format!("`{}`", point.value)).collect()
}

fn broken(teller: &impl Teller, pattern: &Pattern, found: &Counterexample) -> String {
    match pattern {
        Pattern::Absence { of, after, until } => {
            let scope = |word: &str, points: &Points| match points.as_slice() {
                [] => String::new(),
                _ => format!(" {word} {}", any(points)),
            };
            let before = if after.is_empty() {
                "before"
            } else {
                "and before"
            };
            let (after, until) = (scope("after", after), scope(before, until));
            format!("{} can occur{after}{until}", any(of))
        }
        Pattern::Existence { of } => format!("a run can complete without {}", any(of)),
        Pattern::Precedence { first, then, reset } if reset.is_empty() => {
            format!("{} can occur without {} before it", any(then), any(first))
        }
        Pattern::Precedence { first, then, reset } => format!(
            "{} can occur with no {} since the start or the last {}",
            any(then),
            any(first),
            any(reset)
        ),
        Pattern::Response { after, must } => {
            format!(
                "after {} a run can complete without {}",
                any(after),
                any(must)
            )
        }
        Pattern::BoundedExistence { of, at_most } => match found.repeats {
            Some(_) => format!("{} can occur any number of times", any(of)),
            None if at_most.value == 1 => format!("{} can occur more than once", any(of)),
            None => format!("{} can occur more than {} times", any(of), at_most.value),
        },
        Pattern::Reachable { point } => {
            let place = teller.place(&found.run);
            format!("from `{place}` no run leads to {}", any(point))
        }
        Pattern::Exclusion { points } => {
            let place = teller.place(&found.run);
            format!("two of {} can be true at once, in {place}", all(points))
        }
    }
}

fn vacuity(pattern: &Pattern, why: Vacuity) -> String {
    let points = |position| {
        let points = match (pattern, position) {
            (Pattern::Precedence { then, .. }, _) => then,
            (Pattern::Absence { after, .. } | Pattern::Response { after, .. }, "after") => after,
            (Pattern::Absence { of, .. } | Pattern::BoundedExistence { of, .. }, _) => of,
            _ => return String::new(),
        };
        any(points)
    };
    match why {
        Vacuity::NeverOccurs(position) => {
            format!("no run passes {} (`{position}`)", points(position))
        }
        Vacuity::Contained(position, other) => {
            format!("all of `{position}` is in `{other}` too, which satisfies it at once")
        }
        Vacuity::FromTheStart("until") => {
            "every run starts at a point of `until`, which closes the scope for good".to_owned()
        }
        Vacuity::FromTheStart("first") => {
            "every run starts at a point of `first`, and nothing resets it".to_owned()
        }
        Vacuity::FromTheStart(position) => {
            format!("every run starts at a point of `{position}`")
        }
        Vacuity::OneSpace => {
            "no two of its points can be true at once, whatever the spaces do".to_owned()
        }
        Vacuity::EndsThere("after") => {
            format!("nothing follows {} (`after`)", points("after"))
        }
        Vacuity::EndsThere(position) => {
            format!("a run ends at {}, and so passes it once", points(position))
        }
        Vacuity::NoCompleteRun => "no run ever completes".to_owned(),
        Vacuity::NoRun => "the initial state is terminal".to_owned(),
        Vacuity::Alone => "fewer than two of its points are ever true".to_owned(),
    }
}

/// The lines of a counterexample: the initial state, then one a step.
pub fn trace(model: &Model, found: &Counterexample) -> Trace {
    let first = TraceLine {
        state: model.states[model.initial].name.clone(),
        ..TraceLine::default()
    };
    let step = |rule: &usize| {
        let rule = &model.rules[*rule];
        TraceLine {
            event: Some(model.events[rule.on].name.clone()),
            state: model.states[rule.to].name.clone(),
            effect: rule.effect.map(|effect| model.effects[effect].name.clone()),
            span: Some(rule.span),
            ..TraceLine::default()
        }
    };
    Trace {
        lines: std::iter::once(first)
            .chain(found.run.iter().map(step))
            .collect(),
        shortest: found.shortest,
        repeats: found.repeats.map(|step| step + 1),
    }
}
