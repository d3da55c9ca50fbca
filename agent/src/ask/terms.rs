//! The words of a text, as they are searched for.

use std::collections::BTreeMap;

use regex::Regex;

/// Words of questions that say nothing of what is asked about.
const STOP_WORDS: &[&str] = &[
    "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
    "did", "do", "does", "for", "from", "had", "has", "have", "how", "if", "in", "into", "is",
    "it", "its", "may", "me", "my", "no", "not", "of", "on", "or", "our", "should", "so", "some",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "to", "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why",
    "will", "with", "would", "you", "your",
];

/// The terms of a question, each with the word that it came from; without stop words. When nothing
/// else is left, the stop words themselves: somebody may be looking for one.
pub(super) fn of_question(text: &str) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    words(text, &mut |word| {
        let shown = word.clone();
        stem(word);
        all.entry(word.clone()).or_insert(shown);
    });
    let telling = |word: &String| !STOP_WORDS.contains(&word.as_str());
    if all.values().any(telling) {
        all.retain(|_, word| telling(word));
    }
    all
}

/// Tells every term of a text, in order.
///
/// A term is a run of letters and digits in lower case without an English ending. An identifier is
/// told in its parts and then as a whole, so that `max_rounds` and `MaxRounds` are `max`, `round` and
/// `maxround`. Single letters are not told.
pub(super) fn each(text: &str, mut told: impl FnMut(&str)) {
    words(text, &mut |word| {
        stem(word);
        told(word);
    });
}

/// Finds where a text may have any of these terms: lines without a match have none. Nothing when
/// there are too many of them.
pub(super) fn filter<'a>(terms: impl Iterator<Item = &'a String>) -> Option<Regex> {
    let pattern = |term: &String| {
        // `retries` is `retry`; every other term begins the words that it stands for.
        let start = match term.strip_suffix('y') {
            Some(start) if term.len() > 3 => start,
            _ => term,
        };
        // `max_rounds` is `maxround` as well.
        start
            .chars()
            .map(String::from)
            .collect::<Vec<_>>()
            .join("_*")
    };
    let patterns: Vec<_> = terms.map(pattern).collect();
    Regex::new(&format!("(?i){}", patterns.join("|"))).ok()
}

fn words(text: &str, told: &mut impl FnMut(&mut String)) {
    let mut buffer = String::new();
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    for word in text.split(|c: char| !is_inside(c)) {
        let mut count = 0;
        for part in word.split('_').flat_map(humps) {
            count += 1;
            tell(std::iter::once(part), &mut buffer, told);
        }
        if count > 1 {
            tell(word.split('_'), &mut buffer, told);
        }
    }
}

fn tell<'a>(
    parts: impl Iterator<Item = &'a str>,
    buffer: &mut String,
    told: &mut impl FnMut(&mut String),
) {
    buffer.clear();
    for part in parts {
        buffer.extend(part.chars().flat_map(char::to_lowercase));
    }
    let is_letter = buffer.len() == 1 && !buffer.starts_with(|c: char| c.is_ascii_digit());
    if !buffer.is_empty() && !is_letter {
        told(buffer);
    }
}

/// The parts of `camelCase`: `HTTPServer` is `HTTP` and `Server`.
fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(hump(rest));
        rest = after;
        Some(part)
    })
}

/// Where the first part ends.
fn hump(word: &str) -> usize {
    let mut chars = word.char_indices().peekable();
    let mut before: Option<char> = None;
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let rises = before.is_some_and(|before| !before.is_uppercase()) && c.is_uppercase();
        // The last capital of a run belongs to the word that follows.
        let falls = before.is_some_and(char::is_uppercase)
            && c.is_uppercase()
            && next.is_some_and(char::is_lowercase);
        if rises || falls {
            return at;
        }
        before = Some(c);
    }
    word.len()
}

/// Takes an English ending off: `retries`, `retried` and `retry` are one term, and so are `cached`,
/// `caching` and `cache`. Not right for every word, and the same for a question and what it is looked
/// for in.
fn stem(word: &mut String) {
    if !word.is_ascii() {
        return;
    }
    let is_plural = word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if is_plural {
        word.pop();
    }
    for (ending, longer_than) in [("ie", if is_plural { 3 } else { usize::MAX }), ("ied", 4)] {
        if word.len() > longer_than && word.ends_with(ending) {
            word.truncate(word.len() - ending.len());
            word.push('y');
            return;
        }
    }
    let has_vowel = |rest: &str| rest.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let rest = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed"));
    if let Some(rest) = rest.filter(|rest| rest.len() >= 3 && has_vowel(rest)) {
        word.truncate(rest.len());
        // `running`, but `calling` and `passing`.
        let doubled = word.as_bytes().last_chunk().is_some_and(|[a, b]| a == b);
        if doubled && !word.ends_with(['l', 's', 'z']) {
            word.pop();
        }
    }
    if word.len() > 3 && word.ends_with('e') {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        each(text, |term| all.push(term.to_owned()));
        all
    }

    #[test]
    fn identifiers_are_told_in_parts_and_whole() {
        for (text, expected) in [
            ("max_rounds", &["max", "round", "maxround"][..]),
            ("MaxRounds", &["max", "round", "maxround"]),
            ("HTTPServer", &["http", "server", "httpserver"]),
            ("__init__", &["init"]),
            ("utf8 is_utf8", &["utf8", "is", "utf8", "isutf8"]),
            ("src/cli.rs", &["src", "cli", "rs"]),
            ("a I 7", &["7"]),
            ("Größe ÄNDERN", &["größe", "ändern"]),
            ("status class bus axes", &["status", "class", "bus", "axe"]),
            ("retry retries retried", &["retry", "retry", "retry"]),
            ("cache cached caching", &["cach", "cach", "cach"]),
            ("run running calls calling", &["run", "run", "call", "call"]),
            (
                "string thing need ties",
                &["string", "thing", "need", "tie"],
            ),
            ("", &[]),
        ] {
            assert_eq!(terms(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_question_is_what_it_asks_about() {
        let of = |text: &str| of_question(text).into_iter().collect::<Vec<_>>();
        let pair = |term: &str, word: &str| (term.to_owned(), word.to_owned());
        assert_eq!(
            of("What are the retries of the policy?"),
            [pair("policy", "policy"), pair("retry", "retries")]
        );
        assert_eq!(
            of("Where does it?"),
            [pair("doe", "does"), pair("it", "it"), pair("wher", "where")]
        );
        assert_eq!(of("  ?! "), []);
    }

    #[test]
    fn the_filter_misses_nothing() {
        let text = "max_rounds Retried caching HTTPServer running policies ÄNDERN __a__b";
        let found = |term: &String| {
            let mut found = false;
            each(text, |one| found |= one == term);
            found
        };
        let asked = of_question("maxrounds retry caches httpserver run policy ändern ab absent");
        let mut hits = 0;
        for term in asked.keys() {
            let matches = filter(std::iter::once(term)).unwrap().is_match(text);
            assert!(matches || !found(term), "{term}");
            hits += usize::from(found(term));
        }
        assert_eq!(hits, asked.len() - 1, "{asked:?}");
    }
}
