//! The words of a text, as they are searched for.

use std::collections::BTreeSet;

/// Words of questions that say nothing of what is asked about.
const STOP_WORDS: &[&str] = &[
    "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
    "did", "do", "doe", "for", "from", "had", "has", "have", "how", "if", "in", "into", "is", "it",
    "its", "may", "me", "my", "no", "not", "of", "on", "or", "our", "should", "so", "some", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "was",
    "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "with",
    "would", "you", "your",
];

/// The terms of a question, each once, without stop words. When nothing else is left, the stop words
/// themselves: somebody may be looking for one.
pub(super) fn of_question(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    each(text, |term| {
        if !all.contains(term) {
            all.insert(term.to_owned());
        }
    });
    let telling = |term: &&String| !STOP_WORDS.contains(&term.as_str());
    let kept: BTreeSet<_> = all.iter().filter(telling).cloned().collect();
    if kept.is_empty() { all } else { kept }
}

/// Tells every term of a text, in order.
///
/// A term is a run of letters and digits in lower case without the ending of a plural. An identifier
/// is told in its parts and then as a whole, so that `max_rounds` and `MaxRounds` are `max`, `round`
/// and `maxround`. Single letters are not told.
pub(super) fn each(text: &str, mut told: impl FnMut(&str)) {
    let mut buffer = String::new();
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    for word in text.split(|c: char| !is_inside(c)) {
        let parts = word.split('_').flat_map(humps);
        let mut count = 0;
        for part in parts {
            count += 1;
            tell(std::iter::once(part), &mut buffer, &mut told);
        }
        if count > 1 {
            tell(word.split('_'), &mut buffer, &mut told);
        }
    }
}

fn tell<'a>(
    parts: impl Iterator<Item = &'a str>,
    buffer: &mut String,
    told: &mut impl FnMut(&str),
) {
    buffer.clear();
    buffer.extend(parts.flat_map(str::chars).flat_map(char::to_lowercase));
    singular(buffer);
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

/// Takes the ending of an English plural off; not right for every word, and the same for a question
/// and what it is looked for in.
fn singular(word: &mut String) {
    let is_plural = word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if !is_plural {
        return;
    }
    word.pop();
    if word.len() > 3 && word.ends_with("ie") {
        word.truncate(word.len() - 2);
        word.push('y');
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
            ("retries ties does", &["retry", "tie", "doe"]),
            ("", &[]),
        ] {
            assert_eq!(terms(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_question_is_what_it_asks_about() {
        let of = |text: &str| of_question(text).into_iter().collect::<Vec<_>>();
        assert_eq!(of("What is the retry policy?"), ["policy", "retry"]);
        assert_eq!(of("Where is `where`, where?"), ["is", "where"]);
        assert_eq!(of("  ?! "), Vec::<String>::new());
    }
}
