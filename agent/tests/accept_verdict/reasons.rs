//! Each reason code: a program that earns it and the nearest one that does not.

use agent::accept::Verdict;

use crate::kit::{codes, outcome};

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
