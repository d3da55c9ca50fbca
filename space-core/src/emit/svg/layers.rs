//! Which layer everything is in.

/// How far a box reaches from its middle, and how high it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) height: f64,
}

/// An arrow between two boxes, and the room of its label.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// The arrow of the picture.
    pub(super) edge: usize,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: Extent,
}

/// What is in a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) extent: Extent,
    /// Whether it is a box, and not a point that an arrow passes.
    pub(super) real: bool,
}

/// Where an arrow leaves the picture, or comes into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Top,
    Bottom,
}

/// An arrow as the items that it passes, from the upper box to the lower.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// The arrow of the picture.
    pub(super) edge: usize,
    pub(super) items: Vec<usize>,
    /// The item that its label is in.
    pub(super) label: usize,
    /// Whether the arrow points up.
    pub(super) up: bool,
}

/// Boxes and arrows in layers.
#[derive(Debug)]
pub(super) struct Layers {
    /// Boxes first, in their order, then what arrows pass.
    pub(super) items: Vec<Item>,
    pub(super) chains: Vec<Chain>,
    /// The items of each layer, from left to right.
    pub(super) rows: Vec<Vec<usize>>,
}

/// The most points that all arrows may pass.
const MOST_POINTS: usize = 3000;
/// What an arrow passes between labels.
const POINT: Extent = Extent {
    left: 5.0,
    right: 5.0,
    height: 0.0,
};

impl Layers {
    /// Puts boxes into even layers and labels into odd ones; `None` when arrows pass too much. The
    /// last of the boxes are ports, one on each of these sides.
    pub(super) fn new(
        boxes: &[Extent],
        ports: &[Side],
        links: &[Link],
        initial: usize,
    ) -> Option<Self> {
        let first_port = boxes.len() - ports.len();
        let down = downward(boxes.len(), links, initial);
        let mut layer = layer(boxes.len(), &down, initial);
        let last = layer.iter().max().copied().unwrap_or_default();
        for (at, side) in ports.iter().enumerate() {
            layer[first_port + at] = match side {
                Side::Top => 0,
                Side::Bottom => last,
            };
        }
        let mut layers = Self {
            items: boxes
                .iter()
                .enumerate()
                .map(|(at, extent)| Item {
                    extent: *extent,
                    real: at < first_port,
                })
                .collect(),
            chains: Vec::new(),
            rows: vec![Vec::new(); layer.iter().max().map_or(0, |last| last + 1)],
        };
        for (at, row) in layer.iter().enumerate() {
            layers.rows[*row].push(at);
        }
        for (link, (from, to)) in links.iter().zip(&down) {
            let (first, last) = (layer[*from], layer[*to]);
            // Odd layers are those of labels; the middle one keeps it from both ends.
            let label = first + (((last - first) / 2) | 1);
            let mut items = vec![*from];
            let mut at_label = 0;
            for row in first + 1..last {
                let item = layers.items.len();
                let extent = if row == label { link.label } else { POINT };
                if row == label {
                    at_label = item;
                }
                layers.items.push(Item {
                    extent,
                    real: false,
                });
                layers.rows[row].push(item);
                items.push(item);
            }
            if layers.items.len() > MOST_POINTS {
                return None;
            }
            items.push(*to);
            layers.chains.push(Chain {
                edge: link.edge,
                items,
                label: at_label,
                up: *from != link.from,
            });
        }
        Some(layers)
    }

    /// The items above and below each one that an arrow leads to.
    pub(super) fn neighbours(&self) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let mut above = vec![Vec::new(); self.items.len()];
        let mut below = vec![Vec::new(); self.items.len()];
        for chain in &self.chains {
            for pair in chain.items.windows(2) {
                below[pair[0]].push(pair[1]);
                above[pair[1]].push(pair[0]);
            }
        }
        (above, below)
    }
}

/// The links without cycles: what leads back to a box that is still being walked is turned round.
fn downward(boxes: usize, links: &[Link], initial: usize) -> Vec<(usize, usize)> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); boxes];
    for (at, link) in links.iter().enumerate() {
        out[link.from].push(at);
    }
    let mut down: Vec<_> = links.iter().map(|link| (link.from, link.to)).collect();
    // 0 unseen, 1 on the way, 2 done.
    let mut seen = vec![0u8; boxes];
    for root in std::iter::once(initial).chain(0..boxes) {
        if seen[root] != 0 {
            continue;
        }
        let mut stack = vec![(root, 0)];
        seen[root] = 1;
        while let Some((at, next)) = stack.pop() {
            let Some(link) = out[at].get(next) else {
                seen[at] = 2;
                continue;
            };
            stack.push((at, next + 1));
            let to = links[*link].to;
            match seen[to] {
                0 => {
                    seen[to] = 1;
                    stack.push((to, 0));
                }
                1 => down[*link] = (to, at),
                _ => {}
            }
        }
    }
    down
}

/// The layer of each box: two below everything above it. A box that nothing leads to is right above
/// what it leads to.
fn layer(boxes: usize, down: &[(usize, usize)], initial: usize) -> Vec<usize> {
    let mut layer = vec![0usize; boxes];
    let mut waits = vec![0usize; boxes];
    for (_, to) in down {
        waits[*to] += 1;
    }
    let sources: Vec<bool> = waits.iter().map(|waits| *waits == 0).collect();
    let mut open: Vec<usize> = (0..boxes).filter(|at| sources[*at]).collect();
    while let Some(at) = open.pop() {
        for (_, to) in down.iter().filter(|(from, _)| *from == at) {
            layer[*to] = layer[*to].max(layer[at] + 2);
            waits[*to] -= 1;
            if waits[*to] == 0 {
                open.push(*to);
            }
        }
    }
    for at in (0..boxes).filter(|at| sources[*at] && *at != initial) {
        let below = down.iter().filter(|(from, _)| *from == at);
        let nearest = below.map(|(_, to)| layer[*to]).min();
        layer[at] = nearest.map_or(0, |nearest| nearest.saturating_sub(2));
    }
    layer
}
