//! `agent space graph`, from outside.

#![allow(clippy::unwrap_used, reason = "the whole crate is tests")]

#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/scene.rs"]
mod scene;
#[allow(dead_code, reason = "shared with other tests")]
#[path = "common/space.rs"]
mod space;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use space::{done, fails, folder, space};
use tempfile::TempDir;

/// The pair that `new` writes, which passes.
fn triage() -> TempDir {
    let folder = folder();
    done(folder.path(), &["new", "triage"]);
    folder
}

fn append(root: &Path, text: &str) {
    let path = root.join("domain/triage_domain.toml");
    let before = fs::read_to_string(&path).unwrap();
    fs::write(path, format!("{before}\n{text}")).unwrap();
}

const BROKEN: &str = "[[invariants]]\nname = \"never_done\"\nabsence = { of = \"state:Done\" }\n";

#[test]
fn a_space_is_drawn_in_three_formats() {
    let folder = triage();
    let root = folder.path();
    let svg = done(root, &["graph", "triage", "--format", "svg"]);
    assert!(
        svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
        "{svg}"
    );
    let state = fs::read_to_string(root.join("domain/triage_domain.toml")).unwrap();
    let promise = state
        .lines()
        .skip_while(|line| *line != "[[invariants]]")
        .nth(1)
        .unwrap();
    let promise = promise.split('"').nth(1).unwrap();
    for format in ["mermaid", "dot", "svg"] {
        let text = done(root, &["graph", "triage", "--format", format]);
        assert!(text.contains("Idle") && text.contains("query"), "{text}");
        // Promises are listed below.
        assert!(text.contains(promise), "{promise} is not in {text}");
        assert!(!text.contains("#bc4c00"), "nothing stands out in {text}");
    }
}

#[test]
fn a_run_to_a_point_stands_out() {
    let folder = triage();
    let root = folder.path();
    let run = done(root, &["trace", "triage", "--to", "state:Done"]);
    let steps = run.lines().count() - 2;
    for format in ["mermaid", "dot", "svg"] {
        let arguments = [
            "graph",
            "triage",
            "--format",
            format,
            "--trace-to",
            "state:Done",
        ];
        let text = done(root, &arguments);
        for step in 1..=steps {
            assert!(
                text.contains(&format!("({step}) ")),
                "{step} of {steps} in {text}"
            );
        }
        assert!(!text.contains(&format!("({}) ", steps + 1)), "{text}");
        assert!(text.contains("#bc4c00"), "{text}");
    }
    let arguments = ["graph", "triage", "--trace-to", "semantics:rollback"];
    let said = fails(root, &arguments, 1);
    assert!(said.contains("no run of `triage` leads there"), "{said}");
    let said = fails(root, &["graph", "triage", "--trace-to", "state:Don"], 2);
    assert!(said.contains("did you mean `state:Done`?"), "{said}");
}

#[test]
fn a_counterexample_stands_out() {
    let folder = triage();
    let root = folder.path();
    let arguments = [
        "graph",
        "triage",
        "--format",
        "dot",
        "--highlight",
        "counterexample",
    ];
    let said = fails(root, &arguments, 1);
    assert!(said.contains("no promise of `triage` is broken"), "{said}");
    append(root, BROKEN);
    let output = space(root, &arguments);
    let (out, err) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    );
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(err.contains("the run breaks `never_done`"), "{err}");
    assert!(
        out.contains("(1) ") && out.contains("<b>never_done</b>: never state:Done"),
        "{out}"
    );
    let both = [
        "graph",
        "triage",
        "--highlight",
        "counterexample",
        "--trace-to",
        "state:Done",
    ];
    assert!(fails(root, &both, 2).contains("cannot be used with"));
}

