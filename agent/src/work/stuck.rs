//! Finds a model that goes in circles.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::LazyLock;

use regex::Regex;

/// How often one round may come back unchanged before the loop is called stuck.
const SAME: usize = 3;

/// How many rounds of strict alternation are a loop: two turns of A, B, A, B and one more pair.
const ALTERNATING: usize = 6;

/// Rounds of tool calls, each with its results, as the model saw them.
///
/// A call that repeats with another result is progress (a poll, a failing test that fails
/// differently); only the pair of both counts.
#[derive(Debug, Default)]
pub struct Rounds {
    recent: VecDeque<u64>,
}

impl Rounds {
    /// Adds a round and says why the loop is stuck, if it is.
    pub fn add(&mut self, calls: &str, results: &str) -> Option<String> {
        self.recent
            .push_back(digest(calls, &without_times(results)));
        if self.recent.len() > ALTERNATING {
            self.recent.pop_front();
        }
        let same = self
            .recent
            .iter()
            .rev()
            .take_while(|one| Some(*one) == self.recent.back());
        if same.count() >= SAME {
            return Some(format!(
                "the same calls came back with the same results {SAME} times"
            ));
        }
        let alternating = self.recent.len() == ALTERNATING
            && self
                .recent
                .iter()
                .zip(self.recent.iter().skip(2))
                .all(|(one, next)| one == next);
        alternating.then(|| {
            format!(
                "two rounds alternate with the same results, {} times each",
                ALTERNATING / 2
            )
        })
    }
}

/// The results without the durations that programs print, which differ from run to run and are no
/// progress.
fn without_times(results: &str) -> Cow<'_, str> {
    static TIMES: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b\d+(\.\d+)? ?(ns|µs|ms|s)\b").ok());
    match &*TIMES {
        Some(times) => times.replace_all(results, "…"),
        None => results.into(),
    }
}

/// A fingerprint of a round, within one process.
fn digest(calls: &str, results: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    (calls, results).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(rounds: &[(&str, &str)]) -> Option<String> {
        let mut all = Rounds::default();
        rounds
            .iter()
            .map(|(calls, results)| all.add(calls, results))
            .last()
            .flatten()
    }

    #[test]
    fn repetition_is_found_at_the_third() {
        assert_eq!(last(&[("a", "1"), ("a", "1")]), None);
        assert!(last(&[("a", "1"), ("a", "1"), ("a", "1")]).is_some());
    }

    #[test]
    fn another_result_is_progress() {
        assert_eq!(
            last(&[("a", "1"), ("a", "2"), ("a", "1"), ("a", "2"), ("a", "3")]),
            None
        );
    }

    #[test]
    fn a_duration_is_no_progress() {
        let run = |time: &str| format!("exit status 1 after {time} s\nfinished in {time}ms");
        let results = ["0.1", "0.2", "12.0"].map(run);
        let mut rounds = Rounds::default();
        assert_eq!(rounds.add("run", &results[0]), None);
        assert_eq!(rounds.add("run", &results[1]), None);
        assert!(rounds.add("run", &results[2]).is_some());
        assert_ne!(without_times("3 tests"), without_times("4 tests"));
    }

    #[test]
    fn alternation_is_found_at_the_third_pair() {
        let turn = [("a", "1"), ("b", "2")];
        assert_eq!(last(&turn.repeat(2)), None);
        assert!(last(&turn.repeat(3)).is_some_and(|reason| reason.contains("alternate")));
        let broken = [turn.as_slice(), &[("a", "9"), ("b", "2")], &turn].concat();
        assert_eq!(last(&broken), None);
    }
}
