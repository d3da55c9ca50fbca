//! Whether a reply is an answer: the one place that believes a model nothing.

use std::path::{Component, Path};

use super::citation::Finder;
use super::passage::{Source, render, source_of};
use super::{files, reply};

/// What a reply comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An answer whose every claim has a source that was shown and still says the same.
    Answered {
        /// The answer.
        answer: String,
        /// Its sources, in the order in which they are named.
        citations: Vec<Source>,
    },
    /// The model says that the passages do not hold the answer.
    Missing {
        /// What it would look for.
        notes: String,
    },
    /// It may be true, and nothing shows it.
    Refused {
        /// Everything that is wrong with it.
        reasons: Vec<String>,
        /// Files of the repository that it names and that were not shown: a hint of where to look.
        notes: String,
    },
}

/// Judges a reply to the question that was asked with these passages of the repository at `root`.
///
/// A citation counts when each of its lines was shown in some passage, and the file still reads as it
/// was shown. One that does not makes the whole reply no answer, as does a claim without any.
pub fn judge(root: &Path, text: &str, passages: &[String]) -> Verdict {
    let said = reply::read(text);
    let shown: Vec<_> = passages.iter().filter_map(|one| source_of(one)).collect();
    let finder = match Finder::new(shown) {
        Ok(finder) => finder,
        Err(error) => return refused(format!("the sources cannot be looked for: {error}")),
    };
    let listed = finder.find(&said.sources, true);
    let claims = reply::claims(&said.answer);
    let cited: Vec<_> = claims.iter().map(|one| finder.find(one, false)).collect();
    let mut citations: Vec<Source> = Vec::new();
    for source in cited.iter().flatten().chain(&listed) {
        if !citations.contains(source) {
            citations.push(source.clone());
        }
    }
    if citations.is_empty() && !said.missing.is_empty() {
        let notes = said.missing;
        return Verdict::Missing { notes };
    }
    let mut reasons = Vec::new();
    if claims.is_empty() {
        reasons.push("it answers nothing".to_owned());
    } else if citations.is_empty() {
        reasons.push("it names no source".to_owned());
    } else if listed.is_empty() {
        let bare = claims
            .iter()
            .zip(&cited)
            .filter(|(_, cited)| cited.is_empty());
        reasons.extend(bare.map(|(claim, _)| format!("no source for: {}", start(claim))));
    }
    let mut notes = said.missing;
    for source in &citations {
        let Err(reason) = verify(root, source, passages) else {
            continue;
        };
        if is_file(root, &source.path) && !notes.contains(&source.path) {
            notes.push(' ');
            notes.push_str(&source.path);
        }
        reasons.push(format!("{source} {reason}"));
    }
    if reasons.is_empty() {
        return Verdict::Answered {
            answer: said.answer,
            citations,
        };
    }
    let notes = notes.trim().to_owned();
    Verdict::Refused { reasons, notes }
}

/// Whether there is such a file in the repository: one that was made up would lead the next search
/// astray.
fn is_file(root: &Path, path: &str) -> bool {
    let path = Path::new(path);
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
    path.components().all(inside) && root.join(path).is_file()
}

fn refused(reason: String) -> Verdict {
    Verdict::Refused {
        reasons: vec![reason],
        notes: String::new(),
    }
}

/// Whether all lines of a source were shown, and are still there.
fn verify(root: &Path, cited: &Source, passages: &[String]) -> Result<(), &'static str> {
    if cited.first == 0 || cited.first > cited.last {
        return Err("names no lines");
    }
    let mut shown: Vec<_> = passages
        .iter()
        .filter_map(|passage| Some((source_of(passage)?, passage)))
        .filter(|(source, _)| source.path == cited.path)
        .collect();
    if shown.is_empty() {
        return Err("is not among the passages");
    }
    shown.retain(|(source, _)| source.first <= cited.last && cited.first <= source.last);
    shown.sort_by_key(|(source, _)| source.first);
    let mut next = cited.first;
    for (source, _) in &shown {
        if source.first <= next {
            next = next.max(source.last.saturating_add(1));
        }
    }
    if next <= cited.last {
        return Err("has lines that were not shown");
    }
    let text = files::read(&root.join(&cited.path)).ok().flatten();
    let text = text.ok_or("cannot be read any more")?;
    let same = |(source, passage): &(Source, &String)| {
        render(&text, source).is_some_and(|now| now == **passage)
    };
    if shown.iter().all(same) {
        Ok(())
    } else {
        Err("has changed since it was shown")
    }
}

