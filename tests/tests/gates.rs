//! Gates: one mistake is one finding, and what no fixture can hold.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use space_core::contract::{Base, Domain, FileId};
use space_core::diagnostic::{Code, Severity};
use space_core::gates::{Triggers, check, check_base, check_with};
use space_core::graph::Model;
use space_core::parse::{parse_space_base, parse_space_domain};

/// The codes that parser and gates give, notes left out.
fn codes(base: &str, domain: &str, triggers: &Triggers) -> Vec<u16> {
    let base = parse_space_base(base, FileId(0));
    let domain = parse_space_domain(domain, FileId(1));
    assert!(base.sound && domain.sound);
    let parsed = base.diagnostics.iter().chain(&domain.diagnostics);
    let checked = check_with(&base.value, &domain.value, triggers);
    parsed
        .chain(&checked.diagnostics)
        .filter(|one| one.severity() != Severity::Note)
        .map(|one| one.code.0)
        .collect()
}

/// The text of a file with one edit.
fn edited(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn one_mistake_is_one_finding() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../domain");
    let base = fs::read_to_string(dir.join("agent_base.toml")).unwrap();
    let domain = fs::read_to_string(dir.join("agent_domain.toml")).unwrap();
    let of = |base: &str, domain: &str| codes(base, domain, &Triggers::default());
    assert_eq!(of(&base, &domain), [0_u16; 0]);

    let in_base: &[(&str, &str, &[u16])] = &[
        ("is_initial = true\n", "", &[201]),
        (
            "name = \"Thinking\"",
            "name = \"Thinking\"\nis_initial = true",
            &[201],
        ),
        ("semantics = \"command\"", "semantics = \"comand\"", &[202]),
        (
            "name = \"calls\", type = \"json\"",
            "name = \"calls\", type = \"jsn\"",
            &[203],
        ),
        (
            "name = \"report\"\n",
            "name = \"report\"\ntype = \"txt\"\n",
            &[203],
        ),
        (
            "\"ToolsStuck\", \"ToolsFailed\"]",
            "\"ToolStuck\", \"ToolsFailed\"]",
            &[206],
        ),
        (
            "sentinel = \"ModelFailed\"",
            "sentinel = \"ModelFaild\"",
            &[206],
        ),
        (", \"ToolsFailed\"]", "]", &[207]),
        (
            "name = \"answer\"\n",
            "name = \"answer\"\ndefault = 1\n",
            &[210],
        ),
        ("name = \"Steer\"", "name = \"Stear\"", &[303]),
        ("name = \"Acting\"", "name = \"Actin\"", &[303]),
        ("name = \"Acting\"", "name = \"acting\"", &[204]),
        ("name = \"Steer\"", "name = \"STEER-it\"", &[204, 303]),
        ("name = \"ModelFinal\"", "name = \"model_final\"", &[204]),
        ("name = \"RunTools\"", "name = \"run tools\"", &[204]),
        ("name = \"has_goal\"", "name = \"HasGoal\"", &[204]),
        ("name = \"answer\"", "name = \"Answer\"", &[204]),
        ("external = true", "external = false", &[310]),
        (
            "name = \"Acting\"",
            "name = \"Acting\"\nis_terminal = true",
            &[308],
        ),
    ];
    for (from, to, expected) in in_base {
        assert_eq!(of(&edited(&base, from, to), &domain), *expected, "{to}");
    }

    let in_domain: &[(&str, &str, &[u16])] = &[
        ("name = \"agent\"", "name = \"agnet\"", &[301]),
        ("from = \"Idle\"", "from = \"Idel\"", &[303]),
        ("from = \"Acting\"", "from = \"Actin\"", &[303]),
        (
            "from = [\"Thinking\", \"Acting\"",
            "from = [\"Thinking\", \"Actin\"",
            &[303],
        ),
        ("on = \"ModelFinal\"", "on = \"ModelFinale\"", &[303]),
        ("on = \"Cancel\"", "on = \"Cancle\"", &[303]),
        ("to = \"Acting\"", "to = \"Actin\"", &[303]),
        ("to = \"Answered\"", "to = \"Anwered\"", &[303]),
        ("to = \"Cancelled\"", "to = \"Canceled\"", &[303]),
        ("guard = \"has_goal\"", "guard = \"has_gaol\"", &[303]),
        ("effect = \"RunTools\"", "effect = \"RunTool\"", &[303]),
        ("args = [\"calls\"]", "args = [\"cals\"]", &[303]),
        ("assign = [\"answer\"]", "assign = [\"anwser\"]", &[303]),
        ("slot = \"answer\"", "slot = \"anwser\"", &[303]),
        (
            "args = [\"report\"]\nargs_from",
            "args = [\"report\", \"answer\"]\nargs_from",
            &[305],
        ),
        ("args = [\"calls\"]\n", "", &[305]),
        ("assign = [\"answer\"]\n", "", &[503]),
        (
            "[[transitions]]\nfrom = \"Acting\"\non = \"ToolsStuck\"\nto = \"Failed\"\neffect = \"Decline\"\nargs = [\"reason\"]\n",
            "",
            &[320],
        ),
        (
            "on = \"ToolsChanged\"",
            "on = \"ToolsObserved\"",
            &[302, 320],
        ),
        (
            "[[ignored]]\nfrom = \"Idle\"",
            "[[ignored]]\nfrom = \"Acting\"",
            &[312, 322],
        ),
    ];
    for (from, to, expected) in in_domain {
        let mut found = of(&base, &edited(&domain, from, to));
        found.sort_unstable();
        assert_eq!(found, *expected, "{to}");
    }
}

