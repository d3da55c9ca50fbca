#[space_macros::space(domain = "./contracts/ripped")]
mod ripped {}

use ripped::*;
use space_core::machine::{Fault, Space};
use space_core::runtime::{Limits, Runner, Termination};
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct Work {
    pub asked: Vec<RentEffect>,
}

pub struct Guards;

impl RentGuards for Guards {
    fn unlocked(&self, ctx: &RentCtx, event: &RentEvent) -> bool {
        matches!(event, RentEvent::Open { key } if ctx.key.as_ref() != Some(key))
    }
}

impl RentHandler for Work {
    async fn swing(&mut self, key: &str) -> Result<SwingOutcome, Fault> {
        self.asked.push(RentEffect::Swing { key: key.to_owned() });
        match key.len() {
            0 => Ok(SwingOutcome::Stuck { reason: "no key".into() }),
            _ => Ok(SwingOutcome::Swung),
        }
    }
}

pub fn label(state: RentState) -> &'static str {
    match state {
        RentState::Closed => "closed",
        _ => state.name(),
    }
}

pub async fn drive() -> Option<RentState> {
    let run = Runner::new(Rent, Arc::new(Guards), Work::default());
    let finished = run.limits(Limits::new().rounds(9)).run(RentEvent::Open { key: "k".into() });
    let finished = finished.await.ok()?;
    match finished.termination {
        Termination::Completed { .. } => Some(finished.state),
        _ => None,
    }
}

fn main() {
    let mut ctx = Rent.context();
    let _ = step(Rent.initial(), &mut ctx, RentEvent::Swung, &Guards);
}
