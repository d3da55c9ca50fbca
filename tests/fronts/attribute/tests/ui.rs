//! What a user of the attribute reads when something is wrong.

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/good.rs");
    cases.compile_fail("tests/ui/wrong_contract.rs");
    cases.compile_fail("tests/ui/broken_toml.rs");
    cases.compile_fail("tests/ui/missing_guard.rs");
}
