//! The runs of one model as a graph of configurations.

use std::ops::Range;

use crate::contract::Semantics;
use crate::graph::Model;

/// The graph of configurations of a model: a state together with what the run waits for there.
///
/// A rule that is used always leads to the same configuration (its target and its effect), so
/// edges are rules and are not stored: there are at most as many configurations as rules, and one
/// more for the start.
///
/// What may happen next in a configuration:
///
/// * at the **start**, every event that the initial state has a rule for: somebody begins the run;
/// * while an **effect** is pending, the effect's `returns` (every event, when it does not say),
///   and every external event: the inbox is looked at before the effect starts and while it is
///   in flight. An external event that is handled drops the effect;
/// * with **nothing** pending, external events only;
/// * in the trigger state of a feedback loop also its loopback event, which is stepped from the
///   source state of the first rule that accepts it. Where the run would otherwise end, the
///   loopback alone is next: feedback takes precedence over completion.
///
/// A guard may answer either way, independently each time. Its refusal of an answer ends the run
/// as rejected, its refusal of an external event changes nothing: neither is a step, and neither
/// is a complete run.
///
/// A run is **complete** in a terminal state, and after an effect of semantics `stop`. A run that
/// waits in a state that handles nothing is neither complete nor goes on.
#[derive(Clone, Debug)]
pub struct Configurations<'m> {
    /// The model.
    pub model: &'m Model,
    nodes: Vec<Configuration>,
    /// The configuration that each rule leads to.
    into: Vec<usize>,
    /// Sorted answers of each effect; `None` is every event.
    answers: Vec<Option<Vec<usize>>>,
    /// Trigger states and the rule that their loopback uses, sorted.
    loops: Vec<(usize, usize)>,
}

/// A state and what the run waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Configuration {
    /// The state.
    pub state: usize,
    /// What the run waits for.
    pub pending: Pending,
}

/// What a run waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pending {
    /// The event that begins it.
    Start,
    /// An external event.
    Nothing,
    /// The answer to this effect.
    Effect(usize),
}

/// The number of the configuration in which runs begin.
pub const START: usize = 0;

impl<'m> Configurations<'m> {
    /// The graph of a model, with loopbacks given as trigger state and event. A loopback that no
    /// rule accepts is left out: it is rejected. `O(r log r)` in the rules.
    pub fn new(model: &'m Model, loopbacks: &[(usize, usize)]) -> Self {
        let target = |rule: &crate::graph::Rule| Configuration {
            state: rule.to,
            pending: rule.effect.map_or(Pending::Nothing, Pending::Effect),
        };
        let mut nodes: Vec<_> = model.rules.iter().map(target).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let at = |rule| nodes.binary_search(&target(rule)).unwrap_or_default() + 1;
        let into = model.rules.iter().map(at).collect();
        nodes.insert(
            START,
            Configuration {
                state: model.initial,
                pending: Pending::Start,
            },
        );
        let sorted = |returns: &Option<Vec<usize>>| {
            returns.clone().map(|mut events| {
                events.sort_unstable();
                events
            })
        };
        let landing = |event| {
            (0..model.rules.len())
                .filter(|rule| model.rules[*rule].on == event)
                .min_by_key(|rule| (model.rules[*rule].row, model.rules[*rule].from))
        };
        let mut loops: Vec<_> = loopbacks
            .iter()
            .filter_map(|(state, event)| Some((*state, landing(*event)?)))
            .collect();
        loops.sort_unstable();
        loops.dedup();
        Self {
            model,
            nodes,
            into,
            answers: model
                .effects
                .iter()
                .map(|row| sorted(&row.returns))
                .collect(),
            loops,
        }
    }

    /// How many there are, unreachable ones included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none; there always is [`START`].
    pub fn is_empty(&self) -> bool {
        false
    }

    /// A configuration by number.
    pub fn node(&self, node: usize) -> Configuration {
        self.nodes[node]
    }

    /// The number of the configuration that a rule leads to.
    pub fn into(&self, rule: usize) -> usize {
        self.into[rule]
    }

    /// Whether the run is complete there.
    pub fn complete(&self, node: usize) -> bool {
        self.ends(node) && self.loops_of(node).is_empty()
    }

    /// The rules that may be used next, those of loopbacks last.
    pub fn moves(&self, node: usize) -> impl Iterator<Item = usize> {
        let Configuration { state, pending } = self.nodes[node];
        let rules = if self.ends(node) {
            0..0
        } else {
            self.model.starts[state]..self.model.starts[state + 1]
        };
        let loops = self.loops_of(node).iter().map(|(_, rule)| *rule);
        rules
            .filter(move |rule| self.takes(pending, self.model.rules[*rule].on))
            .chain(loops)
    }

    /// The configurations from which a rule may lead to its target.
    pub fn sources(&self, rule: usize) -> impl Iterator<Item = usize> {
        let Self { model, loops, .. } = self;
        let from = model.rules[rule].from;
        let start = (from == model.initial).then_some(START);
        let looped = loops
            .iter()
            .filter(move |(_, one)| *one == rule)
            .flat_map(|(state, _)| self.of_state(*state));
        start
            .into_iter()
            .chain(self.of_state(from))
            .filter(move |node| {
                !self.ends(*node) && self.takes(self.nodes[*node].pending, model.rules[rule].on)
            })
            .chain(looped)
    }

    fn takes(&self, pending: Pending, event: usize) -> bool {
        let external = self.model.events[event].external;
        match pending {
            Pending::Start => true,
            Pending::Nothing => external,
            Pending::Effect(effect) => {
                external
                    || self.answers[effect]
                        .as_ref()
                        .is_none_or(|events| events.binary_search(&event).is_ok())
            }
        }
    }

    /// Whether nothing but a loopback can come.
    fn ends(&self, node: usize) -> bool {
        let Configuration { state, pending } = self.nodes[node];
        let stopped = |effect: usize| self.model.effects[effect].semantics == Semantics::Stop;
        self.model.states[state].terminal || matches!(pending, Pending::Effect(one) if stopped(one))
    }

    /// Loopbacks are fed on entering a state, so never at the start.
    fn loops_of(&self, node: usize) -> &[(usize, usize)] {
        if node == START {
            return &[];
        }
        let state = self.nodes[node].state;
        let start = self.loops.partition_point(|(at, _)| *at < state);
        let end = self.loops.partition_point(|(at, _)| *at <= state);
        &self.loops[start..end]
    }

    /// The configurations of a state, but for the start.
    fn of_state(&self, state: usize) -> Range<usize> {
        let rest = &self.nodes[1..];
        let start = rest.partition_point(|node| node.state < state);
        let end = rest.partition_point(|node| node.state <= state);
        start + 1..end + 1
    }
}
