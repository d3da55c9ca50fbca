#[space_macros::space(domain = "./contracts/torn")]
mod torn {}

use torn::*;
use space_core::machine::{Fault, Space};
use space_core::runtime::{Limits, Runner, Termination};
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct Work {
    pub asked: Vec<TornEffect>,
}

pub struct Guards;

impl TornGuards for Guards {
    fn unlocked(&self, ctx: &TornCtx, event: &TornEvent) -> bool {
        matches!(event, TornEvent::Open { key } if ctx.key.as_ref() != Some(key))
    }
}

impl TornHandler for Work {
    async fn swing(&mut self, key: &str) -> Result<SwingOutcome, Fault> {
        self.asked.push(TornEffect::Swing { key: key.to_owned() });
        match key.len() {
            0 => Ok(SwingOutcome::Stuck { reason: "no key".into() }),
            _ => Ok(SwingOutcome::Swung),
        }
    }
}

pub fn label(state: TornState) -> &'static str {
    match state {
        TornState::Closed => "closed",
        _ => state.name(),
    }
}

pub async fn drive() -> Option<TornState> {
    let run = Runner::new(Torn, Arc::new(Guards), Work::default());
    let finished = run.limits(Limits::new().rounds(9)).run(TornEvent::Open { key: "k".into() });
    let finished = finished.await.ok()?;
    match finished.termination {
        Termination::Completed { .. } => Some(finished.state),
        _ => None,
    }
}

fn main() {
    let mut ctx = Torn.context();
    let _ = step(Torn.initial(), &mut ctx, TornEvent::Swung, &Guards);
}
