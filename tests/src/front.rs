//! The whole contract front on any text: parser, gates, renderers, emitter, interpreter.

use std::sync::Arc;

use space_core::contract::{Base, Compositions, Domain, Sources};
use space_core::diagnostic::render::{Format, render};
use space_core::diagnostic::{Diagnostic, Severity, sort};
use space_core::emit::{Contract, Place, Settings, Together, module, products, salvage};
use space_core::gates::{Declared, Triggers, check_base, check_compositions, check_with};
use space_core::graph::Model;
use space_core::machine::EffectSpace;
use space_core::parse::{parse_composition, parse_space_base, parse_space_domain};

/// What parts the files of one text: base, domain, and a composition that may be missing.
pub const CUT: &str = "\n%%%%\n";

/// Puts the files of a contract into one text.
pub fn join(base: &str, domain: &str, composition: &str) -> String {
    [base, domain, composition].join(CUT)
}

/// Passes a text through the front.
///
/// # Panics
/// When it breaks a promise: a place that does not exist, an unsound value without an error, gates
/// that let pass what the emitter or the interpreter cannot take.
pub fn check(text: &str) {
    let mut files = text.splitn(3, CUT);
    let mut next = || files.next().unwrap_or_default();
    let (base, domain, composition) = (next(), next(), next());
    let mut sources = Sources::default();
    let base = parse_space_base(base, sources.add("x_base.toml", base));
    let domain = parse_space_domain(domain, sources.add("x_domain.toml", domain));
    let composition = parse_composition(composition, sources.add("composition.toml", composition));
    let mut found = Vec::new();
    let base_sound = base.sound;
    for (sound, findings) in [
        (base.sound, base.diagnostics),
        (domain.sound, domain.diagnostics),
        (composition.sound, composition.diagnostics),
    ] {
        assert!(sound || failed(&findings), "nothing says why it is unsound");
        found.extend(findings);
    }
    let (base, domain) = (base.value, domain.value);
    if failed(&found) {
        // What stands beside the error in an attribute: of a vocabulary that can be read, judged alone.
        if base_sound {
            found.extend(check_base(&base));
            beside_the_error(&base, &domain, &found);
        }
    } else {
        found.extend(gates(&base, &domain, &composition.value));
    }
    for one in &found {
        places_exist(one, &sources);
    }
    sort(&mut found, &sources);
    for format in Format::ALL {
        render(format, &found, &sources);
    }
}

/// What the gates say; what they let pass can be made and run.
fn gates(base: &Base, domain: &Domain, compositions: &Compositions) -> Vec<Diagnostic> {
    let declared = Declared {
        name: &base.meta.name.value,
        span: base.span(),
        model: Model::resolve(base, domain).map(Arc::new),
    };
    let composed = check_compositions(compositions, &[declared]);
    let none = Triggers::default();
    let triggers = composed.triggers.get(&base.meta.name.value);
    let checked = check_with(base, domain, triggers.unwrap_or(&none));
    if let Some(model) = &checked.model {
        assert!(!failed(&checked.diagnostics), "a model beside an error");
        let contract = Contract {
            base,
            domain,
            model,
        };
        let together = Together {
            compositions,
            composed: &composed.composed,
        };
        made(&contract, together);
        if triggers.is_none() {
            EffectSpace::from_contract(base, domain, &[]).unwrap();
        }
    } else {
        assert!(
            failed(&checked.diagnostics),
            "nothing says why there is no model"
        );
        beside_the_error(base, domain, &checked.diagnostics);
    }
    let mut found = checked.diagnostics;
    found.extend(composed.diagnostics);
    found
}

fn beside_the_error(base: &Base, domain: &Domain, found: &[Diagnostic]) {
    let is_error = |one: &&Diagnostic| one.severity() == Severity::Error;
    let errors: Vec<_> = found.iter().filter(is_error).cloned().collect();
    if let Some(model) = salvage(base, domain, &errors) {
        module(&model, &Settings::default());
    }
}

fn made(contract: &Contract<'_>, together: Together<'_>) {
    let place = Place {
        krate: "x".to_owned(),
        domain: "domain".to_owned(),
        shown: "domain".to_owned(),
    };
    let files = products(
        &[*contract],
        together,
        &Settings::default(),
        &place,
        &ToString::to_string,
    );
    assert!(files.iter().all(|file| !file.text.is_empty()));
}

fn failed(found: &[Diagnostic]) -> bool {
    found.iter().any(|one| one.severity() == Severity::Error)
}

fn places_exist(one: &Diagnostic, sources: &Sources) {
    let related = one.related.iter().map(|related| related.span);
    let edit = one.edit.iter().map(|edit| edit.span);
    for span in related.chain(edit).chain([one.span]) {
        let source = sources.get(span.file);
        let range = span.start as usize..span.end as usize;
        let there = source.is_some_and(|source| source.text.get(range).is_some());
        assert!(there, "{one:?} is not in the text");
    }
}
