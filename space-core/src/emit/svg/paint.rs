//! The picture as text.

use std::fmt::Write as _;

use super::layers::{Chain, Side};
use super::legend::Legend;
use super::markup::{N, curve, escaped};
use super::panel::{End, Panel};
use super::place::isotonic;
use super::text::{LINE, Line, Look, SIZE};
use super::{BOX, LOOP, half};
use crate::contract::Semantics;
use crate::emit::picture::{Drawing, Node};

const FONT: &str = "Helvetica, Arial, Liberation Sans, sans-serif";
pub(super) const INK: &str = "#24292f";
pub(super) const GREY: &str = "#57606a";
pub(super) const TAKEN: &str = "#bc4c00";
/// From one machine to another.
pub(super) const BRIDGE: &str = "#6639ba";
/// Taken by several machines at once.
pub(super) const SHARED: &str = "#116329";

/// The narrowest picture.
pub(super) const NARROW: f64 = 360.0;

/// One machine, and its promises below.
pub(super) fn alone(drawing: &Drawing<'_>, panel: &Panel<'_>) -> String {
    let wide = panel.places.width.max(NARROW);
    let legend = Legend::new(wide).promises(drawing.invariants);
    let high = panel.places.height;
    let name = format!("The space {}", drawing.model.name);
    let mut out = frame(&name, wide, high + legend.height());
    paint(panel, ((wide - panel.places.width) / 2.0, 0.0), &mut out);
    legend.paint(&mut out, high);
    out.push_str("</svg>\n");
    out
}

/// The start of an SVG.
pub(super) fn frame(label: &str, wide: f64, high: f64) -> String {
    let (width, height) = (N(wide.ceil()), N(high.ceil()));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\" \
         font-family=\"{FONT}\" font-size=\"{SIZE}\" fill=\"{INK}\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#ffffff\"/>\n",
    )
}

/// Arrows first, then labels over them, then boxes; `corner` is the upper left one.
pub(super) fn paint(panel: &Panel<'_>, corner: (f64, f64), out: &mut String) {
    let mut painter = Painter { panel, corner, out };
    painter.arrows();
    painter.labels();
    painter.boxes();
}

/// Text in a row.
pub(super) fn text(out: &mut String, line: &Line, x: f64, y: f64, anchor: &str) {
    let mut spans = String::new();
    for span in &line.spans {
        let text = escaped(&span.text);
        let bold = |color: &str| format!(" font-weight=\"bold\" fill=\"{color}\"");
        let look = match span.look {
            Look::Guard => {
                spans.push_str(&text);
                continue;
            }
            Look::Event => " font-weight=\"bold\"".to_owned(),
            Look::Taken => bold(TAKEN),
            Look::Shared => bold(SHARED),
            Look::Bridge => bold(BRIDGE),
            Look::Effect(semantics) => format!(" fill=\"{}\"", tint(semantics)),
            Look::Semantics(semantics) => {
                format!(" fill=\"{}\" font-style=\"italic\"", tint(semantics))
            }
        };
        let _ = write!(spans, "<tspan{look}>{text}</tspan>");
    }
    let anchor = match anchor {
        "start" => String::new(),
        anchor => format!(" text-anchor=\"{anchor}\""),
    };
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\"{anchor} xml:space=\"preserve\">{spans}</text>",
        N(x),
        N(y)
    );
}

/// The head of an arrow whose tip is here, and whose line comes from there.
pub(super) fn head(out: &mut String, (x, y): (f64, f64), (dx, dy): (f64, f64), color: &str) {
    let back = (x + 9.0 * dx, y + 9.0 * dy);
    let (side_x, side_y) = (4.0 * dy, 4.0 * dx);
    let _ = writeln!(
        out,
        "<path d=\"M{} {}L{} {}L{} {}Z\" fill=\"{color}\"/>",
        N(x),
        N(y),
        N(back.0 + side_x),
        N(back.1 + side_y),
        N(back.0 - side_x),
        N(back.1 - side_y),
    );
}

/// A line in the look of what it stands for.
pub(super) fn line(out: &mut String, path: &str, (taken, bridge): (bool, bool)) {
    let (color, width) = match (taken, bridge) {
        (true, _) => (TAKEN, "2.4"),
        (false, true) => (BRIDGE, "1.4"),
        (false, false) => (GREY, "1.2"),
    };
    let dashes = if bridge {
        " stroke-dasharray=\"6 4\""
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"{dashes}/>"
    );
}

/// The colour of what is or is not part of the run that stands out.
fn color(taken: bool, otherwise: &str) -> &str {
    if taken { TAKEN } else { otherwise }
}

struct Painter<'a> {
    panel: &'a Panel<'a>,
    corner: (f64, f64),
    out: &'a mut String,
}

