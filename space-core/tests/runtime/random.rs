//! Random contracts, handlers and senders: what holds of every run.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use space_core::machine::{
    EffectCall, EffectSpace, Fault, GuardTable, NamedEvent, Semantics, Space, StateId, Step,
    ValueHandler, Values,
};
use space_core::runtime::{
    Backoff, EffectPolicy, Finished, Limit, Limits, Observer, Policy, Record, Runner, Source,
    Termination,
};
use tokio::time::{sleep, timeout};

use crate::kit::{Contract, event};

const EFFECTS: [(&str, Semantics); 4] = [
    ("Look", Semantics::Query),
    ("Seek", Semantics::Query),
    ("Make", Semantics::Command),
    ("Undo", Semantics::Rollback),
];
const EVENTS: [&str; 4] = ["Go", "Yes", "No", "Push"];
const SLOW: Duration = Duration::from_hours(1000);

/// A contract by numbers: for every state and event a target, an effect, and a guard.
#[derive(Clone, Debug)]
struct Case {
    rules: Vec<Vec<(usize, usize, u8)>>,
    replies: Vec<u8>,
    says: Vec<(u64, u8)>,
    rounds: u64,
    clock: u64,
    timeout: Option<u64>,
    retries: u32,
    guard: bool,
}

fn cases() -> impl Strategy<Value = Case> {
    let rules = (2_usize..6).prop_flat_map(|states| {
        let rule = (0..=states, 0_usize..6, 0_u8..6);
        let row = prop::collection::vec(rule, EVENTS.len());
        prop::collection::vec(row, states)
    });
    let replies = prop::collection::vec(any::<u8>(), 1..20);
    let says = prop::collection::vec((0_u64..5, any::<u8>()), 0..12);
    let policy = (prop::option::of(1_u64..4), 0_u32..3);
    (
        rules,
        replies,
        says,
        0_u64..60,
        1_u64..60,
        policy,
        any::<bool>(),
    )
        .prop_map(
            |(rules, replies, says, rounds, clock, (timeout, retries), guard)| Case {
                rules,
                replies,
                says,
                rounds,
                clock,
                timeout,
                retries,
                guard,
            },
        )
}

impl Case {
    /// Passes the gates: every event is handled everywhere, `Go` could lead through all states, and
    /// `Quit` leads out of each.
    fn space(&self) -> EffectSpace {
        let states: Vec<_> = (0..=self.rules.len()).map(|at| format!("S{at}")).collect();
        let end = &states[self.rules.len()];
        let mut contract = Contract::new(&states.join(" ")).guard("open");
        for name in EVENTS {
            contract = contract.event(name, "", name == "Push");
        }
        contract = contract.event("Quit", "", true).event("Hush", "", true);
        for (name, semantics) in EFFECTS {
            let sentinel = if name == "Look" { "" } else { "No" };
            contract = contract.effect(name, "", semantics, "Yes No", sentinel);
        }
        contract = contract.effect("Close", "", Semantics::Stop, "", "");
        for (state, row) in self.rules.iter().enumerate() {
            for (on, (to, effect, guard)) in EVENTS.iter().zip(row) {
                let next = state + 1;
                let to = if *on == "Go" { &next } else { to };
                let effect = match EFFECTS.get(*effect) {
                    _ if *to == self.rules.len() => ["Close", ""][effect % 2],
                    Some((name, _)) => name,
                    None => "",
                };
                let guard = if *guard == 0 { "open" } else { "" };
                contract = contract.guarded(&states[state], on, &states[*to], effect, guard);
            }
        }
        contract
            .rule("*", "Quit", end, "Close")
            .ignored("*", "Hush")
            .space()
    }

    fn policy(&self) -> Policy {
        let policy = |semantics| EffectPolicy {
            timeout: self.timeout.map(Duration::from_secs),
            retries: if semantics == Semantics::Query {
                self.retries
            } else {
                0
            },
            backoff: Backoff::default(),
            idempotent: false,
        };
        EFFECTS
            .iter()
            .fold(Policy::new().seed(9), |all, (name, semantics)| {
                all.effect(*name, policy(*semantics))
            })
    }
}

/// Answers by a list of numbers, in a circle.
struct Numbers {
    replies: Vec<u8>,
    calls: usize,
}

impl ValueHandler for Numbers {
    async fn perform(&mut self, effect: EffectCall<'_>) -> Result<Option<NamedEvent>, Fault> {
        let reply = self.replies[self.calls % self.replies.len()];
        self.calls += 1;
        if reply.is_multiple_of(3) {
            sleep(Duration::from_secs(u64::from(reply / 16))).await;
        }
        let name = match reply % 16 {
            _ if effect.semantics == Semantics::Stop => return Ok(None),
            0..7 => "Yes",
            7..12 => "No",
            12 => return Err(Fault::domain("no luck")),
            13 => return Err(Fault::escape("no hope")),
            14 => {
                sleep(SLOW).await;
                "Yes"
            }
            _ => panic!("no nerves"),
        };
        Ok(Some(NamedEvent {
            name: name.to_owned(),
            payload: Vec::new(),
        }))
    }
}

/// Checks the grammar of the records, and keeps the events.
#[derive(Default)]
struct Grammar {
    events: Vec<Values>,
    /// An event has been told, and not what became of it.
    unanswered: bool,
    /// A step took the place of an effect, and that effect has not been told. Holds whether the
    /// step asked for another.
    owed: Option<bool>,
    /// An effect has not started.
    waiting: bool,
    flying: Option<(u64, Semantics)>,
    started: BTreeSet<u64>,
    ended: bool,
}

