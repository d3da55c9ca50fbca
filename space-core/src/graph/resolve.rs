//! From the contract to its resolved form.

use super::{
    Edge, EffectRow, EventRow, GuardRow, Model, Param, Rule, Rules, SlotRow, StateRow, Use,
};
use crate::contract::{
    Base, Domain, Effect, Event, Field, Semantics, Slot, Spanned, State, Value, contract_hash,
    upper_camel,
};

impl Model {
    /// Resolves a contract. `None` when a name is not declared, a type is unknown or an argument
    /// has no source: what the gates of groups S02 and S03 report.
    pub fn resolve(base: &Base, domain: &Domain) -> Option<Self> {
        Rules::of(base, domain).model()
    }
}

impl Rules<'_> {
    /// The model, when everything that the contract names is declared.
    pub(crate) fn model(&self) -> Option<Model> {
        if !self.complete || self.overflow {
            return None;
        }
        let base = self.base;
        let mut ignored = vec![Vec::new(); base.states.len()];
        for (from, on, _) in &self.ignored {
            if self.edge(*from, *on).is_none() && ignored[*from].last() != Some(on) {
                ignored[*from].push(*on);
            }
        }
        let states = base.states.iter().enumerate().map(|(at, row)| StateRow {
            name: row.name.value.clone(),
            doc: row.doc.clone(),
            terminal: self.edges_of(at).is_empty(),
        });
        let guards = base.guards.iter().map(|row| GuardRow {
            name: row.name.value.clone(),
            doc: row.doc.clone(),
        });
        let rules = self.edges.iter().map(|edge| self.rule(*edge));
        let is_initial =
            |row: &State| (row.is_initial.as_ref()).is_some_and(|initial| initial.value);
        Some(Model {
            name: base.meta.name.value.clone(),
            prefix: match &base.meta.prefix {
                Some(prefix) => prefix.value.clone(),
                None => upper_camel(&base.meta.name),
            },
            hash: contract_hash(base, self.domain),
            doc: base.doc.clone(),
            states: states.collect(),
            initial: base.states.iter().position(is_initial)?,
            events: self.event_rows()?,
            effects: self.effect_rows()?,
            guards: guards.collect(),
            slots: self.slot_rows()?,
            rules: rules.collect::<Option<_>>()?,
            starts: self.starts.clone(),
            ignored,
        })
    }

    fn rule(&self, edge: Edge) -> Option<Rule> {
        let row = &self.rows[edge.row];
        let written = self.written(edge.row);
        let assigns = row.assigns.iter();
        Some(Rule {
            from: edge.from,
            on: edge.on,
            to: row.to?,
            guard: match (&written.guard, row.guard) {
                (Some(guard), Use::Row(at)) => Some((at, guard.negated)),
                _ => None,
            },
            effect: row.effect.row(),
            args: row.args.clone(),
            assigns: assigns
                .map(|(slot, field)| Some((*slot, (*field)?)))
                .collect::<Option<_>>()?,
            row: edge.row,
            span: written.span,
        })
    }

    fn event_rows(&self) -> Option<Vec<EventRow>> {
        let row = |row: &Event| {
            Some(EventRow {
                name: row.name.value.clone(),
                doc: row.doc.clone(),
                payload: params(&row.payload)?,
                external: row.is_external(),
            })
        };
        self.base.events.iter().map(row).collect()
    }

    fn effect_rows(&self) -> Option<Vec<EffectRow>> {
        let event = |name: &Spanned<String>| self.names.events.get(name.as_str()).copied();
        let row = |row: &Effect| {
            let semantics = row.semantics.value?;
            let returns = match &row.returns {
                Some(names) => Some(names.value.iter().map(event).collect::<Option<Vec<_>>>()?),
                None if semantics == Semantics::Stop => Some(Vec::new()),
                None => None,
            };
            let sentinel = match &row.sentinel {
                Some(name) => Some(event(name)?),
                None => None,
            };
            Some(EffectRow {
                name: row.name.value.clone(),
                doc: row.doc.clone(),
                args: params(&row.args)?,
                semantics,
                returns,
                sentinel,
            })
        };
        self.base.effects.iter().map(row).collect()
    }

    fn slot_rows(&self) -> Option<Vec<SlotRow>> {
        let row = |row: &Slot| {
            let ty = row.ty.value.clone()?;
            let default = match &row.default {
                Some(json) => Some(Value::from_json(&json.value, &ty).ok()?),
                None => None,
            };
            Some(SlotRow {
                name: row.name.value.clone(),
                doc: row.doc.clone(),
                ty,
                default,
            })
        };
        self.base.ctx.iter().map(row).collect()
    }
}

fn params(fields: &[Field]) -> Option<Vec<Param>> {
    let param = |field: &Field| {
        Some(Param {
            name: field.name.value.clone(),
            ty: field.ty.value.clone()?,
            doc: field.doc.clone(),
        })
    };
    fields.iter().map(param).collect()
}
