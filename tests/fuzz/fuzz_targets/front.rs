//! `cargo +nightly fuzz run --fuzz-dir tests/fuzz front`

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| space_tests::front::check(text));
