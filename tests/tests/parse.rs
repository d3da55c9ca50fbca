//! The reader of contracts: positions, the promises of the format, and bounds.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::Path;

use space_core::contract::{
    Base, Domain, FileId, FromStates, Json, Pattern, Semantics, Source, Type, normalise,
    normalise_compositions,
};
use space_core::diagnostic::{Code, Diagnostic, Severity};
use space_core::parse::{Parsed, parse_composition, parse_space_base, parse_space_domain};

const FILE: FileId = FileId(0);

fn base(text: &str) -> Parsed<Base> {
    parse_space_base(text, FILE)
}

fn domain(text: &str) -> Parsed<Domain> {
    parse_space_domain(text, FILE)
}

/// `CODE LINE:COLUMN-LINE:COLUMN message`, one a line.
fn listed(text: &str, diagnostics: &[Diagnostic]) -> String {
    let source = Source::new("x.toml", text);
    let mut out = String::new();
    for one in diagnostics {
        let (line, column) = source.position(one.span.start);
        let (end_line, end_column) = source.position(one.span.end);
        let code = one.code;
        let message = &one.message;
        writeln!(
            out,
            "{code} {line}:{column}-{end_line}:{end_column} {message}"
        )
        .unwrap();
    }
    out
}

fn check_base(text: &str, expected: &str) {
    assert_eq!(listed(text, &base(text).diagnostics), expected);
}

fn check_domain(text: &str, expected: &str) {
    assert_eq!(listed(text, &domain(text).diagnostics), expected);
}

#[test]
fn every_finding_has_the_exact_place() {
    check_base("", "S0102 1:1-1:1 `meta` is missing\n");
    check_base("[meta]\n", "S0102 1:1-1:7 `meta.name` is missing\n");
    check_base("meta = 3\n", "S0103 1:8-1:9 `meta` is an integer\n");
    check_base(
        "[meta]\nname = \"\"\n",
        "S0104 2:8-2:10 `meta.name` is empty\n",
    );
    let head = "[meta]\nname = \"é\"\n";
    for (rest, expected) in [
        ("[[states]]\n", "S0102 3:1-3:11 `states[0].name` is missing"),
        ("[states]\n", "S0103 3:1-3:9 `states` is a table"),
        (
            "[[states]]\nname = [\"é\"]\n",
            "S0103 4:8-4:13 `states[0].name` is an array",
        ),
        (
            "[[events]]\nname = \"A\"\npayload = [\"é\", { name = \"b\", type = 1.5 }]\n",
            "S0103 5:38-5:41 `events[0].payload[1].type` is a float",
        ),
        (
            "[[events]]\nname = \"A\"\npayload = [\"é\", 2026-01-01]\n",
            "S0103 5:17-5:27 `events[0].payload[1]` is a date or time",
        ),
        (
            "[[ctx]]\nname = \"a\"\ntype = \"string\"\n",
            "S0203 5:8-5:16 unknown type `string`",
        ),
        (
            "[[ctx]]\nname = \"a\"\ndefault = 9223372036854775808\n",
            "S0104 5:11-5:30 `ctx[0].default` holds an integer beyond 64 bits, which JSON cannot say",
        ),
        (
            "[[ctx]]\nname = \"a\"\ndefault = [1.0, { x = nan }]\n",
            "S0104 5:11-5:29 `ctx[0].default` holds a float that is not finite, which JSON cannot say",
        ),
        (
            "[[effects]]\nname = \"A\"\nsemantics = \"read\"\n",
            "S0202 5:13-5:19 unknown semantics `read`",
        ),
        (
            "[[effects]]\nname = \"A\"\nreturns = [\"B\", \"B\"]\n",
            "S0105 5:17-5:20 outcome `B` is declared twice",
        ),
        (
            "[[guards]]\nname = \"a\"\n[[guards]]\nname = \"a\"\n",
            "S0105 6:8-6:11 guard `a` is declared twice",
        ),
        (
            "[[gaurds]]\nname = \"a\"\n",
            "S0106 3:3-3:9 unknown key `gaurds`",
        ),
    ] {
        check_base(&format!("{head}{rest}"), &format!("{expected}\n"));
    }
    for (rest, expected) in [
        (
            "[[transitions]]\nfrom = []\non = [\"A\"]\nto = 1\n",
            "S0104 4:8-4:10 `transitions[0].from` is an empty list\n\
             S0103 5:6-5:11 `transitions[0].on` is an array\n\
             S0103 6:6-6:7 `transitions[0].to` is an integer",
        ),
        (
            "[[transitions]]\nfrom = \"A\"\non = \"B\"\nto = \"C\"\nguard = \"!\"\n",
            "S0104 7:9-7:12 `transitions[0].guard` negates no guard",
        ),
        (
            "[[transitions]]\nfrom = \"A\"\non = \"B\"\nto = \"C\"\nargs_from = [{ arg = \"x\" }, 1]\n",
            "S0102 7:14-7:27 `transitions[0].args_from[0].slot` is missing\n\
             S0103 7:29-7:30 `transitions[0].args_from[1]` is an integer",
        ),
        (
            "[[invariants]]\nname = \"a\"\nbounded_existence = { of = \"x\", at_most = -1 }\n",
            "S0104 5:28-5:31 `invariants[0].bounded_existence.of` is no point: `x`\n\
             S0104 5:43-5:45 `invariants[0].bounded_existence.at_most` is not between 0 and 4294967295",
        ),
        (
            "[[invariants]]\nname = \"a\"\nprecedence = { first = [\"state:A\", \"B\"] }\n",
            "S0102 5:14-5:42 `invariants[0].precedence.then` is missing\n\
             S0104 5:36-5:39 `invariants[0].precedence.first[1]` is no point: `B`",
        ),
    ] {
        check_domain(&format!("{head}{rest}"), &format!("{expected}\n"));
    }
}

