#[space_macros::space(domain = "./contracts/half")]
mod half {}

use half::{Half, HalfCtx, HalfEffect, HalfEvent, HalfGuards, HalfHandler, HalfState, SwingOutcome, step};
use space_core::machine::{Fault, Space};
use space_core::runtime::{Limits, Runner, Termination};
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct Work {
    pub asked: Vec<HalfEffect>,
}

pub struct Guards;

impl HalfGuards for Guards {
    fn unlocked(&self, ctx: &HalfCtx, event: &HalfEvent) -> bool {
        matches!(event, HalfEvent::Open { key } if ctx.key.as_ref() != Some(key))
    }
}

impl HalfHandler for Work {
    async fn swing(&mut self, key: &str) -> Result<SwingOutcome, Fault> {
        self.asked.push(HalfEffect::Swing { key: key.to_owned() });
        match key.len() {
            0 => Ok(SwingOutcome::Stuck { reason: "no key".into() }),
            _ => Ok(SwingOutcome::Swung),
        }
    }
}

pub fn label(state: HalfState) -> &'static str {
    match state {
        HalfState::Closed => "closed",
        _ => state.name(),
    }
}

pub async fn drive() -> Option<HalfState> {
    let run = Runner::new(Half, Arc::new(Guards), Work::default());
    let finished = run.limits(Limits::new().rounds(9)).run(HalfEvent::Open { key: "k".into() });
    let finished = finished.await.ok()?;
    match finished.termination {
        Termination::Completed { .. } => Some(finished.state),
        _ => None,
    }
}

fn main() {
    let mut ctx = Half.context();
    let _ = step(Half.initial(), &mut ctx, HalfEvent::Swung, &Guards);
}
