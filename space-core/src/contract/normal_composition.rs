//! A composition file as data without places, prose or spelling choices.

use super::domain::Points;
use super::normal::{Object, names, pair, pattern};
use super::{Bridge, Compositions, Hold, Json, Parallel, Spanned};

/// The compositions as JSON: every table in file order, keys sorted, defaults left out, no `doc`.
/// Files that differ in nothing else have the same text.
pub fn normalise_compositions(compositions: &Compositions) -> Json {
    let mut root = Object::default();
    root.list("parallel", compositions.parallel.iter().map(parallel));
    root.list(
        "series",
        compositions.series.iter().map(|row| {
            let mut out = Object::default();
            out.text("name", &row.name);
            out.set("spaces", names(&row.spaces.value));
            out.list("adapter", row.adapter.iter().map(bridge));
            out.into_json()
        }),
    );
    root.list(
        "feedback",
        compositions.feedback.iter().map(|row| {
            let mut out = Object::default();
            out.text("name", &row.name);
            out.text("space", &row.space);
            out.list("router", row.router.iter().map(bridge));
            out.limit("max_rounds", row.max_rounds.as_ref());
            out.limit("timeout_ms", row.timeout_ms.as_ref());
            out.into_json()
        }),
    );
    root.list(
        "invariants",
        compositions.invariants.iter().map(|row| {
            let mut out = Object::default();
            out.text("composition", &row.composition);
            out.text("name", &row.invariant.name);
            let (kind, body) = pattern(&row.invariant.pattern);
            out.set(kind, body);
            out.into_json()
        }),
    );
    root.into_json()
}

fn parallel(row: &Parallel) -> Json {
    let mut out = Object::default();
    out.text("name", &row.name);
    out.set("spaces", names(&row.spaces.value));
    out.list(
        "sync",
        row.sync.iter().map(|event| Json::Text(event.value.clone())),
    );
    let merge = row.merge_effects.as_ref();
    if let Some(other) = merge.filter(|word| word.value != Parallel::UNION) {
        out.text("merge_effects", other);
    }
    out.list("adapter", row.adapter.iter().map(bridge));
    out.list("holds", row.holds.iter().map(hold));
    out.into_json()
}

fn hold(row: &Hold) -> Json {
    let mut out = Object::default();
    out.set("when", points(&row.when));
    out.text("space", &row.space);
    out.into_json()
}

fn bridge(row: &Bridge) -> Json {
    let mut out = Object::default();
    out.set("when", points(&row.when));
    out.text("to_event", &row.to_event);
    let map = row.map.iter();
    // What a map repeats of its default says nothing.
    let map = map.filter(|one| one.field.value != one.slot.value);
    out.list(
        "map",
        map.map(|one| pair("field", &one.field, "slot", &one.slot)),
    );
    out.into_json()
}

fn points(points: &Points) -> Json {
    Json::texts(points.iter().map(|point| point.to_string()))
}

impl Object {
    fn limit(&mut self, key: &str, value: Option<&Spanned<u32>>) {
        if let Some(value) = value.filter(|value| value.value > 0) {
            self.set(key, Json::Int(value.value.into()));
        }
    }
}
