//! The gates of compositions, and what they add to the spaces that are put together.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::Arc;

use space_core::contract::{FileId, Span};
use space_core::diagnostic::render::{Colour, human};
use space_core::gates::{Composition, Declared, check_compositions, check_folder};
use space_core::graph::Model;
use space_core::parse::{folder, parse_composition, parse_space_base, parse_space_domain};

const FILE: FileId = FileId(0);

/// A space of this name: `meta` is added.
fn space(name: &str, base: &str, domain: &str) -> (String, Arc<Model>) {
    let meta = format!("meta = {{ name = \"{name}\" }}\n");
    let base = parse_space_base(&format!("{meta}{base}"), FILE);
    let domain = parse_space_domain(&format!("{meta}{domain}"), FILE);
    assert!(
        base.sound && domain.sound,
        "{:?} {:?}",
        base.diagnostics,
        domain.diagnostics
    );
    let model = Model::resolve(&base.value, &domain.value).unwrap();
    (name.to_owned(), Arc::new(model))
}

fn gates(spaces: &[(String, Arc<Model>)], compositions: &str) -> Composition {
    let parsed = parse_composition(compositions, FILE);
    assert!(parsed.sound, "{:?}", parsed.diagnostics);
    let declared = spaces.iter().map(|(name, model)| Declared {
        name,
        span: Span::default(),
        model: Some(Arc::clone(model)),
    });
    check_compositions(&parsed.value, &declared.collect::<Vec<_>>())
}

fn codes(found: &Composition) -> Vec<u16> {
    found.diagnostics.iter().map(|one| one.code.0).collect()
}

/// A machine that counts to `most` by itself and then takes part in `Meet`.
fn counter(name: &str, most: usize) -> (String, Arc<Model>) {
    let mut base = String::from(
        "events = [{ name = \"Go\" }, { name = \"Tick\" }, { name = \"Meet\" }]\n\
         effects = [\n  { name = \"Count\", semantics = \"query\", returns = [\"Tick\"] },\n  \
         { name = \"Wait\", semantics = \"query\", returns = [\"Meet\"] },\n]\nstates = [\n",
    );
    let mut domain = String::from("transitions = [\n");
    for at in 0..=most {
        let initial = if at == 0 { ", is_initial = true" } else { "" };
        writeln!(base, "  {{ name = \"S{at}\"{initial} }},").unwrap();
        let (on, to, effect) = match at {
            0 => ("Go", "S1".to_owned(), ", effect = \"Count\""),
            _ if at == most => ("Meet", "End".to_owned(), ""),
            _ if at + 1 == most => ("Tick", format!("S{most}"), ", effect = \"Wait\""),
            _ => ("Tick", format!("S{}", at + 1), ", effect = \"Count\""),
        };
        writeln!(
            domain,
            "  {{ from = \"S{at}\", on = \"{on}\", to = \"{to}\"{effect} }},"
        )
        .unwrap();
    }
    base.push_str("  { name = \"End\" },\n]\n");
    domain.push_str("]\n");
    space(name, &base, &domain)
}

#[test]
fn a_refusal_is_found_by_the_shortest_run() {
    let spaces = [counter("left", 2), counter("right", 3)];
    let found = gates(
        &spaces,
        "parallel = [{ name = \"both\", spaces = [\"left\", \"right\"], sync = [\"Meet\"] }]",
    );
    assert_eq!(codes(&found), [407]);
    let finding = &found.diagnostics[0];
    assert_eq!(
        finding.message,
        "`right` has no rule for `Meet` in left.S2, right.S0"
    );
    assert_eq!(
        finding.help.as_deref(),
        Some("the shortest way there: left.Go, left.Tick")
    );
    assert!(found.composed.is_empty() && found.failed());
}

