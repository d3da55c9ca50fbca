//! The names of a contract's declarations, and rows of `[[transitions]]` resolved by them.

use std::borrow::Cow;
use std::collections::HashMap;

use super::ArgSource;
use super::rules::{Row, Use};
use crate::contract::{
    Base, Field, FromStates, Spanned, Transition, is_camel, is_snake, respelt_camel, respelt_snake,
};

/// Names to rows of one declaration table. The first of one name counts. A name that is not written
/// in its case is found by the one it should be, too: rules that use that are right.
pub(crate) type Index<'a> = HashMap<Cow<'a, str>, usize>;

/// The rows of every declaration table by name.
pub(crate) struct Names<'a> {
    pub(crate) states: Index<'a>,
    pub(crate) events: Index<'a>,
    pub(crate) effects: Index<'a>,
    pub(crate) guards: Index<'a>,
    pub(crate) slots: Index<'a>,
    payloads: Vec<Option<Index<'a>>>,
    args: Vec<Option<Index<'a>>>,
}

impl<'a> Names<'a> {
    pub(super) fn of(base: &'a Base) -> Self {
        Self {
            states: camels(base.states.iter().map(|row| &row.name)),
            events: camels(base.events.iter().map(|row| &row.name)),
            effects: camels(base.effects.iter().map(|row| &row.name)),
            guards: snakes(base.guards.iter().map(|row| &row.name)),
            slots: snakes(base.ctx.iter().map(|row| &row.name)),
            payloads: base.events.iter().map(|row| fields(&row.payload)).collect(),
            args: base.effects.iter().map(|row| fields(&row.args)).collect(),
        }
    }

    /// The declared states of a list, in its order; none for a wildcard.
    pub(crate) fn states_in<'s>(
        &'s self,
        from: &'s FromStates,
    ) -> impl Iterator<Item = usize> + 's {
        let names = from.states().iter();
        names.filter_map(|name| self.states.get(name.as_str()).copied())
    }

    /// The declared events of a list, in its order.
    pub(crate) fn events_in<'s>(
        &'s self,
        on: &'s [Spanned<String>],
    ) -> impl Iterator<Item = usize> + 's {
        on.iter()
            .filter_map(|name| self.events.get(name.as_str()).copied())
    }

    /// The place of a field in an event's payload.
    pub(crate) fn field(&self, base: &Base, event: usize, name: &str) -> Option<usize> {
        find(
            self.payloads[event].as_ref(),
            &base.events[event].payload,
            name,
        )
    }

    /// The place of an argument of an effect.
    pub(crate) fn arg(&self, base: &Base, effect: usize, name: &str) -> Option<usize> {
        find(self.args[effect].as_ref(), &base.effects[effect].args, name)
    }

    pub(super) fn row(&self, base: &Base, row: &Transition) -> Row {
        let named = |index: &Index<'_>, name: Option<&String>| match name {
            None => Use::Absent,
            Some(name) => index
                .get(name.as_str())
                .map_or(Use::Unknown, |at| Use::Row(*at)),
        };
        let from: Vec<_> = self.states_in(&row.from).collect();
        let on = self.events.get(row.on.as_str()).copied();
        let to = self.states.get(row.to.as_str()).copied();
        let guard = named(&self.guards, row.guard.as_ref().map(|guard| &guard.name));
        let effect = named(
            &self.effects,
            row.effect.as_ref().map(|effect| &effect.value),
        );
        let field = |name: &str| on.and_then(|on| self.field(base, on, name));
        let same = row.assign.iter().map(|name| (name, name));
        let other = row
            .assign_from
            .iter()
            .map(|one| (&one.slot, &one.from_field));
        let assigns: Vec<_> = same
            .chain(other)
            .filter_map(|(slot, name)| Some((*self.slots.get(slot.as_str())?, field(name))))
            .collect();
        let args = match effect.row() {
            Some(effect) => self.sources(base, row, on, effect),
            None => Some(Vec::new()),
        };
        let complete = from.len() == row.from.states().len()
            && on.is_some()
            && to.is_some()
            && guard != Use::Unknown
            && effect != Use::Unknown
            && args.is_some()
            && assigns.len() == row.assign.len() + row.assign_from.len()
            && assigns.iter().all(|(_, field)| field.is_some());
        Row {
            from,
            any: row.from.value == FromStates::Any,
            on,
            to,
            guard,
            effect,
            args: args.unwrap_or_default(),
            assigns,
            complete,
        }
    }

    /// Where each argument of an effect comes from; `None` when one comes from nowhere.
    fn sources(
        &self,
        base: &Base,
        row: &Transition,
        on: Option<usize>,
        effect: usize,
    ) -> Option<Vec<ArgSource>> {
        let mut sources = vec![None; base.effects[effect].args.len()];
        let mut supply = |name: &str, source| {
            let place = &mut sources[self.arg(base, effect, name)?];
            place.is_none().then(|| *place = Some(source))
        };
        for name in &row.args {
            supply(name, ArgSource::Field(self.field(base, on?, name)?))?;
        }
        for one in &row.args_from {
            let slot = self.slots.get(one.slot.as_str())?;
            supply(&one.arg, ArgSource::Slot(*slot))?;
        }
        sources.into_iter().collect()
    }
}

fn index<'a>(names: impl Iterator<Item = &'a Spanned<String>>) -> Index<'a> {
    let mut index = Index::new();
    for (at, name) in names.enumerate() {
        index.entry(Cow::Borrowed(&*name.value)).or_insert(at);
    }
    index
}

fn camels<'a>(names: impl Iterator<Item = &'a Spanned<String>> + Clone) -> Index<'a> {
    respelt(names, is_camel, respelt_camel)
}

fn snakes<'a>(names: impl Iterator<Item = &'a Spanned<String>> + Clone) -> Index<'a> {
    respelt(names, is_snake, respelt_snake)
}

fn respelt<'a>(
    names: impl Iterator<Item = &'a Spanned<String>> + Clone,
    legal: fn(&str) -> bool,
    meant: fn(&str) -> String,
) -> Index<'a> {
    let mut index = index(names.clone());
    for (at, name) in names.enumerate().filter(|(_, name)| !legal(name)) {
        index.entry(Cow::Owned(meant(name))).or_insert(at);
    }
    index
}

/// Short lists are searched faster than they are indexed.
const SHORT: usize = 16;

fn fields(list: &[Field]) -> Option<Index<'_>> {
    (list.len() > SHORT).then(|| index(list.iter().map(|field| &field.name)))
}

fn find(index: Option<&Index<'_>>, list: &[Field], name: &str) -> Option<usize> {
    match index {
        Some(index) => index.get(name).copied(),
        None => list.iter().position(|field| field.name.value == name),
    }
}
