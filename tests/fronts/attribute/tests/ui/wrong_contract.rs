#[space_macros::space(domain = "./contracts/gate")]
mod gate {}

use gate::{Gate, GateCtx, GateEvent, GateGuards, GateState, step};
use space_core::machine::Space;

struct Guards;

impl GateGuards for Guards {
    fn unlocked(&self, _: &GateCtx, _: &GateEvent) -> bool {
        true
    }
}

fn main() {
    let mut ctx = Gate.context();
    let _ = step(GateState::Closed, &mut ctx, GateEvent::Open, &Guards);
}