#[test]
fn a_syntax_error_stops_before_everything_else() {
    let parsed = base("[meta]\nname = 3\nstates = [\n");
    let codes: Vec<_> = parsed.diagnostics.iter().map(|one| one.code).collect();
    assert_eq!(codes, [Code::SYNTAX]);
    assert_eq!((parsed.value, parsed.sound), (Base::default(), false));

    check_base(
        "[meta]\nname = \"a\"\nname = \"b\"\n",
        "S0101 3:1-3:5 duplicate key\n",
    );
    // What a missing bracket swallows is not reported line by line.
    check_base(
        "a = [1, 2\nb = 3\n[[states]]\nname = \"A\"\n[meta]\nname = \"x\"\n",
        "S0101 2:1-2:1 missing comma between array elements, expected `,`\n",
    );
    // Neither is the "duplicate" of a key in a table whose header was broken.
    check_base(
        "[[states]\nname = \"A\"\n[[states]\nname = \"B\"\n",
        "S0101 1:10-1:10 unclosed array table, expected `]`\n\
         S0101 3:10-3:10 unclosed array table, expected `]`\n",
    );
}

#[test]
fn what_cannot_be_read_is_left_out_and_the_value_says_so() {
    let head = "[meta]\nname = \"a\"\n";
    let sound = |text: &str| base(&format!("{head}{text}")).sound;
    assert!(sound(
        "[[states]]\nname = \"A\"\n[[states]]\nname = \"A\"\n"
    ));
    assert!(sound("[[states]]\nname = \"A\"\ndoc = 3\n"));
    assert!(sound("[[ctx]]\nname = \"a\"\ntype = 3\n"));
    assert!(!sound("[[states]]\nnmae = \"A\"\n"));
    assert!(!sound("[[states]]\nname = \"A\"\nis_initial = 1\n"));

    let parsed = domain(&format!(
        "{head}[[transitions]]\non = \"E\"\n[[transitions]]\nfrom = \"A\"\non = \"E\"\nto = \"B\"\n"
    ));
    assert_eq!((parsed.value.transitions.len(), parsed.sound), (1, false));
    // Nothing depends on an invariant.
    let parsed = domain(&format!("{head}[[invariants]]\nname = \"a\"\n"));
    assert!(parsed.value.invariants.is_empty() && parsed.sound);
    assert_eq!(parsed.diagnostics.len(), 1);
}

