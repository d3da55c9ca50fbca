//! What a program gets, and what becomes of one that cannot run, waits, or says too much.

use std::fs;

use agent::accept::{Options, Suite, Verdict};
use tempfile::TempDir;

use crate::kit::{check, codes, outcome, run, run_in};

#[tokio::test]
async fn what_cannot_run_is_an_error_and_no_failure() {
    let report =
        run("[[check]]\nname = 'a'\nargv = ['target/none']\nexpect.exit = 'nonzero'").await;
    assert_eq!(report.checks[0].verdict, Verdict::Error);
    assert_eq!(codes(&report.checks[0]), ["program_not_found"]);
    assert_eq!(report.exit_status(), 2);
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("broken"), "\x7fELF").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(root.path().join("broken"), mode).unwrap();
    let report = run_in(
        root.path(),
        "[[check]]\nname = 'a'\nargv = ['./broken']\nexpect.exit = 0",
    )
    .await;
    assert_eq!(codes(&report.checks[0]), ["not_started"]);
    let clash = "files = { 'a' = '', 'a/b' = '' }\nexpect.exit = 0";
    let outcome = outcome(":", clash).await;
    assert_eq!(
        (codes(&outcome), outcome.verdict),
        (vec!["sandbox_failed".to_owned()], Verdict::Error)
    );
}

#[tokio::test]
async fn an_unmet_condition_skips_and_proves_nothing() {
    let skipped = format!(
        "{}{}",
        check(":", "when.program = 'no-such-program'\nexpect.exit = 0"),
        check(":", "when.platform = 'plan9'\nexpect.exit = 0").replace("case", "other")
    );
    let report = run(&skipped).await;
    assert_eq!(report.checks[0].verdict, Verdict::Skipped);
    assert_eq!(codes(&report.checks[1]), ["condition_unmet"]);
    assert_eq!(report.exit_status(), 1);
    assert!(report.human().contains("2 skipped: nothing was proved"));
    let met = run(&check(
        ":",
        "when = { program = 'sh', platform = ['plan9', 'unix'] }\nexpect.exit = 0",
    ))
    .await;
    assert_eq!(
        (met.checks[0].verdict, met.exit_status()),
        (Verdict::Pass, 0)
    );
}

#[tokio::test]
async fn too_much_output_is_ended_and_said() {
    let root = TempDir::new().unwrap();
    let text = check(
        "yes",
        "expect.files.where = [{ path = 'f', format = 'text' }]",
    );
    let text = text
        + &check(
            "printf 12345 > f",
            "expect.files.where = [{ path = 'f', format = 'text' }]",
        )
        .replace("case", "file");
    let suite = Suite::parse("checks.toml", &text, root.path()).unwrap();
    let report = suite
        .run(&Options {
            output: 4,
            ..Options::new(root.path())
        })
        .await
        .unwrap();
    assert_eq!(codes(&report.checks[0]), ["output_too_large"]);
    assert_eq!(
        report.checks[0].reasons[0].message,
        "`sh` printed more than 4 bytes, so its group was ended"
    );
    assert_eq!(
        report.checks[1].reasons[0].message,
        "`f` is larger than 4 bytes"
    );
}

#[tokio::test]
async fn a_hundred_megabytes_are_judged_to_the_last() {
    let script = "head -c 104857600 /dev/zero; printf x";
    let rest = "timeout_ms = 60000\nexpect.stdout = { traces = false, forbid = ['x'] }";
    let outcome = outcome(script, rest).await;
    assert_eq!(codes(&outcome), ["forbidden_text"]);
    assert_eq!(outcome.reasons[0].byte, Some(104_857_600));
    assert_eq!(outcome.runs[0].stdout.bytes, 104_857_601);
}

#[tokio::test]
async fn an_open_stdin_shows_who_waits_for_it() {
    let rest = "stdin = 'held_open'\ntimeout_ms = 500\nexpect.exit = 0";
    let hangs = outcome("cat", rest).await;
    assert_eq!(
        (codes(&hangs), hangs.verdict),
        (vec!["timed_out".to_owned()], Verdict::Timeout)
    );
    assert!(hangs.reasons[0].hint.as_ref().unwrap().contains("stdin"));
    assert_eq!(outcome("echo", rest).await.verdict, Verdict::Pass);
}

