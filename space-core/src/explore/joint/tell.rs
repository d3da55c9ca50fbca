//! Runs of a composition in words.

use super::super::check::Teller;
use super::super::verdict::Counterexample;
use super::graph::Joint;
use crate::contract::Span;
use crate::diagnostic::{Trace, TraceLine};

impl Teller for Joint {
    fn place(&self, run: &[usize]) -> String {
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
        self.composed().describe(&states)
    }

    fn trace(&self, found: &Counterexample) -> Trace {
        let mut lines: Vec<TraceLine> = Vec::new();
        for (component, state) in self.initial().enumerate() {
            let joined = component > 0;
            lines.push(TraceLine {
                joined,
                ..self.line(component, state, None)
            });
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
