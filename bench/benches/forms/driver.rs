// What a generated machine is run with: random events that its state answers.

#[path = "machine.rs"]
mod machine;

use machine::{SteppedCtx, SteppedEvent, SteppedGuards, SteppedState, Stepped, step};
use space_core::machine::{Space, Step, Value};

struct Guards;

impl SteppedGuards for Guards {
    fn even(&self, ctx: &SteppedCtx, _: &SteppedEvent) -> bool {
        ctx.n & 1 == 0
    }

    fn never(&self, _: &SteppedCtx, _: &SteppedEvent) -> bool {
        false
    }
}

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u64>().unwrap());
    let (count, groups) = (args.next().unwrap(), args.next().unwrap() as usize);
    let mut events: Vec<SteppedEvent> = vec![SteppedEvent::E0 { value: 7 }];
    events.extend((1..3 * groups).map(|at| Stepped.event_from(at, Vec::<Value>::new()).unwrap()));
    let (mut state, mut ctx) = (SteppedState::S0, SteppedCtx::default());
    let (mut dice, mut trace) = (1_u64, 0_u64);
    let begun = std::time::Instant::now();
    for _ in 0..count {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        let event = events[3 * (state as usize % groups) + (dice >> 20) as usize % 3];
        if let Step::Handled { state: next, effect } = step(state, &mut ctx, event, &Guards) {
            state = next;
            if let Some(effect) = effect {
                trace = (trace ^ Stepped.effect_index(&effect) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
            }
        }
    }
    let nanos = begun.elapsed().as_nanos();
    println!("{nanos} {trace} {}", state.name());
}
