//! Sync events, bridges and holds.

use std::collections::BTreeSet;

use super::Pair;
use crate::contract::{Bridge, Hold, Point, Spanned, qualified};
use crate::diff::RuleId;
use crate::diff::table::matched;

impl Pair<'_, '_> {
    pub(super) fn syncs(&mut self) {
        let (old, new) = (self.before.syncs, self.after.syncs);
        let name = &self.after.name.value;
        let syncs = matched(old, new, |event| event);
        for event in &syncs.gone {
            let message = format!("`{}` is no sync event of `{name}` any more", event.value);
            self.say(RuleId::SYNC_REMOVED, self.after.name.span, message)
                .was(event.span, "it was one here");
        }
        for event in &syncs.fresh {
            let message = format!("`{}` became a sync event of `{name}`", event.value);
            self.say(RuleId::SYNC_ADDED, event.span, message);
        }
    }

    pub(super) fn bridges(&mut self) {
        let name = &self.after.name.value;
        let keys = |rows: &[Bridge], space: &Spanned<String>| -> Vec<String> {
            rows.iter().map(|row| key(row, space)).collect()
        };
        let (was, is) = (
            keys(self.before.bridges, &self.before.spaces[0]),
            keys(self.after.bridges, &self.after.spaces[0]),
        );
        let both = |keys: &[String], other: &[String]| -> Vec<String> {
            let kept = keys.iter().filter(|key| other.contains(key));
            kept.cloned().collect()
        };
        for (row, key) in self.before.bridges.iter().zip(&was) {
            if !is.contains(key) {
                let message = format!("`{name}` no longer feeds {key}");
                self.say(RuleId::BRIDGE_REMOVED, self.after.name.span, message)
                    .was(row.span, "it did here");
            }
        }
        for (row, key) in self.after.bridges.iter().zip(&is) {
            let Some(at) = was.iter().position(|one| one == key) else {
                let message = format!("`{name}` feeds {key}");
                self.say(RuleId::BRIDGE_ADDED, row.span, message);
                continue;
            };
            let before = &self.before.bridges[at];
            if map(before) != map(row) {
                let message = format!("what `{name}` feeds {key} carries other slots");
                self.say(RuleId::BRIDGE_PAYLOAD, row.span, message)
                    .was(before.span, "it was fed from these");
            }
        }
        if both(&was, &is) != both(&is, &was) {
            let message = format!("`{name}` feeds what waits in another order");
            let (was, is) = (self.before.bridges[0].span, self.after.bridges[0].span);
            self.say(RuleId::BRIDGE_ORDER, is, message)
                .was(was, "this was fed first");
        }
    }

    pub(super) fn holds(&mut self) {
        let rows = |rows: &[Hold]| -> BTreeSet<(String, String)> {
            let rows = rows.iter().flat_map(|row| {
                let space = &row.space.value;
                let when = row.when.iter();
                when.map(|point| (point.to_string(), space.clone()))
            });
            rows.collect()
        };
        let (was, is) = (rows(self.before.holds), rows(self.after.holds));
        if was == is {
            return;
        }
        let changed = self.after.holds.iter().find(|row| {
            let space = &row.space.value;
            let mut when = row.when.iter();
            when.any(|point| !was.contains(&(point.to_string(), space.clone())))
        });
        let place = changed.map_or(self.after.name.span, |row| row.span);
        let message = format!("what holds effects in `{}` changed", self.after.name.value);
        self.say(RuleId::HOLDS, place, message);
    }
}

/// A bridge in words: `ContextReady at retrieval.state:Found`. A loop's points are of its space where
/// they do not say of which.
fn key(row: &Bridge, space: &Spanned<String>) -> String {
    let points: BTreeSet<String> = row
        .when
        .iter()
        .map(|point| {
            let own = Point {
                space: point.space.clone().or_else(|| Some(space.value.clone())),
                ..point.value.clone()
            };
            own.to_string()
        })
        .collect();
    let points: Vec<_> = points.iter().map(|point| format!("`{point}`")).collect();
    format!("`{}` at {}", row.to_event.value, points.join(" or "))
}

/// Fields and the slots that they are fed from; a slot of the field's own name goes without saying.
fn map(row: &Bridge) -> BTreeSet<(&str, &str)> {
    let rows = row.map.iter().map(|one| {
        let (space, slot) = qualified(&one.slot);
        let own = space.is_none() || space == row.space();
        (
            one.field.as_str(),
            if own { slot } else { one.slot.as_str() },
        )
    });
    rows.filter(|(field, slot)| field != slot).collect()
}
