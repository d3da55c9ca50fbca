//! The JSON Schemas of the contract's forms: committed, what the format says, and right about contracts.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use space_core::contract::FileId;
use space_core::diagnostic::{Code, Diagnostic};
use space_core::parse::{parse_space_base, parse_space_domain};
use space_core::schema::{FORMS, Kind, Table, form, schema};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What a schema says of a TOML text.
fn complaints(name: &str, toml: &str) -> Vec<String> {
    let schema: Value = serde_json::from_str(&schema(form(name).unwrap())).unwrap();
    let value: toml::Value = toml::from_str(toml).unwrap();
    let value = serde_json::to_value(value).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors = validator.iter_errors(&value);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

#[test]
fn the_committed_schemas_are_those_of_the_format() {
    let status = Command::new(env!("CARGO_BIN_EXE_agent"))
        .args(["space", "schema", "--dir", "schema"])
        .env("SPACE_GOLDEN", "verify")
        .current_dir(root())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&status.stderr);
    assert!(status.status.success(), "{said}");
    let meta = jsonschema::draft202012::meta::validator();
    for form in FORMS {
        let schema: Value = serde_json::from_str(&schema(form)).unwrap();
        assert!(meta.is_valid(&schema), "{}", form.name);
    }
}

#[test]
fn the_command_writes_verifies_and_prints() {
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str], mode: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_agent"))
            .args(["space", "schema"])
            .args(args)
            .env("SPACE_GOLDEN", mode)
            .current_dir(dir.path())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (code, _, err) = run(&["--dir"], "verify");
    assert!(
        code == 1 && err.contains("agent space schema --write --dir schema"),
        "{err}"
    );
    let (code, out, _) = run(&["--write"], "verify");
    assert!(
        code == 0 && out.contains("wrote schema/base.schema.json"),
        "{out}"
    );
    assert_eq!(run(&["--dir"], "verify").0, 0);
    let (code, out, _) = run(&["domain"], "verify");
    assert_eq!((code, out), (0, schema(form("domain").unwrap())));
    assert_eq!(run(&["nothing"], "verify").0, 2);
    assert!(run(&[], "verify").1.contains("composition"));
}

/// The form of a file by its name.
fn form_of(name: &str) -> Option<&'static str> {
    let forms = [
        ("_base.toml", "base"),
        ("_domain.toml", "domain"),
        ("composition.toml", "composition"),
    ];
    let mut forms = forms.into_iter();
    forms.find_map(|(ending, form)| name.ends_with(ending).then_some(form))
}

#[test]
fn contracts_of_the_repository_are_accepted() {
    let folders = [
        "domain",
        "tests/fronts/domain",
        "tests/fixtures/format",
        "agent/src/cli/space",
    ];
    let mut seen = 0;
    for folder in folders {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let Some(form) = form_of(&name) else { continue };
            // The template's name is filled in.
            let text = fs::read_to_string(&path).unwrap().replace("@name@", "work");
            assert_eq!(complaints(form, &text), Vec::<String>::new(), "{name}");
            seen += 1;
        }
    }
    assert!(seen >= 14, "{seen}");
}

/// The files of a fixture's part: `## Fails`, `## Passes`, `## Old` or `## New`. Blocks of one file follow
/// each other; `repeat N NAME` stands for N times its text.
fn files(text: &str, part: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::<String, String>::new();
    let mut here = false;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("## ") {
            here = line == part;
        }
        let Some(info) = line.strip_prefix("```") else {
            continue;
        };
        let body = lines.by_ref().take_while(|line| *line != "```");
        let body: String = body.flat_map(|line| [line, "\n"]).collect();
        let (times, name) = match info.split_once(' ') {
            Some(("toml", name)) => ("1", name),
            Some(("repeat", how)) => how.split_once(' ').unwrap(),
            _ => continue,
        };
        if here {
            let file = files.entry(name.to_owned()).or_default();
            for n in 1..=times.parse::<u32>().unwrap() {
                file.push_str(&body.replace("{n}", &n.to_string()));
            }
        }
    }
    files
}

