//! The interpreter form of a composition.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ComposedGuards, ComposedSpace, Fed, Moved, ProductState, ProductStep, Tagged};
use crate::contract::{Base, Compositions, Domain, Value};
use crate::diagnostic::{Diagnostic, Severity};
use crate::gates::{Declared, Triggers, check_compositions, check_with};
use crate::graph::{Cell, Composed, Model, Rule};
use crate::machine::{EffectSpace, NameError, Space, StateId, Step, Values, fed};

/// A machine that interprets a composition: its components, and what they have to do with each
/// other. Deterministic and total, like each of them.
///
/// A run of it is a sequence of [`Product::step`]s, and of [`Product::feed`]s of what
/// [`Product::due`] says: what waits to be fed is fed before anything else, unless what it would
/// interrupt must not be.
#[derive(Clone, Debug)]
pub struct Product {
    pub(super) composed: Arc<Composed>,
    pub(super) spaces: Vec<EffectSpace>,
}

impl Product {
    /// The machine of a composition by its name, after passing it, and the contracts of its spaces,
    /// through their gates.
    ///
    /// # Errors
    /// All findings of the gates, when one of them is an error, or there is no such composition.
    pub fn from_contracts(
        name: &str,
        contracts: &[(&Base, &Domain)],
        compositions: &Compositions,
    ) -> Result<Self, Vec<Diagnostic>> {
        let resolved: Vec<_> = contracts
            .iter()
            .map(|(base, domain)| Model::resolve(base, domain).map(Arc::new))
            .collect();
        let declared = contracts
            .iter()
            .zip(&resolved)
            .map(|((base, _), model)| Declared {
                name: &base.meta.name.value,
                span: base.span(),
                model: model.clone(),
            });
        let found = check_compositions(compositions, &declared.collect::<Vec<_>>());
        let mut diagnostics = found.diagnostics;
        let mut models = BTreeMap::new();
        let none = Triggers::default();
        for (base, domain) in contracts {
            let triggers = found.triggers.get(&base.meta.name.value).unwrap_or(&none);
            let checked = check_with(base, domain, triggers);
            diagnostics.extend(checked.diagnostics);
            models.extend(
                checked
                    .model
                    .map(|model| (model.name.clone(), Arc::new(model))),
            );
        }
        let failed = diagnostics
            .iter()
            .any(|one| one.severity() == Severity::Error);
        let composed = found.composed.into_iter().find(|one| one.name == name);
        match composed {
            Some(mut composed) if !failed => {
                for component in &mut composed.components {
                    if let Some(model) = models.get(&component.name) {
                        component.model = Arc::clone(model);
                    }
                }
                Ok(Self::of(Arc::new(composed)))
            }
            _ if failed => Err(diagnostics),
            _ => {
                let message = format!("there is no composition `{name}`");
                let code = crate::diagnostic::Code::UNKNOWN_SPACE;
                diagnostics.push(Diagnostic::new(
                    code,
                    crate::contract::Span::default(),
                    message,
                ));
                Err(diagnostics)
            }
        }
    }

    /// The machine of a composition that has passed its gates: what
    /// [`check_folder`](crate::gates::check_folder) and [`check_compositions`] give.
    pub fn of(composed: Arc<Composed>) -> Self {
        let models = composed.components.iter().map(|one| Arc::clone(&one.model));
        Self {
            spaces: models.map(EffectSpace::of).collect(),
            composed,
        }
    }

    /// The interpreter form of a composition in generated types.
    pub fn typed(space: &impl ComposedSpace) -> Self {
        Self::of(Arc::new(space.composed().clone()))
    }

    /// The composition, resolved.
    pub fn composed(&self) -> &Composed {
        &self.composed
    }

    /// A component's machine.
    ///
    /// # Panics
    /// When there is no such component.
    pub fn space(&self, component: usize) -> &EffectSpace {
        &self.spaces[component]
    }

    /// Where runs start.
    pub fn initial(&self) -> ProductState {
        ProductState {
            states: self.spaces.iter().map(Space::initial).collect(),
            ctx: self.spaces.iter().map(Space::context).collect(),
            waiting: Vec::new(),
            rounds: vec![0; self.composed.loops.len()],
        }
    }

    /// An event by the names of its component and its own, its payload by field name; a field left
    /// out is none.
    ///
    /// # Errors
    /// When there is no such component or event, or the values do not fit it.
    pub fn event<'a>(
        &self,
        component: &str,
        name: &str,
        payload: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<Tagged, NameError> {
        let at = self.composed.component(component);
        let component = at.ok_or_else(|| NameError::Unknown(component.to_owned()))?;
        let event = self.spaces[component].event(name, payload)?;
        Ok(Tagged { component, event })
    }

