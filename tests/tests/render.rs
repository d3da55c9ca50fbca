//! Findings in the four formats.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use space_core::contract::{FileId, Sources, Span};
use space_core::diagnostic::render::{
    Colour, Format, github, human, json, lines, render, sarif, summary,
};
use space_core::diagnostic::{Code, Diagnostic, Trace, TraceLine, sort};

/// The place of `word` in a file.
fn at(sources: &Sources, file: FileId, word: &str) -> Span {
    let text = &sources.get(file).unwrap().text;
    let start = u32::try_from(text.find(word).unwrap()).unwrap();
    Span::new(file, start, start + u32::try_from(word.len()).unwrap())
}

/// One finding of everything.
fn example() -> (Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let a = sources.add(
        "domain/a, b%_base.toml",
        "name = \"é\"\n\n\ttype = \"txt\"\n",
    );
    let b = sources.add("domain/a_domain.toml", "to = \"X\"\n");
    let first = at(&sources, a, "\"é\"");
    let word = at(&sources, a, "\"txt\"");
    let full = Diagnostic::new(Code::TYPE, word, "unknown type `txt`: 100%,\nreally")
        .label("not a type")
        .related(first, "declared here")
        .related(at(&sources, b, "\"X\""), "used here")
        .help("did you mean `text`?")
        .edit(word, "\"text\"");
    let bare = Diagnostic::new(Code::CYCLE, Span::new(b, 0, 0), "a cycle");
    (vec![full, bare], sources)
}

#[test]
fn people_read_the_look_of_rustc() {
    let (found, sources) = example();
    let expected = "\
error[S0203]: unknown type `txt`: 100%,\u{fffd}really
 --> domain/a, b%_base.toml:3:9
  |
1 | name = \"é\"
  |        --- declared here
...
3 |     type = \"txt\"
  |            ^^^^^ not a type
 ::: domain/a_domain.toml:1:6
  |
1 | to = \"X\"
  |      --- used here
help: did you mean `text`?
  |
3 -     type = \"txt\"
3 +     type = \"text\"

note[S0506]: a cycle
 --> domain/a_domain.toml:1:1
  |
1 | to = \"X\"
  | ^

";
    assert_eq!(human(&found, &sources, Colour::Never), expected);
    assert_eq!(render(Format::Human, &found, &sources), expected);
    // Colour adds escapes, and nothing else.
    let coloured = human(&found, &sources, Colour::Always);
    let mut parts = coloured.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| plain.push_str(part.split_once('m').unwrap().1));
    assert_eq!(plain, expected);
    assert!(coloured.contains("\u{1b}[1;31merror[S0203]\u{1b}[0m"));
    assert_eq!(summary(&found), "1 error, 1 note");
}

#[test]
fn an_insertion_of_lines_shows_only_these() {
    let mut sources = Sources::default();
    let file = sources.add("x.toml", "[meta]\n[space]\n");
    let found = Diagnostic::new(
        Code::MISSING_KEY,
        Span::new(file, 0, 6),
        "`meta.name` is missing",
    )
    .help("add it")
    .edit(Span::new(file, 7, 7), "name = \"x\"\n");
    let expected = "\
error[S0102]: `meta.name` is missing
 --> x.toml:1:1
  |
1 | [meta]
  | ^^^^^^
help: add it
  |
2 + name = \"x\"

";
    assert_eq!(human(&[found], &sources, Colour::Never), expected);
}

#[test]
fn long_lines_are_shown_around_the_place() {
    let mut sources = Sources::default();
    let text = format!("{}HERE{}", "é".repeat(1_000_000), "x".repeat(1_000_000));
    let file = sources.add("x.toml", text);
    let here = at(&sources, file, "HERE");
    let found = Diagnostic::new(Code::SYNTAX, here, "wrong").edit(here, "THERE");
    let text = human(&[found], &sources, Colour::Never);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[1], " --> x.toml:1:1000001");
    assert_eq!(
        lines[3],
        format!("1 | ...{}HERE{}...", "é".repeat(40), "x".repeat(76))
    );
    assert_eq!(lines[4], format!("  | {}^^^^", " ".repeat(43)));
    assert!(text.len() < 1_000, "{}", text.len());
}

#[test]
fn a_file_cannot_drive_the_terminal() {
    let mut sources = Sources::default();
    let file = sources.add("\u{1b}[2Jx.toml", "a = \u{1b}[31m\u{202e}\u{7}b\r\nc\n");
    let found = Diagnostic::new(Code::SYNTAX, Span::new(file, 4, 9), "bad \u{1b}[0m")
        .label("\u{1b}")
        .related(Span::new(file, 0, 1), "\u{2066}")
        .help("\u{9b}");
    let text = human(&[found], &sources, Colour::Never);
    let bad = |c: char| (c.is_control() && c != '\n') || ('\u{2000}'..'\u{2070}').contains(&c);
    assert!(!text.contains(bad), "{text:?}");
}

