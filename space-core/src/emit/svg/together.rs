//! Several machines in one picture: a panel each, and what they have to do with each other in the
//! gaps between them.
//!
//! An arrow from one machine to another leaves its panel at the bottom and comes in at the top, as part
//! of the layout there, and between panels has a track of its own: so it meets no text.

use std::fmt::Write as _;

use super::MOST_STATES;
use super::layers::Side;
use super::legend::Legend;
use super::markup::{N, escaped};
use super::paint::{self, BRIDGE, INK, NARROW, TAKEN};
use super::panel::{End, Panel, Port, title};
use super::text::{Line, Look, Span};
use crate::emit::chart::{Cable, ComposedDrawing, Enters, shared, word};
use crate::emit::picture::View;
use crate::graph::PointRow;

/// Between a panel and what is beside it.
const GAP: f64 = 14.0;
/// Between two tracks.
const TRACK: f64 = 9.0;
/// Room for a panel's title.
const TITLE: f64 = 26.0;
/// Panels without arrows between them stand in rows no wider than this.
const ROW: f64 = 1400.0;

impl ComposedDrawing<'_> {
    /// An SVG of its own size. `None` when there is too much to look at, as for
    /// [`super::super::Drawing::svg`]; the states of all components count.
    pub fn svg(&self) -> Option<String> {
        let components = &self.composed.components;
        let states: usize = components.iter().map(|one| one.model.states.len()).sum();
        if states > MOST_STATES {
            return None;
        }
        let views = self.views();
        let cables = self.cables();
        let ports: Vec<Vec<(usize, Port)>> = (0..views.len())
            .map(|at| ports(&views[at], at, &cables))
            .collect();
        let (numbers, ports): (Vec<Vec<usize>>, Vec<Vec<Port>>) = ports
            .into_iter()
            .map(|ports| ports.into_iter().unzip())
            .unzip();
        let panels = views.iter().zip(&ports);
        let panels: Option<Vec<_>> = panels
            .map(|(view, ports)| Panel::new(view, ports))
            .collect();
        let sheet = Sheet::new(self, panels?, numbers, &cables);
        Some(sheet.paint(self))
    }
}

/// Where a component is met by what goes to it and what comes from it, each with its cable's number.
fn ports(view: &View<'_>, at: usize, cables: &[Cable]) -> Vec<(usize, Port)> {
    let mut ports = Vec::new();
    for (number, cable) in cables.iter().enumerate() {
        let taken = !cable.steps.is_empty();
        let look = if taken { Look::Taken } else { Look::Bridge };
        let line = |text: String| Line {
            spans: vec![Span { text, look }],
        };
        if cable.from == at {
            let states: Vec<usize> = (cable.points.iter())
                .filter_map(|point| match point {
                    PointRow::State(state) => Some(*state),
                    _ => None,
                })
                .collect();
            let words = cable
                .points
                .iter()
                .filter_map(|point| word(view.model, *point));
            let mut label: Vec<Line> = words.map(line).collect();
            label.extend(cable.limit.clone().map(line));
            if cable.enters == Enters::Whole {
                label.push(line(cable.text()));
            }
            let end = match states.as_slice() {
                [] => End::Nothing,
                _ => End::States(states),
            };
            ports.push((number, Port::new(Side::Bottom, end, label, taken)));
        }
        let end = match cable.enters {
            Enters::Event(event) => End::Event(event),
            Enters::State(state) => End::States(vec![state]),
            Enters::Whole => continue,
        };
        if cable.to == at {
            let label = vec![line(cable.text())];
            ports.push((number, Port::new(Side::Top, end, label, taken)));
        }
    }
    ports
}

/// Everything with its place.
struct Sheet<'a> {
    panels: Vec<Panel<'a>>,
    /// The cable of each port of each panel.
    numbers: Vec<Vec<usize>>,
    cables: &'a [Cable],
    /// The upper left corner of each panel's frame, and its size.
    frames: Vec<(f64, f64, f64, f64)>,
    wide: f64,
    high: f64,
}

impl<'a> Sheet<'a> {
    fn new(
        drawing: &ComposedDrawing<'_>,
        panels: Vec<Panel<'a>>,
        numbers: Vec<Vec<usize>>,
        cables: &'a [Cable],
    ) -> Self {
        let tracks = |count: usize| float(count) * TRACK;
        let top = GAP + tracks(cables.len());
        let mut frames = Vec::new();
        let (mut x, mut y, mut high, mut wide) = (0.0f64, top, 0.0f64, 0.0f64);
        for (at, (panel, one)) in panels.iter().zip(&drawing.composed.components).enumerate() {
            x += GAP + tracks(cables.iter().filter(|one| gutter(one) == at).count());
            let size = (
                panel.places.width.max(title(&one.name) + 36.0),
                panel.places.height + TITLE,
            );
            if cables.is_empty() && frames.len() > 1 && x + size.0 > ROW {
                (x, y, high) = (GAP, y + high + GAP, 0.0);
            }
            frames.push((x, y, size.0, size.1));
            x += size.0;
            high = high.max(size.1);
            wide = wide.max(x);
        }
        let last = cables.iter().filter(|one| gutter(one) == panels.len());
        wide += GAP + tracks(last.count());
        Self {
            panels,
            numbers,
            cables,
            frames,
            wide: wide.max(NARROW),
            high: y + high + GAP + tracks(cables.len()),
        }
    }

