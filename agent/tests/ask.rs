//! `agent ask`, from outside: the built program on real repositories with scripted models.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/asked.rs"]
mod asked;
#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/scene.rs"]
mod scene;

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use asked::{Asked, Repository};
use regex::Regex;
use scene::{agent, finish, read_until, signal};
use serde_json::json;
use tempfile::TempDir;

const MISSING: &str = "[[step]]\ntext = \"MISSING: teapot\"\n";

#[test]
fn the_bundled_question_is_looked_up_twice_and_answered() {
    let folder = TempDir::new().unwrap();
    let child = agent(folder.path(), &["ask", "--json"]).spawn().unwrap();
    let asked = Asked::of(&finish(child));
    assert_eq!(asked.status, Some(0), "{:#?}", asked.lines);
    assert_eq!(asked.stderr, "");
    assert_eq!(asked.lines[0]["scripted"], true);
    assert_eq!(
        asked.events(),
        [
            "Question",
            "PassagesFound",
            "ContextReady",
            "ThinkUnsure",
            "Question",
            "PassagesFound",
            "ContextReady",
            "ThinkDone"
        ]
    );
    assert_eq!(asked.verdicts(), ["missing", "answered"]);
    let looped: Vec<_> = asked.all("step").iter().map(|step| &step["loop"]).collect();
    assert_eq!(looped.iter().filter(|round| !round.is_null()).count(), 1);
    assert_eq!(*looped[4], 1);
    assert_eq!(asked.all("step")[4]["restarted"], json!(["reasoning"]));
    assert_eq!(asked.ended()["citations"].as_array().unwrap().len(), 3);
    // Nothing is left behind.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The README shows what happens.
#[test]
fn the_readme_shows_the_bundled_question() {
    let folder = TempDir::new().unwrap();
    let output = finish(agent(folder.path(), &["ask"]).spawn().unwrap());
    assert_eq!(output.status.code(), Some(0));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("a script answers for the model"),
        "{stderr}"
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains('\x1b'), "{text}");
    // Only the times differ.
    let times = Regex::new(r"\d+\.\d s").unwrap();
    let text = times.replace_all(&text, "0.0 s");
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    assert!(
        readme.contains(&format!("```text\n{text}```")),
        "the README does not show\n{text}"
    );
}

#[test]
fn an_answer_needs_one_look_where_the_question_names_it() {
    let repository = Repository::new();
    let script = "[[step]]\nexpect = { user_contains = [\"fn backoff\", \"Question: How long\"] }\n\
                  text = \"ANSWER\\n- It doubles the pause [src/retry.rs:3-4].\"";
    let asked = repository.ask(script, &["How long is the backoff of a retry?"]);
    assert_eq!(asked.status, Some(0), "{:#?}", asked.lines);
    assert_eq!(asked.verdicts(), ["answered"]);
    assert_eq!(asked.ended()["citations"], json!(["src/retry.rs:3-4"]));
    assert_eq!(asked.sources(0)[0], "src/retry.rs:1-5");
    let usage = &asked.ended()["usage"];
    let once = json!({ "retrieval.Search": 1, "reasoning.Think": 1 });
    assert_eq!(usage["effects"], once);
    assert!(usage["tokens"].as_u64() > Some(0));
    // The same question, the same search.
    let again = repository.ask(script, &["How long is the backoff of a retry?"]);
    assert_eq!(asked.sources(0), again.sources(0));
}

/// What was missing is what is searched for next.
#[test]
fn a_question_is_looked_up_until_it_is_answered() {
    let repository = Repository::new();
    let script = r#"
[[step]]
text = "MISSING: quota"
[[step]]
expect = { user_contains = "the quota of retries is seven" }
text = "MISSING: colour, paint"
[[step]]
expect = { user_contains = "fn paint" }
text = "It is painted red [src/paint.rs:2]."
"#;
    let asked = repository.ask(script, &["How is a teapot made?"]);
    assert_eq!(asked.status, Some(0), "{:#?}", asked.lines);
    assert_eq!(asked.verdicts(), ["missing", "missing", "answered"]);
    let loops = asked
        .all("step")
        .into_iter()
        .filter_map(|step| step["loop"].as_u64());
    assert_eq!(loops.collect::<Vec<_>>(), [1, 2]);
    assert_eq!(asked.sources(0)[0], "docs/teapot.md:1-2");
    assert_eq!(asked.sources(1)[0], "docs/limits.md:1-3");
    assert_eq!(asked.sources(2)[0], "src/paint.rs:1-3");
}

