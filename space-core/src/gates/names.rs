//! Which names are legal, and which become one in Rust.

use std::collections::BTreeMap;

use super::report::{Report, clip};
use crate::contract::{
    Span, Spanned, is_camel, is_keyword, is_snake, lower_snake, respelt_camel, respelt_snake,
    upper_camel,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::graph::Rules;

/// How a name is to be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    UpperCamel,
    LowerSnake,
}

/// S0204 and S0205.
pub(super) fn check(rules: &Rules<'_>, out: &mut Report<'_>) {
    use Case::{LowerSnake, UpperCamel};
    let (base, domain) = (rules.base, rules.domain);
    let free = |_: &str| true;
    let prefix = |name: &str| PRELUDE.binary_search(&name).is_err();
    let stem = |name: &str| prefix(&upper_camel(name));
    let mut named = legal_if("space", &base.meta.name, LowerSnake, &stem, out);
    if let Some(name) = &base.meta.prefix {
        named = legal_if("prefix", name, UpperCamel, &prefix, out);
    }
    let states = all(
        "state",
        base.states.iter().map(|row| &row.name),
        UpperCamel,
        &free,
        out,
    );
    let events = all(
        "event",
        base.events.iter().map(|row| &row.name),
        UpperCamel,
        &free,
        out,
    );
    for event in &base.events {
        let names = event.payload.iter().map(|row| &row.name);
        all("field", names, LowerSnake, &free, out);
    }
    let method = |name: &str| !is_keyword(&lower_snake(name));
    let effects = base.effects.iter().map(|row| &row.name);
    let methods = all("effect", effects, UpperCamel, &method, out);
    for effect in &base.effects {
        let names = effect.args.iter().map(|row| &row.name);
        all("argument", names, LowerSnake, &free, out);
    }
    all(
        "guard",
        base.guards.iter().map(|row| &row.name),
        LowerSnake,
        &free,
        out,
    );
    all(
        "slot",
        base.ctx.iter().map(|row| &row.name),
        LowerSnake,
        &free,
        out,
    );
    for invariant in &domain.invariants {
        legal("invariant", &invariant.name, LowerSnake, out);
    }
    snakes("states", &states, out);
    snakes("events", &events, out);
    snakes("effects", &methods, out);
    for name in methods.iter().filter(|name| !method(name)) {
        let becomes = lower_snake(name);
        let message = format!(
            "effect `{}` is the keyword `{becomes}` as a method",
            name.value
        );
        let finding = Diagnostic::new(Code::NAME, name.span, message);
        out.push(finding.help("give it a longer name: what is matched, moved, tried"));
    }
    if named {
        types(rules, &methods, out);
    }
}

/// Reports the names of a table that are not legal, and gives those that are. No name is suggested
/// that another row has or becomes, or that is not `free`.
fn all<'n>(
    what: &str,
    names: impl Iterator<Item = &'n Spanned<String>> + Clone,
    case: Case,
    free: &dyn Fn(&str) -> bool,
    out: &mut Report<'_>,
) -> Vec<&'n Spanned<String>> {
    let mut taken = BTreeMap::<String, usize>::new();
    if names.clone().any(|name| wrong(name, case).is_some()) {
        for name in names.clone() {
            *taken.entry(respelt_snake(name)).or_default() += 1;
        }
    }
    let alone = |name: &str| taken.get(&lower_snake(name)).is_none_or(|count| *count < 2);
    let may = |name: &str| alone(name) && free(name);
    names
        .filter(|name| legal_if(what, name, case, &may, out))
        .collect()
}

/// Reports a name that is not legal, and says whether it is.
pub(super) fn legal(what: &str, name: &Spanned<String>, case: Case, out: &mut Report<'_>) -> bool {
    legal_if(what, name, case, &|_| true, out)
}

