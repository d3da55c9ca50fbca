//! Every rule of the contract diff has a literate fixture: `fixtures/diff/D0103.md`.
//!
//! A fixture is Markdown with two sections: `## Old` holds files, as fenced blocks whose info string is
//! `toml NAME`; `## New` holds the files that differ (`absent NAME` drops one), and in a `text` block
//! exactly what the comparison prints. `UPDATE=1 cargo test -p space-tests --test diff` writes the `text`
//! blocks, and the table of rules in `space-core/src/diff/rules.md`.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use space_core::contract::Sources;
use space_core::diagnostic::render::Colour;
use space_core::diff::{
    ComposedVersion, Finding, RULES, RuleId, Version, added, compare, compare_compositions,
    removed, report,
};
use space_core::gates::{FolderCheck, check_folder};
use space_core::parse::folder::{self, Folder};

/// Too large a product is none of a readable size: the simulation's own tests have it.
const WITHOUT_FIXTURE: &[RuleId] = &[RuleId::UNDECIDED];

type Files = BTreeMap<String, String>;

fn read(files: &Files) -> Folder {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    folder::read(dir.path(), ".")
}

fn versions<'a>(checked: &'a FolderCheck<'a>, first_file: u32) -> Vec<Version<'a>> {
    assert!(!checked.failed(), "{:#?}", checked.diagnostics);
    let passed = checked.passed.iter();
    let version = |(pair, model): &'a (&folder::Pair, _)| Version {
        base: &pair.base,
        domain: &pair.domain,
        model,
        first_file,
    };
    passed.map(version).collect()
}

fn diff(old: &Files, new: &Files) -> (Vec<Finding>, Sources) {
    let (old, new) = (read(old), read(new));
    let mut sources = Sources::default();
    sources.append(&new.sources, "new/");
    let first = sources.append(&old.sources, "old/");
    let (before, after) = (check_folder(&old), check_folder(&new));
    let (before, after) = (versions(&before, first), versions(&after, 0));
    let named = |list: &[Version<'_>], name: &str| {
        let mut list = list.iter().copied();
        list.position(|one| one.model.name == name)
    };
    let mut out = Vec::new();
    for one in &before {
        match named(&after, &one.model.name) {
            Some(at) => out.extend(compare(*one, after[at])),
            None => out.push(removed(*one)),
        }
    }
    let fresh = after
        .iter()
        .filter(|one| named(&before, &one.model.name).is_none());
    out.extend(fresh.map(|one| added(*one)));
    let composed = |folder: &'_ Folder| folder.compositions.clone();
    let (before, after) = (composed(&old), composed(&new));
    out.extend(compare_compositions(
        ComposedVersion {
            compositions: &before,
            first_file: first,
        },
        ComposedVersion {
            compositions: &after,
            first_file: 0,
        },
    ));
    (out, sources)
}

#[test]
fn every_fixture_gives_what_it_says() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut wrong = Vec::new();
    for path in fixtures() {
        let text = fs::read_to_string(&path).unwrap();
        let fixture = Fixture::read(&text);
        let name = path.file_stem().unwrap().to_str().unwrap();
        let rule = RuleId::parse(name).unwrap_or_else(|| panic!("{name} is no rule"));
        let title = format!("# {rule}: {}", rule.info().title);
        if text.lines().next() != Some(&title) {
            wrong.push(format!("{name}: the first line is not `{title}`"));
        }
        let mut new = fixture.old.clone();
        new.extend(fixture.new.clone());
        for name in &fixture.dropped {
            new.remove(name);
        }
        let (found, sources) = diff(&fixture.old, &new);
        if !found.iter().any(|one| one.rule == rule) {
            let found: Vec<_> = found.iter().map(|one| one.rule).collect();
            wrong.push(format!("{name}: gives {found:?}"));
        }
        let printed = report::human(&found, &sources, Colour::Never);
        if update {
            fs::write(&path, fixture.with_expected(&text, &printed)).unwrap();
        } else if printed != fixture.expected {
            wrong.push(format!(
                "{name}: expected\n{}\nfound\n{printed}",
                fixture.expected
            ));
        }
        for files in [&fixture.old, &new] {
            let (found, _) = diff(files, files);
            assert!(found.is_empty(), "{name}: a version differs from itself");
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nRun with UPDATE=1 to accept what is printed.",
        wrong.join("\n")
    );
}

