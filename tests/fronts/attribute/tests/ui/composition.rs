//! A composition beside its spaces, in a module of theirs.

pub mod spaces {
    #[space_macros::space(domain = "./together/ping")]
    pub mod ping {}
    #[space_macros::space(domain = "./together/pong")]
    pub mod pong {}
}

#[space_macros::space(composition = "./together/composition", name = "rally", spaces = super::spaces)]
mod rally {}

use rally::{Rally, RallyEvent, RallyGuards};
use space_core::compose::{ComposedSpace, FeedStep, ProductStep};
use spaces::ping::PingEvent;
use spaces::pong::PongState;

fn main() {
    let guards = RallyGuards {
        ping: Box::new(()),
        pong: Box::new(()),
    };
    let mut run = Rally.start();
    let serve = RallyEvent::Ping(PingEvent::Serve { ball: "red".to_owned() });
    assert!(matches!(Rally.step(&mut run, serve, &guards), ProductStep::Handled(_)));
    let hit = PingEvent::Struck.into();
    assert!(matches!(Rally.step(&mut run, hit, &guards), ProductStep::Handled(_)));
    let bridge = Rally.due(&run, |_| false).expect("the ball is on its way");
    let fed = Rally.feed(&mut run, bridge, std::time::Duration::ZERO, &guards);
    assert!(matches!(fed, FeedStep::Stepped { step: ProductStep::Handled(_), .. }));
    assert_eq!(run.state.pong, PongState::Returning);
    assert_eq!(run.ctx.pong.ball.as_deref(), Some("red"));
}
