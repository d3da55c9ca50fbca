//! Passages of a repository that speak of a question.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::passage::{Source, render};
use super::rank::{Ranked, Windows};
use super::{files, terms};

/// Windows that are taken, at most.
const WINDOWS: usize = 8;

/// Windows that are looked at, at most: those that do not fit cost time too.
const LOOKED_AT: usize = 64;

/// Bytes of all passages at most: some five thousand tokens, which leaves small models room.
const BYTES: usize = 16 << 10;

/// A term of the notes counts for so many of the question: they say what was missing.
const NOTES: f64 = 2.0;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Each with its source on the first line, best first.
    pub passages: Vec<String>,
    /// The words that were searched for, in whatever form, in the order of letters.
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
    let mut shown = terms::of_question(question);
    let mut weights: BTreeMap<_, _> = shown.keys().map(|term| (term.clone(), 1.0)).collect();
    if !notes.trim().is_empty() {
        let missed = terms::of_question(notes);
        weights.extend(missed.keys().map(|term| (term.clone(), NOTES)));
        shown.extend(missed);
    }
    let mut windows = Windows::new(weights);
    let walked = files::walk(root, stop, |path, text| windows.add(path, text));
    let walked = walked.map_err(|error| SearchError {
        root: root.to_owned(),
        error,
    })?;
    Ok(Found {
        passages: best(root, &windows.ranked()),
        terms: shown.into_values().collect(),
        files: walked.files,
        skipped: walked.skipped,
        partial: walked.partial,
    })
}

/// The first windows that fit. One that overlaps an earlier one, or meets it, is put together with it:
/// what is best often lies around the best.
fn best(root: &Path, ranked: &[Ranked<'_>]) -> Vec<String> {
    let mut chosen: Vec<Passage> = Vec::new();
    let mut taken = 0;
    for window in ranked.iter().take(LOOKED_AT) {
        if taken == WINDOWS {
            break;
        }
        let (mut first, mut last) = window.lines;
        let meets = |one: &Passage| {
            let Source {
                path,
                first: from,
                last: to,
            } = &one.source;
            *path == window.path && *from <= last + 1 && first <= *to + 1
        };
        let (met, mut others): (Vec<_>, Vec<_>) = chosen.iter().cloned().partition(meets);
        for Passage { source, .. } in &met {
            (first, last) = (first.min(source.first), last.max(source.last));
        }
        if met
            .iter()
            .any(|one| one.source.first == first && one.source.last == last)
        {
            continue;
        }
        let source = Source {
            path: window.path.to_owned(),
            first,
            last,
        };
        // A file may have gone, or changed, since it was counted.
        let text = files::read(&root.join(window.path)).ok().flatten();
        let Some(text) = text.and_then(|text| render(&text, &source)) else {
            continue;
        };
        let rank = met.iter().map(|one| one.rank).min().unwrap_or(taken);
        others.push(Passage { rank, source, text });
        if others.iter().map(|one| one.text.len()).sum::<usize>() <= BYTES {
            chosen = others;
            taken += 1;
        }
    }
    chosen.sort_by_key(|one| one.rank);
    chosen.into_iter().map(|one| one.text).collect()
}

#[derive(Clone)]
struct Passage {
    /// Of the best window in it.
    rank: usize,
    source: Source,
    text: String,
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
    fn windows_that_meet_are_one_passage() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let mut lines = vec!["nothing".to_owned(); 200];
        for at in [30, 70, 150] {
            lines[at - 1] = "the quota".to_owned();
        }
        fs::write(root.join("a.txt"), lines.join("\n")).unwrap();
        let mut found = sources(&found(root, "quota", ""));
        found.sort();
        // Lines 30 and 70 are in windows that meet, 150 is far from both.
        assert_eq!(found, ["a.txt:1-100", "a.txt:121-180"]);
    }

    #[test]
    fn passages_are_few_and_small_and_do_not_overlap() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let lines = "the quota stands in this line of many words that fill it\n".repeat(2_000);
        fs::write(root.join("a.txt"), &lines).unwrap();
        let found = found(root, "quota", "");
        let bytes: usize = found.passages.iter().map(String::len).sum();
        assert!(BYTES / 2 < bytes && bytes <= BYTES, "{bytes}");
        let mut sources: Vec<_> = found
            .passages
            .iter()
            .filter_map(|one| source_of(one))
            .collect();
        sources.sort();
        for pair in sources.windows(2) {
            assert!(pair[0].last + 1 < pair[1].first, "{pair:?}");
        }
        let lines: usize = sources.iter().map(|one| one.last + 1 - one.first).sum();
        assert!(lines <= WINDOWS * 40, "{lines}");
    }
}
