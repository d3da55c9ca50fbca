//! The event that a bridge feeds, and where its payload comes from.

use super::points::unknown;
use super::{Composed, Report, clip};
use crate::contract::{Bridge, FieldSlot, Spanned, Type, qualified};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::gates::report::listed;
use crate::graph::{BridgeRow, Model, PointRow};

/// A bridge into one of the components `into`.
pub(super) fn feed(
    composed: &Composed,
    bridge: &Bridge,
    (from, points): (usize, Vec<PointRow>),
    into: &[usize],
    out: &mut Report<'_>,
) -> Option<BridgeRow> {
    let (to, event) = target(composed, bridge, into, out)?;
    let fields = &composed.components[to].model.events[event].payload;
    let mut mapped: Vec<Option<&FieldSlot>> = vec![None; fields.len()];
    let mut sound = true;
    for one in &bridge.map {
        let Some(at) = fields
            .iter()
            .position(|field| field.name == one.field.value)
        else {
            let what = format!("event `{}` does not carry", clip(&bridge.to_event));
            let message = format!("{what} `{}`", clip(&one.field));
            let finding = Diagnostic::new(Code::BRIDGE_FIELD, one.field.span, message);
            out.push(
                match nearest(&one.field, fields.iter().map(|field| &*field.name)) {
                    Some(meant) => finding
                        .help(format!("did you mean `{meant}`?"))
                        .edit(one.field.span, format!("\"{meant}\"")),
                    None => finding,
                },
            );
            sound = false;
            continue;
        };
        if let Some(before) = mapped[at].replace(one) {
            let message = format!("field `{}` is mapped twice", clip(&one.field));
            out.push(
                Diagnostic::new(Code::BRIDGE_FIELD, one.field.span, message)
                    .related(before.field.span, "it is mapped here already")
                    .help("remove one of them"),
            );
            sound = false;
        }
    }
    let mut payload = Vec::new();
    let named = sound;
    for (field, mapped) in fields.iter().zip(mapped) {
        let slot = match mapped {
            Some(one) => named_slot(composed, from, one, out),
            // It may be the one whose name was wrong.
            None if !named => None,
            None => own_slot(composed, from, &field.name, bridge, out),
        };
        let place = mapped.map_or(bridge.to_event.span, |one| one.slot.span);
        let Some((component, slot)) = slot else {
            sound = false;
            continue;
        };
        let row = &composed.components[component].model.slots[slot];
        if let Some((wrong, help)) = misfit(&field.ty, &row.ty, row.can_be_empty()) {
            let message = format!(
                "field `{}` has type `{}`, and slot `{}` {wrong}",
                field.name, field.ty, row.name
            );
            out.push(Diagnostic::new(Code::BRIDGE_TYPE, place, message).help(help));
            sound = false;
        }
        payload.push((component, slot));
    }
    sound.then_some(BridgeRow {
        from,
        points,
        to,
        event,
        payload,
        feedback: None,
        restarts: Vec::new(),
        span: bridge.span,
    })
}

/// What is wrong with feeding a slot into a field, and the way out.
fn misfit(field: &Type, slot: &Type, empty: bool) -> Option<(String, &'static str)> {
    let inner = |ty: &Type| match ty {
        Type::Optional(inner) => (**inner).clone(),
        ty => ty.clone(),
    };
    if inner(field) != inner(slot) {
        return Some((
            format!("has type `{slot}`"),
            "map a slot of the field's type",
        ));
    }
    let has_empty = field.is_optional() || *field == Type::Text;
    (empty && !has_empty).then(|| {
        let help = "give the slot a default, or feed a field of an optional type";
        ("may be empty".to_owned(), help)
    })
}

