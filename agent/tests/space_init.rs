//! `agent space init` and `new`, from outside: a stranger's first steps.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/scene.rs"]
mod scene;
#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/space.rs"]
mod space;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use space::{done, fails, folder};

/// The checkout that these tests belong to.
fn checkout() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap().to_owned()
}

#[test]
fn a_new_pair_passes_without_a_warning() {
    let folder = folder();
    let said = done(folder.path(), &["new", "triage"]);
    assert_eq!(
        said,
        "wrote domain/triage_base.toml\nwrote domain/triage_domain.toml\n"
    );
    let said = done(folder.path(), &["check"]);
    assert!(said.contains("1 space passes"), "{said}");
    assert!(
        !said.contains("warning") && !said.contains('\x1b'),
        "{said}"
    );

    let again = fails(folder.path(), &["new", "triage"], 2);
    assert!(
        again.contains("triage_base.toml is there already"),
        "{again}"
    );
    // One file of a pair is enough to refuse, and nothing is written beside it.
    fs::remove_file(folder.path().join("domain/triage_base.toml")).unwrap();
    fails(folder.path(), &["new", "triage"], 2);
    assert!(!folder.path().join("domain/triage_base.toml").exists());
}

#[test]
fn a_name_that_cannot_be_used_is_refused_with_one_that_can() {
    let folder = folder();
    for (name, better) in [
        ("Triage", "`triage`"),
        ("HelpDesk", "`help_desk`"),
        ("Bad-Name", "`bad_name`"),
        ("../evil", "`evil`"),
        ("two words", "`two_words`"),
        ("fn", "`my_loop`"),
        ("9lives", "`my_loop`"),
        ("", "`my_loop`"),
    ] {
        let said = fails(folder.path(), &["new", name], 2);
        assert!(said.contains(better), "{said}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A throw-away crate, with this checkout's build settings so that its dependencies are built once.
fn crate_in(folder: &Path) {
    fs::remove_dir_all(folder).ok();
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = "[package]\nname = \"stranger\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                    [workspace]\n\n[profile.dev]\ndebug = \"line-tables-only\"\n";
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    let code = "#[test]\nfn it_starts_idle() {\n    use space_core::machine::Space as _;\n    \
                assert_eq!(triage::Triage.initial().name(), \"Idle\");\n}\n";
    fs::write(folder.join("src/lib.rs"), code).unwrap();
}

/// What a stranger does first: prepare a crate, and build it.
#[test]
fn a_prepared_crate_compiles() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prepared");
    crate_in(&folder);
    let checkout = checkout();
    let path = checkout.to_str().unwrap();
    let said = done(&folder, &["init", "triage", "--path", path]);
    assert!(
        said.contains("changed src/lib.rs\nchanged Cargo.toml\nnext: `cargo build`, then "),
        "{said}"
    );
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    // What the README lists.
    for line in [
        "space-core = {",
        "space-macros = {",
        "tokio = { version = \"1\"",
    ] {
        assert!(manifest.contains(line), "{manifest}");
    }
    let code = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
    assert!(code.contains("#[space_macros::space(domain = \"domain/triage\")]"));

    // What is to be copied and filled compiles as it is printed.
    let stub = |kind: &str| done(&folder, &["stub", "triage", "--kind", kind]);
    fs::write(folder.join("src/desk.rs"), stub("handler")).unwrap();
    let with_desk = format!("{code}\npub mod desk;\n");
    fs::write(folder.join("src/lib.rs"), with_desk).unwrap();
    fs::create_dir(folder.join("tests")).unwrap();
    let mock = stub("mock");
    assert!(mock.contains("\nuse stranger::triage::{"), "{mock}");
    let test =
        "\n#[test]\nfn it_is_there() {\n    assert!(TriageMock::default().calls.is_empty());\n}\n";
    fs::write(folder.join("tests/mock.rs"), mock + test).unwrap();

    // The same versions as here, which are there without a network.
    fs::copy(checkout.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let target = Path::new(env!("CARGO_BIN_EXE_agent"))
        .ancestors()
        .nth(2)
        .unwrap();
    let built = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--quiet"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(built.status.success(), "{}", text(&built.stderr));
    assert!(
        text(&built.stdout).contains("1 passed"),
        "{}",
        text(&built.stdout)
    );
    assert!(
        !text(&built.stderr).contains("warning"),
        "{}",
        text(&built.stderr)
    );

    fs::write(folder.join("src/lib.rs"), &code).unwrap();
    // A second time nothing is overwritten.
    let said = fails(&folder, &["init", "triage", "--path", path], 2);
    assert!(said.contains("is there already"), "{said}");
    assert_eq!(
        fs::read_to_string(folder.join("Cargo.toml")).unwrap(),
        manifest
    );
    assert_eq!(fs::read_to_string(folder.join("src/lib.rs")).unwrap(), code);
}

#[test]
fn a_crate_is_prepared_for_golden_products() {
    let folder = folder();
    let root = folder.path();
    crate_in(root);
    let checkout = checkout();
    let path = checkout.to_str().unwrap();
    let init = ["init", "triage", "--front", "build", "--path", path];
    let said = done(root, &init);
    for file in ["Cargo.toml", "build.rs", "src/lib.rs"] {
        assert!(said.contains(&format!("wrote out/{file}\n")), "{said}");
    }
    let manifest: toml::Table = fs::read_to_string(root.join("Cargo.toml"))
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(manifest["workspace"]["members"][0].as_str(), Some("out"));
    assert_eq!(
        manifest["dependencies"]["space-out"]["path"].as_str(),
        Some("out")
    );
    let golden: toml::Table = fs::read_to_string(root.join("out/Cargo.toml"))
        .unwrap()
        .parse()
        .unwrap();
    let core = &golden["build-dependencies"]["space-core"];
    assert_eq!(core["features"][0].as_str(), Some("build"));
    assert!(root.join("out/build.rs").is_file());
    assert!(done(root, &["build"]).contains("wrote out/src/triage_gen.rs"));

    let lib = fs::read_to_string(root.join("out/src/lib.rs")).unwrap();
    let again = ["init", "second", "--front", "build", "--path", path];
    assert!(fails(root, &again, 2).contains("out is there already"));
    assert!(!root.join("domain/second_base.toml").exists());
    assert_eq!(
        fs::read_to_string(root.join("out/src/lib.rs")).unwrap(),
        lib
    );
}

/// What cannot be prepared is left as it is.
#[test]
fn a_folder_that_is_no_crate_is_not_touched() {
    let folder = folder();
    let root = folder.path();
    assert!(fails(root, &["init"], 2).contains("`cargo init` makes a crate"));
    fs::write(root.join("Cargo.toml"), "[workspace]\n").unwrap();
    assert!(fails(root, &["init"], 2).contains("is a workspace, not a crate"));
    fs::write(root.join("Cargo.toml"), "[package").unwrap();
    assert!(fails(root, &["init"], 2).contains("Cargo.toml"));
    fs::write(root.join("Cargo.toml"), "[package]\nname = \"x\"\n").unwrap();
    assert!(fails(root, &["init"], 2).contains("src/lib.rs"));
    assert!(fails(root, &["init", "Bad-Name", "--front", "build"], 2).contains("`bad_name`"));
    assert_eq!(fs::read_dir(root).unwrap().count(), 1);
    assert_eq!(
        fs::read_to_string(root.join("Cargo.toml")).unwrap(),
        "[package]\nname = \"x\"\n"
    );
}