fn legal_if(
    what: &str,
    name: &Spanned<String>,
    case: Case,
    free: &dyn Fn(&str) -> bool,
    out: &mut Report<'_>,
) -> bool {
    let Some(wrong) = wrong(name, case) else {
        return true;
    };
    let message = format!("{what} `{}` {wrong}", clip(name));
    let finding = Diagnostic::new(Code::NAME, name.span, message);
    let meant = match case {
        Case::UpperCamel => respelt_camel(name),
        Case::LowerSnake => respelt_snake(name),
    };
    out.push(if is_keyword(name) {
        finding.help("use another word")
    } else if self::wrong(&meant, case).is_some() {
        finding.help(match case {
            Case::UpperCamel => "write it like `RunTools`: ASCII letters and digits",
            Case::LowerSnake => "write it like `run_tools`: ASCII letters, digits and single `_`",
        })
    } else if free(&meant) {
        finding
            .help(format!("write `{meant}`"))
            .edit(name.span, format!("\"{meant}\""))
    } else {
        finding.help(format!("use another word: `{meant}` is taken"))
    });
    false
}

/// What is wrong with a name.
fn wrong(name: &str, case: Case) -> Option<&'static str> {
    match (is_keyword(name), case) {
        (true, _) => Some("is a keyword of Rust"),
        (_, Case::UpperCamel) => (!is_camel(name)).then_some("is not written in UpperCamel"),
        (_, Case::LowerSnake) => (!is_snake(name)).then_some("is not written in lower_snake"),
    }
}

/// Reports names of one table that are one name in `lower_snake`: methods, tests and diagrams are
/// named so.
fn snakes(what: &str, names: &[&Spanned<String>], out: &mut Report<'_>) {
    let mut first = BTreeMap::<String, &Spanned<String>>::new();
    for name in names.iter().copied() {
        let snake = lower_snake(name);
        match first.get(&snake) {
            // The same name twice is another mistake.
            Some(before) if before.value == name.value => {}
            Some(before) => {
                let (one, two) = (clip(before), clip(name));
                let message = format!("{what} `{one}` and `{two}` both become `{}`", clip(&snake));
                let finding = Diagnostic::new(Code::COLLISION, name.span, message);
                out.push(
                    finding
                        .related(before.span, "the other is declared here")
                        .help("rename one of them"),
                );
            }
            None => {
                first.insert(snake, name);
            }
        }
    }
}

/// What follows the prefix in the names of generated types; the first is the space itself.
const TYPES: &[&str] = &[
    "",
    "Ctx",
    "Effect",
    "Event",
    "Guards",
    "Handler",
    "HandlerStub",
    "Mock",
    "State",
];

/// What Rust brings into every module: a type of this name would hide it.
const PRELUDE: &[&str] = &[
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Future",
    "Hash",
    "Into",
    "IntoFuture",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
    "Vec",
];

/// Reports a prefix whose types are those of an effect's outcome, or hide Rust's own.
fn types(rules: &Rules<'_>, effects: &[&Spanned<String>], out: &mut Report<'_>) {
    let meta = &rules.base.meta;
    let (prefix, span): (String, Span) = match &meta.prefix {
        Some(prefix) => (prefix.value.clone(), prefix.span),
        None => (upper_camel(&meta.name), meta.name.span),
    };
    let finding = |message: String| {
        Diagnostic::new(Code::COLLISION, span, message).help("set another `prefix` under `[meta]`")
    };
    if PRELUDE.binary_search(&prefix.as_str()).is_ok() {
        out.push(finding(format!("type `{prefix}` would hide Rust's own")));
    }
    let taken: Vec<_> = TYPES
        .iter()
        .map(|type_| format!("{prefix}{type_}"))
        .collect();
    for effect in effects {
        let outcome = format!("{}Outcome", effect.value);
        if taken.contains(&outcome) {
            let message = format!("type `{outcome}` would be generated twice");
            let of = format!("it is what effect `{}` returns, too", effect.value);
            out.push(finding(message).related(effect.span, of));
        }
    }
}