    fn paint(&self, drawing: &ComposedDrawing<'_>) -> String {
        let composed = drawing.composed;
        let mut legend = Legend::new(self.wide);
        for row in &composed.syncs {
            legend = legend.shared(&row.name, &shared(composed, row));
        }
        let legend = legend.promises(drawing.invariants.iter().copied());
        let name = format!("The composition {}", composed.name);
        let mut out = paint::frame(&name, self.wide, self.high + legend.height());
        for (x, y, wide, high) in &self.frames {
            let _ = writeln!(
                out,
                "<path d=\"M{0} {1}h{2}v{3}h-{2}Z\" fill=\"#ffffff\" stroke=\"#d0d7de\" stroke-width=\"1.5\"/>",
                N(*x),
                N(*y),
                N(*wide),
                N(*high)
            );
        }
        for number in 0..self.cables.len() {
            self.cable(number, &mut out);
        }
        for ((panel, (x, y, wide, _)), one) in self
            .panels
            .iter()
            .zip(&self.frames)
            .zip(&composed.components)
        {
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"18\" fill=\"#ffffff\"/>\n<text x=\"{}\" y=\"{}\" font-size=\"13\" font-weight=\"bold\" fill=\"{INK}\">{}</text>",
                N(x + 8.0),
                N(y + 6.0),
                N(title(&one.name) + 8.0),
                N(x + 12.0),
                N(y + 19.0),
                escaped(&one.name)
            );
            let aside = (wide - panel.places.width) / 2.0;
            paint::paint(panel, (x + aside, y + TITLE), &mut out);
        }
        legend.paint(&mut out, self.high);
        out.push_str("</svg>\n");
        out
    }

    /// A port of a cable, in the sheet.
    fn port(&self, component: usize, number: usize, side: Side) -> Option<(f64, f64)> {
        let panel = &self.panels[component];
        let mut ports = self.numbers[component].iter().zip(panel.ports).enumerate();
        let found = ports.find(|(_, (cable, port))| **cable == number && port.side == side);
        let (x, y) = panel.port(found?.0);
        let (left, top, wide, _) = self.frames[component];
        Some((
            left + (wide - panel.places.width) / 2.0 + x,
            top + TITLE + y,
        ))
    }

    /// From the bottom of one panel through the gaps to the top of another.
    fn cable(&self, number: usize, out: &mut String) {
        let cable = &self.cables[number];
        let Some(from) = self.port(cable.from, number, Side::Bottom) else {
            return;
        };
        let (left, top, wide, _) = self.frames[cable.to];
        let whole = self.cables[..number]
            .iter()
            .filter(|one| one.to == cable.to && one.enters == Enters::Whole)
            .count();
        let arrives = self.port(cable.to, number, Side::Top);
        let to = arrives.unwrap_or((left + wide - 24.0 - 16.0 * float(whole), top - 8.0));
        let track = float(number) * TRACK;
        let lowest = self.frames.iter().map(|frame| frame.1 + frame.3);
        let low = lowest.fold(0.0, f64::max) + GAP / 2.0 + track;
        let high = GAP / 2.0 + track;
        let gutter = gutter(cable);
        let before = self.cables[..number].iter();
        let before = before.filter(|one| self::gutter(one) == gutter).count();
        let edge = match self.frames.get(gutter) {
            Some(frame) => frame.0,
            None => self.frames.last().map_or(0.0, |frame| frame.0 + frame.2) + GAP + TRACK,
        };
        let across = edge - GAP / 2.0 - float(before) * TRACK;
        let path = rounded(&[
            from,
            (from.0, low),
            (across, low),
            (across, high),
            (to.0, high),
            to,
        ]);
        let taken = !cable.steps.is_empty();
        paint::line(out, &path, (taken, true));
        if arrives.is_none() {
            let color = if taken { TAKEN } else { BRIDGE };
            paint::head(out, (to.0, top), (0.0, -1.0), color);
        }
    }
}

/// The gap that a cable goes up in: the one to the left of a panel of this number.
fn gutter(cable: &Cable) -> usize {
    if cable.from < cable.to {
        cable.to
    } else {
        cable.to + 1
    }
}

/// Straight lines with round corners.
fn rounded(points: &[(f64, f64)]) -> String {
    const ROUND: f64 = 5.0;
    let mut path = format!("M{} {}", N(points[0].0), N(points[0].1));
    for three in points.windows(3) {
        let [before, corner, after] = [three[0], three[1], three[2]];
        let toward = |other: (f64, f64)| {
            let (dx, dy) = (other.0 - corner.0, other.1 - corner.1);
            let far = dx.hypot(dy).max(0.1);
            let by = ROUND.min(far / 2.0) / far;
            (corner.0 + dx * by, corner.1 + dy * by)
        };
        let (start, end) = (toward(before), toward(after));
        let _ = write!(
            path,
            "L{} {}Q{} {} {} {}",
            N(start.0),
            N(start.1),
            N(corner.0),
            N(corner.1),
            N(end.0),
            N(end.1)
        );
    }
    let last = points[points.len() - 1];
    let _ = write!(path, "L{} {}", N(last.0), N(last.1));
    path
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
