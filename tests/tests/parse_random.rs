//! Whatever the text, the reader gives a value and findings whose places exist.
//!
//! `PROPTEST_CASES=1000000 cargo test --release -p space-tests --test parse_random` runs longer.

// clippy.toml allows this in tests, which does not reach their helpers.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use space_core::contract::{Base, Domain, FileId, Sources, contract_hash};
use space_core::diagnostic::render::{Colour, Format, human, render};
use space_core::diagnostic::{Diagnostic, Severity, sort};
use space_core::parse::{parse_space_base, parse_space_domain};

static CONTRACTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../domain");
    let mut paths: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "toml"))
        .collect();
    paths.sort();
    let read = |path| std::fs::read_to_string(path).unwrap();
    paths.iter().map(read).collect()
});

fn check(text: &str) {
    let mut sources = Sources::default();
    let file = sources.add("x.toml", text);
    let base = parse_space_base(text, file);
    let domain = parse_space_domain(text, file);
    for found in [&base.diagnostics, &domain.diagnostics] {
        let mut found = found.clone();
        for one in &found {
            places_exist(one, text, file);
        }
        sort(&mut found, &sources);
        for format in Format::ALL {
            render(format, &found, &sources);
        }
        human(&found, &sources, Colour::Always);
    }
    for (sound, found) in [
        (base.sound, &base.diagnostics),
        (domain.sound, &domain.diagnostics),
    ] {
        let errors = found.iter().any(|one| one.severity() == Severity::Error);
        assert!(sound || errors, "no error says why the value is not sound");
    }
    assert_eq!(
        base,
        parse_space_base(text, file),
        "the same text, the same"
    );
    contract_hash(&base.value, &Domain::default());
    contract_hash(&Base::default(), &domain.value);
}

fn places_exist(one: &Diagnostic, text: &str, file: FileId) {
    let related = one.related.iter().map(|related| related.span);
    let edit = one.edit.iter().map(|edit| edit.span);
    for span in related.chain(edit).chain([one.span]) {
        assert_eq!(span.file, file);
        let range = span.start as usize..span.end as usize;
        assert!(text.get(range).is_some(), "{one:?} is not in the text");
    }
}

/// Pieces that a contract is made of, and some that it should not be.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        "=",
        ",",
        ".",
        "\"",
        "'",
        "\"\"\"",
        "'''",
        "#",
        "\n",
        "\r\n",
        "\t",
        " ",
        "*",
        "!",
        "meta",
        "name",
        "states",
        "events",
        "payload",
        "type",
        "text",
        "int?",
        "list<list<int>>",
        "default",
        "invariants",
        "absence",
        "of",
        "state:X",
        "semantics:query",
        "transitions",
        "from",
        "on",
        "to",
        "true",
        "nan",
        "-1",
        "9e999",
        "1979-05-27",
        "é",
        "\u{0}",
        "\u{202e}",
        "\u{feff}",
        "\\",
        "\\u0000",
    ];
    prop_oneof![
        4 => proptest::sample::select(pieces.map(str::to_owned).to_vec()),
        1 => "\\PC{0,8}",
    ]
}

proptest! {
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_pieces(pieces in proptest::collection::vec(piece(), 0..60)) {
        check(&pieces.concat());
    }

    #[test]
    fn mutated_contracts(
        which in 0_usize..64,
        edits in proptest::collection::vec((any::<u32>(), 0_usize..40, piece()), 1..6),
    ) {
        let mut text = CONTRACTS[which % CONTRACTS.len()].clone();
        for (at, length, piece) in edits {
            let mut start = at as usize % (text.len() + 1);
            while !text.is_char_boundary(start) {
                start -= 1;
            }
            let mut end = (start + length).min(text.len());
            while !text.is_char_boundary(end) {
                end += 1;
            }
            text.replace_range(start..end, &piece);
        }
        check(&text);
    }

    /// Lines of contracts in any order: much of it is syntax, little of it makes sense.
    #[test]
    fn shuffled_lines(lines in proptest::collection::vec((0_usize..64, any::<u16>()), 0..40)) {
        let picked = lines.iter().map(|(which, line)| {
            let lines: Vec<_> = CONTRACTS[which % CONTRACTS.len()].lines().collect();
            lines[usize::from(*line) % lines.len()].to_owned() + "\n"
        });
        check(&picked.collect::<String>());
    }
}
