//! Every diagnostic code has a literate fixture: `fixtures/diagnostics/S0102.md`; some have a second
//! one, `S0601-compositions.md`.
//!
//! A fixture is Markdown with two sections. `## Fails` holds files, as fenced blocks whose info
//! string is `toml NAME` (or `hex NAME` for files that are not text), and in a `text` block
//! exactly what the checks print. `## Passes` holds the nearest contract that is right: only the
//! files that differ, and nothing is printed. Prose in between is free.
//!
//! Blocks of one file follow each other. `repeat N NAME` stands for N times its text, with the number
//! of each for `{n}`. Files named `base.toml` and `domain.toml` are checked as one contract, without a
//! folder to pair them.
//!
//! `UPDATE=1 cargo test -p space-tests --test diagnostics` writes the `text` blocks.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use space_core::contract::Sources;
use space_core::diagnostic::render::{Colour, human};
use space_core::diagnostic::{CODES, Code, Diagnostic, Severity, explain, sort};
use space_core::gates;
use space_core::parse::{folder, parse_space_base, parse_space_domain};

/// What the checks find in a folder of these files, and what they print of it.
fn check(files: &BTreeMap<String, Vec<u8>>) -> (Vec<Diagnostic>, String) {
    if let (Some(base), Some(domain)) = (files.get("base.toml"), files.get("domain.toml")) {
        return check_contract(base, domain);
    }
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(dir.path().join(name), bytes).unwrap();
    }
    let folder = folder::read(dir.path(), ".");
    let diagnostics = gates::check_folder(&folder).diagnostics;
    let text = human(&diagnostics, &folder.sources, Colour::Never);
    (diagnostics, text)
}

/// What the checks find in two files that belong together whatever they are named.
fn check_contract(base: &[u8], domain: &[u8]) -> (Vec<Diagnostic>, String) {
    let mut sources = Sources::default();
    let (base, domain) = [("base.toml", base), ("domain.toml", domain)]
        .map(|(name, bytes)| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            (sources.add(name, text.clone()), text)
        })
        .into();
    let base = parse_space_base(&base.1, base.0);
    let domain = parse_space_domain(&domain.1, domain.0);
    let mut diagnostics = gates::check(&base.value, &domain.value).diagnostics;
    diagnostics.extend(base.diagnostics);
    diagnostics.extend(domain.diagnostics);
    sort(&mut diagnostics, &sources);
    let text = human(&diagnostics, &sources, Colour::Never);
    (diagnostics, text)
}

#[test]
fn every_fixture_fails_and_passes_as_it_says() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut wrong = Vec::new();
    for path in fixtures() {
        let text = fs::read_to_string(&path).unwrap();
        let fixture = Fixture::read(&text);
        let name = path.file_stem().unwrap().to_str().unwrap();
        let code = code_of(&path).unwrap_or_else(|| panic!("{name} is no code"));
        let title = format!("# {code}: {}", code.info().title);
        if text.lines().next() != Some(&title) {
            wrong.push(format!("{name}: the first line is not `{title}`"));
        }

        let (found, printed) = check(&fixture.fails);
        if !found.iter().any(|one| one.code == code) {
            wrong.push(format!("{name}: the failing part does not give {code}"));
        }
        if update {
            fs::write(&path, fixture.with_expected(&text, &printed)).unwrap();
        } else if printed != fixture.expected {
            wrong.push(format!(
                "{name}: expected\n{}\nfound\n{printed}",
                fixture.expected
            ));
        }

        let mut passes = fixture.fails.clone();
        passes.extend(fixture.passes.clone());
        for name in &fixture.dropped {
            passes.remove(name);
        }
        if passes == fixture.fails {
            wrong.push(format!("{name}: the passing part is the failing part"));
        }
        let (_, printed) = check(&passes);
        if !printed.is_empty() {
            wrong.push(format!("{name}: the passing part gives\n{printed}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nRun with UPDATE=1 to accept what is printed.",
        wrong.join("\n")
    );
}

/// The code of `S0102.md`, or of `S0102-compositions.md`, a second fixture for it.
fn code_of(path: &Path) -> Option<Code> {
    let stem = path.file_stem()?.to_str()?;
    Code::parse(stem.split_once('-').map_or(stem, |(code, _)| code))
}

#[test]
fn every_code_has_a_fixture() {
    let covered: BTreeSet<_> = fixtures().iter().filter_map(|path| code_of(path)).collect();
    for info in CODES {
        assert!(covered.contains(&info.code), "{} has no fixture", info.code);
    }
}

#[test]
fn every_code_is_explained() {
    for info in CODES {
        let text = explain(info.code);
        assert!(text.starts_with(&format!("# {}: {}", info.code, info.title)));
        assert!(text.matches("```toml").count() >= 1, "{}", info.code);
    }
}

#[test]
fn the_contracts_of_the_repository_pass() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = folder::read(&root, "domain");
    assert!(folder.pairs.iter().all(|pair| pair.sound));
    let mut diagnostics = gates::check_folder(&folder).diagnostics;
    // Notes are facts, not faults.
    diagnostics.retain(|one| one.severity() != Severity::Note);
    let text = human(&diagnostics, &folder.sources, Colour::Never);
    assert!(diagnostics.is_empty(), "{text}");
    assert!(!folder.pairs.is_empty());
}

fn fixtures() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diagnostics");
    let mut paths: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "md"))
        .collect();
    paths.sort();
    paths
}

/// The blocks of a fixture.
#[derive(Default)]
struct Fixture {
    fails: BTreeMap<String, Vec<u8>>,
    expected: String,
    passes: BTreeMap<String, Vec<u8>>,
    /// Files that the passing part does not have: blocks `absent NAME`.
    dropped: Vec<String>,
}

impl Fixture {
    fn read(text: &str) -> Self {
        let mut fixture = Self::default();
        let mut passing = false;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            match line {
                "## Fails" => passing = false,
                "## Passes" => passing = true,
                _ => {}
            }
            let Some(info) = line.strip_prefix("```") else {
                continue;
            };
            let body: String = lines
                .by_ref()
                .take_while(|line| *line != "```")
                .flat_map(|line| [line, "\n"])
                .collect();
            let files = if passing {
                &mut fixture.passes
            } else {
                &mut fixture.fails
            };
            match info.split_once(' ').unwrap_or((info, "")) {
                ("text", "") if !passing => fixture.expected = body,
                ("absent", name) if passing => fixture.dropped.push(name.to_owned()),
                ("toml", name) if !name.is_empty() => {
                    let file = files.entry(name.to_owned()).or_default();
                    file.extend(body.into_bytes());
                }
                ("repeat", how) if how.contains(' ') => {
                    let (times, name) = how.split_once(' ').unwrap();
                    let file = files.entry(name.to_owned()).or_default();
                    for n in 1..=times.parse::<u32>().unwrap() {
                        file.extend(body.replace("{n}", &n.to_string()).into_bytes());
                    }
                }
                ("hex", name) if !name.is_empty() => {
                    files.insert(name.to_owned(), bytes(&body));
                }
                _ => panic!("a block of no known kind: {line}"),
            }
        }
        fixture
    }

    /// The fixture's text with another expectation.
    fn with_expected(&self, text: &str, printed: &str) -> String {
        let old = format!("```text\n{}```", self.expected);
        let new = format!("```text\n{printed}```");
        assert!(text.contains(&old), "the failing part has no text block");
        text.replacen(&old, &new, 1)
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.split_whitespace();
    digits
        .map(|two| u8::from_str_radix(two, 16).unwrap())
        .collect()
}
