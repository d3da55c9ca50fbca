#[space_macros::space(domain = "./contracts/torn")]
mod torn {}

use torn::{Torn, TornEvent, TornState, step};
use space_core::machine::Space;

fn main() {
    let mut ctx = Torn.context();
    let _ = step(TornState::Closed, &mut ctx, TornEvent::Open, &());
}
