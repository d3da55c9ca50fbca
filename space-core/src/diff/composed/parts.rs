//! Spaces and limits.

use super::Pair;
use crate::diff::RuleId;
use crate::diff::table::matched;

impl Pair<'_, '_> {
    pub(super) fn spaces(&mut self) {
        let (old, new) = (self.before.spaces, self.after.spaces);
        let name = &self.after.name.value;
        let spaces = matched(old, new, |space| space);
        for space in &spaces.gone {
            let message = format!("space `{}` was removed from `{name}`", space.value);
            self.say(RuleId::PART_REMOVED, self.after.name.span, message)
                .was(space.span, "it was named here");
        }
        for space in &spaces.fresh {
            let message = format!("space `{}` was added to `{name}`", space.value);
            self.say(RuleId::PART_ADDED, space.span, message);
        }
        if spaces.same_order {
            return;
        }
        // What a named composition feeds comes in the order in which it is named.
        let mut names = self.new.compositions.names();
        let feeds = names.any(|name| new.iter().any(|one| one.value == name.value));
        let rule = match (self.after.kind, feeds) {
            ("series", _) => RuleId::SERIES_ORDER,
            (_, true) => RuleId::BRIDGE_ORDER,
            (_, false) => RuleId::PART_ORDER,
        };
        let message = format!("the spaces of `{name}` are in another order");
        let place = new.first().map_or(self.after.name.span, |one| one.span);
        let was = old.first().map_or(self.before.name.span, |one| one.span);
        self.say(rule, place, message)
            .was(was, "this one came first");
    }

    pub(super) fn limits(&mut self) {
        let name = &self.after.name.value;
        let limits = self.before.limits.into_iter().zip(self.after.limits);
        for ((key, was, was_at), (_, is, is_at)) in limits.filter(|(was, is)| was.1 != is.1) {
            // 0 is no limit.
            let wider = is == 0 || was != 0 && is > was;
            let said = |limit: u32| match limit {
                0 => "none".to_owned(),
                limit => limit.to_string(),
            };
            let (rule, change) = if wider {
                (RuleId::LOOP_WIDER, "raised")
            } else {
                (RuleId::LOOP_TIGHTER, "lowered")
            };
            let (was, is) = (said(was), said(is));
            let message = format!("`{key}` of loop `{name}` was {change} from {was} to {is}");
            self.say(rule, is_at, message)
                .was(was_at, "it was set here");
        }
    }
}
