//! `agent space check --write-regressions`, from a broken promise to a test that keeps it.

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

use space::{done, fails, space};

const BASE: &str = "\
[meta]
name = \"door\"
[[states]]
name = \"Shut\"
is_initial = true
[[states]]
name = \"Open\"
[[states]]
name = \"Gone\"
[[events]]
name = \"Push\"
external = true
[[events]]
name = \"Knock\"
external = true
[[events]]
name = \"Take\"
external = true
";

/// A door that promises not to open without a knock, to be knocked at once at most, and that
/// somebody can always take it away.
fn domain(push: &str) -> String {
    format!(
        "[meta]\nname = \"door\"\n\
         [[transitions]]\nfrom = \"Shut\"\non = \"Push\"\nto = \"{push}\"\n\
         [[transitions]]\nfrom = \"Shut\"\non = \"Knock\"\nto = \"Open\"\n\
         [[transitions]]\nfrom = \"Open\"\non = \"Push\"\nto = \"Shut\"\n\
         [[transitions]]\nfrom = \"*\"\non = \"Take\"\nto = \"Gone\"\n\
         [[ignored]]\nfrom = \"Open\"\non = [\"Knock\"]\n\
         [[invariants]]\nname = \"asked_first\"\n\
         precedence = {{ first = \"event:Knock\", then = \"state:Open\" }}\n\
         [[invariants]]\nname = \"quiet\"\n\
         bounded_existence = {{ of = \"event:Knock\", at_most = 1 }}\n\
         [[invariants]]\nname = \"removable\"\nreachable = {{ point = \"state:Gone\" }}\n"
    )
}

/// A crate with a contract folder beside its sources.
fn crate_in(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::remove_dir_all(&folder).ok();
    for part in ["src", "domain"] {
        fs::create_dir_all(folder.join(part)).unwrap();
    }
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../space-core");
    let manifest = format!(
        "[package]\nname = \"house\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dev-dependencies]\nspace-core = {{ path = \"{}\", features = [\"verify\"] }}\n\n\
         [workspace]\n\n[profile.dev]\ndebug = \"line-tables-only\"\n",
        core.display()
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("src/lib.rs"), "").unwrap();
    fs::write(folder.join("domain/door_base.toml"), BASE).unwrap();
    fs::write(folder.join("domain/door_domain.toml"), domain("Open")).unwrap();
    folder
}

fn written(folder: &Path) -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(folder.join("tests"))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// Runs the crate's tests: whether they pass, and what is said.
fn tested(folder: &Path) -> (bool, String) {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::copy(checkout.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let target = Path::new(env!("CARGO_BIN_EXE_agent"))
        .ancestors()
        .nth(2)
        .unwrap();
    let built = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--quiet", "--no-fail-fast", "--tests"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let all = format!("{}{}", text(&built.stdout), text(&built.stderr));
    assert!(!all.contains("warning"), "{all}");
    (built.status.success(), all)
}

const WRITE: [&str; 3] = ["check", "--write-regressions", "tests"];

#[test]
fn a_broken_promise_becomes_a_test_that_a_mended_contract_passes() {
    let folder = crate_in("regressions");
    let output = space(&folder, &WRITE);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let files = written(&folder);
    assert_eq!(files.len(), 2, "{files:?}");
    for ((name, text), (promise, run)) in files.iter().zip([
        (
            "asked_first",
            "        Shut\n        Push -> Open\n        \"",
        ),
        (
            "quiet",
            "        Shut\n        repeat\n        Knock -> Open\n        Push -> Shut\n",
        ),
    ]) {
        assert!(said.contains(&format!("wrote tests/{name}\n")), "{said}");
        assert!(
            name.starts_with(&format!("regression_door_{promise}_")),
            "{name}"
        );
        assert!(text.contains(run) || promise == "quiet", "{text}");
        assert!(
            text.contains("\"/domain\"),\n        \"door\",\n"),
            "{text}"
        );
    }

    let tested = || tested(&folder);
    let (passed, all) = tested();
    assert!(!passed, "{all}");
    for part in [
        "`asked_first` of `door` is broken again by a recorded run, 1 step:",
        "1  Push  Open  door_domain.toml:3",
        "`quiet` of `door` is broken again by a recorded run, ",
    ] {
        assert!(all.contains(part), "{part:?} is not in {all}");
    }

    // Mended: the door no longer opens by a push, and knocking twice is allowed.
    let mended = domain("Gone").replace("at_most = 1", "at_most = 2");
    let mended = mended.replace(
        "on = \"Push\"\nto = \"Shut\"",
        "on = \"Push\"\nto = \"Gone\"",
    );
    fs::write(folder.join("domain/door_domain.toml"), mended).unwrap();
    let (passed, all) = tested();
    assert!(passed && all.matches("1 passed").count() == 2, "{all}");

    // A promise that is gone takes its test with it, and the test says so.
    let dropped = domain("Gone").replace("\"asked_first\"", "\"asked_before\"");
    fs::write(folder.join("domain/door_domain.toml"), dropped).unwrap();
    let (passed, all) = tested();
    assert!(
        !passed && all.contains("does not promise `asked_first` any more"),
        "{all}"
    );
}

#[test]
fn what_is_there_is_left_alone() {
    let folder = crate_in("regressions_kept");
    space(&folder, &WRITE);
    let (name, text) = written(&folder)[0].clone();
    let path = folder.join("tests").join(&name);
    fs::write(&path, "// mine\n").unwrap();
    let output = space(&folder, &WRITE);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains(&format!("tests/{name} is there already, and left alone\n")),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "// mine\n");
    // The same run is the same test.
    fs::remove_file(&path).unwrap();
    space(&folder, &WRITE);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    // Reports for programs stay reports.
    let output = space(&folder, &[&WRITE[..], &["--format", "json"]].concat());
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.lines().all(|line| line.starts_with('{')), "{out}");
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("left alone"), "{err}");
}

