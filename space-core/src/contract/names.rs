//! How names are written, and what they become in Rust.

/// `UpperCamel` of a `lower_snake` name: `ask_again` becomes `AskAgain`.
pub fn upper_camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for word in name.split('_') {
        let mut letters = word.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}

/// `lower_snake` of an `UpperCamel` name: `RunTools` becomes `run_tools`, `HTTPGet` becomes
/// `http_get`.
pub fn lower_snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (at, letter) in letters.iter().enumerate() {
        if letter.is_ascii_uppercase() && at > 0 && letters[at - 1] != '_' {
            let after_lower = !letters[at - 1].is_ascii_uppercase();
            let before_lower = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
            if after_lower || before_lower {
                out.push('_');
            }
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// Whether a name is written in `UpperCamel`: ASCII letters and digits.
pub fn is_camel(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a name is written in `lower_snake`: ASCII letters, digits and single `_`.
pub fn is_snake(name: &str) -> bool {
    let word = |word: &str| {
        let mut bytes = word.bytes();
        !word.is_empty() && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('_').all(word)
}

/// The name in `lower_snake`, as far as its letters go; empty when it is too long for anybody to
/// have meant it.
pub fn respelt_snake(name: &str) -> String {
    if name.len() > 100 {
        return String::new();
    }
    let words = lower_snake(&name.replace(['-', ' ', '.'], "_"));
    let words: Vec<_> = words.split('_').filter(|word| !word.is_empty()).collect();
    words.join("_")
}

/// The name in `UpperCamel`, likewise.
pub fn respelt_camel(name: &str) -> String {
    upper_camel(&respelt_snake(name))
}

/// Whether a word is a keyword of edition 2024, strict or reserved: none of them names anything.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

/// Sorted by bytes.
const KEYWORDS: &[&str] = &[
    "Self", "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_turn_into_each_other() {
        for (camel, snake) in [
            ("RunTools", "run_tools"),
            ("A", "a"),
            ("AskAgain2", "ask_again2"),
            ("Step1A", "step1_a"),
        ] {
            assert_eq!(lower_snake(camel), snake);
        }
        assert_eq!(lower_snake("HTTPGet"), "http_get");
        assert_eq!(lower_snake("HttpGet"), "http_get");
        assert_eq!(upper_camel("ask_again"), "AskAgain");
        assert_eq!(lower_snake("ask_again"), "ask_again");
    }

    #[test]
    fn keywords_are_found() {
        assert!(KEYWORDS.is_sorted());
        assert!(is_keyword("gen") && is_keyword("Self") && is_keyword("_"));
        assert!(!is_keyword("union") && !is_keyword("Match"));
    }
}
