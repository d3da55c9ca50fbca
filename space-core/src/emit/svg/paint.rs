//! The picture as text.

use std::fmt::Write as _;

use super::layers::{Chain, Layers};
use super::legend::Legend;
use super::markup::{N, curve, escaped};
use super::place::{Places, isotonic};
use super::text::{LINE, Line, Look, SIZE};
use super::{BOX, LOOP, Sketch, half};
use crate::contract::Semantics;
use crate::emit::picture::{Drawing, Node};

const FONT: &str = "Helvetica, Arial, Liberation Sans, sans-serif";
const INK: &str = "#24292f";
const GREY: &str = "#57606a";
const TAKEN: &str = "#bc4c00";

/// Arrows first, then labels over them, then boxes.
pub(super) fn paint(
    drawing: &Drawing<'_>,
    sketch: &Sketch<'_>,
    layers: &Layers,
    places: &Places,
) -> String {
    let wide = places.width.max(360.0);
    let legend = Legend::of(drawing.invariants, wide);
    let (width, height) = (N(wide.ceil()), N((places.height + legend.height()).ceil()));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" style=\"max-width:100%;height:auto\" role=\"img\" aria-label=\"The space {name}\" \
         font-family=\"{FONT}\" font-size=\"{SIZE}\" fill=\"{INK}\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#ffffff\"/>\n",
        name = drawing.model.name,
    );
    let mut painter = Painter {
        drawing,
        sketch,
        layers,
        places,
        out: &mut out,
        left: (wide - places.width) / 2.0,
    };
    painter.arrows();
    painter.labels();
    painter.boxes();
    legend.paint(&mut out, places.height);
    out.push_str("</svg>\n");
    out
}

struct Painter<'a> {
    drawing: &'a Drawing<'a>,
    sketch: &'a Sketch<'a>,
    layers: &'a Layers,
    places: &'a Places,
    out: &'a mut String,
    /// What is left of the picture when it is narrower than the text below it.
    left: f64,
}