#[test]
fn spans_outside_the_text_are_shown_at_its_edge() {
    let mut sources = Sources::default();
    let file = sources.add("x.toml", "é");
    for (start, end) in [(1, 1), (0, 1), (2, 2), (5, 9), (9, 0), (u32::MAX, u32::MAX)] {
        let span = Span::new(file, start, end);
        let found = [Diagnostic::new(Code::SYNTAX, span, "x").edit(span, "y")];
        for format in Format::ALL {
            assert!(!render(format, &found, &sources).is_empty());
        }
    }
    let nowhere = Diagnostic::new(Code::SYNTAX, Span::new(FileId(7), 0, 1), "x");
    for format in Format::ALL {
        assert!(!render(format, std::slice::from_ref(&nowhere), &sources).is_empty());
    }
}

#[test]
fn programs_read_one_object_a_line() {
    let (found, sources) = example();
    let text = json(&found, &sources);
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let expected = serde_json::json!({
        "code": "S0203",
        "severity": "error",
        "title": "unknown type",
        "message": "unknown type `txt`: 100%,\nreally",
        "label": "not a type",
        "path": "domain/a, b%_base.toml",
        "line": 3, "column": 9, "end_line": 3, "end_column": 14,
        "related": [
            {
                "path": "domain/a, b%_base.toml",
                "line": 1, "column": 8, "end_line": 1, "end_column": 11,
                "message": "declared here",
            },
            {
                "path": "domain/a_domain.toml",
                "line": 1, "column": 6, "end_line": 1, "end_column": 9,
                "message": "used here",
            },
        ],
        "help": "did you mean `text`?",
        "trace": null,
        "edit": {
            "path": "domain/a, b%_base.toml",
            "line": 3, "column": 9, "end_line": 3, "end_column": 14,
            "start": 21, "end": 26,
            "text": "\"text\"",
        },
    });
    assert_eq!(lines[0], expected);
    // Every member is always there.
    let keys = |value: &Value| {
        let mut keys: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&lines[0]), keys(&lines[1]));
    assert_eq!(lines[1]["edit"], Value::Null);
}

#[test]
fn github_shows_findings_at_their_lines() {
    let (found, sources) = example();
    assert_eq!(
        github(&found, &sources),
        "::error file=domain/a%2C b%25_base.toml,line=3,endLine=3,col=9,endColumn=14,title=S0203::\
         unknown type `txt`: 100%25,%0Areally%0Adomain/a, b%25_base.toml:1:8: declared here\
         %0Adomain/a_domain.toml:1:6: used here%0Ahelp: did you mean `text`?\n\
         ::notice file=domain/a_domain.toml,line=1,endLine=1,col=1,endColumn=1,title=S0506::a cycle\n"
    );
}