#[test]
fn looking_again_is_bounded_by_the_contract_and_by_less() {
    let repository = Repository::new();
    for (more, rounds) in [(&[][..], 3), (&["--max-rounds", "1"], 1)] {
        let arguments = [&["How is a teapot made?"], more].concat();
        let asked = repository.ask(&MISSING.repeat(9), &arguments);
        assert_eq!(asked.status, Some(1));
        assert_eq!(asked.verdicts().len(), rounds + 1);
        let exhausted = asked.all("exhausted");
        assert_eq!(exhausted.len(), 1);
        assert_eq!(
            *exhausted[0],
            json!({
                "type": "exhausted", "feedback": "ask", "rounds": rounds,
                "limit": { "rounds": { "used": rounds, "allowed": rounds } },
            })
        );
        let said = format!(
            "feedback exhausted: `ask` after {rounds} rounds: {rounds} of {rounds} rounds used"
        );
        let ended = asked.ended();
        assert_eq!(ended["termination"], said);
        assert_eq!(
            (&ended["answered"], &ended["answer"]),
            (&json!(false), &json!(null))
        );
        assert_eq!(ended["missing"], "teapot");
    }
    let human = repository.people(&MISSING.repeat(9), &["How is a teapot made?"]);
    for line in [
        "↻ looked up again, 3 of 3; reasoning anew",
        "! loop exhausted: `ask` after 3 rounds: 3 of 3 rounds used",
        "NOT ANSWERED",
        "  missing    teapot",
        "  end        feedback exhausted: `ask` after 3 rounds: 3 of 3 rounds used",
    ] {
        assert!(human.contains(line), "{line:?} is not in\n{human}");
    }
}

#[test]
fn what_nobody_has_shown_is_no_source() {
    let repository = Repository::new();
    let question = "How long is the backoff of a retry?";
    for (claim, reason) in [
        ("It doubles.", "it names no source"),
        (
            "It doubles [src/made_up.rs:3-4].",
            "src/made_up.rs:3-4 is not among the passages",
        ),
        (
            "It doubles [src/retry.rs:3-90].",
            "src/retry.rs:3-90 has lines that were not shown",
        ),
        (
            "It doubles [src/retry.rs:4-3].",
            "src/retry.rs:4-3 names no lines",
        ),
        // It is there, but nobody has searched it up.
        (
            "It doubles [Cargo.toml:1].",
            "Cargo.toml:1-1 is not among the passages",
        ),
        (
            "It doubles [src/retry.rs:3].\\n\\nAnd grows.",
            "no source for: And grows.",
        ),
    ] {
        // The model is told what was wrong, and may do better.
        let script = format!(
            "[[step]]\ntext = \"{claim}\"\n[[step]]\nexpect = {{ user_contains = \"did not count: {reason}\" }}\n\
             text = \"It doubles [src/retry.rs:3].\""
        );
        let asked = repository.ask(&script, &[question]);
        assert_eq!(asked.status, Some(0), "{claim}: {:#?}", asked.lines);
        assert_eq!(asked.verdicts(), ["refused", "answered"], "{claim}");
        assert_eq!(asked.all("judged")[0]["reasons"], json!([reason]));
        if claim.contains("Cargo.toml") {
            // Where it says it would be is searched next, and then it has been shown.
            continue;
        }
        let alone = format!("[[step]]\ntext = \"{claim}\"\n").repeat(4);
        let asked = repository.ask(&alone, &[question]);
        assert_eq!(asked.status, Some(1), "{claim}");
        assert_eq!(asked.ended()["answer"], json!(null));
        assert_eq!(asked.ended()["citations"], json!([]));
    }
}

#[test]
fn a_model_that_fails_ends_the_look_up_with_its_reason() {
    let repository = Repository::new();
    for (step, said) in [
        ("fail = \"the machine is on fire\"", "on fire"),
        (
            "finish = \"cut_off\"\ntext = \"It doubles [src/retry.rs:3]\"",
            "cut off",
        ),
        (
            "finish = \"refused\"\ntext = \"I would rather not.\"",
            "rather not",
        ),
        ("text = \" \"", "said nothing"),
    ] {
        let asked = repository.ask(&format!("[[step]]\n{step}"), &["What is a retry?"]);
        assert_eq!(asked.status, Some(1), "{step}");
        assert_eq!(asked.events().last(), Some(&"ThinkFailed"));
        assert_eq!(asked.verdicts(), ["unusable"]);
        let reason = asked.ended()["reason"].as_str().unwrap();
        assert!(reason.contains(said), "{reason}");
    }
}

#[test]
fn where_nothing_is_found_no_model_is_asked() {
    let empty = Repository::empty();
    let asked = empty.ask(MISSING, &["What is a retry?"]);
    assert_eq!(asked.status, Some(1));
    assert_eq!(asked.events(), ["Question", "NothingMatched"]);
    assert_eq!(asked.all("asking").len(), 0);
    let ended = asked.ended();
    assert_eq!(
        ended["reason"],
        "nothing in the repository speaks of: retry"
    );
    assert_eq!(
        ended["termination"],
        "completed in `retrieval.NothingFound, reasoning.Waiting`"
    );
    // In another one it may be that only these words are missing.
    let asked = Repository::new().ask(MISSING, &["zygote?"]);
    assert_eq!(asked.events(), ["Question", "NothingMatched"]);
}