impl Painter<'_> {
    fn x(&self, item: usize) -> f64 {
        self.left + self.places.x[item]
    }

    fn top(&self, item: usize) -> f64 {
        let item_height = self.layers.items[item].extent.height;
        let own = if self.layers.items[item].real {
            BOX
        } else {
            item_height
        };
        self.places.y[item] + (item_height - own) / 2.0
    }

    fn bottom(&self, item: usize) -> f64 {
        let item_height = self.layers.items[item].extent.height;
        let own = if self.layers.items[item].real {
            BOX
        } else {
            item_height
        };
        self.top(item) + own
    }

    fn name(&self, item: usize) -> &str {
        let states = &self.drawing.model.states;
        match states.get(item) {
            Some(state) => &state.name,
            None => &self.sketch.picture.several[item - states.len()],
        }
    }

    fn arrows(&mut self) {
        let ports = self.ports();
        for (chain, (first, last)) in self.layers.chains.iter().zip(&ports) {
            let edge = &self.sketch.picture.edges[chain.edge];
            self.arrow(chain, *first, *last, edge.taken());
        }
        for (at, edge) in self.sketch.picture.edges.iter().enumerate() {
            if edge.from == Node::State(edge.to) {
                self.round(edge.to, &self.sketch.labels[at], edge.taken());
            }
        }
    }

    /// Where each arrow touches its upper and its lower box: as straight as it can, apart from the
    /// others.
    fn ports(&self) -> Vec<(f64, f64)> {
        let chains = &self.layers.chains;
        let mut ports = vec![(0.0, 0.0); chains.len()];
        for item in 0..self.sketch.boxes.len() {
            let half = half(self.name(item)) - 10.0;
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
        // Room for the head.
        let (mut y, end) = (self.bottom(ends[0]), self.top(ends[1]));
        let head = 8.0;
        let (start, stop) = if chain.up {
            (y + head, end)
        } else {
            (y, end - head)
        };
        let mut x = first;
        y = start;
        let mut path = format!("M{} {}", N(x), N(y));
        for item in &chain.items[1..chain.items.len() - 1] {
            let (to, top, bottom) = (self.x(*item), self.top(*item), self.bottom(*item));
            curve(&mut path, (x, y), (to, top));
            if bottom > top {
                let _ = write!(path, "V{}", N(bottom));
            }
            (x, y) = (to, bottom);
        }
        curve(&mut path, (x, y), (last, stop));
        self.line(&path, taken);
        if chain.up {
            self.head((first, start - head), (0.0, 1.0), taken);
        } else {
            self.head((last, end), (0.0, -1.0), taken);
        }
    }

    fn line(&mut self, path: &str, taken: bool) {
        let (color, width) = if taken { (TAKEN, "2.4") } else { (GREY, "1.2") };
        let _ = writeln!(
            self.out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"/>"
        );
    }

    /// The head of an arrow whose tip is here, and whose line comes from there.
    fn head(&mut self, (x, y): (f64, f64), (dx, dy): (f64, f64), taken: bool) {
        let color = if taken { TAKEN } else { GREY };
        let back = (x + 9.0 * dx, y + 9.0 * dy);
        let (side_x, side_y) = (4.0 * dy, 4.0 * dx);
        let _ = writeln!(
            self.out,
            "<path d=\"M{} {}L{} {}L{} {}Z\" fill=\"{color}\"/>",
            N(x),
            N(y),
            N(back.0 + side_x),
            N(back.1 + side_y),
            N(back.0 - side_x),
            N(back.1 - side_y),
        );
    }

    /// A loop on one state, to its right, its label beside it.
    fn round(&mut self, state: usize, lines: &[Line], taken: bool) {
        let x = self.x(state) + half(self.name(state));
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
        self.line(&path, taken);
        self.head((x, y + 8.0), (0.95, 0.2), taken);
        let (_, high) = super::text::size(lines);
        let mut line_y = y - high / 2.0 + 2.0;
        for line in lines {
            line_y += LINE;
            self.text(line, x + LOOP, line_y - 3.5, "start");
        }
    }

    fn labels(&mut self) {
        for chain in &self.layers.chains {
            let lines = &self.sketch.labels[chain.edge];
            let (wide, high) = super::text::size(lines);
            let (x, mut y) = (self.x(chain.label), self.top(chain.label));
            let _ = writeln!(
                self.out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"#ffffff\"/>",
                N(x - wide / 2.0 - 3.0),
                N(y),
                N(wide + 6.0),
                N(high),
            );
            for line in lines {
                y += LINE;
                self.text(line, x, y - 1.5, "middle");
            }
        }
    }

    fn text(&mut self, line: &Line, x: f64, y: f64, anchor: &str) {
        let mut spans = String::new();
        for span in &line.spans {
            let text = escaped(&span.text);
            let _ = match span.look {
                Look::Event => write!(spans, "<tspan font-weight=\"bold\">{text}</tspan>"),
                Look::Taken => write!(
                    spans,
                    "<tspan font-weight=\"bold\" fill=\"{TAKEN}\">{text}</tspan>"
                ),
                Look::Guard => write!(spans, "{text}"),
                Look::Effect(semantics) => {
                    write!(spans, "<tspan fill=\"{}\">{text}</tspan>", tint(semantics))
                }
                Look::Semantics(semantics) => write!(
                    spans,
                    "<tspan fill=\"{}\" font-style=\"italic\">{text}</tspan>",
                    tint(semantics)
                ),
            };
        }
        let anchor = match anchor {
            "start" => String::new(),
            anchor => format!(" text-anchor=\"{anchor}\""),
        };
        let _ = writeln!(
            self.out,
            "<text x=\"{}\" y=\"{}\"{anchor} xml:space=\"preserve\">{spans}</text>",
            N(x),
            N(y)
        );
    }

    fn boxes(&mut self) {
        for item in 0..self.sketch.boxes.len() {
            let state = item < self.sketch.states;
            let (x, y) = (self.x(item), self.top(item));
            let half = half(self.name(item));
            let terminal = state && self.drawing.model.states[item].terminal;
            let taken = state && self.drawing.passes(item);
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
            let name = escaped(self.name(item));
            let _ = writeln!(
                self.out,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"13\" fill=\"{color}\">{name}</text>",
                N(x),
                N(y + BOX / 2.0 + 4.5)
            );
            if item == self.sketch.initial {
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
        self.head((x, y), (-1.0, 0.0), false);
    }
}

fn tint(semantics: Semantics) -> &'static str {
    match semantics {
        Semantics::Query => "#0550ae",
        Semantics::Command | Semantics::Commit | Semantics::Rollback => "#a40e26",
        Semantics::Stop => GREY,
    }
}
