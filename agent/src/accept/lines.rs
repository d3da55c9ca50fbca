use regex::bytes::Regex;

use super::table::{LoadCode, Reader, Table};

/// Reads the lines that may be there: own rules under `key`, and those of known wrappers under `noise`.
pub(super) fn read_allow<'t>(
    reader: &mut Reader<'t>,
    table: Table<'_, 't>,
    key: &str,
) -> Vec<Regex> {
    let mut allow = Vec::new();
    if let Some(node) = table.get(key) {
        for (pattern, span) in reader.strings(node, &format!("`{key}`")) {
            match Regex::new(&pattern) {
                Ok(regex) if regex.is_match(b"") => {
                    let message = format!("`{pattern}` allows every line: anchor it with `^`");
                    reader.error(span, LoadCode::Vacuous, message);
                }
                Ok(regex) => allow.push(regex),
                Err(error) => reader.error(span, LoadCode::BadValue, regex_error(&error)),
            }
        }
    }
    if let Some(node) = table.get("noise") {
        for (name, span) in reader.strings(node, "`noise`") {
            let Some((_, patterns)) = NOISE.iter().find(|(known, _)| *known == name) else {
                let known: Vec<&str> = NOISE.iter().map(|(name, _)| *name).collect();
                reader.unknown_word(span, "`noise`", &name, &known);
                continue;
            };
            allow.extend(
                patterns
                    .iter()
                    .filter_map(|pattern| Regex::new(pattern).ok()),
            );
        }
    }
    allow
}

pub(super) fn regex_error(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    format!(
        "not a regular expression: {}",
        last.trim_start_matches("error: ")
    )
}

/// What known wrappers say on stderr when all is well.
const NOISE: &[(&str, &[&str])] = &[
    (
        "cargo",
        &[
            r"^\s*(Compiling|Finished|Running|Fresh|Building|Downloading|Downloaded|Updating|Locking|Adding|Checking|Blocking|Dirty) ",
        ],
    ),
    (
        "moon",
        &[
            r"^(Finished\.|moon: |Blocking waiting|Downloading |Using cached )",
            r"^\s*Compiling ",
        ],
    ),
    ("npm", &[r"^npm (warn|notice|WARN)( |$)", r"^> "]),
    ("go", &[r"^go: (downloading|finding|extracting|added) "]),
];
