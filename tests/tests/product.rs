//! The interpreter form of compositions, and the gates' idea of what they can reach.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use space_core::compose::{
    ComposedGuards, FeedStep, LoopLimit, Product, ProductState, ProductStep, Tagged,
};
use space_core::contract::{Base, Domain, FileId, Semantics, Span, Value};
use space_core::gates::{Declared, check_compositions};
use space_core::graph::{Composed, Model};
use space_core::machine::{Space as _, Values};
use space_core::parse::{parse_composition, parse_space_base, parse_space_domain};

const FILE: FileId = FileId(0);

fn contract(name: &str, base: &str, domain: &str) -> (Base, Domain) {
    let meta = format!("meta = {{ name = \"{name}\" }}\n");
    let base = parse_space_base(&format!("{meta}{base}"), FILE);
    let domain = parse_space_domain(&format!("{meta}{domain}"), FILE);
    assert!(base.sound && domain.sound, "{base:?} {domain:?}");
    (base.value, domain.value)
}

fn product(name: &str, contracts: &[(Base, Domain)], compositions: &str) -> Product {
    let parsed = parse_composition(compositions, FILE);
    assert!(parsed.sound, "{:?}", parsed.diagnostics);
    let contracts: Vec<_> = contracts
        .iter()
        .map(|(base, domain)| (base, domain))
        .collect();
    Product::from_contracts(name, &contracts, &parsed.value).unwrap()
}

const ASKING: &str = "states = [{ name = \"Idle\", is_initial = true }, { name = \"Busy\" }, { name = \"Good\" }, { name = \"Bad\" }]\n\
     events = [{ name = \"Ask\", payload = [\"text\", \"notes\"] }, { name = \"Yes\", payload = [\"text\"] }, { name = \"No\", payload = [\"notes\"] }]\n\
     effects = [{ name = \"Work\", args = [\"text\", \"notes\"], semantics = \"query\", returns = [\"Yes\", \"No\"] }]\n\
     ctx = [{ name = \"text\" }, { name = \"notes\" }]\n";
const ASKED: &str = "transitions = [\n  { from = \"Idle\", on = \"Ask\", to = \"Busy\", effect = \"Work\", args = [\"text\", \"notes\"], assign = [\"text\"] },\n  \
     { from = \"Busy\", on = \"Yes\", to = \"Good\", assign = [\"text\"] },\n  { from = \"Busy\", on = \"No\", to = \"Bad\", assign = [\"notes\"] },\n]\n";