#[test]
fn every_rule_has_a_fixture() {
    let covered: BTreeSet<_> = fixtures()
        .iter()
        .filter_map(|path| RuleId::parse(path.file_stem()?.to_str()?))
        .collect();
    for info in RULES {
        assert_ne!(
            covered.contains(&info.id),
            WITHOUT_FIXTURE.contains(&info.id),
            "{}: a rule has a fixture, or is listed as being without one",
            info.id
        );
    }
}

#[test]
fn the_docs_hold_the_table_of_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../space-core/src/diff/rules.md");
    let table = space_core::diff::rules_table();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &table).unwrap();
    }
    assert_eq!(
        fs::read_to_string(path).unwrap(),
        table,
        "run with UPDATE=1"
    );
}

#[test]
fn no_change_of_the_compositions_goes_unsaid() {
    let text = fs::read_to_string(fixtures_dir().join("D0411.md")).unwrap();
    let fixture = Fixture::read(&text);
    let with = |text: &str| {
        let mut files = fixture.old.clone();
        files.insert("composition.toml".to_owned(), text.to_owned());
        files
    };
    let chain =
        |name: &str| format!("[[series]]\nname = \"{name}\"\nspaces = [\"first\", \"second\"]\n");
    let rules = |old: &str, new: &str| -> Vec<RuleId> {
        let (found, _) = diff(&with(old), &with(new));
        found.iter().map(|one| one.rule).collect()
    };
    let (one, two) = (chain("one"), chain("two"));
    let both = format!("{one}{two}");
    assert_eq!(rules(&both, &format!("{two}{one}")), [RuleId::ORDER]);
    assert_eq!(
        rules(&both, &format!("# prose\n{both}doc = \"prose\"\n")),
        []
    );
    // A limit that was none is lowered, one that is none any more is raised.
    let looped = |limits: &str| {
        format!(
            "[[feedback]]\nname = \"again\"\nspace = \"first\"\n\
             router = [{{ when = \"state:Failed\", to_event = \"Start\" }}]\n{limits}\n"
        )
    };
    let (rounds, time) = (looped("max_rounds = 3"), looped("timeout_ms = 9"));
    assert_eq!(
        rules(&rounds, &time),
        [RuleId::LOOP_TIGHTER, RuleId::LOOP_WIDER]
    );
    // The space of a loop's points goes without saying.
    let said = rounds.replace("state:Failed", "first.state:Failed");
    assert_eq!(rules(&rounds, &said), [RuleId::ORDER]);
}

#[test]
fn json_is_one_object_a_line() {
    for path in fixtures() {
        let fixture = Fixture::read(&fs::read_to_string(&path).unwrap());
        let mut new = fixture.old.clone();
        new.extend(fixture.new.clone());
        let (found, sources) = diff(&fixture.old, &new);
        let text = report::json(&found, &sources);
        assert_eq!(text.lines().count(), found.len());
        for (line, one) in text.lines().zip(&found) {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(value["rule"], one.rule.to_string());
            assert_eq!(value["run"].is_null(), one.run.is_none());
            let place = value["path"].as_str().unwrap();
            let gone = [RuleId::SPACE_REMOVED, RuleId::COMPOSITION_REMOVED];
            assert!(place.starts_with("new/") || gone.contains(&one.rule));
        }
    }
}

fn fixtures_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diff")
}

fn fixtures() -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(fixtures_dir())
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
    old: Files,
    new: Files,
    expected: String,
    dropped: Vec<String>,
}

impl Fixture {
    fn read(text: &str) -> Self {
        let mut fixture = Self::default();
        let mut lines = text.lines();
        let mut is_new = false;
        while let Some(line) = lines.next() {
            match line {
                "## Old" => is_new = false,
                "## New" => is_new = true,
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
            let files = if is_new {
                &mut fixture.new
            } else {
                &mut fixture.old
            };
            match info.split_once(' ').unwrap_or((info, "")) {
                ("text", "") if is_new => fixture.expected = body,
                ("absent", name) if is_new => fixture.dropped.push(name.to_owned()),
                ("toml", name) if !name.is_empty() => {
                    files.insert(name.to_owned(), body);
                }
                _ => panic!("a block of no known kind: {line}"),
            }
        }
        fixture
    }

    /// The fixture's text with another expectation.
    fn with_expected(&self, text: &str, printed: &str) -> String {
        let old = format!("```text\n{}```", self.expected);
        assert!(text.contains(&old), "the new part has no text block");
        text.replacen(&old, &format!("```text\n{printed}```"), 1)
    }
}