#[tokio::test]
async fn the_program_gets_exactly_what_the_check_says() {
    let root = TempDir::new().unwrap();
    fs::create_dir(root.path().join("fixture")).unwrap();
    fs::write(root.path().join("fixture/given.txt"), "given").unwrap();
    fs::write(root.path().join("input"), "from a file").unwrap();
    let text = r#"
[[check]]
name = "all of it"
argv = ["sh", "-c", 'cat; printf "|%s|%s|%s|" "$1" "$NAME" "$PWD"; cat ../given.txt ../a/b; od -An -tx1 ../bom; od -An -tx1 ../wide', "sh", { hex = "ff" }]
cwd = "sub"
fixture = "fixture"
env = { NAME = "{root}/x" }
stdin = { file = "input" }
expect.stdout.forbid = ["nothing of this"]
[check.files]
"a/b" = "in b"
"bom" = { text = "é\n", encoding = "utf-8-bom", eol = "crlf" }
"wide" = { text = "a", encoding = "utf-16be" }
"#;
    let options = Options {
        keep: Some(root.path().join("kept")),
        ..Options::new(root.path())
    };
    let suite = Suite::parse("checks.toml", text, root.path()).unwrap();
    let report = suite.run(&options).await.unwrap();
    assert_eq!(
        report.checks[0].verdict,
        Verdict::Pass,
        "{}",
        report.human()
    );
    let kept = report.checks[0].runs[0].stdout.path.clone().unwrap();
    let stdout = fs::read(kept).unwrap();
    let real_root = root.path().canonicalize().unwrap();
    let start = [
        b"from a file|\xff|".as_slice(),
        real_root.to_str().unwrap().as_bytes(),
        b"/x|",
    ]
    .concat();
    assert!(stdout.starts_with(&start), "{}", stdout.escape_ascii());
    let rest = String::from_utf8_lossy(&stdout[start.len()..]).into_owned();
    assert!(
        rest.contains("/sub|givenin b ef bb bf c3 a9 0d 0a\n fe ff 00 61\n"),
        "{rest}"
    );
    assert!(
        !root.path().join("fixture/a").exists(),
        "the fixture itself stays as it is"
    );
}

#[tokio::test]
async fn a_relative_program_is_the_roots_and_in_place_runs_there() {
    let root = TempDir::new().unwrap();
    fs::create_dir(root.path().join("bin")).unwrap();
    fs::write(root.path().join("bin/tool"), "#!/bin/sh\npwd\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(root.path().join("bin/tool"), mode).unwrap();
    let real = root.path().canonicalize().unwrap();
    for (in_place, op) in [(true, "eq"), (false, "ne")] {
        let value = serde_json::Value::from(format!("{}\n", real.display()));
        let text = format!(
            "[[check]]\nname = 'a'\nargv = ['bin/tool']\nin_place = {in_place}\nexpect.stdout = {{ format = 'text', where = [{{ op = '{op}', value = {value} }}] }}"
        );
        let report = run_in(root.path(), &text).await;
        assert_eq!(report.exit_status(), 0, "{}", report.human());
    }
}

#[tokio::test]
async fn parity_sides_run_apart_and_their_noise_is_declared() {
    let rest = "[check.same_as]\nargv = ['sh', '-c', 'echo \" Compiling x v1\" >&2; pwd; [ ! -e f ]; echo $?; : > f']\nnoise = 'cargo'";
    let same = outcome("pwd; [ ! -e f ]; echo $?; : > f", rest).await;
    assert_eq!(same.verdict, Verdict::Pass, "{:#?}", same.reasons);
    let undeclared = outcome(
        "pwd; [ ! -e f ]; echo $?; : > f",
        &rest.replace("noise = 'cargo'", ""),
    )
    .await;
    assert_eq!(codes(&undeclared), ["parity_stderr"]);
    let only = outcome(
        "exit 3",
        "same_as = { argv = ['sh', '-c', 'echo; exit 3'], compare = ['exit'] }",
    )
    .await;
    assert_eq!(only.verdict, Verdict::Pass);
    let hangs = outcome(":", "timeout_ms = 300\nsame_as.argv = ['sleep', '30']").await;
    assert_eq!(codes(&hangs), ["timed_out"]);
    let differs = outcome(
        "printf 'same\\nleft'",
        "same_as.argv = ['printf', 'same\\nright']",
    )
    .await;
    assert_eq!(
        differs.reasons[0].message,
        "stdout differs from that of `printf same\\nright` at byte 5: `left` here, `right` there"
    );
}
