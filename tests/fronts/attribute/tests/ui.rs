//! What a user of the attribute reads when something is wrong.

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/good.rs");
    cases.compile_fail("tests/ui/wrong_contract.rs");
    // One error and nothing that follows from it, in a crate that uses everything.
    cases.pass("tests/ui/stranger.rs");
    cases.pass("tests/ui/composition.rs");
    for broken in [
        "broken_base",
        "broken_base_and_a_glob",
        "broken_domain",
        "broken_prefixed_base_and_a_glob",
        "missing_base",
        "missing_base_and_a_glob",
        "missing_contract",
        "missing_domain",
        "not_text",
        "unknown_type",
        "wrong_composition",
        "wrong_option",
        "wrong_option_and_a_glob",
        "wrong_stem_and_a_glob",
    ] {
        cases.compile_fail(format!("tests/ui/{broken}.rs"));
    }
    // What the vocabulary tells is emitted, so that another mistake is seen beside.
    cases.compile_fail("tests/ui/missing_domain_and_a_mistake.rs");
    cases.compile_fail("tests/ui/missing_guard.rs");
}