fn named_slot(
    composed: &Composed,
    from: usize,
    map: &FieldSlot,
    out: &mut Report<'_>,
) -> Option<(usize, usize)> {
    let (space, name) = qualified(&map.slot);
    let component = match space {
        Some(space) => composed.component(space),
        None => Some(from),
    };
    let Some(component) = component else {
        let names = composed.components.iter().map(|one| one.name.as_str());
        let space = Spanned::new(space.unwrap_or_default().to_owned(), map.slot.span);
        let mut finding = unknown(Code::BRIDGE_FIELD, "space", &space, names);
        finding.edit = None;
        out.push(finding);
        return None;
    };
    let model = &composed.components[component].model;
    let slot = model.slot(name);
    if slot.is_none() {
        let written = |meant: &str| match space {
            Some(space) => format!("{space}.{meant}"),
            None => meant.to_owned(),
        };
        let message = format!("`{}` has no slot `{}`", model.name, clip(name));
        let finding = Diagnostic::new(Code::BRIDGE_FIELD, map.slot.span, message);
        out.push(match nearest(name, slots(model)) {
            Some(meant) => finding
                .help(format!("did you mean `{meant}`?"))
                .edit(map.slot.span, format!("\"{}\"", written(meant))),
            None => finding,
        });
    }
    slot.map(|slot| (component, slot))
}

fn own_slot(
    composed: &Composed,
    from: usize,
    field: &str,
    bridge: &Bridge,
    out: &mut Report<'_>,
) -> Option<(usize, usize)> {
    let model = &composed.components[from].model;
    let slot = model.slot(field);
    if slot.is_none() {
        let message = format!(
            "field `{field}` of `{}` is not fed: `{}` has no slot of that name",
            clip(&bridge.to_event),
            model.name
        );
        let finding = Diagnostic::new(Code::BRIDGE_FIELD, bridge.to_event.span, message);
        out.push(finding.help(format!(
            "add `map = [{{ field = \"{field}\", slot = \"…\" }}]`"
        )));
    }
    slot.map(|slot| (from, slot))
}

fn slots(model: &Model) -> impl Iterator<Item = &str> {
    model.slots.iter().map(|slot| slot.name.as_str())
}

/// The component and event that a bridge feeds.
fn target(
    composed: &Composed,
    bridge: &Bridge,
    into: &[usize],
    out: &mut Report<'_>,
) -> Option<(usize, usize)> {
    let (space, name) = qualified(&bridge.to_event);
    let all = into.iter().map(|at| (*at, &composed.components[*at]));
    let asked = all
        .clone()
        .filter(|(_, one)| space.is_none_or(|space| one.name == space));
    let found: Vec<_> = asked
        .clone()
        .filter_map(|(at, one)| Some((at, one.model.event(name)?)))
        .collect();
    if let [one] = found.as_slice() {
        return Some(*one);
    }
    let span = bridge.to_event.span;
    let clipped = clip(name);
    let finding = |message: String| Diagnostic::new(Code::BRIDGE_EVENT, span, message);
    if let Some((first, _)) = found.first() {
        let first = &composed.components[*first].name;
        let message = format!("{} spaces declare event `{clipped}`", found.len());
        out.push(finding(message).help(format!("say which: `{first}.{clipped}`")));
        return None;
    }
    if asked.clone().next().is_none() {
        let names = listed(all.clone().map(|(_, one)| &*one.name), into.len());
        let message = format!(
            "space `{}` cannot be fed here",
            clip(space.unwrap_or_default())
        );
        out.push(finding(message).help(format!("what can be fed is {names}")));
        return None;
    }
    let names = listed(
        asked.clone().map(|(_, one)| &*one.name),
        asked.clone().count(),
    );
    let events = asked.flat_map(|(_, one)| one.model.events.iter().map(|row| &*row.name));
    let events: Vec<_> = events.collect();
    let message = format!("{names} declares no event `{clipped}`");
    out.push(match nearest(name, events) {
        Some(meant) => {
            let written = match space {
                Some(space) => format!("{space}.{meant}"),
                None => meant.to_owned(),
            };
            finding(message)
                .help(format!("did you mean `{meant}`?"))
                .edit(span, format!("\"{written}\""))
        }
        None => finding(message),
    });
    None
}