// The persistence rules of the format.

#[test]
fn a_missing_optional_key_is_no_error() {
    let base = base(
        "[meta]\nname = \"a\"\n[[states]]\nname = \"A\"\n[[events]]\nname = \"E\"\n\
         [[effects]]\nname = \"F\"\n[[guards]]\nname = \"g\"\n[[ctx]]\nname = \"s\"\n",
    );
    assert_eq!(base.diagnostics, []);
    let domain = domain(
        "[meta]\nname = \"a\"\n[[transitions]]\nfrom = \"A\"\non = \"E\"\nto = \"B\"\n\
         [[ignored]]\nfrom = \"B\"\non = \"E\"\n",
    );
    assert_eq!(domain.diagnostics, []);
    for text in ["[meta]\nname = \"a\"\n", "meta.name = \"a\""] {
        assert_eq!(self::base(text).diagnostics, []);
        assert_eq!(self::domain(text).diagnostics, []);
    }
}

#[test]
fn an_unknown_key_is_ignored_with_a_warning() {
    let known = "[meta]\nname = \"a\"\n[[events]]\nname = \"E\"\npayload = [{ name = \"x\" }]\n";
    let more = "[meta]\nname = \"a\"\n[[events]]\nname = \"E\"\npayload = [{ name = \"x\", unit = 1 }]\n\
                after = { a = [{}] }\n[extra]\nanything = 1979-05-27\n";
    let (known, more) = (base(known), base(more));
    assert_eq!(names(&known.value), names(&more.value));
    assert!(more.sound);
    let severities = more.diagnostics.iter().map(Diagnostic::severity);
    assert_eq!(severities.collect::<Vec<_>>(), [Severity::Warning; 3]);
}

fn names(base: &Base) -> String {
    normalise(base, &Domain::default()).to_string()
}

#[test]
fn a_misspelled_key_has_its_edit() {
    let text = "[meta]\nname = \"a\"\n[[events]]\nname = \"E\"\n\"paylod\" = [\"x\"]\n";
    let parsed = base(text);
    let [one] = parsed.diagnostics.as_slice() else {
        panic!("{:?}", parsed.diagnostics);
    };
    assert_eq!(one.help.as_deref(), Some("did you mean `payload`?"));
    let edit = one.edit.as_ref().unwrap();
    let mut edited = text.to_owned();
    edited.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
    assert_eq!(base(&edited).diagnostics, []);
    // A key that is there is not suggested a second time.
    let parsed = base("[meta]\nname = \"a\"\nnames = \"b\"\n");
    assert_eq!(parsed.diagnostics[0].edit, None);
}

