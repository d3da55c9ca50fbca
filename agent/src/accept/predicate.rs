//! Statements about the values in a text.

use serde_json_path::{JsonPath, NormalizedPath, PathElement};

use super::check::Format;
use super::json::{Json, Value};
pub use super::op::Op;
use super::op::short;
use super::text::Judged;
use super::verdict::{Code, Place, Reason};

/// One statement about the values that a path selects.
#[derive(Debug, Clone)]
pub struct Predicate {
    /// Where it is written.
    pub place: Place,
    /// As it was written.
    pub path_text: String,
    /// Which values.
    pub path: JsonPath,
    /// What holds for one of them.
    pub op: Op,
    /// For how many of them.
    pub quantifier: Quantifier,
    /// `each` over nothing is fine.
    pub allow_empty: bool,
}

/// How many of the selected values have to comply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// Exactly one is selected, and it complies.
    One,
    /// All, and there is one at least.
    Each,
    /// One at least.
    Any,
    /// None, even of no values.
    None,
    /// This many.
    Count(usize),
}

impl Predicate {
    /// Judges every value of the text on its own: there are several for JSON lines only.
    pub(super) fn judge(&self, judged: &Judged<'_>, format: Format) -> Vec<Reason> {
        let values = judged.values.iter();
        values
            .filter_map(|value| self.judge_value(value, judged, format))
            .collect()
    }

    fn judge_value(&self, document: &Json, judged: &Judged<'_>, format: Format) -> Option<Reason> {
        let serde = document.to_serde();
        let located = self.path.query_located(&serde);
        let nodes: Vec<(String, &Json)> = located
            .iter()
            .filter_map(|node| {
                let node = node.location();
                Some((dotted(node), find(document, node)?))
            })
            .collect();
        let subject = match format {
            Format::Text => judged.origin.to_string(),
            Format::JsonLines => {
                format!("`{}` in the line at byte {}", self.path_text, document.byte)
            }
            _ => format!("`{}` in {}", self.path_text, judged.origin),
        };
        let at = |code, byte, message: String| judged.reason_at(code, byte, message, &self.place);

        if let (Op::Exists(wanted), false) =
            (&self.op, matches!(self.quantifier, Quantifier::Count(_)))
        {
            return match (wanted, nodes.first()) {
                (true, None) => Some(self.nothing(document, &subject, &at)),
                (false, Some((_, node))) => {
                    let message = format!("{subject} should not be there, but is {}", short(node));
                    Some(at(Code::PredicateFailed, node.byte, message))
                }
                _ => None,
            };
        }

        let results: Vec<Option<String>> =
            nodes.iter().map(|(_, node)| self.op.fault(node)).collect();
        let complying = results.iter().filter(|fault| fault.is_none()).count();
        let failing = |(index, fault): (usize, &String)| {
            let (location, node) = &nodes[index];
            let subject = match (&self.quantifier, format) {
                (_, Format::Text) | (Quantifier::One, _) => subject.clone(),
                _ => format!("`{location}` in {}", judged.origin),
            };
            let mut reason = at(
                Code::PredicateFailed,
                node.byte,
                format!("{subject} {fault}"),
            );
            reason.expected = Some(self.op.to_string());
            reason.actual = Some(short(node));
            reason
        };
        let first_fault = results
            .iter()
            .enumerate()
            .find_map(|(i, fault)| Some((i, fault.as_ref()?)));
        match self.quantifier {
            Quantifier::One if nodes.len() > 1 => {
                let message = format!(
                    "{subject} selects {} values where one is expected; a `quantifier` says how many have to comply",
                    nodes.len()
                );
                Some(at(Code::PathSelectsSeveral, nodes[1].1.byte, message))
            }
            Quantifier::Each if nodes.is_empty() && self.allow_empty => None,
            Quantifier::One | Quantifier::Each | Quantifier::Any if nodes.is_empty() => {
                Some(self.nothing(document, &subject, &at))
            }
            Quantifier::One | Quantifier::Each => first_fault.map(failing),
            Quantifier::Any if complying == 0 => {
                let message = format!(
                    "none of the {} values of {subject} complies: expected one that is {}",
                    nodes.len(),
                    self.op
                );
                let mut reason = at(Code::PredicateFailed, nodes[0].1.byte, message);
                reason.expected = Some(self.op.to_string());
                reason.actual = Some(short(nodes[0].1));
                Some(reason)
            }
            Quantifier::None if complying > 0 => {
                let index = results.iter().position(Option::is_none)?;
                let (location, node) = &nodes[index];
                let message = format!(
                    "`{location}` in {} is {}, but no value may be {}",
                    judged.origin,
                    short(node),
                    self.op
                );
                let mut reason = at(Code::PredicateFailed, node.byte, message);
                reason.expected = Some(format!("no value that is {}", self.op));
                reason.actual = Some(short(node));
                Some(reason)
            }
            Quantifier::Count(wanted) if complying != wanted => {
                let what = match self.op {
                    Op::Exists(_) => String::new(),
                    ref op => format!(" that are {op}"),
                };
                let message = format!("{subject} selects {complying} values{what}, not {wanted}");
                let mut reason = at(Code::PredicateFailed, document.byte, message);
                reason.expected = Some(wanted.to_string());
                reason.actual = Some(complying.to_string());
                Some(reason)
            }
            Quantifier::Any | Quantifier::None | Quantifier::Count(_) => None,
        }
    }

    fn nothing(
        &self,
        document: &Json,
        subject: &str,
        at: &impl Fn(Code, usize, String) -> Reason,
    ) -> Reason {
        let message = format!("{subject} selects nothing");
        let mut reason = at(Code::PathSelectsNothing, document.byte, message);
        reason.expected = Some(self.op.to_string());
        reason.actual = Some("nothing".into());
        reason.hint = match &document.value {
            Value::Object(members) if members.is_empty() => {
                Some("the value is an empty object".into())
            }
            Value::Object(members) => {
                const ENOUGH: usize = 12;
                let keys: Vec<&str> = members.keys().map(String::as_str).take(ENOUGH).collect();
                let more = if members.len() > ENOUGH { ", …" } else { "" };
                Some(format!("its keys are {}{more}", keys.join(", ")))
            }
            _ => Some(format!(
                "the value is of type {}: {}",
                document.type_name(),
                short(document)
            )),
        };
        reason
    }
}

fn find<'j>(document: &'j Json, path: &NormalizedPath<'_>) -> Option<&'j Json> {
    path.iter()
        .try_fold(document, |json, element| match (&json.value, element) {
            (Value::Object(members), PathElement::Name(name)) => members.get(*name),
            (Value::Array(items), PathElement::Index(index)) => items.get(*index),
            _ => None,
        })
}

/// A location the way people write it, `$.items[0].id`.
fn dotted(path: &NormalizedPath<'_>) -> String {
    use std::fmt::Write as _;
    let mut text = String::from("$");
    for element in path.iter() {
        let _ = match element {
            PathElement::Name(name) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                write!(text, ".{name}")
            }
            PathElement::Name(name) => write!(text, "['{name}']"),
            PathElement::Index(index) => write!(text, "[{index}]"),
        };
    }
    text
}
