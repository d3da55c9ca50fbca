//! `agent space graph`: a space or a composition as a picture.

use space_core::contract::{Domain, Point};
use space_core::emit::{ComposedDrawing, Drawing, MOST_STATES};
use space_core::explore::{Judge, Verdict};
use space_core::graph::{Composed, Model};
use space_core::parse::folder::Folder;

use super::super::args::{GraphArgs, GraphFormat, Highlight};
use super::super::{Plain, eprint, print};
use super::named::{Named, named};
use super::read;
use super::trace::{composed_run_to, point, run_to};

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
    let found = if let Some(to) = to {
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
        return Ok((drawn(args, &model.name, Picture::Space(drawing))?, 0));
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
    Ok((drawn(args, &model.name, Picture::Space(drawing))?, status))
}

fn composition(
    args: &GraphArgs,
    to: Option<&Point>,
    composed: &Composed,
    folder: &Folder,
) -> Result<(String, u8), Plain> {
    let (path, status) = match to {
        Some(to) => composed_run_to(composed, to, args.memory)?,
        None => (Vec::new(), 0),
    };
    if let (Some(to), true) = (to, status == 1) {
        eprint(&nothing_leads(to, &composed.name));
    }
    let drawing = ComposedDrawing::of(composed)
        .promises(&folder.compositions)
        .path(&path);
    Ok((
        drawn(args, &composed.name, Picture::Composition(drawing))?,
        status,
    ))
}

enum Picture<'a> {
    Space(Drawing<'a>),
    Composition(ComposedDrawing<'a>),
}

fn drawn(args: &GraphArgs, name: &str, picture: Picture<'_>) -> Result<String, Plain> {
    let svg = match (args.format, &picture) {
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