const CHAIN: &str = "[[series]]\nname = \"chain\"\nspaces = [\"first\", \"second\"]\n\
     adapter = [{ when = \"first.state:Good\", to_event = \"Ask\" }]\n\
     [[feedback]]\nname = \"again\"\nspace = \"chain\"\nmax_rounds = 2\ntimeout_ms = 1000\n\
     router = [{ when = \"second.state:Bad\", to_event = \"first.Ask\" }]\n";

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn handled(step: ProductStep) -> Vec<Option<Values>> {
    match step {
        ProductStep::Handled(moved) => moved.into_iter().map(|one| one.effect).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_unanswered_question_goes_round() {
    let spaces = ["first", "second"].map(|name| contract(name, ASKING, ASKED));
    let product = product("again", &spaces, CHAIN);
    let guards = ComposedGuards::new();
    let mut state = product.initial();
    let step = |state: &mut ProductState, component, name, field: &str, value| {
        let event = product
            .event(component, name, [(field, text(value))])
            .unwrap();
        handled(product.step(state, event, &guards))
    };
    let idle = |_: usize| true;
    let start = [("text", text("q")), ("notes", text(""))];
    let event = product.event("first", "Ask", start).unwrap();
    assert!(product.step(&mut state, event, &guards) != ProductStep::Handled(vec![]));
    for round in 1..=3_u32 {
        step(&mut state, "first", "Yes", "text", "found");
        assert!(!product.is_complete(&state, idle));
        let bridge = product.due(&state, |_| false).unwrap();
        let fed = product.feed(&mut state, bridge, Duration::ZERO, &guards);
        let FeedStep::Stepped {
            round: None,
            restarted,
            step: fed,
            ..
        } = fed
        else {
            panic!("{fed:?}")
        };
        assert_eq!(restarted, [] as [usize; 0]);
        // The slot `notes` of the first is empty: the text field is fed the empty text.
        let values = handled(fed).remove(0).unwrap().values;
        assert_eq!(values, [text("found"), text("")]);
        assert_eq!(product.describe(&state), "first.Good, second.Busy");
        step(&mut state, "second", "No", "notes", "look there");
        let bridge = product.due(&state, |_| false).unwrap();
        let fed = product.feed(&mut state, bridge, Duration::ZERO, &guards);
        match fed {
            FeedStep::Stepped {
                round: Some(at),
                restarted,
                step,
                ..
            } if round <= 2 => {
                assert_eq!((at, restarted), (round, vec![1]));
                let values = handled(step).remove(0).unwrap().values;
                assert_eq!(values, [text("found"), text("look there")]);
                assert_eq!(product.describe(&state), "first.Busy, second.Idle");
            }
            FeedStep::Exhausted(exhausted) if round == 3 => {
                assert_eq!((&*exhausted.feedback, exhausted.rounds), ("again", 2));
                assert_eq!(
                    exhausted.limit,
                    LoopLimit::Rounds {
                        used: 2,
                        allowed: 2
                    }
                );
                let said = "`again` after 2 rounds: 2 of 2 rounds used";
                assert_eq!(exhausted.to_string(), said);
            }
            other => panic!("round {round}: {other:?}"),
        }
    }
}

#[test]
fn a_loop_is_used_up_by_time_and_a_first_stage_that_ends_elsewhere_ends_the_series() {
    let spaces = ["first", "second"].map(|name| contract(name, ASKING, ASKED));
    let product = product("again", &spaces, CHAIN);
    let guards = ComposedGuards::new();
    let mut state = product.initial();
    let steps = [
        (
            "first",
            "Ask",
            vec![("text", text("q")), ("notes", text(""))],
        ),
        ("first", "No", vec![("notes", text(""))]),
    ];
    for (component, name, payload) in steps {
        assert!(!product.is_complete(&state, |_| true));
        let event = product.event(component, name, payload).unwrap();
        handled(product.step(&mut state, event, &guards));
    }
    assert_eq!(product.describe(&state), "first.Bad, second.Idle");
    assert!(product.is_complete(&state, |_| true) && !product.is_complete(&state, |at| at != 0));

    let mut state = product.initial();
    let all = [
        (
            "first",
            "Ask",
            vec![("text", text("q")), ("notes", text(""))],
        ),
        ("first", "Yes", vec![("text", text("a"))]),
        ("second", "No", vec![("notes", text("b"))]),
    ];
    for (component, name, payload) in all {
        let event = product.event(component, name, payload).unwrap();
        handled(product.step(&mut state, event, &guards));
        let time = Duration::from_secs(1);
        if let Some(bridge) = product.due(&state, |_| false) {
            let fed = product.feed(&mut state, bridge, time, &guards);
            match (component, fed) {
                ("first", FeedStep::Stepped { .. }) => {}
                ("second", FeedStep::Exhausted(exhausted)) => {
                    let limit = LoopLimit::Time {
                        used: time,
                        allowed: time,
                    };
                    assert_eq!((exhausted.rounds, exhausted.limit), (0, limit));
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// A random machine: three outcomes, of which `Meet` is shared; `Halt` comes from outside.
#[derive(Clone, Debug)]
struct Plan {
    /// What each state's effect returns (bits), and where each outcome leads.
    returns: Vec<u8>,
    to: Vec<[usize; 3]>,
    /// States that know `Meet` though their effect does not return it, and `Halt`.
    meets: u8,
    halts: u8,
    commands: u8,
}

const OUTCOMES: [&str; 3] = ["Alpha", "Beta", "Meet"];

fn plan() -> impl Strategy<Value = Plan> {
    (1_usize..4).prop_flat_map(|states| {
        let to = [0..=states, 0..=states, 0..=states];
        let lists = (
            prop::collection::vec(1_u8..8, states),
            prop::collection::vec(to, states),
        );
        (lists, any::<u8>(), any::<u8>(), any::<u8>()).prop_map(
            |((returns, to), meets, halts, commands)| Plan {
                returns,
                to,
                meets,
                halts,
                commands,
            },
        )
    })
}

fn machine(name: &str, plan: &Plan) -> (String, Arc<Model>) {
    let count = plan.returns.len();
    let mut base = String::from(
        "events = [{ name = \"Go\" }, { name = \"Alpha\" }, { name = \"Beta\" }, { name = \"Meet\" }, { name = \"Halt\", external = true }]\n\
         states = [\n  { name = \"Start\", is_initial = true },\n",
    );
    let mut effects = String::from("effects = [\n");
    let mut rules = String::from(
        "transitions = [\n  { from = \"Start\", on = \"Go\", to = \"S0\", effect = \"E0\" },\n",
    );
    for state in 0..count {
        writeln!(base, "  {{ name = \"S{state}\" }},").unwrap();
        let returned = |at: usize| plan.returns[state] >> at & 1 == 1;
        let names: Vec<_> = (0..3)
            .filter(|at| returned(*at))
            .map(|at| format!("\"{}\"", OUTCOMES[at]))
            .collect();
        let semantics = if plan.commands >> state & 1 == 1 {
            "command"
        } else {
            "query"
        };
        writeln!(
            effects,
            "  {{ name = \"E{state}\", semantics = \"{semantics}\", returns = [{}] }},",
            names.join(", ")
        )
        .unwrap();
        let knows = |at: usize| returned(at) || (at == 2 && plan.meets >> state & 1 == 1);
        for at in (0..3).filter(|at| knows(*at)) {
            let to = plan.to[state][at];
            let (to, effect) = if to == count {
                ("End".to_owned(), String::new())
            } else {
                (format!("S{to}"), format!(", effect = \"E{to}\""))
            };
            writeln!(
                rules,
                "  {{ from = \"S{state}\", on = \"{}\", to = \"{to}\"{effect} }},",
                OUTCOMES[at]
            )
            .unwrap();
        }
        if plan.halts >> state & 1 == 1 {
            writeln!(
                rules,
                "  {{ from = \"S{state}\", on = \"Halt\", to = \"End\" }},"
            )
            .unwrap();
        }
    }
    let (base, domain) = contract(
        name,
        &format!("{base}  {{ name = \"End\" }},\n]\n{effects}]\n"),
        &format!("{rules}]\n"),
    );
    (
        name.to_owned(),
        Arc::new(Model::resolve(&base, &domain).unwrap()),
    )
}

/// Effects that are asked for, and have not been answered.
type Pending = Vec<Option<usize>>;

/// What may come next, as the world would have it, and whether somebody's refusal would matter.
fn possible(composed: &Composed, state: &ProductState, pending: &Pending) -> Vec<(Tagged, bool)> {
    let mut all = Vec::new();
    for (component, one) in composed.components.iter().enumerate() {
        let at = usize::from(state.states[component].0);
        let model = &one.model;
        let tagged = |index| Tagged {
            component,
            event: Values {
                index,
                values: Vec::new(),
            },
        };
        if model.states[at].terminal {
            continue;
        }
        let busy_others = |event: usize| {
            let sync = composed.sync_of(component, event);
            sync.is_some_and(|row| {
                row.parts.iter().any(|(other, own)| {
                    let state = usize::from(state.states[*other].0);
                    let model = &composed.components[*other].model;
                    *other != component
                        && !model.states[state].terminal
                        && pending[*other].is_some_and(|effect| {
                            model.effects[effect].semantics == Semantics::Command
                                && !model.returns(effect).contains(own)
                        })
                })
            })
        };
        if let Some(effect) = pending[component] {
            let returns = model.returns(effect).into_iter();
            all.extend(
                returns
                    .filter(|event| !busy_others(*event))
                    .map(|event| (tagged(event), true)),
            );
        } else if at == model.initial {
            all.push((tagged(model.event("Go").unwrap()), false));
        }
        all.push((tagged(model.event("Halt").unwrap()), true));
    }
    all
}

fn apply(pending: &mut Pending, step: &ProductStep) {
    if let ProductStep::Handled(moved) = step {
        for one in moved {
            pending[one.component] = one.effect.as_ref().map(|effect| effect.index);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// What the gates let pass is never refused on a random run; what they refuse is refused at the
    /// end of the run that they give.
    #[test]
    fn the_gates_and_the_product_agree_on_syncs(
        plans in prop::collection::vec(plan(), 2..4),
        halt in any::<bool>(),
        draws in prop::collection::vec(any::<prop::sample::Index>(), 40),
    ) {
        let spaces: Vec<_> = plans.iter().enumerate().map(|(at, plan)| machine(&format!("m{at}"), plan)).collect();
        let names: Vec<_> = spaces.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let sync = if halt { "\"Meet\", \"Halt\"" } else { "\"Meet\"" };
        let text = format!("parallel = [{{ name = \"all\", spaces = [{}], sync = [{sync}] }}]", names.join(", "));
        let declared = spaces.iter().map(|(name, model)| Declared { name, span: Span::default(), model: Some(Arc::clone(model)) });
        let declared: Vec<_> = declared.collect();
        let found = check_compositions(&parse_composition(&text, FILE).value, &declared);
        let guards = ComposedGuards::new();
        if let Some(composed) = found.composed.first() {
            let product = Product::of(Arc::new(composed.clone()));
            let (mut state, mut pending) = (product.initial(), vec![None; spaces.len()]);
            for draw in draws {
                if product.is_complete(&state, |at| pending[at].is_none()) {
                    break;
                }
                let all = possible(composed, &state, &pending);
                if all.is_empty() {
                    break;
                }
                let (event, matters) = all[draw.index(all.len())].clone();
                let synced = composed.sync_of(event.component, event.event.index).is_some();
                let before = state.clone();
                let step = product.step(&mut state, event, &guards);
                let refused = matches!(step, ProductStep::Rejected { .. });
                prop_assert!(!(refused && matters && synced), "{} in {}", text, product.describe(&before));
                // All or none.
                prop_assert!(!refused || state == before);
                apply(&mut pending, &step);
            }
            return Ok(());
        }
        // The same without gates: what was refused is, where the finding says so.
        let free = format!("parallel = [{{ name = \"all\", spaces = [{}] }}]", names.join(", "));
        let mut composed = check_compositions(&parse_composition(&free, FILE).value, &declared).composed.remove(0);
        for name in ["Meet", "Halt"].into_iter().take(if halt { 2 } else { 1 }) {
            let parts = composed.components.iter().enumerate().filter_map(|(at, one)| Some((at, one.model.event(name)?)));
            let parts = parts.collect();
            composed.syncs.push(space_core::graph::SyncRow { name: name.to_owned(), parts, span: Span::default() });
        }
        let product = Product::of(Arc::new(composed));
        for finding in &found.diagnostics {
            let (who, rest) = finding.message.split_once(" has no rule for ").unwrap();
            let (name, place) = rest.split_once(" in ").unwrap();
            let (who, name) = (who.trim_matches('`'), name.trim_matches('`'));
            let run = finding.help.as_deref().unwrap().strip_prefix("the shortest way there: ").unwrap_or_default();
            let mut state = product.initial();
            for label in run.split(", ").filter(|label| !label.is_empty()) {
                let (component, event) = label.split_once('.').unwrap();
                let event = product.event(component, event, []).unwrap();
                let step = product.step(&mut state, event, &guards);
                prop_assert!(matches!(step, ProductStep::Handled(_)), "{label}: {step:?}");
            }
            prop_assert_eq!(product.describe(&state), place);
            let by = product.composed().component(who).unwrap();
            let before = state.clone();
            // Whoever sends it, some participant refuses, and nothing moves.
            let model = product.space(by).model();
            let event = Tagged { component: by, event: Values { index: model.event(name).unwrap(), values: Vec::new() } };
            let refused = matches!(product.step(&mut state, event, &guards), ProductStep::Rejected { .. });
            prop_assert!(refused && state == before);
        }
    }
}
