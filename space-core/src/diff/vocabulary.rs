//! What the declarations alone say: whether callers compile, and whether what was persisted loads.

use std::collections::BTreeSet;

use super::simulation::Simulation;
use super::table::matched;
use super::{Finding, RuleId, Version};
use crate::contract::{Effect, Event, Field, Slot, Span, Spanned, Type};

/// Two versions, and where findings go.
struct Tables<'a, 'o> {
    old: Version<'a>,
    new: Version<'a>,
    out: &'o mut Vec<Finding>,
}

/// Rules 101 to 147, 202, 401 and 405.
pub(super) fn vocabulary(
    old: Version<'_>,
    new: Version<'_>,
    simulation: &Simulation,
    out: &mut Vec<Finding>,
) {
    let mut tables = Tables { old, new, out };
    tables.prefix();
    tables.states(simulation);
    tables.events();
    tables.effects();
    tables.guards();
    tables.slots();
}

impl Tables<'_, '_> {
    fn prefix(&mut self) {
        let (old, new) = (&self.old.model.prefix, &self.new.model.prefix);
        if old == new {
            return;
        }
        let message = format!("the prefix of type names is `{new}`, and was `{old}`");
        let place = |version: Version<'_>| {
            let prefix = version.base.meta.prefix.as_ref();
            version.at(prefix.map_or(version.base.span(), |prefix| prefix.span))
        };
        let help = format!("keep `prefix = \"{old}\"` under `[meta]`");
        let finding = Finding::new(RuleId::PREFIX, place(self.new), message);
        let related = place(self.old);
        self.out
            .push(finding.related(related, "it was set here").help(help));
    }

    /// Reports a row that only the new version has.
    fn fresh(&mut self, rule: RuleId, what: &str, name: &Spanned<String>) {
        let message = format!("{what} `{}` was added", name.value);
        let place = self.new.at(name.span);
        self.out.push(Finding::new(rule, place, message));
    }

    /// Reports a row that only the old version has, at the name of what it was part of.
    fn gone(&mut self, rule: RuleId, what: &str, name: &Spanned<String>, whole: Span) {
        let message = format!("{what} `{}` was removed", name.value);
        let finding = Finding::new(rule, whole, message).label("not there any more");
        let was = self.old.at(name.span);
        self.out.push(finding.related(was, "it was declared here"));
    }

    fn order(&mut self, table: &str, first: Option<Span>) {
        let message = format!("the rows of `{table}` are in another order");
        let place = first.map_or(self.new.name(), |span| self.new.at(span));
        self.out.push(Finding::new(RuleId::ORDER, place, message));
    }

    fn states(&mut self, simulation: &Simulation) {
        let (old, new) = (&self.old.base.states, &self.new.base.states);
        let states = matched(old, new, |row| &row.name);
        let index = |name: &str| (self.old.model.state(name), self.new.model.state(name));
        let mut renamed = BTreeSet::new();
        for row in &states.gone {
            let partner = index(&row.name).0.and_then(|at| simulation.renamed(at));
            let partner = partner.map(|at| &self.new.base.states[at].name);
            match partner.filter(|name| index(name).0.is_none()) {
                Some(name) => {
                    renamed.insert(name.as_str());
                    let (was, is) = (&row.name.value, &name.value);
                    let message = format!("state `{was}` is called `{is}` now");
                    let finding =
                        Finding::new(RuleId::STATE_RENAMED, self.new.at(name.span), message);
                    let place = self.old.at(row.name.span);
                    self.out.push(finding.related(place, "its name was this"));
                }
                None => self.gone(RuleId::STATE_REMOVED, "state", &row.name, self.new.name()),
            }
        }
        for row in &states.fresh {
            if !renamed.contains(row.name.as_str()) {
                self.fresh(RuleId::STATE_ADDED, "state", &row.name);
            }
        }
        for (before, row) in &states.both {
            let (Some(old), Some(new)) = index(&row.name) else {
                continue;
            };
            let partners = simulation.partners(old);
            if partners.is_empty() || partners.contains(&new) {
                continue;
            }
            let others = partners.iter().map(|at| &self.new.model.states[*at].name);
            let others: Vec<_> = others.map(|name| format!("`{name}`")).collect();
            let name = &row.name.value;
            let message = format!(
                "what state `{name}` was, {} is now, and `{name}` is another state",
                others.join(" or ")
            );
            let finding = Finding::new(RuleId::STATE_SWAPPED, self.new.at(row.name.span), message);
            let place = self.old.at(before.name.span);
            self.out.push(finding.related(place, "it was this state"));
        }
        if !states.same_order {
            self.order("states", new.first().map(|row| row.name.span));
        }
    }

    fn events(&mut self) {
        let (old, new) = (&self.old.base.events, &self.new.base.events);
        let events = matched(old, new, |row| &row.name);
        for row in &events.gone {
            self.gone(RuleId::EVENT_REMOVED, "event", &row.name, self.new.name());
        }
        for row in &events.fresh {
            self.fresh(RuleId::EVENT_ADDED, "event", &row.name);
        }
        for (old, new) in &events.both {
            self.event(old, new);
        }
        if !events.same_order {
            self.order("events", new.first().map(|row| row.name.span));
        }
    }

    fn event(&mut self, old: &Event, new: &Event) {
        let name = &new.name;
        if old.is_external() != new.is_external() {
            let (rule, says) = if new.is_external() {
                (RuleId::EVENT_EXTERNAL, "may arrive at any time now")
            } else {
                (RuleId::EVENT_INTERNAL, "may no longer be sent from outside")
            };
            let place = |event: &Event| event.external.as_ref().map(|one| one.span);
            let span = self.new.at(place(new).unwrap_or(name.span));
            let was = self.old.at(place(old).unwrap_or(old.name.span));
            let finding = Finding::new(rule, span, format!("event `{}` {says}", name.value));
            self.out.push(finding.related(was, "it was otherwise here"));
        }
        let whole = self.new.at(name.span);
        let of = |field: &str| format!("field `{field}` of event `{}`", name.value);
        let rules = FieldRules {
            added: RuleId::FIELD_ADDED,
            removed: RuleId::FIELD_REMOVED,
            ty: RuleId::FIELD_TYPE,
            order: RuleId::ORDER,
        };
        self.fields(&old.payload, &new.payload, whole, &rules, &of);
    }

    fn fields(
        &mut self,
        old: &'_ [Field],
        new: &'_ [Field],
        whole: Span,
        rules: &FieldRules,
        of: &dyn Fn(&str) -> String,
    ) {
        let fields = matched(old, new, |field| &field.name);
        for field in &fields.gone {
            let message = format!("{} was removed", of(&field.name));
            let was = self.old.at(field.name.span);
            let finding = Finding::new(rules.removed, whole, message).label("not there any more");
            self.out.push(finding.related(was, "it was declared here"));
        }
        for field in &fields.fresh {
            let message = format!("{} was added", of(&field.name));
            let span = self.new.at(field.name.span);
            self.out.push(Finding::new(rules.added, span, message));
        }
        for (before, field) in &fields.both {
            if let (Some(was), Some(is)) = (&before.ty.value, &field.ty.value)
                && was != is
            {
                let message = format!("{} is `{is}`, and was `{was}`", of(&field.name));
                let finding = Finding::new(rules.ty, self.new.at(field.ty.span), message);
                let place = self.old.at(before.ty.span);
                self.out.push(finding.related(place, "it was this"));
            }
        }
        if !fields.same_order {
            let names = |fields: &[Field]| {
                let names = fields.iter().map(|field| format!("`{}`", field.name.value));
                names.collect::<Vec<_>>().join(", ")
            };
            let (is, was) = (names(new), names(old));
            let what = if rules.order == RuleId::ORDER {
                "fields"
            } else {
                "arguments"
            };
            let message = format!("the {what} are in the order {is}; it was {was}");
            self.out.push(Finding::new(rules.order, whole, message));
        }
    }

    fn effects(&mut self) {
        let (old, new) = (&self.old.base.effects, &self.new.base.effects);
        let effects = matched(old, new, |row| &row.name);
        for row in &effects.gone {
            self.gone(RuleId::EFFECT_REMOVED, "effect", &row.name, self.new.name());
        }
        for row in &effects.fresh {
            self.fresh(RuleId::EFFECT_ADDED, "effect", &row.name);
        }
        for (old, new) in &effects.both {
            self.effect(old, new);
        }
        if !effects.same_order {
            self.order("effects", new.first().map(|row| row.name.span));
        }
    }

    fn effect(&mut self, old: &Effect, new: &Effect) {
        let name = &new.name.value;
        let whole = self.new.at(new.name.span);
        let of = |argument: &str| format!("argument `{argument}` of effect `{name}`");
        let rules = FieldRules {
            added: RuleId::ARGUMENT_ADDED,
            removed: RuleId::ARGUMENT_REMOVED,
            ty: RuleId::ARGUMENT_TYPE,
            order: RuleId::ARGUMENT_ORDER,
        };
        self.fields(&old.args, &new.args, whole, &rules, &of);
        if let (Some(was), Some(is)) = (old.semantics.value, new.semantics.value)
            && was != is
        {
            let message = format!("effect `{name}` is a `{is}`, and was a `{was}`");
            let span = self.new.at(new.semantics.span);
            let finding = Finding::new(RuleId::SEMANTICS, span, message);
            let place = self.old.at(old.semantics.span);
            self.out.push(finding.related(place, "it was this"));
        }
        self.outcomes(old, new);
        let named = |effect: &Effect| effect.sentinel.as_ref().map(|one| one.value.clone());
        let (was, is) = (named(old), named(new));
        if was != is {
            let says = |name: &Option<String>| match name {
                Some(name) => format!("`{name}`"),
                None => "the end of the run".to_owned(),
            };
            let message = format!(
                "a failure of effect `{name}` becomes {}, and became {}",
                says(&is),
                says(&was)
            );
            let rule = match was {
                Some(_) => RuleId::SENTINEL,
                None => RuleId::SENTINEL_ADDED,
            };
            let place = |effect: &Effect| effect.sentinel.as_ref().map(|one| one.span);
            let span = self.new.at(place(new).unwrap_or(new.name.span));
            let before = self.old.at(place(old).unwrap_or(old.name.span));
            let finding = Finding::new(rule, span, message);
            self.out
                .push(finding.related(before, "it was declared here"));
        }
    }

    fn outcomes(&mut self, old: &Effect, new: &Effect) {
        let name = &new.name.value;
        let returns = |version: Version<'_>| {
            let at = version.model.effect(name);
            let events = at.map(|at| version.model.returns(at)).unwrap_or_default();
            let names = events
                .iter()
                .map(|at| version.model.events[*at].name.clone());
            names.collect::<BTreeSet<_>>()
        };
        let (was, is) = (returns(self.old), returns(self.new));
        let place = |effect: &Effect, event: &str| {
            let list = effect.returns.as_ref();
            let named = list.and_then(|list| list.value.iter().find(|one| one.value == event));
            let place = named.map(|one| one.span).or(list.map(|list| list.span));
            place.unwrap_or(effect.name.span)
        };
        for event in is.difference(&was) {
            let message = format!("effect `{name}` may return `{event}`");
            let span = self.new.at(place(new, event));
            let finding = Finding::new(RuleId::OUTCOME_ADDED, span, message);
            self.out.push(finding);
        }
        for event in was.difference(&is) {
            let message = format!("effect `{name}` may no longer return `{event}`");
            let span = self.new.at(place(new, event));
            let before = self.old.at(place(old, event));
            let finding = Finding::new(RuleId::OUTCOME_REMOVED, span, message);
            self.out.push(finding.related(before, "it did here"));
        }
    }

    fn guards(&mut self) {
        let (old, new) = (&self.old.base.guards, &self.new.base.guards);
        let guards = matched(old, new, |row| &row.name);
        for row in &guards.gone {
            self.gone(RuleId::GUARD_REMOVED, "guard", &row.name, self.new.name());
        }
        for row in &guards.fresh {
            self.fresh(RuleId::GUARD_ADDED, "guard", &row.name);
        }
        if !guards.same_order {
            self.order("guards", new.first().map(|row| row.name.span));
        }
    }

    fn slots(&mut self) {
        let (old, new) = (&self.old.base.ctx, &self.new.base.ctx);
        let slots = matched(old, new, |row| &row.name);
        for row in &slots.gone {
            self.gone(RuleId::SLOT_REMOVED, "slot", &row.name, self.new.name());
        }
        for row in &slots.fresh {
            self.fresh(RuleId::SLOT_ADDED, "slot", &row.name);
        }
        for (old, new) in &slots.both {
            self.slot(old, new);
        }
        if !slots.same_order {
            self.order("ctx", new.first().map(|row| row.name.span));
        }
    }

    fn slot(&mut self, old: &Slot, new: &Slot) {
        let (Some(was), Some(is)) = (&old.ty.value, &new.ty.value) else {
            return;
        };
        let name = &new.name.value;
        let mut push = |rule, new_at: Span, old_at: Span, message: String| {
            let finding = Finding::new(rule, self.new.at(new_at), message);
            let place = self.old.at(old_at);
            self.out.push(finding.related(place, "it was this"));
        };
        if was != is {
            let rule = if is.accepts(was) {
                RuleId::SLOT_WIDER
            } else {
                RuleId::SLOT_TYPE
            };
            let message = format!("slot `{name}` is `{is}`, and was `{was}`");
            push(rule, new.ty.span, old.ty.span, message);
        }
        let default = |slot: &Slot| slot.default.as_ref().map(|default| default.span);
        let new_at = default(new).unwrap_or(new.name.span);
        let old_at = default(old).unwrap_or(old.name.span);
        let optional = |ty: &Type| ty.is_optional();
        match (&old.default, &new.default) {
            (Some(before), Some(after)) if before.value != after.value => {
                let message = format!("slot `{name}` starts with another value");
                push(RuleId::SLOT_DEFAULT, new_at, old_at, message);
            }
            (None, Some(_)) if !optional(was) && !optional(is) => {
                let message = format!("slot `{name}` has a default, and was empty at the start");
                push(RuleId::SLOT_FILLED, new_at, old_at, message);
            }
            (Some(_), None) if !optional(was) && !optional(is) => {
                let message = format!("slot `{name}` is empty at the start, and had a default");
                push(RuleId::SLOT_EMPTY, new_at, old_at, message);
            }
            (None, Some(_)) | (Some(_), None) => {
                let message = format!("slot `{name}` starts with another value");
                push(RuleId::SLOT_DEFAULT, new_at, old_at, message);
            }
            _ => {}
        }
    }
}

/// Which rules a list of fields goes by.
struct FieldRules {
    added: RuleId,
    removed: RuleId,
    ty: RuleId,
    order: RuleId,
}
