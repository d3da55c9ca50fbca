//! Families of nets with known counts.
#![allow(clippy::cast_possible_truncation, reason = "small numbers")]

use space_core::explore::{Component, Net, Sync};

/// A ring of `k` components of `n` states that move from `x` to `x + 1`, but for `h` and `n - 1`:
/// neighbours at `h` and `n - 1` move on together, to `h + 1` and 0. The first `t` start above
/// `h`, and `t` of them always are.
pub(crate) fn ring(k: usize, n: usize, h: usize, t: usize) -> Net {
    let component = |at: usize| Component {
        name: format!("c{at}"),
        states: n,
        initial: if at < t { h + 1 } else { 0 },
        finals: Vec::new(),
        moves: (0..n - 1).filter(|x| *x != h).map(|x| (x, x + 1)).collect(),
    };
    let sync = |at: usize| Sync {
        name: format!("s{at}"),
        parts: vec![(at, vec![(h, h + 1)]), ((at + 1) % k, vec![(n - 1, 0)])],
    };
    Net {
        components: (0..k).map(component).collect(),
        syncs: (0..k).map(sync).collect(),
    }
}

/// C(k, t) (h + 1)^(k - t) (n - 1 - h)^t.
pub(crate) fn ring_states(k: usize, n: usize, h: usize, t: usize) -> u128 {
    let choose = (0..t).fold(1, |product, i| product * (k - i) as u128 / (i + 1) as u128);
    choose * ((h + 1) as u128).pow((k - t) as u32) * ((n - 1 - h) as u128).pow(t as u32)
}
