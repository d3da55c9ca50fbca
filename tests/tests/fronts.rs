//! Attribute, build script and command emit the same bytes.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};
use space_core::attribute::{Here, expand};
use space_core::build::{Job, Mode, format, run};
use space_core::emit::Settings;
use space_core::gates::check_folder;
use space_core::parse::folder;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every golden crate of the workspace: the folder above it, and its name.
fn golden_crates() -> [(PathBuf, &'static str, &'static str); 2] {
    [
        (root(), "out", "space_out"),
        (root().join("tests/fronts"), "golden", "front_golden"),
    ]
}

fn spaces(root: &Path) -> Vec<String> {
    let names = fs::read_dir(root.join("domain")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names
        .filter_map(|name| name.strip_suffix("_base.toml").map(str::to_owned))
        .collect();
    names.sort();
    assert!(!names.is_empty());
    names
}

/// A golden file without its header.
fn golden_body(text: &str) -> &str {
    text.split_once("\n\n").expect("a header").1
}

fn compositions(root: &Path) -> Vec<String> {
    let folder = folder::read(root, "domain");
    let composed = check_folder(&folder).composed;
    composed.into_iter().map(|one| one.name).collect()
}

#[test]
fn the_attribute_emits_what_is_checked_in() {
    for (root, out, _) in golden_crates() {
        let files = fs::read_dir(root.join("domain")).unwrap().count();
        let one = spaces(&root).into_iter().map(|name| {
            let stem = format!("domain/{name}");
            let beside = usize::from(root.join("domain/composition.toml").exists());
            (name, quote!(domain = #stem), 2 + beside)
        });
        let several = compositions(&root).into_iter().map(|name| {
            let args = quote!(composition = "domain/composition", name = #name);
            (name, args, files)
        });
        for (name, args, tracked) in one.chain(several) {
            let module = format_ident!("{name}");
            let here = Here {
                manifest: root.clone(),
                file: None,
            };
            let expansion = expand(args, quote!(pub mod #module {}), &here);
            let Some(TokenTree::Group(body)) = expansion.into_iter().last() else {
                panic!("{name}: no module");
            };
            let text = format(&body.stream());
            let golden = fs::read_to_string(root.join(format!("{out}/src/{name}_gen.rs"))).unwrap();
            let golden = golden_body(&golden);
            let rest = text.strip_prefix(golden);
            let rest = rest.unwrap_or_else(|| panic!("{name}: the attribute emits something else"));
            // What the attribute adds: the tracking of the files.
            let items = rest.split("\n\n").filter(|item| !item.trim().is_empty());
            assert_eq!(items.clone().count(), tracked, "{name}: {rest}");
            for item in items {
                let item = item.trim_start();
                assert!(item.starts_with("const _: &[u8] = ::core::include_bytes!("));
            }
        }
    }
}

#[test]
fn the_command_emits_what_is_checked_in() {
    assert_eq!(compositions(&root()), ["supervised_agent", "lookup", "ask"]);
    for (root, out, krate) in golden_crates() {
        let job = Job {
            root,
            domain: "domain".to_owned(),
            out: out.to_owned(),
            krate: krate.to_owned(),
            settings: Settings::default(),
        };
        if let Err(failure) = run(&job, Mode::Verify) {
            panic!("{failure}");
        }
    }
}

#[test]
fn emitting_twice_gives_the_same() {
    for (root, ..) in golden_crates() {
        for name in spaces(&root) {
            let stem = format!("domain/{name}");
            let emit = || {
                let tokens = space_core::attribute::body(&root, &stem, &Settings::default());
                tokens.unwrap().to_string()
            };
            assert_eq!(emit(), emit());
        }
    }
}

/// What is never generated: ports, error recovery, permissions, audit, anything unsafe.
#[test]
fn products_hold_no_port_and_no_place() {
    let here = fs::canonicalize(root()).unwrap();
    let forbidden = [
        "std::fs",
        "std::net",
        "std::process",
        "std::env",
        "std::time",
        "tokio",
        "unsafe",
        "unwrap()",
        "expect(",
        "catch_unwind",
        "println!",
        here.to_str().unwrap(),
    ];
    for (root, out, _) in golden_crates() {
        for name in spaces(&root) {
            let path = root.join(format!("{out}/src/{name}_gen.rs"));
            let text = fs::read_to_string(path).unwrap();
            for word in forbidden {
                assert!(!text.contains(word), "{name}: {word}");
            }
        }
    }
}

/// The options that a mistake may be made in, and the word that says so.
#[test]
fn wrong_options_are_named() {
    let here = Here {
        manifest: root(),
        file: None,
    };
    let text = |args: TokenStream| {
        expand(
            args,
            quote!(
                pub mod a {}
            ),
            &here,
        )
        .to_string()
    };
    for (args, expected) in [
        (quote!(), "the contract is missing"),
        (quote!(domain), "expected `=`"),
        (quote!(domain = 1), "expected the stem"),
        (
            quote!(domain = "domain/reasoning", domain = "b"),
            "given twice",
        ),
        (
            quote!(domain = "a", composition = "b"),
            "of a `domain` or of a `composition`, not of both",
        ),
        (
            quote!(domain = "domain/reasoning", compositions = "b"),
            "unknown option `compositions`; did you mean `composition`? there are",
        ),
        (quote!(composition = "a"), "which composition of the file?"),
        (
            quote!(name = "a"),
            "`name` picks from a file of compositions",
        ),
        (
            quote!(composition = "domain/composition", name = "lokup"),
            "did you mean `lookup`?",
        ),
        (
            quote!(composition = "domain/lookup", name = "lookup"),
            "compositions are in `composition.toml`",
        ),
        (quote!(domain = "domain/reasoning" serde), "expected `,`"),
        (
            quote!(domain = "domain/reasoning", handler = 1),
            "expected `true` or `false`",
        ),
        (
            quote!(domain = "domain/reasoning", form = "tree"),
            "expected `\\\"match\\\"`",
        ),
        (
            quote!(domain = "domain/reasoning", derive = Hash),
            "expected `(Path, ..)`",
        ),
        (quote!(domain = "./a"), "does not say which file"),
        (
            quote!(domain = "domain/reasonin"),
            "did you mean `domain/reasoning`",
        ),
    ] {
        let found = text(args);
        assert!(found.contains(expected), "{expected}: {found}");
        assert_eq!(found.matches("compile_error").count(), 1, "{found}");
        assert!(found.contains("mod a"), "the module stays: {found}");
    }
    let on_fn = expand(
        quote!(domain = "a"),
        quote!(
            fn a() {}
        ),
        &here,
    )
    .to_string();
    assert!(on_fn.contains("belongs on a module"), "{on_fn}");
}
