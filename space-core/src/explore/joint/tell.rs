//! Runs of a composition in words.

use std::collections::BTreeSet;

use super::super::check::Teller;
use super::super::verdict::Counterexample;
use super::graph::Joint;
use crate::contract::Span;
use crate::diagnostic::{Trace, TraceLine};

/// A run of more components than this does not begin with the starts of all.
const MANY: usize = 8;

impl Teller for Joint {
    fn place(&self, run: &[usize]) -> String {
        let shown = self.shown(run);
        let mut states: Vec<_> = self.initial().collect();
        for step in run {
            let step = self.step_of(*step);
            for (component, rule) in &step.moved {
                states[*component] = self.composed().components[*component].model.rules[*rule].to;
            }
            for component in &step.restarted {
                states[*component] = self.composed().components[*component].model.initial;
            }
        }
        let all = self.composed().components.iter().zip(states).enumerate();
        let words = all.filter(|(at, _)| shown.contains(at));
        let words =
            words.map(|(_, (one, state))| format!("{}.{}", one.name, one.model.states[state].name));
        let words = words.collect::<Vec<_>>().join(", ");
        match self.composed().components.len() - shown.len() {
            0 => words,
            rest => format!("{words} and {rest} more at their start"),
        }
    }

    fn trace(&self, found: &Counterexample) -> Trace {
        let mut lines: Vec<TraceLine> = Vec::new();
        let shown = self.shown(&found.run);
        for (component, state) in self.initial().enumerate() {
            if shown.contains(&component) {
                lines.push(self.line(component, state, None));
            }
        }
        let rest = self.composed().components.len() - shown.len();
        if rest > 0 {
            lines.push(TraceLine {
                component: None,
                joined: false,
                event: None,
                state: format!("{rest} more spaces at their start"),
                effect: None,
                span: None,
            });
        }
        for line in lines.iter_mut().skip(1) {
            line.joined = true;
        }
        let mut repeats = None;
        for (at, step) in found.run.iter().enumerate() {
            if found.repeats == Some(at) {
                repeats = Some(lines.len());
            }
            self.lines(*step, &mut lines);
        }
        Trace {
            lines,
            shortest: found.shortest,
            repeats,
        }
    }
}

impl Joint {
    /// The components whose start a run begins with: all of a few, of many those that it is about.
    fn shown(&self, run: &[usize]) -> BTreeSet<usize> {
        let all = self.composed().components.len();
        if all <= MANY {
            return (0..all).collect();
        }
        let steps = run.iter().map(|step| self.step_of(*step));
        let parts = steps.flat_map(|step| {
            let fed = step.fed.map(|at| self.composed().bridges[at].to);
            let moved = step.moved.iter().map(|(component, _)| *component);
            moved.chain(step.restarted.iter().copied()).chain(fed)
        });
        parts.take(MANY).collect()
    }

    fn initial(&self) -> impl Iterator<Item = usize> {
        let components = self.composed().components.iter();
        components.map(|one| one.model.initial)
    }

    /// The events of a run, as `component.Event`.
    pub fn words(&self, run: &[usize]) -> Vec<String> {
        let words = run.iter().map(|step| {
            let step = self.step_of(*step);
            let (component, event, refused) = match (step.moved.first(), step.fed) {
                (Some((component, rule)), _) => {
                    let model = &self.composed().components[*component].model;
                    (*component, model.rules[*rule].on, "")
                }
                (None, fed) => {
                    let row = &self.composed().bridges[fed.unwrap_or_default()];
                    (row.to, row.event, " refused")
                }
            };
            let one = &self.composed().components[component];
            format!("{}.{}{refused}", one.name, one.model.events[event].name)
        });
        words.collect()
    }

    /// The lines of a step: one for each component that does something.
    fn lines(&self, step: usize, lines: &mut Vec<TraceLine>) {
        let before = lines.len();
        let composed = self.composed();
        let step = self.step_of(step);
        let bridge = step.fed.map(|at| &composed.bridges[at]);
        for (component, rule) in &step.moved {
            let model = &composed.components[*component].model;
            let rule = &model.rules[*rule];
            lines.push(TraceLine {
                event: Some(model.events[rule.on].name.clone()),
                effect: rule.effect.map(|effect| model.effects[effect].name.clone()),
                ..self.line(*component, rule.to, Some(rule.span))
            });
        }
        if let Some(row) = bridge.filter(|_| step.moved.is_empty()) {
            let model = &composed.components[row.to].model;
            let state = lines.iter().rev().find_map(|line| {
                let own = line.component.as_deref() == Some(&composed.components[row.to].name);
                own.then(|| line.state.clone())
            });
            lines.push(TraceLine {
                event: Some(format!("{}, refused", model.events[row.event].name)),
                state: state.unwrap_or_default(),
                ..self.line(row.to, model.initial, Some(row.span))
            });
        }
        for component in &step.restarted {
            let initial = composed.components[*component].model.initial;
            lines.push(self.line(*component, initial, bridge.map(|row| row.span)));
        }
        for line in lines.iter_mut().skip(before + 1) {
            line.joined = true;
        }
    }

    fn line(&self, component: usize, state: usize, span: Option<Span>) -> TraceLine {
        let one = &self.composed().components[component];
        TraceLine {
            component: Some(one.name.clone()),
            event: None,
            state: one.model.states[state].name.clone(),
            effect: None,
            span,
            joined: false,
        }
    }
}
