//! Where everything is.

use super::layers::{Extent, Layers};

/// Middle and top of every item.
#[derive(Debug)]
pub(super) struct Places {
    /// By item.
    pub(super) x: Vec<f64>,
    /// By item.
    pub(super) y: Vec<f64>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Between two boxes of a layer.
const GAP: f64 = 22.0;
/// Around the picture.
const MARGIN: f64 = 18.0;
/// How often positions are evened out.
const ROUNDS: usize = 240;

/// Places items so that arrows are short and long arrows straight: every layer in turn takes the
/// nearest places to the weighted means of its neighbours that keep order and distance, which is
/// an isotonic regression.
pub(super) fn place(layers: &Layers) -> Places {
    let (above, below) = layers.neighbours();
    let mut x = vec![0.0; layers.items.len()];
    for row in &layers.rows {
        spread(
            layers,
            row,
            &vec![0.0; row.len()],
            &vec![1.0; row.len()],
            &mut x,
        );
    }
    for round in 0..ROUNDS {
        let down = round % 2 == 0;
        let count = layers.rows.len();
        for nth in 0..count {
            let row = &layers.rows[if down { nth } else { count - 1 - nth }];
            let mut wanted = Vec::new();
            let mut weights = Vec::new();
            for item in row {
                let near = above[*item].iter().chain(&below[*item]);
                let (mut sum, mut weight) = (0.0, 0.0);
                for other in near {
                    let one = pull(layers, *item, *other);
                    sum += one * x[*other];
                    weight += one;
                }
                wanted.push(if weight > 0.0 { sum / weight } else { x[*item] });
                weights.push(weight.max(0.1));
            }
            spread(layers, row, &wanted, &weights, &mut x);
        }
    }
    let left = |at: usize| x[at] - layers.items[at].extent.left;
    let right = |at: usize| x[at] + layers.items[at].extent.right;
    let all = 0..layers.items.len();
    let least = all.clone().map(left).fold(f64::INFINITY, f64::min);
    let most = all.map(right).fold(0.0, f64::max);
    for place in &mut x {
        *place += MARGIN - least;
    }
    let (y, height) = heights(layers, &x);
    Places {
        x,
        y,
        width: most - least + 2.0 * MARGIN,
        height: height + MARGIN,
    }
}

/// How much two neighbours want to be one above the other: points of an arrow most.
fn pull(layers: &Layers, one: usize, two: usize) -> f64 {
    match (layers.items[one].real, layers.items[two].real) {
        (true, true) => 1.0,
        (false, false) => 8.0,
        _ => 2.0,
    }
}

/// Sets a row to the nearest places to the wanted ones that keep order and distance.
fn spread(layers: &Layers, row: &[usize], wanted: &[f64], weights: &[f64], x: &mut [f64]) {
    let mut before: Option<Extent> = None;
    let mut offset = 0.0;
    let mut offsets = Vec::new();
    for item in row {
        let extent = layers.items[*item].extent;
        if let Some(before) = before {
            offset += before.right + GAP + extent.left;
        }
        offsets.push(offset);
        before = Some(extent);
    }
    let free: Vec<f64> = wanted
        .iter()
        .zip(&offsets)
        .map(|(want, by)| want - by)
        .collect();
    let levels = isotonic(&free, weights);
    for ((item, level), by) in row.iter().zip(levels).zip(offsets) {
        x[*item] = level + by;
    }
}

/// The nearest numbers, in the sense of weighted squares, that do not fall: pools of neighbours
/// that would are levelled.
pub(super) fn isotonic(wanted: &[f64], weights: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (want, weight) in wanted.iter().zip(weights) {
        let mut pool = (*want, *weight, 1);
        while let Some(last) = pools.last()
            && last.0 > pool.0
        {
            let weight = last.1 + pool.1;
            pool = (
                (last.0 * last.1 + pool.0 * pool.1) / weight,
                weight,
                last.2 + pool.2,
            );
            pools.pop();
        }
        pools.push(pool);
    }
    pools
        .into_iter()
        .flat_map(|(level, _, many)| std::iter::repeat_n(level, many))
        .collect()
}

/// The top of every item, middles of a layer on one line, and the height of all. The farther arrows
/// have to go sideways, the farther apart are two layers.
fn heights(layers: &Layers, x: &[f64]) -> (Vec<f64>, f64) {
    let mut aside = vec![0.0f64; layers.rows.len()];
    let mut row_of = vec![0; x.len()];
    for (nth, row) in layers.rows.iter().enumerate() {
        for item in row {
            row_of[*item] = nth;
        }
    }
    for chain in &layers.chains {
        for pair in chain.items.windows(2) {
            let by = (x[pair[0]] - x[pair[1]]).abs();
            let row = row_of[pair[0]];
            aside[row] = aside[row].max(by);
        }
    }
    let mut y = vec![0.0; x.len()];
    let mut top = MARGIN;
    let mut bottom = MARGIN;
    for (nth, row) in layers.rows.iter().enumerate() {
        let heights = row.iter().map(|item| layers.items[*item].extent.height);
        let high = heights.fold(0.0, f64::max);
        for item in row {
            y[*item] = top + (high - layers.items[*item].extent.height) / 2.0;
        }
        bottom = top + high;
        top = bottom + 18.0 + (aside[nth] * 0.12).min(30.0);
    }
    (y, bottom)
}