    /// One step: of the component that the event is tagged with, or, when it is a sync event, of
    /// all that declare it and are not at their end. All of them are asked before one moves; when
    /// one of them does not handle it, none does.
    pub fn step(
        &self,
        state: &mut ProductState,
        event: Tagged,
        guards: &ComposedGuards,
    ) -> ProductStep {
        let parts = self.participants(state, &event);
        let mut moved = Vec::new();
        for (component, row) in parts {
            let from = state.states[component];
            let mut ctx = state.ctx[component].clone();
            let own = Values {
                index: row,
                values: event.event.values.clone(),
            };
            let guards = guards.of(&self.composed.components[component].name);
            match self.spaces[component].step(from, &mut ctx, own, guards) {
                Step::Handled { state: to, effect } => {
                    let one = Moved {
                        component,
                        from,
                        event: row,
                        to,
                        effect,
                    };
                    moved.push((one, ctx));
                }
                Step::Ignored { .. } => {
                    return ProductStep::Ignored {
                        event,
                        by: component,
                    };
                }
                Step::Rejected { reason, .. } => {
                    return ProductStep::Rejected {
                        event,
                        by: component,
                        reason,
                    };
                }
            }
        }
        ProductStep::Handled(self.commit(state, moved))
    }

    /// Who an event moves, and each one's row of it.
    pub fn participants(&self, state: &ProductState, event: &Tagged) -> Vec<(usize, usize)> {
        let own = (event.component, event.event.index);
        let Some(sync) = self.composed.sync_of(own.0, own.1) else {
            return vec![own];
        };
        let live = |(component, _): &&(usize, usize)| {
            !self
                .composed
                .is_terminal(*component, index(state.states[*component]))
        };
        let parts: Vec<_> = sync.parts.iter().filter(live).copied().collect();
        // When all are at their end, the one that was asked says so.
        if parts.is_empty() { vec![own] } else { parts }
    }

    /// Whether a component's next effect has to wait: another one is in a state that holds it.
    pub fn is_held(&self, state: &ProductState, component: usize) -> bool {
        self.composed
            .holds
            .iter()
            .any(|hold| hold.held == component && index(state.states[hold.by]) == hold.state)
    }

    /// Whether nothing moves any more by itself: each component is at its end, or was never started
    /// and those that would have started it are. `idle` says of a component that it has no effect.
    pub fn is_complete(&self, state: &ProductState, idle: impl Fn(usize) -> bool) -> bool {
        let states: Vec<_> = state.states.iter().map(|state| index(*state)).collect();
        state.waiting.is_empty() && self.composed.is_complete(&states, idle)
    }

    /// The states in words: `retrieval.Found, reasoning.Answered`.
    pub fn describe(&self, state: &ProductState) -> String {
        let states: Vec<_> = state.states.iter().map(|state| index(*state)).collect();
        self.composed.describe(&states)
    }

    /// Guards that rules name and `guards` does not implement, as `component.guard`.
    pub fn missing_guards(&self, guards: &ComposedGuards) -> Vec<String> {
        let components = self.composed.components.iter().zip(&self.spaces);
        components
            .flat_map(|(one, space)| {
                let missing = space.missing_guards(guards.of(&one.name));
                missing
                    .into_iter()
                    .map(|guard| format!("{}.{guard}", one.name))
            })
            .collect()
    }

    /// Takes over what components did, and lets the events wait that they are to be fed for it.
    pub(super) fn commit(
        &self,
        state: &mut ProductState,
        moved: Vec<(Moved, Vec<Value>)>,
    ) -> Vec<Moved> {
        let mut done = Vec::with_capacity(moved.len());
        for (one, ctx) in moved {
            state.states[one.component] = one.to;
            state.ctx[one.component] = ctx;
            done.push(one);
        }
        // Once all are where they are: a payload may come from any of them.
        for one in &done {
            let Some(rule) = self.rule(one) else { continue };
            for bridge in self.composed.reached(one.component, rule) {
                let fed = Fed {
                    bridge,
                    event: self.payload(state, bridge),
                };
                match state
                    .waiting
                    .binary_search_by_key(&bridge, |fed| fed.bridge)
                {
                    Ok(at) => state.waiting[at] = fed,
                    Err(at) => state.waiting.insert(at, fed),
                }
            }
        }
        done
    }

    fn rule(&self, moved: &Moved) -> Option<&Rule> {
        let model = &self.composed.components[moved.component].model;
        match model.cell(index(moved.from), moved.event) {
            Cell::Rule(rule) => Some(rule),
            Cell::Ignored | Cell::Empty => None,
        }
    }

    /// A bridge's event, from the slots as they are.
    fn payload(&self, state: &ProductState, bridge: usize) -> Values {
        let row = &self.composed.bridges[bridge];
        let fields = &self.composed.components[row.to].model.events[row.event].payload;
        let slots = row
            .payload
            .iter()
            .map(|(component, slot)| &state.ctx[*component][*slot]);
        Values {
            index: row.event,
            values: fed(fields, slots),
        }
    }
}

pub(super) fn index(state: StateId) -> usize {
    state.0.into()
}
