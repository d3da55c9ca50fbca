//! `agent space …`, from outside.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/scene.rs"]
mod scene;
#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/space.rs"]
mod space;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::Value;
use space::{done, fails, folder, space, with_golden};
use tempfile::TempDir;

/// A pair with an error: the initial state is gone.
fn broken() -> TempDir {
    let folder = folder();
    done(folder.path(), &["new", "triage"]);
    let base = folder.path().join("domain/triage_base.toml");
    let text = fs::read_to_string(&base).unwrap();
    fs::write(
        &base,
        text.replace("is_initial = true", "is_initial = false"),
    )
    .unwrap();
    folder
}

#[test]
fn findings_are_written_in_four_forms() {
    let folder = broken();
    let check = |format: &str| {
        let output = space(folder.path(), &["check", "--format", format]);
        assert_eq!(output.status.code(), Some(1), "{format}");
        String::from_utf8(output.stdout).unwrap()
    };
    let human = check("human");
    assert!(
        human.contains("error[S0") && human.contains("0 of 1 space pass"),
        "{human}"
    );

    let lines: Vec<Value> = check("json")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let error = lines.iter().find(|one| one["severity"] == "error").unwrap();
    let code = error["code"].as_str().unwrap();
    assert!(human.contains(code));
    let path = error["path"].as_str().unwrap();
    assert!(path.starts_with("domain/triage_") && error["line"].as_u64() >= Some(1));

    let sarif: Value = serde_json::from_str(&check("sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(
        results
            .iter()
            .any(|one| one["ruleId"] == code && one["level"] == "error")
    );

    let github = check("github");
    assert!(
        github.starts_with(&format!("::error file={path},line=")),
        "{github}"
    );
    assert!(github.contains(code));
}

#[test]
fn a_folder_that_holds_no_contracts_is_an_error_that_says_what_to_do() {
    let folder = folder();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let said = fails(folder.path(), &["check", "empty"], 2);
    assert!(said.contains("agent space new"), "{said}");
    assert!(fails(folder.path(), &["check", "absent"], 2).contains("no folder absent"));
    assert!(
        fails(folder.path(), &["graph", "x", "--dir", "absent"], 2).contains("no folder absent")
    );
    assert!(fails(folder.path(), &["build"], 2).contains("init --front build"));
}

/// A link that leads back to itself is one finding, and the others are judged all the same.
#[test]
fn links_in_circles_are_findings() {
    let folder = folder();
    done(folder.path(), &["new", "triage"]);
    let domain = folder.path().join("domain");
    symlink(".", domain.join("here")).unwrap();
    assert!(done(folder.path(), &["check"]).contains("1 space passes"));
    symlink("odd_base.toml", domain.join("odd_base.toml")).unwrap();
    let output = space(folder.path(), &["check"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("domain/odd_base.toml") && said.contains("1 of 2 spaces pass"),
        "{said}"
    );
}

/// Facts are a line each, after the faults.
#[test]
fn notes_are_short() {
    let folder = folder();
    done(folder.path(), &["new", "triage"]);
    let said = done(folder.path(), &["check"]);
    let lines: Vec<_> = said.lines().collect();
    let [note, "", "1 space passes: 1 note"] = lines.as_slice() else {
        panic!("{said}");
    };
    assert!(
        note.starts_with("note[S0506]: the rules have a cycle: ")
            && note.contains("  domain/triage_domain.toml:"),
        "{note}"
    );
}

/// What is broken counts, and so do compositions.
#[test]
fn a_summary_counts_everything_that_is_there() {
    let folder = folder();
    done(folder.path(), &["new", "triage"]);
    let domain = folder.path().join("domain");
    fs::write(domain.join("torn_base.toml"), "[meta\n").unwrap();
    fs::write(domain.join("torn_domain.toml"), "[meta]\nname = \"torn\"\n").unwrap();
    fs::write(domain.join("half_base.toml"), "[meta]\nname = \"half\"\n").unwrap();
    let last = |text: &str| text.lines().last().unwrap_or_default().to_owned();
    let check = || last(&String::from_utf8(space(folder.path(), &["check"]).stdout).unwrap());
    let said = check();
    assert!(said.starts_with("1 of 3 spaces pass: 3 errors"), "{said}");
    let again = "[[feedback]]\nname = \"again\"\nspace = \"triage\"\nmax_rounds = 2\n\
                 router = [{ when = \"state:Failed\", to_event = \"WorkGiven\" }]\n";
    let lost = "[[series]]\nname = \"lost\"\nspaces = [\"triage\", \"torn\"]\n";
    fs::write(domain.join("composition.toml"), format!("{again}{lost}")).unwrap();
    let said = check();
    assert!(
        said.starts_with("1 of 3 spaces and 1 of 2 compositions pass: "),
        "{said}"
    );
    fs::write(domain.join("composition.toml"), "[[feedback]").unwrap();
    let said = check();
    let no = "1 of 3 spaces pass, and no composition could be read: ";
    assert!(said.starts_with(no), "{said}");
}

/// A crate for products beside a pair.
fn golden() -> TempDir {
    let folder = folder();
    done(folder.path(), &["new", "triage"]);
    fs::create_dir(folder.path().join("out")).unwrap();
    let manifest = "[package]\nname = \"my-out\"\n";
    fs::write(folder.path().join("out/Cargo.toml"), manifest).unwrap();
    folder
}

#[test]
fn products_that_drifted_are_shown_with_the_command_that_refreshes_them() {
    let folder = golden();
    let root = folder.path();
    assert!(done(root, &["build"]).contains("wrote out/src/triage_gen.rs"));
    assert!(done(root, &["build"]).contains(" products, 0 written"));
    let product = root.join("out/src/triage_gen.rs");
    let text = fs::read_to_string(&product).unwrap();
    assert!(text.contains("from domain/triage_base.toml and domain/triage_domain.toml"));

    fs::write(&product, text.replace("Idle", "Idol")).unwrap();
    let verified = with_golden(root, &["build"], "verify");
    let said = String::from_utf8_lossy(&verified.stderr);
    assert_eq!(verified.status.code(), Some(1), "{said}");
    for part in [
        "--- a/out/src/triage_gen.rs\n+++ b/out/src/triage_gen.rs\n@@ ",
        "\n-    Idol,\n+    Idle,\n",
        "refresh with: SPACE_GOLDEN=write agent space build\n",
    ] {
        assert!(said.contains(part), "{part:?} is not in {said}");
    }
    // To verify is to leave alone.
    assert!(fs::read_to_string(&product).unwrap().contains("Idol"));
    done(root, &["build"]);
    assert_eq!(fs::read_to_string(&product).unwrap(), text);
    let verified = with_golden(root, &["build"], "verify");
    assert_eq!(verified.status.code(), Some(0));
    let odd = with_golden(root, &["build"], "maybe");
    assert_eq!(odd.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&odd.stderr).contains("`write` or `verify`"));
}

/// Products are the same wherever the command is called from, and never name this machine.
#[test]
fn products_do_not_depend_on_how_their_folders_are_named() {
    let folder = golden();
    let root = folder.path();
    done(root, &["build"]);
    let (domain, out) = (root.join("domain"), root.join("out"));
    let (domain, out) = (domain.to_str().unwrap(), out.to_str().unwrap());
    for (from, arguments) in [
        (root, ["build", "--domain", domain, "--out", out]),
        (
            Path::new(out),
            ["build", "--domain", "../domain", "--out", "."],
        ),
    ] {
        assert!(done(from, &arguments).contains(" products, 0 written"));
    }
    let elsewhere = space::folder();
    let said = fails(elsewhere.path(), &["new", "x", "--dir", "/proc/nowhere"], 2);
    assert!(said.contains("/proc/nowhere"), "{said}");
    done(elsewhere.path(), &["new", "other"]);
    let far = elsewhere.path().join("domain");
    let said = fails(root, &["build", "--domain", far.to_str().unwrap()], 2);
    assert!(said.contains("is not beside out"), "{said}");
}

#[test]
fn products_that_cannot_be_written_are_a_clear_error() {
    let folder = golden();
    let root = folder.path();
    fs::write(root.join("out/src"), "a file").unwrap();
    let said = fails(root, &["build"], 1);
    assert!(said.contains("out/src"), "{said}");
    fs::remove_file(root.join("out/src")).unwrap();

    let src = root.join("out/src");
    fs::create_dir(&src).unwrap();
    fs::set_permissions(&src, fs::Permissions::from_mode(0o555)).unwrap();
    // Whom permissions do not bind, they do not keep from writing.
    let bound = fs::write(src.join("probe"), "").is_err();
    let output = space(root, &["build"]);
    assert_eq!(output.status.code(), Some(i32::from(bound)));
    if bound {
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            said.contains("out/src") && said.contains("denied"),
            "{said}"
        );
    }
    fs::set_permissions(&src, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn broken_contracts_are_not_built_and_not_drawn() {
    let folder = broken();
    fs::create_dir(folder.path().join("out")).unwrap();
    fs::write(
        folder.path().join("out/Cargo.toml"),
        "[package]\nname = \"x\"\n",
    )
    .unwrap();
    assert!(fails(folder.path(), &["build"], 1).contains("error[S0"));
    assert!(!folder.path().join("out/src").exists());
    assert!(fails(folder.path(), &["graph", "triage"], 2).contains("agent space check"));
}

#[test]
fn spaces_are_drawn() {
    let folder = folder();
    done(folder.path(), &["new", "triage"]);
    let mermaid = done(folder.path(), &["graph", "triage"]);
    assert!(mermaid.starts_with("stateDiagram-v2\n") && mermaid.contains("[*] --> Idle"));
    let dot = done(folder.path(), &["graph", "triage", "--format", "dot"]);
    assert!(dot.starts_with("digraph ") && dot.ends_with("}\n"), "{dot}");
    let said = fails(folder.path(), &["graph", "nobody"], 2);
    assert!(said.contains("there are triage"), "{said}");
}

#[test]
fn codes_are_explained() {
    let folder = folder();
    let text = done(folder.path(), &["explain", "S0203"]);
    assert!(
        text.starts_with("# S0203: unknown type") && text.contains("list<T>"),
        "{text}"
    );
    assert_eq!(done(folder.path(), &["explain", "s0203"]), text);
    let text = done(folder.path(), &["explain", "D0103"]);
    let rule = "# D0103: a state was removed (SOURCE+STATE)\n\ncode that names it does not compile, and a \
                persisted run in it does not load.\n\nSOURCE: callers must change code\nSTATE: a persisted";
    assert!(text.starts_with(rule), "{text}");
    assert_eq!(done(folder.path(), &["explain", "d0103"]), text);
    let all = done(folder.path(), &["explain"]);
    assert!(all.contains("\nD0402  NONE "), "{all}");
    assert!(done(folder.path(), &["explain"]).lines().count() > 30);
    for unknown in ["S9999", "x", ""] {
        let said = fails(folder.path(), &["explain", unknown], 2);
        assert!(said.contains("`agent space explain` lists them"), "{said}");
    }
}
