//! `agent space graph`: a space or a composition as a picture.

use std::sync::Arc;

use space_core::contract::{Domain, Point};
use space_core::emit::{ComposedDrawing, Drawing, Hop, MOST_STATES};
use space_core::explore::{Cause, ComposedNet, JointJudge, Judge, Judged, Verdict};
use space_core::graph::{BridgeRow, Composed, Model};
use space_core::parse::folder::Folder;

use super::super::args::{GraphArgs, GraphFormat, Highlight};
use super::super::{Plain, eprint, print};
use super::named::{Named, named};
use super::read;
use super::trace::{Reached, composed_reach, point, run_to};

/// Draws a space or a composition; 1 when there is no run that could be highlighted, 3 when memory did
/// not suffice to tell.
pub(super) fn graph(args: &GraphArgs) -> Result<u8, Plain> {
    let folder = read(&args.dir)?;
    let subject = named(&folder, &args.name)?;
    let to = args.trace_to.as_deref();
    let to = to.map(|to| point(to, &subject)).transpose()?;
    let (text, status) = match &subject {
        Named::Space {
            model,
            domain,
            loopbacks,
        } => space(args, to.as_ref(), model, domain, loopbacks)?,
        Named::Composition(composed) => composition(args, to.as_ref(), composed, &folder)?,
    };
    print(text.trim_end());
    Ok(status)
}

fn space(
    args: &GraphArgs,
    to: Option<&Point>,
    model: &Model,
    domain: &Domain,
    loopbacks: &[(usize, usize)],
) -> Result<(String, u8), Plain> {
    let found =
        if let Some(to) = to {
            run_to(model, loopbacks, to).ok_or_else(|| nothing_leads(to, &model.name))
        } else if matches!(args.highlight, Some(Highlight::Counterexample)) {
            let judge = Judge::new(model, loopbacks);
            let mut broken = domain.invariants.iter().filter_map(|one| {
                match judge.verdict(&one.pattern.value) {
                    Verdict::Violated(run) => Some((one, run)),
                    _ => None,
                }
            });
            let found = broken.next();
            found
                .map(|(one, run)| {
                    eprint(&breaks(&one.name.value));
                    run
                })
                .ok_or_else(|| nothing_broken(&model.name))
        } else {
            let drawing = Drawing::of(model).invariants(&domain.invariants);
            return Ok((drawn(args, &model.name, &Picture::Space(drawing))?, 0));
        };
    let (path, status) = match found {
        Ok(run) => (run.run, 0),
        Err(why) => {
            eprint(&why);
            (Vec::new(), 1)
        }
    };
    let drawing = Drawing::of(model)
        .invariants(&domain.invariants)
        .path(&path);
    Ok((drawn(args, &model.name, &Picture::Space(drawing))?, status))
}

fn composition(
    args: &GraphArgs,
    to: Option<&Point>,
    composed: &Composed,
    folder: &Folder,
) -> Result<(String, u8), Plain> {
    let (path, status) = match to {
        Some(to) => match composed_reach(composed, to, args.memory, hops(composed))? {
            Reached::Run(path) => (path, 0),
            Reached::Never => {
                eprint(&nothing_leads(to, &composed.name));
                (Vec::new(), 1)
            }
            Reached::Bound(bound) => {
                eprint(&format!("agent: {to}: {bound}; `--memory` gives it more"));
                (Vec::new(), 3)
            }
        },
        None if args.highlight.is_some() => match broken(composed, folder) {
            Some(path) => (path, 0),
            None => (Vec::new(), 1),
        },
        None => (Vec::new(), 0),
    };
    let drawing = ComposedDrawing::of(composed)
        .promises(&folder.compositions)
        .path(&path);
    Ok((
        drawn(args, &composed.name, &Picture::Composition(drawing))?,
        status,
    ))
}

/// The run that breaks the first broken promise of a composition.
fn broken(composed: &Composed, folder: &Folder) -> Option<Vec<Hop>> {
    let mut judge = JointJudge::new(Arc::new(composed.clone()));
    let rows = folder.compositions.invariants.iter();
    for row in rows.filter(|row| row.composition.value == composed.name) {
        let judged = judge.judge_named(&row.invariant.pattern);
        if let Some(Judged::Known(Verdict::Violated(found), joint)) = judged {
            eprint(&breaks(&row.invariant.name.value));
            let steps = found.run.iter().map(|step| joint.step_of(*step));
            let hops = steps.map(|step| hop(composed, joint.composed(), &step.moved, step.fed));
            return Some(hops.collect());
        }
    }
    eprint(&nothing_broken(&composed.name));
    None
}

/// A run of a net as steps of a composition.
fn hops(composed: &Composed) -> impl Fn(&ComposedNet<'_>, &[Vec<usize>], bool) -> Vec<Hop> {
    |net, run, _| {
        let steps = run
            .windows(2)
            .filter_map(|pair| net.step(&pair[0], &pair[1]));
        let hops = steps.map(|step| {
            let bridge = match step.cause {
                Cause::Fed { bridge } | Cause::Refused { bridge } => Some(bridge),
                Cause::Own { .. } | Cause::Shared { .. } => None,
            };
            hop(composed, net.composed(), &step.moved, bridge)
        });
        hops.collect()
    }
}

/// A step of a part of a composition, as one of the whole.
fn hop(whole: &Composed, part: &Composed, moved: &[(usize, usize)], bridge: Option<usize>) -> Hop {
    let component = |at: usize| whole.component(&part.components[at].name);
    let moved = moved
        .iter()
        .filter_map(|(at, rule)| Some((component(*at)?, *rule)));
    let bridge = bridge.and_then(|at| {
        let row = &part.bridges[at];
        let ends = (component(row.from), component(row.to));
        let same = |one: &BridgeRow| {
            (one.span, one.event) == (row.span, row.event) && (Some(one.from), Some(one.to)) == ends
        };
        whole.bridges.iter().position(same)
    });
    Hop {
        moved: moved.collect(),
        bridge,
    }
}

enum Picture<'a> {
    Space(Drawing<'a>),
    Composition(ComposedDrawing<'a>),
}

fn drawn(args: &GraphArgs, name: &str, picture: &Picture<'_>) -> Result<String, Plain> {
    let svg = match (args.format, picture) {
        (GraphFormat::Mermaid, Picture::Space(one)) => return Ok(one.mermaid()),
        (GraphFormat::Mermaid, Picture::Composition(one)) => return Ok(one.mermaid()),
        (GraphFormat::Dot, Picture::Space(one)) => return Ok(one.dot()),
        (GraphFormat::Dot, Picture::Composition(one)) => return Ok(one.dot()),
        (GraphFormat::Svg, Picture::Space(one)) => one.svg(),
        (GraphFormat::Svg, Picture::Composition(one)) => one.svg(),
    };
    let too_large = || {
        format!(
            "`{name}` is too large for a picture that somebody reads (at most {MOST_STATES} states): \
             `--format dot` is for Graphviz"
        )
    };
    Ok(svg.ok_or_else(too_large)?)
}

fn nothing_leads(to: &Point, name: &str) -> String {
    format!("agent: {to}: no run of `{name}` leads there")
}

fn nothing_broken(name: &str) -> String {
    format!("agent: no promise of `{name}` is broken")
}

fn breaks(promise: &str) -> String {
    format!("the run breaks `{promise}`")
}