/// No key changes its meaning. When this fails, the format has a breaking change: it migrates
/// every contract of the repository, and the expectation, in one commit.
#[test]
fn every_key_keeps_its_meaning() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/format");
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    let base = base(&read("everything_base.toml"));
    let domain = domain(&read("everything_domain.toml"));
    assert_eq!((base.diagnostics, domain.diagnostics), (vec![], vec![]));
    let found = normalise(&base.value, &domain.value).pretty() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(dir.join("everything.json"), &found).unwrap();
    }
    assert_eq!(found, read("everything.json"));

    // Prose and version are no part of the normal form.
    let base = base.value;
    assert_eq!(base.doc.as_deref(), Some("All of it."));
    let version = base.meta.version.as_ref().map(|version| &version.value);
    assert_eq!(version.map(String::as_str), Some("7"));
    let docs = [
        &base.states[0].doc,
        &base.events[0].doc,
        &base.events[0].payload[1].doc,
        &base.effects[0].doc,
        &base.effects[0].args[1].doc,
        &base.guards[0].doc,
        &base.ctx[0].doc,
        &domain.value.transitions[0].doc,
        &domain.value.invariants[0].doc,
    ];
    let docs: Vec<_> = docs.map(|doc| doc.as_deref().unwrap()).to_vec();
    let expected = [
        "A state.",
        "An event.",
        "A field.",
        "An effect.",
        "An argument.",
        "A guard.",
        "A slot.",
        "A rule.",
        "An invariant.",
    ];
    assert_eq!(docs, expected);
}

/// As above, for compositions.
#[test]
fn every_key_of_a_composition_keeps_its_meaning() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/format");
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    let parsed = parse_composition(&read("everything_composition.toml"), FILE);
    assert_eq!((parsed.diagnostics, parsed.sound), (vec![], true));
    let found = normalise_compositions(&parsed.value).pretty() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(dir.join("everything_composition.json"), &found).unwrap();
    }
    assert_eq!(found, read("everything_composition.json"));
    let docs = [
        &parsed.value.parallel[0].doc,
        &parsed.value.series[0].doc,
        &parsed.value.feedback[0].doc,
        &parsed.value.invariants[0].invariant.doc,
    ];
    let docs = docs.map(|doc| doc.as_deref().unwrap());
    let expected = [
        "A parallel composition.",
        "A series.",
        "A loop.",
        "An invariant.",
    ];
    assert_eq!(docs, expected);
}

#[test]
fn the_defaults_of_a_composition_hold() {
    let parsed = parse_composition("", FILE);
    assert_eq!((parsed.diagnostics, parsed.sound), (vec![], true));
    let text = "parallel = [{ name = \"a\", spaces = [] }]\n\
                series = [{ name = \"b\", spaces = [] }]\n\
                feedback = [{ name = \"c\", space = \"a\" }]\n";
    let parsed = parse_composition(text, FILE);
    assert_eq!((&parsed.diagnostics, parsed.sound), (&vec![], true));
    let (parallel, feedback) = (&parsed.value.parallel[0], &parsed.value.feedback[0]);
    assert!(parallel.sync.is_empty() && parallel.adapter.is_empty() && parallel.holds.is_empty());
    assert_eq!(parallel.merge_effects, None);
    assert!(parsed.value.series[0].adapter.is_empty() && feedback.router.is_empty());
    assert_eq!((&feedback.max_rounds, &feedback.timeout_ms), (&None, &None));
    // What says a default says nothing.
    let spelled = "parallel = [{ name = \"a\", spaces = [], merge_effects = \"union\", sync = [] }]\n\
                   series = [{ name = \"b\", spaces = [], doc = \"x\" }]\n\
                   feedback = [{ name = \"c\", space = \"a\", max_rounds = 0, timeout_ms = 0 }]\n";
    let spelled = parse_composition(spelled, FILE);
    assert_eq!(
        normalise_compositions(&spelled.value),
        normalise_compositions(&parsed.value)
    );
}

#[test]
fn findings_of_a_composition_have_the_exact_place() {
    for (text, expected) in [
        (
            "[[series]]\nspaces = \"a\"\n",
            "S0102 1:1-1:11 `series[0].name` is missing\nS0103 2:10-2:13 `series[0].spaces` is a string\n",
        ),
        (
            "[[parallel]]\nname = \"a\"\nspaces = []\nsnyc = []\n",
            "S0106 4:1-4:5 unknown key `parallel[0].snyc`\n",
        ),
        (
            "[[feedback]]\nname = \"a\"\nspace = \"b\"\nmax_rounds = -1\nrouter = [{ when = \"Unanswered\", to_event = \"E\" }]\n",
            "S0104 4:14-4:16 `feedback[0].max_rounds` is not between 0 and 4294967295\nS0104 5:20-5:32 `feedback[0].router[0].when` is no point: `Unanswered`\n",
        ),
        (
            "[[series]]\nname = \"a\"\nspaces = []\n[[series]]\nname = \"a\"\nspaces = []\n",
            "S0105 5:8-5:11 composition `a` is declared twice\n",
        ),
    ] {
        assert_eq!(
            listed(text, &parse_composition(text, FILE).diagnostics),
            expected
        );
    }
}

