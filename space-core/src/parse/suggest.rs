//! "Did you mean".

/// The candidate that `word` is most likely a misspelling of: the nearest within a third of its
/// length (Damerau–Levenshtein with adjacent transpositions), the first of equals.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    const LONGEST: usize = 64;
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let most = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter(|one| one.len() <= LONGEST)
        .map(|one| (distance(word, one), one))
        .filter(|(distance, one)| *distance <= most && *distance < one.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, one)| one)
}

/// Edits, and swaps of neighbours, that turn `a` into `b`; upper and lower case are equal.
fn distance(a: &str, b: &str) -> usize {
    let fold = |text: &str| {
        text.chars()
            .flat_map(char::to_lowercase)
            .collect::<Vec<_>>()
    };
    let (a, b) = (fold(a), fold(b));
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (above[j] + usize::from(x != y))
                .min(above[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found() {
        let words = ["name", "payload", "external", "doc"];
        for (typed, meant) in [
            ("nmae", Some("name")),
            ("Name", Some("name")),
            ("paylod", Some("payload")),
            ("externals", Some("external")),
            ("docs", Some("doc")),
            ("colour", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, words), meant, "{typed}");
        }
        assert_eq!(nearest(&"n".repeat(1_000_000), words), None);
    }
}
