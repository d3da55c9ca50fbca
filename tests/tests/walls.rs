//! The walls between the rooms, asked of cargo.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;
use std::process::Command;

/// Names of the packages that a consumer of `space-core` with these features builds.
fn packages(features: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--package",
            "space-core",
            "--no-default-features",
        ])
        .args([
            "--features",
            features,
            "--edges",
            "normal",
            "--prefix",
            "none",
        ])
        .args(["--format", "{p}"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let mut names: Vec<_> = text
        .lines()
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}

fn lacks(features: &str, unwanted: &[&str]) {
    let packages = packages(features);
    assert!(packages.contains(&"space-core".to_owned()), "{packages:?}");
    for name in unwanted {
        assert!(
            !packages.contains(&(*name).to_owned()),
            "`{features}` brings {name}"
        );
    }
}

#[test]
fn generated_code_needs_nothing_else() {
    assert_eq!(packages(""), ["space-core"]);
}

#[test]
fn the_interpreter_brings_one_hash_function_and_nothing_else() {
    assert_eq!(packages("interpreter"), ["hmac-sha256", "space-core"]);
}

#[test]
fn a_consumer_of_the_runtime_gets_no_generator() {
    lacks(
        "runtime",
        &[
            "syn",
            "quote",
            "proc-macro2",
            "prettyplease",
            "toml",
            "proptest",
        ],
    );
}

#[test]
fn the_macro_path_is_light() {
    lacks(
        "parse,emit",
        &[
            "syn",
            "prettyplease",
            "serde",
            "serde_core",
            "serde_derive",
            "tokio",
        ],
    );
}

#[test]
fn the_generator_does_not_run_anything() {
    lacks("build", &["tokio", "proptest", "serde_derive"]);
}
