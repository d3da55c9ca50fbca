//! "Did you mean".

/// The candidate nearest to `name`, when it is near enough to be what was meant: at most a third
/// of its letters away, case aside. The first of equals. Quadratic in the lengths of the names.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().take(LONGEST).collect();
    let most = (wanted.len() / 3).max(1);
    let mut best = None;
    for candidate in candidates {
        let letters: Vec<char> = candidate.to_lowercase().chars().take(LONGEST).collect();
        if letters.len().abs_diff(wanted.len()) > most {
            continue;
        }
        let distance = edits(&wanted, &letters);
        if distance <= most && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Longer names are compared by their beginnings.
const LONGEST: usize = 64;

/// Insertions, deletions, replacements and swaps of neighbours that make `b` of `a` (optimal
/// string alignment).
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_meant() {
        let names = ["Thinking", "Answered", "Unanswered", "Idle"];
        for (written, meant) in [
            ("Thinknig", Some("Thinking")),
            ("thinking", Some("Thinking")),
            ("Answerd", Some("Answered")),
            ("Unanswred", Some("Unanswered")),
            ("Idel", Some("Idle")),
            ("Paused", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, names), meant, "{written}");
        }
    }

    #[test]
    fn edits_are_counted() {
        let count = |a: &str, b: &str| {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            edits(&letters(a), &letters(b))
        };
        assert_eq!(count("", "abc"), 3);
        assert_eq!(count("abc", ""), 3);
        assert_eq!(count("kitten", "sitting"), 3);
        assert_eq!(count("ab", "ba"), 1);
        assert_eq!(count("xab", "xba"), 1);
        assert_eq!(count("abc", "abc"), 0);
    }
}