#[test]
fn fixtures_that_pass_are_accepted() {
    let mut seen = 0;
    for (folder, parts) in [
        ("diagnostics", ["## Passes", ""]),
        ("diff", ["## Old", "## New"]),
    ] {
        for entry in fs::read_dir(root().join("tests/fixtures").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            for (name, body) in parts.into_iter().flat_map(|part| files(&text, part)) {
                let Some(form) = form_of(&name) else { continue };
                let found = complaints(form, &body);
                assert!(found.is_empty(), "{} {name}: {found:#?}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn fixtures_of_the_parser_that_fail_are_refused() {
    // What a schema can see: keys, types and words; not files, nor names that belong together.
    for code in [
        "S0102", "S0103", "S0104", "S0106", "S0202", "S0203", "S0204",
    ] {
        let path = format!("tests/fixtures/diagnostics/{code}.md");
        let text = fs::read_to_string(root().join(path)).unwrap();
        let refused = |(name, body): (String, String)| {
            form_of(&name).is_some_and(|form| !complaints(form, &body).is_empty())
        };
        assert!(files(&text, "## Fails").into_iter().any(refused), "{code}");
    }
}

#[test]
fn what_is_wrong_is_refused_at_its_place() {
    for (form, toml, place) in [
        ("base", "", ""),
        ("base", "meta = { name = 'Lamp' }", "/meta/name"),
        ("base", "meta = { name = 'lamp', nme = 'x' }", "/meta"),
        (
            "base",
            "meta = { name = 'a' }\nstates = [{ name = 'A', is_initial = 'true' }]",
            "/states/0/is_initial",
        ),
        (
            "base",
            "meta = { name = 'a' }\neffects = [{ name = 'A', semantics = 'read' }]",
            "/effects/0/semantics",
        ),
        (
            "base",
            "meta = { name = 'a' }\nctx = [{ name = 'a', type = 'string' }]",
            "/ctx/0/type",
        ),
        (
            "base",
            "meta = { name = 'a' }\nevents = { name = 'A' }",
            "/events",
        ),
        (
            "domain",
            "meta = { name = 'a' }\ntransitions = [{ from = [], on = 'A', to = 'B' }]",
            "/transitions/0/from",
        ),
        (
            "domain",
            "meta = { name = 'a' }\ntransitions = [{ from = '*', on = 'A' }]",
            "/transitions/0",
        ),
        (
            "domain",
            "meta = { name = 'a' }\ninvariants = [{ name = 'a' }]",
            "/invariants/0",
        ),
        (
            "domain",
            "meta = { name = 'a' }\ninvariants = [{ name = 'a', existence = { of = 'A' } }]",
            "/invariants/0/existence/of",
        ),
        (
            "domain",
            "meta = { name = 'a' }\ninvariants = [{ name = 'a', existence = { of = 'state:A' }, reachable = { point = 'state:A' } }]",
            "/invariants/0",
        ),
        (
            "domain",
            "meta = { name = 'a' }\ninvariants = [{ name = 'a', bounded_existence = { of = 'state:A', at_most = -1 } }]",
            "/invariants/0/bounded_existence/at_most",
        ),
        (
            "composition",
            "parallel = [{ name = 'a', spaces = ['b'] }]",
            "/parallel/0/spaces",
        ),
        (
            "composition",
            "parallel = [{ name = 'a', spaces = ['b', 'c'], merge_effects = 'sum' }]",
            "/parallel/0/merge_effects",
        ),
        (
            "composition",
            "feedback = [{ name = 'a', space = 'b', max_rounds = 0 }]",
            "/feedback/0",
        ),
        (
            "composition",
            "series = [{ name = 'a', spaces = ['b', 'c'], adapter = [{ when = 'b.state:X' }] }]",
            "/series/0/adapter/0",
        ),
        (
            "composition",
            "invariants = [{ name = 'a', exclusion = { points = 'a.state:X' } }]",
            "/invariants/0",
        ),
    ] {
        let found = complaints(form, toml);
        let here = found
            .iter()
            .any(|one| one.starts_with(&format!("{place}: ")));
        assert!(here, "{toml}\n{found:?}");
    }
}

#[test]
fn the_composition_of_the_specification_is_accepted() {
    let text = r#"
[[parallel]]
name = "supervised_agent"
spaces = ["agent", "supervisor"]
sync = ["Cancel"]
merge_effects = "union"

[[series]]
name = "lookup"
spaces = ["retrieval", "reasoning"]
adapter = [
  { when = "retrieval.state:Found", to_event = "ContextReady", map = [{ field = "context", slot = "passages" }] },
]

[[feedback]]
name = "ask_again"
space = "reasoning"
router = [{ when = "state:Unanswered", to_event = "ContextReady", map = [{ field = "context", slot = "notes" }] }]
max_rounds = 3
timeout_ms = 0

[[invariants]]
composition = "lookup"
name = "one_at_a_time"
exclusion = { points = ["retrieval.state:Searching", "reasoning.state:Thinking"] }
"#;
    assert_eq!(complaints("composition", text), Vec::<String>::new());
}

/// The table that a finding's path leads to.
fn table_at(root: &'static Table, path: &str) -> &'static Table {
    let mut table = root;
    for key in path.split('.').filter(|key| !key.is_empty()) {
        let key = key.split('[').next().unwrap();
        let key = table.keys.iter().find(|one| one.name == key).unwrap();
        table = inner(&key.kind).unwrap();
    }
    table
}

fn inner(kind: &'static Kind) -> Option<&'static Table> {
    match kind {
        Kind::Table(table) => Some(*table),
        Kind::List(kind) | Kind::AtLeast(_, kind) | Kind::OneOrMore(kind) => inner(kind),
        Kind::Either(kinds) => kinds.iter().find_map(inner),
        _ => None,
    }
}

#[test]
fn the_parser_knows_the_same_keys() {
    let base = "qqqqqqqq = 1\nmeta = { name = 'a', qqqqqqqq = 1 }\nspace = { qqqqqqqq = 1 }\n\
        states = [{ qqqqqqqq = 1 }]\nevents = [{ payload = [{ qqqqqqqq = 1 }], qqqqqqqq = 1 }]\n\
        effects = [{ qqqqqqqq = 1 }]\nguards = [{ qqqqqqqq = 1 }]\nctx = [{ qqqqqqqq = 1 }]\n";
    let row = |pattern: &str| format!("{{ name = 'a', {pattern} = {{ qqqqqqqq = 1 }} }}");
    let patterns = "absence existence precedence response bounded_existence exclusion reachable";
    let patterns: Vec<_> = patterns.split(' ').map(row).collect();
    let domain = format!(
        "qqqqqqqq = 1\nmeta = {{ name = 'a', qqqqqqqq = 1 }}\nignored = [{{ qqqqqqqq = 1 }}]\n\
         transitions = [{{ args_from = [{{ qqqqqqqq = 1 }}], assign_from = [{{ qqqqqqqq = 1 }}], qqqqqqqq = 1 }}]\n\
         invariants = [{}, {{ qqqqqqqq = 1 }}]\n",
        patterns.join(", ")
    );
    check_keys("base", &parse_space_base(base, FileId(0)).diagnostics);
    check_keys(
        "domain",
        &parse_space_domain(&domain, FileId(0)).diagnostics,
    );
}

fn check_keys(name: &str, findings: &[Diagnostic]) {
    let form = form(name).unwrap();
    let mut seen = BTreeSet::from([form.root.name]);
    for one in findings.iter().filter(|one| one.code == Code::UNKNOWN_KEY) {
        let path = one.message.split('`').nth(1).unwrap();
        let table = table_at(&form.root, path.strip_suffix("qqqqqqqq").unwrap());
        let ours: BTreeSet<_> = table.keys.iter().map(|key| key.name).collect();
        let help = one.help.as_deref().unwrap();
        let theirs: BTreeSet<_> = help.split('`').skip(1).step_by(2).collect();
        assert_eq!(ours, theirs, "{path}");
        seen.insert(table.name);
    }
    let schema: Value = serde_json::from_str(&schema(form)).unwrap();
    let tables = schema["$defs"].as_object().unwrap().keys();
    let tables: BTreeSet<_> = tables.map(String::as_str).chain([form.root.name]).collect();
    assert_eq!(seen, tables, "every table was looked at");
}
