//! From left to right: few arrows cross.

use super::layers::Layers;

/// How often the layers are gone through.
const SWEEPS: usize = 24;

/// Orders every layer by the middle of its neighbours, down and up in turn, then swaps neighbours
/// where that helps, and keeps the best order seen.
pub(super) fn order(layers: &mut Layers) {
    let (above, below) = layers.neighbours();
    let mut place = vec![0usize; layers.items.len()];
    let settle = |rows: &[Vec<usize>], place: &mut [usize]| {
        for row in rows {
            for (at, item) in row.iter().enumerate() {
                place[*item] = at;
            }
        }
    };
    settle(&layers.rows, &mut place);
    let mut best = layers.rows.clone();
    let mut least = crossings(&best, &below, &place);
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let near = if down { &above } else { &below };
        let count = layers.rows.len();
        for nth in 0..count {
            let row = if down { nth } else { count - 1 - nth };
            by_middle(&mut layers.rows[row], near, &place);
            for (at, item) in layers.rows[row].iter().enumerate() {
                place[*item] = at;
            }
        }
        swap(&mut layers.rows, &above, &below, &mut place);
        let now = crossings(&layers.rows, &below, &place);
        if now < least {
            least = now;
            best.clone_from(&layers.rows);
        }
        if least == 0 {
            break;
        }
    }
    layers.rows = best;
}

/// Sorts a row by the mean place of its neighbours; what has none stays where it is.
fn by_middle(row: &mut [usize], near: &[Vec<usize>], place: &[usize]) {
    let mut keyed: Vec<(f64, usize)> = row
        .iter()
        .enumerate()
        .map(|(at, item)| {
            let places: Vec<f64> = near[*item].iter().map(|one| float(place[*one])).collect();
            let mean = places.iter().sum::<f64>() / float(places.len().max(1));
            (if places.is_empty() { float(at) } else { mean }, *item)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (slot, (_, item)) in row.iter_mut().zip(keyed) {
        *slot = item;
    }
}

fn float(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Swaps two that stand side by side while that takes crossings away.
fn swap(rows: &mut [Vec<usize>], above: &[Vec<usize>], below: &[Vec<usize>], place: &mut [usize]) {
    for row in rows {
        let mut better = true;
        let mut rounds = 0;
        while better && rounds < 8 {
            better = false;
            rounds += 1;
            for at in 1..row.len() {
                let (left, right) = (row[at - 1], row[at]);
                let cost = |one: usize, two: usize| {
                    [above, below]
                        .iter()
                        .map(|near| inverted(&near[one], &near[two], place))
                        .sum::<usize>()
                };
                if cost(right, left) < cost(left, right) {
                    row.swap(at - 1, at);
                    (place[left], place[right]) = (at, at - 1);
                    better = true;
                }
            }
        }
    }
}

/// How many pairs of neighbours stand the other way round than their items.
fn inverted(left: &[usize], right: &[usize], place: &[usize]) -> usize {
    let pairs = left
        .iter()
        .flat_map(|one| right.iter().map(move |two| (one, two)));
    pairs
        .filter(|(one, two)| place[**one] > place[**two])
        .count()
}

fn crossings(rows: &[Vec<usize>], below: &[Vec<usize>], place: &[usize]) -> usize {
    let mut count = 0;
    for row in rows {
        let mut ends: Vec<usize> = Vec::new();
        for item in row {
            let before = ends.len();
            for to in &below[*item] {
                let to = place[*to];
                count += ends[..before].iter().filter(|end| **end > to).count();
                ends.push(to);
            }
        }
    }
    count
}
