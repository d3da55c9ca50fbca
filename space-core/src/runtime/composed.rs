//! Compositions on the runner: several machines, each with at most one effect in flight.

mod drive;
mod ending;
mod flight;
mod handle;
mod record;
mod steps;

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex};

use super::inbox::Receiver;
use super::plan::Plan;
use super::runner::caught;
use super::{Limits, Meter, Policy, Refusal, Refused, Termination, Usage, refusal};
use crate::compose::{ComposedGuards, ComposedSpace, Product, ProductState, Tagged};
use crate::graph::Composed;
use crate::machine::{Dispatch, EffectSpace, Semantics, Space, ValueHandler};
use drive::Run;
use flight::{Erased, Lender, Slot, Typed, Untyped};
pub use handle::ComposedHandle;
pub use record::{Cause, ComposedLog, ComposedObserver, ComposedRecord};

/// Runs a composition from one or several events to an end.
///
/// Each component has a handler of its own, and at most one effect in flight; the effects of
/// different components are in flight at once. Outcomes are stepped, and told, in the order in which
/// they arrive. What bridges feed is stepped before anything else, unless its target has an effect
/// that must not be dropped; the same holds for what comes from outside. While a component is held,
/// its next effect does not start: what is in flight comes home.
///
/// Effects in [`Limits`] and [`Policy`] are named `component.Effect`.
pub struct ComposedRunner<O = ()> {
    product: Arc<Product>,
    guards: ComposedGuards,
    handlers: BTreeMap<String, Box<dyn Erased>>,
    limits: Limits,
    policy: Policy,
    meter: Meter,
    observer: O,
    inbox: Option<Receiver<Tagged>>,
}

/// A run of a composition that has ended.
#[derive(Debug)]
pub struct ComposedFinished<O = ()> {
    /// Where, and everything else that it was in.
    pub state: ProductState,
    /// How. States and effects are named with their components.
    pub termination: Termination,
    /// What it used.
    pub usage: Usage,
    /// The observer, back.
    pub observer: O,
    handlers: BTreeMap<String, Box<dyn Any + Send>>,
}

impl<O> ComposedFinished<O> {
    /// The handler of a component, back; none when it had none of this type, or it was taken before.
    pub fn handler<H: 'static>(&mut self, component: &str) -> Option<H> {
        let handler = self.handlers.remove(component)?;
        match handler.downcast() {
            Ok(handler) => Some(*handler),
            Err(other) => {
                self.handlers.insert(component.to_owned(), other);
                None
            }
        }
    }
}

impl ComposedRunner {
    /// A runner without handlers, limits and observer.
    pub fn new(product: Arc<Product>, guards: ComposedGuards) -> Self {
        Self {
            product,
            guards,
            handlers: BTreeMap::new(),
            limits: Limits::default(),
            policy: Policy::default(),
            meter: Meter::default(),
            observer: (),
            inbox: None,
        }
    }
}

impl ComposedRunner {
    /// A runner of a composition in generated types, without handlers, limits and observer: hand it
    /// one [`ComposedRunner::typed`] handler for each component, start it with
    /// [`ComposedSpace::tagged`] events, and read where it ended with [`ComposedSpace::decode`].
    pub fn of<P>(space: P, guards: P::Guards) -> Self
    where
        P: ComposedSpace<Guards: Sized + Send + Sync> + Copy + Send + Sync + 'static,
        P::Guards: 'static,
    {
        let product = Product::typed(&space);
        Self::new(Arc::new(product), ComposedGuards::typed(space, guards))
    }
}

impl<O> ComposedRunner<O> {
    /// With the handler of one more component; the last of one name counts.
    #[must_use]
    pub fn handler(
        mut self,
        component: impl Into<String>,
        handler: impl ValueHandler + Send + 'static,
    ) -> Self {
        self.handlers
            .insert(component.into(), Box::new(Untyped(handler)));
        self
    }

    /// As [`ComposedRunner::handler`], with a handler of the component's generated types.
    #[must_use]
    pub fn typed<S, H>(mut self, component: impl Into<String>, space: S, handler: H) -> Self
    where
        S: Dispatch<H> + Send + Sync + 'static,
        H: Send + 'static,
    {
        self.handlers
            .insert(component.into(), Box::new(Typed { space, handler }));
        self
    }

    /// With these limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// With this policy.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// With the meter that the handlers report to.
    #[must_use]
    pub fn meter(mut self, meter: Meter) -> Self {
        self.meter = meter;
        self
    }

    /// With this observer.
    #[must_use]
    pub fn observe<P>(self, observer: P) -> ComposedRunner<P> {
        ComposedRunner {
            product: self.product,
            guards: self.guards,
            handlers: self.handlers,
            limits: self.limits,
            policy: self.policy,
            meter: self.meter,
            observer,
            inbox: self.inbox,
        }
    }

