//! What a model said: an answer with its sources, or what it missed.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// A reply taken apart. Text is trimmed; what is absent is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) answer: String,
    /// A list of sources for all of the answer.
    pub(super) sources: String,
    /// What to look for instead.
    pub(super) missing: String,
}

#[derive(Clone, Copy)]
enum Part {
    Answer,
    Sources,
    Missing,
}

/// Reads a reply of the form that the prompt asks for:
///
/// ```text
/// ANSWER                           MISSING: words to search for
/// claim [path:first-last]
/// ```
///
/// Small models keep a form roughly, so its words may be headings, bold, in any case and followed by
/// a colon or not; `SOURCES` may list the sources of all claims; a JSON object with these names, a
/// fence around it, and thoughts before it are all right. A text with none of the words is an answer.
pub(super) fn read(text: &str) -> Said {
    let text = without_fence(without_thoughts(text));
    let said = of_object(text).unwrap_or_else(|| of_lines(text));
    Said {
        answer: said.answer.trim().to_owned(),
        sources: said.sources.trim().to_owned(),
        missing: of_nothing(said.missing.trim()),
    }
}

fn without_thoughts(text: &str) -> &str {
    let after = text.trim_start().strip_prefix("<think>");
    let after = after.and_then(|thoughts| thoughts.split_once("</think>"));
    after.map_or(text, |(_, after)| after).trim()
}

/// Without the fence when it is around everything.
fn without_fence(text: &str) -> &str {
    let inner = text
        .strip_prefix("```")
        .and_then(|text| text.strip_suffix("```"))
        .filter(|inner| !inner.contains("```"));
    let after_name = inner.and_then(|inner| inner.split_once('\n'));
    after_name.map_or(text, |(_, inner)| inner).trim()
}

fn of_object(text: &str) -> Option<Said> {
    let object: Value = serde_json::from_str(text).ok()?;
    let object = object.as_object()?;
    let field = |names: &[&str]| {
        let value = names.iter().find_map(|name| object.get(*name));
        value.map_or_else(String::new, words)
    };
    Some(Said {
        answer: field(&["answer"]),
        sources: field(&["sources", "citations"]),
        missing: field(&["missing"]),
    })
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let lines: Vec<_> = items.iter().filter_map(Value::as_str).collect();
            lines.join("\n")
        }
        _ => String::new(),
    }
}

fn of_lines(text: &str) -> Said {
    let mut said = Said::default();
    let mut part = Part::Answer;
    for line in text.lines() {
        let rest = match heading(line) {
            Some((found, rest)) => {
                part = found;
                rest
            }
            None => line,
        };
        let into = match part {
            Part::Answer => &mut said.answer,
            Part::Sources => &mut said.sources,
            Part::Missing => &mut said.missing,
        };
        into.push_str(rest);
        into.push('\n');
    }
    said
}

/// The part that a line opens, and what follows on it. Without a colon it has to stand alone.
fn heading(line: &str) -> Option<(Part, &str)> {
    static HEADING: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let words = "(answer)|(sources?|citations?)|(missing)";
        Regex::new(&format!(r"^[\s#*_>-]*(?i:{words})[\s*_]*(:[\s*_]*|$)")).ok()
    });
    let taken = HEADING.as_ref()?.captures(line)?;
    let part = match (taken.get(1), taken.get(2)) {
        (Some(_), _) => Part::Answer,
        (_, Some(_)) => Part::Sources,
        _ => Part::Missing,
    };
    Some((part, &line[taken.get(0)?.end()..]))
}

/// "Nothing" in so many words is nothing.
fn of_nothing(text: &str) -> String {
    let word = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
    let nothing = ["none", "nothing", "n/a", ""];
    if nothing.iter().any(|one| word.eq_ignore_ascii_case(one)) {
        return String::new();
    }
    text.to_owned()
}

