//! Contracts → the files of a golden crate.

use std::fmt::Write as _;

use proc_macro2::TokenStream;

use super::{
    ComposedDrawing, Drawing, FORMAT, Settings, composed_properties, composed_sample, composition,
    module, properties, sample, stub,
};
use crate::contract::{Base, Compositions, Domain, compositions_hash};
use crate::graph::{Composed, Model};

/// A contract that passed its gates.
#[derive(Clone, Copy, Debug)]
pub struct Contract<'a> {
    /// The vocabulary.
    pub base: &'a Base,
    /// The behaviour.
    pub domain: &'a Domain,
    /// Both, resolved.
    pub model: &'a Model,
}

/// The compositions of a folder that passed their gates.
#[derive(Clone, Copy, Debug)]
pub struct Together<'a> {
    /// What `composition.toml` says.
    pub compositions: &'a Compositions,
    /// Those of it that are made, resolved.
    pub composed: &'a [Composed],
}

/// Where the golden crate is.
#[derive(Clone, Debug)]
pub struct Place {
    /// The crate's name in Rust.
    pub krate: String,
    /// The contract folder, relative to the crate, with `/`.
    pub domain: String,
    /// The contract folder as headers name it, relative to the repository.
    pub shown: String,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// Relative to the golden crate, with `/`.
    pub path: String,
    /// Its whole text.
    pub text: String,
    /// Who owns it after it was first written.
    pub nature: Nature,
}

/// Who owns a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Written by the generator, never by hand.
    Generated,
    /// Written once, when it is missing; a person's from then on.
    Once,
}

/// The files of all contracts, in the order of their paths. `format` lays out Rust code.
pub fn products(
    contracts: &[Contract<'_>],
    together: Together<'_>,
    settings: &Settings,
    place: &Place,
    format: &dyn Fn(&TokenStream) -> String,
) -> Vec<Product> {
    let mut files = Vec::new();
    let mut add = |path: String, text: String| {
        files.push(Product {
            text: marked(&path, text),
            path,
            nature: Nature::Generated,
        });
    };
    for contract in contracts {
        let model = contract.model;
        let name = &model.name;
        let rust = |tokens| format!("{}\n{}", header(model, place), format(&tokens));
        add(format!("src/{name}_gen.rs"), rust(module(model, settings)));
        add(
            format!("tests/properties/{name}_gen.rs"),
            rust(properties::tests(model, settings, place)),
        );
        add(
            format!("stub_out/{name}_handler_stub.rs"),
            stub::handler(model, settings, place),
        );
        add(
            format!("stub_out/{name}_mock.rs"),
            stub::mock(model, settings, place),
        );
        add(
            format!("stub_out/{name}_properties_stub.rs"),
            stub::properties(model, settings, place),
        );
        let drawing = Drawing::of(model).invariants(&contract.domain.invariants);
        add(format!("graph/{name}.mmd"), drawing.mermaid());
        add(format!("graph/{name}.dot"), drawing.dot());
        // None of a machine that is too large to look at.
        if let Some(svg) = drawing.svg() {
            add(format!("graph/{name}.svg"), svg);
        }
        add(
            format!("fixtures/{name}_sample.json"),
            sample::sample(contract),
        );
    }
    let spaces: Vec<&str> = (contracts.iter())
        .map(|contract| contract.model.name.as_str())
        .collect();
    for composed in together.composed {
        let name = &composed.name;
        let head = composed_header(together.compositions, place);
        let rust = |tokens| format!("{head}\n{}", format(&tokens));
        add(
            format!("src/{name}_gen.rs"),
            rust(composition(composed, settings)),
        );
        add(
            format!("tests/properties/{name}_gen.rs"),
            rust(composed_properties::tests(
                composed, &spaces, settings, place,
            )),
        );
        let drawing = ComposedDrawing::of(composed).promises(together.compositions);
        add(format!("graph/{name}.mmd"), drawing.mermaid());
        add(format!("graph/{name}.dot"), drawing.dot());
        if let Some(svg) = drawing.svg() {
            add(format!("graph/{name}.svg"), svg);
        }
        add(
            format!("fixtures/{name}_sample.json"),
            composed_sample::sample(composed, together.compositions),
        );
    }
    let mut all = spaces.clone();
    all.extend(together.composed.iter().map(|one| one.name.as_str()));
    all.sort_unstable();
    add("src/lib.rs".to_owned(), library(all.iter().copied()));
    add(
        "tests/properties.rs".to_owned(),
        tests_root(all.iter().copied()),
    );
    add(
        "tests/stubs.rs".to_owned(),
        stubs_root(spaces.iter().copied()),
    );
    files.push(Product {
        path: "src/stubs.rs".to_owned(),
        text: STUBS.to_owned(),
        nature: Nature::Once,
    });
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

pub(super) const MARK: &str = "@generated by space-core; do not edit.";

/// A diagram with the mark; other products are written with it.
fn marked(path: &str, text: String) -> String {
    match path.rsplit_once('.') {
        Some((_, "mmd")) => format!("%% {MARK}\n{text}"),
        Some((_, "dot")) => format!("// {MARK}\n{text}"),
        Some((_, "svg")) => format!("<!-- {MARK} -->\n{text}"),
        _ => text,
    }
}

/// Whether a file says that it was generated: in its first line, or as the first member of JSON.
pub fn is_generated(text: &str) -> bool {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let first = first.strip_suffix(" -->").unwrap_or(first);
    let member = format!("\"{}\": \"{}\",", MEMBER.0, MEMBER.1);
    first.ends_with(MARK) || lines.next().is_some_and(|line| line.trim() == member)
}

/// The mark in JSON, which has no comments.
pub(super) const MEMBER: (&str, &str) = ("@generated", "by space-core; do not edit.");

fn header(model: &Model, place: &Place) -> String {
    let (name, domain) = (&model.name, &place.shown);
    format!(
        "// {MARK}\n// Format {FORMAT}, from {domain}/{name}_base.toml and {domain}/{name}_domain.toml,\n// contract {}.\n",
        model.hash
    )
}

fn composed_header(compositions: &Compositions, place: &Place) -> String {
    format!(
        "// {MARK}\n// Format {FORMAT}, from {}/composition.toml, {}.\n",
        place.shown,
        compositions_hash(compositions)
    )
}

fn library<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut text = format!(
        "// {MARK}\n\n//! The spaces of this workspace, compiled from their contracts.\n\n"
    );
    for name in names {
        let _ = write!(
            text,
            "#[path = \"{name}_gen.rs\"]\n#[rustfmt::skip]\npub mod {name};\n"
        );
    }
    text.push_str("\npub mod stubs;\n");
    text
}

fn tests_root<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut text = format!("// {MARK}\n\n//! Properties of every space, on random runs.\n\n");
    for name in names {
        let _ = write!(
            text,
            "#[path = \"properties/{name}_gen.rs\"]\n#[rustfmt::skip]\nmod {name};\n"
        );
    }
    text
}

fn stubs_root<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut text = format!(
        "// {MARK}\n\n//! The text for consumers compiles as it was emitted.\n#![allow(clippy::todo, dead_code, unreachable_pub, reason = \"to be filled in\")]\n\n"
    );
    for name in names {
        for stub in ["handler_stub", "mock", "properties_stub"] {
            let _ = write!(
                text,
                "#[path = \"../stub_out/{name}_{stub}.rs\"]\n#[rustfmt::skip]\nmod {name}_{stub};\n"
            );
        }
    }
    text
}

const STUBS: &str = "//! Code by hand, beside the generated modules: guards and helpers that several consumers share.
//! The generator wrote this file once and does not touch it again.
";
