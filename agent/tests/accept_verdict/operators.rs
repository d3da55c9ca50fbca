//! Each operator tells the nearest values apart, at the places that a path selects.

use agent::accept::Verdict;

use crate::kit::{codes, outcome};

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
