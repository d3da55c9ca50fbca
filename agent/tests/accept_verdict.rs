//! Every reason code has a program that earns it and the nearest one that does not.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use agent::accept::{Options, Outcome, Report, Suite, Verdict};
use tempfile::TempDir;

async fn run_in(root: &Path, text: &str) -> Report {
    let suite = Suite::parse("checks.toml", text, root)
        .unwrap_or_else(|errors| panic!("{errors:#?} in\n{text}"));
    let options = Options {
        jobs: 2,
        ..Options::new(root)
    };
    suite.run(&options).await.unwrap()
}

async fn run(text: &str) -> Report {
    let root = TempDir::new().unwrap();
    run_in(root.path(), text).await
}

/// A check of a shell script; `rest` is the rest of its table.
fn check(script: &str, rest: &str) -> String {
    let script = serde_json::Value::from(script);
    format!("[[check]]\nname = \"case\"\nargv = [\"sh\", \"-c\", {script}]\n{rest}\n")
}

async fn outcome(script: &str, rest: &str) -> Outcome {
    run(&check(script, rest)).await.checks.remove(0)
}

fn codes(outcome: &Outcome) -> Vec<String> {
    outcome
        .reasons
        .iter()
        .map(|reason| reason.code.name())
        .collect()
}

/// (rest of the check, the codes, a script that earns them, the nearest one that passes)
const PAIRS: &[(&str, &str, &str, &str)] = &[
    ("expect.exit = 'zero'", "exit_mismatch", "exit 1", "exit 0"),
    (
        "expect.exit = 'nonzero'",
        "exit_mismatch",
        "exit 0",
        "exit 1",
    ),
    ("expect.exit = 3", "exit_mismatch", "exit 4", "exit 3"),
    (
        "expect.exit = 'nonzero'",
        "ended_by_signal",
        "kill -11 $$",
        "exit 139",
    ),
    (
        "expect.exit = { signal = 'TERM' }",
        "exit_mismatch",
        "exit 143",
        "kill -15 $$",
    ),
    (
        "timeout_ms = 700\nexpect.exit = 'zero'",
        "timed_out",
        "sleep 30",
        "sleep 0.01",
    ),
    (
        "expect.exit = 'zero'",
        "pipe_held_by_descendant",
        "sleep 30 & echo x",
        "sleep 30 >/dev/null 2>&1 & echo x",
    ),
    ("expect.stdout = 'empty'", "stdout_not_empty", "echo", ":"),
    (
        "expect.stderr = 'empty'",
        "stderr_not_empty",
        "echo x >&2",
        "echo x",
    ),
    (
        "expect.stdout.format = 'json'",
        "stdout_trailing_bytes",
        "echo '{} x'",
        "echo '{} '",
    ),
    (
        "expect.stderr.format = 'json'",
        "stderr_trailing_bytes",
        "echo '{}x' >&2",
        "echo '{}' >&2",
    ),
    (
        "expect.stdout.format = 'json'",
        "stdout_empty",
        "echo",
        "echo null",
    ),
    (
        "expect.stdout.format = 'json'",
        "stdout_not_json",
        "echo '{a:1}'",
        "echo '{\"a\":1}'",
    ),
    (
        "expect.stdout.format = 'json'",
        "stdout_truncated",
        "echo '[1,2'",
        "echo '[1,2]'",
    ),
    (
        "expect.stdout.format = 'json'",
        "stdout_not_a_number",
        "echo '[NaN]'",
        "echo '[\"NaN\"]'",
    ),
    (
        "expect.stdout.format = 'json'",
        "stdout_duplicate_key",
        "echo '{\"a\":1,\"a\":1}'",
        "echo '{\"a\":1,\"A\":1}'",
    ),
    (
        "expect.stdout.format = 'json'",
        "stdout_byte_order_mark",
        "printf '\\357\\273\\2771'",
        "printf 1",
    ),
    (
        "expect.stdout.format = 'json'",
        "stdout_invalid_utf8",
        "printf '\"\\377\"'",
        "printf '\"\\303\\277\"'",
    ),
    (
        "expect.stdout.format = 'text'",
        "stdout_invalid_utf8",
        "printf '\\377'",
        "printf '\\303\\277'",
    ),
    (
        "expect.stdout.format = 'json'",
        "stdout_too_deep",
        "printf '[%.0s' $(seq 129); printf ']%.0s' $(seq 129)",
        "printf '[%.0s' $(seq 128); printf ']%.0s' $(seq 128)",
    ),
    (
        "expect.stdout.format = 'json_lines'",
        "stdout_blank_line",
        "printf '1\\n\\n2\\n'",
        "printf '1\\n2\\n'",
    ),
    (
        "expect.stdout.format = 'json_lines'",
        "stdout_empty",
        ":",
        "echo 1",
    ),
    (
        "expect.stderr.allow = ['^note: ']",
        "stderr_line_not_allowed",
        "echo 'a note: x' >&2",
        "echo 'note: x' >&2",
    ),
    (
        "expect.stderr.noise = 'cargo'",
        "stderr_line_not_allowed",
        "echo 'warning: x' >&2",
        "echo '   Compiling x v1' >&2",
    ),
    (
        "expect.stdout.forbid = ['secret']",
        "forbidden_text",
        "echo a secret",
        "echo a secre",
    ),
    (
        "expect.stdout.forbid = [{ hex = 'ff' }]",
        "forbidden_text",
        "printf '\\377'",
        "printf '\\376'",
    ),
    (
        "expect.exit = 'zero'",
        "forbidden_text",
        "echo 'Failure(1)'",
        "echo 'Failure 1'",
    ),
    (
        "expect.exit = 101",
        "forbidden_text",
        "echo panicked at x >&2; exit 101",
        "echo panic >&2; exit 101",
    ),
    (
        "expect.exit = 'zero'",
        "forbidden_text",
        "printf '\\033[1m'",
        "printf '[1m'",
    ),
    (
        "expect.stdout = { format = 'json', traces = false, forbid = [{ text = 'Failure(', scope = 'outside_json' }] }",
        "stdout_trailing_bytes+forbidden_text",
        "echo '{}Failure('",
        "echo '{\"a\":\"Failure(\"}'",
    ),
    (
        "expect.stdout = { format = 'json', forbid = [{ text = 'a b', scope = 'json_strings' }] }",
        "forbidden_text",
        "echo '{\"k\":\"a\\u0020b\"}'",
        "echo '{\"k\":\"a\\u0009b\"}'",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$.a', exists = true }] }",
        "path_selects_nothing",
        "echo '{}'",
        "echo '{\"a\":null}'",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$.*', op = 'eq', value = 1 }] }",
        "path_selects_several",
        "echo '[1,1]'",
        "echo '[1]'",
    ),
    (
        "expect.files.where = [{ path = 'o/x', exists = true }]",
        "file_missing",
        "mkdir o",
        "mkdir o; : > o/x",
    ),
    (
        "expect.files.where = [{ path = 'x', exists = false }]",
        "file_unexpected",
        ": > x",
        ": > y",
    ),
    (
        "expect.files.where = [{ path = 'x', format = 'json' }]",
        "file_trailing_bytes",
        "echo 1 2 > x",
        "echo 12 > x",
    ),
    (
        "same_as.argv = ['sh', '-c', 'exit 2']",
        "parity_exit",
        "exit 0",
        "exit 2",
    ),
    (
        "same_as.argv = ['echo', 'abc']",
        "parity_stdout",
        "echo abd",
        "echo abc",
    ),
    (
        "same_as.argv = ['sh', '-c', 'echo e >&2']",
        "parity_stderr",
        ":",
        "echo e >&2",
    ),
    (
        "same_as.argv = ['sh', '-c', 'echo 1 > f']",
        "parity_files",
        "echo 2 > f",
        "echo 1 > f",
    ),
    (
        "same_as.argv = ['sh', '-c', ':']",
        "parity_files",
        "mkdir d",
        ":",
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_code_has_a_failing_and_a_passing_program() {
    for (rest, code, failing, passing) in PAIRS {
        let failed = outcome(failing, rest).await;
        assert_eq!(
            codes(&failed).join("+"),
            *code,
            "{failing}\n{rest}\n{:#?}",
            failed.reasons
        );
        assert_ne!(failed.verdict, Verdict::Pass);
        let passed = outcome(passing, rest).await;
        assert_eq!(
            codes(&passed),
            Vec::<String>::new(),
            "{passing}\n{rest}\n{:#?}",
            passed.reasons
        );
        assert_eq!(passed.verdict, Verdict::Pass);
    }
}

/// (predicate, a value that fails, the nearest that complies)
const PREDICATES: &[(&str, &str, &str)] = &[
    ("path = '$', op = 'eq', value = 1", "2", "1.0"),
    (
        "path = '$', op = 'eq', value = 9007199254740993",
        "9007199254740992",
        "9007199254740993",
    ),
    (
        "path = '$', op = 'eq', json = '123456789012345678901234567890'",
        "123456789012345678901234567891",
        "123456789012345678901234567890",
    ),
    ("path = '$', op = 'eq', json = '1e400'", "1e401", "10e399"),
    ("path = '$', op = 'eq', json = 'null'", "false", "null"),
    ("path = '$', op = 'eq', value = '1'", "1", "\"1\""),
    (
        "path = '$', op = 'eq', value = { a = [1] }",
        "{\"a\":[1,2]}",
        "{\"a\":[1]}",
    ),
    ("path = '$', op = 'ne', value = 1", "1.00", "2"),
    ("path = '$', op = 'lt', value = 1", "1", "0.9"),
    ("path = '$', op = 'le', value = -1", "-0.9", "-1"),
    ("path = '$', op = 'gt', value = 'a'", "\"a\"", "\"b\""),
    ("path = '$', op = 'ge', value = 0.1", "0.09", "0.1"),
    ("path = '$', op = 'ge', value = 1", "\"2\"", "2"),
    (
        "path = '$', op = 'contains', value = 'left-pad'",
        "\"left pad\"",
        "\"a left-pad b\"",
    ),
    ("path = '$', op = 'contains', value = 2", "[1,3]", "[1,2]"),
    (
        "path = '$', op = 'contains', value = { a = 1 }",
        "{\"a\":2,\"b\":1}",
        "{\"a\":1,\"b\":1}",
    ),
    (
        "path = '$', op = 'starts_with', value = 'ab'",
        "\"cab\"",
        "\"abc\"",
    ),
    (
        "path = '$', op = 'ends_with', value = 'ab'",
        "\"abc\"",
        "\"cab\"",
    ),
    (
        "path = '$', op = 'matches', value = '^v\\d+$'",
        "\"v1x\"",
        "\"v1\"",
    ),
    ("path = '$', op = 'one_of', value = [1, 'a']", "2", "\"a\""),
    ("path = '$', op = 'type', value = 'integer'", "1.5", "15e1"),
    ("path = '$', op = 'type', value = 'null'", "0", "null"),
    ("path = '$', op = 'empty'", "[0]", "[]"),
    ("path = '$', op = 'empty', value = false", "\"\"", "\"x\""),
    ("path = '$', op = 'length', value = 2", "\"é\"", "\"éé\""),
    ("path = '$', op = 'length', min = 1, max = 2", "[]", "[1]"),
    (
        "path = '$', op = 'approx', value = 1.0, abs = 0.1",
        "1.2",
        "1.05",
    ),
    (
        "path = '$', op = 'approx', value = 100, rel = 0.01",
        "102",
        "101",
    ),
    (
        "path = '$', op = 'schema', json = '{\"type\":\"object\",\"required\":[\"a\"]}'",
        "{}",
        "{\"a\":1}",
    ),
    (
        "path = '$[*]', quantifier = 'each', op = 'type', value = 'string'",
        "[\"a\",1]",
        "[\"a\",\"b\"]",
    ),
    (
        "path = '$[*]', quantifier = 'any', op = 'eq', value = 1",
        "[2,3]",
        "[2,1]",
    ),
    (
        "path = '$[*]', quantifier = 'none', op = 'eq', value = 1",
        "[2,1]",
        "[2,3]",
    ),
    (
        "path = '$[*]', quantifier = 'count', count = 1, op = 'eq', value = 1",
        "[1,1]",
        "[1,2]",
    ),
    ("path = '$[*]', count = 2", "[1]", "[1,2]"),
    ("path = '$.a', exists = false", "{\"a\":null}", "{\"b\":1}"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_operator_tells_the_nearest_values_apart() {
    for (predicate, failing, passing) in PREDICATES {
        let rest = format!("expect.stdout = {{ format = 'json', where = [{{ {predicate} }}] }}");
        let failed = outcome(&format!("printf '%s' '{failing}'"), &rest).await;
        assert_eq!(
            codes(&failed),
            ["predicate_failed"],
            "{predicate} of {failing}: {:#?}",
            failed.reasons
        );
        let passed = outcome(&format!("printf '%s' '{passing}'"), &rest).await;
        assert_eq!(
            passed.verdict,
            Verdict::Pass,
            "{predicate} of {passing}: {:#?}",
            passed.reasons
        );
    }
}

#[tokio::test]
async fn nothing_selected_fails_unless_it_is_allowed() {
    for (quantifier, passes) in [
        ("quantifier = 'each'", false),
        ("quantifier = 'each', allow_empty = true", true),
        ("quantifier = 'any'", false),
        ("quantifier = 'one'", false),
        ("quantifier = 'none'", true),
    ] {
        let rest = format!(
            "expect.stdout = {{ format = 'json', where = [{{ path = '$[*]', op = 'eq', value = 1, {quantifier} }}] }}"
        );
        let outcome = outcome("echo '[]'", &rest).await;
        assert_eq!(
            outcome.verdict == Verdict::Pass,
            passes,
            "{quantifier}: {:#?}",
            outcome.reasons
        );
    }
}

#[tokio::test]
async fn a_path_applies_to_each_line_of_json_lines() {
    let rest = "expect.stdout = { format = 'json_lines', where = [{ path = '$.n', op = 'ge', value = 1 }] }";
    let outcome = outcome("echo '{\"n\":1}'; echo '{\"n\":0}'; echo '{}'", rest).await;
    assert_eq!(
        codes(&outcome),
        ["predicate_failed", "path_selects_nothing"]
    );
    assert_eq!(
        (outcome.reasons[0].byte, outcome.reasons[0].line),
        (Some(13), Some(2))
    );
    assert_eq!(
        (outcome.reasons[1].byte, outcome.reasons[1].line),
        (Some(16), Some(3))
    );
}

#[tokio::test]
async fn the_reason_says_where_in_the_output_and_where_in_the_check() {
    let script = "printf '{\"ok\":false}\\nFailure(left-pad) at x.mbt\\n'; exit 1";
    let rest = "[check.expect]\nexit = 1\nstdout.format = 'json'";
    let outcome = outcome(script, rest).await;
    assert_eq!(codes(&outcome), ["stdout_trailing_bytes", "forbidden_text"]);
    let reason = &outcome.reasons[0];
    assert_eq!(
        reason.message,
        "stdout is valid JSON, but `Failure(left-pad) at x.mbt` follows at byte 13"
    );
    assert_eq!(
        (reason.byte, reason.line, reason.column),
        (Some(13), Some(2), Some(1))
    );
    assert_eq!((reason.check.line, reason.check.column), (6, 1));
    assert!(reason.hint.is_some());
}

#[tokio::test]
async fn allowed_lines_are_no_part_of_the_format() {
    let rest = "expect.stderr = { format = 'json', noise = 'cargo', where = [{ path = '$.e', op = 'eq', value = 1 }] }";
    let script =
        "echo '   Compiling x v0.1' >&2; echo '{\"e\":2}' >&2; echo '    Finished `dev` x' >&2";
    let outcome = outcome(script, rest).await;
    assert_eq!(codes(&outcome), ["predicate_failed"]);
    assert_eq!(
        outcome.reasons[0].byte,
        Some(25),
        "the offset is that of the whole stream"
    );
}

#[tokio::test]
async fn a_text_is_one_string() {
    let rest = "expect.stdout = { format = 'text', where = [{ op = 'starts_with', value = 'usage: ' }, { op = 'length', max = 12 }] }";
    assert_eq!(
        outcome("echo 'usage: x'", rest).await.verdict,
        Verdict::Pass
    );
    let failed = outcome("echo 'Usage: x'", rest).await;
    assert_eq!(
        failed.reasons[0].message,
        r#"stdout is "Usage: x\n", expected a string that starts with "usage: ""#
    );
}

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

#[tokio::test]
async fn all_reasons_are_collected() {
    let rest = "[check.expect]\nexit = 0\nstdout = { format = 'json', where = [{ path = '$.a', exists = true }, { path = '$.b', op = 'eq', value = 1 }] }\nstderr = 'empty'";
    let outcome = outcome("echo '{\"b\":2} tail'; echo x >&2; exit 1", rest).await;
    let found: BTreeSet<String> = codes(&outcome).into_iter().collect();
    let expected = [
        "exit_mismatch",
        "path_selects_nothing",
        "predicate_failed",
        "stderr_not_empty",
        "stdout_trailing_bytes",
    ];
    assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_keep_the_order_of_the_file() {
    let many: String = (0..24)
        .map(|i| {
            check(
                &format!("sleep 0.{:02}; exit {}", (24 - i) * 2, i % 2),
                "expect.exit = 0",
            )
            .replace("case", &format!("case {i}"))
        })
        .collect();
    let root = TempDir::new().unwrap();
    let suite = Suite::parse("checks.toml", &many, root.path()).unwrap();
    let options = Options {
        jobs: 8,
        ..Options::new(root.path())
    };
    let report = suite.run(&options).await.unwrap();
    let names: Vec<&str> = report
        .checks
        .iter()
        .map(|check| check.name.as_str())
        .collect();
    assert_eq!(
        names,
        (0..24).map(|i| format!("case {i}")).collect::<Vec<_>>()
    );
    assert_eq!(
        (
            report.summary().pass,
            report.summary().fail,
            report.exit_status()
        ),
        (12, 12, 1)
    );
}

#[tokio::test]
async fn both_reports_tell_the_same_story() {
    let report = run(&format!(
        "suite.name = 'demo'\n{}",
        check(
            "echo '{}x'; exit 1",
            "[check.expect]\nstdout.format = 'json'"
        )
    ))
    .await;
    let json = report.json();
    assert_eq!(json["schema"], "accept/1");
    assert_eq!(json["summary"]["fail"], 1);
    assert_eq!(json["checks"][0]["verdict"], "fail");
    let reason = &json["checks"][0]["reasons"][1];
    assert_eq!(reason["code"], "stdout_trailing_bytes");
    assert_eq!(
        (&reason["stream"], &reason["byte"]),
        (&"stdout".into(), &2.into())
    );
    assert_eq!(json["checks"][0]["runs"][0]["exit"]["status"], 1);
    let human = report.human();
    for part in [
        "demo\n",
        "FAIL    case",
        "stdout is valid JSON, but `x` follows at byte 2",
        "[exit_mismatch]",
        "$ sh -c",
        "0 passed, 1 failed",
    ] {
        assert!(human.contains(part), "{part} in\n{human}");
    }
}

/// A text that a person forbids and a preset forbids as well is one reason, where the person wrote it.
#[tokio::test]
async fn a_text_forbidden_twice_is_one_reason() {
    let rest =
        "expect.exit = 'zero'\nexpect.stdout = { format = 'text',\n  forbid = ['Failure(', 'b'] }";
    let outcome = outcome("echo 'b Failure(x)'", rest).await;
    assert_eq!(codes(&outcome), ["forbidden_text", "forbidden_text"]);
    let twice = &outcome.reasons[0];
    assert!(twice.message.contains("`Failure(` at byte 2"), "{twice:?}");
    assert_eq!(twice.check.line, outcome.reasons[1].check.line);
}
