//! `agent space diff` from outside, with a real git repository.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const BASE: &str = r#"
states = [{ name = "Off", is_initial = true }, { name = "On" }, { name = "Broken" }]
events = [{ name = "Press", external = true }, { name = "Break", external = true }]

[meta]
name = "lamp"
"#;

const DOMAIN: &str = r#"
transitions = [
  { from = "Off", on = "Press", to = "On" },
  { from = "On", on = "Press", to = "Off" },
  { from = "*", on = "Break", to = "Broken" },
]

[meta]
name = "lamp"
"#;

struct Crate {
    dir: tempfile::TempDir,
}

impl Crate {
    /// A repository whose first commit has the lamp.
    fn new() -> Self {
        let one = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        one.git(&["init", "--quiet", "--initial-branch=main"]);
        fs::create_dir(one.path().join("domain")).unwrap();
        one.write("domain/lamp_base.toml", BASE);
        one.write("domain/lamp_domain.toml", DOMAIN);
        one.commit();
        one
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.path().join(file), text).unwrap();
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=x"]);
    }

    fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
        let status = Command::new("git")
            .args(identity)
            .args(args)
            .current_dir(self.path())
            .status();
        assert!(status.unwrap().success(), "{args:?}");
    }

    fn diff(&self, args: &[&str]) -> (i32, String, String) {
        let output: Output = Command::new(env!("CARGO_BIN_EXE_agent"))
            .args(["space", "diff"])
            .args(args)
            .current_dir(self.path())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap();
        (code, text(output.stdout), text(output.stderr))
    }

    /// A lamp that cannot be pressed off any more.
    fn ignore(&self) {
        let text = DOMAIN.replace("  { from = \"On\", on = \"Press\", to = \"Off\" },\n", "");
        let ignored = "ignored = [{ from = \"On\", on = \"Press\" }]\n\n[meta]";
        let text = text.replace("[meta]", ignored);
        let base = BASE.replace(
            "{ name = \"On\" }",
            "{ name = \"On\", is_terminal = false }",
        );
        self.write("domain/lamp_base.toml", &base);
        self.write("domain/lamp_domain.toml", &text);
    }
}

#[test]
fn nothing_changed() {
    let one = Crate::new();
    let (code, out, err) = one.diff(&["git:HEAD"]);
    assert_eq!(
        (code, out.trim(), err.as_str()),
        (0, "1 space compared: no changes", "")
    );
    let (code, out, _) = one.diff(&["domain", "domain", "--format", "json"]);
    assert_eq!((code, out.as_str()), (0, ""));
}

#[test]
fn a_revision_is_read_as_it_was() {
    let one = Crate::new();
    one.ignore();
    one.commit();
    assert_eq!(one.diff(&["git:HEAD"]).0, 0);
    let (code, out, err) = one.diff(&["git:HEAD~1"]);
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(
        out.contains("TRACE[D0302]: event `Press` is ignored, and was handled"),
        "{out}"
    );
    assert!(
        out.contains("::: HEAD~1:domain/lamp_domain.toml:4:3"),
        "{out}"
    );
    assert!(
        out.contains("    1. Press -> On  (HEAD~1:domain/lamp_domain.toml:3)"),
        "{out}"
    );
    assert!(
        out.contains("1 space compared: 1 TRACE; breaks TRACE"),
        "{out}"
    );
    // From a folder below, and with another folder's name.
    let (code, ..) = one.diff(&["git:main~1", "./domain"]);
    assert_eq!(code, 1);
}