#[test]
fn a_product_beyond_the_bound_is_not_proved_and_says_so() {
    // Six machines of ten states, of which a seventh and an eighth are in a sync that only the
    // product could tell about: it is never refused, because it never comes.
    let names: Vec<_> = (0..6).map(|at| format!("m{at}")).collect();
    let mut spaces: Vec<_> = names.iter().map(|name| counter(name, 9)).collect();
    let quiet = |name: &str| {
        space(
            name,
            "states = [{ name = \"A\", is_initial = true }, { name = \"B\" }]\n\
             events = [{ name = \"Go\" }, { name = \"Never\" }]\n",
            "transitions = [{ from = \"A\", on = \"Go\", to = \"B\" }]\n",
        )
    };
    spaces.extend([quiet("x"), quiet("y")]);
    let all = spaces
        .iter()
        .map(|(name, _)| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(", ");
    // What has nothing to do with the sync is not looked at.
    let sync = "sync = [\"Never\"]";
    let apart = format!("parallel = [{{ name = \"all\", spaces = [{all}], {sync} }}]");
    assert_eq!(codes(&gates(&spaces, &apart)), [] as [u16; 0]);
    // A chain of adapters makes all of them one.
    let mut chain = String::new();
    for at in 0..6 {
        let next = match at {
            5 => "x".to_owned(),
            _ => format!("m{}", at + 1),
        };
        write!(
            chain,
            "{{ when = \"m{at}.state:End\", to_event = \"{next}.Go\" }},"
        )
        .unwrap();
    }
    let found = gates(
        &spaces,
        &format!(
            "parallel = [{{ name = \"all\", spaces = [{all}], {sync}, adapter = [{chain}] }}]"
        ),
    );
    assert_eq!(codes(&found), [414]);
    let message = &found.diagnostics[0].message;
    assert!(
        message.contains("more than the 131072 configurations that were seen"),
        "{message}"
    );
    // A few of them are few enough.
    let found = gates(
        &spaces,
        "parallel = [{ name = \"all\", spaces = [\"m0\", \"x\", \"y\"], sync = [\"Never\"] }]",
    );
    assert_eq!(codes(&found), [] as [u16; 0]);
}

#[test]
fn a_composition_of_a_thousand_spaces_is_judged() {
    let spaces: Vec<_> = (0..1000).map(|at| counter(&format!("m{at}"), 3)).collect();
    let mut text = String::new();
    for (at, pair) in spaces.windows(2).enumerate() {
        let (before, name) = (
            if at == 0 {
                pair[0].0.clone()
            } else {
                format!("c{at}")
            },
            &pair[1].0,
        );
        let next = at + 1;
        writeln!(
            text,
            "[[parallel]]\nname = \"c{next}\"\nspaces = [\"{before}\", \"{name}\"]"
        )
        .unwrap();
    }
    let found = gates(&spaces, &text);
    assert_eq!(codes(&found), [] as [u16; 0]);
    assert_eq!(found.composed.last().unwrap().components.len(), 1000);
}

#[test]
fn what_a_broken_space_would_have_said_is_not_reported() {
    let (name, model) = counter("left", 2);
    let parsed = parse_composition(
        "parallel = [{ name = \"both\", spaces = [\"left\", \"right\"], sync = [\"Nothing\"] }]\n\
         series = [{ name = \"more\", spaces = [\"both\", \"left\"] }]\n\
         invariants = [{ composition = \"more\", name = \"a\", existence = { of = \"left.state:Nowhere\" } }]\n",
        FILE,
    );
    let declared = [
        Declared {
            name: &name,
            span: Span::default(),
            model: Some(model),
        },
        Declared {
            name: "right",
            span: Span::default(),
            model: None,
        },
    ];
    let found = check_compositions(&parsed.value, &declared);
    assert_eq!(codes(&found), [] as [u16; 0]);
    assert!(found.composed.is_empty());
}

const ASK: &str = "states = [{ name = \"Idle\", is_initial = true }, { name = \"Busy\" }, { name = \"Good\" }, { name = \"Bad\" }]\n\
     events = [{ name = \"Ask\", payload = [\"text\"] }, { name = \"Yes\" }, { name = \"No\" }]\n\
     effects = [{ name = \"Work\", semantics = \"query\", returns = [\"Yes\", \"No\"] }]\n\
     ctx = [{ name = \"text\" }]\n";
const ASKED: &str = "transitions = [\n  { from = \"Idle\", on = \"Ask\", to = \"Busy\", effect = \"Work\", assign = [\"text\"] },\n  \
     { from = \"Busy\", on = \"Yes\", to = \"Good\" },\n  { from = \"Busy\", on = \"No\", to = \"Bad\" },\n]\n";

#[test]
fn triggers_are_those_that_the_composition_can_be_in() {
    let spaces = [space("first", ASK, ASKED), space("second", ASK, ASKED)];
    let found = gates(
        &spaces,
        "[[series]]\nname = \"chain\"\nspaces = [\"first\", \"second\"]\n\
         adapter = [{ when = \"first.state:Good\", to_event = \"Ask\" }]\n\
         [[feedback]]\nname = \"again\"\nspace = \"chain\"\nmax_rounds = 2\n\
         router = [{ when = \"second.state:Bad\", to_event = \"first.Ask\" }]\n",
    );
    assert_eq!(codes(&found), [] as [u16; 0]);
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let first = &found.triggers["first"];
    assert_eq!(first.series.iter().collect::<Vec<_>>(), ["Good"]);
    // Never from `Bad`: the second has not been asked then.
    assert_eq!(
        first.feedback.iter().cloned().collect::<Vec<_>>(),
        [pair("Good", "Ask")]
    );
    let second = &found.triggers["second"];
    assert_eq!(second.series.iter().collect::<Vec<_>>(), ["Bad"]);
    assert!(second.feedback.is_empty());
    let again = &found.composed[1];
    assert_eq!((&*again.name, again.bridges.len()), ("again", 2));
    assert_eq!(again.bridges[1].restarts, [1]);
    assert_eq!(again.after, [vec![], vec![0]]);
}

#[test]
fn a_loop_within_one_space_is_a_jump_of_it() {
    let found = gates(
        &[space("first", ASK, ASKED)],
        "feedback = [{ name = \"again\", space = \"first\", max_rounds = 2, \
         router = [{ when = [\"state:Bad\", \"first.state:Good\"], to_event = \"Ask\" }] }]",
    );
    assert_eq!(codes(&found), [] as [u16; 0]);
    assert_eq!(found.triggers["first"].feedback.len(), 2);
}

/// The codes, the first message, and the lines of the first run as `component event state`.
fn judged(spaces: &[(String, Arc<Model>)], compositions: &str) -> (Vec<u16>, String, Vec<String>) {
    let found = gates(spaces, compositions);
    let first = found.diagnostics.first();
    let message = first.map(|one| one.message.clone()).unwrap_or_default();
    let trace = first.and_then(|one| one.trace.clone());
    let lines = trace.into_iter().flat_map(|trace| trace.lines);
    let lines = lines.map(|line| {
        let sign = if line.joined { "+" } else { "" };
        let (component, event) = (line.component.unwrap(), line.event.unwrap_or_default());
        format!("{sign}{component} {event} {}", line.state)
    });
    (codes(&found), message, lines.collect())
}

/// `left` counts to two and `right` to three, side by side.
fn both(invariant: &str) -> (Vec<u16>, String, Vec<String>) {
    let text = format!(
        "parallel = [{{ name = \"both\", spaces = [\"left\", \"right\"] }}]\n\
         invariants = [{{ composition = \"both\", name = \"promise\", {invariant} }}]"
    );
    judged(&[counter("left", 2), counter("right", 3)], &text)
}

#[test]
fn exclusions_are_judged() {
    let (codes, message, run) =
        both("exclusion = { points = [\"left.state:S1\", \"right.state:S2\"] }");
    assert_eq!(codes, [601]);
    assert_eq!(
        message,
        "`promise` does not hold: two of `left.state:S1`, `right.state:S2` can be true at once, \
         in left.S1, right.S2"
    );
    let expected = [
        "left  S0",
        "+right  S0",
        "left Go S1",
        "right Go S1",
        "right Tick S2",
    ];
    assert_eq!(run, expected);
    // One machine is in one state at a time, which is no promise.
    let none = [] as [u16; 0];
    let apart = "exclusion = { points = [\"left.state:S1\", \"left.state:S2\"] }";
    assert_eq!(both(apart).0, [605]);
    // An event happens where it leads.
    let apart = "exclusion = { points = [\"left.event:Go\", \"left.state:S2\"] }";
    assert_eq!(both(apart).0, none);
    let met = "exclusion = { points = [\"left.event:Go\", \"left.state:S1\"] }";
    assert_eq!(both(met).0, [601]);
    // An effect is true for as long as it is waited for.
    let met = "exclusion = { points = [\"left.effect:Wait\", \"right.semantics:query\"] }";
    assert_eq!(both(met).2.len(), 2 + 3);
    // What is said of one point says nothing.
    let alone = "exclusion = { points = [\"left.state:S1\", \"left.state:S1\"] }";
    assert_eq!(both(alone).0, [605]);
}

#[test]
fn every_pattern_is_judged() {
    let left = |pattern: &str| both(&pattern.replace('@', "left.state:"));
    for (violated, holds) in [
        (
            "absence = { of = \"@S2\", after = \"right.state:S1\" }",
            "absence = { of = \"@S1\", after = \"@S2\" }",
        ),
        (
            "absence = { of = \"@S2\", until = \"right.state:S1\" }",
            "absence = { of = \"@S2\", until = \"@S1\" }",
        ),
        (
            "precedence = { first = \"right.state:S1\", then = \"@S1\" }",
            "precedence = { first = \"@S1\", then = \"@S2\" }",
        ),
        (
            "existence = { of = \"right.semantics:command\" }",
            "existence = { of = [\"@S2\", \"right.state:End\"] }",
        ),
        (
            "response = { after = \"right.state:End\", must = \"@S2\" }",
            "response = { after = \"@S1\", must = \"@End\" }",
        ),
        (
            "bounded_existence = { of = [\"@S1\", \"right.state:S1\"], at_most = 1 }",
            "bounded_existence = { of = \"@S1\", at_most = 1 }",
        ),
        (
            "reachable = { point = \"@S1\" }",
            "reachable = { point = \"@End\" }",
        ),
    ] {
        let (codes, message, run) = left(violated);
        assert_eq!(codes, [601], "{violated}: {message}");
        assert!(run.len() > 2, "{violated}");
        let (codes, message, _) = left(holds);
        assert_eq!(codes, [] as [u16; 0], "{holds}: {message}");
    }
}

#[test]
fn points_that_are_not_declared_are_all_reported() {
    let (codes, message, _) = both(
        "precedence = { first = [\"left.state:S9\", \"middle.state:S1\"], then = \"state:S1\" }",
    );
    assert_eq!(codes, [603, 603, 603]);
    assert_eq!(message, "`left` has no state `S9`");
}

#[test]
fn a_part_goes_on_after_its_end_while_others_have_not_ended() {
    // `second` can still be woken after `first` ended without it, because `third` has not ended.
    let waker = "states = [{ name = \"Idle\", is_initial = true }, { name = \"Awake\" }, { name = \"Good\" }]\n\
         events = [{ name = \"Ask\", payload = [\"text\"] }, { name = \"Wake\", external = true }]\n";
    let woken = "transitions = [{ from = \"Idle\", on = \"Ask\", to = \"Good\" }, { from = \"Idle\", on = \"Wake\", to = \"Awake\" }]\n";
    let spaces = [
        space("first", ASK, ASKED),
        space("second", waker, woken),
        counter("third", 2),
    ];
    let of = |composition: &str| {
        let text = format!(
            "[[series]]\nname = \"chain\"\nspaces = [\"first\", \"second\"]\n\
             adapter = [{{ when = \"first.state:Good\", to_event = \"Ask\" }}]\n\
             [[parallel]]\nname = \"all\"\nspaces = [\"chain\", \"third\"]\n\
             [[invariants]]\ncomposition = \"{composition}\"\nname = \"asleep\"\n\
             absence = {{ of = \"second.state:Awake\", after = \"first.state:Bad\" }}\n"
        );
        judged(&spaces, &text)
    };
    assert_eq!(of("chain").0, [] as [u16; 0]);
    let (codes, _, run) = of("all");
    assert_eq!(codes, [601]);
    assert_eq!(run.last().unwrap(), "second Wake Awake");
}

#[test]
fn a_series_is_one_at_a_time_and_a_loop_keeps_it_so() {
    let spaces = [space("first", ASK, ASKED), space("second", ASK, ASKED)];
    let of = |composition: &str, other: &str| {
        let found = gates(
            &spaces,
            &format!(
                "[[series]]\nname = \"chain\"\nspaces = [\"first\", \"second\"]\n\
                 adapter = [{{ when = \"first.state:Good\", to_event = \"Ask\" }}]\n\
                 [[feedback]]\nname = \"again\"\nspace = \"chain\"\nmax_rounds = 2\n\
                 router = [{{ when = \"second.state:Bad\", to_event = \"first.Ask\" }}]\n\
                 [[invariants]]\ncomposition = \"{composition}\"\nname = \"apart\"\n\
                 exclusion = {{ points = [\"first.state:Busy\", \"second.state:{other}\"] }}\n"
            ),
        );
        codes(&found)
    };
    for composition in ["chain", "again"] {
        assert_eq!(of(composition, "Busy"), [] as [u16; 0]);
        // What is looped back from starts anew, so that it is not there any more.
        assert_eq!(of(composition, "Bad"), [] as [u16; 0]);
    }
    assert_eq!(of("again", "Idle"), [601]);
}

/// Names of spaces, as a list in TOML.
fn listed(spaces: &[(String, Arc<Model>)]) -> String {
    let names = spaces.iter().map(|(name, _)| format!("\"{name}\""));
    names.collect::<Vec<_>>().join(", ")
}

/// One promise for each pattern, about the first and the last of some spaces.
fn promises(composition: &str, last: &str) -> String {
    let first = "m0.state:S1";
    let patterns = [
        format!("absence = {{ of = \"{first}\", after = \"m0.state:End\" }}"),
        format!("precedence = {{ first = \"{first}\", then = \"m0.state:S2\" }}"),
        format!("bounded_existence = {{ of = [\"{first}\", \"{last}.state:S1\"], at_most = 2 }}"),
        "exclusion = { points = [\"m0.state:S1\", \"m0.state:S2\"] }".to_owned(),
        format!("existence = {{ of = \"{last}.state:End\" }}"),
        format!("response = {{ after = \"{first}\", must = \"m0.state:End\" }}"),
        format!("reachable = {{ point = \"{last}.state:End\" }}"),
    ];
    let mut rows = String::new();
    for (at, pattern) in patterns.iter().enumerate() {
        let head = format!("composition = \"{composition}\"\nname = \"p{at}\"");
        writeln!(rows, "[[invariants]]\n{head}\n{pattern}").unwrap();
    }
    rows
}

/// Bad input takes less than two seconds, without optimisation and on a machine that has nothing else
/// to do.
fn in_time<T>(what: impl FnOnce() -> T) -> T {
    let start = std::time::Instant::now();
    let found = what();
    let took = start.elapsed();
    assert!(took.as_secs() < 4, "{took:?}");
    found
}

#[test]
fn a_thousand_spaces_are_judged_as_far_as_they_can_be_in_time() {
    let spaces: Vec<_> = (0..1000).map(|at| counter(&format!("m{at}"), 3)).collect();
    let all = listed(&spaces);
    let flat = format!(
        "[[parallel]]\nname = \"all\"\nspaces = [{all}]\n{}",
        promises("all", "m999")
    );
    let found = in_time(|| gates(&spaces, &flat));
    // What is about how runs begin is about two spaces; how they end is about all.
    assert_eq!(codes(&found), [605, 414, 414, 414]);
    let message = &found.diagnostics[1].message;
    assert!(
        message.starts_with("whether `p4` holds is not known: `all` has more than the "),
        "{message}"
    );
    assert!(message.ends_with("of them on the frontier"), "{message}");
    // A sync event that all take part in makes them one, of which no promise is judged.
    let synced = flat.replacen("[[invariants]]", "sync = [\"Meet\"]\n[[invariants]]", 1);
    let found = in_time(|| gates(&spaces, &synced));
    assert_eq!(codes(&found), [414]);
}

/// One sync event of all makes every promise one about all, of which there are more configurations than
/// could be counted; what matters to two of them is little.
#[test]
fn promises_about_a_few_of_many_synced_spaces_are_decided() {
    let worker = |name: &str| {
        space(
            name,
            "states = [{ name = \"Idle\", is_initial = true }, { name = \"Working\" }, \
             { name = \"Done\" }, { name = \"Cancelled\" }]\n\
             events = [{ name = \"Start\" }, { name = \"Worked\" }, \
             { name = \"Cancel\", external = true }]\n\
             effects = [{ name = \"Work\", semantics = \"query\", returns = [\"Worked\"] }]\n",
            "transitions = [\n  { from = \"Idle\", on = \"Start\", to = \"Working\", effect = \"Work\" },\n  \
             { from = \"Working\", on = \"Worked\", to = \"Done\" },\n  \
             { from = \"*\", on = \"Cancel\", to = \"Cancelled\" },\n]\n",
        )
    };
    let spaces: Vec<_> = (0..300).map(|at| worker(&format!("m{at}"))).collect();
    let all = listed(&spaces);
    let patterns = [
        "absence = { of = \"m3.state:Working\", after = \"m299.state:Cancelled\" }",
        "exclusion = { points = [\"m3.state:Working\", \"m299.event:Cancel\"] }",
        "precedence = { first = \"m3.event:Worked\", then = \"m3.state:Done\" }",
        "bounded_existence = { of = [\"m3.state:Working\", \"m4.event:Cancel\"], at_most = 2 }",
        // Both have to be begun, and to come home.
        "absence = { of = \"m3.state:Done\", after = \"m299.state:Done\" }",
        "exclusion = { points = [\"m3.state:Cancelled\", \"m299.event:Cancel\"] }",
        "precedence = { first = \"m3.event:Worked\", then = \"m3.semantics:commit\" }",
    ];
    let rows = patterns.iter().enumerate().map(|(at, pattern)| {
        format!("{{ composition = \"all\", name = \"p{at}\", {pattern} }},\n")
    });
    let text = format!(
        "parallel = [{{ name = \"all\", spaces = [{all}], sync = [\"Cancel\"] }}]\n\
         invariants = [\n{}]",
        rows.collect::<String>()
    );
    let found = gates(&spaces, &text);
    let told = found.diagnostics.iter().map(|one| {
        let steps = one.trace.as_ref().map(|run| {
            assert!(run.shortest);
            let moved = run.lines.iter().filter(|line| line.event.is_some());
            moved.filter(|line| !line.joined).count()
        });
        let name = one.message.split('`').nth(1).unwrap();
        (name, one.code.0, steps)
    });
    let expected = [
        ("p4", 601, Some(4)),
        ("p5", 601, Some(1)),
        ("p6", 602, None),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

#[test]
fn a_tower_of_compositions_is_judged_in_time() {
    let spaces: Vec<_> = (0..300).map(|at| counter(&format!("m{at}"), 3)).collect();
    let mut text = String::new();
    for at in 1..spaces.len() {
        let before = match at {
            1 => "m0".to_owned(),
            _ => format!("c{}", at - 1),
        };
        writeln!(
            text,
            "[[series]]\nname = \"c{at}\"\nspaces = [\"{before}\", \"m{at}\"]"
        )
        .unwrap();
        writeln!(
            text,
            "adapter = [{{ when = \"m{}.state:S3\", to_event = \"Go\" }}]",
            at - 1
        )
        .unwrap();
    }
    text += &promises("c299", "m299");
    let found = in_time(|| gates(&spaces, &text));
    // Each space starts the next, so that every promise is about all of them.
    assert_eq!(codes(&found), [414, 414, 414, 605, 414, 414, 414]);
    assert_eq!(found.composed.last().unwrap().components.len(), 300);
}

#[test]
fn circles_and_towers_of_circles_are_reported_once() {
    let spaces = [counter("left", 2)];
    let mut text = String::new();
    for at in 0..500 {
        let next = (at + 1) % 500;
        writeln!(
            text,
            "[[parallel]]\nname = \"c{at}\"\nspaces = [\"c{next}\", \"left\"]"
        )
        .unwrap();
        writeln!(text, "[[invariants]]\ncomposition = \"c{at}\"\nname = \"p\"\nexistence = {{ of = \"left.state:S1\" }}").unwrap();
    }
    let found = in_time(|| gates(&spaces, &text));
    assert_eq!(codes(&found), [403]);
}

#[test]
fn contradictory_scopes_say_so() {
    let pattern = |pattern: &str| both(pattern).0;
    // Closed before it is judged, answered at once, and asked for by what gives it.
    assert_eq!(
        pattern("absence = { of = \"left.state:S1\", until = \"left.state:S1\" }"),
        [605]
    );
    assert_eq!(
        pattern("response = { after = \"left.state:S1\", must = \"left.state:S1\" }"),
        [605]
    );
    assert_eq!(
        pattern("precedence = { first = \"left.state:S1\", then = \"left.state:S1\" }"),
        [605]
    );
    // Open only where nothing leads.
    assert_eq!(
        pattern("absence = { of = \"left.state:S1\", after = \"left.semantics:stop\" }"),
        [602]
    );
    // Closed where it opens.
    let never = "absence = { of = \"left.state:S1\", after = \"left.state:S1\", until = \"left.state:S1\" }";
    assert_eq!(pattern(never), [605]);
}

#[test]
fn sync_events_of_unequal_payload_are_no_promise_broken() {
    let odd = space(
        "odd",
        "states = [{ name = \"A\", is_initial = true }, { name = \"B\" }]\n\
         events = [{ name = \"Meet\", payload = [\"text\"] }]\n",
        "transitions = [{ from = \"A\", on = \"Meet\", to = \"B\" }]\n",
    );
    let (codes, message, _) = judged(
        &[odd, counter("left", 2)],
        "parallel = [{ name = \"both\", spaces = [\"odd\", \"left\"], sync = [\"Meet\"] }]\n\
         invariants = [{ composition = \"both\", name = \"a\", existence = { of = \"left.state:S1\" } }]",
    );
    assert_eq!(codes, [406]);
    assert_eq!(message, "`Meet` has two payloads");
}

#[test]
fn a_loop_of_many_rounds_is_judged_as_one_without_limit() {
    let spaces = [space("first", ASK, ASKED), space("second", ASK, ASKED)];
    let of = |rounds: u32, pattern: &str| {
        let text = format!(
            "[[series]]\nname = \"chain\"\nspaces = [\"first\", \"second\"]\n\
             adapter = [{{ when = \"first.state:Good\", to_event = \"Ask\" }}]\n\
             [[feedback]]\nname = \"again\"\nspace = \"chain\"\nmax_rounds = {rounds}\n\
             router = [{{ when = \"second.state:Bad\", to_event = \"first.Ask\" }}]\n\
             [[invariants]]\ncomposition = \"again\"\nname = \"p\"\n{pattern}\n"
        );
        judged(&spaces, &text).0
    };
    let bounded = "bounded_existence = { of = \"first.effect:Work\", at_most = 4 }";
    assert_eq!(of(3, bounded), [] as [u16; 0]);
    assert_eq!(of(4, bounded), [601]);
    // Too many rounds to count, and nothing that a count decides.
    let apart = "exclusion = { points = [\"first.state:Busy\", \"second.state:Busy\"] }";
    assert_eq!(of(1_000_000, apart), [] as [u16; 0]);
    assert_eq!(of(1_000_000, bounded), [601]);
    // What could still be reached is one that it does.
    let reached = "reachable = { point = \"second.state:Good\" }";
    assert_eq!(of(1_000_000, reached), [414]);
}

/// Of many spaces a run tells of those that it is about.
#[test]
fn a_run_of_many_spaces_is_short() {
    let folder = tempfile::tempdir().unwrap();
    let domain = folder.path().join("domain");
    std::fs::create_dir(&domain).unwrap();
    let names: Vec<_> = (0..40).map(|at| format!("lamp{at}")).collect();
    for name in &names {
        let base = format!(
            "[meta]\nname = \"{name}\"\n[[states]]\nname = \"Off\"\nis_initial = true\n\
             [[states]]\nname = \"On\"\n[[states]]\nname = \"Gone\"\n\
             [[events]]\nname = \"Press\"\nexternal = true\n\
             [[events]]\nname = \"Stop\"\nexternal = true\n"
        );
        let rules = format!(
            "[meta]\nname = \"{name}\"\n[[transitions]]\nfrom = \"Off\"\non = \"Press\"\nto = \"On\"\n\
             [[ignored]]\nfrom = \"On\"\non = [\"Press\"]\n\
             [[transitions]]\nfrom = \"*\"\non = \"Stop\"\nto = \"Gone\"\n"
        );
        std::fs::write(domain.join(format!("{name}_base.toml")), base).unwrap();
        std::fs::write(domain.join(format!("{name}_domain.toml")), rules).unwrap();
    }
    let composition = format!(
        "[[parallel]]\nname = \"house\"\nspaces = {names:?}\nsync = [\"Stop\"]\n\
         [[invariants]]\ncomposition = \"house\"\nname = \"one_at_a_time\"\n\
         exclusion = {{ points = [\"lamp7.state:On\", \"lamp9.state:On\"] }}\n"
    );
    std::fs::write(domain.join("composition.toml"), composition).unwrap();
    let folder = folder::read(folder.path(), "domain");
    let found = check_folder(&folder).diagnostics;
    assert_eq!(found.len(), 1, "{found:?}");
    let said = human(&found, &folder.sources, Colour::Never);
    for part in [
        "can be true at once, in lamp7.On, lamp9.On and 38 more at their start\n",
        "      0  lamp7         Off\n         lamp9         Off\n",
        " 38 more spaces at their start\n",
        "      1  lamp7  Press  On",
        "      2  lamp9  Press  On",
    ] {
        assert!(said.contains(part), "{part:?} is not in\n{said}");
    }
}
