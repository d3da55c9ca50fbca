//! The contract front on texts that nobody would write: mended and broken fixtures, edited at random.
//!
//! `PROPTEST_CASES=1000000 cargo test --release -p space-tests --test fuzz` runs longer;
//! `cargo +nightly fuzz run --fuzz-dir tests/fuzz front` lets coverage choose the edits.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use space_tests::front::{check, join};

/// The contracts of `domain/`, and both halves of every fixture.
static SEEDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut seeds = Vec::new();
    let domain = root().join("../domain");
    let read = |name: String| fs::read_to_string(domain.join(name)).unwrap();
    for name in ["agent", "reasoning", "retrieval", "supervisor"] {
        seeds.push(join(
            &read(format!("{name}_base.toml")),
            &read(format!("{name}_domain.toml")),
            &read("composition.toml".to_owned()),
        ));
    }
    for path in paths(&root().join("fixtures/diagnostics"), "md") {
        let text = fs::read_to_string(path).unwrap();
        let (fails, passes) = text.split_once("\n## Passes").unwrap_or((&text, ""));
        let mut files = blocks(fails);
        seeds.push(seed(&files));
        files.extend(blocks(passes));
        seeds.push(seed(&files));
    }
    seeds
});

/// Words of the format, to be put where they do not belong.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let is_word = |one: char| one.is_alphanumeric() || "_:*!?<>".contains(one);
    let mut words: Vec<_> = SEEDS
        .iter()
        .flat_map(|seed| seed.split(|one| !is_word(one)))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.extend(
        [
            "\"", "'", "[", "]", "[[", "{", "}", "=", ",", "\n", "é", "\u{0}",
        ]
        .map(str::to_owned),
    );
    words.sort();
    words.dedup();
    words
});

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn paths(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|one| one == extension))
        .collect();
    paths.sort();
    paths
}

/// The fenced files of a fixture.
fn blocks(text: &str) -> BTreeMap<String, String> {
    let parts = text.split("```toml ").skip(1);
    let block = |part: &str| {
        let (name, rest) = part.split_once('\n')?;
        let (body, _) = rest.split_once("\n```")?;
        Some((name.to_owned(), body.to_owned()))
    };
    parts.filter_map(block).collect()
}

fn seed(files: &BTreeMap<String, String>) -> String {
    let file = |suffix: &str| {
        let mut found = files.iter().filter(|(name, _)| name.ends_with(suffix));
        found.next().map_or("", |(_, text)| text)
    };
    join(
        file("_base.toml"),
        file("_domain.toml"),
        file("composition.toml"),
    )
}

/// One change of a text; positions wrap.
#[derive(Clone, Debug)]
enum Edit {
    /// A word for another one.
    Word(u32, u32),
    DropLine(u32),
    RepeatLine(u32, u32),
    /// A line of another seed.
    Foreign(u32, u32, u32),
    Cut(u32, u8),
    Insert(u32, u32),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<u32>;
    prop_oneof![
        4 => (at(), at()).prop_map(|(at, word)| Edit::Word(at, word)),
        2 => at().prop_map(Edit::DropLine),
        2 => (at(), at()).prop_map(|(from, to)| Edit::RepeatLine(from, to)),
        1 => (at(), at(), at()).prop_map(|(seed, line, to)| Edit::Foreign(seed, line, to)),
        1 => (at(), any::<u8>()).prop_map(|(at, length)| Edit::Cut(at, length)),
        1 => (at(), at()).prop_map(|(at, word)| Edit::Insert(at, word)),
    ]
}

fn pick<T>(list: &[T], at: u32) -> &T {
    &list[at as usize % list.len()]
}

fn apply(text: &str, edit: &Edit) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let wrapped = |at: u32, length: usize| at as usize % length;
    match *edit {
        Edit::Word(at, word) => {
            let is_word = |one: char| one.is_alphanumeric() || one == '_';
            let mut at = wrapped(at, text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let start = text[..at].rfind(|one| !is_word(one)).map_or(0, |before| {
                before + text[before..].chars().next().map_or(0, char::len_utf8)
            });
            let end = text[at..]
                .find(|one| !is_word(one))
                .map_or(text.len(), |end| at + end);
            return format!(
                "{}{}{}",
                &text[..start],
                pick(&WORDS, word),
                &text[end.max(start)..]
            );
        }
        Edit::DropLine(at) => {
            lines.remove(wrapped(at, lines.len()));
        }
        Edit::RepeatLine(from, to) => {
            let line = *pick(&lines, from);
            lines.insert(wrapped(to, lines.len()), line);
        }
        Edit::Foreign(seed, line, to) => {
            let others: Vec<_> = pick(&SEEDS, seed).split('\n').collect();
            let line = *pick(&others, line);
            lines.insert(wrapped(to, lines.len()), line);
        }
        Edit::Cut(at, length) => {
            let start = text.floor_char_boundary(wrapped(at, text.len() + 1));
            let end = text.ceil_char_boundary((start + usize::from(length)).min(text.len()));
            return format!("{}{}", &text[..start], &text[end..]);
        }
        Edit::Insert(at, word) => {
            let at = text.floor_char_boundary(wrapped(at, text.len() + 1));
            return format!("{}{}{}", &text[..at], pick(&WORDS, word), &text[at..]);
        }
    }
    lines.join("\n")
}

#[test]
fn every_seed_goes_through() {
    assert!(SEEDS.len() > 100, "the fixtures are read");
    SEEDS.iter().for_each(|seed| check(seed));
}

/// What coverage-guided runs found worth keeping, regressions first of all.
#[test]
fn the_corpus_goes_through() {
    for path in paths(&root().join("fuzz/corpus/front"), "txt") {
        check(&String::from_utf8_lossy(&fs::read(path).unwrap()));
    }
}

proptest! {
    #[test]
    fn edited_contracts_go_through(
        seed in any::<u32>(),
        edits in proptest::collection::vec(edit(), 1..8),
    ) {
        let mut text = pick(&SEEDS, seed).clone();
        for edit in &edits {
            text = apply(&text, edit);
        }
        check(&text);
    }
}
