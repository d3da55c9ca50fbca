//! `agent space graph`: a space as a picture.

use space_core::contract::Point;
use space_core::emit::{Drawing, MOST_STATES};
use space_core::explore::{Judge, Verdict};

use super::super::args::{GraphArgs, GraphFormat, Highlight};
use super::super::{Plain, eprint, print};
use super::named::{Named, named};
use super::read;
use super::trace::{point, run_to};

/// Draws a space; 1 when there is no run that could be highlighted.
pub(super) fn graph(args: &GraphArgs) -> Result<u8, Plain> {
    let folder = read(&args.dir)?;
    let subject = named(&folder, &args.name)?;
    let (model, domain, loopbacks) = match &subject {
        Named::Space {
            model,
            domain,
            loopbacks,
        } => (model, *domain, loopbacks),
        Named::Composition(composed) => {
            let spaces = composed.components.iter().map(|one| one.name.as_str());
            let spaces = spaces.collect::<Vec<_>>().join(", ");
            return Err(format!(
                "`{}` is a composition: draw one of its spaces, {spaces}",
                composed.name
            )
            .into());
        }
    };
    let mut status = 0;
    let run =
        if let Some(to) = &args.trace_to {
            let to: Point = point(to, &subject)?;
            let run = run_to(model, loopbacks, &to);
            if run.is_none() {
                eprint(&format!(
                    "agent: {to}: no run of `{}` leads there",
                    model.name
                ));
                status = 1;
            }
            run
        } else if matches!(args.highlight, Some(Highlight::Counterexample)) {
            let judge = Judge::new(model, loopbacks);
            let mut broken = domain.invariants.iter().filter_map(|one| {
                match judge.verdict(&one.pattern.value) {
                    Verdict::Violated(run) => Some((one, run)),
                    _ => None,
                }
            });
            let found = broken.next();
            if let Some((one, _)) = &found {
                eprint(&format!("the run breaks `{}`", one.name.value));
            } else {
                eprint(&format!("agent: no promise of `{}` is broken", model.name));
                status = 1;
            }
            found.map(|(_, run)| run)
        } else {
            None
        };
    let path = run.map(|run| run.run).unwrap_or_default();
    let drawing = Drawing::of(model)
        .invariants(&domain.invariants)
        .path(&path);
    let text = match args.format {
        GraphFormat::Mermaid => drawing.mermaid(),
        GraphFormat::Dot => drawing.dot(),
        GraphFormat::Svg => drawing.svg().ok_or_else(|| {
            format!(
                "`{}` is too large for a picture that somebody reads (at most {MOST_STATES} states): \
                 `--format dot` is for Graphviz",
                model.name
            )
        })?,
    };
    print(text.trim_end());
    Ok(status)
}
