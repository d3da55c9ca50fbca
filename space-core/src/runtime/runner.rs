//! The runner.

use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use tracing::Instrument as _;

use super::alarm::Alarm;
use super::flight::drive;
use super::inbox::Receiver;
use super::plan::Plan;
use super::run::Run;
use super::{Handle, Limits, Meter, Observer, Policy, Refused, Termination, Usage, refusal};
use crate::machine::{Dispatch, Space};

/// Runs a machine with a handler.
///
/// A handler answers each effect with one event; the machine decides what comes next:
///
/// ```
/// use std::sync::Arc;
///
/// use space_core::machine::{EffectCall, Fault, GuardTable, NamedEvent, Value, ValueHandler};
/// use space_core::runtime::{Limits, Log, Runner};
/// # use space_core::contract::{
/// #     Base, Domain, Effect, Event, Field, FromStates, Meta, Semantics, Span, State, Transition,
/// #     Type,
/// # };
/// # use space_core::machine::EffectSpace;
/// # fn lookup() -> EffectSpace {
/// #     let meta = Meta { name: "lookup".into(), ..Meta::default() };
/// #     let field = |name: &str| Field {
/// #         name: name.into(),
/// #         ty: Some(Type::Text).into(),
/// #         doc: None,
/// #     };
/// #     let state = |name: &str| State {
/// #         name: name.into(),
/// #         is_initial: (name == "Idle").then(|| true.into()),
/// #         ..State::default()
/// #     };
/// #     let event = |name: &str, payload: &str| Event {
/// #         name: name.into(),
/// #         payload: vec![field(payload)],
/// #         ..Event::default()
/// #     };
/// #     let rule = |from: &str, on: &str, to: &str, effect: Option<&str>| Transition {
/// #         from: FromStates::States(vec![from.into()]).into(),
/// #         on: on.into(),
/// #         to: to.into(),
/// #         guard: None,
/// #         effect: effect.map(Into::into),
/// #         args: effect.map(|_| "query".into()).into_iter().collect(),
/// #         args_from: vec![],
/// #         assign: vec![],
/// #         assign_from: vec![],
/// #         doc: None,
/// #         span: Span::default(),
/// #     };
/// #     let base = Base {
/// #         meta: meta.clone(),
/// #         states: ["Idle", "Searching", "Found", "Failed"].map(state).into(),
/// #         events: vec![event("Asked", "query"), event("Hit", "text"), event("Miss", "error")],
/// #         effects: vec![Effect {
/// #             name: "Search".into(),
/// #             doc: None,
/// #             args: vec![field("query")],
/// #             semantics: Some(Semantics::Query).into(),
/// #             returns: Some(vec!["Hit".into(), "Miss".into()].into()),
/// #             sentinel: Some("Miss".into()),
/// #         }],
/// #         ..Base::default()
/// #     };
/// #     let domain = Domain {
/// #         meta,
/// #         transitions: vec![
/// #             rule("Idle", "Asked", "Searching", Some("Search")),
/// #             rule("Searching", "Hit", "Found", None),
/// #             rule("Searching", "Miss", "Failed", None),
/// #         ],
/// #         ..Domain::default()
/// #     };
/// #     EffectSpace::from_contract(&base, &domain, &[]).unwrap()
/// # }
///
/// /// `Search` answers with `Hit` or `Miss`; a fault becomes its sentinel, `Miss`.
/// struct Shelf(Vec<&'static str>);
///
/// impl ValueHandler for Shelf {
///     async fn perform(&mut self, effect: EffectCall<'_>) -> Result<Option<NamedEvent>, Fault> {
///         let Some(Value::Text(query)) = effect.arg("query") else {
///             return Err(Fault::escape("a search without a query"));
///         };
///         let hit = self.0.iter().find(|book| book.contains(query.as_str()));
///         let text = hit.ok_or_else(|| Fault::domain("not on the shelf"))?;
///         let payload = vec![("text".to_owned(), Value::Text((*text).to_owned()))];
///         Ok(Some(NamedEvent { name: "Hit".to_owned(), payload }))
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let space = lookup();
/// let asked = space.event("Asked", [("query", Value::Text("Mealy".to_owned()))]).unwrap();
/// let ended = Runner::new(space, Arc::new(GuardTable::default()), Shelf(vec!["Moore"]))
///     .limits(Limits::new().rounds(10))
///     .observe(Log::new())
///     .run(asked)
///     .await
///     .unwrap();
/// assert_eq!(ended.termination.to_string(), "completed in `Failed`");
/// assert_eq!(
///     ended.observer.lines()[4],
///     r#"sentinel #1 [not on the shelf]: Miss(error: "not on the shelf")"#
/// );
/// # });
/// ```
///
/// The executor is tokio's. A timer is needed only when something has to be waited for while a
/// clock, a time-out or a pause is running; without them the run makes none.
pub struct Runner<S: Space, H, O = ()> {
    space: S,
    guards: Arc<S::Guards>,
    handler: H,
    limits: Limits,
    policy: Policy,
    meter: Meter,
    observer: O,
    inbox: Option<Receiver<S::Event>>,
}