    /// A handle to the run that is going to be.
    pub fn handle(&mut self) -> ComposedHandle {
        let inbox = self.inbox.get_or_insert_with(Receiver::new).inbox();
        ComposedHandle::new(Arc::clone(&self.product), inbox)
    }

    /// Runs from these events, stepped in their order, to an end. They need not be external.
    ///
    /// Panics of handlers, guards and observer end the run as an escape.
    ///
    /// # Errors
    /// When the run cannot start, with everything that is wrong. Nothing has happened then.
    pub async fn run(
        self,
        starts: impl IntoIterator<Item = Tagged>,
    ) -> Result<ComposedFinished<O>, Refused>
    where
        O: ComposedObserver,
    {
        let Self {
            product,
            guards,
            handlers,
            limits,
            policy,
            meter,
            observer,
            inbox,
        } = self;
        check(&product, &guards, &handlers, &limits, &policy)?;
        let composed = product.composed();
        let mut handlers = handlers;
        let lent = composed
            .components
            .iter()
            .map(|one| -> Lender { Arc::new(Mutex::new(handlers.remove(&one.name))) });
        let slots = lent.map(Slot::new).collect();
        // Of the run only; what limits and policy say of effects is looked at where they start.
        let whole = Limits {
            counts: BTreeMap::new(),
            times: BTreeMap::new(),
            ..limits.clone()
        };
        let model = product.space(0).model();
        let drawn = Policy::new().seed(policy.seed);
        let plan = Plan::new(model, &whole, &drawn, meter);
        let mut run = Run::new(
            Arc::clone(&product),
            guards,
            observer,
            inbox,
            plan,
            (limits, policy),
            slots,
        );
        let span = tracing::info_span!(
            target: "space::run",
            "run",
            space = product.composed().name
        );
        let driven = {
            use tracing::Instrument as _;
            let driven = run.drive(starts.into_iter().collect()).instrument(span);
            caught(pin!(driven)).await
        };
        let termination = driven.unwrap_or_else(|panic| run.escape(None, panic, true));
        // It may have been the observer that panicked, and it may do so again.
        let told = catch_unwind(AssertUnwindSafe(|| run.finish(&termination)));
        let usage = told.unwrap_or_else(|_| run.usage());
        let names = composed.components.iter().map(|one| one.name.clone());
        let slots = names.zip(std::mem::take(&mut run.slots));
        let handlers = slots.filter_map(|(name, slot)| Some((name, slot.handler()?)));
        Ok(ComposedFinished {
            handlers: handlers.collect(),
            state: run.state,
            termination,
            usage,
            observer: run.observer,
        })
    }
}

impl<O> fmt::Debug for ComposedRunner<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComposedRunner")
            .field("composition", &self.product.composed().name)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Everything that is wrong with a run before it starts.
fn check(
    product: &Product,
    guards: &ComposedGuards,
    handlers: &BTreeMap<String, Box<dyn Erased>>,
    limits: &Limits,
    policy: &Policy,
) -> Result<(), Refused> {
    let composed = product.composed();
    let missing = product.missing_guards(guards).into_iter();
    let mut reasons: Vec<_> = missing
        .map(|guard| Refusal::MissingGuard { guard })
        .collect();
    for one in &composed.components {
        // A component that asks for nothing needs nobody to answer.
        if !one.model.effects.is_empty() && !handlers.contains_key(&one.name) {
            let component = one.name.clone();
            reasons.push(Refusal::MissingHandler { component });
        }
        if limits.rounds.is_none() && limits.clock.is_none() {
            reasons.extend(refusal::cycle(&one.model));
        }
    }
    reasons.extend(refusal::effects(limits, policy, |name| {
        semantics(composed, name)
    }));
    if reasons.is_empty() {
        return Ok(());
    }
    Err(Refused {
        space: composed.name.clone(),
        reasons,
    })
}

/// What the effect of a name does to the world.
fn semantics(composed: &Composed, name: &str) -> Option<Semantics> {
    let (component, effect) = name.split_once('.')?;
    let model = &composed.components[composed.component(component)?].model;
    Some(model.effects[model.effect(effect)?].semantics)
}

/// `component.Effect`.
fn effect_name(product: &Product, component: usize, effect: usize) -> String {
    let one = &product.composed().components[component];
    format!("{}.{}", one.name, one.model.effects[effect].name)
}

/// The machine of a component, to be moved into what answers its effects.
fn space_of(product: &Product, component: usize) -> EffectSpace {
    product.space(component).clone()
}
