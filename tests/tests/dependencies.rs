//! What this workspace depends on: allowed, wanted, used, and once.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;
use spdx::{Expression, ParseMode};

/// Permissive licences: use, change and pass on, with at most a notice.
const PERMISSIVE: &[&str] = &[
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates that are there in several versions, and who asks for the older ones. One that is no
/// longer needed here is an error too.
const SEVERAL: &[(&str, &str)] = &[
    (
        "getrandom",
        "ring, and what proptest and tempfile draw from",
    ),
    (
        "hashbrown",
        "stateright, beside which benches measure, is versions behind",
    ),
    ("rand", "stateright"),
    ("rand_core", "stateright"),
    (
        "syn",
        "derives of serde and clap are a version behind; peers of the benches two",
    ),
];

/// Crates that only code names that a macro writes.
const EXPANDED: &[(&str, &str)] = &[("space-tests", "serde")];

static METADATA: LazyLock<Value> = LazyLock::new(|| {
    // Crates that only other platforms need may not be there, and nothing is downloaded for a test.
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1"])
        .args(["--filter-platform", host()])
        .current_dir(root())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).unwrap()
});

/// The platform of this toolchain.
fn host() -> &'static str {
    static HOST: LazyLock<String> = LazyLock::new(|| {
        let output = Command::new("rustc").arg("-vV").output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let mut lines = said.lines();
        let host = lines.find_map(|line| line.strip_prefix("host: "));
        host.unwrap().to_owned()
    });
    &HOST
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn packages() -> impl Iterator<Item = &'static Value> {
    METADATA["packages"].as_array().unwrap().iter()
}

fn text(value: &'static Value) -> &'static str {
    value.as_str().unwrap_or_default()
}

/// Members of the workspace: they have no registry.
fn members() -> impl Iterator<Item = &'static Value> {
    packages().filter(|package| package["source"].is_null())
}

/// Names of what a member asks for itself, but for the other members.
fn direct(member: &'static Value) -> BTreeSet<&'static str> {
    let asked = member["dependencies"].as_array().unwrap().iter();
    asked
        .filter(|one| !one["source"].is_null())
        .map(|one| text(&one["name"]))
        .collect()
}

#[test]
fn licences_are_permissive() {
    let wrong: Vec<_> = packages()
        .filter(|package| {
            let licence = text(&package["license"]);
            let Ok(expression) = Expression::parse_mode(licence, ParseMode::LAX) else {
                return true;
            };
            !expression.evaluate(|required| {
                let id = required.license.id();
                id.is_some_and(|id| PERMISSIVE.contains(&id.name))
            })
        })
        .map(|package| format!("{} ({})", text(&package["name"]), package["license"]))
        .collect();
    assert!(wrong.is_empty(), "not permissive: {wrong:?}");
}

#[test]
fn every_crate_is_there_once() {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages() {
        let name = versions.entry(text(&package["name"])).or_default();
        name.insert(text(&package["version"]));
    }
    let several: Vec<_> = versions
        .iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, _)| *name)
        .collect();
    let known: Vec<_> = SEVERAL.iter().map(|(name, _)| *name).collect();
    assert_eq!(several, known, "crates in several versions, with a reason");
}

/// One line of reason each, in ARCHITECTURE.md, and none for what is gone.
#[test]
fn every_direct_dependency_has_a_reason() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, table) = page.split_once("\n## Dependencies\n").unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let reasons: BTreeSet<_> = rows
        .filter_map(|line| line.split('|').nth(1))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    let asked: BTreeSet<_> = members().flat_map(direct).collect();
    let without: Vec<_> = asked.difference(&reasons).collect();
    assert!(
        without.is_empty(),
        "without a line in ARCHITECTURE.md: {without:?}"
    );
    // `ring` is how `rustls` is asked for, and no dependency of its own.
    let gone: Vec<_> = reasons
        .difference(&asked)
        .filter(|name| **name != "ring")
        .collect();
    assert!(
        gone.is_empty(),
        "in ARCHITECTURE.md, and no longer asked for: {gone:?}"
    );
}

/// A dependency that no source of the member names is one that nobody needs.
#[test]
fn every_direct_dependency_is_used() {
    let mut unused = Vec::new();
    for member in members() {
        let folder = Path::new(text(&member["manifest_path"])).parent().unwrap();
        let mut sources = String::new();
        for path in rust(folder) {
            sources.push_str(&fs::read_to_string(path).unwrap());
        }
        for name in direct(member) {
            let name = name.replace('-', "_");
            let named = [format!("{name}::"), format!("use {name};")];
            let expanded = EXPANDED.contains(&(text(&member["name"]), &name));
            if !expanded && !named.iter().any(|named| sources.contains(named)) {
                unused.push(format!("{} of {}", name, text(&member["name"])));
            }
        }
    }
    assert!(unused.is_empty(), "never named: {unused:?}");
}

/// The sources of a member, without those of members inside it.
fn rust(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let skipped = path.file_name().is_some_and(|name| name == "target");
            if path.is_dir() && !skipped && !path.join("Cargo.toml").exists() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push(path);
            }
        }
    }
    sources
}