/// The beginning of a claim.
fn start(claim: &str) -> String {
    const SHOWN: usize = 60;
    let line = claim.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    /// A repository with two files of 50 lines, and what was shown of it.
    fn scene() -> (TempDir, Vec<String>) {
        let folder = TempDir::new().unwrap();
        let lines: Vec<_> = (1..=50).map(|line| format!("line {line}")).collect();
        let text = lines.join("\n");
        for name in ["a.rs", "b.rs"] {
            fs::write(folder.path().join(name), &text).unwrap();
        }
        let shown = ["a.rs:1-20", "a.rs:21-40", "b.rs:11-50"];
        let passages = shown.map(|source| render(&text, &source.parse().unwrap()).unwrap());
        (folder, passages.to_vec())
    }

    fn reasons(verdict: Verdict) -> Vec<String> {
        match verdict {
            Verdict::Refused { reasons, .. } => reasons,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sources_that_were_shown_make_an_answer() {
        let (folder, passages) = scene();
        for (text, expected) in [
            (
                "ANSWER\nIt is so [a.rs:3-4].\n- And so [b.rs:50]",
                &["a.rs:3-4", "b.rs:50-50"][..],
            ),
            // Over two passages that meet.
            ("It is so [a.rs:15-25].", &["a.rs:15-25"]),
            ("It is so.\n\nAnd so.\nSOURCES\na.rs:1-2", &["a.rs:1-2"]),
            ("It is so [b.rs].", &["b.rs:11-50"]),
            // A remark on what is missing does not take the answer back.
            ("It is so [a.rs:1].\nMISSING: the tests", &["a.rs:1-1"]),
        ] {
            match judge(folder.path(), text, &passages) {
                Verdict::Answered { citations, .. } => {
                    let cited: Vec<_> = citations.iter().map(ToString::to_string).collect();
                    assert_eq!(cited, expected, "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_was_not_shown_makes_none() {
        let (folder, passages) = scene();
        for (text, expected) in [
            ("It is so.", "it names no source"),
            ("ANSWER", "it answers nothing"),
            ("SOURCES: a.rs:1-2", "it answers nothing"),
            ("It is so [c.rs:1-2].", "c.rs:1-2 is not among the passages"),
            (
                "It is so [a.rs:39-41].",
                "a.rs:39-41 has lines that were not shown",
            ),
            (
                "It is so [b.rs:5-15].",
                "b.rs:5-15 has lines that were not shown",
            ),
            (
                "It is so [a.rs:9000].",
                "a.rs:9000-9000 has lines that were not shown",
            ),
            ("It is so [a.rs:4-3].", "a.rs:4-3 names no lines"),
            ("It is so [a.rs:0-3].", "a.rs:0-3 names no lines"),
            ("One [a.rs:1].\n\nTwo.", "no source for: Two."),
            (
                "One [/etc/passwd:1].",
                "/etc/passwd:1-1 is not among the passages",
            ),
        ] {
            assert_eq!(
                reasons(judge(folder.path(), text, &passages)),
                [expected],
                "{text}"
            );
        }
        // All at once; a file that is there is where to look next, and one that was made up is not.
        let text = "One [gone/c.rs:1].\n- Two.\n- Three [a.rs:44].";
        let Verdict::Refused { reasons, notes } = judge(folder.path(), text, &passages) else {
            panic!("{text}");
        };
        assert_eq!(reasons.len(), 3, "{reasons:?}");
        assert_eq!(notes, "a.rs");
    }

    #[test]
    fn a_model_that_misses_something_says_what() {
        let (folder, passages) = scene();
        let missing = |text: &str| judge(folder.path(), text, &passages);
        let notes = "retry policy".to_owned();
        assert_eq!(
            missing("MISSING: retry policy"),
            Verdict::Missing {
                notes: notes.clone()
            }
        );
        let text = "ANSWER: The passages do not say.\nMISSING: retry policy";
        assert_eq!(missing(text), Verdict::Missing { notes });
    }

    #[test]
    fn a_file_that_changed_is_no_source() {
        let (folder, passages) = scene();
        let changed = "a.rs:3-3 has changed since it was shown";
        let gone = "b.rs:11-11 cannot be read any more";
        fs::write(folder.path().join("a.rs"), "other\n").unwrap();
        fs::remove_file(folder.path().join("b.rs")).unwrap();
        let verdict = judge(folder.path(), "So [a.rs:3], and so [b.rs:11].", &passages);
        assert_eq!(reasons(verdict), [changed, gone]);
    }
}