/// What a finding tells to write is not refused for another reason.
#[test]
fn a_name_that_is_suggested_may_be_taken() {
    let suggested = |base: &str| {
        let base = parse_space_base(base, FileId(0)).value;
        let found = check_base(&base);
        let names = found.into_iter().filter(|one| one.code == Code::NAME);
        let helps = names.map(|one| (one.help.unwrap(), one.edit.is_some()));
        helps.collect::<Vec<_>>()
    };
    let head = "meta = { name = \"job\" }\nstates = [{ name = \"Idle\", is_initial = true }";
    let free = |help: &str| vec![(help.to_owned(), true)];
    let taken = |name: &str| vec![(format!("use another word: `{name}` is taken"), false)];
    let state = |more: &str| suggested(&format!("{head}, {more}]\n"));
    assert_eq!(state("{ name = \"off\" }"), free("write `Off`"));
    assert_eq!(
        state("{ name = \"off\" }, { name = \"Off\" }"),
        taken("Off")
    );
    assert_eq!(
        state("{ name = \"http_get\" }, { name = \"HTTPGet\" }"),
        taken("HttpGet")
    );
    let effect = "effects = [{ name = \"match\" }, { name = \"try_it\" }]";
    let mut both = vec![("use another word".to_owned(), false)];
    both.extend(free("write `TryIt`"));
    assert_eq!(suggested(&format!("{head}]\n{effect}\n")), both);
    let effect = "effects = [{ name = \"Match_\" }]";
    assert_eq!(suggested(&format!("{head}]\n{effect}\n")), taken("Match"));
    let prefix = head.replace("name = \"job\"", "name = \"job\", prefix = \"option\"");
    assert_eq!(suggested(&format!("{prefix}]\n")), taken("Option"));
    let stem = head.replace("\"job\"", "\"Option\"");
    assert_eq!(suggested(&format!("{stem}]\n")), taken("option"));
}

/// A contract whose second state is entered without effect, and waits for an event that is not
/// external; and whose `Again` reads a slot.
const BASE: &str = r#"
meta = { name = "job" }
states = [{ name = "Idle", is_initial = true }, { name = "Found" }, { name = "Reviewing" }, { name = "Failed" }]
events = [{ name = "Start" }, { name = "Next", payload = ["text"] }, { name = "Again" }, { name = "Broke", payload = ["error"] }]
effects = [
  { name = "Review", args = ["text"], returns = ["Again", "Broke"], sentinel = "Broke" },
]
ctx = [{ name = "text" }]
"#;
const DOMAIN: &str = r#"
meta = { name = "job" }
transitions = [
  { from = "Idle", on = "Start", to = "Found" },
  { from = "Idle", on = "Broke", to = "Failed" },
  { from = "Found", on = "Next", to = "Reviewing", effect = "Review", args = ["text"], assign = ["text"] },
  { from = "Reviewing", on = "Again", to = "Reviewing", effect = "Review", args_from = [{ arg = "text", slot = "text" }] },
  { from = "Reviewing", on = "Broke", to = "Failed" },
]
"#;

#[test]
fn triggers_are_waited_for_and_jumped_from() {
    let mut triggers = Triggers::default();
    assert_eq!(codes(BASE, DOMAIN, &triggers), [Code::STUCK.0]);
    triggers.series.insert("Found".to_owned());
    assert_eq!(codes(BASE, DOMAIN, &triggers), [0_u16; 0]);
    // `Failed` is reached before `text` is written; the LoopBack lands in `Reviewing` and reads it.
    let again = ("Failed".to_owned(), "Again".to_owned());
    triggers.feedback.insert(again);
    assert_eq!(codes(BASE, DOMAIN, &triggers), [Code::UNASSIGNED.0]);
    triggers.feedback.clear();
    let nothing = ("Nowhere".to_owned(), "Nothing".to_owned());
    triggers.feedback.insert(nothing);
    assert_eq!(codes(BASE, DOMAIN, &triggers), [0_u16; 0]);
}

