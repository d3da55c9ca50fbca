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

/// A contract to step: of `states` states with three rules each, every tenth guarded, a tenth as
/// many events and a quarter as many effects. State `s` answers the events `3 g`, `3 g + 1` and
/// `3 g + 2` of its group `g = s % groups(states)`; a guard keeps the run from its end.
pub fn stepped(states: usize) -> (String, String) {
    let groups = groups(states);
    let several = (states / 4 / groups).max(1);
    let mut base = "[meta]\nname = \"stepped\"\n".to_owned();
    let mut domain = base.clone();
    for at in 0..states {
        let initial = if at == 0 { "is_initial = true\n" } else { "" };
        let _ = write!(base, "\n[[states]]\nname = \"S{at}\"\n{initial}");
    }
    base.push_str("\n[[states]]\nname = \"End\"\n");
    for event in 0..3 * groups {
        let payload = if event == 0 {
            "payload = [{ name = \"value\", type = \"int\" }]\n"
        } else {
            ""
        };
        let _ = write!(base, "\n[[events]]\nname = \"E{event}\"\n{payload}");
    }
    for group in 0..groups {
        let first = 3 * group;
        let returns = format!("[\"E{first}\", \"E{}\", \"E{}\"]", first + 1, first + 2);
        for one in 0..several {
            let _ = write!(
                base,
                "\n[[effects]]\nname = \"Do{group}n{one}\"\nsemantics = \"query\"\nreturns = {returns}\n"
            );
        }
        let _ = write!(
            base,
            "\n[[effects]]\nname = \"Tell{group}\"\nargs = [{{ name = \"value\", type = \"int\" }}]\n\
             semantics = \"query\"\nreturns = {returns}\n"
        );
    }
    base.push_str(
        "\n[[effects]]\nname = \"Halt\"\nsemantics = \"stop\"\n\
         \n[[guards]]\nname = \"even\"\n\n[[guards]]\nname = \"never\"\n\
         \n[[ctx]]\nname = \"n\"\ntype = \"int\"\ndefault = 0\n",
    );
    for at in 0..states {
        for one in 0..3 {
            let event = 3 * (at % groups) + one;
            let number = 3 * at + one;
            // The first rule goes round, so that every state is reached; the others jump.
            let to = match one {
                0 => (at + 1) % states,
                _ => (number * 7919 + 13) % states,
            };
            let (group, which) = (to % groups, number % several);
            let _ = write!(
                domain,
                "\n[[transitions]]\nfrom = \"S{at}\"\non = \"E{event}\"\n"
            );
            let _ = match (event, number) {
                (0, _) => write!(
                    domain,
                    "to = \"S{to}\"\neffect = \"Tell{group}\"\nargs = [\"value\"]\n\
                     assign_from = [{{ slot = \"n\", from_field = \"value\" }}]\n"
                ),
                (_, 2) => write!(
                    domain,
                    "to = \"End\"\nguard = \"never\"\neffect = \"Halt\"\n"
                ),
                _ => write!(domain, "to = \"S{to}\"\neffect = \"Do{group}n{which}\"\n"),
            };
            if number % 10 == 5 && event != 0 {
                domain.push_str("guard = \"even\"\n");
            }
        }
    }
    (base, domain)
}

/// Groups of [`stepped`] states: a third of its events.
pub fn groups(states: usize) -> usize {
    (states / 30).max(3)
}
