//! What the README shows is what the tools say.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;

use space_core::build::format;
use space_core::diagnostic::render::{Colour, human};
use space_core::diagnostic::{Code, Diagnostic};
use space_core::emit::{Contract, Place, Settings, Together, products};
use space_core::gates::check_folder;
use space_core::parse::folder;

#[test]
fn the_broken_promise_is_told_as_the_readme_tells_it() {
    let root = root();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let shown = readme
        .split("```text\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();

    let copy = tempfile::tempdir().unwrap();
    fs::create_dir(copy.path().join("domain")).unwrap();
    for part in ["base", "domain"] {
        let file = format!("domain/agent_{part}.toml");
        let text = fs::read_to_string(root.join(&file)).unwrap();
        let rule = "on = \"ToolsChanged\"\nto = \"Thinking\"\neffect = \"AskNext\"\n";
        // Of equal length in lines, so that the places are those of the real file.
        let broken = text.replace(rule, "on = \"ToolsChanged\"\nto = \"Answered\"\n\n");
        assert_eq!(broken != text, part == "domain");
        fs::write(copy.path().join(&file), broken).unwrap();
    }
    let folder = folder::read(copy.path(), "domain");
    let checked = check_folder(&folder);
    let violated = |one: &&Diagnostic| one.code == Code::VIOLATED;
    let violated: Vec<_> = checked
        .diagnostics
        .iter()
        .filter(violated)
        .cloned()
        .collect();
    let said = human(&violated, &folder.sources, Colour::Never);
    assert_eq!(said.trim_end(), shown.trim_end());
}

/// The crate that compiles what the README shows, below the repository.
const SHOWN: &str = "tests/fronts/attribute";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn shown(file: &str) -> String {
    fs::read_to_string(root().join(SHOWN).join(file)).unwrap()
}

#[test]
fn the_rust_of_the_readme_is_compiled_and_run_word_for_word() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let files = [shown("src/lib.rs"), shown("tests/triage.rs")];
    let mut blocks = 0;
    for block in readme.split("```rust").skip(1) {
        let (_, block) = block.split_once('\n').unwrap();
        let (block, _) = block.split_once("```").unwrap();
        blocks += 1;
        assert!(
            files.iter().any(|file| file.contains(block)),
            "no file of {SHOWN} has this block of the README:\n{block}"
        );
    }
    assert_eq!(blocks, 6);
}

#[test]
fn the_contract_of_the_readme_is_the_one_that_is_written_for_a_beginner() {
    for part in ["base", "domain"] {
        let template = root().join(format!("agent/src/cli/space/template_{part}.toml"));
        let template = fs::read_to_string(template).unwrap();
        let contract = shown(&format!("domain/triage_{part}.toml"));
        assert_eq!(contract, template.replace("@name@", "triage"));
    }
}

/// `UPDATE=1` writes it.
#[test]
fn the_mock_of_the_readme_is_the_one_that_is_generated() {
    let folder = folder::read(&root().join(SHOWN), "domain");
    let checked = check_folder(&folder);
    let (pair, model) = &checked.passed[0];
    let contract = Contract {
        base: &pair.base,
        domain: &pair.domain,
        model,
    };
    let place = Place {
        krate: "front_attribute".to_owned(),
        domain: "domain".to_owned(),
        shown: "domain".to_owned(),
    };
    let together = Together {
        compositions: &folder.compositions,
        composed: &[],
    };
    let all = products(&[contract], together, &Settings::default(), &place, &format);
    let mock = all.iter().find(|file| file.path.ends_with("_mock.rs"));
    let path = root().join(SHOWN).join("tests/triage/mock.rs");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &mock.unwrap().text).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), mock.unwrap().text);
}