/// A run that has ended.
#[derive(Debug)]
pub struct Finished<S: Space, H, O = ()> {
    /// Where.
    pub state: S::State,
    /// The slots.
    pub ctx: S::Ctx,
    /// How.
    pub termination: Termination,
    /// What it used.
    pub usage: Usage,
    /// The handler, back.
    pub handler: H,
    /// The observer, back.
    pub observer: O,
}

impl<S: Space, H> Runner<S, H> {
    /// A runner without limits, policy and observer.
    pub fn new(space: S, guards: Arc<S::Guards>, handler: H) -> Self {
        Self {
            space,
            guards,
            handler,
            limits: Limits::default(),
            policy: Policy::default(),
            meter: Meter::default(),
            observer: (),
            inbox: None,
        }
    }
}

impl<S: Space, H, O> Runner<S, H, O> {
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

    /// With the meter that the handler reports to.
    #[must_use]
    pub fn meter(mut self, meter: Meter) -> Self {
        self.meter = meter;
        self
    }

    /// With this observer; a pair of observers is one.
    #[must_use]
    pub fn observe<P>(self, observer: P) -> Runner<S, H, P> {
        Runner {
            space: self.space,
            guards: self.guards,
            handler: self.handler,
            limits: self.limits,
            policy: self.policy,
            meter: self.meter,
            observer,
            inbox: self.inbox,
        }
    }

    /// A handle to the run that is going to be. A runner that never gave one cannot be reached.
    pub fn handle(&mut self) -> Handle<S>
    where
        S: Clone,
    {
        let inbox = self.inbox.get_or_insert_with(Receiver::new).inbox();
        Handle::new(self.space.clone(), inbox)
    }

    /// Runs from an event to an end. The event need not be external.
    ///
    /// Panics of handler, guards and observer end the run as an escape. When the future is dropped
    /// the run is as if the process had crashed: nothing more is told.
    ///
    /// # Errors
    /// When the run cannot start, with everything that is wrong. Nothing has happened then.
    pub async fn run(self, event: S::Event) -> Result<Finished<S, H, O>, Refused>
    where
        S: Dispatch<H>,
        O: Observer<S>,
    {
        let Self {
            space,
            guards,
            mut handler,
            limits,
            policy,
            meter,
            observer,
            inbox,
        } = self;
        refusal::check(&space, &guards, &limits, &policy)?;
        let plan = Plan::new(space.model(), &limits, &policy, meter);
        drop((limits, policy));
        let mut run = Run {
            guards,
            state: space.initial(),
            ctx: space.context(),
            observer,
            inbox,
            plan,
            alarm: Alarm::default(),
            flight: None,
            entered: false,
            loops: Vec::new(),
        };
        let span = tracing::info_span!(
            target: "space::run",
            "run",
            space = space.model().name
        );
        let driven = {
            let driven = drive(&space, &mut handler, &mut run, event).instrument(span);
            caught(pin!(driven)).await
        };
        let termination = driven.unwrap_or_else(|panic| run.escape(&space, panic, true));
        // It may have been the observer that panicked, and it may do so again.
        let told = catch_unwind(AssertUnwindSafe(|| run.finish(&space, &termination)));
        let usage = told.unwrap_or_else(|_| run.plan.usage(space.model()));
        Ok(Finished {
            state: run.state,
            ctx: run.ctx,
            termination,
            usage,
            handler,
            observer: run.observer,
        })
    }
}

impl<S: Space, H, O> fmt::Debug for Runner<S, H, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("space", &self.space.model().name)
            .field("limits", &self.limits)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

/// What a future comes to, or the message of its panic. Wrapped around the whole loop: a catch a
/// poll, not a catch a round.
pub(super) async fn caught<F: Future>(mut future: Pin<&mut F>) -> Result<F::Output, String> {
    poll_fn(|cx| {
        // What a panic leaves behind is looked at only to say where it was.
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(panic) => Poll::Ready(Err(message(panic.as_ref()))),
        }
    })
    .await
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}