#[test]
fn the_defaults_hold() {
    let base = base(
        "[meta]\nname = \"a\"\n[[states]]\nname = \"A\"\n[[events]]\nname = \"E\"\n\
         payload = [\"bare\", { name = \"field\" }]\n[[effects]]\nname = \"F\"\n[[ctx]]\nname = \"s\"\n",
    )
    .value;
    assert_eq!((&base.meta.prefix, &base.meta.version), (&None, &None));
    assert_eq!(base.doc, None);
    assert!(base.states[0].is_initial.is_none() && base.states[0].is_terminal.is_none());
    let event = &base.events[0];
    assert!(!event.is_external());
    for field in &event.payload {
        assert_eq!(field.ty.value, Some(Type::Text));
    }
    let effect = &base.effects[0];
    assert_eq!(effect.semantics.value, Some(Semantics::Command));
    assert!(effect.args.is_empty() && effect.returns.is_none() && effect.sentinel.is_none());
    let slot = &base.ctx[0];
    assert_eq!((&slot.ty.value, &slot.default), (&Some(Type::Text), &None));

    let domain = domain(
        "[meta]\nname = \"a\"\n[[transitions]]\nfrom = \"A\"\non = \"E\"\nto = \"B\"\n\
         [[invariants]]\nname = \"i\"\nabsence = { of = \"state:B\" }\n",
    )
    .value;
    let rule = &domain.transitions[0];
    assert!(rule.guard.is_none() && rule.effect.is_none());
    assert!(rule.args.is_empty() && rule.args_from.is_empty());
    assert!(rule.assign.is_empty() && rule.assign_from.is_empty());
    assert!(domain.ignored.is_empty());
    let Pattern::Absence { after, until, .. } = &domain.invariants[0].pattern.value else {
        panic!("{:?}", domain.invariants[0]);
    };
    assert!(after.is_empty() && until.is_empty());
}

#[test]
fn spans_cover_the_words() {
    let text = "[meta]\nname = \"a\"\n[[transitions]]\nfrom = [\"A\", 'B']\non = \"E\"\nto = \"B\"\nguard = \"!g\"\n\
                [[invariants]]\nname = \"i\"\nresponse = { after = [\"event:E\"], must = \"state:B\" }\n";
    let domain = domain(text).value;
    let at = |span: space_core::contract::Span| &text[span.start as usize..span.end as usize];
    let rule = &domain.transitions[0];
    assert_eq!(at(rule.span), "[[transitions]]");
    assert_eq!(at(rule.from.span), "[\"A\", 'B']");
    let FromStates::States(states) = &rule.from.value else {
        panic!("{:?}", rule.from);
    };
    assert_eq!(at(states[1].span), "'B'");
    let guard = rule.guard.as_ref().unwrap();
    assert_eq!(
        (at(guard.span), guard.negated, &*guard.name),
        ("\"!g\"", true, "g")
    );
    let Pattern::Response { after, must } = &domain.invariants[0].pattern.value else {
        panic!("{:?}", domain.invariants[0]);
    };
    assert_eq!(
        (at(after[0].span), at(must[0].span)),
        ("\"event:E\"", "\"state:B\"")
    );
}

