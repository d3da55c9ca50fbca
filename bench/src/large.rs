//! Contracts of any size.

use std::fmt::Write as _;

/// A contract of `states` states with three rules each: on to the next state, the same again, and a
/// wildcard that ends the run. Every eighth of them has its own events, effect and slot; every second
/// rule reads a slot that the one before wrote.
pub fn contract(states: usize) -> (String, String) {
    let kinds = states / 8;
    let mut base = "[meta]\nname = \"large\"\n".to_owned();
    let mut domain = base.clone();
    for at in 0..states {
        let initial = if at == 0 { "is_initial = true\n" } else { "" };
        let _ = write!(base, "\n[[states]]\nname = \"S{at}\"\n{initial}");
    }
    for kind in 0..kinds {
        let _ = write!(
            base,
            "\n[[events]]\nname = \"Done{kind}\"\npayload = [\"x\"]\n\
             \n[[events]]\nname = \"Failed{kind}\"\npayload = [\"x\"]\n\
             \n[[effects]]\nname = \"Do{kind}\"\nargs = [\"x\"]\nsemantics = \"query\"\n\
             returns = [\"Done{kind}\", \"Failed{kind}\"]\nsentinel = \"Failed{kind}\"\n\
             \n[[ctx]]\nname = \"v{kind}\"\n"
        );
    }
    base.push_str(
        "\n[[states]]\nname = \"End\"\n\n[[events]]\nname = \"Cancel\"\nexternal = true\n",
    );
    for at in 0..states {
        let (kind, next) = (at % kinds, (at + 1) % kinds);
        let onward = if at + 1 == states {
            "to = \"End\"\n".to_owned()
        } else {
            let source = match at.checked_sub(1).filter(|_| at % 2 == 1) {
                Some(before) => {
                    let slot = before % kinds;
                    format!("args_from = [{{ arg = \"x\", slot = \"v{slot}\" }}]")
                }
                None => "args = [\"x\"]".to_owned(),
            };
            format!("to = \"S{}\"\neffect = \"Do{next}\"\n{source}\n", at + 1)
        };
        let _ = write!(
            domain,
            "\n[[transitions]]\nfrom = \"S{at}\"\non = \"Done{kind}\"\n{onward}\
             assign_from = [{{ slot = \"v{kind}\", from_field = \"x\" }}]\n\
             \n[[transitions]]\nfrom = \"S{at}\"\non = \"Failed{kind}\"\nto = \"S{at}\"\n\
             effect = \"Do{kind}\"\nargs = [\"x\"]\n"
        );
    }
    domain.push_str("\n[[transitions]]\nfrom = \"*\"\non = \"Cancel\"\nto = \"End\"\n");
    (base, domain)
}