impl Grammar {
    fn land(&mut self, sequence: u64) {
        assert_eq!(self.flying.take().unwrap().0, sequence);
    }
}

impl Observer<EffectSpace> for Grammar {
    fn record(&mut self, space: &EffectSpace, record: &Record<'_, EffectSpace>) {
        assert!(!self.ended);
        assert!(self.owed.is_none() || matches!(record, Record::Superseded { .. }));
        match *record {
            Record::Started { state } => assert_eq!(state, space.initial()),
            Record::Event { source, event } => {
                assert!(!self.unanswered);
                self.unanswered = true;
                self.events.push(event.clone());
                match source {
                    Source::Start => assert_eq!(self.events.len(), 1),
                    Source::Outcome { sequence }
                    | Source::Sentinel { sequence, .. }
                    | Source::TimedOut { sequence, .. } => self.land(sequence),
                    Source::External => {
                        assert!(space.model().events[event.index].external);
                        // Only a query is interrupted.
                        let flying = self.flying.map(|(_, semantics)| semantics);
                        assert!(flying.is_none_or(|semantics| semantics == Semantics::Query));
                    }
                    Source::LoopBack { .. } => panic!("the contract has no loop"),
                }
            }
            Record::Stepped { effect, .. } => {
                assert!(std::mem::take(&mut self.unanswered));
                if self.waiting || self.flying.is_some() {
                    self.owed = Some(effect.is_some());
                } else {
                    self.waiting = effect.is_some();
                }
            }
            Record::Ignored { .. } | Record::Rejected { .. } => {
                assert!(std::mem::take(&mut self.unanswered));
            }
            Record::Intent {
                semantics,
                sequence,
                attempt,
                ..
            } => {
                assert!(!self.unanswered);
                if attempt == 1 {
                    assert!(std::mem::take(&mut self.waiting));
                    assert!(self.flying.is_none() && self.started.insert(sequence));
                } else {
                    assert_eq!(semantics, Semantics::Query);
                }
                self.flying = Some((sequence, semantics));
            }
            Record::Retried { sequence, .. } => assert_eq!(self.flying.unwrap().0, sequence),
            Record::Superseded { sequence, .. } => {
                match sequence {
                    Some(sequence) => self.land(sequence),
                    None => assert!(self.waiting && self.flying.is_none()),
                }
                self.waiting = self.owed.take().unwrap();
            }
            Record::Unread { event } => assert!(space.model().events[event.index].external),
            Record::Ended { .. } => {
                assert!(!self.unanswered);
                self.ended = true;
            }
        }
    }
}

type Ended = Finished<EffectSpace, Numbers, Grammar>;

/// Runs a case. Fails when it does not end.
async fn play(case: &Case, guards: &Arc<GuardTable>) -> Ended {
    let space = case.space();
    let limits = Limits::new()
        .rounds(case.rounds)
        .clock(Duration::from_secs(case.clock));
    let handler = Numbers {
        replies: case.replies.clone(),
        calls: 0,
    };
    let mut runner = Runner::new(space.clone(), Arc::clone(guards), handler)
        .limits(limits)
        .policy(case.policy())
        .observe(Grammar::default());
    let handle = runner.handle();
    let talk = async {
        for (pause, say) in &case.says {
            sleep(Duration::from_secs(*pause)).await;
            let name = match say % 16 {
                0 => {
                    handle.suspend();
                    continue;
                }
                1 => {
                    handle.cancel();
                    continue;
                }
                2 => "Quit",
                3..8 => "Hush",
                _ => "Push",
            };
            let _ = handle.send(event(&space, name, ""));
        }
        drop(handle);
    };
    let start = event(&space, "Go", "");
    let (ended, ()) = tokio::join!(timeout(SLOW, runner.run(start)), talk);
    ended.unwrap().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn every_run_ends_and_can_be_replayed(case in cases()) {
        let open = case.guard;
        let guards = Arc::new(GuardTable::default().with("open", move |_, _| open));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let ended = runtime.block_on(play(&case, &guards));
        let usage = &ended.usage;
        prop_assert!(usage.rounds <= case.rounds);
        prop_assert!(usage.elapsed <= Duration::from_secs(case.clock) + Duration::from_millis(1));
        let log = &ended.observer;
        // A panicking handler is an end that is told like any other.
        prop_assert!(log.ended);
        prop_assert_eq!(log.events.len() as u64, usage.rounds);
        let started: u64 = usage.effects.values().sum();
        prop_assert_eq!(log.started.len() as u64, started);
        if let Termination::Limit { limit: Limit::Rounds { used, allowed }, .. } = &ended.termination {
            prop_assert_eq!((*used, *allowed), (case.rounds, case.rounds));
        }

        let space = case.space();
        let (mut state, mut ctx) = (space.initial(), space.context());
        for event in &log.events {
            if let Step::Handled { state: next, .. } = space.step(state, &mut ctx, event.clone(), &guards) {
                state = next;
            }
        }
        prop_assert_eq!((state, &ctx), (ended.state, &ended.ctx));
        let end = StateId(u16::try_from(case.rules.len()).unwrap());
        if ended.termination.is_completed() {
            prop_assert_eq!(state, end);
        }

        // Equal inputs, equal runs.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let again = runtime.block_on(play(&case, &guards));
        prop_assert_eq!(&again.termination, &ended.termination);
        prop_assert_eq!(&again.observer.events, &log.events);
    }
}