#[test]
fn compositions_are_compared_when_all_is() {
    let loop_of = |rounds: u32| {
        format!(
            "[[feedback]]\nname = \"mended\"\nspace = \"lamp\"\nmax_rounds = {rounds}\n\
             router = [{{ when = \"state:Broken\", to_event = \"Press\" }}]\n"
        )
    };
    let one = Crate::new();
    one.write("domain/composition.toml", &loop_of(3));
    let (code, out, _) = one.diff(&["git:HEAD"]);
    assert_eq!(code, 0);
    assert!(
        out.contains("NONE[D0411]: composition `mended` was added"),
        "{out}"
    );
    assert!(
        out.contains("1 space and 1 composition compared: 1 NONE"),
        "{out}"
    );
    one.commit();
    one.write("domain/composition.toml", &loop_of(2));
    let (code, out, _) = one.diff(&["git:HEAD"]);
    assert_eq!(code, 1);
    let lowered = "TRACE[D0317]: `max_rounds` of loop `mended` was lowered from 3 to 2";
    assert!(out.contains(lowered), "{out}");
    assert!(
        out.contains("::: HEAD:domain/composition.toml:4:14"),
        "{out}"
    );
    // Of one space nothing changed.
    let (code, out, _) = one.diff(&["git:HEAD", "--space", "lamp"]);
    assert_eq!((code, out.trim()), (0, "1 space compared: no changes"));
}

/// Nothing but the composition moves it on from `Asked`.
#[test]
fn spaces_are_judged_with_what_compositions_feed_them() {
    let one = Crate::new();
    one.write(
        "domain/job_base.toml",
        r#"
states = [{ name = "Idle", is_initial = true }, { name = "Asked" }, { name = "Done" }]
events = [{ name = "Start" }, { name = "Told" }]

[meta]
name = "job"
"#,
    );
    let domain = r#"
transitions = [
  { from = "Idle", on = "Start", to = "Asked" },
  { from = "Asked", on = "Told", to = "Done" },
]

[meta]
name = "job"
"#;
    one.write("domain/job_domain.toml", domain);
    let composition = r#"
[[feedback]]
name = "told"
space = "job"
router = [{ when = "state:Asked", to_event = "Told" }]
max_rounds = 1
"#;
    one.write("domain/composition.toml", composition);
    one.commit();

    let same = "2 spaces and 1 composition compared: no changes\n";
    let (code, out, err) = one.diff(&["git:main"]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, same, ""));
    // Also when it alone is compared.
    for args in [
        ["git:main", "domain/job_base.toml"],
        ["domain/job_base.toml", "domain"],
    ] {
        let (code, out, err) = one.diff(&args);
        let same = "1 space compared: no changes\n";
        assert_eq!(
            (code, out.as_str(), err.as_str()),
            (0, same, ""),
            "{args:?}"
        );
    }

    one.write("domain/composition.toml", "");
    let (code, _, err) = one.diff(&["git:main"]);
    assert_eq!(code, 2);
    assert!(err.contains("S0321"), "{err}");
    assert!(
        err.contains("the new version of `job` does not pass its gates"),
        "{err}"
    );
}

#[test]
fn what_is_allowed_is_no_failure() {
    let one = Crate::new();
    one.ignore();
    for (allow, code) in [("trace", 0), ("SOURCE,Trace", 0), ("source,state", 1)] {
        assert_eq!(one.diff(&["git:HEAD", "--allow", allow]).0, code, "{allow}");
    }
    assert_eq!(one.diff(&["git:HEAD", "--allow", "none"]).0, 2);
}

#[test]
fn json_holds_the_run() {
    let one = Crate::new();
    one.ignore();
    let (code, out, _) = one.diff(&["git:HEAD", "--format", "json"]);
    assert_eq!(code, 1);
    let value: serde_json::Value = serde_json::from_str(out.trim()).unwrap();
    assert_eq!(value["rule"], "D0302");
    assert_eq!(value["classes"], serde_json::json!(["TRACE"]));
    assert_eq!(value["run"]["steps"][1]["old"]["state"], "Off");
    assert_eq!(value["run"]["steps"][1]["new"]["outcome"], "ignored");
}

