//! What the README shows is what the tools say.

use std::fs;
use std::path::Path;

use space_core::diagnostic::render::{Colour, human};
use space_core::diagnostic::{Code, Diagnostic};
use space_core::gates::check_folder;
use space_core::parse::folder;

#[test]
fn the_broken_promise_is_told_as_the_readme_tells_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
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
