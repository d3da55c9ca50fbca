//! Passages of a repository that speak of a question.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::passage::{Source, render};
use super::rank::{Ranked, Windows};
use super::{files, terms};

/// Passages at most.
const PASSAGES: usize = 8;

/// Bytes of all passages at most: some five thousand tokens, which leaves small models room.
const BYTES: usize = 16 << 10;

/// A term of the notes counts for so many of the question: they say what was missing.
const NOTES: f64 = 2.0;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Each with its source on the first line, best first.
    pub passages: Vec<String>,
    /// What was searched for, in the order of letters.
    pub terms: Vec<String>,
    /// Files that were read.
    pub files: usize,
    /// Files that were not: too large, no text, not readable.
    pub skipped: usize,
    /// Whether there was more to read than is read.
    pub partial: bool,
}

/// The repository cannot be searched.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be searched: {error}", root.display())]
pub struct SearchError {
    /// Its folder.
    pub root: PathBuf,
    /// Why.
    pub error: io::Error,
}

/// Finds the passages below `root` that speak most of a question, and of the notes from an earlier
/// attempt. Reads every file once: linear in the size of the repository. It ends early, and says so,
/// when `stop` is set.
///
/// # Errors
/// When the folder cannot be read. Files that cannot be are counted.
pub fn search(
    root: &Path,
    question: &str,
    notes: &str,
    stop: &AtomicBool,
) -> Result<Found, SearchError> {
    let asked = terms::of_question(question);
    let mut weights: BTreeMap<_, _> = asked.into_iter().map(|term| (term, 1.0)).collect();
    if !notes.trim().is_empty() {
        let missed = terms::of_question(notes);
        weights.extend(missed.into_iter().map(|term| (term, NOTES)));
    }
    let searched = weights.keys().cloned().collect();
    let mut windows = Windows::new(weights);
    let walked = files::walk(root, stop, |path, text| windows.add(path, text));
    let walked = walked.map_err(|error| SearchError {
        root: root.to_owned(),
        error,
    })?;
    Ok(Found {
        passages: best(root, &windows.ranked()),
        terms: searched,
        files: walked.files,
        skipped: walked.skipped,
        partial: walked.partial,
    })
}

/// The first windows that do not overlap, and fit.
fn best(root: &Path, ranked: &[Ranked<'_>]) -> Vec<String> {
    let mut chosen: Vec<&Ranked<'_>> = Vec::new();
    let mut passages = Vec::new();
    let mut left = BYTES;
    for window in ranked {
        if passages.len() == PASSAGES {
            break;
        }
        let overlaps =
            |one: &&Ranked<'_>| one.path == window.path && one.start.abs_diff(window.start) < 2;
        if chosen.iter().any(|one| overlaps(one)) {
            continue;
        }
        // A file may have gone, or changed, since it was counted.
        let Ok(Some(text)) = files::read(&root.join(window.path)) else {
            continue;
        };
        let source = Source {
            path: window.path.to_owned(),
            first: window.lines.0,
            last: window.lines.1,
        };
        let Some(passage) = render(&text, &source) else {
            continue;
        };
        if passage.len() <= left {
            left -= passage.len();
            chosen.push(window);
            passages.push(passage);
        }
    }
    passages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::passage::source_of;
    use std::fs;

    fn found(root: &Path, question: &str, notes: &str) -> Found {
        search(root, question, notes, &AtomicBool::new(false)).unwrap()
    }

    fn sources(found: &Found) -> Vec<String> {
        let sources = found.passages.iter().map(|text| source_of(text).unwrap());
        sources.map(|source| source.to_string()).collect()
    }

    #[test]
    fn what_speaks_of_the_question_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("README.md"), "A tool. It retries.\n").unwrap();
        let code = "fn retryAfter() {}\n// the quota of retries\n";
        fs::write(root.join("limits.rs"), code).unwrap();
        fs::write(root.join("other.rs"), "fn other() {}\n").unwrap();

        let of_question = found(root, "How is the retry quota set?", "");
        assert_eq!(sources(&of_question), ["limits.rs:1-2", "README.md:1-1"]);
        assert_eq!(of_question.terms, ["quota", "retry", "set"]);
        assert_eq!((of_question.files, of_question.partial), (3, false));
        assert_eq!(of_question, found(root, "How is the retry quota set?", ""));

        // The notes decide.
        let narrowed = found(root, "How is the retry quota set?", "other");
        assert_eq!(sources(&narrowed)[0], "other.rs:1-1");
        assert!(found(root, "unheard of", "").passages.is_empty());
        assert!(search(&root.join("absent"), "x", "", &AtomicBool::new(false)).is_err());
    }

    #[test]
    fn passages_are_few_and_small_and_do_not_overlap() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let lines = "the quota stands in this line of many words that fill it\n".repeat(2_000);
        fs::write(root.join("a.txt"), &lines).unwrap();
        let found = found(root, "quota", "");
        let bytes: usize = found.passages.iter().map(String::len).sum();
        assert!(bytes <= BYTES && found.passages.len() <= PASSAGES);
        assert!(found.passages.len() > 3, "{bytes}");
        let mut sources: Vec<_> = found
            .passages
            .iter()
            .flat_map(|one| source_of(one))
            .collect();
        sources.sort();
        for pair in sources.windows(2) {
            assert!(pair[0].last < pair[1].first, "{pair:?}");
        }
    }
}