impl Painter<'_> {
    fn x(&self, item: usize) -> f64 {
        self.corner.0 + self.panel.places.x[item]
    }

    /// The height of what is drawn of an item, in the middle of its own.
    fn own(&self, item: usize) -> f64 {
        let item = self.panel.layers.items[item];
        if item.real { BOX } else { item.extent.height }
    }

    fn top(&self, item: usize) -> f64 {
        let height = self.panel.layers.items[item].extent.height;
        self.corner.1 + self.panel.places.y[item] + (height - self.own(item)) / 2.0
    }

    fn bottom(&self, item: usize) -> f64 {
        self.top(item) + self.own(item)
    }

    fn arrows(&mut self) {
        let edges = &self.panel.picture.edges;
        let ends = self.ends();
        for (chain, (first, last)) in self.panel.layers.chains.iter().zip(&ends) {
            if let Some(edge) = edges.get(chain.edge) {
                self.arrow(chain, *first, *last, edge.taken());
            } else {
                self.crossing(chain, *first, *last);
            }
        }
        for (at, edge) in edges.iter().enumerate() {
            if edge.from == Node::State(edge.to) {
                self.round(edge.to, &self.panel.labels[at], edge.taken());
            }
        }
    }

    /// Where each arrow touches its upper and its lower box: as straight as it can, apart from the
    /// others.
    fn ends(&self) -> Vec<(f64, f64)> {
        let chains = &self.panel.layers.chains;
        let mut ports = vec![(0.0, 0.0); chains.len()];
        for item in 0..self.panel.boxes() + self.panel.ports.len() {
            // What crosses the edge does so at one place.
            let half = if item < self.panel.boxes() {
                half(self.panel.name(item)) - 10.0
            } else {
                0.0
            };
            let middle = self.x(item);
            for below in [true, false] {
                let mut ends: Vec<(f64, usize)> = Vec::new();
                for (at, chain) in chains.iter().enumerate() {
                    let items = &chain.items;
                    let next = match below {
                        true if items[0] == item => items[1],
                        false if items[items.len() - 1] == item => items[items.len() - 2],
                        _ => continue,
                    };
                    ends.push((self.x(next), at));
                }
                ends.sort_by(|a, b| a.0.total_cmp(&b.0));
                let count = f64::from(u32::try_from(ends.len()).unwrap_or(u32::MAX));
                let apart = (2.0 * half / count.max(1.0)).min(16.0);
                let mut wanted = Vec::new();
                let mut offset = 0.0;
                for (x, _) in &ends {
                    wanted.push(x.clamp(middle - half, middle + half) - offset);
                    offset += apart;
                }
                let levels = isotonic(&wanted, &vec![1.0; wanted.len()]);
                let rest = (offset - apart).max(0.0);
                let mut offset = 0.0;
                for (level, (_, at)) in levels.into_iter().zip(&ends) {
                    let port = level.max(middle - half).min(middle + half - rest) + offset;
                    if below {
                        ports[*at].0 = port;
                    } else {
                        ports[*at].1 = port;
                    }
                    offset += apart;
                }
            }
        }
        ports
    }

    fn arrow(&mut self, chain: &Chain, first: f64, last: f64, taken: bool) {
        let ends = [chain.items[0], chain.items[chain.items.len() - 1]];
        let (top, bottom) = (self.bottom(ends[0]), self.top(ends[1]));
        // Room for the head.
        let room = 8.0;
        let (start, stop) = if chain.up {
            (top + room, bottom)
        } else {
            (top, bottom - room)
        };
        let path = self.through(chain, (first, start), (last, stop));
        line(self.out, &path, (taken, false));
        let color = color(taken, GREY);
        let (tip, away) = if chain.up {
            ((first, top), (0.0, 1.0))
        } else {
            ((last, bottom), (0.0, -1.0))
        };
        head(self.out, tip, away, color);
    }

    /// The part of an arrow from or to another machine that is in this one.
    fn crossing(&mut self, chain: &Chain, first: f64, last: f64) {
        let port = &self.panel.ports[chain.edge - self.panel.picture.edges.len()];
        let start = self.bottom(chain.items[0]);
        let end = self.top(chain.items[chain.items.len() - 1]);
        let arrives = port.side == Side::Top;
        let stop = if arrives { end - 8.0 } else { end };
        let path = self.through(chain, (first, start), (last, stop));
        line(self.out, &path, (port.taken, true));
        if arrives {
            let color = color(port.taken, BRIDGE);
            head(self.out, (last, end), (0.0, -1.0), color);
        }
    }

    /// The way of an arrow past everything that it passes.
    fn through(&self, chain: &Chain, from: (f64, f64), to: (f64, f64)) -> String {
        let (mut x, mut y) = from;
        let mut path = format!("M{} {}", N(x), N(y));
        for item in &chain.items[1..chain.items.len() - 1] {
            let (next, top, bottom) = (self.x(*item), self.top(*item), self.bottom(*item));
            curve(&mut path, (x, y), (next, top));
            if bottom > top {
                let _ = write!(path, "V{}", N(bottom));
            }
            (x, y) = (next, bottom);
        }
        curve(&mut path, (x, y), to);
        path
    }

    /// A loop on one state, to its right, its label beside it.
    fn round(&mut self, state: usize, lines: &[Line], taken: bool) {
        let x = self.x(state) + half(self.panel.name(state));
        let y = self.top(state) + BOX / 2.0;
        let out = x + LOOP - 4.0;
        let path = format!(
            "M{0} {1}C{2} {3} {2} {4} {5} {6}",
            N(x),
            N(y - 8.0),
            N(out),
            N(y - 18.0),
            N(y + 18.0),
            N(x + 7.0),
            N(y + 8.0 + 1.5),
        );
        line(self.out, &path, (taken, false));
        head(self.out, (x, y + 8.0), (0.95, 0.2), color(taken, GREY));
        let (_, high) = super::text::size(lines);
        let mut line_y = y - high / 2.0 + 2.0;
        for line in lines {
            line_y += LINE;
            text(self.out, line, x + LOOP, line_y - 3.5, "start");
        }
    }

    fn labels(&mut self) {
        for chain in &self.panel.layers.chains {
            // Of several arrows of one port only the first has the label.
            if self.panel.layers.items[chain.label].extent.height > 0.0 {
                let (x, y) = (self.x(chain.label), self.top(chain.label));
                label(self.out, &self.panel.labels[chain.edge], (x, y));
            }
        }
        for (at, port) in self.panel.ports.iter().enumerate() {
            let item = self.panel.boxes() + at;
            if matches!(port.end, End::Nothing) {
                label(self.out, &port.label, (self.x(item), self.top(item)));
            }
        }
    }

    fn boxes(&mut self) {
        let model = self.panel.view.model;
        for item in 0..self.panel.boxes() {
            let state = item < model.states.len();
            let (x, y) = (self.x(item), self.top(item));
            let half = half(self.panel.name(item));
            let terminal = state && model.states[item].terminal;
            let taken = state && self.panel.view.passes(item);
            let fill = if taken {
                "#fff1e5"
            } else if terminal || !state {
                "#ffffff"
            } else {
                "#f6f8fa"
            };
            let (stroke, width) = if taken { (TAKEN, "2") } else { (GREY, "1.2") };
            let dashes = if state {
                ""
            } else {
                " stroke-dasharray=\"4 3\""
            };
            let frame = |out: &mut String, inset: f64, fill: &str| {
                let _ = writeln!(
                    out,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{fill}\" \
                     stroke=\"{stroke}\" stroke-width=\"{width}\"{dashes}/>",
                    N(x - half + inset),
                    N(y + inset),
                    N(2.0 * (half - inset)),
                    N(BOX - 2.0 * inset),
                    N(7.0 - inset),
                );
            };
            frame(self.out, 0.0, fill);
            if terminal {
                frame(self.out, 3.0, "none");
            }
            let color = if state { INK } else { GREY };
            let name = escaped(self.panel.name(item));
            let _ = writeln!(
                self.out,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"13\" fill=\"{color}\">{name}</text>",
                N(x),
                N(y + BOX / 2.0 + 4.5)
            );
            if item == model.initial {
                self.start(x - half, y + BOX / 2.0);
            }
        }
    }

    /// Runs start here.
    fn start(&mut self, x: f64, y: f64) {
        let _ = writeln!(
            self.out,
            "<circle cx=\"{}\" cy=\"{1}\" r=\"5\"/>\n<path d=\"M{2} {1}H{3}\" stroke=\"{GREY}\" \
             stroke-width=\"1.2\"/>",
            N(x - 24.0),
            N(y),
            N(x - 20.0),
            N(x - 8.0),
        );
        head(self.out, (x, y), (-1.0, 0.0), GREY);
    }
}

fn tint(semantics: Semantics) -> &'static str {
    match semantics {
        Semantics::Query => "#0550ae",
        Semantics::Command | Semantics::Commit | Semantics::Rollback => "#a40e26",
        Semantics::Stop => GREY,
    }
}

/// Lines in the middle of an arrow, and a ground that keeps the arrow off them.
fn label(out: &mut String, lines: &[Line], (x, mut y): (f64, f64)) {
    if lines.is_empty() {
        return;
    }
    let (wide, high) = super::text::size(lines);
    let _ = writeln!(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"#ffffff\"/>",
        N(x - wide / 2.0 - 3.0),
        N(y),
        N(wide + 6.0),
        N(high),
    );
    for line in lines {
        y += LINE;
        text(out, line, x, y - 1.5, "middle");
    }
}
