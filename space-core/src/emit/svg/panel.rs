//! One machine laid out, with the places where other machines meet it.

use super::layers::{Extent, Layers, Link, Side};
use super::place::{self, Places};
use super::text::{self, Line, label_lines, width};
use super::{BOX, LOOP, START, half, order};
use crate::emit::picture::{Node, Picture, View};

/// Where an arrow from or to another machine crosses the edge of this one.
pub(super) struct Port {
    pub(super) side: Side,
    pub(super) end: End,
    pub(super) label: Vec<Line>,
    pub(super) taken: bool,
}

impl Port {
    pub(super) fn new(side: Side, end: End, label: Vec<Line>, taken: bool) -> Self {
        Self {
            side,
            end,
            label,
            taken,
        }
    }
}

/// What a port is joined to.
pub(super) enum End {
    /// These states.
    States(Vec<usize>),
    /// Whatever takes an event.
    Event(usize),
    /// The label alone.
    Nothing,
}

/// A machine laid out.
pub(super) struct Panel<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) picture: Picture,
    pub(super) ports: &'a [Port],
    /// For each arrow of the picture its label, line by line; then those of the ports.
    pub(super) labels: Vec<Vec<Line>>,
    pub(super) layers: Layers,
    pub(super) places: Places,
}

impl<'a> Panel<'a> {
    /// `None` when arrows pass too much.
    pub(super) fn new(view: &'a View<'a>, ports: &'a [Port]) -> Option<Self> {
        let picture = Picture::of(view);
        let labels = picture.edges.iter().map(|edge| label_lines(&edge.labels));
        let ported = ports.iter().map(|port| port.label.clone());
        let labels: Vec<Vec<Line>> = labels.chain(ported).collect();
        let (mut boxes, links) = sketch(view, &picture, ports, &labels);
        boxes[view.model.initial].left += START;
        let sides: Vec<Side> = ports.iter().map(|port| port.side).collect();
        let mut layers = Layers::new(&boxes, &sides, &links, view.model.initial)?;
        order::order(&mut layers);
        let places = place::place(&layers);
        Some(Self {
            view,
            picture,
            ports,
            labels,
            layers,
            places,
        })
    }

    /// How many boxes there are, ports not counted.
    pub(super) fn boxes(&self) -> usize {
        self.view.model.states.len() + self.picture.several.len()
    }

    /// Middle and height of a port, from the upper left corner.
    pub(super) fn port(&self, at: usize) -> (f64, f64) {
        let item = self.boxes() + at;
        (self.places.x[item], self.places.y[item])
    }

    /// The name in a box.
    pub(super) fn name(&self, item: usize) -> &str {
        let states = &self.view.model.states;
        match states.get(item) {
            Some(state) => &state.name,
            None => &self.picture.several[item - states.len()],
        }
    }
}

/// Boxes of states, of the marks that stand for several, and of ports; and the arrows between them.
/// Loops on one state are part of its box.
fn sketch(
    view: &View<'_>,
    picture: &Picture,
    ports: &[Port],
    labels: &[Vec<Line>],
) -> (Vec<Extent>, Vec<Link>) {
    let model = view.model;
    let names = model.states.iter().map(|state| state.name.as_str());
    let names = names.chain(picture.several.iter().map(String::as_str));
    let mut boxes: Vec<Extent> = names.map(|name| around(half(name), BOX)).collect();
    let states = model.states.len();
    let node = |node: Node| match node {
        Node::State(state) => state,
        Node::Several(nth) => states + nth,
    };
    let mut links = Vec::new();
    for (at, edge) in picture.edges.iter().enumerate() {
        let (wide, high) = text::size(&labels[at]);
        if edge.from == Node::State(edge.to) {
            let room = &mut boxes[edge.to];
            room.right += LOOP + wide + 6.0;
            room.height = room.height.max(high);
            continue;
        }
        links.push(Link {
            edge: at,
            from: node(edge.from),
            to: edge.to,
            label: around(wide / 2.0 + 4.0, high),
        });
    }
    for (nth, port) in ports.iter().enumerate() {
        let (wide, high) = text::size(&labels[picture.edges.len() + nth]);
        let mut joined = match &port.end {
            End::States(states) => states.clone(),
            End::Event(event) => takers(picture, *event).into_iter().map(node).collect(),
            End::Nothing => Vec::new(),
        };
        joined.dedup();
        let at = boxes.len();
        boxes.push(match port.end {
            End::Nothing => around(wide / 2.0 + 4.0, high),
            _ => around(6.0, 0.0),
        });
        for (one, state) in joined.into_iter().enumerate() {
            let (from, to) = match port.side {
                Side::Top => (at, state),
                Side::Bottom => (state, at),
            };
            // One label is enough for all.
            let label = match one {
                0 => around(wide / 2.0 + 4.0, high),
                _ => around(5.0, 0.0),
            };
            let edge = picture.edges.len() + nth;
            links.push(Link {
                edge,
                from,
                to,
                label,
            });
        }
    }
    (boxes, links)
}

/// The boxes that an event leads out of.
fn takers(picture: &Picture, event: usize) -> Vec<Node> {
    let edges = picture.edges.iter().filter(|edge| {
        let mut events = edge.labels.iter().flat_map(|label| &label.events);
        events.any(|one| one.row == event)
    });
    let mut from: Vec<Node> = edges.map(|edge| edge.from).collect();
    from.sort_unstable();
    from.dedup();
    from
}

fn around(half: f64, height: f64) -> Extent {
    Extent {
        left: half,
        right: half,
        height,
    }
}

/// How wide a title is.
pub(super) fn title(name: &str) -> f64 {
    width(name, 13.0, true)
}
