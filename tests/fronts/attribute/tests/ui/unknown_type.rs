#[space_macros::space(domain = "./contracts/mixed")]
mod mixed {}

use mixed::{Mixed, MixedCtx, MixedEffect, MixedEvent, MixedGuards, MixedHandler, MixedState, SwingOutcome, step};
use space_core::machine::{Fault, Space};
use space_core::runtime::{Limits, Runner, Termination};
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct Work {
    pub asked: Vec<MixedEffect>,
}

pub struct Guards;

impl MixedGuards for Guards {
    fn unlocked(&self, ctx: &MixedCtx, event: &MixedEvent) -> bool {
        matches!(event, MixedEvent::Open { key } if ctx.key.as_ref() != Some(key))
    }
}

impl MixedHandler for Work {
    async fn swing(&mut self, key: &str) -> Result<SwingOutcome, Fault> {
        self.asked.push(MixedEffect::Swing { key: key.to_owned() });
        match key.len() {
            0 => Ok(SwingOutcome::Stuck { reason: "no key".into() }),
            _ => Ok(SwingOutcome::Swung),
        }
    }
}

pub fn label(state: MixedState) -> &'static str {
    match state {
        MixedState::Closed => "closed",
        _ => state.name(),
    }
}

pub async fn drive() -> Option<MixedState> {
    let run = Runner::new(Mixed, Arc::new(Guards), Work::default());
    let finished = run.limits(Limits::new().rounds(9)).run(MixedEvent::Open { key: "k".into() });
    let finished = finished.await.ok()?;
    match finished.termination {
        Termination::Completed { .. } => Some(finished.state),
        _ => None,
    }
}

fn main() {
    let mut ctx = Mixed.context();
    let _ = step(Mixed.initial(), &mut ctx, MixedEvent::Swung, &Guards);
}
