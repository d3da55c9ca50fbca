#[space_macros::space(domain = "./contracts/hatch", serd, form = "maths")]
mod hatch {}

use hatch::*;
use space_core::machine::{Fault, Space};
use space_core::runtime::{Limits, Runner, Termination};
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct Work {
    pub asked: Vec<HatchEffect>,
}

pub struct Guards;

impl HatchGuards for Guards {
    fn unlocked(&self, ctx: &HatchCtx, event: &HatchEvent) -> bool {
        matches!(event, HatchEvent::Open { key } if ctx.key.as_ref() != Some(key))
    }
}

impl HatchHandler for Work {
    async fn swing(&mut self, key: &str) -> Result<SwingOutcome, Fault> {
        self.asked.push(HatchEffect::Swing { key: key.to_owned() });
        match key.len() {
            0 => Ok(SwingOutcome::Stuck { reason: "no key".into() }),
            _ => Ok(SwingOutcome::Swung),
        }
    }
}

pub fn label(state: HatchState) -> &'static str {
    match state {
        HatchState::Closed => "closed",
        _ => state.name(),
    }
}

pub async fn drive() -> Option<HatchState> {
    let run = Runner::new(Hatch, Arc::new(Guards), Work::default());
    let finished = run.limits(Limits::new().rounds(9)).run(HatchEvent::Open { key: "k".into() });
    let finished = finished.await.ok()?;
    match finished.termination {
        Termination::Completed { .. } => Some(finished.state),
        _ => None,
    }
}

fn main() {
    let mut ctx = Hatch.context();
    let _ = step(Hatch.initial(), &mut ctx, HatchEvent::Swung, &Guards);
}
