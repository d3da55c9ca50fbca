//! Which windows of files speak most of some terms.

use std::collections::BTreeMap;

use regex::Regex;

use super::terms;

/// Lines of half a window. Windows overlap by half, so that what belongs together is whole in one.
const HALF: usize = 20;

/// How fast further occurrences of a term count for less.
const SATURATION: f64 = 1.2;

/// How much the length of a window counts against it.
const LENGTH: f64 = 0.75;

/// Windows of files, counted for some terms.
///
/// Ranked by Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): a
/// term that few windows have counts for more, its repetition for less and less, and a long window
/// has to say more to be as good as a short one. The words of a file's path count as words of each
/// of its windows.
#[derive(Debug)]
pub(super) struct Windows {
    /// Each term's place and weight.
    terms: BTreeMap<String, (usize, f64)>,
    /// Where to look for them; everywhere when absent.
    filter: Option<Regex>,
    paths: Vec<String>,
    /// Those that have any of the terms.
    hit: Vec<Window>,
    /// All of them.
    count: u64,
    bytes: u64,
}

/// Half a window, or a whole one: how often it has each term, and how long it is.
#[derive(Clone, Debug, Default)]
struct Counts {
    hits: BTreeMap<usize, u32>,
    bytes: u32,
}

/// A window that has any of the terms.
#[derive(Debug)]
struct Window {
    path: usize,
    /// In halves.
    start: usize,
    lines: (usize, usize),
    counts: Counts,
}

/// A window in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ranked<'a> {
    pub(super) path: &'a str,
    /// First and last line.
    pub(super) lines: (usize, usize),
}

impl Windows {
    /// No windows yet, and what they are counted for: terms with their weights.
    pub(super) fn new(terms: BTreeMap<String, f64>) -> Self {
        let filter = terms::filter(terms.keys());
        let placed = terms.into_iter().enumerate();
        Self {
            filter,
            terms: placed
                .map(|(at, (term, weight))| (term, (at, weight)))
                .collect(),
            paths: Vec::new(),
            hit: Vec::new(),
            count: 0,
            bytes: 0,
        }
    }

    /// Counts a file.
    pub(super) fn add(&mut self, path: &str, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        let halves: Vec<_> = lines
            .chunks(HALF)
            .map(|lines| self.counts(lines.iter().copied()))
            .collect();
        let named = self.counts(std::iter::once(path));
        let at = self.paths.len();
        self.paths.push(path.to_owned());
        for start in 0..halves.len().saturating_sub(1).max(halves.len().min(1)) {
            let mut counts = named.clone();
            for half in halves.iter().skip(start).take(2) {
                counts.add(half);
            }
            self.count += 1;
            self.bytes += u64::from(counts.bytes);
            if counts.hits.is_empty() {
                continue;
            }
            let first = start * HALF + 1;
            let last = lines.len().min((start + 2) * HALF);
            self.hit.push(Window {
                path: at,
                start,
                lines: (first, last),
                counts,
            });
        }
    }