#[test]
fn a_contract_that_keeps_its_promises_writes_nothing() {
    let folder = crate_in("regressions_none");
    let good = domain("Gone").replace("at_most = 1", "at_most = 2");
    let good = good.replace(
        "on = \"Push\"\nto = \"Shut\"",
        "on = \"Push\"\nto = \"Gone\"",
    );
    fs::write(folder.join("domain/door_domain.toml"), good).unwrap();
    assert!(!done(&folder, &WRITE).contains("wrote"));
    assert!(!folder.join("tests").exists());
}

#[test]
fn tests_belong_to_a_crate() {
    let folder = space::folder();
    fs::create_dir(folder.path().join("domain")).unwrap();
    fs::write(folder.path().join("domain/door_base.toml"), BASE).unwrap();
    fs::write(
        folder.path().join("domain/door_domain.toml"),
        domain("Open"),
    )
    .unwrap();
    assert!(fails(folder.path(), &WRITE, 2).contains("is in no crate"));
    assert!(!folder.path().join("tests").exists());
    fs::write(folder.path().join("file"), "").unwrap();
    let said = fails(folder.path(), &["check", "--write-regressions", "file"], 2);
    assert!(said.contains("file"), "{said}");
}

/// Two doors of one house, and a promise about both.
fn house(first: &str, second: &str) -> PathBuf {
    let folder = crate_in("regressions_composed");
    for (name, push) in [("door", first), ("gate", second)] {
        let rename = |text: String| text.replace("\"door\"", &format!("\"{name}\""));
        let domain = domain(push)
            .split("[[invariants]]")
            .next()
            .unwrap()
            .to_owned();
        fs::write(
            folder.join(format!("domain/{name}_base.toml")),
            rename(BASE.to_owned()),
        )
        .unwrap();
        fs::write(
            folder.join(format!("domain/{name}_domain.toml")),
            rename(domain),
        )
        .unwrap();
    }
    fs::write(
        folder.join("domain/composition.toml"),
        "[[parallel]]\nname = \"house\"\nspaces = [\"door\", \"gate\"]\nsync = [\"Take\"]\n\
         [[invariants]]\ncomposition = \"house\"\nname = \"no_draught\"\n\
         exclusion = { points = [\"door.state:Open\", \"gate.state:Open\"] }\n\
         [[invariants]]\ncomposition = \"house\"\nname = \"stays\"\n\
         absence = { of = \"gate.state:Gone\", after = \"door.state:Open\" }\n",
    )
    .unwrap();
    folder
}

#[test]
fn a_broken_promise_of_a_composition_becomes_a_test() {
    let folder = house("Open", "Open");
    let output = space(&folder, &WRITE);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let files = written(&folder);
    let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert!(
        names.len() == 2
            && names[0].starts_with("regression_house_no_draught_")
            && names[1].starts_with("regression_house_stays_"),
        "{names:?}"
    );
    let begins = "\"house\",\n        \"no_draught\",\n        \"\n        door.Shut, gate.Shut\n";
    assert!(files[0].1.contains(begins), "{}", files[0].1);
    let together = "        door.Take -> Gone + gate.Take -> Gone\n";
    assert!(files[1].1.contains(together), "{}", files[1].1);

    let (passed, all) = tested(&folder);
    assert!(!passed, "{all}");
    for part in [
        "`no_draught` of `house` is broken again by a recorded run, 2 steps:",
        "`stays` of `house` is broken again by a recorded run, 2 steps:",
        "gate  Take",
    ] {
        assert!(all.contains(part), "{part:?} is not in {all}");
    }

    // The recorded runs are none any more: a push takes the door away.
    for name in ["door", "gate"] {
        let path = folder.join(format!("domain/{name}_domain.toml"));
        let text = fs::read_to_string(&path).unwrap();
        let push = "on = \"Push\"\nto = ";
        let (open, gone) = (format!("{push}\"Open\""), format!("{push}\"Gone\""));
        fs::write(&path, text.replacen(&open, &gone, 1)).unwrap();
    }
    let (passed, all) = tested(&folder);
    assert!(passed && all.matches("1 passed").count() == 2, "{all}");

    // A promise that is gone takes its test with it.
    let path = folder.join("domain/composition.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"stays\"", "\"remains\"")).unwrap();
    let (passed, all) = tested(&folder);
    assert!(
        !passed && all.contains("`house` does not promise `stays` any more"),
        "{all}"
    );
}
