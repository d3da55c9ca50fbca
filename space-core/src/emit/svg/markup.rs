//! Numbers, paths and text of an SVG.

use std::fmt::Write as _;

/// Writes a number with at most one digit after the point.
pub(super) struct N(pub(super) f64);

impl std::fmt::Display for N {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths = (self.0 * 10.0).round() / 10.0;
        // No negative zero.
        write!(f, "{}", tenths + 0.0)
    }
}

/// A curve that leaves and arrives upright.
pub(super) fn curve(path: &mut String, from: (f64, f64), to: (f64, f64)) {
    if (from.0 - to.0).abs() < 0.05 {
        let _ = write!(path, "V{}", N(to.1));
        return;
    }
    let middle = N(f64::midpoint(from.1, to.1));
    let _ = write!(
        path,
        "C{} {middle} {} {middle} {} {}",
        N(from.0),
        N(to.0),
        N(to.0),
        N(to.1)
    );
}

/// Text that is no markup.
pub(super) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
