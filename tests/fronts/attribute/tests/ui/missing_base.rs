#[space_macros::space(domain = "./contracts/baseless")]
mod baseless {}

use baseless::{Baseless, BaselessCtx, BaselessEffect, BaselessEvent, BaselessGuards, BaselessHandler, BaselessState, SwingOutcome, step};
use space_core::machine::{Fault, Space};
use space_core::runtime::{Limits, Runner, Termination};
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct Work {
    pub asked: Vec<BaselessEffect>,
}

pub struct Guards;

impl BaselessGuards for Guards {
    fn unlocked(&self, ctx: &BaselessCtx, event: &BaselessEvent) -> bool {
        matches!(event, BaselessEvent::Open { key } if ctx.key.as_ref() != Some(key))
    }
}

impl BaselessHandler for Work {
    async fn swing(&mut self, key: &str) -> Result<SwingOutcome, Fault> {
        self.asked.push(BaselessEffect::Swing { key: key.to_owned() });
        match key.len() {
            0 => Ok(SwingOutcome::Stuck { reason: "no key".into() }),
            _ => Ok(SwingOutcome::Swung),
        }
    }
}

pub fn label(state: BaselessState) -> &'static str {
    match state {
        BaselessState::Closed => "closed",
        _ => state.name(),
    }
}

pub async fn drive() -> Option<BaselessState> {
    let run = Runner::new(Baseless, Arc::new(Guards), Work::default());
    let finished = run.limits(Limits::new().rounds(9)).run(BaselessEvent::Open { key: "k".into() });
    let finished = finished.await.ok()?;
    match finished.termination {
        Termination::Completed { .. } => Some(finished.state),
        _ => None,
    }
}

fn main() {
    let mut ctx = Baseless.context();
    let _ = step(Baseless.initial(), &mut ctx, BaselessEvent::Swung, &Guards);
}
