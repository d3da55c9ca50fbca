#[space_macros::space(domain = "./contracts/garbled")]
mod garbled {}

use garbled::{Garbled, GarbledCtx, GarbledEffect, GarbledEvent, GarbledGuards, GarbledHandler, GarbledState, SwingOutcome, step};
use space_core::machine::{Fault, Space};
use space_core::runtime::{Limits, Runner, Termination};
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct Work {
    pub asked: Vec<GarbledEffect>,
}

pub struct Guards;

impl GarbledGuards for Guards {
    fn unlocked(&self, ctx: &GarbledCtx, event: &GarbledEvent) -> bool {
        matches!(event, GarbledEvent::Open { key } if ctx.key.as_ref() != Some(key))
    }
}

impl GarbledHandler for Work {
    async fn swing(&mut self, key: &str) -> Result<SwingOutcome, Fault> {
        self.asked.push(GarbledEffect::Swing { key: key.to_owned() });
        match key.len() {
            0 => Ok(SwingOutcome::Stuck { reason: "no key".into() }),
            _ => Ok(SwingOutcome::Swung),
        }
    }
}

pub fn label(state: GarbledState) -> &'static str {
    match state {
        GarbledState::Closed => "closed",
        _ => state.name(),
    }
}

pub async fn drive() -> Option<GarbledState> {
    let run = Runner::new(Garbled, Arc::new(Guards), Work::default());
    let finished = run.limits(Limits::new().rounds(9)).run(GarbledEvent::Open { key: "k".into() });
    let finished = finished.await.ok()?;
    match finished.termination {
        Termination::Completed { .. } => Some(finished.state),
        _ => None,
    }
}

fn main() {
    let mut ctx = Garbled.context();
    let _ = step(Garbled.initial(), &mut ctx, GarbledEvent::Swung, &Guards);
}