#[test]
fn what_is_no_text_or_not_to_be_read_is_not_searched() {
    let repository = Repository::new();
    repository.write("image.bin", b"teapot\0teapot");
    repository.write("huge.txt", "teapot\n".repeat(200_000).as_bytes());
    repository.write("secret.key", b"teapot");
    repository.write(".env", b"TEAPOT=1");
    repository.write("latin.txt", b"teapot caf\xe9");
    repository.write(
        "long.txt",
        format!("teapot {}", "x ".repeat(100_000)).as_bytes(),
    );
    let asked = repository.ask(&MISSING.repeat(4), &["teapot"]);
    let mut sources = asked.sources(0);
    sources.sort_unstable();
    assert_eq!(
        sources,
        ["docs/teapot.md:1-2", "latin.txt:1-1", "long.txt:1-1"]
    );
    let searched = asked.all("searched")[0];
    assert_eq!(
        (&searched["skipped"], &searched["partial"]),
        (&json!(2), &json!(false))
    );
    // What the model is shown stays small.
    let input = asked.all("replied")[0]["usage"]["input"].as_u64().unwrap();
    assert!(input < 2_000, "{input}");
}

#[test]
fn what_cannot_start_says_in_one_line_what_to_do() {
    let repository = Repository::new();
    repository.write("loose.toml", b"[[step]]\n");
    for (arguments, said) in [
        (
            &["", "--provider", "script", "--model", "loose.toml"][..],
            "the question is blank",
        ),
        (&[" \n\t "], "the question is blank"),
        (&["Why?", "--dir", "absent"], "no folder absent"),
        (&["Why?", "--dir", "Cargo.toml"], "no folder Cargo.toml"),
        (&["Why?"], "OPENAI_API_KEY"),
        (
            &["Why?", "--provider", "nobody"],
            "known are openai, deepseek",
        ),
        (&["Why?", "--provider", "script"], "--model FILE"),
        (
            &["Why?", "--provider", "script", "--model", "loose.toml"],
            "step 1",
        ),
        (&["Why?", "--max-rounds", "4"], "at most 3"),
        (&["Why?", "--max-rounds", "0"], "--max-rounds"),
        (&["Why?", "--timeout", "1d"], "no unit of time"),
        (&["--dir", "."], "QUESTION"),
    ] {
        let output = repository.agent(&[&["ask"], arguments].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(said), "{arguments:?}: {stderr}");
        assert_eq!(output.stdout, b"", "{arguments:?}");
        let is_ours = stderr.starts_with("agent: ");
        assert!(!is_ours || stderr.lines().count() == 1, "{stderr}");
    }
}

/// A server that takes every connection and never answers.
fn silent() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    (listener, url)
}

#[test]
fn time_that_is_over_is_a_limit() {
    let (_silent, url) = silent();
    let repository = Repository::new();
    let asked = Asked::of(&repository.agent(&[
        "ask",
        "What is a retry?",
        "--json",
        "--timeout",
        "3s",
        "--provider",
        "llama.cpp",
        "--base-url",
        &url,
    ]));
    assert_eq!(asked.status, Some(3), "{:#?}", asked.lines);
    let termination = asked.ended()["termination"].as_str().unwrap();
    assert!(termination.starts_with("limit: "), "{termination}");
    assert!(
        termination.ends_with("in `retrieval.Found, reasoning.Thinking`"),
        "{termination}"
    );
}

#[test]
fn an_interrupt_ends_it_at_once() {
    let (_silent, url) = silent();
    let repository = Repository::new();
    let arguments = [
        "ask",
        "What is a retry?",
        "--json",
        "--provider",
        "llama.cpp",
        "--base-url",
        &url,
    ];
    let mut child = agent(&repository.root(), &arguments).spawn().unwrap();
    let rest = read_until(&mut child, "\"asking\"");
    signal("INT", child.id());
    let lines: Vec<_> = std::io::BufRead::lines(rest).map(Result::unwrap).collect();
    let last: serde_json::Value = serde_json::from_str(lines.last().unwrap()).unwrap();
    assert_eq!(finish(child).status.code(), Some(130));
    let said = "suspended in `retrieval.Found, reasoning.Thinking` before `reasoning.Think`";
    assert_eq!(
        (&last["status"], &last["termination"]),
        (&json!(130), &json!(said))
    );
}

#[test]
fn types_and_statuses_are_documented() {
    let folder = TempDir::new().unwrap();
    let help = finish(agent(folder.path(), &["ask", "--help"]).spawn().unwrap());
    let help = String::from_utf8(help.stdout).unwrap();
    for kind in asked::TYPES {
        assert!(help.contains(kind), "{kind}");
    }
    let list = finish(
        agent(folder.path(), &["ask", "--provider", "help"])
            .spawn()
            .unwrap(),
    );
    assert!(String::from_utf8_lossy(&list.stdout).contains("llama.cpp"));
}
