//! All reasons, in order, and the same in both reports.

use std::collections::BTreeSet;

use agent::accept::{Options, Suite};
use tempfile::TempDir;

use crate::kit::{check, codes, outcome, run};

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