/// The members that the SARIF 2.1.0 schema requires, and the references between them.
#[test]
fn sarif_has_what_the_schema_requires() {
    let (found, sources) = example();
    let log: Value = serde_json::from_str(&sarif(&found, &sources)).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "space");
    let rules = driver["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!((rules.len(), results.len()), (2, 2));
    for rule in rules {
        let level = rule["defaultConfiguration"]["level"].as_str().unwrap();
        assert!(["none", "note", "warning", "error"].contains(&level));
        assert!(
            !rule["shortDescription"]["text"]
                .as_str()
                .unwrap()
                .is_empty()
        );
        assert!(!rule["help"]["text"].as_str().unwrap().is_empty());
    }
    for result in results {
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["artifactLocation"]["uri"].is_string());
        for key in ["startLine", "startColumn", "endLine", "endColumn"] {
            assert!(place["region"][key].as_u64().unwrap() >= 1);
        }
    }
    let first = &results[0];
    let location = &first["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(location["uri"], "domain/a%2C%20b%25_base.toml");
    assert_eq!(first["relatedLocations"][1]["id"], 1);
    assert_eq!(first["relatedLocations"][1]["message"]["text"], "used here");
    let fix = &first["fixes"][0];
    assert!(fix["description"]["text"].is_string());
    let replacement = &fix["artifactChanges"][0]["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], "\"text\"");
    assert_eq!(replacement["deletedRegion"]["startLine"], 3);
    // Nothing found is a valid log too.
    let log: Value = serde_json::from_str(&sarif(&[], &sources)).unwrap();
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn findings_are_sorted_by_path_and_place() {
    let mut sources = Sources::default();
    let z = sources.add("z.toml", "abc");
    let a = sources.add("a.toml", "abc");
    let one = |file, start, code, message: &str| {
        Diagnostic::new(code, Span::new(file, start, start + 1), message)
    };
    let mut found = vec![
        one(z, 0, Code::SYNTAX, "6"),
        one(a, 1, Code::TYPE, "5"),
        one(a, 1, Code::SYNTAX, "4"),
        one(a, 1, Code::SYNTAX, "3"),
        one(a, 0, Code::TYPE, "2"),
        one(a, 1, Code::SYNTAX, "3"),
    ];
    sort(&mut found, &sources);
    let order: Vec<_> = found.iter().map(|one| &*one.message).collect();
    assert_eq!(order, ["2", "3", "4", "5", "6"]);
}

#[test]
fn formats_have_their_words() {
    for format in Format::ALL {
        assert_eq!(Format::parse(format.name()), Some(format));
    }
    assert_eq!(Format::parse("xml"), None);
    assert_eq!(summary(&[]), "");
}

/// A finding with a run of so many steps, all by the rule in line 2.
fn with_run(steps: usize, repeats: Option<usize>) -> (Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let file = sources.add("a_domain.toml", "promise\nrule\n");
    let line = |at: usize| TraceLine {
        component: None,
        joined: false,
        event: (at > 0).then(|| "Go".to_owned()),
        state: format!("S{at}"),
        effect: (at % 2 == 1).then(|| "Do".to_owned()),
        span: (at > 0).then(|| Span::new(file, 8, 12)),
    };
    let trace = Trace {
        lines: (0..=steps).map(line).collect(),
        shortest: repeats.is_none(),
        repeats,
    };
    let found = Diagnostic::new(Code::VIOLATED, Span::new(file, 0, 7), "broken").trace(trace);
    (vec![found], sources)
}

#[test]
fn runs_are_shown_a_line_a_step() {
    let (found, sources) = with_run(2, None);
    assert_eq!(
        human(&found, &sources, Colour::Never),
        "\
error[S0601]: broken
 --> a_domain.toml:1:1
  |
1 | promise
  | ^^^^^^^
  |
  = shortest run, 2 steps:
      0      S0
      1  Go  S1  / Do  a_domain.toml:2
      2  Go  S2        a_domain.toml:2

"
    );
    let value: Value = serde_json::from_str(json(&found, &sources).trim()).unwrap();
    let run = &value["trace"];
    assert_eq!(
        (run["shortest"].as_bool(), &run["repeats"]),
        (Some(true), &Value::Null)
    );
    assert_eq!(run["lines"][0]["state"], "S0");
    assert_eq!(run["lines"][0]["line"], Value::Null);
    assert_eq!(run["lines"][1]["effect"], "Do");
    assert_eq!(run["lines"][2]["event"], "Go");
    assert_eq!(run["lines"][2]["line"], 2);
    assert_eq!(run["lines"].as_array().unwrap().len(), 3);
    // The cycle is said, and a single step is one step.
    let (found, sources) = with_run(3, Some(2));
    let text = human(&found, &sources, Colour::Never);
    assert!(
        text.contains("= run, 3 steps, of which those from 2 on repeat:"),
        "{text}"
    );
    let value: Value = serde_json::from_str(json(&found, &sources).trim()).unwrap();
    assert_eq!(value["trace"]["repeats"], 2);
    let (found, sources) = with_run(1, None);
    assert!(human(&found, &sources, Colour::Never).contains("shortest run, 1 step:"));
}

/// Has the members that are required, and no other than those allowed.
fn shape(value: &Value, required: &[&str], allowed: &[&str]) {
    let members = value
        .as_object()
        .unwrap_or_else(|| panic!("no object: {value}"));
    for key in required {
        assert!(members.contains_key(*key), "`{key}` is missing: {value}");
    }
    for key in members.keys() {
        let known = required.contains(&&**key) || allowed.contains(&&**key);
        assert!(known, "`{key}` is not known: {value}");
    }
}

/// A run of two machines, of which both move in the second step.
fn with_joint_run() -> (Vec<Diagnostic>, Sources) {
    let (mut found, sources) = with_run(4, None);
    let trace = found[0].trace.as_mut().unwrap();
    for (at, line) in trace.lines.iter_mut().enumerate() {
        line.component = Some(["left", "right"][at % 2].to_owned());
        line.joined = at == 1 || at == 4;
    }
    trace.lines[1].event = None;
    trace.lines[1].span = None;
    (found, sources)
}

#[test]
fn runs_of_several_machines_are_shown_a_line_each() {
    let (found, sources) = with_joint_run();
    let text = human(&found, &sources, Colour::Never);
    let run = "\
  = shortest run, 2 steps:
      0  left       S0
         right      S1  / Do
      1  left   Go  S2        a_domain.toml:2
      2  right  Go  S3  / Do  a_domain.toml:2
         left   Go  S4        a_domain.toml:2
";
    assert!(text.contains(run), "{text}");
    let value: Value = serde_json::from_str(json(&found, &sources).trim()).unwrap();
    let lines = value["trace"]["lines"].as_array().unwrap();
    let steps: Vec<_> = lines.iter().map(|line| line["step"].as_u64()).collect();
    assert_eq!(steps, [0, 0, 1, 2, 2].map(Some));
    assert_eq!(lines[3]["component"], "right");
}

/// The members of SARIF 2.1.0, §3.36 to §3.38: code flows, thread flows and their locations.
#[test]
fn sarif_has_the_run_as_a_code_flow() {
    let (found, sources) = with_joint_run();
    let log: Value = serde_json::from_str(&sarif(&found, &sources)).unwrap();
    let flows = log["runs"][0]["results"][0]["codeFlows"]
        .as_array()
        .unwrap();
    assert_eq!(flows.len(), 1);
    let flow = &flows[0];
    shape(flow, &["threadFlows"], &["message", "properties"]);
    shape(
        &flow["message"],
        &["text"],
        &["markdown", "id", "arguments"],
    );
    let threads = flow["threadFlows"].as_array().unwrap();
    assert_eq!(threads.len(), 1);
    let allowed = [
        "id",
        "message",
        "initialState",
        "immutableState",
        "properties",
    ];
    shape(&threads[0], &["locations"], &allowed);
    let locations = threads[0]["locations"].as_array().unwrap();
    let mut orders = Vec::new();
    let mut words = Vec::new();
    for one in locations {
        let allowed = ["index", "state", "nestingLevel", "importance", "kinds"];
        shape(one, &["location", "executionOrder"], &allowed);
        shape(&one["location"], &["physicalLocation", "message"], &["id"]);
        let place = &one["location"]["physicalLocation"];
        shape(place, &["artifactLocation", "region"], &["contextRegion"]);
        shape(&place["artifactLocation"], &["uri"], &["index"]);
        orders.push(one["executionOrder"].as_u64().unwrap());
        words.push(one["location"]["message"]["text"].as_str().unwrap());
    }
    assert_eq!(orders, [0, 0, 1, 2, 2]);
    let expected = [
        "left: S0",
        "right: S1, asks for Do",
        "left: Go leads to S2",
        "right: Go leads to S3, asks for Do",
        "left: Go leads to S4",
    ];
    assert_eq!(words, expected);
    // The start is where the promise is, a step where its rule is.
    let line = |at: usize| &locations[at]["location"]["physicalLocation"]["region"]["startLine"];
    assert_eq!((line(0), line(2)), (&Value::from(1), &Value::from(2)));
    // What has no run has no flow.
    let (found, sources) = example();
    let log: Value = serde_json::from_str(&sarif(&found, &sources)).unwrap();
    assert!(log["runs"][0]["results"][0].get("codeFlows").is_none());
}

#[test]
fn long_runs_are_shown_without_their_middle() {
    for (steps, shown) in [(39, 40), (40, 40), (1000, 40)] {
        let (found, sources) = with_run(steps, None);
        let text = human(&found, &sources, Colour::Never);
        let of = |line: &&str| line.contains("  S");
        assert_eq!(text.lines().filter(of).count(), shown, "{steps}");
        let more = steps + 1 - shown;
        assert_eq!(
            text.contains(&format!("... and {more} more")),
            more > 0,
            "{text}"
        );
        assert!(text.contains(&format!("{steps}  Go  S{steps}")));
    }
}

#[test]
fn what_nobody_would_read_is_counted() {
    let mut sources = Sources::default();
    let file = sources.add("domain/a_base.toml", "x");
    let found = |many: usize| -> Vec<Diagnostic> {
        let one = Diagnostic::new(Code::NAME, Span::new(file, 0, 1), "no name");
        vec![one; many]
    };
    let text = human(&found(100), &sources, Colour::Never);
    assert_eq!(text.matches("error[").count(), 100);
    assert!(!text.contains('…'), "{text}");
    let text = human(&found(1101), &sources, Colour::Never);
    assert_eq!(text.matches("error[").count(), 100);
    assert!(
        text.ends_with(
            "\n… and 1001 errors more: `agent space check --format json` names all of them\n\n"
        ),
        "{text}"
    );
    assert_eq!(json(&found(1101), &sources).lines().count(), 1101);
    let text = lines(&found(11), &sources);
    assert!(
        text.starts_with("error[S0204]: no name  domain/a_base.toml:1:1\n"),
        "{text}"
    );
    assert!(
        text.contains("\n… and 1 error more: ") && text.lines().count() == 12,
        "{text}"
    );
    assert_eq!(lines(&[], &sources), "");
}