fn contract(base: &str, domain: &str) -> (Base, Domain) {
    let base = parse_space_base(base, FileId(0));
    let domain = parse_space_domain(domain, FileId(1));
    assert!(base.diagnostics.is_empty() && domain.diagnostics.is_empty());
    (base.value, domain.value)
}

#[test]
fn tables_are_short_enough_for_their_numbers() {
    let (mut base, domain) = contract(BASE, DOMAIN);
    let too_many = |base: &Base| {
        let found = check(base, &domain).diagnostics;
        let found = found.into_iter().filter(|one| one.code == Code::TOO_MANY);
        found.map(|one| one.message).collect::<Vec<_>>()
    };
    let guard = |at: usize| space_core::contract::Guard {
        name: format!("g{at}").into(),
        doc: None,
    };
    base.guards = (0..32_767).map(guard).collect();
    assert_eq!(too_many(&base), [""; 0]);
    base.guards.push(guard(32_767));
    assert_eq!(too_many(&base), ["`[[guards]]`: 32768 rows"]);
}

#[test]
fn wildcards_are_bounded() {
    let mut base = "meta = { name = \"job\" }\n".to_owned();
    let mut domain = base.clone();
    for at in 0..1_025 {
        let initial = if at == 0 { "is_initial = true\n" } else { "" };
        let _ = write!(
            base,
            "[[states]]\nname = \"S{at}\"\nis_terminal = false\n{initial}[[events]]\nname = \"E{at}\"\n"
        );
        let _ = write!(
            domain,
            "[[transitions]]\nfrom = \"*\"\non = \"E{at}\"\nto = \"S{at}\"\n"
        );
    }
    let (base, domain) = contract(&base, &domain);
    let checked = check(&base, &domain);
    let found: Vec<_> = checked.diagnostics.iter().map(|one| one.code).collect();
    assert_eq!(found, [Code::TOO_MANY]);
    assert!(checked.model.is_none() && Model::resolve(&base, &domain).is_none());
}

/// Ten thousand states with three rules each, and the same with one mistake in every state.
#[test]
fn large_contracts_pass() {
    const STATES: usize = 10_000;
    let mut base = "meta = { name = \"job\" }\n".to_owned();
    let mut domain = base.clone();
    for at in 0..STATES {
        let initial = if at == 0 { "is_initial = true\n" } else { "" };
        let _ = write!(base, "[[states]]\nname = \"S{at}\"\n{initial}");
        let _ = write!(
            domain,
            "[[transitions]]\nfrom = \"S{at}\"\non = \"Done\"\nto = \"S{}\"\neffect = \"Work\"\n\
             [[transitions]]\nfrom = \"S{at}\"\non = \"Broke\"\nto = \"S0\"\neffect = \"Work\"\n",
            at + 1
        );
    }
    let last = domain.rfind("effect").unwrap();
    let before = domain[..last].rfind("effect").unwrap();
    domain.replace_range(before..before + "effect = \"Work\"\n".len(), "");
    let _ = write!(
        base,
        "[[states]]\nname = \"S{STATES}\"\n[[events]]\nname = \"Done\"\n[[events]]\nname = \"Broke\"\n\
         [[events]]\nname = \"Cancel\"\nexternal = true\n\
         [[effects]]\nname = \"Work\"\nreturns = [\"Done\", \"Broke\"]\n"
    );
    let _ = write!(
        domain,
        "[[transitions]]\nfrom = \"*\"\non = \"Cancel\"\nto = \"S{STATES}\"\n"
    );
    let (good, rules) = contract(&base, &domain);
    let checked = check(&good, &rules);
    let found: Vec<_> = checked.diagnostics.iter().map(|one| one.code).collect();
    assert_eq!(found, [Code::CYCLE]);
    assert_eq!(checked.model.unwrap().rules.len(), 3 * STATES);

    let (_, rules) = contract(&base, &domain.replace("to = \"S", "to = \"T"));
    let checked = check(&good, &rules);
    assert!(
        checked
            .diagnostics
            .iter()
            .all(|one| one.code == Code::UNDECLARED)
    );
    let last = &checked.diagnostics.last().unwrap().message;
    assert!(
        checked.diagnostics.len() < 300 && last.starts_with("and "),
        "{last}"
    );
}
