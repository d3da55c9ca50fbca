//! Every way in which a check file can be wrong, with its place.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::path::Path;

use agent::accept::{LoadCode, Suite};

const GOOD: &str = "[[check]]\nname = 'a'\nargv = ['true']\n";

fn errors(text: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    match Suite::parse("c.toml", text, folder) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

/// (what follows the head of a good check, the whole error)
const WRONG: &[(&str, &str)] = &[
    (
        "",
        "c.toml:2:8: the check expects nothing: give it [check.expect] or [check.same_as]",
    ),
    ("[check.expect]", "c.toml:4:1: `expect` expects nothing"),
    (
        "expect = { stdout = 'any', stderr = 'any' }",
        "c.toml:4:10: `expect` expects nothing: everything in it is `any`",
    ),
    (
        "expect.stdout = {}",
        "c.toml:4:17: `stdout` expects nothing",
    ),
    (
        "expect.stdout = { traces = false }",
        "c.toml:4:28: `stdout` expects nothing else",
    ),
    (
        "expect.stdout = { format = 'json', where = [] }",
        "c.toml:4:44: `where` is empty: it would pass whatever the program does; leave it out or fill it",
    ),
    (
        "expect.stdout.forbid = []",
        "c.toml:4:24: `forbid` is empty: it would pass whatever the program does; leave it out or fill it",
    ),
    (
        "expect.files.where = []",
        "c.toml:4:22: `files.where` is empty: it would pass whatever the program does; leave it out or fill it",
    ),
    (
        "expect.stderr.allow = []",
        "c.toml:4:23: `allow` is empty: it would pass whatever the program does; leave it out or fill it",
    ),
    (
        "expect.stderr.allow = ['.*']",
        "c.toml:4:24: `.*` allows every line: anchor it with `^`",
    ),
    (
        "expect.stdout.forbid = ['']",
        "c.toml:4:25: a forbidden text cannot be empty",
    ),
    (
        "same_as = { argv = ['true'], compare = [] }",
        "c.toml:4:40: `compare` is empty: it would pass whatever the program does; leave it out or fill it",
    ),
    (
        "when = {}\nexpect.exit = 0",
        "c.toml:4:8: `when` states no condition",
    ),
    (
        "expect.files.where = [{ path = 'x' }]",
        "c.toml:4:23: the rule says nothing about the file: give it `exists` or `format`",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$.a' }] }",
        "c.toml:4:45: an item of `where` states nothing: it has no `op`",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$', op = 'contains', value = '' }] }",
        "c.toml:4:84: `contains` an empty string would hold for every string",
    ),
    (
        "expect.stdot = 'empty'",
        "c.toml:4:8: `expect` has no key `stdot`; did you mean `stdout`?",
    ),
    (
        "expects.exit = 0\nexpect.exit = 0",
        "c.toml:4:1: a check has no key `expects`; did you mean `expect`?",
    ),
    (
        "expect.stdout = { fromat = 'json' }",
        "c.toml:4:19: `stdout` has no key `fromat`; did you mean `format`?",
    ),
    (
        "expect.exit = 'failure'",
        "c.toml:4:15: `exit` cannot be `failure`; it may be zero, nonzero, a number, { signal = … }",
    ),
    (
        "expect.exit = 256",
        "c.toml:4:15: `exit` has to be a status from 0 to 255",
    ),
    (
        "expect.exit = { signal = 'NONE' }",
        "c.toml:4:26: `signal` has to be a number or one of HUP, INT, QUIT, ILL, ABRT, FPE, KILL, SEGV, PIPE, ALRM, TERM",
    ),
    (
        "expect.stdout.format = 'jsn'",
        "c.toml:4:24: `format` cannot be `jsn`; did you mean `json`?",
    ),
    (
        "expect.stdout.where = [{ path = '$', op = 'eq', value = 1 }]",
        "c.toml:4:23: `stdout` has a `where`, so it needs format = \"json\", \"json_lines\" or \"text\"",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$.items.[*]', op = 'eq', value = 1 }] }",
        "c.toml:4:54: `$.items.[*]` is not a JSONPath (RFC 9535): ",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$[?@ == 12345678901234567]', op = 'exists' }] }",
        "c.toml:4:54: a filter compares numbers as doubles, which do not hold that many digits: select the value and compare it with `op`",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$', op = 'equals', value = 1 }] }",
        "c.toml:4:64: `op` cannot be `equals`; it may be eq, ne, lt, le, gt, ge, contains, starts_with, ends_with, matches, one_of, type, exists, empty, length, approx, schema",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$', op = 'eq' }] }",
        "c.toml:4:45: `eq` needs a `value` (or `json`, for what TOML cannot say)",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$', op = 'eq', json = '{\"a\":1,\"a\":2}' }] }",
        "c.toml:4:77: `json` is not strict JSON: the key `a` at byte 7 is there already (its first value is at byte 5)",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$', op = 'matches', value = '(' }] }",
        "c.toml:4:83: not a regular expression: unclosed group",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$', op = 'type', value = 'int' }] }",
        "c.toml:4:80: a type cannot be `int`; it may be null, boolean, number, integer, string, array, object",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$', op = 'eq', value = 1, abs = 1 }] }",
        "c.toml:4:87: `eq` does not look at `abs`",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$', op = 'approx', value = 1 }] }",
        "c.toml:4:45: `approx` needs `abs` or `rel`: how near is near?",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$', op = 'eq', value = nan }] }",
        "c.toml:4:78: JSON has no such number",
    ),
    (
        "expect.stdout = { format = 'json', where = [{ path = '$', op = 'schema', json = '{\"type\":1}' }] }",
        "c.toml:4:45: not a JSON Schema: ",
    ),
    (
        "expect.stdout = { format = 'text', forbid = [{ text = 'x', scope = 'outside_json' }] }",
        "c.toml:4:46: this scope needs format = \"json\" or \"json_lines\"",
    ),
    (
        "expect.stdout.forbid = [{ hex = 'f' }]",
        "c.toml:4:33: `f` is not hexadecimal: two digits for each byte",
    ),
    (
        "timeout_ms = 0\nexpect.exit = 0",
        "c.toml:4:14: `timeout_ms` is 0: no program can end in that time",
    ),
    (
        "files = { '../x' = '' }\nexpect.exit = 0",
        "c.toml:4:20: the file `../x` has to be a relative path without `..`, not `../x`",
    ),
    (
        "files = { 'x' = { from = 'no-such-file' } }\nexpect.exit = 0",
        "c.toml:4:26: cannot read `no-such-file` beside the check file: ",
    ),
    (
        "files = { 'x' = { hex = '00', text = '' } }\nexpect.exit = 0",
        "c.toml:4:17: the file `x` needs one of `text`, `from` and `hex`",
    ),
    (
        "in_place = true\nfiles = { 'x' = '' }\nexpect.exit = 0",
        "c.toml:5:9: `files` would write into the project itself when the check runs `in_place`",
    ),
    (
        "cwd = '/'\nexpect.exit = 0",
        "c.toml:4:7: `cwd` has to be a relative path without `..`, not `/`",
    ),
    (
        "fixture = 'no-such-folder'\nexpect.exit = 0",
        "c.toml:4:11: `fixture` is not a folder beside the check file",
    ),
    (
        "env = { A = 1 }\nexpect.exit = 0",
        "c.toml:4:13: `env.A` has to be a string, not of type integer",
    ),
    (
        "stdin = {}\nexpect.exit = 0",
        "c.toml:4:9: `stdin` needs one of `file`, `hex` and `text`",
    ),
    (
        "expect.stderr.noise = 'crgo'",
        "c.toml:4:23: `noise` cannot be `crgo`; did you mean `cargo`?",
    ),
    ("expect.exit = ", "c.toml:4:15: not TOML: "),
];

#[test]
fn each_error_has_its_place_and_its_words() {
    for (rest, expected) in WRONG {
        let found = errors(&format!("{GOOD}{rest}"));
        assert_eq!(found.len(), 1, "{rest}\n{found:#?}");
        let open_ended = expected.ends_with(": ");
        let fits = if open_ended {
            found[0].starts_with(expected)
        } else {
            found[0] == *expected
        };
        assert!(fits, "{rest}\n     got {}\nexpected {expected}", found[0]);
    }
}

#[test]
fn the_nearest_right_files_load() {
    for rest in [
        "expect.exit = 0",
        "expect = { stdout = 'any', stderr = 'empty' }",
        "expect.stdout = { format = 'json', where = [{ path = '$', op = 'eq', value = 1 }] }",
        "expect.stdout = {\n  format = 'json',\n  where = [\n    { path = '$', op = 'type', value = 'object' }, # of 1.1\n  ],\n}",
        "expect.stdout.forbid = 'traces'",
        "expect.stderr.allow = '^x'",
        "expect.files.where = [{ path = 'x', exists = true }]",
        "same_as.argv = ['true']",
        "files = { 'x' = { from = 'Cargo.toml', eol = 'crlf' } }\nstdin = { hex = 'ff 00' }\nexpect.exit = 0",
        "fixture = 'src'\nexpect.exit = 255",
    ] {
        assert_eq!(
            errors(&format!("{GOOD}{rest}")),
            Vec::<String>::new(),
            "{rest}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_whole_file() {
    assert_eq!(
        errors(""),
        ["c.toml:1:1: there is no [[check]] in this file: an empty suite proves nothing"]
    );
    assert_eq!(
        errors("check = []"),
        [
            "c.toml:1:9: `check` is empty: it would pass whatever the program does; leave it out or fill it"
        ]
    );
    assert_eq!(
        errors("[[check]]\nargv = ['true']\nexpect.exit = 0"),
        ["c.toml:1:1: the check has no `name`"]
    );
    assert_eq!(
        errors("[[check]]\nname = 'a'\nexpect.exit = 0"),
        ["c.toml:1:1: the check has no `argv`"]
    );
    assert_eq!(
        errors("[[check]]\nname = 'a'\nargv = 'a b'\nexpect.exit = 0"),
        [
            "c.toml:3:8: `argv` is a list of arguments, never a shell string: write argv = [\"program\", \"argument\"]"
        ]
    );
    assert_eq!(
        errors("[suit]\nname = 'x'\n[[check]]\nname = 'a'\nargv = ['true']\nexpect.exit = 0"),
        ["c.toml:1:2: a check file has no key `suit`; did you mean `suite`?"]
    );
    let twice = format!("{GOOD}expect.exit = 0\n{GOOD}expect.exit = 0");
    assert_eq!(
        errors(&twice),
        ["c.toml:6:8: there is a check named `a` already"]
    );
}

#[test]
fn all_errors_come_at_once_and_in_order() {
    let found = errors(&format!(
        "{GOOD}cdw = '.'\nexpect = {{ exit = 'x', stdout = {{ format = 'y', where = [] }} }}"
    ));
    let lines: Vec<&str> = found
        .iter()
        .filter_map(|error| error.split(": ").next())
        .collect();
    assert_eq!(
        lines,
        ["c.toml:4:1", "c.toml:5:19", "c.toml:5:44", "c.toml:5:57"],
        "{found:#?}"
    );
}

#[test]
fn files_that_are_not_there_are_errors() {
    let missing = Suite::load(&["no/such.toml"]).unwrap_err();
    assert_eq!((missing.len(), missing[0].code), (1, LoadCode::Unreadable));
    let none = Suite::load(&[] as &[&str]).unwrap_err();
    assert_eq!(
        none[0].message,
        "no check file is named: nothing would be proved"
    );
}