    /// The windows that have any of the terms, best first; of equals the first by path and line.
    pub(super) fn ranked(&self) -> Vec<Ranked<'_>> {
        let factors = self.factors();
        #[expect(clippy::cast_precision_loss, reason = "an average of lengths")]
        let average = (self.bytes as f64 / self.count.max(1) as f64).max(1.0);
        let score = |window: &Window| {
            let length = f64::from(window.counts.bytes) / average;
            let dampened = SATURATION * (1.0 - LENGTH + LENGTH * length);
            let of_term = |(term, hits): (&usize, &u32)| {
                let hits = f64::from(*hits);
                factors[*term] * hits * (SATURATION + 1.0) / (hits + dampened)
            };
            window.counts.hits.iter().map(of_term).sum::<f64>()
        };
        let mut scored: Vec<_> = self.hit.iter().map(|one| (score(one), one)).collect();
        scored.sort_by(|(one, a), (other, b)| {
            let place = |window: &Window| (window.path, window.start);
            other.total_cmp(one).then_with(|| place(a).cmp(&place(b)))
        });
        let ranked = scored.into_iter().map(|(_, window)| Ranked {
            path: &self.paths[window.path],
            lines: window.lines,
        });
        ranked.collect()
    }

    /// Weight and rarity of each term.
    fn factors(&self) -> Vec<f64> {
        let mut having = vec![0_u64; self.terms.len()];
        for term in self.hit.iter().flat_map(|one| one.counts.hits.keys()) {
            having[*term] += 1;
        }
        let mut factors = vec![0.0; self.terms.len()];
        for (at, weight) in self.terms.values() {
            #[expect(clippy::cast_precision_loss, reason = "a ratio of counts")]
            let (having, all) = (having[*at] as f64, self.count as f64);
            factors[*at] = weight * (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
        }
        factors
    }

    fn counts<'a>(&self, lines: impl Iterator<Item = &'a str>) -> Counts {
        let mut counts = Counts::default();
        for line in lines {
            let bytes = u32::try_from(line.len()).unwrap_or(u32::MAX);
            counts.bytes = counts.bytes.saturating_add(bytes);
            if !self
                .filter
                .as_ref()
                .is_none_or(|filter| filter.is_match(line))
            {
                continue;
            }
            terms::each(line, |term| {
                if let Some((at, _)) = self.terms.get(term) {
                    *counts.hits.entry(*at).or_default() += 1;
                }
            });
        }
        counts
    }
}

impl Counts {
    fn add(&mut self, more: &Self) {
        self.bytes = self.bytes.saturating_add(more.bytes);
        for (term, hits) in &more.hits {
            *self.hits.entry(*term).or_default() += hits;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(terms: &[&str], files: &[(&str, &str)]) -> Windows {
        let terms = terms.iter().map(|term| ((*term).to_owned(), 1.0));
        let mut windows = Windows::new(terms.collect());
        for (path, text) in files {
            windows.add(path, text);
        }
        windows
    }

    fn order(terms: &[&str], files: &[(&str, &str)]) -> Vec<String> {
        let windows = windows(terms, files);
        let ranked = windows.ranked();
        ranked.iter().map(|one| one.path.to_owned()).collect()
    }

    #[test]
    fn a_rare_term_counts_for_more_than_a_common_one() {
        let files = [
            ("a", "error error handling"),
            ("b", "error quota handling"),
            ("c", "error other handling"),
            ("d", "nothing of it"),
        ];
        assert_eq!(order(&["error", "quota"], &files), ["b", "a", "c"]);
    }

    #[test]
    fn repetition_counts_for_less_and_length_against() {
        let repeated = "quota ".repeat(30);
        let long = format!("quota retry {}", "word ".repeat(200));
        let files = [("a", &*repeated), ("b", "quota retry"), ("c", &long)];
        assert_eq!(order(&["quota", "retry"], &files)[0], "b");
        assert_eq!(order(&["retry"], &files), ["b", "c"]);
    }

    #[test]
    fn the_words_of_a_path_count() {
        let files = [("src/other.rs", "text"), ("src/quotaLimit.rs", "text")];
        assert_eq!(order(&["quota"], &files), ["src/quotaLimit.rs"]);
    }

    #[test]
    fn windows_overlap_and_cover_a_file() {
        let lines: Vec<_> = (1..=61).map(|line| format!("word line{line}")).collect();
        let windows = windows(
            &["word"],
            &[("a", &lines.join("\n")), ("b", "word"), ("c", "")],
        );
        let mut seen: Vec<_> = windows
            .ranked()
            .iter()
            .map(|one| (one.path, one.lines))
            .collect();
        seen.sort_unstable();
        assert_eq!(
            seen,
            [
                ("a", (1, 40)),
                ("a", (21, 60)),
                ("a", (41, 61)),
                ("b", (1, 1))
            ]
        );
    }

    #[test]
    fn equals_stand_in_the_order_of_their_files() {
        let files = [("z", "quota"), ("y", "quota"), ("x", "quota")];
        assert_eq!(order(&["quota"], &files), ["z", "y", "x"]);
    }
}