/// The claims of an answer: its paragraphs and the items of its lists. Headings, and what only leads
/// to a list, claim nothing.
pub(super) fn claims(answer: &str) -> Vec<String> {
    let mut claims: Vec<String> = Vec::new();
    let mut open = false;
    let mut fenced = false;
    for line in answer.lines() {
        let text = line.trim();
        if text.starts_with("```") {
            fenced = !fenced;
            // Code belongs to what is said of it.
            open = true;
        }
        let is_blank = (text.is_empty() || is_heading(text)) && !fenced;
        let is_item = !fenced && is_item(text);
        match claims.last_mut() {
            _ if is_blank => open = false,
            Some(claim) if open && !is_item => {
                claim.push('\n');
                claim.push_str(line);
            }
            _ => {
                claims.push(line.to_owned());
                open = true;
            }
        }
    }
    let says_something = |claim: &String| claim.contains(char::is_alphanumeric);
    let leads = |claim: &String| claim.trim_end().ends_with(':');
    claims.retain(|claim| says_something(claim) && !leads(claim));
    claims
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    text.len() < line.len() && text.starts_with(' ')
}

fn is_item(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < line.len() && digits.starts_with([')', '.']);
    let bullet = ["- ", "* ", "• "].iter().any(|mark| line.starts_with(mark));
    bullet || (numbered && digits[1..].starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(answer: &str, sources: &str, missing: &str) -> Said {
        Said {
            answer: answer.into(),
            sources: sources.into(),
            missing: missing.into(),
        }
    }

    #[test]
    fn the_form_and_what_models_make_of_it() {
        let answer = said("It retries [a.rs:1].", "", "");
        let listed = said("It retries.", "- a.rs:1", "");
        let missing = said("", "", "retry policy");
        for (text, expected) in [
            ("ANSWER\nIt retries [a.rs:1].", &answer),
            ("ANSWER: It retries [a.rs:1].\n", &answer),
            ("**Answer:** It retries [a.rs:1].", &answer),
            (
                "## Answer\n\nIt retries [a.rs:1].\n\nMissing: none.",
                &answer,
            ),
            ("```text\nANSWER\nIt retries [a.rs:1].\n```", &answer),
            (
                "<think>Hm. MISSING: x</think>\nANSWER: It retries [a.rs:1].",
                &answer,
            ),
            ("It retries [a.rs:1].", &answer),
            ("Answer: It retries.\nSources:\n- a.rs:1", &listed),
            (
                "{\"answer\": \"It retries.\", \"sources\": [\"- a.rs:1\"]}",
                &listed,
            ),
            ("```json\n{\"missing\": \"retry policy\"}\n```", &missing),
            ("MISSING: retry policy", &missing),
            ("*Missing*:\nretry policy", &missing),
            ("", &said("", "", "")),
        ] {
            assert_eq!(read(text), *expected, "{text}");
        }
        // A sentence that begins with such a word is a sentence.
        let sentence = "Missing files are skipped [a.rs:1].";
        assert_eq!(read(sentence), said(sentence, "", ""));
    }

    #[test]
    fn claims_are_paragraphs_and_items() {
        let answer =
            "It does two things:\n- one\n  of them\n- two\n\nAnd\nthree.\n\n1. four\n2) five";
        let expected = [
            "- one\n  of them",
            "- two",
            "And\nthree.",
            "1. four",
            "2) five",
        ];
        assert_eq!(claims(answer), expected);
        assert_eq!(
            claims("```\na\n\n- b\n```\nso [a:1]"),
            ["```\na\n\n- b\n```\nso [a:1]"]
        );
        assert_eq!(
            claims("So [a:1].\n\n```\nx\n```"),
            ["So [a:1].\n```\nx\n```"]
        );
        assert_eq!(claims("  \n---\n# Title"), Vec::<String>::new());
        assert_eq!(claims("1.5 is the limit\n* x"), ["1.5 is the limit", "* x"]);
    }
}
