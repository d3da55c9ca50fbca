#[space_macros::space(domain = "./contracts/lonely")]
mod lonely {}

use lonely::*;
use space_core::machine::{Fault, Space};
use space_core::runtime::{Limits, Runner, Termination};
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct Work {
    pub asked: Vec<LonelyEffect>,
}

pub struct Guards;

impl LonelyGuards for Guards {
    fn unlocked(&self, ctx: &LonelyCtx, event: &LonelyEvent) -> bool {
        matches!(event, LonelyEvent::Open { key } if ctx.key.as_ref() != Some(key))
    }
}

impl LonelyHandler for Work {
    async fn swing(&mut self, key: &str) -> Result<SwingOutcome, Fault> {
        self.asked.push(LonelyEffect::Swing { key: key.to_owned() });
        match key.len() {
            0 => Ok(SwingOutcome::Stuck { reason: "no key".into() }),
            _ => Ok(SwingOutcome::Swung),
        }
    }
}

pub fn label(state: LonelyState) -> &'static str {
    match state {
        LonelyState::Closed => "closed",
        _ => state.name(),
    }
}

pub async fn drive() -> Option<LonelyState> {
    let run = Runner::new(Lonely, Arc::new(Guards), Work::default());
    let finished = run.limits(Limits::new().rounds(9)).run(LonelyEvent::Open { key: "k".into() });
    let finished = finished.await.ok()?;
    match finished.termination {
        Termination::Completed { .. } => Some(finished.state),
        _ => None,
    }
}

fn main() {
    let mut ctx = Lonely.context();
    let _ = step(Lonely.initial(), &mut ctx, LonelyEvent::Swung, &Guards);
}

pub const MISTAKE: LonelyState = LonelyState::Shut;
