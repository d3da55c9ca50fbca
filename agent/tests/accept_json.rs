//! The strict reader against `serde_json`, and both readers against anything.

#![allow(clippy::unwrap_used)] // bodies of `proptest!` are tests

use std::path::Path;

use agent::accept::Suite;
use agent::accept::json::{Json, ProblemKind, Value, read};
use proptest::prelude::*;

/// Any JSON value, with numbers that a double holds.
fn any_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        prop::num::f64::NORMAL.prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_valid_value_is_read_as_it_is(value in any_value(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.unwrap();
        let reading = read(text.as_bytes());
        prop_assert_eq!(&reading.problems, &vec![]);
        let read = reading.value.unwrap();
        prop_assert_eq!(read.to_serde(), value);
        prop_assert_eq!(reading.end, text.len());
    }

    #[test]
    fn printing_and_reading_again_changes_nothing(value in any_value()) {
        let first = read(value.to_string().as_bytes()).value.unwrap();
        let second = read(first.to_string().as_bytes()).value.unwrap();
        prop_assert_eq!(first, second);
    }

    #[test]
    fn a_damaged_text_is_judged_like_serde_does(value in any_value(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut text = value.to_string().into_bytes();
        let index = at.index(text.len());
        text[index] = byte;
        let reading = read(&text);
        // A second key of the same name is all that serde_json puts up with.
        let strict = reading.problems.iter().any(|problem| problem.kind != ProblemKind::DuplicateKey);
        let serde = serde_json::from_slice::<serde_json::Value>(&text);
        // Numbers that no double holds are JSON all the same.
        prop_assume!(!serde.as_ref().is_err_and(|error| error.to_string().contains("out of range")));
        prop_assert_eq!(strict, serde.is_err(), "{}", text.escape_ascii());
    }

    #[test]
    fn anything_can_be_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let reading = read(&bytes);
        prop_assert!(reading.value.is_some() || !reading.problems.is_empty());
        prop_assert!(reading.problems.iter().all(|problem| problem.byte <= bytes.len()));
    }

    #[test]
    fn json_like_text_can_be_read_without_a_panic(text in "[\\[\\]{}\",:\\\\u0-9a-fA-FnulltrueNaInfity.eE+\\- \n\u{feff}é]{0,60}") {
        let reading = read(text.as_bytes());
        prop_assert!(reading.end <= text.len());
        prop_assert_eq!(reading.value.is_none() && reading.problems.is_empty(), false);
    }

    #[test]
    fn any_text_can_be_loaded_without_a_panic(text in any::<String>(), cut in any::<prop::sample::Index>(), byte in any::<char>()) {
        let loaded = Suite::parse("x.toml", &text, Path::new("."));
        prop_assert!(loaded.is_err());
        let whole: Vec<char> = EXAMPLE.chars().collect();
        let cut = cut.index(whole.len());
        let damaged: String = whole[..cut].iter().chain([&byte]).chain(&whole[cut + 1..]).collect();
        for text in [damaged, whole[..cut].iter().collect(), whole[cut..].iter().collect()] {
            if let Err(errors) = Suite::parse("x.toml", &text, Path::new(".")) {
                prop_assert!(!errors.is_empty());
                let lines = text.matches('\n').count() + 1;
                prop_assert!(errors.iter().all(|error| (1..=lines).contains(&error.place.line)));
            }
        }
    }
}

const EXAMPLE: &str = r#"[suite]
name = "resolve"
timeout_ms = 10000
[[check]]
name = "a conflict prints one JSON object and fails"
argv = ["target/debug/resolve", { hex = "ff" }]
env = { NO_COLOR = "1" }
files = { "conflict.json" = '{"a":"^1"}' }
stdin = ""
when = { program = "jq" }
[check.expect]
exit = "nonzero"
stdout.format = "json"
stdout.where = [
  { path = "$.ok", op = "eq", value = false },
  { path = "$.n[?@ > 1]", op = "approx", value = 1.5, abs = 0.1, quantifier = "each" },
]
stdout.forbid = ["Failure(", { hex = "1b" }, { text = "x", scope = "json_strings" }]
stderr = { allow = ["^Compiling "] }
files.where = [{ path = "out.json", exists = true }]
[check.same_as]
argv = ["cargo", "run", "-q", "--", "conflict.json"]
allow_stderr = ["^\\s*(Compiling|Finished|Running) "]
"#;

#[test]
fn the_example_of_the_fuzzer_is_a_good_file() {
    let suite = Suite::parse("x.toml", EXAMPLE, Path::new(".")).unwrap();
    assert_eq!(suite.checks().count(), 1);
}

#[test]
fn each_problem_has_its_kind_and_its_byte() {
    use ProblemKind::{
        ByteOrderMark, DuplicateKey, InvalidUtf8, NoValue, NotANumber, Syntax, TooDeep,
        TrailingBytes, Truncated,
    };
    let cases: &[(&[u8], ProblemKind, usize)] = &[
        (b"", NoValue, 0),
        (b" \n", NoValue, 2),
        (b"\xef\xbb\xbf{}", ByteOrderMark, 0),
        (b"{} \n{}", TrailingBytes, 4),
        (b"[NaN]", NotANumber, 1),
        (b"[-Infinity]", NotANumber, 1),
        (b"[1,\xff]", InvalidUtf8, 3),
        (b"{\"a\":1,\"\\u0061\":2}", DuplicateKey, 7),
        (b"[1,", Truncated, 3),
        (b"\"abc", Truncated, 4),
        (b"tru", Truncated, 3),
        (b"\"\\u12", Truncated, 5),
        (b"[1,]", Syntax, 3),
        (b"{'a':1}", Syntax, 1),
        (b"01", TrailingBytes, 1),
        (b"[+1]", Syntax, 1),
        (b"[1.]", Syntax, 3),
        (b"\"\t\"", Syntax, 1),
        (b"\"\\x\"", Syntax, 1),
        (b"\"\\ud800x\"", Syntax, 1),
        (b"\"\\udc00\"", Syntax, 1),
        (b"// x\n1", Syntax, 0),
    ];
    for (text, kind, byte) in cases {
        let problems = read(text).problems;
        let found: Vec<_> = problems
            .iter()
            .map(|problem| (problem.kind, problem.byte))
            .collect();
        assert_eq!(found, [(*kind, *byte)], "{}", text.escape_ascii());
    }
    assert_eq!(read(&vec![b'['; 100_000]).problems[0].kind, TooDeep);
}

#[test]
fn a_value_before_trailing_bytes_can_still_be_judged() {
    let reading = read(b"{\"ok\": true} trailing");
    assert!(matches!(
        reading.value,
        Some(Json {
            byte: 0,
            value: Value::Object(_)
        })
    ));
    assert_eq!(reading.problems[0].message, "`trailing` follows at byte 13");
}
