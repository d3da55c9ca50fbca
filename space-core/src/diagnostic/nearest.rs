//! "Did you mean".

/// Names longer than this are not compared: nobody mistypes them by a letter.
const LONGEST: usize = 64;

/// The most names that one report compares. What is wrong by the thousand is not a misspelling, and
/// the work for it stays bounded.
const BUDGET: usize = 400_000;

/// The candidate that `word` is most likely a misspelling of: the nearest within a third of its
/// length (Damerau–Levenshtein with adjacent transpositions), the first of equals.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    Spelling::default().nearest(word, candidates)
}

/// Finds the declared name that an undeclared one is most likely a misspelling of.
#[derive(Clone, Debug)]
pub(crate) struct Spelling {
    budget: usize,
    rows: [Vec<usize>; 3],
}

impl Default for Spelling {
    fn default() -> Self {
        Self {
            budget: BUDGET,
            rows: Default::default(),
        }
    }
}

impl Spelling {
    /// The nearest of `candidates` within a third of the word's length, the first of equals.
    /// `None` too when the budget is spent.
    pub(crate) fn nearest<'c>(
        &mut self,
        word: &str,
        candidates: impl IntoIterator<Item = &'c str>,
    ) -> Option<&'c str> {
        if word.is_empty() || word.len() > LONGEST {
            return None;
        }
        let word: Vec<char> = fold(word).collect();
        let mut most = (word.len() / 3).max(1);
        let mut best = None;
        for candidate in candidates {
            self.budget = self.budget.checked_sub(1)?;
            // Every edit changes the length by at most one.
            if candidate.len() > LONGEST || candidate.len() + most < word.len() {
                continue;
            }
            let length = fold(candidate).count();
            if length.abs_diff(word.len()) > most {
                continue;
            }
            let distance = self.distance(&word, candidate);
            if distance <= most && distance < length {
                best = Some(candidate);
                let Some(less) = distance.checked_sub(1) else {
                    break;
                };
                most = less;
            }
        }
        best
    }

    /// Edits, and swaps of neighbours, that turn `a` into `b`; upper and lower case are equal.
    fn distance(&mut self, a: &[char], b: &str) -> usize {
        let [before, above, row] = &mut self.rows;
        before.clear();
        above.clear();
        above.extend(0..=a.len());
        let mut previous = None;
        for (i, y) in fold(b).enumerate() {
            row.clear();
            row.push(i + 1);
            for (j, x) in a.iter().enumerate() {
                let mut best = (above[j] + usize::from(*x != y))
                    .min(above[j + 1] + 1)
                    .min(row[j] + 1);
                if j > 0 && previous == Some(*x) && a[j - 1] == y {
                    best = best.min(before[j - 1] + 1);
                }
                row.push(best);
            }
            std::mem::swap(before, above);
            std::mem::swap(above, row);
            previous = Some(y);
        }
        above[a.len()]
    }
}

fn fold(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found() {
        let words = ["Waiting", "Thinking", "Answered", "Unanswered", "answer"];
        for (typed, meant) in [
            ("Wating", Some("Waiting")),
            ("Thikning", Some("Thinking")),
            ("Thinkign", Some("Thinking")),
            ("thinking", Some("Thinking")),
            ("Unaswered", Some("Unanswered")),
            ("Answred", Some("Answered")),
            ("anser", Some("answer")),
            ("Waitings", Some("Waiting")),
            ("Done", None),
            ("x", None),
            ("", None),
        ] {
            let found = Spelling::default().nearest(typed, words);
            assert_eq!(found, meant, "{typed}");
        }
    }

    #[test]
    fn the_work_is_bounded() {
        let names: Vec<String> = (0..10_000).map(|at| format!("State{at}")).collect();
        let mut spelling = Spelling::default();
        let mut found = |word: &str| {
            let names = names.iter().map(String::as_str);
            spelling.nearest(word, names).map(str::to_owned)
        };
        assert_eq!(found("Sttae77").as_deref(), Some("State77"));
        for at in 0..10_000 {
            found(&format!("Place{at}"));
        }
        assert_eq!(found("Sttae77"), None);
        assert_eq!(found(&"n".repeat(1_000_000)), None);
    }
}
