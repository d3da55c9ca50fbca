//! The properties find what they are for: each mutant of a contract differs from it.

use std::panic::catch_unwind;

use space_core::machine::{EffectSpace, Space};
use space_core::verify::{Triple, check_triple, differential, interpreted};

const BASE: &str = include_str!("../fronts/domain/odd_base.toml");
const DOMAIN: &str = include_str!("../fronts/domain/odd_domain.toml");

/// Edits of the behaviour that the gates let pass, and the property must not.
const MUTANTS: &[(&str, &str)] = &[
    // A guard forgotten, negated, or another.
    ("guard = \"clone\"\n", ""),
    ("guard = \"clone\"", "guard = \"!clone\""),
    ("guard = \"clone\"", "guard = \"kind\""),
    ("guard = \"!kind\"", "guard = \"kind\""),
    // Another state.
    (
        "on = \"Vec\"\nto = \"String\"",
        "on = \"Vec\"\nto = \"Err\"",
    ),
    // Another argument, from the event or from the context.
    (
        "{ arg = \"old\", slot = \"found\" }",
        "{ arg = \"old\", slot = \"last\" }",
    ),
    (
        "{ arg = \"old\", slot = \"last\" }",
        "{ arg = \"old\", slot = \"ctx\" }",
    ),
    // An assignment forgotten, added, or from another field.
    ("  { slot = \"data\", from_field = \"effect\" },\n", ""),
    ("assign = [\"error\", \"code\"]", "assign = [\"error\"]"),
    ("from_field = \"rule\"", "from_field = \"event\""),
];

#[test]
fn a_contract_is_itself() {
    let space = interpreted(BASE, DOMAIN);
    differential(&space, &space, |oracle| {
        Box::new(oracle.table(space.model()))
    });
}

#[test]
fn every_mutant_is_found() {
    let original = interpreted(BASE, DOMAIN);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut survivors = Vec::new();
    for (from, to) in MUTANTS {
        assert!(DOMAIN.contains(from), "{from}");
        let mutant = interpreted(BASE, &DOMAIN.replacen(from, to, 1));
        let found = catch_unwind(|| {
            differential(&mutant, &original, |oracle| {
                Box::new(oracle.table(mutant.model()))
            });
        });
        if found.is_ok() {
            survivors.push((from, to));
        }
    }
    std::panic::set_hook(hook);
    assert!(survivors.is_empty(), "{survivors:?}");
}

#[test]
#[should_panic(expected = "{ pre } step { post } is broken")]
fn a_broken_triple_is_found() {
    let space = interpreted(BASE, DOMAIN);
    check_triple(
        &space,
        |oracle| Box::new(oracle.table(space.model())),
        |_: &Triple<'_, EffectSpace>| true,
        |before, _, after| before.ctx == after,
    );
}

#[test]
#[should_panic(expected = "the precondition never held")]
fn a_vacuous_triple_is_no_proof() {
    let space = interpreted(BASE, DOMAIN);
    check_triple(
        &space,
        |oracle| Box::new(oracle.table(space.model())),
        |_: &Triple<'_, EffectSpace>| false,
        |_, _, _| true,
    );
}