#[test]
fn files_and_folders() {
    let one = Crate::new();
    fs::create_dir(one.path().join("before")).unwrap();
    one.write("before/lamp_base.toml", BASE);
    one.write("before/lamp_domain.toml", DOMAIN);
    one.ignore();
    let named = |name: &str, text: &str| text.replace("\"lamp\"", &format!("\"{name}\""));
    one.write("domain/lantern_base.toml", &named("lantern", BASE));
    one.write("domain/lantern_domain.toml", &named("lantern", DOMAIN));
    // A file stands for its pair, and leaves the others out.
    for old in ["before/lamp_base.toml", "before/lamp_domain.toml"] {
        let (code, out, _) = one.diff(&[old]);
        assert!(code == 1 && !out.contains("lantern"), "{out}");
        let (code, out, _) = one.diff(&[old, "domain/lamp_domain.toml"]);
        assert!(
            code == 1 && out.contains("::: before/lamp_domain.toml"),
            "{out}"
        );
    }
    let (code, out, _) = one.diff(&["before", "--allow", "trace"]);
    assert!(
        code == 0 && out.contains("NONE[D0404]: space `lantern` was added"),
        "{out}"
    );
    let (code, out, _) = one.diff(&["domain", "before"]);
    assert!(
        code == 1 && out.contains("[D0105]: space `lantern` was removed"),
        "{out}"
    );
    let (code, ..) = one.diff(&["before", "domain", "--space", "lantern"]);
    assert_eq!(code, 0);
    // A path is shown as it was typed, so that it can be opened.
    let before = one.path().join("before");
    for typed in [before.to_str().unwrap(), "./before", "before/"] {
        let (_, out, _) = one.diff(&[typed]);
        let place = format!("::: {}/lamp_domain.toml", typed.trim_end_matches('/'));
        assert!(out.contains(&place), "{typed}: {out}");
    }
    let file = before.join("lamp_base.toml");
    let (_, out, _) = one.diff(&["domain", file.to_str().unwrap()]);
    let place = format!(" {}/lamp_domain.toml", before.display());
    assert!(out.contains(&place), "{out}");
}

#[test]
fn a_new_folder_is_in_no_old_revision() {
    let one = Crate::new();
    fs::create_dir(one.path().join("other")).unwrap();
    one.write("other/lamp_base.toml", BASE);
    one.write("other/lamp_domain.toml", DOMAIN);
    let (code, _, err) = one.diff(&["git:HEAD", "other"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("revision `HEAD` has no folder `other/`"),
        "{err}"
    );
}

#[test]
fn mistakes_are_said_in_one_line() {
    let one = Crate::new();
    for (args, says) in [
        (&["git:nowhere"][..], "there is no revision `nowhere`"),
        (&["git:"], "names no revision"),
        (&["git:--help"], "there is no revision `--help`"),
        (&["git:HEAD:domain"], "there is no revision `HEAD:domain`"),
        (&["missing"], "there is no file or folder missing"),
        (
            &["git:HEAD", "missing"],
            "there is no file or folder missing",
        ),
        (&["domain/lamp.txt"], "there is no file or folder"),
        (
            &["git:HEAD", "--space", "lampe"],
            "neither version has a space `lampe`",
        ),
    ] {
        let (code, out, err) = one.diff(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(
            err.contains(says) && err.lines().count() == 1,
            "{args:?}: {err}"
        );
    }
    one.write("domain/lamp.txt", "");
    let (code, _, err) = one.diff(&["domain/lamp.txt"]);
    assert!(
        code == 2 && err.contains("is neither a `_base.toml`"),
        "{err}"
    );
}

#[test]
fn contracts_that_do_not_pass_are_not_compared() {
    let one = Crate::new();
    one.write(
        "domain/lamp_domain.toml",
        &DOMAIN.replace("\"Off\" },\n", "\"Of\" },\n"),
    );
    let (code, out, err) = one.diff(&["git:HEAD"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        err.contains("error[S0303]") && err.contains("does not pass its gates"),
        "{err}"
    );
    one.commit();
    one.write("domain/lamp_domain.toml", DOMAIN);
    let (code, _, err) = one.diff(&["git:HEAD"]);
    assert!(
        code == 2 && err.contains("HEAD:domain/lamp_domain.toml:4"),
        "{err}"
    );
    one.write("domain/lamp_base.toml", "[meta]\nname = ");
    let (code, _, err) = one.diff(&["git:HEAD~1"]);
    assert!(code == 2 && err.contains("cannot be read"), "{err}");
}

#[test]
fn outside_of_a_repository() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("domain")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_agent"))
        .args(["space", "diff", "git:HEAD"])
        .current_dir(dir.path())
        .env("GIT_CEILING_DIRECTORIES", dir.path().parent().unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("in no git repository"), "{said}");
}
