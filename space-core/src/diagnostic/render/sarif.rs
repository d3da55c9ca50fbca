//! SARIF 2.1.0, the exchange format of code scanning.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::place::Place;
use crate::contract::{Json, Sources, Span};
use crate::diagnostic::{Code, Diagnostic, Trace, TraceLine, explain};

/// A SARIF 2.1.0 log of one run, with the codes that occur as its rules, the suggested edits as
/// fixes, and the run that breaks a promise as a code flow.
///
/// Source: OASIS, *Static Analysis Results Interchange Format (SARIF) Version 2.1.0*, 2020.
pub fn sarif(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut index = BTreeMap::new();
    for one in diagnostics {
        index.insert(one.code, 0);
    }
    for (at, place) in index.values_mut().enumerate() {
        *place = i64::try_from(at).unwrap_or(i64::MAX);
    }
    let rules = index.keys().map(|code| rule(*code)).collect();
    let results = diagnostics
        .iter()
        .map(|one| result(one, index[&one.code], sources))
        .collect();
    let driver = object(vec![
        ("name", text("space")),
        ("version", text(env!("CARGO_PKG_VERSION"))),
        ("informationUri", text(env!("CARGO_PKG_REPOSITORY"))),
        ("rules", Json::List(rules)),
    ]);
    let run = object(vec![
        ("tool", object(vec![("driver", driver)])),
        ("columnKind", text("unicodeCodePoints")),
        ("results", Json::List(results)),
    ]);
    let log = object(vec![
        (
            "$schema",
            text("https://json.schemastore.org/sarif-2.1.0.json"),
        ),
        ("version", text("2.1.0")),
        ("runs", Json::List(vec![run])),
    ]);
    log.pretty() + "\n"
}

fn rule(code: Code) -> Json {
    let info = code.info();
    let explained = explain(code);
    object(vec![
        ("id", text(&code.to_string())),
        ("shortDescription", message(info.title)),
        (
            "help",
            object(vec![
                ("text", text(&explained)),
                ("markdown", text(&explained)),
            ]),
        ),
        (
            "defaultConfiguration",
            object(vec![("level", text(info.severity.name()))]),
        ),
    ])
}

fn result(one: &Diagnostic, rule: i64, sources: &Sources) -> Json {
    let mut said = one.message.clone();
    if let Some(help) = &one.help {
        let _ = write!(said, "\nhelp: {help}");
    }
    let mut members = vec![
        ("ruleId", text(&one.code.to_string())),
        ("ruleIndex", Json::Int(rule)),
        ("level", text(one.severity().name())),
        ("message", message(&said)),
        (
            "locations",
            Json::List(vec![object(location(one.span, sources))]),
        ),
    ];
    if !one.related.is_empty() {
        let related = one.related.iter().zip(0_i64..).map(|(related, id)| {
            let mut members = location(related.span, sources);
            members.push(("id", Json::Int(id)));
            members.push(("message", message(&related.message)));
            object(members)
        });
        members.push(("relatedLocations", Json::List(related.collect())));
    }
    if let Some(trace) = &one.trace {
        members.push((
            "codeFlows",
            Json::List(vec![code_flow(trace, one.span, sources)]),
        ));
    }
    if let Some(edit) = &one.edit {
        let place = Place::of(edit.span, sources);
        let replacement = object(vec![
            ("deletedRegion", region(&place)),
            ("insertedContent", message(&edit.text)),
        ]);
        let change = object(vec![
            ("artifactLocation", artifact(&place)),
            ("replacements", Json::List(vec![replacement])),
        ]);
        let fix = object(vec![
            (
                "description",
                message(one.help.as_deref().unwrap_or("suggested edit")),
            ),
            ("artifactChanges", Json::List(vec![change])),
        ]);
        members.push(("fixes", Json::List(vec![fix])));
    }
    object(members)
}

/// The run that shows a finding: one thread, and a location for each line of it. The start has no
/// rule, and is shown at the place of the finding.
fn code_flow(trace: &Trace, start: Span, sources: &Sources) -> Json {
    let lines = trace.lines.iter().zip(super::trace::numbers(trace));
    let locations = lines.map(|(line, step)| {
        let mut at = location(line.span.unwrap_or(start), sources);
        at.push(("message", message(&said(line))));
        let order = i64::try_from(step).unwrap_or(i64::MAX);
        object(vec![
            ("location", object(at)),
            ("executionOrder", Json::Int(order)),
        ])
    });
    let thread = object(vec![("locations", Json::List(locations.collect()))]);
    let kind = match (trace.shortest, trace.repeats) {
        (true, _) => "a shortest run that shows it",
        (false, None) => "a run that shows it",
        (false, Some(_)) => "a run that shows it, the end of which can be repeated",
    };
    object(vec![
        ("message", message(kind)),
        ("threadFlows", Json::List(vec![thread])),
    ])
}

/// A line of a run in words: `writer: Start leads to Writing, asks for Write`.
fn said(line: &TraceLine) -> String {
    let mut said = String::new();
    if let Some(component) = &line.component {
        let _ = write!(said, "{component}: ");
    }
    let _ = match &line.event {
        Some(event) => write!(said, "{event} leads to {}", line.state),
        None => write!(said, "{}", line.state),
    };
    if let Some(effect) = &line.effect {
        let _ = write!(said, ", asks for {effect}");
    }
    said
}

fn location(span: Span, sources: &Sources) -> Vec<(&'static str, Json)> {
    let place = Place::of(span, sources);
    vec![(
        "physicalLocation",
        object(vec![
            ("artifactLocation", artifact(&place)),
            ("region", region(&place)),
        ]),
    )]
}

fn artifact(place: &Place<'_>) -> Json {
    object(vec![("uri", text(&uri(place.path)))])
}

fn region(place: &Place<'_>) -> Json {
    object(vec![
        ("startLine", Json::Int(place.line.into())),
        ("startColumn", Json::Int(place.column.into())),
        ("endLine", Json::Int(place.end_line.into())),
        ("endColumn", Json::Int(place.end_column.into())),
    ])
}

fn message(said: &str) -> Json {
    object(vec![("text", text(said))])
}

/// One function for all objects, so that the compiler makes the code once.
fn object(members: Vec<(&'static str, Json)>) -> Json {
    Json::object(members)
}

fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

/// A path as a relative URI reference (RFC 3986): all but unreserved characters and `/` escaped.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