#[test]
fn what_cannot_be_drawn_says_why() {
    let folder = triage();
    let root = folder.path();
    let said = fails(root, &["graph", "triaje"], 2);
    assert!(said.contains("did you mean `triage`?"), "{said}");
    let mut base =
        String::from("[meta]\nname = \"long\"\n[[events]]\nname = \"Go\"\nexternal = true\n");
    let mut domain = String::from("[meta]\nname = \"long\"\n");
    for at in 0..200 {
        let initial = if at == 0 { "is_initial = true\n" } else { "" };
        write!(base, "[[states]]\nname = \"S{at}\"\n{initial}").unwrap();
        if at > 0 {
            let before = at - 1;
            write!(
                domain,
                "[[transitions]]\nfrom = \"S{before}\"\non = \"Go\"\nto = \"S{at}\"\n"
            )
            .unwrap();
        }
    }
    fs::write(root.join("domain/long_base.toml"), base).unwrap();
    fs::write(root.join("domain/long_domain.toml"), domain).unwrap();
    let said = fails(root, &["graph", "long", "--format", "svg"], 2);
    assert!(said.contains("too large for a picture"), "{said}");
    assert!(done(root, &["graph", "long", "--format", "dot"]).contains("S198 -> S199"));
}

/// A copy of the repository's contracts, with one more promise.
fn promised(more: &str) -> tempfile::TempDir {
    let folder = space::folder();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../domain");
    fs::create_dir(folder.path().join("domain")).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = folder.path().join("domain").join(path.file_name().unwrap());
        fs::copy(path, to).unwrap();
    }
    let path = folder.path().join("domain/composition.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, format!("{text}\n{more}")).unwrap();
    folder
}

#[test]
fn a_composition_is_drawn_in_three_formats() {
    let folder = promised("");
    let root = folder.path();
    for format in ["mermaid", "dot", "svg"] {
        let text = done(root, &["graph", "ask", "--format", format]);
        for part in [
            // Both components, effects with semantics, guards, the bridge, the loop, a promise.
            "retrieval",
            "reasoning",
            "Search",
            "query",
            "[has_question]",
            "ContextReady",
            "ask, at most 3 rounds",
            "four_searches",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert!(!text.contains("#bc4c00"), "nothing stands out in {text}");
        let text = done(root, &["graph", "supervised_agent", "--format", format]);
        for part in ["holds", "moves agent and supervisor at once", "RunEnded"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }
}

#[test]
fn a_run_of_a_composition_stands_out() {
    let folder = promised("");
    let root = folder.path();
    let to = "reasoning.state:Unanswered";
    let run = done(root, &["trace", "ask", "--to", to]);
    assert!(run.contains("shortest run, 4 steps"), "{run}");
    for format in ["mermaid", "dot", "svg"] {
        let text = done(
            root,
            &["graph", "ask", "--format", format, "--trace-to", to],
        );
        for part in [
            "(1) Question",
            "(2) PassagesFound",
            // The bridge that feeds it, and the rule that takes it.
            "(3) ContextReady",
            "(4) ThinkUnsure",
            "#bc4c00",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert_eq!(text.matches("(3) ContextReady").count(), 2, "{text}");
        assert!(!text.contains("(5) "), "{text}");
    }
    let said = fails(
        root,
        &["graph", "ask", "--trace-to", "reasoning.semantics:rollback"],
        1,
    );
    assert!(said.contains("no run of `ask` leads there"), "{said}");
    let said = fails(root, &["graph", "ask", "--trace-to", "state:Found"], 2);
    assert!(said.contains("does not say of which space"), "{said}");
}

#[test]
fn a_counterexample_of_a_composition_stands_out() {
    let arguments = [
        "graph",
        "ask",
        "--format",
        "svg",
        "--highlight",
        "counterexample",
    ];
    let folder = promised("");
    let said = fails(folder.path(), &arguments, 1);
    assert!(said.contains("no promise of `ask` is broken"), "{said}");
    let folder = promised(
        "[[invariants]]\ncomposition = \"ask\"\nname = \"once\"\n\
         bounded_existence = { of = \"retrieval.effect:Search\", at_most = 1 }\n",
    );
    let output = space(folder.path(), &arguments);
    let err = String::from_utf8(output.stderr).unwrap();
    let svg = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(err.contains("the run breaks `once`"), "{err}");
    // Through the loop, and once more into the search.
    for part in ["(1, 5) Question", "(5) Question", "(4) ThinkUnsure"] {
        assert!(svg.contains(part), "{part} is not in {svg}");
    }
}
