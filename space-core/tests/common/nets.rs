//! Families of nets with known counts.
#![allow(clippy::cast_possible_truncation, reason = "small numbers")]
#![allow(dead_code, reason = "each user takes its part")]

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

/// C(k, t) (h + 1)^(k - t) (n - 1 - h)^t, where that is less than 2¹²⁸.
pub(crate) fn ring_states(k: usize, n: usize, h: usize, t: usize) -> Option<u128> {
    let choose = (0..t).try_fold(1u128, |product, i| {
        Some(product.checked_mul((k - i) as u128)? / (i + 1) as u128)
    });
    let low = ((h + 1) as u128).checked_pow((k - t) as u32)?;
    let high = ((n - 1 - h) as u128).checked_pow(t as u32)?;
    choose?.checked_mul(low)?.checked_mul(high)
}

/// The same net with its components in another order, drawn from a seed.
pub(crate) fn shuffled(net: &Net, mut seed: u64) -> Net {
    let count = net.components.len();
    let mut place: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        place.swap(at, (seed >> 33) as usize % (at + 1));
    }
    let mut shuffled = net.clone();
    for (from, to) in place.iter().enumerate() {
        shuffled.components[*to] = net.components[from].clone();
    }
    for (component, _) in shuffled.syncs.iter_mut().flat_map(|sync| &mut sync.parts) {
        *component = place[*component];
    }
    shuffled
}
