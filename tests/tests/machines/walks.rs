//! The machines run: random walks of the interpreter, as a runner and its handlers would drive it.

use std::collections::BTreeSet;

use space_core::contract::{Semantics, Value};
use space_core::machine::{EffectSpace, GuardTable, Space, Step};
use space_core::parse::folder;

use super::{machines, name};

const WALKS: u64 = 2000;
const STEPS: usize = 60;

#[test]
fn walks_meet_no_refusal_and_use_every_rule() {
    for machine in machines() {
        let folder = folder::read(&machine, ".");
        for pair in &folder.pairs {
            let space = EffectSpace::from_contract(&pair.base, &pair.domain, &[]).unwrap();
            let mut used = BTreeSet::new();
            for seed in 1..=WALKS {
                walk(&space, seed, &mut used);
            }
            let rules = space.model().rules.iter();
            let all: BTreeSet<_> = rules.map(|rule| (rule.from, rule.on)).collect();
            if folder.composition.is_none() {
                assert_eq!(used, all, "{}: rules that were used", pair.stem);
            } else {
                // In a composition others bring events that a space alone never gets.
                assert!(used.is_subset(&all) && !used.is_empty(), "{}", pair.stem);
            }
        }
        assert!(!folder.pairs.is_empty(), "{}", name(&machine));
    }
}

/// One run: a first event that the initial state knows, then answers of the pending effect and
/// events from outside. Notes the states and events that were handled.
fn walk(space: &EffectSpace, seed: u64, used: &mut BTreeSet<(usize, usize)>) {
    let model = space.model();
    let mut dice = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut ctx = space.context();
    let mut state = space.initial();
    let mut next: Vec<usize> = model
        .rules_of(model.initial)
        .iter()
        .map(|rule| rule.on)
        .collect();
    for _ in 0..STEPS {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        let draw = usize::try_from(dice >> 40).unwrap();
        let index = next[draw % next.len()];
        let payload = model.events[index].payload.iter();
        let values = payload.map(|_| Value::Text("x".to_owned())).collect();
        let event = space.event_from(index, values).unwrap();
        let from = state;
        match space.step(state, &mut ctx, event, &GuardTable::default()) {
            Step::Handled { state: to, effect } => {
                used.insert((space.state_index(from), index));
                state = to;
                let effect = effect.map(|effect| space.effect_index(&effect));
                let stops = |effect: usize| model.effects[effect].semantics == Semantics::Stop;
                if model.states[space.state_index(state)].terminal || effect.is_some_and(stops) {
                    return;
                }
                next = effect.map_or(Vec::new(), |effect| model.returns(effect));
                let events = model.events.iter().enumerate();
                next.extend(events.filter(|(_, row)| row.external).map(|(at, _)| at));
            }
            Step::Ignored { event } => assert!(model.events[event.index].external),
            Step::Rejected { event, reason } => {
                panic!("{}: {:?} {event:?} {reason:?}", model.name, state)
            }
        }
    }
}
