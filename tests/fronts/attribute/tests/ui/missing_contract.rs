#[space_macros::space(domain = "./contracts/nowhere")]
mod nowhere {}

use nowhere::{Nowhere, NowhereCtx, NowhereEffect, NowhereEvent, NowhereGuards, NowhereHandler, NowhereState, SwingOutcome, step};
use space_core::machine::{Fault, Space};
use space_core::runtime::{Limits, Runner, Termination};
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct Work {
    pub asked: Vec<NowhereEffect>,
}

pub struct Guards;

impl NowhereGuards for Guards {
    fn unlocked(&self, ctx: &NowhereCtx, event: &NowhereEvent) -> bool {
        matches!(event, NowhereEvent::Open { key } if ctx.key.as_ref() != Some(key))
    }
}

impl NowhereHandler for Work {
    async fn swing(&mut self, key: &str) -> Result<SwingOutcome, Fault> {
        self.asked.push(NowhereEffect::Swing { key: key.to_owned() });
        match key.len() {
            0 => Ok(SwingOutcome::Stuck { reason: "no key".into() }),
            _ => Ok(SwingOutcome::Swung),
        }
    }
}

pub fn label(state: NowhereState) -> &'static str {
    match state {
        NowhereState::Closed => "closed",
        _ => state.name(),
    }
}

pub async fn drive() -> Option<NowhereState> {
    let run = Runner::new(Nowhere, Arc::new(Guards), Work::default());
    let finished = run.limits(Limits::new().rounds(9)).run(NowhereEvent::Open { key: "k".into() });
    let finished = finished.await.ok()?;
    match finished.termination {
        Termination::Completed { .. } => Some(finished.state),
        _ => None,
    }
}

fn main() {
    let mut ctx = Nowhere.context();
    let _ = step(Nowhere.initial(), &mut ctx, NowhereEvent::Swung, &Guards);
}
