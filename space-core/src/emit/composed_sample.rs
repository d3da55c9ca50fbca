//! A composition as data.

use super::products::MEMBER;
use crate::contract::{Compositions, Json, compositions_hash};
use crate::graph::{Composed, PointRow};

/// The sample's JSON text.
pub(super) fn sample(composed: &Composed, compositions: &Compositions) -> String {
    let space = |at: usize| Json::Text(composed.components[at].name.clone());
    let number = |number: u32| Json::Int(number.into());
    let components = composed.components.iter().map(|one| {
        Json::object([
            ("name", Json::Text(one.name.clone())),
            ("hash", Json::Text(one.model.hash.to_string())),
        ])
    });
    let syncs = composed.syncs.iter().map(|row| {
        let parts = row.parts.iter().map(|(component, _)| space(*component));
        Json::object([
            ("event", Json::Text(row.name.clone())),
            ("moves", Json::List(parts.collect())),
        ])
    });
    let bridges = composed.bridges.iter().map(|row| {
        let (from, to) = (
            &composed.components[row.from].model,
            &composed.components[row.to].model,
        );
        let points = row.points.iter().map(|point| {
            Json::Text(match *point {
                PointRow::State(at) => format!("state:{}", from.states[at].name),
                PointRow::Event(at) => format!("event:{}", from.events[at].name),
                PointRow::Effect(at) => format!("effect:{}", from.effects[at].name),
                PointRow::Semantics(semantics) => format!("semantics:{}", semantics.name()),
            })
        });
        let event = &to.events[row.event];
        let fields = event
            .payload
            .iter()
            .zip(&row.payload)
            .map(|(field, (component, slot))| {
                let one = &composed.components[*component];
                let slot = format!("{}.{}", one.name, one.model.slots[*slot].name);
                (field.name.as_str(), Json::Text(slot))
            });
        let mut members = vec![
            ("from", space(row.from)),
            ("points", Json::List(points.collect())),
            ("to", space(row.to)),
            ("event", Json::Text(event.name.clone())),
            ("payload", Json::object(fields)),
        ];
        if let Some(at) = row.feedback {
            members.push(("feedback", Json::Text(composed.loops[at].name.clone())));
        }
        Json::object(members)
    });
    let loops = composed.loops.iter().map(|row| {
        Json::object([
            ("name", Json::Text(row.name.clone())),
            ("max_rounds", number(row.max_rounds)),
            ("timeout_ms", number(row.timeout_ms)),
        ])
    });
    let holds = composed.holds.iter().map(|row| {
        let state = &composed.components[row.by].model.states[row.state].name;
        Json::object([
            ("by", space(row.by)),
            ("state", Json::Text(state.clone())),
            ("held", space(row.held)),
        ])
    });
    let json = Json::object([
        (MEMBER.0, Json::Text(MEMBER.1.to_owned())),
        ("name", Json::Text(composed.name.clone())),
        (
            "hash",
            Json::Text(compositions_hash(compositions).to_string()),
        ),
        ("spaces", Json::List(components.collect())),
        ("sync", Json::List(syncs.collect())),
        ("bridges", Json::List(bridges.collect())),
        ("loops", Json::List(loops.collect())),
        ("holds", Json::List(holds.collect())),
    ]);
    format!("{}\n", json.pretty())
}
