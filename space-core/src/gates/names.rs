//! Which names are legal, and which become one in Rust.

use std::collections::BTreeMap;

use super::report::{Report, clip};
use crate::contract::{Field, Span, Spanned, is_keyword, lower_snake, upper_camel};
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
    let (base, domain) = (rules.base, rules.domain);
    let mut legal = |what: &str, name: &Spanned<String>, case| legal(what, name, case, out);
    let fields = |what: &str, list: &[Field], legal: &mut dyn FnMut(&str, &_, _) -> bool| {
        for field in list {
            legal(what, &field.name, Case::LowerSnake);
        }
    };
    let mut named = legal("space", &base.meta.name, Case::LowerSnake);
    if let Some(prefix) = &base.meta.prefix {
        named = legal("prefix", prefix, Case::UpperCamel);
    }
    for state in &base.states {
        legal("state", &state.name, Case::UpperCamel);
    }
    for event in &base.events {
        legal("event", &event.name, Case::UpperCamel);
        fields("field", &event.payload, &mut legal);
    }
    let mut methods = Vec::new();
    for effect in &base.effects {
        if legal("effect", &effect.name, Case::UpperCamel) {
            methods.push(&effect.name);
        }
        fields("argument", &effect.args, &mut legal);
    }
    for guard in &base.guards {
        legal("guard", &guard.name, Case::LowerSnake);
    }
    for slot in &base.ctx {
        legal("slot", &slot.name, Case::LowerSnake);
    }
    for invariant in &domain.invariants {
        legal("invariant", &invariant.name, Case::LowerSnake);
    }
    snakes("states", base.states.iter().map(|row| &row.name), out);
    snakes("events", base.events.iter().map(|row| &row.name), out);
    snakes("effects", methods.iter().copied(), out);
    for method in &methods {
        let becomes = lower_snake(method);
        if is_keyword(&becomes) {
            let message = format!(
                "effect `{}` is the keyword `{becomes}` as a method",
                method.value
            );
            let finding = Diagnostic::new(Code::NAME, method.span, message);
            out.push(finding.help("give it a longer name: what is matched, moved, tried"));
        }
    }
    if named {
        types(rules, &methods, out);
    }
}

/// Reports a name that is not legal, and says whether it is.
pub(super) fn legal(what: &str, name: &Spanned<String>, case: Case, out: &mut Report<'_>) -> bool {
    let Some(wrong) = wrong(name, case) else {
        return true;
    };
    let message = format!("{what} `{}` {wrong}", clip(name));
    let finding = Diagnostic::new(Code::NAME, name.span, message);
    let meant = written(name, case);
    out.push(if is_keyword(name) {
        finding.help("use another word")
    } else if self::wrong(&meant, case).is_none() {
        finding
            .help(format!("write `{meant}`"))
            .edit(name.span, format!("\"{meant}\""))
    } else {
        finding.help(match case {
            Case::UpperCamel => "write it like `RunTools`: ASCII letters and digits",
            Case::LowerSnake => "write it like `run_tools`: ASCII letters, digits and single `_`",
        })
    });
    false
}

/// What is wrong with a name.
fn wrong(name: &str, case: Case) -> Option<&'static str> {
    let in_case = match case {
        Case::UpperCamel => {
            name.starts_with(|c: char| c.is_ascii_uppercase())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }
        Case::LowerSnake => {
            let word = |word: &str| {
                let mut bytes = word.bytes();
                !word.is_empty() && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            };
            name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('_').all(word)
        }
    };
    match (is_keyword(name), in_case, case) {
        (true, ..) => Some("is a keyword of Rust"),
        (_, true, _) => None,
        (_, _, Case::UpperCamel) => Some("is not written in UpperCamel"),
        (_, _, Case::LowerSnake) => Some("is not written in lower_snake"),
    }
}

/// The name in the right case, as far as its letters go.
fn written(name: &str, case: Case) -> String {
    if name.len() > 100 {
        return String::new();
    }
    let words = name.replace(['-', ' ', '.'], "_");
    let words = lower_snake(&words);
    let words: Vec<_> = words.split('_').filter(|word| !word.is_empty()).collect();
    let snake = words.join("_");
    match case {
        Case::UpperCamel => upper_camel(&snake),
        Case::LowerSnake => snake,
    }
}

/// Reports names of one table that are one name in `lower_snake`: methods, tests and diagrams are
/// named so.
fn snakes<'n>(what: &str, names: impl Iterator<Item = &'n Spanned<String>>, out: &mut Report<'_>) {
    let mut first = BTreeMap::<String, &Spanned<String>>::new();
    for name in names {
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
