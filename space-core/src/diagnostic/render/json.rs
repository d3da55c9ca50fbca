//! One JSON object a line.

use std::fmt::Write as _;

use super::place::Place;
use super::trace;
use crate::contract::{Json, Sources};
use crate::diagnostic::Diagnostic;

/// One JSON object a line for each finding. Every member is always there:
///
/// | member | is |
/// |---|---|
/// | `code` | `"S0203"` |
/// | `severity` | `"error"`, `"warning"` or `"note"` |
/// | `title` | what the code means, in one line |
/// | `message` | what is wrong here |
/// | `label` | a few words on the place, or null |
/// | `path` | relative, with `/` |
/// | `line`, `column` | the start, from 1; columns count characters |
/// | `end_line`, `end_column` | one past the end |
/// | `related` | other places: objects of the five place members and `message` |
/// | `help` | the way out, or null |
/// | `trace` | null, or the run that shows it: `shortest`, `repeats` (null, or the line from which on it can be repeated) and `lines`, objects of `step` (those of one step have one number), `component` (of a composition), `event`, `state`, `effect` and the five place members, null where there is none |
/// | `edit` | null, or the five place members, the byte range `start`, `end`, and the `text` to put there |
pub fn json(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    for one in diagnostics {
        let _ = writeln!(out, "{}", finding(one, sources));
    }
    out
}

fn finding(one: &Diagnostic, sources: &Sources) -> Json {
    let related = one.related.iter().map(|related| {
        let mut members = Place::of(related.span, sources).members();
        members.push(("message", Json::Text(related.message.clone())));
        Json::object(members)
    });
    let edit = one.edit.as_ref().map_or(Json::Null, |edit| {
        let mut members = Place::of(edit.span, sources).members();
        members.push(("start", Json::Int(edit.span.start.into())));
        members.push(("end", Json::Int(edit.span.end.into())));
        members.push(("text", Json::Text(edit.text.clone())));
        Json::object(members)
    });
    let optional = |text: Option<&str>| text.map_or(Json::Null, |text| Json::Text(text.to_owned()));
    let mut members = Place::of(one.span, sources).members();
    members.extend([
        ("code", Json::Text(one.code.to_string())),
        ("severity", Json::Text(one.severity().name().to_owned())),
        ("title", Json::Text(one.code.info().title.to_owned())),
        ("message", Json::Text(one.message.clone())),
        (
            "label",
            optional(Some(&*one.label).filter(|label| !label.is_empty())),
        ),
        ("related", Json::List(related.collect())),
        ("help", optional(one.help.as_deref())),
        (
            "trace",
            one.trace
                .as_ref()
                .map_or(Json::Null, |run| trace::json(run, sources)),
        ),
        ("edit", edit),
    ]);
    Json::object(members)
}