#[test]
fn a_wildcard_may_be_a_list_of_one() {
    let text = "[meta]\nname = \"a\"\n[[transitions]]\nfrom = [\"*\"]\non = \"E\"\nto = \"B\"\n";
    assert_eq!(
        domain(text).value.transitions[0].from.value,
        FromStates::Any
    );
}

#[test]
fn defaults_are_json() {
    let text = "[meta]\nname = \"a\"\n[[ctx]]\nname = \"s\"\ndefault = { a = [0x10, -1_000], b = 1e3, c = 'x' }\n";
    let default = base(text).value.ctx[0].default.clone().unwrap().value;
    let expected = Json::object([
        ("a", Json::List(vec![Json::Int(16), Json::Int(-1000)])),
        ("b", Json::Float(1000.0)),
        ("c", Json::Text("x".into())),
    ]);
    assert_eq!(default, expected);
}

#[test]
fn findings_are_bounded() {
    let mut text = "[meta]\nname = \"a\"\n".to_owned();
    for at in 0..5_000 {
        write!(text, "[[states]]\nx{at} = 1\n").unwrap();
    }
    let found = base(&text).diagnostics;
    assert_eq!(found.len(), 2_001);
    assert_eq!(found[2_000].message, "and 8000 more findings in this file");

    let found = base(&"]\n".repeat(100_000)).diagnostics;
    assert_eq!(found.len(), 1_001);
}

#[test]
fn depth_and_size_are_bounded() {
    for text in [
        "[".repeat(200_000),
        format!("a = {}", "[".repeat(200_000)),
        format!("a = {}", "{ a = ".repeat(200_000)),
        format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{}a = 1", "a.".repeat(200_000)),
        format!("[{}a]", "a.".repeat(200_000)),
        format!("a = \"{}", "x".repeat(1_000_000)),
        "\"".repeat(1_000_000),
        "a=1\n".repeat(50_000),
    ] {
        let parsed = base(&text);
        assert!(!parsed.sound && !parsed.diagnostics.is_empty());
    }
    let parsed = base(&"#".repeat(space_core::parse::MAX_BYTES + 1));
    assert_eq!(parsed.diagnostics[0].code, Code::UNREADABLE);
    let said = &parsed.diagnostics[0].message;
    assert_eq!(said, "the file is larger than 16 MiB");
}

#[test]
fn values_nested_too_deeply_are_found_in_words_of_ours() {
    for (open, close) in [("[", "]"), ("{ x = ", " }")] {
        let text = format!("x = {}1{}\n", open.repeat(500), close.repeat(500));
        let found = parse_space_base(&text, FileId::default()).diagnostics;
        let first = &found[0];
        assert_eq!(first.code.to_string(), "S0101");
        assert_eq!(first.message, "lists and tables are nested too deeply");
        assert!(first.help.as_ref().unwrap().contains("four levels"));
        assert!(first.span.start > 4 && (first.span.end as usize) < text.len());
    }
}

#[test]
fn a_key_with_too_many_parts_is_found() {
    let head = "[meta]\nname = \"a.b\" # x.y.z\n\n";
    let key = format!("{}a", "a.".repeat(500));
    let dots = ".".repeat(900);
    for (line, start, end) in [
        (format!("{key} = \"{dots}\""), 1, 1002),
        (format!("  [{key}]"), 3, 1006),
        (
            format!("doc = \"{dots}\" # {dots}\n\"é\".{key} = 1"),
            1,
            1006,
        ),
    ] {
        let at = 4 + line.matches('\n').count();
        check_base(
            &format!("{head}{line}\n"),
            &format!("S0101 {at}:{start}-{at}:{end} the key has too many parts\n"),
        );
    }
}

#[test]
fn an_empty_file_is_told_how_to_begin() {
    let found = base("").diagnostics;
    let help = found[0].help.as_deref().unwrap();
    assert!(
        help.contains("`[meta]`") && help.contains("`name = \"…\"`"),
        "{help}"
    );
}
