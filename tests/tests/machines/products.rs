//! What is made from the machines: code that is Rust, pictures that show everything.

use space_core::emit::{self, Form, Settings};
use space_core::gates;
use space_core::parse::folder;

use super::machines;

#[test]
fn every_machine_is_emitted_as_rust() {
    for machine in machines() {
        let folder = folder::read(&machine, ".");
        for (pair, model) in &gates::check_folder(&folder).passed {
            for form in [Form::Match, Form::Table] {
                let settings = Settings {
                    form,
                    ..Settings::default()
                };
                let tokens = emit::module(model, &settings);
                let file = syn::parse2::<syn::File>(tokens)
                    .unwrap_or_else(|error| panic!("{}: {error}", pair.stem));
                let state = format!("{}State", model.prefix);
                let states = file.items.iter().find_map(|item| match item {
                    syn::Item::Enum(one) if one.ident == state => Some(one.variants.len()),
                    _ => None,
                });
                assert_eq!(states, Some(model.states.len()), "{}", pair.stem);
            }
        }
    }
}

#[test]
fn every_diagram_shows_all_states_and_handled_events() {
    for machine in machines() {
        let folder = folder::read(&machine, ".");
        for (pair, model) in &gates::check_folder(&folder).passed {
            for picture in [emit::mermaid(model), emit::dot(model)] {
                let handled = model.rules.iter().map(|rule| &model.events[rule.on].name);
                let states = model.states.iter().map(|state| &state.name);
                for name in states.chain(handled) {
                    assert!(
                        picture.contains(name.as_str()),
                        "{} {name}\n{picture}",
                        pair.stem
                    );
                }
            }
        }
    }
}
